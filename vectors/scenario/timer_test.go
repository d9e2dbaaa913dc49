package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// opOf reads a record of s_op as docs/blocks/retx_timer.md lays it out.
func opOf(b []byte) hca.RetxOp {
	return hca.RetxOp{QPN: uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16, Op: hca.RetxOpcode(b[3] & 7),
		Code: b[3] >> 3, Gen: b[4],
		RetryCnt: b[5] & 7, RNRRetry: b[5] >> 3}
}

// timerRun takes the operations of a scenario through the model's block, one a cycle, and tells of each with its
// answer.
type timerRun struct {
	stage sim.Stage
	next  uint64 // cycle in which an operation can be taken
	ops   []hca.RetxOp
	whys  []string
	out   []sim.Record
	tell  func(op hca.RetxOp, why string, a hca.RetxAnswer)
}

func newTimerRun(t *testing.T, numQPs uint64) *timerRun {
	spec, ok := stages.Lookup("retx_timer")
	require.True(t, ok)
	return &timerRun{stage: spec.New(sim.Settings{"NumQps": numQPs}), next: numQPs / timerLanes}
}

func (r *timerRun) take(i uint64, c *Case) {
	cycle := max(r.next, c.NotBefore)
	r.next = cycle + 1
	r.ops, r.whys = append(r.ops, opOf(c.Frame)), append(r.whys, string(c.Why))
	r.advance(cycle, []sim.Record{{Start: cycle, End: cycle, Seq: i, Data: c.Frame}})
}

// advance takes what comes out until a cycle.
func (r *timerRun) advance(cycle uint64, in []sim.Record) {
	r.out = r.stage.Advance(cycle, in, r.out[:0])
	for k := range r.out {
		if r.out[k].Port == 2 {
			continue
		}
		r.tell(r.ops[0], r.whys[0], hca.ParseRetxAnswer(r.out[k].Data))
		r.ops, r.whys = r.ops[1:], r.whys[1:]
	}
}

// TestRetxTimerReaches: every operation in every state, taken or not, every RNR code, every transport code, numbers out
// of range, answers that lie by any number of generations behind, under every NumQps.
func TestRetxTimerReaches(t *testing.T) {
	s, err := Lookup("retx-timer")
	require.NoError(t, err)
	for _, numQPs := range []uint64{64, 1024, 65536} {
		b := bins{}
		run := newTimerRun(t, numQPs)
		qps := map[uint32]hca.RetxAnswer{}
		run.tell = func(op hca.RetxOp, why string, a hca.RetxAnswer) { reachTimer(b, qps, op, why, a) }
		each(t, s, numQPs, s.Count, func(i uint64, c *Case) {
			op := opOf(c.Frame)
			require.Equal(t, op.Append(nil), c.Frame)
			run.take(i, c)
		})
		require.Empty(t, b.missing(retxPromises()), "%d QPs", numQPs)
		require.NotContains(t, b, "a stray was taken")
	}
}

// reachTimer notes what an operation met and did.
func reachTimer(b bins, qps map[uint32]hca.RetxAnswer, op hca.RetxOp, why string, a hca.RetxAnswer) {
	if a.NoQP {
		b.add("no QP, op %d", op.Op)
		if _, there := qps[op.QPN&0xFFFF]; there && op.QPN > 0xFFFF {
			b.add("no QP, op %d, its lower bits are one", op.Op)
		}
		return
	}
	if strings.HasPrefix(why, "no such QP") {
		b.add("a stray was taken")
	}
	before := qps[op.QPN]
	qps[op.QPN] = a
	b.add("op %d in %d changes %v", op.Op, before.State, a.Changed)
	b.add("op %d exhausted %v", op.Op, a.Exhausted)
	if op.Op == hca.RetxTimeout && before.State == hca.RetxTransport || op.Op == hca.RetxResume &&
		before.State == hca.RetxRNR {
		b.add("op %d, %d behind, changes %v", op.Op, min(before.Gen-op.Gen, 3), a.Changed)
	}
	if strings.HasPrefix(why, "an answer of 256 generations ago") || strings.HasPrefix(why,
		"an answer to an expiry that is out") ||
		strings.HasPrefix(why, "the same answer again") {
		b.add("%s: op %d changes %v", why, op.Op, a.Changed)
	}
	switch {
	case a.Changed && a.State == hca.RetxRNR:
		b.add("RNR code %d", op.Code)
	case a.Changed && a.State == hca.RetxTransport:
		b.add("code %d", op.Code)
	}
}

