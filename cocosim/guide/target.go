package guide

import (
	"fmt"
	"io"

	"hcacosim/cocosim/cover"
	"hcacosim/model/sim"
)

// Source gives records, one after the other, until io.EOF.
type Source interface {
	Next(o *sim.Offer) error
}

// Count plays a source on the golden model and returns what it exercises; run is the line that makes the source again.
func Count(t Target, source Source, run string) (*cover.Sheet, error) {
	p := newPlayer(t)
	p.restart()
	p.cycle = 0
	p.cover.Begin(run)
	var o sim.Offer
	for {
		switch err := source.Next(&o); err {
		case nil:
			p.take(&o, 0)
		case io.EOF:
			return p.cover.Sheet, nil
		default:
			return nil, err
		}
	}
}

// List is a Result as the source of a vector set.
type List struct {
	offers []sim.Offer
	why    []string
	at     int
}

// Source makes the source of a vector set of what was found.
func (r *Result) Source() *List {
	l := &List{offers: r.Offers()}
	for _, g := range r.Segments {
		why := fmt.Sprintf("%s, seed %d, from case %d", g.Scenario, g.Seed, g.From)
		if g.Changed {
			why += ", fields changed"
		}
		for range g.Steps {
			l.why = append(l.why, why)
		}
	}
	return l
}

// Next gives the next record.
func (l *List) Next(o *sim.Offer) error {
	if l.at == len(l.offers) {
		return io.EOF
	}
	*o = l.offers[l.at]
	l.at++
	return nil
}

// Why is where the record that Next gave last comes from.
func (l *List) Why() []byte { return []byte(l.why[l.at-1]) }

// Len is how many records there are.
func (l *List) Len() int { return len(l.offers) }
