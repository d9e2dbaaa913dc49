package txn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	. "hcacosim/model/falcon/txn"
)

// oneOfEach takes a push and a pull through both ends.
func oneOfEach(s *side) {
	for _, k := range [2]falcon.Kind{push, pull} {
		s.out = s.out[:0]
		rsn, _ := s.Post(k, 64, &s.out)
		s.Sent(rsn)
		s.t.Receive(k, rsn, 64, &s.out)
		if k == push {
			s.t.Accept(rsn, &s.out)
		} else {
			s.t.Respond(rsn, 64, &s.out)
			s.t.Sent(rsn)
			s.t.Acked(rsn)
			s.PullData(rsn, 64, &s.out)
		}
		s.Acked(rsn, &s.out)
	}
}

// FAL-T2, FAL-T3: nothing is allocated behind the first transactions.
func TestNoAllocation(t *testing.T) {
	s := newSide(Config{Ordered: true, Flow: true})
	require.Zero(t, testing.AllocsPerRun(100, func() { oneOfEach(s) }))
	require.Zero(t, s.pools.Used)
}

// BenchmarkPushAndPull is one of each at both ends.
func BenchmarkPushAndPull(b *testing.B) {
	s := newSide(Config{Ordered: true, Flow: true})
	b.ReportAllocs()
	for b.Loop() {
		oneOfEach(s)
	}
	b.ReportMetric(2*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtransactions/s")
}
