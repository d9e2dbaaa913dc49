package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// answersOf are the answers of a block to operations.
func answersOf(in []sim.Record) (got []RetxAnswer) {
	for _, r := range newRetxTimer(smallTimer).Advance(1000, in, nil) {
		if r.Port == retxPortAnswer {
			got = append(got, ParseRetxAnswer(r.Data))
		}
	}
	return got
}

// TestRetxAnswerInTime: QP 16 is armed in cycle 10 and its expiry handed over in 21 (TestRetxScan). An answer counts
// from that cycle on, the second one not.
func TestRetxAnswerInTime(t *testing.T) {
	answer := RetxOp{QPN: 16, Op: RetxTimeout, Code: 1, Gen: 2}
	got := answersOf([]sim.Record{
		opAt(5, 0, RetxOp{QPN: 16, Op: RetxConfigure, RetryCnt: 3}), opAt(10, 1, RetxOp{QPN: 16, Op: RetxStart, Code: 1}),
		opAt(19, 2, answer), opAt(20, 3, answer), opAt(21, 4, answer), opAt(22, 5, answer),
	})
	armed := RetxAnswer{QPN: 16, Gen: 2, State: RetxTransport, Retries: 3}
	again := RetxAnswer{QPN: 16, Gen: 3, State: RetxTransport, Retries: 2}
	first, taken := armed, again
	first.Changed, taken.Changed = true, true
	require.Equal(t, []RetxAnswer{{QPN: 16, Gen: 1, Retries: 3, Changed: true}, first, armed, armed, taken, again}, got)
}

// TestRetxLap: an answer that comes 256 changes late has the generation of the timer of now.
func TestRetxLap(t *testing.T) {
	in := []sim.Record{opAt(5, 0, RetxOp{QPN: 16, Op: RetxConfigure, RetryCnt: 3}),
		opAt(10, 1, RetxOp{QPN: 16, Op: RetxStart, Code: 1})}
	for range 255 {
		in = append(in, opAt(100+uint64(len(in)), uint64(len(in)), RetxOp{QPN: 16, Op: RetxStop}))
	}
	in = append(in, opAt(400, 257, RetxOp{QPN: 16, Op: RetxStart, Code: 1}))
	for i, cycle := range []uint64{401, 500, 501} {
		in = append(in, opAt(cycle, 258+uint64(i), RetxOp{QPN: 16, Op: RetxTimeout, Gen: 2, Code: 9}))
	}
	got := answersOf(in)
	for _, a := range []int{1, 257, 258} {
		require.EqualValues(t, 2, got[a].Gen)
	}
	require.False(t, got[258].Changed, "the timer has not expired")
	require.Equal(t, RetxAnswer{QPN: 16, Gen: 3, State: RetxTransport, Retries: 2, Changed: true}, got[259])
	require.False(t, got[260].Changed, "once")
}

// TestRetxNoQP: a number of NumQps or more does nothing, whatever its lower bits say.
func TestRetxNoQP(t *testing.T) {
	for op := range RetxOpcode(8) {
		for _, bad := range []uint32{32, 16 + 32, 16 + 1<<16, 16 + 1<<23, 1<<24 - 1} {
			got := answersOf([]sim.Record{
				opAt(10, 0, RetxOp{QPN: 16, Op: RetxConfigure, RetryCnt: 3, RNRRetry: 3}),
				opAt(11, 1, RetxOp{QPN: 16, Op: RetxStart, Code: 1}),
				opAt(40, 2, RetxOp{QPN: bad, Op: op, Code: 31, Gen: 2, RetryCnt: 7, RNRRetry: 7}),
				opAt(41, 3, RetxOp{QPN: 16, Op: RetxStart}),
			})
			require.Equal(t, RetxAnswer{QPN: bad, NoQP: true}, got[2])
			require.Equal(t, RetxAnswer{QPN: 16, Gen: 2, State: RetxTransport, Retries: 3, RNRRetries: 3}, got[3])
		}
	}
}

