package sim

import (
	"math/bits"
	"unsafe"
)

// moves fill bytes with bits of other bytes, 64 at a time.
type moves struct {
	words []word
	all   []move
}

// word is eight bytes that are filled, from bytes that stand in order of words in moves.
type word struct {
	at         uint16
	swapped    uint16 // how many moves of it are
	plain, end uint16 // moves of it: where the plain ones end, and the swapped ones behind them
}

// move is some bits of a word: those of mask, out of eight bytes that are turned to their place. A swapped one is
// turned first so that its number begins at bit 0, or not at all, then its bytes are put the other way round.
type move struct {
	mask  uint64 // where they go
	from  uint16
	turn  uint8
	first uint8
}

// run fills dst. Bytes of dst that no word covers stay; all others are set. Either may be shorter than a word; else it
// has every byte that the moves name, which nothing here looks at again.
func (m *moves) run(dst, src []byte) {
	var most, little [8]byte
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	if len(src) < len(little) {
		copy(little[:], src)
		from = unsafe.Pointer(&little)
	}
	if len(dst) < len(most) {
		to = unsafe.Pointer(&most)
	}
	all := m.all
	for _, w := range m.words {
		v := gather(from, all[:w.plain])
		if w.swapped > 0 {
			v |= gatherSwapped(from, all[w.plain:w.end])
		}
		all = all[w.end:]
		*(*uint64)(unsafe.Add(to, w.at)) = v
	}
	if len(dst) < len(most) {
		copy(dst, most[:])
	}
}

// gather has a loop with so little in it that all of it is in registers; within another function it is not.
//
//go:noinline
func gather(src unsafe.Pointer, all []move) (v uint64) {
	for i := range all {
		o := &all[i]
		v |= bits.RotateLeft64(*(*uint64)(unsafe.Add(src, o.from)), int(o.turn)) & o.mask
	}
	return v
}

//go:noinline
func gatherSwapped(src unsafe.Pointer, all []move) (v uint64) {
	for i := range all {
		o := &all[i]
		number := bits.RotateLeft64(*(*uint64)(unsafe.Add(src, o.from)), int(o.first))
		v |= bits.RotateLeft64(bits.ReverseBytes64(number), int(o.turn)) & o.mask
	}
	return v
}
