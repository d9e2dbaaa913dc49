package cocosim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// tell is split whose second output tells of the first: all that was given there so far is behind it.
type tell struct{ split }

func (s *tell) Advance(to uint64, in, out []sim.Record) []sim.Record {
	out = s.split.Advance(to, in, out)
	for i := range out {
		if out[i].Port == 2 {
			out[i].Behind = s.seq[1]
		}
	}
	return out
}

// TestBehind: a record that agrees is a violation all the same if it leaves in a cycle before one that it tells of was
// handed over at another port, whatever held that port back.
func TestBehind(t *testing.T) {
	spec := splitSpec
	spec.New = func(sim.Settings) sim.Stage { return &tell{} }
	spec.Behind = &sim.Behind{Port: 2, Of: []sim.Port{1}, Rule: "DMA-1"}
	for _, c := range []struct {
		all, odd uint64 // cycles of the two outputs
		early    bool
	}{{20, 21, false}, {20, 20, false}, {20, 19, true}} {
		a := NewStageChecker(spec, nil, make([]Policy, 3))
		var found []*Violation
		give := func(v *Violation) { found = append(found, v) }
		for i, data := range [][]byte{{2, 7}, {3, 7}} { // the first has no second output
			a.Input(&sim.Record{Start: 10 + uint64(i), End: 10 + uint64(i), Seq: uint64(i), Data: data}, 0, give)
		}
		outputs := []*sim.Record{{Start: 15, End: 15, Port: 1, Data: []byte{2, 7}},
			{Start: c.all, End: c.all, Seq: 1, Port: 1, Data: []byte{3, 7}},
			{Start: c.odd, End: c.odd, Port: 2, Data: []byte{3}}}
		if c.odd < c.all {
			outputs[1], outputs[2] = outputs[2], outputs[1]
		}
		for _, r := range outputs {
			a.Output(r, give)
		}
		a.Finish(30, give)
		if !c.early {
			require.Empty(t, found, "%+v", c)
			require.EqualValues(t, 3, a.Score().Agreed)
			continue
		}
		require.Len(t, found, 1, "%+v", c)
		require.Equal(t, sim.Rule("DMA-1"), found[0].Rule)
		require.Equal(t, "it left before 1 of the 2 records that it tells of were handed over at all", found[0].Text)
		require.EqualValues(t, 2, a.Score().Agreed)
	}
}

// TestWaits: where an input waits for what those before it led to, an output that agrees and leaves in a cycle behind
// the next input is a violation.
func TestWaits(t *testing.T) {
	spec := splitSpec
	spec.Waits = &sim.Waits{Port: 0, Of: []sim.Port{2}}
	for _, c := range []struct {
		odd, next uint64 // cycles of the output and of the next input
		clocked   bool
		early     bool
	}{{20, 21, true, false}, {20, 20, true, false}, {20, 19, true, true}, {20, 19, false, false}} {
		a := NewStageChecker(spec, nil, []Policy{{Clocked: c.clocked}, {}, {}})
		var found []*Violation
		give := func(v *Violation) { found = append(found, v) }
		input := func(seq, cycle uint64) {
			a.Input(&sim.Record{Start: cycle, End: cycle, Seq: seq, Data: []byte{byte(3 - seq), 7}}, 0, give)
		}
		odd := &sim.Record{Start: c.odd, End: c.odd, Port: 2, Data: []byte{3}}
		input(0, 10)
		if c.next <= c.odd { // in a cycle inputs come first
			input(1, c.next)
			a.Output(odd, give)
		} else {
			a.Output(odd, give)
			input(1, c.next)
		}
		a.Output(&sim.Record{Start: 30, End: 30, Port: 1, Data: []byte{3, 7}}, give) // is not waited for
		a.Output(&sim.Record{Start: 31, End: 31, Port: 1, Data: []byte{2, 7}}, give)
		a.Finish(40, give)
		if !c.early {
			require.Empty(t, found, "%+v", c)
			continue
		}
		require.Len(t, found, 1, "%+v", c)
		require.Equal(t, sim.Rule("ORDER"), found[0].Rule)
		require.Equal(t, "it had not left when record 1 was taken at in, in cycle 19", found[0].Text)
	}
}