// judged is what a judge says of a block that answers an operation, after an expiry in a cycle if that is not 0.
func judged(op sim.Record, expired uint64, answer RetxAnswer) sim.Checked {
	j := newRetxJudge(smallTimer)
	begin := []sim.Record{opAt(8, 0, RetxOp{QPN: 16, Op: RetxConfigure, RetryCnt: 3, RNRRetry: 3}),
		opAt(10, 1, RetxOp{QPN: 16, Op: RetxStart, Code: 1})}
	armed := RetxAnswer{QPN: 16, Gen: 1, Retries: 3, RNRRetries: 3, Changed: true}
	for i := range begin {
		j.Input(&begin[i])
		r := sim.Record{End: begin[i].End + RetxTimerLatencyCycles, Data: armed.Append(nil), Port: retxPortAnswer}
		armed.Gen, armed.State = 2, RetxTransport
		j.Output(&r)
	}
	give := func() {
		e := RetxExpiry{QPN: 16, Gen: 2, Left: 3}
		r := sim.Record{End: expired, Data: e.Append(nil), Port: retxPortExpiry}
		j.Output(&r)
	}
	if expired != 0 && expired < op.End {
		give()
	}
	j.Input(&op)
	if expired >= op.End {
		give()
	}
	r := sim.Record{End: op.End + RetxTimerLatencyCycles, Data: answer.Append(nil), Port: retxPortAnswer}
	return j.Output(&r)
}

// TestRetxJudgeAnswers: the expiry of the device counts, not that of the model, and the cycle in which it was handed
// over.
func TestRetxJudgeAnswers(t *testing.T) {
	timeout := opAt(30, 2, RetxOp{QPN: 16, Op: RetxTimeout, Code: 1, Gen: 2})
	nothing := RetxAnswer{QPN: 16, Gen: 2, State: RetxTransport, Retries: 3, RNRRetries: 3}
	retry := RetxAnswer{QPN: 16, Gen: 3, State: RetxTransport, Retries: 2, RNRRetries: 3, Changed: true}
	for _, c := range []struct {
		name    string
		expired uint64
		answer  RetxAnswer
		rule    string
	}{
		{"not handed over, taken", 0, retry, "TMR-3"},
		{"not handed over", 0, nothing, ""},
		{"handed over a cycle later, taken", 31, retry, "TMR-3"},
		{"handed over a cycle later", 31, nothing, ""},
		{"in the same cycle", 30, retry, ""},
		{"in the same cycle, not taken", 30, nothing, "TMR-3"},
		{"before", 29, retry, ""},
		{"before, not taken", 29, nothing, "TMR-3"},
	} {
		require.EqualValues(t, c.rule, judged(timeout, c.expired, c.answer).Rule, c.name)
	}
}

// TestRetxJudgeRules: a number out of range, and progress during an RNR wait.
func TestRetxJudgeRules(t *testing.T) {
	bad := opAt(30, 2, RetxOp{QPN: 48, Op: RetxStop, Gen: 2})
	require.Empty(t, judged(bad, 0, RetxAnswer{QPN: 48, NoQP: true}).Rule)
	require.EqualValues(t, "ORDER", judged(bad, 0, RetxAnswer{QPN: 16, NoQP: true}).Rule)
	for _, wrong := range []RetxAnswer{{QPN: 48, Gen: 3, Changed: true, Retries: 3, RNRRetries: 3}, {QPN: 48},
		{QPN: 48, NoQP: true, Gen: 3},
		{QPN: 48, NoQP: true, Changed: true}, {QPN: 48, NoQP: true, Retries: 1}} {
		require.EqualValues(t, "DATA", judged(bad, 0, wrong).Rule)
	}
	good := opAt(30, 2, RetxOp{QPN: 16, Op: RetxStop})
	require.EqualValues(t, "DATA", judged(good, 0, RetxAnswer{QPN: 16, NoQP: true}).Rule)

	j := newRetxJudge(smallTimer)
	for i, op := range []RetxOp{{Op: RetxConfigure, RNRRetry: 2}, {Op: RetxWait, Code: 1}, {Op: RetxProgress, Code: 1}} {
		r := opAt(10+uint64(i), uint64(i), op)
		j.Input(&r)
	}
	answers := []RetxAnswer{{Gen: 1, RNRRetries: 2, Changed: true}, {Gen: 2, State: RetxRNR, RNRRetries: 1, Changed: true},
		{Gen: 2, State: RetxRNR, RNRRetries: 2}} // the wait goes on
	for i, a := range answers {
		r := sim.Record{End: 13 + uint64(i), Port: retxPortAnswer, Data: a.Append(nil)}
		require.EqualValues(t, []string{"", "", "TMR-5"}[i], j.Output(&r).Rule)
	}
}
