package cocosim

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// split is a stage of one input and two outputs: every record goes to port 1 as it is, and one with an odd first byte
// to port 2 as well, cut to that byte. Only four values occur, so records are alike.
type split struct{ seq [3]uint64 }

func (s *split) Reset() { s.seq = [3]uint64{} }

func (s *split) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	for _, r := range in {
		give := func(port sim.Port, data []byte) {
			out = append(out, sim.Record{Start: r.End + 2, End: r.End + 2, Seq: s.seq[port], Cause: r.Seq, Port: port,
				Data: data})
			s.seq[port]++
		}
		give(1, r.Data)
		if r.Data[0]&1 != 0 {
			give(2, r.Data[:1])
		}
	}
	return out
}

var splitSpec = sim.StageSpec{Name: "split",
	Ports: []sim.PortSpec{{Name: "in", Input: true, Kind: sim.Fields}, {Name: "all", Kind: sim.Fields},
		{Name: "odd", Kind: sim.Fields}},
	New: func(sim.Settings) sim.Stage { return &split{} }}

type fewValues struct{ at int }

func (s *fewValues) Next(r *sim.Offer) error {
	if s.at == 400 {
		return io.EOF
	}
	r.Data = []byte{byte(s.at*s.at/7) & 3, 0xA5}
	s.at++
	return nil
}

func (s *fewValues) Origin(i uint64) string { return fmt.Sprint("value ", i) }

// TestOneFaultAmongRecordsThatAreAlike: a fault on one of two outputs is told for what it is, and spoils nothing that
// follows.
func TestOneFaultAmongRecordsThatAreAlike(t *testing.T) {
	window := &Window{Min: 2, Max: 2}
	policies := []Policy{{BeatBytes: 2, FullRate: true}, {BeatBytes: 2, Window: window}, {BeatBytes: 1, Window: window}}
	for port, total := range map[sim.Port]int{1: 400, 2: 0} {
		for nth := range 60 {
			for _, c := range []struct {
				rule   string
				change func(b *sim.Batch, at int)
			}{
				{"", func(*sim.Batch, int) {}},
				{"DATA", func(b *sim.Batch, at int) { b.Records[at].Data[0] ^= 8 }},
				{"MISSING", func(b *sim.Batch, at int) { b.Records = append(b.Records[:at], b.Records[at+1:]...) }},
				{"EXTRA", func(b *sim.Batch, at int) { b.Records = append(b.Records[:at+1], b.Records[at:]...) }},
			} {
				done := false
				d := &faulty{Device: NewGolden(splitSpec, nil, 2), change: func(b *sim.Batch) {
					seen := 0
					for i, r := range b.Records {
						if r.Port == port && seen == nth && !done {
							done = true
							c.change(b, i)
							return
						}
						if r.Port == port {
							seen++
						}
					}
				}}
				res, err := Run(context.Background(), RunConfig{Device: d, Stimulus: &fewValues{}, Keep: 9,
					Checker: NewStageChecker(splitSpec, nil, policies)})
				require.NoError(t, err)
				if c.rule == "" {
					require.Equal(t, Agreed, res.Exit())
					require.Greater(t, res.Agreed, uint64(total))
					continue
				}
				require.True(t, done)
				require.Equal(t, Mismatch, res.Exit(), "%s %d", c.rule, nth)
				var ofRule int
				for _, v := range res.Violations {
					if string(v.Rule) == c.rule {
						ofRule++
					}
					require.Contains(t, []string{c.rule, "WINDOW"}, string(v.Rule), "port %d record %d", port, nth)
				}
				require.Equal(t, 1, ofRule, "%s, port %d, record %d: %d violations", c.rule, port, nth, len(res.Violations))
			}
		}
	}
}

// alike gives long runs of equal records.
type alike struct{ at int }

func (s *alike) Next(r *sim.Offer) error {
	if s.at == 200 {
		return io.EOF
	}
	r.Data = []byte{byte(s.at/5) & 3, 0xA5}
	s.at++
	return nil
}

func (s *alike) Origin(i uint64) string { return fmt.Sprint("alike ", i) }

// TestOneWrongRecordOfAnEarlyOrLateDevice: a device that promises no time answers earlier or later than the model. One
// wrong record, like its neighbours or not, is one DATA mismatch, and the counts add up.
func TestOneWrongRecordOfAnEarlyOrLateDevice(t *testing.T) {
	policies := []Policy{{BeatBytes: 2}, {BeatBytes: 2}, {BeatBytes: 1}}
	for _, late := range []int{-1, 0, 3} {
		for nth := 3; nth < 190; nth++ {
			seen := 0
			d := &faulty{Device: NewGolden(splitSpec, nil, 2), change: func(b *sim.Batch) {
				for i := range b.Records {
					r := &b.Records[i]
					if r.Port == 0 {
						continue
					}
					r.Start, r.End = uint64(int(r.Start)+late), uint64(int(r.End)+late)
					if r.Port == 1 {
						if seen == nth {
							r.Data[0] ^= 1 // as another record is
						}
						seen++
					}
				}
			}}
			res, err := Run(context.Background(), RunConfig{Device: d, Stimulus: &alike{}, Keep: 9,
				Checker: NewStageChecker(splitSpec, nil, policies)})
			require.NoError(t, err)
			require.Equal(t, []Count{{Rule: "DATA", Port: "all", First: res.Violations[0].Cycle, N: 1}}, res.Counts,
				"%d late, record %d", late, nth)
			require.Equal(t, res.Score.Expected, res.Agreed+res.Mismatched)
		}
	}
}

// TestAnAnswerBeforeItsInput: a record that comes before the input that it follows from is named so, and once: what
// comes behind it agrees.
func TestAnAnswerBeforeItsInput(t *testing.T) {
	c := NewStageChecker(splitSpec, nil, []Policy{{BeatBytes: 2}, {BeatBytes: 2}, {BeatBytes: 1}})
	var rules []string
	give := func(v *Violation) { rules = append(rules, string(v.Rule)) }
	in := func(seq uint64, value byte) {
		c.Input(&sim.Record{Start: 10 * seq, End: 10 * seq, Seq: seq, Data: []byte{value, 0}}, 0, give)
	}
	out := func(cycle uint64, value byte) {
		c.Output(&sim.Record{Start: cycle, End: cycle, Port: 1, Data: []byte{value, 0}}, give)
	}
	in(1, 2)
	out(12, 2)
	out(19, 4)
	in(2, 4)
	in(3, 6)
	out(32, 6)
	c.Finish(100, give)
	require.Equal(t, []string{"EARLY"}, rules)
}
