package scenario

import (
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// lengthClass is a boundary at which a payload may lie.
type lengthClass struct {
	bytes int16 // an exact length; or
	beat  uint8 // the frame shall end at a boundary of this many bytes,
	words int8  // plus this many words of four bytes
}

// lengthClasses are the boundaries for an opcode whose payload may vary: around nothing, around every PMTU and around
// every beat of 64 to 1024 bits. "At" a boundary is as near below it as the alignment of the headers allows.
var lengthClasses = func() (out []lengthClass) {
	for n := range int16(5) {
		out = append(out, lengthClass{bytes: n})
	}
	for pmtu := int16(ib.MinPMTU); pmtu <= ib.MaxPMTU; pmtu *= 2 {
		out = append(out, lengthClass{bytes: pmtu - 1}, lengthClass{bytes: pmtu})
	}
	for beat := 8; beat <= 128; beat *= 2 {
		for words := int8(-1); words <= 1; words++ {
			out = append(out, lengthClass{beat: uint8(beat), words: words})
		}
	}
	return out
}()

// validRow is a combination that the scenario valid must meet. It is small: there are thousands, met in any order.
type validRow struct {
	op    uint8 // of opcodes
	encap wire.Encap
	class lengthClass
}

// validRows is every opcode in every encapsulation at every boundary that its lengths allow (LEN-1).
var validRows = func() (rows []validRow) {
	for i, op := range opcodes {
		for _, encap := range encaps {
			for _, class := range classesOf(op.Length) {
				rows = append(rows, validRow{uint8(i), encap, class})
			}
		}
	}
	return rows
}()

func classesOf(l ib.Length) (out []lengthClass) {
	for _, c := range lengthClasses {
		varies := l == ib.AnyPMTU || l == ib.SomePMTU
		if varies && c.beat != 0 || c.beat == 0 && l.AllowsSome(int(c.bytes)) {
			out = append(out, c)
		}
	}
	if len(out) == 0 { // ATOMIC WRITE, CNP
		for n := int16(5); n <= 16; n++ {
			if l.AllowsSome(int(n)) {
				out = append(out, lengthClass{bytes: n})
			}
		}
	}
	return out
}

// payload returns the payload of the class for a packet with these headers.
func (l lengthClass) payload(r *Rand, s *shape) int {
	if l.beat == 0 {
		return int(l.bytes)
	}
	empty, beat := s.emptyBytes(), int(l.beat)
	beats := (empty+r.Below(512))/beat + 2
	words := (beats*beat-empty)/4 + int(l.words)
	return max(1, 4*words-r.Below(4))
}

func makeValid(g *Generator, index uint64, r *Rand, c *Case) {
	row := &validRows[scatter(index, len(validRows))]
	g.buildValid(c, r, row, row.class)
}

// makeShortValid is makeValid with most of the payloads near the three larger PMTUs brought down to 256: as the largest
// part of mix they would take most of its bytes, and of a simulator's time.
func makeShortValid(g *Generator, index uint64, r *Rand, c *Case) {
	row := &validRows[scatter(index, len(validRows))]
	class := row.class
	if class.bytes > 512 && !r.OneIn(4) {
		class.bytes = ib.MinPMTU - class.bytes&1 // PMTU or PMTU - 1, as it was
	}
	g.buildValid(c, r, row, class)
}

func (g *Generator) buildValid(c *Case, r *Rand, row *validRow, class lengthClass) {
	s := shape{op: opcodes[row.op], encap: row.encap}
	g.drawOptions(&s, r)
	s.payload = class.payload(r, &s)
	g.build(c, r, s)
	c.start("valid").sayShape()
}
