package scenario

import (
	"math/bits"
	"slices"
)

// near is a number of width bits that is not v but resembles it. Half of the time one bit is another. Else it is one
// that a comparison takes for v which folds its operands: the same bit of both halves is another (their XOR is the
// same), one half has as much more as the other has less (their sum is), the halves are exchanged, or two bits are. Or
// any two bits are others, or a bit has moved: that finds a fold of parts that are not halves, and of one bit onto any.
// It draws once, so a number that is one bit off is the one that `v ^ 1<<r.Below(width)` draws.
func near[T ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64](r *Rand, v T, width int) T {
	draw := r.Uint64()
	high, _ := bits.Mul64(draw, uint64(width))
	at, second := int(high), int(draw>>4&0xFFFF)*width>>16
	other := nearBy(draw%16, uint64(v), at, second, width)
	if other == uint64(v) {
		other ^= 1 << at
	}
	return T(other)
}

// nearBy is the number that one kind of near makes of v, of two bits; v where that kind has none.
func nearBy(kind, v uint64, at, second, width int) uint64 {
	half := width / 2
	mask, step := uint64(1)<<half-1, uint64(1)<<(at%half)
	low, high := v&mask, v>>half
	switch kind {
	case 0, 1:
		return (high^step)<<half | low ^ step
	case 2, 3:
		return (high+step)&mask<<half | (low-step)&mask
	case 4:
		return low<<half | high
	case 5:
		return exchanged(v, at, (at+half)%width)
	case 6:
		return v ^ 1<<at ^ 1<<second
	case 7:
		for i := 0; i < width && v>>second&1 == v>>at&1; i++ {
			second = (second + 1) % width
		}
		return exchanged(v, at, second)
	}
	return v
}

// exchanged is v with two of its bits exchanged.
func exchanged(v uint64, a, b int) uint64 {
	if v>>a&1 == v>>b&1 {
		return v
	}
	return v ^ 1<<a ^ 1<<b
}

// twoBits has two bits of width set, any pair.
func twoBits(r *Rand, width int) uint64 {
	pair := r.Below(width * (width - 1))
	at, second := pair/(width-1), pair%(width-1)
	if second >= at {
		second++
	}
	return 1<<at | 1<<second
}

// star are n numbers of width bits, no two the same, in any order. Most are one bit off a number that is not among
// them, each bit in turn: so each two bits are what two of them differ in, and a comparison that folds one onto the
// other takes those for the same.
func star(r *Rand, width, n int) []uint64 {
	all := make([]uint64, 0, n)
	base := uint64(0)
	for i := 0; len(all) < n; i++ {
		if i%width == 0 {
			base = r.Uint64() >> (64 - width)
		}
		if v := base ^ 1<<(i%width); !slices.Contains(all, v) {
			at := r.Below(len(all) + 1)
			all = slices.Insert(all, at, v)
		}
	}
	return all
}

// beside is the number of a QP that lives beside another's: one bit is another, of the index of 4,096 QPs.
func beside(r *Rand, qpn uint32) uint32 { return qpn ^ 1<<r.Below(12) }

// nearGID makes one bit of a GID another, from a byte on: 12 where only an IPv4 address counts. Once in four times it
// is the same bit of both halves, once in four any two bits.
func nearGID[G ~[16]byte](r *Rand, gid *G, first int) {
	i, draw := r.Between(first, 15), r.Uint64()
	bit, _ := bits.Mul64(draw, 8)
	(*gid)[i] ^= 1 << bit
	size := 16 - first
	switch at := first + int(draw>>8&0xFFFF)*size>>16; {
	case draw%4 == 0:
		(*gid)[first+(i-first+size/2)%size] ^= 1 << bit
	case draw%4 == 1 && at != i:
		(*gid)[at] ^= 1 << (draw >> 4 & 7)
	}
}
