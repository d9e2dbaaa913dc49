package sim

import (
	"encoding/binary"
	"unsafe"
)

// Layout goes through the fields of a record in the order of its document, from bit 0 of byte 0 up, and either writes
// or reads each: a record names its fields once for both ways.
//
//	func (q *Query) layout(l *sim.Layout) {
//		sim.Field(l, &q.QPN, 24)
//		l.Flag(&q.AckReq)
//	}
type Layout struct {
	b     []byte // written so far, or that is read
	at    int    // the next byte of b to read
	held  uint64 // bits between the last whole byte and the next
	count uint   // of held
	mode  mode

	lesson *lesson // of a layout that is worked out
}

// mode is what a Layout does with the fields that it is told of.
type mode uint8

const (
	writes mode = iota
	reads
	learns // see Form
)

// WriteLayout returns a Layout that appends to b.
func WriteLayout(b []byte) Layout { return Layout{b: b} }

// ReadLayout returns a Layout that reads b; fields beyond its end are 0.
func ReadLayout(b []byte) Layout { return Layout{b: b, mode: reads} }

// Field writes or reads a field of so many bits, 32 at most. What of v lies above them is not written.
func Field[T ~uint8 | ~uint16 | ~uint32](l *Layout, v *T, bits uint) {
	switch l.mode {
	case reads:
		*v = T(l.take(bits))
	case writes:
		l.put(uint32(*v), bits)
	default:
		l.lesson.field(unsafe.Pointer(v), unsafe.Sizeof(*v), bits)
	}
}

// Wide writes or reads a field of 64 bits.
func (l *Layout) Wide(v *uint64) { l.Long(v, 64) }

// Long writes or reads a field of so many bits, 64 at most.
func (l *Layout) Long(v *uint64, bits uint) {
	if l.mode == learns {
		l.lesson.field(unsafe.Pointer(v), unsafe.Sizeof(*v), bits)
		return
	}
	low, high := uint32(*v), uint32(*v>>32)
	Field(l, &low, min(bits, 32))
	Field(l, &high, max(bits, 32)-32)
	*v = uint64(high)<<32 | uint64(low)
}

// Flag writes or reads a field of one bit.
func (l *Layout) Flag(v *bool) {
	switch {
	case l.mode == reads:
		*v = l.take(1) != 0
	case l.mode == learns:
		l.lesson.field(unsafe.Pointer(v), unsafe.Sizeof(*v), 1)
	case *v:
		l.put(1, 1)
	default:
		l.put(0, 1)
	}
}

// Number writes or reads a number that has its highest byte first, as the wire has it.
func (l *Layout) Number(number []byte) {
	if l.mode == learns {
		l.lesson.number(unsafe.Pointer(unsafe.SliceData(number)), uintptr(len(number)))
		return
	}
	for at := len(number) - 1; at >= 0; at-- {
		Field(l, &number[at], 8)
	}
}

// Put writes a field that has no place of its own in the record: a constant, or what a header has. Reading skips it.
func (l *Layout) Put(v uint32, bits uint) {
	switch l.mode {
	case reads:
		l.take(bits)
	case writes:
		l.put(v, bits)
	default:
		l.lesson.field(nil, 0, bits)
	}
}

// PutFlag is Put for one bit.
func (l *Layout) PutFlag(v bool) { l.Flag(&v) }

// PutNumber writes a number as the wire has it, highest byte first, into so many bytes; nil is 0.
func (l *Layout) PutNumber(number []byte, bytes int) {
	for ; bytes >= 4 && len(number) >= 4; bytes -= 4 {
		at := len(number) - 4
		l.Put(binary.BigEndian.Uint32(number[at:]), 32)
		number = number[:at]
	}
	for ; bytes > 0 && len(number) > 0; bytes-- {
		at := len(number) - 1
		l.Put(uint32(number[at]), 8)
		number = number[:at]
	}
	l.Zeros(8 * uint(max(bytes, 0)))
}

// Zeros writes a field, or several, of so many bits that are 0. Reading skips them.
func (l *Layout) Zeros(bits uint) {
	switch l.mode {
	case learns:
		l.lesson.bits += bits
		return
	case reads:
		for ; bits > 0; bits -= min(bits, 32) {
			l.take(min(bits, 32))
		}
		return
	}
	for l.count += bits; l.count >= 32; {
		l.four()
	}
}

// End returns what was written, the last byte filled up with zeros.
func (l *Layout) End() []byte {
	for ; l.count > 0; l.count -= min(8, l.count) {
		l.b = append(l.b, byte(l.held))
		l.held >>= 8
	}
	return l.b
}

// put and take move four bytes at a time: fewer than 32 bits are held between two fields, so 32 more have room. No
// field has 64 bits, which the compiler learns from the masks of 63.
func (l *Layout) put(v uint32, bits uint) {
	l.held |= uint64(v) & (1<<(bits&63) - 1) << (l.count & 63)
	if l.count += bits; l.count >= 32 {
		l.four()
	}
}

// four appends four of the bytes held. It spells them out: appending in place writes no pointer.
func (l *Layout) four() {
	h := l.held
	l.b = append(l.b, byte(h), byte(h>>8), byte(h>>16), byte(h>>24))
	l.held >>= 32
	l.count -= 32
}

func (l *Layout) take(bits uint) uint32 {
	if l.count < bits {
		l.fill()
	}
	v := uint32(l.held & (1<<(bits&63) - 1))
	l.held >>= bits & 63
	l.count -= bits
	return v
}

// fill reads up to four bytes.
func (l *Layout) fill() {
	if rest := l.b[l.at:]; len(rest) >= 4 {
		l.held |= uint64(binary.LittleEndian.Uint32(rest)) << (l.count & 63)
		l.at, l.count = l.at+4, l.count+32
		return
	}
	for ; l.at < len(l.b); l.at++ {
		l.held |= uint64(l.b[l.at]) << (l.count & 63)
		l.count += 8
	}
}
