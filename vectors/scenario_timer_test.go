package vectors

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
)

// opOf reads a record of s_op as docs/blocks/retx_timer.md lays it out.
func opOf(b []byte) hca.RetxOp {
	return hca.RetxOp{QPN: uint16(b[0]) | uint16(b[1])<<8, Op: hca.RetxOpcode(b[2] & 7), Code: b[2] >> 3, Gen: b[3],
		RetryCnt: b[4] & 7, RNRRetry: b[4] >> 3}
}

// TestRetxTimerReaches: every operation in every state, taken or not, every RNR code, transport codes 0 to 12 again and again and
// 13 to 17 once.
func TestRetxTimerReaches(t *testing.T) {
	s, err := LookupScenario("retx-timer")
	require.NoError(t, err)
	for _, seed := range []uint64{1, 2, 3} {
		b := bins{}
		qps := map[uint16]*hca.RetxQP{}
		each(t, s, seed, s.Count, func(_ uint64, c *Case) {
			op := opOf(c.Frame)
			require.Equal(t, op.Append(nil), c.Frame)
			q := qps[op.QPN]
			if q == nil {
				q = &hca.RetxQP{}
				qps[op.QPN] = q
			}
			state := q.State
			changed, exhausted := q.Do(op)
			b.add("op %d in %d changes %v", op.Op, state, changed)
			b.add("op %d exhausted %v", op.Op, exhausted)
			switch {
			case changed && q.State == hca.RetxRNR:
				b.add("RNR code %d", op.Code)
			case changed && q.State == hca.RetxTransport:
				b.add("code %d", op.Code)
			}
		})
		require.Empty(t, b.missing(retxPromises()), "seed %d", seed)
	}
}

func retxPromises() (p []string) {
	for state := range 3 {
		for _, op := range []int{0, 3} {
			p = append(p, fmt.Sprintf("op %d in %d changes true", op, state))
		}
		for _, op := range []int{2, 4, 5} {
			p = append(p, fmt.Sprintf("op %d in %d changes %v", op, state, state != int(hca.RetxRNR)))
		}
		for _, op := range []int{1, 6, 7} {
			p = append(p, fmt.Sprintf("op %d in %d changes false", op, state))
		}
	}
	p = append(p, "op 1 in 0 changes true", "op 6 in 1 changes true", "op 7 in 2 changes true",
		"op 4 exhausted true", "op 5 exhausted true", "op 6 exhausted true")
	for code := range 32 {
		p = append(p, fmt.Sprintf("RNR code %d", code))
	}
	for code := 1; code <= 17; code++ {
		p = append(p, fmt.Sprintf("code %d", code))
	}
	return p
}

// The operations of an episode end with every QP changed as often as the next episode takes for granted.
func TestRetxTimerGenerations(t *testing.T) {
	s, err := LookupScenario("retx-timer")
	require.NoError(t, err)
	changes := map[uint16]int{}
	qps := map[uint16]*hca.RetxQP{}
	right := 0
	each(t, s, 5, 40*timerOps, func(i uint64, c *Case) {
		op := opOf(c.Frame)
		if qps[op.QPN] == nil {
			qps[op.QPN] = &hca.RetxQP{}
		}
		changed, _ := qps[op.QPN].Do(op)
		if changed {
			changes[op.QPN]++
		}
		if changed && op.Op == hca.RetxTimeout {
			right++
		}
		if (i+1)%timerOps == 0 {
			for q := range timerQPs {
				require.Equal(t, int(i+1)/timerOps*timerChanges, changes[timerQPN(q)], "QP %d after record %d", q, i)
			}
		}
	})
	require.Greater(t, right, 100)
}
