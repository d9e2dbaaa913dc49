package hca

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// smallTimer has 32 QPs in 4 words and a tick a cycle.
var smallTimer = sim.Settings{"NumQps": 32, "cycles_per_tick_i": 1}

// The layouts of docs/blocks/retx_timer.md, worked out by hand.
func TestRetxLayouts(t *testing.T) {
	op := RetxOp{QPN: 0x561234, Op: RetxTimeout, Code: 0x15, Gen: 0xA5, RetryCnt: 5, RNRRetry: 2}
	require.Equal(t, []byte{0x34, 0x12, 0x56, 6 | 0x15<<3, 0xA5, 5 | 2<<3}, op.Append(nil))
	require.Equal(t, op, ParseRetxOp(op.Append(nil)))
	a := RetxAnswer{QPN: 0x561234, Gen: 0xA5, State: RetxRNR, Retries: 6, RNRRetries: 1, Exhausted: true, Changed: true}
	require.Equal(t, []byte{0x34, 0x12, 0x56, 0xA5, 2 | 6<<2 | 1<<5, 3}, a.Append(nil))
	require.Equal(t, a, ParseRetxAnswer(a.Append(nil)))
	none := RetxAnswer{QPN: 0x561234, NoQP: true}
	require.Equal(t, []byte{0x34, 0x12, 0x56, 0, 0, 4}, none.Append(nil))
	require.Equal(t, none, ParseRetxAnswer(none.Append(nil)))
	e := RetxExpiry{QPN: 0x561234, Gen: 0xA5, RNR: true, Left: 6, Exhausted: true}
	require.Equal(t, []byte{0x34, 0x12, 0x56, 0xA5, 1 | 6<<1 | 1<<4}, e.Append(nil))
	require.Equal(t, e, ParseRetxExpiry(e.Append(nil)))
}

// retxStep is an operation on QP 3, and what the rules make of it.
type retxStep struct {
	op                 RetxOp // QPN 1 tells that the expiry of the timer is out
	state              RetxState
	retries, rnr       uint8
	exhausted, changed bool
}

