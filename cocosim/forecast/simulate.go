package forecast

import (
	"cmp"
	"context"
	"slices"

	"hcacosim/cocosim"
	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
)

// simulation plays inputs to a device in steps that are no longer than memory takes: so what memory answers in a step
// is due behind it, and the device gets each answer in the clock in which it is due.
type simulation struct {
	d       cocosim.Device
	in      *Inputs
	memory  *memory // nil: what memory answers is among the inputs
	offers  []sim.Offer
	crossed *Crossed
}

const (
	longStep = 20_000 // clocks, where memory answers nothing
	// silence is longer than any port is held back (docs/bridge.md) and than any answer of memory takes: when nothing came
	// for so long, the rest is one long step.
	silence = 6_000
)

// Simulate plays inputs to a device with the ports of hca_rx and, unless it is nil, the memory of a workload. What
// memory answers is added to the inputs.
func Simulate(ctx context.Context, d cocosim.Device, cfg cocosim.Config, in *Inputs, w *Workload) (*Crossed, error) {
	if err := d.Reset(ctx, cfg); err != nil {
		return nil, err
	}
	s := &simulation{d: d, in: in, crossed: new(Crossed)}
	step := uint64(longStep)
	if w != nil {
		s.memory = newMemory(w)
		step = s.memory.soonest()
	}
	for _, a := range in.All() {
		s.offers = append(s.offers, a.Offer)
	}
	s.sort()
	to := uint64(0)
	if len(in[timed.Frames]) > 0 { // operations ask nothing of memory
		to = in[timed.Frames][0].NotBefore
	}
	heard := to
	for to < heard+silence+longStep {
		if to += step; to >= heard+silence && len(s.offers) == 0 {
			to = heard + silence + longStep
		}
		came, err := s.advance(ctx, to)
		if err != nil {
			return nil, err
		}
		if came || len(s.offers) > 0 {
			heard = to
		}
	}
	if !s.took() {
		return nil, cocosim.Errorf(cocosim.Mismatch, "the device took %d of %d operations and %d of %d frames, then nothing "+
			"for %d clocks", len(s.crossed[timed.Ops]), len(in[timed.Ops]), len(s.crossed[timed.Frames]),
			len(in[timed.Frames]), to-heard)
	}
	return s.crossed, nil
}

func (s *simulation) sort() {
	slices.SortStableFunc(s.offers, func(a, b sim.Offer) int {
		return cmp.Or(cmp.Compare(a.NotBefore, b.NotBefore), cmp.Compare(a.Port, b.Port))
	})
}

// advance runs the device to a clock with what is due before it, and reports whether anything crossed a port.
func (s *simulation) advance(ctx context.Context, to uint64) (came bool, err error) {
	n, _ := slices.BinarySearchFunc(s.offers, to, func(o sim.Offer, to uint64) int { return cmp.Compare(o.NotBefore, to) })
	var out sim.Batch
	if err := s.d.Advance(ctx, to, s.offers[:n], &out); err != nil {
		return false, err
	}
	s.offers = s.offers[n:]
	s.crossed.add(out.Records)
	if s.memory == nil {
		return len(out.Records) > 0, nil
	}
	before := len(s.offers)
	for i := range out.Records {
		if a, answers := s.memory.answer(&out.Records[i]); answers {
			s.in.Add(a)
			s.offers = append(s.offers, a.Offer)
		}
	}
	if len(s.offers) > before {
		s.sort()
	}
	return len(out.Records) > 0, nil
}

// took reports whether all operations and frames were taken.
func (s *simulation) took() bool {
	return len(s.crossed[timed.Ops]) == len(s.in[timed.Ops]) && len(s.crossed[timed.Frames]) == len(s.in[timed.Frames])
}
