package sim

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// Form is the layout of the records of a type, worked out once: which bits of the value in memory go to which bits of
// the record. It writes and reads what the layout does, without going through it.
//
//	var queryForm = sim.FormOf((*Query).layout)
type Form[T any] struct{ form }

// FormOf works out a layout, which must be the same whatever the value: each field lies in the value, and nothing is
// put that does not. It panics where that is not so, and on machines that have the highest byte of a number first.
func FormOf[T any](layout func(*T, *Layout)) *Form[T] {
	lesson := learn(layout, new(T))
	bytes := int(lesson.bits+7) / 8
	f := &Form[T]{form{bytes, int(lesson.size), lesson.writes(bytes), lesson.reads(bytes)}}
	if bytes > mostFormBytes || lesson.size > 1<<15 || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		panic(fmt.Sprintf("sim: no form of %T", *new(T)))
	}
	ones := make([]byte, bytes)
	for i := range ones {
		ones[i] = 0xFF
	}
	if v := f.Parse(ones); !learn(layout, &v).equals(lesson) {
		panic(fmt.Sprintf("sim: the layout of %T depends on its value", v))
	}
	return f
}

func learn[T any](layout func(*T, *Layout), v *T) *lesson {
	l := Layout{mode: learns, lesson: &lesson{base: unsafe.Pointer(v), size: unsafe.Sizeof(*v)}}
	layout(v, &l)
	return l.lesson
}

// Append appends the record of v.
func (f *Form[T]) Append(b []byte, v *T) []byte { return f.append(b, unsafe.Pointer(v)) }

// Parse reads a record; fields beyond its end are 0, and so is what has no place in it.
func (f *Form[T]) Parse(b []byte) (v T) {
	f.parse(b, unsafe.Pointer(&v))
	return v
}

// form is a Form without its type, so that calls of it are plain ones. Values are moved in words that hold numbers and
// flags only: a pointer has a word of its own, of which no field is part.
type form struct {
	bytes       int // of a record
	size        int // of a value
	write, read moves
}

// mostFormBytes bounds a record.
const mostFormBytes = 256

func (f *form) append(b []byte, v unsafe.Pointer) []byte {
	at := len(b)
	if cap(b)-at < f.bytes {
		b = append(b, make([]byte, f.bytes)...)
	}
	b = b[:at+f.bytes]
	f.write.run(b[at:], unsafe.Slice((*byte)(v), f.size))
	return b
}

// parse fills a value that is zero.
func (f *form) parse(b []byte, v unsafe.Pointer) {
	if len(b) < f.bytes {
		f.parseShort(b, v)
		return
	}
	f.read.run(unsafe.Slice((*byte)(v), f.size), b)
}

func (f *form) parseShort(b []byte, v unsafe.Pointer) {
	var long [mostFormBytes]byte
	copy(long[:], b)
	f.parse(long[:], v)
}
