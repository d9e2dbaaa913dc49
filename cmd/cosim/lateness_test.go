package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/scenario"
)

var writeLateness = flag.Bool("lateness", false, "measure everything and write docs/lateness.md")

const (
	latenessQPs   = 65536
	latenessBound = latenessQPs / 8 // docs/blocks/retx_timer.md, "Bound"
)

// timedOp is an operation that enters retx_timer not before a cycle.
type timedOp struct {
	start uint64
	op    hca.RetxOp
}

// opsStimulus plays operations.
type opsStimulus struct {
	ops  []timedOp
	next int
	data [hca.RetxOpBytes]byte
}

func (s *opsStimulus) Next(r *sim.Offer) error {
	if s.next == len(s.ops) {
		return io.EOF
	}
	o := &s.ops[s.next]
	s.next++
	*r = sim.Offer{NotBefore: o.start, Data: o.op.Append(s.data[:0])}
	return nil
}

func (s *opsStimulus) Origin(i uint64) string { return fmt.Sprintf("operation %d", i) }

// armedTimer is a timer as the test itself follows it.
type armedTimer struct {
	gen, code uint8
	rnr       bool
	due       uint64
}

// lateness follows a run by its records: when which timer was due, and when it was given.
type lateness struct {
	ops         []timedOp
	tick, step  uint64 // cycles_per_tick_i, tick_step_i
	accepted    [][2]uint64
	timers      map[uint32]armedTimer
	given       []uint64       // cycles of expiries
	late        []uint64       // cycles from due to given, of each
	over        int64          // the largest lateness beyond the expiry's place among those given since it was due
	codes, rnrs map[uint8]bool // that expired
}

// observe sees every record of the run in the order of cycles: an operation, its answer, an expiry.
func (l *lateness) observe(r *sim.Record) {
	switch r.Port {
	case 0:
		l.accepted = append(l.accepted, [2]uint64{r.End, r.Seq})
	case 1:
		l.answer(hca.ParseRetxAnswer(r.Data))
	case 2:
		l.expiry(hca.ParseRetxExpiry(r.Data), r.End)
	}
}

func (l *lateness) answer(a hca.RetxAnswer) {
	cycle, op := l.accepted[0][0], l.ops[l.accepted[0][1]].op
	l.accepted = l.accepted[1:]
	if !a.Changed || a.State == hca.RetxIdle {
		return
	}
	t := armedTimer{gen: a.Gen, code: op.Code, rnr: a.State == hca.RetxRNR}
	ticks := uint64(4) << op.Code
	if t.rnr {
		ticks = ib.RNRTimerTicks(op.Code)
	}
	deadline := cycle/l.tick*l.step + ticks + 1
	t.due = (deadline + l.step - 1) / l.step * l.tick
	l.timers[a.QPN] = t
}

func (l *lateness) expiry(e hca.RetxExpiry, cycle uint64) {
	t := l.timers[e.QPN]
	if t.gen != e.Gen {
		return // the operation that ended it has no answer yet; the judge says whether that is right
	}
	l.given = append(l.given, cycle)
	l.late = append(l.late, cycle-t.due)
	n := len(l.given) - sort.Search(len(l.given), func(i int) bool { return l.given[i] >= t.due })
	l.over = max(l.over, int64(cycle-t.due)-int64(n))
	if t.rnr {
		l.rnrs[t.code] = true
	} else {
		l.codes[t.code] = true
	}
}

// runTimers runs operations through the RTL, judged, and measures.
func runTimers(t *testing.T, ops []timedOp, tick, step uint64) *lateness {
	l := &lateness{ops: ops, tick: tick, step: step, timers: map[uint32]armedTimer{}, codes: map[uint8]bool{},
		rnrs: map[uint8]bool{}}
	m, err := manifest.Load("../../rtl/timer/retx_timer.yaml")
	require.NoError(t, err)
	spec, _ := stages.Lookup("retx_timer")
	// as TestBlocksAgree has built it
	dev, err := verilated.Open(context.Background(), m, verilated.Options{Flavour: verilated.Debug})
	require.NoError(t, err)
	inputs := map[string]uint64{"cycles_per_tick_i": tick, "tick_step_i": step}
	res, err := cocosim.Run(context.Background(), cocosim.RunConfig{
		Device: dev, Stimulus: &opsStimulus{ops: ops}, Tap: l.observe, Config: cocosim.Config{Inputs: inputs}, Keep: 1,
		Checker: cocosim.NewChoiceChecker(spec, sim.Settings(inputs), make([]cocosim.Policy, len(spec.Ports)), true),
	})
	require.NoError(t, err)
	require.Empty(t, res.Violations)
	require.NotEmpty(t, l.late)
	require.LessOrEqual(t, l.over, int64(latenessBound))
	sort.Slice(l.late, func(i, j int) bool { return l.late[i] < l.late[j] })
	return l
}

// together arms k timers so that all are due in one clock. Those that do not fit into one tick have half the time in
// the next.
func together(k int) (ops []timedOp, tick, step uint64) {
	const cycles, ticks = 65535, 1000
	for i := range k {
		// 2048 ticks
		o := timedOp{start: 2 * cycles, op: hca.RetxOp{QPN: uint32(i * 40503 % latenessQPs), Op: hca.RetxProgress, Code: 9}}
		if i >= cycles {
			o.start, o.op.Code = 3*cycles, 8 // 1024 ticks
		}
		ops = append(ops, o)
	}
	return ops, cycles, ticks
}

