package sim

import (
	"fmt"
	"slices"
	"unsafe"
)

// lesson is what a layout names when it goes through a value: the fields of the record, from bit 0 on.
type lesson struct {
	base   unsafe.Pointer
	size   uintptr // of the value
	bits   uint    // of the record so far
	fields []place
}

// place is a field: bits of the record from one on, and the memory of the value that they come from. A number has its
// highest byte first in memory.
type place struct {
	bit, bits uint
	at, bytes uint
	number    bool
}

func (l *lesson) equals(o *lesson) bool { return l.bits == o.bits && slices.Equal(l.fields, o.fields) }

// numberBytes is the most of a number that is moved at once.
const numberBytes = 8

// field learns the next field.
func (l *lesson) field(v unsafe.Pointer, bytes uintptr, width uint) {
	at := uintptr(v) - uintptr(l.base)
	if at > l.size-bytes || width > 8*uint(bytes) {
		panic(fmt.Sprintf("sim: bits %d to %d of a record are no field of its value", l.bits, l.bits+width-1))
	}
	l.add(place{bits: width, at: uint(at), bytes: uint(bytes)})
}

// number learns bytes whose last one is lowest in the record.
func (l *lesson) number(v unsafe.Pointer, bytes uintptr) {
	at := uintptr(v) - uintptr(l.base)
	if at > l.size-bytes {
		panic(fmt.Sprintf("sim: bit %d of a record begins a number that is not in its value", l.bits))
	}
	for left := uint(bytes); left > 0; {
		n := min(left, numberBytes)
		left -= n
		l.add(place{bits: 8 * n, at: uint(at) + left, bytes: n, number: true})
	}
}

func (l *lesson) add(p place) {
	p.bit = l.bits
	l.bits += p.bits
	l.fields = append(l.fields, p)
}

// writes are the moves from the value to a record of so many bytes.
func (l *lesson) writes(bytes int) (m moves) {
	for _, at := range wordsOf(uint(bytes)) {
		var plain, swapped []move
		for _, f := range l.fields {
			low, high := max(f.bit, 8*at), min(f.bit+f.bits, 8*at+64)
			if low >= high {
				continue
			}
			from := window(f.at, f.bytes, uint(l.size))
			source := 8*(f.at-from) + low - f.bit
			if f.number {
				source = 8*(8-(f.at-from)-f.bytes) + low - f.bit
			}
			o := move{mask: ones(low-8*at, high-low), from: uint16(from), turn: turn(source, low-8*at)}
			if f.number {
				swapped = append(swapped, o)
			} else {
				plain = merge(plain, o)
			}
		}
		m.add(at, plain, swapped)
	}
	return m
}

// reads are the moves from a record of so many bytes to the value.
func (l *lesson) reads(bytes int) (m moves) {
	for _, at := range wordsOf(uint(l.size)) {
		var plain, swapped []move
		for _, f := range l.fields {
			if f.number {
				swapped = append(swapped, readNumber(f, at, uint(bytes))...)
			} else {
				plain = readField(plain, f, at, uint(bytes))
			}
		}
		if len(plain)+len(swapped) > 0 {
			m.add(at, plain, swapped)
		}
	}
	return m
}

// readField adds what a field gives the word of the value at a byte: two moves where it lies in nine bytes of the
// record.
func readField(all []move, f place, at, bytes uint) []move {
	low, high := max(8*f.at, 8*at), min(8*f.at+f.bits, 8*at+64)
	for low < high {
		bit := f.bit + low - 8*f.at
		from := window(bit/8, (bit%8+high-low+7)/8, bytes)
		end := min(high, low+64-(bit-8*from))
		all = merge(all, move{mask: ones(low-8*at, end-low), from: uint16(from), turn: turn(bit-8*from, low-8*at)})
		low = end
	}
	return all
}

// readNumber is readField of a number; the order of its bytes is the other.
func readNumber(f place, at, bytes uint) (all []move) {
	low, high := max(f.at, at), min(f.at+f.bytes, at+8)
	for low < high {
		n := high - low
		if (f.bit%8+8*n+7)/8 > 8 { // in nine bytes of the record
			n = 4
		}
		bit := f.bit + 8*(f.at+f.bytes-low-n)
		from := window(bit/8, (bit%8+8*n+7)/8, bytes)
		all = append(all, move{mask: ones(8*(low-at), 8*n), from: uint16(from), first: turn(bit-8*from, 0),
			turn: turn(64-8*n, 8*(low-at))})
		low += n
	}
	return all
}

// wordsOf are the places of words that cover so many bytes: the last one ends with them.
func wordsOf(bytes uint) (at []uint) {
	for n := uint(0); n+8 <= bytes; n += 8 {
		at = append(at, n)
	}
	if bytes%8 != 0 {
		at = append(at, max(bytes, 8)-8)
	}
	return at
}

// window is where the eight bytes begin that hold n bytes at a place, of so many in all: at a multiple of eight if that
// can be, so that neighbours share it. More than eight bytes begin at their own place, as far as there are eight.
func window(at, n, all uint) uint {
	last := max(all, 8) - 8
	if w := at &^ 7; at+n <= w+8 && w <= last {
		return w
	}
	return min(at, last)
}

// turn is how far a word is turned to the left so that one bit comes to be another.
func turn(from, to uint) uint8 { return uint8((to - from) % 64) }

func ones(at, n uint) uint64 { return (^uint64(0) >> (64 - n)) << at }

// merge adds a move, to one that turns the same bytes as far if there is one.
func merge(all []move, o move) []move {
	for i := range all {
		if all[i].from == o.from && all[i].turn == o.turn {
			all[i].mask |= o.mask
			return all
		}
	}
	return append(all, o)
}

// add adds the moves of a word, at least one pair of plain ones; what is missing moves nothing.
func (m *moves) add(at uint, plain, swapped []move) {
	if len(plain) == 0 {
		plain = []move{{}}
	}
	if len(plain)%2 != 0 {
		plain = append(plain, move{})
	}
	for _, list := range [][]move{plain, swapped} {
		for i := range list {
			list[i].at = uint16(at)
		}
	}
	plain[len(plain)-1].last = true
	if len(swapped) > 0 {
		swapped[len(swapped)-1].last = true
	}
	for two := range slices.Chunk(plain, 2) {
		m.plain = append(m.plain, pair(two))
	}
	m.swapped = append(m.swapped, swapped...)
}
