package html

import (
	"context"
	"slices"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/model/sim"
)

// Bounds of what is kept of a run for its ladder: cycles behind the first mismatch, and records before and behind it.
const (
	aroundCycles = 4096
	aroundBefore = 2048
	aroundBehind = 512
)

// Around runs a Spec that failed once more, up to a little behind its first mismatch, and gives the records that
// crossed the ports around it: what FailureOf draws. records are played in place of what the Spec names; nil plays
// that. Of a mismatch in a life before the run they are those of that life.
func Around(ctx context.Context, spec session.Spec, records []sim.Offer, failed *report.Report) ([]sim.Record, error) {
	if len(failed.Result.Violations) == 0 {
		return nil, nil
	}
	k := &keeper{first: failed.Result.Violations[0]}
	if spec.Resets == 0 { // else a limit would end lives too
		spec.LimitCycles = k.first.Cycle + aroundCycles
	}
	if err := k.run(ctx, spec, records); err != nil {
		return nil, err
	}
	given := k.given()
	if k.first.Life > 0 {
		return given, nil
	}
	return given, Fill(spec, records, failed, given)
}

// keeper keeps the records around the first mismatch, of its life or of the run.
type keeper struct {
	first          *cocosim.Violation
	before, behind []sim.Record
	n              int // of before
}

// run plays a Spec up to a little behind the mismatch. A run that is stopped there has no verdict, and none is asked
// for.
func (k *keeper) run(ctx context.Context, spec session.Spec, records []sim.Offer) error {
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	life := func(number int, r *sim.Record) {
		switch {
		case number == k.first.Life:
			if k.keep(r); r.End > k.first.Cycle+aroundCycles {
				stop()
			}
		case number == 0 || k.first.Life > 0 && number > k.first.Life:
			stop()
		}
	}
	_, err := session.Run(stopped, spec, session.Options{Records: records, Tap: func(r *sim.Record) { life(0, r) },
		TapLife: life})
	if stopped.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

func (k *keeper) keep(r *sim.Record) {
	late := r.End > k.first.Cycle
	if late && len(k.behind) == aroundBehind {
		return
	}
	kept := *r
	kept.Data = slices.Clone(r.Data)
	switch {
	case late:
		k.behind = append(k.behind, kept)
		return
	case len(k.before) < aroundBefore:
		k.before = append(k.before, kept)
	default:
		k.before[k.n%aroundBefore] = kept
	}
	k.n++
}

func (k *keeper) given() []sim.Record {
	if oldest := k.n % aroundBefore; k.n > aroundBefore {
		k.before = slices.Concat(k.before[oldest:], k.before[:oldest])
	}
	return append(k.before, k.behind...)
}

// Fill gives the inputs among the records of a run the bytes that they had: a device tells only when it took them. The
// run played records, or what the Spec names where they are nil.
func Fill(spec session.Spec, records []sim.Offer, rep *report.Report, given []sim.Record) error {
	if rep.LeftOut > 0 {
		return nil // the device numbers what it was given, and not all was
	}
	var wanted [][]*sim.Record // by port and number on it
	for i := range given {
		g := &given[i]
		if !rep.Ports[g.Port].Input || g.Seq >= fillMost {
			continue
		}
		for len(wanted) <= int(g.Port) {
			wanted = append(wanted, nil)
		}
		if n := int(g.Seq) + 1; n > len(wanted[g.Port]) {
			wanted[g.Port] = append(wanted[g.Port], make([]*sim.Record, n-len(wanted[g.Port]))...)
		}
		wanted[g.Port][g.Seq] = g
	}
	last := 0
	for _, list := range wanted {
		last += len(list)
	}
	seen := make([]int, len(wanted))
	take := func(r *sim.Offer) {
		if int(r.Port) >= len(wanted) {
			return
		}
		if n := seen[r.Port]; n < len(wanted[r.Port]) && wanted[r.Port][n] != nil {
			wanted[r.Port][n].Data, wanted[r.Port][n].User = slices.Clone(r.Data), r.User
		}
		seen[r.Port]++
	}
	if records == nil {
		return session.Each(spec, uint64(last), take)
	}
	for i := range records {
		take(&records[i])
	}
	return nil
}

// fillMost bounds how far into a run inputs are made again.
const fillMost = 4_000_000
