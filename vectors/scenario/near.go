package scenario

import "math/bits"

// near is a number of width bits that is not v but resembles it. Half of the time one bit is another. Else it is one
// that a comparison takes for v which folds its operands: the same bit of both halves is another (their XOR is the
// same), one half has as much more as the other has less (their sum is), the halves are exchanged, or two bits are.
// It draws once, so a number that is one bit off is the one that `v ^ 1<<r.Below(width)` draws.
func near[T ~uint8 | ~uint16 | ~uint32 | ~uint64](r *Rand, v T, width int) T {
	draw := r.Uint64()
	at, _ := bits.Mul64(draw, uint64(width))
	half := width / 2
	mask, step := uint64(1)<<half-1, uint64(1)<<(int(at)%half)
	low, high := uint64(v)&mask, uint64(v)>>half
	other := uint64(v)
	switch draw % 8 {
	case 0:
		low, high = low^step, high^step
		other = high<<half | low
	case 1:
		low, high = (low-step)&mask, (high+step)&mask
		other = high<<half | low
	case 2:
		other = low<<half | high
	case 3:
		if low>>(int(at)%half)&1 != high>>(int(at)%half)&1 {
			other = uint64(v) ^ step ^ step<<half
		}
	}
	if other == uint64(v) {
		other ^= 1 << at
	}
	return T(other)
}

// beside is the number of a QP that lives beside another's: one bit is another, of the index of 4,096 QPs.
func beside(r *Rand, qpn uint32) uint32 { return qpn ^ 1<<r.Below(12) }

// nearGID makes one bit of a GID another, from a byte on: 12 where only an IPv4 address counts. Once in four times it
// is the same bit of both halves.
func nearGID[G ~[16]byte](r *Rand, gid *G, first int) {
	i, draw := r.Between(first, 15), r.Uint64()
	bit, _ := bits.Mul64(draw, 8)
	(*gid)[i] ^= 1 << bit
	if draw%4 == 0 {
		size := 16 - first
		(*gid)[first+(i-first+size/2)%size] ^= 1 << bit
	}
}
