package scenario

import (
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// lengthClass is a boundary at which a payload may lie.
type lengthClass struct {
	bytes int // an exact length; or
	beat  int // the frame shall end at a boundary of this many bytes,
	words int // plus this many words of four bytes
}

// lengthClasses are the boundaries for an opcode whose payload may vary: around nothing, around every PMTU and around
// every beat of 64 to 1024 bits. "At" a boundary is as near below it as the alignment of the headers allows.
var lengthClasses = func() (out []lengthClass) {
	for n := range 5 {
		out = append(out, lengthClass{bytes: n})
	}
	for pmtu := ib.MinPMTU; pmtu <= ib.MaxPMTU; pmtu *= 2 {
		out = append(out, lengthClass{bytes: pmtu - 1}, lengthClass{bytes: pmtu})
	}
	for beat := 8; beat <= 128; beat *= 2 {
		for words := -1; words <= 1; words++ {
			out = append(out, lengthClass{beat: beat, words: words})
		}
	}
	return out
}()

// validRow is a combination that the scenario valid must meet.
type validRow struct {
	op    *ib.Info
	encap wire.Encap
	class lengthClass
}

// validRows is every opcode in every encapsulation at every boundary that its lengths allow (LEN-1).
var validRows = func() (rows []validRow) {
	for _, op := range opcodes {
		for _, encap := range encaps {
			for _, class := range classesOf(op.Length) {
				rows = append(rows, validRow{op, encap, class})
			}
		}
	}
	return rows
}()

func classesOf(l ib.Length) (out []lengthClass) {
	for _, c := range lengthClasses {
		varies := l == ib.AnyPMTU || l == ib.SomePMTU
		if varies && c.beat != 0 || c.beat == 0 && l.AllowsSome(c.bytes) {
			out = append(out, c)
		}
	}
	if len(out) == 0 { // ATOMIC WRITE, CNP
		for n := 5; n <= 16; n++ {
			if l.AllowsSome(n) {
				out = append(out, lengthClass{bytes: n})
			}
		}
	}
	return out
}

// payload returns the payload of the class for a packet with these headers.
func (l lengthClass) payload(r *Rand, s *shape) int {
	if l.beat == 0 {
		return l.bytes
	}
	empty := s.emptyBytes()
	beats := (empty+r.Below(512))/l.beat + 2
	words := (beats*l.beat-empty)/4 + l.words
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
	s := shape{op: row.op, encap: row.encap}
	g.drawOptions(&s, r)
	s.payload = class.payload(r, &s)
	g.build(c, r, s)
	c.start("valid").sayShape()
}
