package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// TestRateLimiterByHand: the example of docs/blocks/rate_limiter.md, a QP as far ahead as it may be, cuts and steps at
// a period of 50, what is refused, and silences in which stamps of 8 bits would wrap many times.
func TestRateLimiterByHand(t *testing.T) {
	stage := rateLimiterSpec.New(sim.Settings{"NumQps": 16, "StampWidth": 8})
	ask := func(now uint64, q RateQuery, why RateWhy, pace uint16) {
		t.Helper()
		out := stage.Advance(now, []sim.Record{{Start: now, End: now, Data: q.Append(nil)}}, nil)
		require.Equal(t, now+RateLimiterLatencyCycles, out[0].End)
		require.Equal(t, RateResult{q.QPN, q.Op, why, pace}, ParseRateResult(out[0].Data))
	}
	of := func(op RateOp) RateQuery { return RateQuery{Op: op, QPN: 0x11, Bytes: 100, Pace: 999} }
	ask(0, of(RateAsk), RateNoQP, 0)
	ask(1, RateQuery{Op: RateSet, QPN: 0x11, Pace: 64}, RateGood, 64)
	ask(2, of(RateAsk), RateGood, 64)
	ask(2, RateQuery{Op: RateSent, QPN: 0x11, Bytes: 4096}, RateGood, 64)
	ask(65, of(RateAsk), RateNotYet, 64)
	ask(66, of(RateAsk), RateGood, 64)
	ask(70, of(RateSent), RateGood, 64) // 2 clocks
	ask(71, of(RateAsk), RateNotYet, 64)
	ask(72, of(RateAsk), RateGood, 64)
	ask(100, RateQuery{Op: RateSent, QPN: 0x11, Bytes: 8000}, RateGood, 64) // 125 clocks
	ask(100, of(RateSent), RateGood, 64)                                    // 127, the most
	ask(100, of(RateSent), RateFar, 64)
	ask(226, of(RateAsk), RateNotYet, 64)
	ask(227, of(RateAsk), RateGood, 64)
	ask(300, RateQuery{Op: RateLaw, Period: 128}, RateBadLaw, 0)
	ask(300, RateQuery{Op: RateLaw, Forget: 128}, RateBadLaw, 0)
	ask(301, of(RateCNP), RateGood, 64) // the law is all 0
	ask(302, RateQuery{Op: RateLaw, Period: 50, Forget: 127, Cut: 64, Raise: 255}, RateGood, 0)
	ask(302, of(RateRemove+1), RateNoSuch, 0)
	ask(352, of(RateCNP), RateGood, 96)
	ask(401, of(RateCNP), RateSoon, 96)
	ask(402, of(RateCNP), RateGood, 144)
	ask(451, of(RateAsk), RateGood, 144)
	ask(452, of(RateAsk), RateGood, 120) // target 96
	ask(453, of(RateCNP), RateGood, 180)
	ask(453+126, of(RateSent), RateGood, 180) // 2 pieces: 6 clocks
	ask(453+127, of(RateCNP), RateGood, 96)
	ask(453+256*1000, of(RateAsk), RateGood, 64)
	ask(453+256*1000+3, of(RateCNP), RateGood, 96)
	ask(300000, RateQuery{Op: RateAsk, QPN: 0x01}, RateNoQP, 0)
	ask(300001, RateQuery{Op: RateRemove, QPN: 0x01}, RateNoQP, 0)
	ask(300002, of(RateRemove), RateGood, 0)
	ask(300003, of(RateSent), RateNoQP, 0)
}
