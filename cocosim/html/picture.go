package html

import (
	"fmt"
	"math/big"
	"sort"
	"strings"

	"hcacosim/cocosim/waves"
)

// Picture is a picture of waves: a row a signal, From to To, with a mark at the beat that is wrong. Times are those of
// the file of waves; a cycle takes Cycle of them.
type Picture struct {
	From, To, Marker, Cycle uint64
	Rows                    []PictureRow
}

// PictureRow is a signal, or the heading of those below it.
type PictureRow struct {
	Name    string
	Heading bool
	Bits    int
	Changes []waves.Change // the first may lie before From
}

// Sizes of a picture in pixels.
const (
	nameWidth  = 190
	rowHeight  = 22
	rowMargin  = 4
	cycleWidth = 50
	widest     = 1800 // of the waves
	digitWidth = 6.7
	slant      = 3
	tickWidth  = 60 // the least between two numbers
)

// drawn is a picture laid out.
type drawn struct {
	Width, Height, Top, Bottom int
	Marker                     string
	Ticks                      []drawnText
	Rows                       []drawnRow
}

type drawnText struct{ X, Y, Text string }

type drawnRow struct {
	Name    string
	Heading bool
	Y       int
	Line    string // the path of a bit, or of a bus
	Unknown string // the path where it is neither 0 nor 1
	Texts   []drawnText
}

// layout is how times become places.
type layout struct {
	p     *Picture
	scale float64 // pixels a time
}

func (l *layout) x(time uint64) float64 {
	time = min(max(time, l.p.From), l.p.To)
	return nameWidth + float64(time-l.p.From)*l.scale
}

func at(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// draw lays a picture out.
func (p *Picture) draw() *drawn {
	cycles := float64(p.To-p.From) / float64(max(1, p.Cycle))
	width := min(widest, cycles*cycleWidth)
	l := layout{p, width / float64(max(1, p.To-p.From))}
	d := &drawn{Width: nameWidth + int(width) + 1, Top: rowHeight, Marker: at(l.x(p.Marker))}
	every := p.Cycle // a number needs room
	for every < p.To-p.From && float64(every)*l.scale < tickWidth {
		every *= 2
	}
	for c := (p.From + p.Cycle - 1) / max(1, p.Cycle) * p.Cycle; every > 0 && c < p.To; c += every {
		d.Ticks = append(d.Ticks, drawnText{X: at(l.x(c)), Y: fmt.Sprint(rowHeight - 7), Text: fmt.Sprint(c / p.Cycle)})
	}
	for i := range p.Rows {
		d.Rows = append(d.Rows, l.row(&p.Rows[i], rowHeight*(i+1)))
	}
	d.Height = rowHeight*(len(p.Rows)+1) + rowMargin
	d.Bottom = d.Height
	return d
}

func (l *layout) row(r *PictureRow, y int) drawnRow {
	d := drawnRow{Name: r.Name, Heading: r.Heading, Y: y + rowHeight - 7}
	top, bottom := float64(y+rowMargin), float64(y+rowHeight-rowMargin)
	var line, unknown strings.Builder
	for i := l.first(r); i < len(r.Changes) && r.Changes[i].Time < l.p.To; i++ {
		from, to := l.x(r.Changes[i].Time), l.x(l.p.To)
		if i+1 < len(r.Changes) {
			to = l.x(r.Changes[i+1].Time)
		}
		bits := r.Changes[i].Bits
		switch {
		case strings.Trim(bits, "01") != "":
			box(&unknown, from, to, top, bottom)
		case r.Bits == 1:
			level(&line, from, to, top, bottom, bits == "1")
		default:
			box(&line, from, to, top, bottom)
			if text := hexOf(bits); float64(len(text))*digitWidth+2*slant+2 <= to-from {
				d.Texts = append(d.Texts, drawnText{at(from + slant + 2), fmt.Sprint(d.Y), text})
			}
		}
	}
	d.Line, d.Unknown = line.String(), unknown.String()
	return d
}

// first is the change that holds at the start of the picture.
func (l *layout) first(r *PictureRow) int {
	n := sort.Search(len(r.Changes), func(i int) bool { return r.Changes[i].Time > l.p.From })
	return max(0, n-1)
}

// level draws a bit, with the edge that it begins with.
func level(b *strings.Builder, from, to, top, bottom float64, high bool) {
	y, other := bottom, top
	if high {
		y, other = top, bottom
	}
	if b.Len() == 0 {
		other = y
	}
	fmt.Fprintf(b, "M%s %sV%sH%s", at(from), at(other), at(y), at(to))
}

// box draws a value of a bus.
func box(b *strings.Builder, from, to, top, bottom float64) {
	s := min(slant, (to-from)/2)
	mid := (top + bottom) / 2
	fmt.Fprintf(b, "M%s %sL%s %sH%sL%s %sL%s %sH%sZ", at(from), at(mid), at(from+s), at(top), at(to-s), at(to), at(mid),
		at(to-s), at(bottom), at(from+s))
}

// hexOf is a value of a bus in hex, without leading zeros.
func hexOf(bits string) string {
	n, ok := new(big.Int).SetString(bits, 2)
	if !ok {
		return ""
	}
	return n.Text(16)
}
