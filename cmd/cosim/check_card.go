package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim/cover"
	"hcacosim/cocosim/flow"
	"hcacosim/model/wire"
)

// ruleCard gathers the card of rules of all captures of a call; nil where none is wanted.
type ruleCard struct {
	seen             *cover.Captured
	broken, possible map[string]uint64
}

func newRuleCard(c *cli.Context) *ruleCard {
	if !c.Bool("card") {
		return nil
	}
	return &ruleCard{cover.NewCaptured(), map[string]uint64{}, map[string]uint64{}}
}

// begin says which capture the next packets are of.
func (r *ruleCard) begin(capture string) {
	if r != nil {
		r.seen.Begin("capture " + capture)
	}
}

func (r *ruleCard) take(number uint64, p *wire.Packet, icrc wire.ICRCStatus, v *flow.Verdict) {
	if r != nil {
		r.seen.Take(number, p, icrc, v)
	}
}

// add takes what was found in a capture.
func (r *ruleCard) add(t *tally) {
	if r == nil {
		return
	}
	for i := range t.Violation {
		r.broken[string(t.Violation[i].Rule)]++
	}
	for i := range t.Possible {
		r.possible[string(t.Possible[i].Rule)]++
	}
}

// card is nil where none is wanted.
func (r *ruleCard) card() *cover.Card {
	if r == nil {
		return nil
	}
	card := r.seen.Card(r.broken)
	card.Possibly(r.possible)
	return &card
}

// join puts the card beside the captures of the JSON object.
func (r *ruleCard) join(all map[string]any) {
	if card := r.card(); card != nil {
		all["card"] = card
	}
}

func (r *ruleCard) print(w io.Writer) {
	if card := r.card(); card != nil {
		card.Print(w)
	}
}