// The rules by hand, an operation after the other.
func TestRetxOperations(t *testing.T) {
	const out = 1 // as QPN: an expiry was handed over
	start := RetxOp{Op: RetxStart, Code: 5}
	progress := RetxOp{Op: RetxProgress, Code: 5}
	nak, wait, stop := RetxOp{Op: RetxNAK, Code: 5}, RetxOp{Op: RetxWait, Code: 2}, RetxOp{Op: RetxStop}
	for name, c := range map[string]struct {
		forever bool
		steps   []retxStep
	}{
		"TMR-1: code 0 is off": {false, []retxStep{
			{RetxOp{Op: RetxStart}, RetxIdle, 0, 0, false, false},
			{RetxOp{Op: RetxProgress}, RetxIdle, 0, 0, false, true},
		}},
		"TMR-2: started once, stopped": {false, []retxStep{
			{start, RetxTransport, 0, 0, false, true},
			{start, RetxTransport, 0, 0, false, false},
			{stop, RetxIdle, 0, 0, false, true},
			{start, RetxTransport, 0, 0, false, true},
		}},
		"TMR-3: retry_cnt 2 is two retries; progress restores it": {false, []retxStep{
			{RetxOp{Op: RetxConfigure, RetryCnt: 2, RNRRetry: 1}, RetxIdle, 2, 1, false, true},
			{nak, RetxTransport, 1, 1, false, true},
			{nak, RetxTransport, 0, 1, false, true},
			{progress, RetxTransport, 2, 1, false, true},
			{nak, RetxTransport, 1, 1, false, true},
			{nak, RetxTransport, 0, 1, false, true},
			{nak, RetxIdle, 0, 1, true, true},
		}},
		"TMR-3: retry_cnt 7 is finite in the specification": {false, []retxStep{
			{RetxOp{Op: RetxConfigure, RetryCnt: 7}, RetxIdle, 7, 0, false, true},
			{nak, RetxTransport, 6, 0, false, true},
		}},
		"TMR-3: and for ever in profile rxe, 6 is not": {true, []retxStep{
			{RetxOp{Op: RetxConfigure, RetryCnt: 7}, RetxIdle, 7, 0, false, true},
			{nak, RetxTransport, 7, 0, false, true},
			{RetxOp{Op: RetxConfigure, RetryCnt: 6}, RetxIdle, 6, 0, false, true},
			{nak, RetxTransport, 5, 0, false, true},
		}},
		"TMR-4: rnr_retry 1 is one wait": {false, []retxStep{
			{RetxOp{Op: RetxConfigure, RetryCnt: 3, RNRRetry: 1}, RetxIdle, 3, 1, false, true},
			{wait, RetxRNR, 3, 0, false, true},
			{RetxOp{Op: RetxResume, Gen: 2, Code: 5, QPN: out}, RetxTransport, 3, 0, false, true},
			{wait, RetxIdle, 3, 0, true, true},
		}},
		"TMR-4: rnr_retry 7 is for ever": {false, []retxStep{
			{RetxOp{Op: RetxConfigure, RNRRetry: 7}, RetxIdle, 0, 7, false, true},
			{wait, RetxRNR, 0, 7, false, true},
		}},
		"TMR-5: no other retry starts in an RNR wait": {false, []retxStep{
			{RetxOp{Op: RetxConfigure, RetryCnt: 3, RNRRetry: 3}, RetxIdle, 3, 3, false, true},
			{nak, RetxTransport, 2, 3, false, true},
			{wait, RetxRNR, 2, 2, false, true},
			{wait, RetxRNR, 2, 2, false, false},
			{nak, RetxRNR, 2, 2, false, false},
			{start, RetxRNR, 2, 2, false, false},
			{RetxOp{Op: RetxTimeout, Gen: 3, Code: 5}, RetxRNR, 2, 2, false, false},
			{RetxOp{Op: RetxResume, Gen: 2, Code: 5, QPN: out}, RetxRNR, 2, 2, false, false},
			{RetxOp{Op: RetxTimeout, Gen: 3, Code: 5}, RetxRNR, 2, 2, false, false},
			{RetxOp{Op: RetxResume, Gen: 3, Code: 5}, RetxTransport, 2, 2, false, true},
		}},
		"TMR-5: progress ends it": {false, []retxStep{
			{RetxOp{Op: RetxConfigure, RetryCnt: 3, RNRRetry: 3}, RetxIdle, 3, 3, false, true},
			{nak, RetxTransport, 2, 3, false, true},
			{wait, RetxRNR, 2, 2, false, true},
			{progress, RetxTransport, 3, 3, false, true},
			{RetxOp{Op: RetxResume, Gen: 3, Code: 5, QPN: out}, RetxTransport, 3, 3, false, false},
			{wait, RetxRNR, 3, 2, false, true},
			{RetxOp{Op: RetxProgress}, RetxIdle, 3, 3, false, true},
		}},
		"TMR-2: an answer before its expiry does nothing, a second one neither": {false, []retxStep{
			{RetxOp{Op: RetxConfigure, RetryCnt: 3, RNRRetry: 3}, RetxIdle, 3, 3, false, true},
			{start, RetxTransport, 3, 3, false, true},
			{RetxOp{Op: RetxTimeout, Gen: 2, Code: 5}, RetxTransport, 3, 3, false, false},
			{RetxOp{Op: RetxTimeout, Gen: 2, Code: 5, QPN: out}, RetxTransport, 2, 3, false, true},
			{RetxOp{Op: RetxTimeout, Gen: 2, Code: 5}, RetxTransport, 2, 3, false, false},
			{wait, RetxRNR, 2, 2, false, true},
			{RetxOp{Op: RetxResume, Gen: 4, Code: 5}, RetxRNR, 2, 2, false, false},
			{RetxOp{Op: RetxResume, Gen: 4, QPN: out}, RetxIdle, 2, 2, false, true},
			{RetxOp{Op: RetxResume, Gen: 4, Code: 5}, RetxIdle, 2, 2, false, false},
		}},
		"an expiry that crossed progress costs nothing": {false, []retxStep{
			{RetxOp{Op: RetxConfigure, RetryCnt: 3}, RetxIdle, 3, 0, false, true},
			{start, RetxTransport, 3, 0, false, true},
			{progress, RetxTransport, 3, 0, false, true},
			{RetxOp{Op: RetxTimeout, Gen: 2, Code: 5, QPN: out}, RetxTransport, 3, 0, false, false},
			{RetxOp{Op: RetxTimeout, Gen: 3, Code: 5, QPN: out}, RetxTransport, 2, 0, false, true},
		}},
	} {
		q := RetxQP{Retry7Forever: c.forever}
		gen := uint8(0)
		for i, s := range c.steps {
			q.Given = q.Given || s.op.QPN == out
			changed, exhausted := q.Do(s.op)
			if s.changed {
				gen++
			}
			require.Equal(t, retxStep{s.op, s.state, s.retries, s.rnr, s.exhausted, s.changed},
				retxStep{s.op, q.State, q.Retries, q.RNRRetries, exhausted, changed}, "%s, step %d", name, i)
			require.Equal(t, gen, q.Gen, "%s, step %d", name, i)
		}
	}
}

