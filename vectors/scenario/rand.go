package scenario

import (
	"encoding/binary"
	"math/bits"
)

// Rand is the generator of random numbers that every scenario draws from: splitmix64, defined here and in
// docs/vectors.md and by nothing else, so that a seed means the same bytes on every machine and with every Go release.
//
// Each packet has a stream of its own, named by seed and index: packet 7,000,000 can be made without the ones before
// it.
type Rand struct{ state uint64 }

const gamma = 0x9e3779b97f4a7c15

// NewRand returns the stream of packet index under a seed.
func NewRand(seed, index uint64) Rand {
	return Rand{mix64(mix64(seed+gamma) + index)}
}

// mix64 is the output function of splitmix64.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Uint64 draws 64 bits.
func (r *Rand) Uint64() uint64 {
	r.state += gamma
	return mix64(r.state)
}

// Below draws from 0 to n - 1: the high half of a 128-bit product. Its bias, below n / 2^64, does not matter here.
func (r *Rand) Below(n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// Between draws from low to high, both included.
func (r *Rand) Between(low, high int) int { return low + r.Below(high-low+1) }

// OneIn is true once in n draws.
func (r *Rand) OneIn(n int) bool { return r.Below(n) == 0 }

// Fill draws len(b) bytes, eight a draw, low byte first.
func (r *Rand) Fill(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, r.Uint64())
	}
	if len(b) > 0 {
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], r.Uint64())
		copy(b, last[:])
	}
}
