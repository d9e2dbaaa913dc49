package html

import (
	"context"
	"slices"

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
// that.
func Around(ctx context.Context, spec session.Spec, records []sim.Offer, failed *report.Report) ([]sim.Record, error) {
	if len(failed.Result.Violations) == 0 {
		return nil, nil
	}
	first := failed.Result.Violations[0].Cycle
	spec.LimitCycles = first + aroundCycles
	var before, behind []sim.Record
	n := 0 // of before
	_, err := session.Run(ctx, spec, session.Options{Records: records, Tap: func(r *sim.Record) {
		late := r.End > first
		if late && len(behind) == aroundBehind {
			return
		}
		kept := *r
		kept.Data = slices.Clone(r.Data)
		switch {
		case late:
			behind = append(behind, kept)
		case len(before) < aroundBefore:
			before = append(before, kept)
		default:
			before[n%aroundBefore] = kept
		}
		if !late {
			n++
		}
	}})
	if err != nil {
		return nil, err
	}
	if oldest := n % aroundBefore; n > aroundBefore {
		before = slices.Concat(before[oldest:], before[:oldest])
	}
	given := append(before, behind...)
	return given, Fill(spec, records, failed, given)
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
