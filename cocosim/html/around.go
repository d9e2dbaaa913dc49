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
// crossed the ports around it: what FailureOf draws. records are played in place of what the Spec names; nil plays that.
func Around(ctx context.Context, spec session.Spec, records []sim.Record, failed *report.Report) ([]sim.Record, error) {
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
func Fill(spec session.Spec, records []sim.Record, rep *report.Report, given []sim.Record) error {
	if rep.LeftOut > 0 {
		return nil // the device numbers what it was given, and not all was
	}
	last := uint64(0)
	highest := map[sim.Port]uint64{}
	for i := range given {
		if p := given[i].Port; rep.Ports[p].Input {
			highest[p] = max(highest[p], given[i].Seq+1)
		}
	}
	for _, n := range highest {
		last += n
	}
	inputs := map[sim.Port][]*sim.Record{}
	if records == nil {
		var err error
		if records, err = session.Records(spec, min(last, fillMost)); err != nil {
			return err
		}
	}
	for i := range records {
		inputs[records[i].Port] = append(inputs[records[i].Port], &records[i])
	}
	for i := range given {
		if list, g := inputs[given[i].Port], &given[i]; g.Seq < uint64(len(list)) && rep.Ports[g.Port].Input {
			g.Data, g.User = list[g.Seq].Data, list[g.Seq].User
		}
	}
	return nil
}

// fillMost bounds how many records of the stimulus are made again.
const fillMost = 2_000_000
