package sim

import (
	"math/bits"
	"unsafe"
)

// moves fill bytes with bits of other bytes, 64 at a time: first the plain moves of each word, then the swapped ones.
// Plain ones go two by two, so that half as often is asked what comes next.
type moves struct {
	plain   []pair
	swapped []move
}

// pair is two moves of a word.
type pair [2]move

// move is some bits of a word of eight bytes: those of mask, out of eight bytes that are turned to their place. A
// swapped one is turned first so that its number begins at bit 0, or not at all, then its bytes are put the other way
// round.
type move struct {
	mask  uint64 // where they go
	from  uint16
	at    uint16 // of the word
	turn  uint8
	first uint8
	last  bool // of its kind, of the word
}

// run fills dst. Bytes of dst that no word covers stay; all others are set. Either may be shorter than a word; else it
// has every byte that the moves name, which nothing here looks at again.
func (m *moves) run(dst, src []byte) {
	if len(dst) < 8 || len(src) < 8 {
		m.runShort(dst, src)
		return
	}
	m.fill(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)))
}

func (m *moves) runShort(dst, src []byte) {
	var most, little [8]byte
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	if len(src) < len(little) {
		copy(little[:], src)
		from = unsafe.Pointer(&little)
	}
	if len(dst) < len(most) {
		to = unsafe.Pointer(&most)
	}
	if m.fill(to, from); len(dst) < len(most) {
		copy(dst, most[:])
	}
}

// fill has one loop with so little in it that all of it is in registers.
func (m *moves) fill(to, from unsafe.Pointer) {
	var v uint64
	plain := m.plain
	for i := range plain {
		o, p := &plain[i][0], &plain[i][1]
		v |= bits.RotateLeft64(*(*uint64)(unsafe.Add(from, o.from)), int(o.turn))&o.mask |
			bits.RotateLeft64(*(*uint64)(unsafe.Add(from, p.from)), int(p.turn))&p.mask
		*(*uint64)(unsafe.Add(to, p.at)) = v // of a word the last one stays; to ask which it is costs more
		if p.last {
			v = 0
		}
	}
	if len(m.swapped) > 0 {
		swap(to, from, m.swapped)
	}
}

func swap(to, from unsafe.Pointer, all []move) {
	var v uint64
	for i := range all {
		o := &all[i]
		number := bits.RotateLeft64(*(*uint64)(unsafe.Add(from, o.from)), int(o.first))
		v |= bits.RotateLeft64(bits.ReverseBytes64(number), int(o.turn)) & o.mask
		if o.last { // once a word: the next one of the same word would wait for it
			*(*uint64)(unsafe.Add(to, o.at)) |= v
			v = 0
		}
	}
}