func retxPromises() (p []string) {
	for state := range 3 {
		for _, op := range []int{0, 2, 3} {
			p = append(p, fmt.Sprintf("op %d in %d changes true", op, state))
		}
		for _, op := range []int{4, 5} {
			p = append(p, fmt.Sprintf("op %d in %d changes %v", op, state, state != int(hca.RetxRNR)))
		}
		for _, op := range []int{1, 6, 7} {
			p = append(p, fmt.Sprintf("op %d in %d changes false", op, state))
		}
	}
	p = append(p, "op 1 in 0 changes true", "op 6 in 1 changes true", "op 7 in 2 changes true",
		"op 4 exhausted true", "op 5 exhausted true", "op 6 exhausted true")
	for op := range 8 {
		p = append(p, fmt.Sprintf("no QP, op %d", op), fmt.Sprintf("no QP, op %d, its lower bits are one", op))
	}
	for _, op := range []int{6, 7} {
		for behind := 1; behind <= 3; behind++ {
			p = append(p, fmt.Sprintf("op %d, %d behind, changes false", op, behind))
		}
		p = append(p, fmt.Sprintf("op %d, 0 behind, changes false", op), fmt.Sprintf("op %d, 0 behind, changes true", op),
			fmt.Sprintf("an answer of 256 generations ago: op %d changes false", op),
			fmt.Sprintf("an answer to an expiry that is out: op %d changes true", op),
			fmt.Sprintf("the same answer again: op %d changes true", op),
			fmt.Sprintf("the same answer again: op %d changes false", op))
	}
	for code := range 32 {
		p = append(p, fmt.Sprintf("RNR code %d", code))
	}
	for code := 1; code <= 31; code++ {
		p = append(p, fmt.Sprintf("code %d", code))
	}
	return p
}

// Every episode finds the generations that it takes for granted, under every NumQps.
func TestRetxTimerGenerations(t *testing.T) {
	s, err := Lookup("retx-timer")
	require.NoError(t, err)
	for _, numQPs := range []uint64{64, 1024, 65536} {
		changes := map[uint32]int{}
		taken := 0
		run := newTimerRun(t, numQPs)
		run.tell = func(op hca.RetxOp, _ string, a hca.RetxAnswer) {
			if a.Changed {
				changes[op.QPN]++
			}
			if a.Changed && (op.Op == hca.RetxTimeout || op.Op == hca.RetxResume) {
				taken++
			}
		}
		each(t, s, 5, 20*timerOps, func(i uint64, c *Case) {
			run.take(i, c)
			if (i+1)%timerOps != 0 {
				return
			}
			next := (i + 1) / timerOps
			for q := range timerQPs {
				require.Equal(t, int(timerChanged(next, false)), changes[timerQPN(q, false)], "%d QPs, QP %d after record %d",
					numQPs, q, i)
				if numQPs == 65536 {
					require.Equal(t, int(timerChanged(next, true)), changes[timerQPN(q, true)], "wide QP %d after record %d", q, i)
				}
			}
			require.Equal(t, int(next+2)/timerLapEach*timerLapChanges, changes[timerLapQP])
			require.LessOrEqual(t, run.next, timerBegin+next*timerCycles, "an episode takes too long")
		})
		require.Greater(t, taken, 20*timerQPs/3, "%d QPs", numQPs)
	}
}