// TestRetxLapse: while all QPs have their turns, so many ticks pass: 2^34 are refused, one step less is not.
func TestRetxLapse(t *testing.T) {
	for _, c := range []struct{ numQPs, lanes, clocks, steps uint64 }{
		{64, 8, 10, 8}, // of 72 clocks: 7 steps, and one that may be about to come
		{64, 8, 80, 1},
		{64, 8, 24, 4},
		{65536, 8, 4, 18433}, // of 73,728 clocks
		{4096, 4, 1, 5121},   // of 5,120
	} {
		most := (1<<34 - 1) / c.steps // 2^31 - 1 of 8
		s := sim.Settings{"NumQps": c.numQPs, "Lanes": c.lanes, "cycles_per_tick_i": c.clocks, "tick_step_i": most}
		require.Empty(t, retxTimerSpec.Refuses(s), "%v", c)
		s["tick_step_i"]++
		require.NotEmpty(t, retxTimerSpec.Refuses(s), "%v", c)
	}
}

func opAt(cycle, seq uint64, op RetxOp) sim.Record {
	return sim.Record{Start: cycle, End: cycle, Seq: seq, Data: op.Append(nil)}
}

// When the scan of an unstalled block gives an expiry, worked out from the document: 4 words, word 0 read in clock 4,
// judged in 5, a word a clock.
func TestRetxScan(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []sim.Record
		want []uint64
	}{
		// Accepted in 10, due in 10 + 8 + 1 = 19. Word 0 is judged in 5, 9, 13, 17, 21; the turn is in 22, the offer in 23.
		{"one timer of word 0", []sim.Record{opAt(10, 0, RetxOp{QPN: 7, Op: RetxStart, Code: 1})}, []uint64{23}},
		// Word 2 is judged in 7, 11, 15, 19.
		{"one timer of word 2", []sim.Record{opAt(10, 0, RetxOp{QPN: 16, Op: RetxStart, Code: 1})}, []uint64{21}},
		{"two of a word leave one a clock", []sim.Record{opAt(9, 0, RetxOp{QPN: 16, Op: RetxStart, Code: 1}),
			opAt(10, 1, RetxOp{QPN: 23, Op: RetxStart, Code: 1})}, []uint64{21, 22}},
		// Word 3 comes a clock later than it would alone: judged in 21 and not in 20.
		{"the word behind waits", []sim.Record{opAt(8, 0, RetxOp{QPN: 16, Op: RetxStart, Code: 1}),
			opAt(9, 1, RetxOp{QPN: 23, Op: RetxStart, Code: 1}), opAt(10, 2, RetxOp{QPN: 24, Op: RetxStart, Code: 1})},
			[]uint64{21, 22, 23}},
		// Due in 10 + 2^33 + 1, when word 2 is judged; offered 2 later. Clocks in which nothing happens cost nothing.
		{"code 31", []sim.Record{opAt(10, 0, RetxOp{QPN: 16, Op: RetxStart, Code: 31})}, []uint64{1<<33 + 13}},
		{"stopped in the clock of its turn", []sim.Record{opAt(10, 0, RetxOp{QPN: 16, Op: RetxStart, Code: 1}),
			opAt(20, 1, RetxOp{QPN: 16, Op: RetxStop})}, nil},
		{"stopped in the clock of its handshake", []sim.Record{opAt(10, 0, RetxOp{QPN: 16, Op: RetxStart, Code: 1}),
			opAt(21, 1, RetxOp{QPN: 16, Op: RetxStop})}, []uint64{21}},
	} {
		s := newRetxTimer(smallTimer)
		var got []uint64
		for _, r := range s.Advance(1<<34, c.in, nil) {
			if r.Port == retxPortExpiry {
				got = append(got, r.End)
			}
		}
		require.Equal(t, c.want, got, c.name)
	}
}

