package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// RSP-13: one ACK may stand for those before it of the same life of a queue pair. That a READ was answered begins no
// new one; what takes the queue pair down does, an operation or a bad request (docs/vectors.md, Choices).
func TestRespAnswersOfALife(t *testing.T) {
	set := RespQuery{Op: RespSet, PSN: 102, PMTU: 1, Enabled: 7, MaxReads: 4}
	for name, c := range map[string]struct {
		between []RespQuery
		another bool
	}{
		"nothing at all":   {nil, false},
		"a READ is freed":  {[]RespQuery{{Op: RespFreed}}, false},
		"nothing to free":  {[]RespQuery{{Op: RespFreed}, {Op: RespFreed}}, false},
		"no such":          {[]RespQuery{{Op: 7}}, false},
		"set out of place": {[]RespQuery{set}, false},
		"of another QP":    {[]RespQuery{{Op: RespReset, QPN: 1}}, false},
		"reset, set":       {[]RespQuery{{Op: RespReset}, set, {Op: RespReady}}, true},
		"a bad request":    {[]RespQuery{good(0x02, 102), {Op: RespReset}, set, {Op: RespReady}}, true},
	} {
		a := newRespAnswers(sim.Settings{"NumQps": 64}, true)
		put := func(q RespQuery) []sim.Record { return a.Advance(0, []sim.Record{{Data: q.Append(nil)}}, nil) }
		first := set
		first.PSN = 100
		put(first)
		put(RespQuery{Op: RespReady})
		require.Len(t, put(with(good(0x0C, 100), func(q *RespQuery) { q.DMALength = 4 })), 1)
		before := put(good(0x04, 101))
		require.Equal(t, sim.OneOf, before[0].Need)
		for _, q := range c.between {
			put(q)
		}
		behind := put(good(0x04, 102))
		require.Len(t, behind, 1, name)
		require.Equal(t, c.another, before[0].Group != behind[0].Group, name)
	}
}
