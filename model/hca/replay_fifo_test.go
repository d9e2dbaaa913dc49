package hca

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func (s *Replays) run(q ReplayQuery) ReplayAnswer { return s.Step(&q) }

// TestReplayOfREADs: a READ of 1000 bytes at PSN FFFFFFh with a path MTU of 256 has PSNs FFFFFFh to 2; what may be
// asked of it again, and what may not (RSP-7).
func TestReplayOfREADs(t *testing.T) {
	s := &Replays{numQPs: 4, slots: 4}
	require.False(t, s.run(ReplayQuery{Op: ReplayKeep, QPN: 1}).Found)
	require.True(t, s.run(ReplayQuery{Op: ReplaySet, QPN: 1, PMTU: 1, Depth: 2}).Found)
	require.False(t, s.run(ReplayQuery{Op: ReplaySet, QPN: 1, PMTU: 6}).Found)
	read := ReplayQuery{QPN: 1, PSN: 0xFFFFFF, Last: 2, VA: 0x8000, RKey: 7, Bytes: 1000}
	require.Equal(t, ReplayAnswer{QPN: 1, Found: true}, s.run(read))
	again := read
	again.Op = ReplayLookUp
	for name, c := range map[string]struct {
		change func(*ReplayQuery)
		found  bool
	}{
		"all of it":      {func(*ReplayQuery) {}, true},
		"a part":         {func(q *ReplayQuery) { q.Bytes = 1 }, true},
		"the rest":       {func(q *ReplayQuery) { q.PSN, q.VA, q.Bytes = 1, 0x8200, 488 }, true},
		"more":           {func(q *ReplayQuery) { q.Bytes++ }, false},
		"one byte more":  {func(q *ReplayQuery) { q.PSN, q.VA, q.Bytes = 1, 0x8200, 489 }, false},
		"from the start": {func(q *ReplayQuery) { q.PSN, q.Bytes = 1, 488 }, false},
		"another key":    {func(q *ReplayQuery) { q.RKey++ }, false},
		"PSN behind":     {func(q *ReplayQuery) { q.PSN, q.VA, q.Bytes = 3, 0x8400, 0 }, false},
		"PSN before":     {func(q *ReplayQuery) { q.PSN-- }, false},
		"another kind":   {func(q *ReplayQuery) { q.Kind = ReplayAtomic }, false},
		"another QP":     {func(q *ReplayQuery) { q.QPN = 5 }, false},
	} {
		q := again
		c.change(&q)
		require.Equal(t, c.found, s.run(q).Found, name)
	}
}

// TestReplayOfAtomics: by PSN and kind alone, with the value that came, until the agreed number of others came (RSP-8).
func TestReplayOfAtomics(t *testing.T) {
	s := &Replays{numQPs: 4, slots: 4}
	s.run(ReplayQuery{Op: ReplaySet, QPN: 3, PMTU: 3, Depth: 2})
	s.run(ReplayQuery{Op: ReplayKeep, QPN: 3, PSN: 10, Last: 10, Kind: ReplayAtomic})
	s.run(ReplayQuery{Op: ReplayKeep, QPN: 3, PSN: 11, Last: 11, Kind: ReplayFlush})
	again := ReplayQuery{Op: ReplayLookUp, QPN: 3, PSN: 10, Kind: ReplayAtomic, VA: 99, RKey: 99}
	require.Equal(t, ReplayAnswer{QPN: 3, Op: ReplayLookUp, Found: true}, s.run(again))
	require.True(t, s.run(ReplayQuery{Op: ReplayResult, QPN: 3, PSN: 10, Kind: ReplayAtomic, Original: 42}).Found)
	require.False(t, s.run(ReplayQuery{Op: ReplayResult, QPN: 3, PSN: 11, Kind: ReplayAtomic, Original: 43}).Found)
	require.Equal(t, ReplayAnswer{QPN: 3, Op: ReplayLookUp, Found: true, Known: true, Original: 42}, s.run(again))
	require.Equal(t, ReplayAnswer{QPN: 3, Found: true}, s.run(ReplayQuery{QPN: 3, PSN: 12, Kind: ReplayAtomicWrite}))
	require.False(t, s.run(again).Found, "the third one took its place")
}