// underLoad arms all QPs with every code and then operates on them in a share of all clocks. The lower half of the QPs
// keeps what was armed: operations on them change nothing, so that the long times end too. Time is lapsed for those.
func underLoad(percent int, clocks uint64) (ops []timedOp, tick, step uint64) {
	r := scenario.NewRand(7, uint64(percent))
	arm := func(qpn int, start uint64) {
		op := hca.RetxOp{QPN: uint32(qpn), Op: hca.RetxProgress, Code: uint8(r.Between(1, 31))}
		if r.OneIn(2) {
			op.Op, op.Code = hca.RetxWait, uint8(r.Below(32))
		}
		ops = append(ops, timedOp{start, op})
	}
	for q := range latenessQPs {
		ops = append(ops, timedOp{0, hca.RetxOp{QPN: uint32(q), Op: hca.RetxConfigure, RetryCnt: 7, RNRRetry: 7}})
	}
	for q := range latenessQPs {
		arm(q, 0)
	}
	begin := uint64(3 * latenessQPs)
	for c := begin; c < begin+clocks; c++ {
		if r.Below(100) >= percent {
			continue
		}
		q := r.Below(latenessQPs)
		switch {
		case q < latenessQPs/2:
			ops = append(ops, timedOp{c, hca.RetxOp{QPN: uint32(q), Op: hca.RetxStart, Code: 1}})
		case r.OneIn(4):
			ops = append(ops, timedOp{c, hca.RetxOp{QPN: uint32(q), Op: hca.RetxStop}})
		default:
			arm(q, c)
		}
	}
	return ops, 16, 1 << 17
}

// TestLateness holds the bound of retx_timer at its full size: timers due together, and every code while operations
// come.
func TestLateness(t *testing.T) {
	needVerilator(t)
	var doc strings.Builder
	doc.WriteString("# Lateness of retx_timer\n\nMeasured on the RTL with 65,536 QPs, 8 lanes, expiry port never " +
		"stalled, every expiry judged as well; written by\n" +
		"`go test ./cmd/cosim -run TestLateness -lateness`. Lateness is counted in clocks from the first clock in which a " +
		"timer is due to the handshake of its expiry. The\n" +
		"bound for the n-th expiry since then is 8,192 + n (docs/blocks/retx_timer.md).\n\n" +
		"## Timers due in one clock\n\n| k | first | median | last | largest lateness less n | bound " +
		"|\n|---|---|---|---|---|---|\n")
	for _, k := range []int{1, 8, 4096, 65536} {
		ops, tick, step := together(k)
		l := runTimers(t, ops, tick, step)
		require.Len(t, l.late, k)
		fmt.Fprintf(&doc, "| %d | %d | %d | %d | %d | %d |\n", k, l.late[0], l.late[k/2], l.late[k-1], l.over, latenessBound)
	}
	loads, clocks := []int{100}, uint64(100_000)
	if *writeLateness {
		loads, clocks = []int{1, 50, 100}, 1_200_000
	}
	doc.WriteString("\n## 65,536 armed, operations in a share of all clocks\n\nHalf of the QPs are armed anew, stopped, " +
		"or made to wait by random operations; the other half keep their timers and meet\n" +
		"operations that change nothing. Codes are random: transport 1 to 31, RNR 0 to 31. A tick step is 2^17 ticks in 16 " +
		"clocks, so that code 31 takes a million clocks.\n\n" +
		"| load | operations | expiries | transport codes seen | RNR codes seen | median | p99 | largest | largest less n " +
		"| bound |\n|---|---|---|---|---|---|---|---|---|---|\n")
	bins := map[int][]int{}
	for _, percent := range loads {
		ops, tick, step := underLoad(percent, clocks)
		l := runTimers(t, ops, tick, step)
		n := len(l.late)
		fmt.Fprintf(&doc, "| %d %% | %d | %d | %d of 31 | %d of 32 | %d | %d | %d | %d | %d |\n", percent, len(ops), n,
			len(l.codes), len(l.rnrs), l.late[n/2],
			l.late[n*99/100], l.late[n-1], l.over, latenessBound)
		if *writeLateness {
			require.Len(t, l.codes, 31)
			require.Len(t, l.rnrs, 32)
		}
		bins[percent] = histogram(l.late)
	}
	doc.WriteString("\nExpiries by lateness:\n\n| clocks |")
	for _, percent := range loads {
		fmt.Fprintf(&doc, " %d %% |", percent)
	}
	doc.WriteString("\n|---|" + strings.Repeat("---|", len(loads)) + "\n")
	for b := range latenessBins {
		fmt.Fprintf(&doc, "| %s |", binName(b))
		for _, percent := range loads {
			fmt.Fprintf(&doc, " %d |", bins[percent][b])
		}
		doc.WriteString("\n")
	}
	if *writeLateness {
		require.NoError(t, os.WriteFile("../../docs/lateness.md", []byte(doc.String()), 0o644))
	}
	t.Log("\n" + doc.String())
}

// latenessBins are 1,024 clocks wide up to the bound, then twice as wide as the one before.
const latenessBins = 13

func binOf(late uint64) int {
	if late < latenessBound {
		return int(late / 1024)
	}
	b := 8
	for at := uint64(2 * latenessBound); late >= at && b < latenessBins-1; at *= 2 {
		b++
	}
	return b
}

func binName(b int) string {
	if b < 8 {
		return fmt.Sprintf("%d to %d", 1024*b, 1024*b+1023)
	}
	return fmt.Sprintf("%d to %d", latenessBound<<(b-8), latenessBound<<(b-7)-1)
}

func histogram(late []uint64) []int {
	h := make([]int, latenessBins)
	for _, l := range late {
		h[binOf(l)]++
	}
	return h
}
