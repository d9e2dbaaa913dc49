package cocosim

import (
	"fmt"
	"slices"

	"hcacosim/model/sim"
)

// behindJudge holds the records of a port against what was handed over at others: docs/blocks/rx_dma.md,
// Judged across ports. Nil judges nothing.
type behindJudge struct {
	*sim.Behind
	ports  []sim.PortSpec
	handed []uint64 // by port
}

func newBehindJudge(spec *sim.StageSpec) *behindJudge {
	if spec.Behind == nil {
		return nil
	}
	return &behindJudge{spec.Behind, spec.Ports, make([]uint64, len(spec.Ports))}
}

// handOver counts a record that the device gave.
func (j *behindJudge) handOver(r *sim.Record) {
	if j != nil {
		j.handed[r.Port]++
	}
}

// judge says what a record that agreed did not wait for; nil if it waited for all. Records come in the order of their
// ends, so that one in the cycle of the hand-over is not sooner.
func (j *behindJudge) judge(want *sim.Record) *sim.Verdict {
	if j == nil || want.Port != j.Port {
		return nil
	}
	for _, p := range j.Of {
		if n := j.handed[p]; n < want.Behind {
			return &sim.Verdict{Rule: j.Rule, Text: fmt.Sprintf("it left before %d of the %d records that it tells of were "+
				"handed over at %s", want.Behind-n, want.Behind, j.ports[p].Name)}
		}
	}
	return nil
}

// waitJudge holds an input against what those before it led to: docs/blocks/qp_ctl.md, Time and order. Nil judges
// nothing.
type waitJudge struct {
	*sim.Waits
	ports []sim.PortSpec
	seq   uint64 // of the last record that was taken, and its cycle
	cycle uint64
}

func newWaitJudge(spec *sim.StageSpec) *waitJudge {
	if spec.Waits == nil {
		return nil
	}
	return &waitJudge{Waits: spec.Waits, ports: spec.Ports}
}

// take notes an input.
func (j *waitJudge) take(r *sim.Record) {
	if j != nil && r.Port == j.Port {
		j.seq, j.cycle = r.Seq, r.End
	}
}

// judge says, of a record that agreed, that an input did not wait for it; nil if it did. Within a cycle either may have
// been first.
func (j *waitJudge) judge(want *owed, got *sim.Record) *sim.Verdict {
	if j == nil || want.cause.Port != j.Port || want.cause.Seq >= j.seq || got.End <= j.cycle ||
		!slices.Contains(j.Of, want.Port) {
		return nil
	}
	return &sim.Verdict{Rule: "ORDER", Text: fmt.Sprintf("it had not left when record %d was taken at %s, in cycle %d",
		j.seq, j.ports[j.Port].Name, j.cycle)}
}
