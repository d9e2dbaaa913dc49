package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim/cover"
	"hcacosim/cocosim/falconflow"
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

// falcon takes a Falcon packet.
func (r *ruleCard) falcon(number uint64, p *falconflow.Packet) {
	if r != nil && p.State == falconflow.Read {
		r.seen.TakeFalcon(number, p.Falcon.Type, p.PSPAt != 0)
	}
}

// add takes what was found in a capture.
func (r *ruleCard) add(t *tally) {
	if r == nil {
		return
	}
	count := func(list []flow.Finding, by map[string]uint64) {
		for i := range list {
			if list[i].Flow == "" {
				by[string(list[i].Rule)]++
			}
		}
	}
	count(t.Violation, r.broken)
	count(t.Possible, r.possible)
	if t.Falcon == nil {
		return
	}
	for _, n := range t.Falcon.ByRule { // of all, listed or not
		r.broken[string(n.Rule)] += n.Certain
		r.possible[string(n.Rule)] += n.Possible
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
