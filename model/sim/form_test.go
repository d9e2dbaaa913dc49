package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// formed has every kind of field, in another order than in memory, with some that have no place and a pointer between
// them: 37 bytes and 5 bits.
type formed struct {
	e       uint16
	_       []byte
	a       uint8
	c       uint64
	_       uint32
	number  [7]byte
	b       uint32
	f, g, h bool
	address [16]byte
	d       uint64
	i       uint32
}

func (x *formed) layout(l *Layout) {
	Field(l, &x.a, 3)
	Field(l, &x.b, 24)
	l.Wide(&x.c)
	l.Flag(&x.h)
	l.Zeros(2)
	l.Flag(&x.f)
	l.Number(x.number[:])
	l.Flag(&x.g)
	Field(l, &x.e, 16)
	l.Number(x.address[:])
	l.Wide(&x.d)
	Field(l, &x.i, 1)
}

// small is less than eight bytes, in memory and as a record.
type small struct {
	a uint16
	b uint8
	c bool
}

func (x *small) layout(l *Layout) {
	l.Flag(&x.c)
	Field(l, &x.a, 13)
	Field(l, &x.b, 8)
}

// odd is no whole number of words in memory, and a whole number as a record.
type odd struct {
	a, b, c, d uint32
	e          uint8
	f          [3]bool
}

func (x *odd) layout(l *Layout) {
	Field(l, &x.e, 7)
	for _, v := range [...]*uint32{&x.d, &x.b, &x.a} {
		Field(l, v, 32)
	}
	Field(l, &x.c, 22)
	for i := range x.f {
		l.Flag(&x.f[i])
	}
}

// shifted has a number of which no eight bytes lie in eight of the record.
type shifted struct {
	a       uint8
	address [17]byte
}

func (x *shifted) layout(l *Layout) {
	Field(l, &x.a, 3)
	l.Number(x.address[:])
}

func TestFormsAreTheirLayouts(t *testing.T) {
	t.Run("shifted", func(t *testing.T) { likeLayout(t, (*shifted).layout) })
	t.Run("formed", func(t *testing.T) { likeLayout(t, (*formed).layout) })
	t.Run("small", func(t *testing.T) { likeLayout(t, (*small).layout) })
	t.Run("odd", func(t *testing.T) { likeLayout(t, (*odd).layout) })
	t.Run("example", func(t *testing.T) {
		likeLayout(t, func(x *example, l *Layout) { Field(l, &x.b, 32); Field(l, &x.a, 3); l.Flag(&x.e); Field(l, &x.c, 9) })
	})
}

// likeLayout reads any bytes, too few and too many too, as the layout does, and writes them so, behind what is there.
func likeLayout[T any](t *testing.T, layout func(*T, *Layout)) {
	form := FormOf(layout)
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, form.bytes+9).Draw(t, "data")
		var want T
		l := ReadLayout(data)
		layout(&want, &l)
		require.Equal(t, want, form.Parse(data))

		room := rapid.IntRange(0, 80).Draw(t, "room")
		before := append(make([]byte, 0, room), "before"...)
		w := WriteLayout(before)
		layout(&want, &w)
		text := w.End()
		behind := text[len(text):cap(text)]
		for i := range behind {
			behind[i] = 0x5A
		}
		got := form.Append(append(make([]byte, 0, room), before...), &want)
		require.Equal(t, text, got)
		require.Len(t, got, len(before)+form.bytes)
	})
}

// TestFormWritesNothingBehind: bytes behind a record in the same memory stay.
func TestFormWritesNothingBehind(t *testing.T) {
	form := FormOf((*formed).layout)
	memory := make([]byte, 100)
	for i := range memory {
		memory[i] = 0xEE
	}
	require.Equal(t, form.bytes, len(form.Append(memory[:0], &formed{})))
	for _, b := range memory[form.bytes:] {
		require.Equal(t, byte(0xEE), b)
	}
}

// TestFormLeavesStrayBits: what a field holds above its width is not written, nor does a read see it.
func TestFormLeavesStrayBits(t *testing.T) {
	form := FormOf((*small).layout)
	require.Equal(t, []byte{0xFE, 0x3F, 0}, form.Append(nil, &small{a: 0xFFFF}))
}

// TestFormRefuses: layouts that depend on the value, and fields that do not lie in it.
func TestFormRefuses(t *testing.T) {
	var other uint8
	for name, layout := range map[string]func(*small, *Layout){
		"value": func(x *small, l *Layout) {
			if Field(l, &x.a, 13); x.a != 0 {
				l.Flag(&x.c)
			}
		},
		"put":    func(_ *small, l *Layout) { l.Put(1, 3) },
		"flag":   func(_ *small, l *Layout) { l.PutFlag(true) },
		"number": func(_ *small, l *Layout) { l.PutNumber([]byte{1}, 1) },
		"other":  func(_ *small, l *Layout) { Field(l, &other, 3) },
		"wide":   func(x *small, l *Layout) { Field(l, &x.b, 9) },
		"array":  func(_ *small, l *Layout) { l.Number([]byte{1, 2}) },
	} {
		require.Panics(t, func() { FormOf(layout) }, name)
	}
}

func BenchmarkForm(b *testing.B) {
	x, form, buf := formed{a: 5, b: 77, c: 1 << 60, h: true}, FormOf((*formed).layout), make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		buf = form.Append(buf[:0], &x)
		if got := form.Parse(buf); got.c != x.c {
			b.Fatal("not read back")
		}
	}
}