// TestRetxRNRFirst: of one word RNR goes before transport, whichever QPN is lower.
func TestRetxRNRFirst(t *testing.T) {
	s := newRetxTimer(smallTimer)
	var got []RetxExpiry
	for _, r := range s.Advance(100, []sim.Record{
		opAt(4, 0, RetxOp{QPN: 23, Op: RetxConfigure, RetryCnt: 2, RNRRetry: 4}),
		opAt(8, 1, RetxOp{QPN: 23, Op: RetxWait, Code: 1}),
		opAt(9, 2, RetxOp{QPN: 16, Op: RetxStart, Code: 1}),
	}, nil) {
		if r.Port == retxPortExpiry {
			got = append(got, ParseRetxExpiry(r.Data))
		}
	}
	require.Equal(t, []RetxExpiry{{QPN: 23, Gen: 2, RNR: true, Left: 3}, {QPN: 16, Gen: 1, Exhausted: true}}, got)
}

// TestRetxJudge: what a block must not do, and which rule says so. QP 16 is armed in cycle 10 with 8 ticks: due in 19.
func TestRetxJudge(t *testing.T) {
	good := RetxExpiry{QPN: 16, Gen: 1, Exhausted: true}
	arm := opAt(10, 0, RetxOp{QPN: 16, Op: RetxStart, Code: 1})
	answer := RetxAnswer{QPN: 16, Gen: 1, State: RetxTransport, Changed: true}
	for _, c := range []struct {
		name  string
		ops   []sim.Record
		out   []RetxExpiry
		cycle []uint64
		rules []string // of each expiry
	}{
		{"as soon as it is due", []sim.Record{arm}, []RetxExpiry{good}, []uint64{19}, []string{""}},
		{"a cycle early", []sim.Record{arm}, []RetxExpiry{good}, []uint64{18}, []string{"EARLY"}},
		{"twice", []sim.Record{arm}, []RetxExpiry{good, good}, []uint64{21, 25}, []string{"", "TWICE"}},
		{"never armed", nil, []RetxExpiry{{QPN: 3}}, []uint64{25}, []string{"STALE"}},
		{"of no QP", nil, []RetxExpiry{{QPN: 32}}, []uint64{25}, []string{"DATA"}},
		{"a wrong kind", []sim.Record{arm}, []RetxExpiry{{QPN: 16, Gen: 1, RNR: true}}, []uint64{21}, []string{"DATA"}},
		{"retries that are not left", []sim.Record{arm}, []RetxExpiry{{QPN: 16, Gen: 1, Left: 1}}, []uint64{21},
			[]string{"DATA"}},
		{"stopped in an earlier cycle", []sim.Record{arm, opAt(20, 1, RetxOp{QPN: 16, Op: RetxStop})}, []RetxExpiry{good},
			[]uint64{21}, []string{"STALE"}},
		{"stopped in the same cycle", []sim.Record{arm, opAt(21, 1, RetxOp{QPN: 16, Op: RetxStop})}, []RetxExpiry{good},
			[]uint64{21}, []string{""}},
		{"an earlier generation", []sim.Record{arm, opAt(12, 1, RetxOp{QPN: 16, Op: RetxProgress, Code: 1})},
			[]RetxExpiry{good}, []uint64{21}, []string{"STALE"}},
		{"during an RNR wait", []sim.Record{opAt(8, 0, RetxOp{QPN: 16, Op: RetxConfigure, RNRRetry: 1}),
			opAt(10, 0, RetxOp{QPN: 16, Op: RetxWait, Code: 1})},
			[]RetxExpiry{{QPN: 16, Gen: 2}}, []uint64{30}, []string{"TMR-5"}},
	} {
		j := newRetxJudge(smallTimer)
		ops := c.ops
		for i, e := range c.out {
			for len(ops) > 0 && ops[0].End <= c.cycle[i] {
				j.Input(&ops[0])
				ops = ops[1:]
			}
			r := sim.Record{Start: c.cycle[i], End: c.cycle[i], Port: retxPortExpiry, Data: e.Append(nil)}
			require.EqualValues(t, c.rules[i], j.Output(&r).Rule, c.name)
		}
	}

	// Too late by a cycle: 4 words, the first to leave: 19 + 4 + 1.
	for _, cycle := range []uint64{24, 25} {
		j := newRetxJudge(smallTimer)
		j.Input(&arm)
		r := sim.Record{Start: 13, End: 13, Port: retxPortAnswer, Data: answer.Append(nil)}
		require.Empty(t, j.Output(&r).Rule)
		require.EqualValues(t, 25, j.Latest(), "the bound, and a cycle to spare for each")
		var late []string
		j.Overdue(cycle, func(v sim.Checked) { late = append(late, string(v.Rule)) })
		require.Equal(t, cycle == 25, len(late) == 1, "%v", late)
		j.Overdue(never, func(v sim.Checked) { late = append(late, string(v.Rule)) })
		require.Len(t, late, 1, "named once")
	}

	// An answer that is wrong, late, missing.
	j := newRetxJudge(smallTimer)
	j.Input(&arm)
	wrong := answer
	wrong.Retries = 1
	r := sim.Record{End: 13, Port: retxPortAnswer, Data: wrong.Append(nil)}
	require.EqualValues(t, "TMR-3", j.Output(&r).Rule)
	require.EqualValues(t, "EXTRA", j.Output(&r).Rule)
	j = newRetxJudge(smallTimer)
	j.Input(&arm)
	r = sim.Record{End: 14, Port: retxPortAnswer, Data: answer.Append(nil)}
	require.EqualValues(t, "WINDOW", j.Output(&r).Rule)
	j = newRetxJudge(smallTimer)
	j.Input(&arm)
	var missing []string
	j.Overdue(14, func(v sim.Checked) { missing = append(missing, string(v.Rule)) })
	require.Equal(t, []string{"MISSING"}, missing)
}

