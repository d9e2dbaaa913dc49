package guide

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// fakePoints stands for RTL with a point for each value of a record's byte: 256 of byte 0, 256 of byte 3.
func fakePoints(plays *int) Probe {
	return func(records []sim.Offer) (Set, error) {
		*plays++
		s := NewSet(512)
		for _, r := range records {
			s.Add(int(r.Data[0]))
			s.Add(256 + int(r.Data[3]))
		}
		return s, nil
	}
}

// TestSearchPoints: points of the RTL steer the search beyond the bins, and what is kept reaches them from one reset.
func TestSearchPoints(t *testing.T) {
	found := Search(target(t, "psn_window", nil), Options{Seed: 1, Patience: 2000})
	plays := 0
	r, err := SearchPoints(found, fakePoints(&plays), PointOptions{Seed: 1, Tries: 150})
	require.NoError(t, err)
	require.Equal(t, r.Tries, plays)
	require.Greater(t, r.Points.Len(), r.Before.Len())
	require.True(t, r.Points.holds(r.Before))
	require.Positive(t, r.Added)
	require.Len(t, r.Segments, len(found.Segments)+r.Added)
	require.True(t, r.Met.holds(found.Met), "bins stay met")

	twice, err := SearchPoints(found, fakePoints(&plays), PointOptions{Seed: 1, Tries: 150})
	require.NoError(t, err)
	require.Equal(t, r.Source().offers, twice.Source().offers, "same seed, same records")

	_, err = SearchPoints(found, func([]sim.Offer) (Set, error) { return nil, errors.New("no simulator") },
		PointOptions{Seed: 1, Tries: 1})
	require.EqualError(t, err, "no simulator")
}

// TestCutSegmentsClaimNothing: what a segment reached before it was cut down it is not ranked by, so that what the
// search has reached is reached by what it kept.
func TestCutSegmentsClaimNothing(t *testing.T) {
	tt := target(t, "psn_window", nil)
	plays := 0
	s := &pointSearch{target: tt, probe: fakePoints(&plays), draws: newDrawer(tt, 1), model: newPlayer(tt)}
	for range 40 {
		_, err := s.try(nil)
		require.NoError(t, err)
	}
	for i, g := range s.kept {
		reached, err := s.play(g)
		require.NoError(t, err)
		require.Equal(t, reached, s.sets[i], "segment %d", i)
	}
	all, err := s.play(s.rank(newSet(512))...)
	require.NoError(t, err)
	require.True(t, all.holds(s.have), "%d points of %d", all.Len(), s.have.Len())
}
