package ib

import (
	"encoding/binary"
	"iter"
)

// Field is a field of an extension header. A header is described here and nowhere else: what is built, taken apart,
// printed and put into records goes by this table (docs/adding-a-header.md).
type Field uint8

// The fields, header by header in the order of Header, within one in the order of the wire. A reserved field has none.
const (
	EEContext Field = iota // RDETH
	QKey                   // DETH
	SrcQP
	XRCSRQ   // XRCETH
	FlushSEL // FETH
	FlushPLT
	VA // RETH
	RKey
	DMALen
	AtomicVA // AtomicETH
	AtomicRKey
	SwapAdd
	Compare
	AETHSyndrome // AETH
	MSN
	Original  // AtomicAckETH
	InvRKey   // IETH
	Immediate // ImmDt
	numFields
)

// fields says where each stands: bit 0 is the high bit of the header's first byte. One of 64 bits begins with a word of
// four bytes, any other lies in one.
var fields = [numFields]struct {
	header    Header
	name      string
	bit, bits int
	decimal   bool // as people read it; else hexadecimal
}{
	EEContext:    {RDETH, "EE context", 8, 24, false},
	QKey:         {DETH, "Q_Key", 0, 32, false},
	SrcQP:        {DETH, "SrcQP", 40, 24, false},
	XRCSRQ:       {XRCETH, "XRCSRQ", 8, 24, false},
	FlushSEL:     {FETH, "SEL", 26, 2, true},
	FlushPLT:     {FETH, "PLT", 28, 4, true},
	VA:           {RETH, "VA", 0, 64, false},
	RKey:         {RETH, "R_Key", 64, 32, false},
	DMALen:       {RETH, "DMALen", 96, 32, true},
	AtomicVA:     {AtomicETH, "VA", 0, 64, false},
	AtomicRKey:   {AtomicETH, "R_Key", 64, 32, false},
	SwapAdd:      {AtomicETH, "swap or add", 96, 64, false},
	Compare:      {AtomicETH, "compare", 160, 64, false},
	AETHSyndrome: {AETH, "syndrome", 0, 8, false},
	MSN:          {AETH, "MSN", 8, 24, true},
	Original:     {AtomicAckETH, "original", 0, 64, false},
	InvRKey:      {IETH, "R_Key", 0, 32, false},
	Immediate:    {ImmDt, "immediate", 0, 32, false},
}

func (f Field) String() string { return fields[f].name }

// Header returns the header that the field stands in.
func (f Field) Header() Header { return fields[f].header }

// At returns the byte of the header in which the field begins.
func (f Field) At() int { return fields[f].bit / 8 }

// Bits returns the width of the field: 64 at most.
func (f Field) Bits() int { return fields[f].bits }

// Decimal reports whether people read the field as a number rather than as a pattern.
func (f Field) Decimal() bool { return fields[f].decimal }

// word is where the four bytes begin that a field lies in, and how far from their lowest bit; ones is as wide as it.
type word struct {
	at, low uint8
	ones    uint32
}

// words are those of the fields that are not 64 bits wide.
var words = func() (all [numFields]word) {
	for f, d := range fields {
		if d.bits == 64 {
			continue
		}
		if d.bit/32 != (d.bit+d.bits-1)/32 {
			panic("ib: " + d.name + " does not lie in one word of its header")
		}
		all[f] = word{uint8(d.bit / 32 * 4), uint8(31 - (d.bit+d.bits-1)%32), ^uint32(0) >> (32 - d.bits)}
	}
	return all
}()

// Of returns the field's value; header is the whole header that it stands in.
func (f Field) Of(header []byte) uint64 {
	w := &words[f]
	if w.ones == 0 {
		return binary.BigEndian.Uint64(header[f.At():])
	}
	return uint64(binary.BigEndian.Uint32(header[w.at:]) >> (w.low & 31) & w.ones)
}

// Put sets the field in its header, whose bits there are 0; bits of v above the field's width are left out.
func (f Field) Put(header []byte, v uint64) {
	w := &words[f]
	if w.ones == 0 {
		binary.BigEndian.PutUint64(header[f.At():], v)
		return
	}
	b := header[w.at:]
	binary.BigEndian.PutUint32(b, binary.BigEndian.Uint32(b)|uint32(v)&w.ones<<(w.low&31))
}

// firstField is by header the first of its fields; that of the header behind the last is numFields.
var firstField = func() (first [numHeaders + 1]Field) {
	for f := range numFields {
		first[fields[f].header+1] = f + 1
	}
	return first
}()

// Fields goes through the fields of a header in the order of the wire.
func (h Header) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for f := firstField[h]; f < firstField[h+1]; f++ {
			if !yield(f) {
				return
			}
		}
	}
}

// FieldRange returns the first field of the header and the one behind its last.
func (h Header) FieldRange() (first, end Field) { return firstField[h], firstField[h+1] }

// AllHeaders goes through the extension headers in the order of the wire.
func AllHeaders() iter.Seq[Header] {
	return func(yield func(Header) bool) {
		for h := range numHeaders {
			if !yield(h) {
				return
			}
		}
	}
}
