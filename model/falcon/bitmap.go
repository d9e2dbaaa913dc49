package falcon

import "math/bits"

// BitmapBits is the size of a Bitmap: the data window of a receiver. A request window uses the low 64.
const BitmapBits = 128

// Bitmap has a bit for every PSN of a window: bit n stands for base + n (FAL-D1). The zero value is empty. Its methods
// allocate nothing and change nothing but their receiver.
type Bitmap struct {
	Hi, Lo uint64 // bits 127-64 and 63-0, as in wire.Bitmap
}

// FirstOnes is a bitmap of n ones from bit 0, 0 <= n <= BitmapBits. FirstOnes(3) is 0b111.
func FirstOnes(n uint32) Bitmap {
	switch {
	case n >= BitmapBits:
		return Bitmap{Hi: ^uint64(0), Lo: ^uint64(0)}
	case n > 64:
		return Bitmap{Hi: 1<<(n-64) - 1, Lo: ^uint64(0)}
	case n == 64:
		return Bitmap{Lo: ^uint64(0)}
	}
	return Bitmap{Lo: 1<<n - 1}
}

// Has reports whether bit n is set; no bit beyond the bitmap is.
func (b Bitmap) Has(n uint32) bool {
	if n < 64 {
		return b.Lo>>n&1 != 0
	}
	return n < BitmapBits && b.Hi>>(n-64)&1 != 0
}

// Set sets bit n < BitmapBits.
func (b *Bitmap) Set(n uint32) {
	if n < 64 {
		b.Lo |= 1 << n
	} else {
		b.Hi |= 1 << (n - 64)
	}
}

// Clear clears bit n < BitmapBits.
func (b *Bitmap) Clear(n uint32) {
	if n < 64 {
		b.Lo &^= 1 << n
	} else {
		b.Hi &^= 1 << (n - 64)
	}
}

// Shift moves every bit down by n: what is below bit 0 is gone (FAL-D2).
func (b *Bitmap) Shift(n uint32) {
	if n < 64 {
		b.Lo = b.Lo>>n | b.Hi<<(64-n)
		b.Hi >>= n
	} else {
		b.Hi, b.Lo = 0, b.Hi>>(n-64)
	}
}

// Any reports whether a bit is set.
func (b Bitmap) Any() bool { return b.Lo|b.Hi != 0 }

// Or is the union.
func (b Bitmap) Or(c Bitmap) Bitmap { return Bitmap{Hi: b.Hi | c.Hi, Lo: b.Lo | c.Lo} }

// And is the intersection.
func (b Bitmap) And(c Bitmap) Bitmap { return Bitmap{Hi: b.Hi & c.Hi, Lo: b.Lo & c.Lo} }

// Without is what is in b and not in c.
func (b Bitmap) Without(c Bitmap) Bitmap { return Bitmap{Hi: b.Hi &^ c.Hi, Lo: b.Lo &^ c.Lo} }

// FirstZero is the lowest bit that is not set, BitmapBits where all are.
func (b Bitmap) FirstZero() uint32 {
	return Bitmap{Hi: ^b.Hi, Lo: ^b.Lo}.First()
}

// First is the lowest bit that is set, BitmapBits where none is.
func (b Bitmap) First() uint32 {
	if b.Lo != 0 {
		return uint32(bits.TrailingZeros64(b.Lo))
	}
	return 64 + uint32(bits.TrailingZeros64(b.Hi))
}

// Highest is the highest bit that is set, -1 where none is.
func (b Bitmap) Highest() int {
	if b.Hi != 0 {
		return 63 + bits.Len64(b.Hi)
	}
	return bits.Len64(b.Lo) - 1
}

// Hole reports whether the ones are not consecutive from bit 0 (FAL-D7): 0b0111 has no hole, 0b1110 and 0b1011 have.
func (b Bitmap) Hole() bool {
	return b.Any() && int(b.FirstZero()) <= b.Highest()
}

// Count is how many bits are set.
func (b Bitmap) Count() uint32 {
	return uint32(bits.OnesCount64(b.Lo) + bits.OnesCount64(b.Hi))
}

// Up is the bitmap with every bit moved up by n; what leaves at the top is gone.
func (b Bitmap) Up(n uint32) Bitmap {
	if n < 64 {
		return Bitmap{Hi: b.Hi<<n | b.Lo>>(64-n), Lo: b.Lo << n}
	}
	return Bitmap{Hi: b.Lo << (n - 64), Lo: 0}
}