// TestRetxBoundCountsWhatLeavesMeanwhile: the bound of a timer that is due in cycle 19 is 19 + 4 + 1. A timer of
// another QP that leaves or is ended by an operation from then on moves it by a clock, one that did well before does
// not.
func TestRetxBoundCountsWhatLeavesMeanwhile(t *testing.T) {
	const due, bound = 19, 24
	other := RetxExpiry{QPN: 8, Gen: 1, Exhausted: true} // armed in cycle 4, due in 13
	for _, ended := range []bool{false, true} {
		for cycle := uint64(13); cycle <= bound; cycle++ {
			if cycle > due-5 && cycle < due { // a turn may be some clocks ahead of what ends it
				continue
			}
			last := uint64(bound)
			if cycle >= due {
				last++
			}
			j := newRetxJudge(smallTimer)
			for i, qpn := range []uint32{8, 16} {
				op := opAt(uint64(4+6*i), uint64(i), RetxOp{QPN: qpn, Op: RetxStart, Code: 1})
				j.Input(&op)
			}
			if ended {
				op := opAt(cycle, 2, RetxOp{QPN: 8, Op: RetxStop})
				j.Input(&op)
			} else {
				v := j.Output(&sim.Record{Start: cycle, End: cycle, Port: retxPortExpiry, Data: other.Append(nil)})
				require.Empty(t, v.Rule)
			}
			for _, now := range []uint64{last, last + 1} {
				late := false
				j.Overdue(now, func(v sim.Checked) { late = late || v.Rule == "BOUND" })
				require.Equal(t, now > last, late, "in cycle %d, by an operation %v: cycle %d", cycle, ended, now)
			}
		}
	}
}

// TestRetxBoundOfTimersThatEndBefore: a timer that an operation ends five clocks before it is due had no turn, so it
// moves no bound, also where the scan takes eight clocks for all timers: that of one due in cycle 19 is 19 + 8 + 1.
func TestRetxBoundOfTimersThatEndBefore(t *testing.T) {
	settings := maps.Clone(smallTimer)
	settings["NumQps"] = 64
	j := newRetxJudge(settings)
	require.EqualValues(t, 8, j.ops.numWords)
	for i, op := range []struct {
		cycle uint64
		op    RetxOp
	}{
		{10, RetxOp{QPN: 16, Op: RetxStart, Code: 1}},
		{16, RetxOp{QPN: 8, Op: RetxStart, Code: 1}}, // due in 25
		{20, RetxOp{QPN: 8, Op: RetxStop}},
	} {
		r := opAt(op.cycle, uint64(i), op.op)
		j.Input(&r)
	}
	for _, now := range []uint64{28, 29} {
		late := false
		j.Overdue(now, func(v sim.Checked) { late = late || v.Rule == "BOUND" })
		require.Equal(t, now > 28, late, "cycle %d", now)
	}
}
