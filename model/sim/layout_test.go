package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// example has fields that end inside of bytes, a full one of 32 bits among them.
type example struct {
	a    uint8
	b    uint32
	c    uint16
	d, e bool
}

func (x *example) layout(l *Layout) {
	Field(l, &x.a, 3)
	Field(l, &x.b, 32)
	Field(l, &x.c, 9)
	l.Flag(&x.d)
	l.Put(2, 2)
	l.Flag(&x.e)
	l.PutNumber([]byte{1, 2}, 3)
}

// TestLayoutFromBitZeroUp: the bits by hand; what lies above a field's width is cut; the rest of the last byte is 0.
func TestLayoutFromBitZeroUp(t *testing.T) {
	x := example{a: 0xFD, b: 0x89ABCDEF, c: 0x3FF, d: true}
	l := WriteLayout([]byte{0x77})
	x.layout(&l)
	// 101, then 89ABCDEF, then 111111111, 1, 10, 0: from bit 0 on.
	require.Equal(t, []byte{0x77, 0xEF<<3&0xFF | 5, 0xCD<<3&0xFF | 0xEF>>5, 0xAB<<3&0xFF | 0xCD>>5, 0x89<<3&0xFF | 0xAB>>5,
		0xF8 | 0x89>>5,
		0x1F | 2<<5, 2, 1, 0}, l.End())
}

// TestLayoutIsReadBack: every bit of every field comes back, and no other changes with it.
func TestLayoutIsReadBack(t *testing.T) {
	for bit := range 46 {
		var x example
		switch {
		case bit < 3:
			x.a = 1 << bit
		case bit < 35:
			x.b = 1 << (bit - 3)
		case bit < 44:
			x.c = 1 << (bit - 35)
		default:
			x.d, x.e = bit == 44, bit == 45
		}
		l := WriteLayout(nil)
		x.layout(&l)
		var y example
		r := ReadLayout(l.End())
		y.layout(&r)
		require.Equal(t, x, y)
	}
}

// TestZeros: any number of zeros at any place is as many fields of one bit, and reading goes over them.
func TestZeros(t *testing.T) {
	for before := range uint(40) {
		for zeros := range uint(100) {
			got, want := WriteLayout(nil), WriteLayout(nil)
			for range before {
				got.Put(1, 1)
				want.Put(1, 1)
			}
			got.Zeros(zeros)
			for range zeros {
				want.Put(0, 1)
			}
			got.Put(5, 3)
			want.Put(5, 3)
			b := got.End()
			require.Equal(t, want.End(), b)
			r, v := ReadLayout(b), uint8(0)
			r.Zeros(before + zeros)
			Field(&r, &v, 3)
			require.Equal(t, uint8(5), v)
		}
	}
}
