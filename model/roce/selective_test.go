package roce_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// TestSelectiveByHand: three of six are lost; what is missing goes once, in order, before anything new (SEL-2, SEL-4).
func TestSelectiveByHand(t *testing.T) {
	q, r := roce.NewSelRequester(0xFFFFFE, 6), roce.NewSelResponder(0xFFFFFE, 6)
	for i := range 6 {
		p, again, ok := q.Next(true)
		require.Equal(t, psn.New(uint32(0xFFFFFE+i)), p)
		require.True(t, ok && !again)
	}
	_, _, ok := q.Next(true)
	require.False(t, ok, "SEL-3: the window is full")
	step := func(p psn.PSN, want roce.SelResponse) bool {
		resp, fresh, answered := r.Step(p)
		require.True(t, fresh && answered)
		require.Equal(t, want, resp)
		return q.Step(resp)
	}
	require.True(t, step(0xFFFFFE, roce.SelResponse{Next: 0xFFFFFF, Got: 0xFFFFFE}))
	require.False(t, step(0, roce.SelResponse{Next: 0xFFFFFF, Got: 0, Nak: true})) // FFFFFFh is missing
	require.False(t, step(3, roce.SelResponse{Next: 0xFFFFFF, Got: 3, Nak: true})) // 1 and 2 too
	for _, want := range []psn.PSN{0xFFFFFF, 1, 2} {
		p, again, ok := q.Next(true)
		require.True(t, again && ok)
		require.Equal(t, want, p)
	}
	p, again, ok := q.Next(true)
	require.True(t, ok && !again, "then a new one")
	require.Equal(t, psn.PSN(4), p)
	require.True(t, step(0xFFFFFF, roce.SelResponse{Next: 1, Got: 0xFFFFFF}))
	resp, fresh, answered := r.Step(0xFFFFFF)
	require.True(t, answered && !fresh, "SEL-1: each once")
	require.Equal(t, roce.SelResponse{Next: 1, Got: 0xFFFFFF}, resp)
	_, _, answered = r.Step(psn.PSN(1 + 6))
	require.False(t, answered, "SEL-1: beyond the window")
	require.False(t, q.Step(roce.SelResponse{Next: 100, Got: 99}), "SEL-5: never sent")
	q.Expire()
	p, again, _ = q.Next(true)
	require.True(t, again, "SEL-6")
	require.Equal(t, psn.PSN(1), p)
}

// TestSelectiveExactlyOnce: over a link that loses, doubles and reorders, every packet is taken once, with every start
// near the turn of the PSNs, and everything sent is acknowledged in the end (SEL-1 to SEL-6).
func TestSelectiveExactlyOnce(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		start := psn.New(uint32(rng.IntN(64)) - 32)
		window := int32(1 + rng.IntN(70))
		q, r := roce.NewSelRequester(start, window), roce.NewSelResponder(start, window)
		const packets = 500
		var there []psn.PSN
		var back []roce.SelResponse
		taken, sent := 0, 0
		for step := 0; taken < packets || q.Outstanding() > 0; step++ {
			require.Less(t, step, 200000, "seed %d: stuck", seed)
			switch {
			case len(there) > 0 && rng.IntN(3) == 0:
				i := rng.IntN(len(there))
				p := there[i]
				if rng.IntN(10) > 0 { // else it comes again
					there = append(there[:i], there[i+1:]...)
				}
				if rng.IntN(10) == 0 {
					continue // lost
				}
				resp, fresh, answered := r.Step(p)
				if fresh {
					taken++
				}
				if answered {
					back = append(back, resp)
				}
			case len(back) > 0 && rng.IntN(2) == 0:
				i := rng.IntN(len(back))
				resp := back[i]
				back = append(back[:i], back[i+1:]...)
				if rng.IntN(10) > 0 {
					q.Step(resp)
				}
			default:
				p, again, ok := q.Next(sent < packets)
				if ok {
					there = append(there, p)
				}
				if ok && !again {
					sent++
				}
				if !ok && len(there) == 0 && len(back) == 0 {
					q.Expire()
				}
			}
			require.LessOrEqual(t, q.Outstanding(), window)
		}
		require.Equal(t, packets, taken)
		require.Equal(t, start.Add(packets), r.Next())
		require.Zero(t, r.Kept())
	}
}

// TestSelectiveNAKsOutOfTurn: an older NAK that the link delays takes nothing back: what lies before the newer one is
// missing all the same (SEL-4).
func TestSelectiveNAKsOutOfTurn(t *testing.T) {
	q := roce.NewSelRequester(0, 32)
	for range 21 {
		q.Next(true)
	}
	q.Step(roce.SelResponse{Next: 5, Got: 10, Nak: true})
	q.Step(roce.SelResponse{Next: 5, Got: 8, Nak: true})
	for _, got := range []psn.PSN{6, 7} {
		q.Step(roce.SelResponse{Next: 5, Got: got, Nak: true})
	}
	for _, want := range []psn.PSN{5, 9} {
		p, again, ok := q.Next(true)
		require.True(t, ok && again)
		require.Equal(t, want, p)
	}
}
