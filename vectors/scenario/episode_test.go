package scenario

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

const lifeLength = 10

// lives is a scenario whose records count up from a random number, on two ports in turn.
var lives = Scenario{Name: "lives", Stages: []string{"two_inputs"}, Input: sim.Fields, make: func(g *Generator,
	index uint64, _ *Rand, c *Case) {
	c.episode(g, index, lifeLength, func(r *Rand, e *Episode) {
		first := r.Uint64()
		for i := range uint64(lifeLength) {
			e.Add(sim.Port(i%2), 100*e.Number+i, binary.LittleEndian.AppendUint64(nil, first+i),
				fmt.Sprintf("step %d of life %d", e.Len(), e.Number))
		}
	})
}}

// TestEpisodes: the cases of an episode build on each other, and each can be made by itself.
func TestEpisodes(t *testing.T) {
	g := NewGenerator(&lives, 7)
	var c Case
	var all []uint64
	for i := range uint64(35) {
		g.Make(i, &c)
		step := i % lifeLength
		require.Equal(t, sim.Port(step%2), c.Port)
		require.Equal(t, i/lifeLength*100+step, c.NotBefore)
		require.Equal(t, fmt.Sprintf("step %d of life %d", step, i/lifeLength), string(c.Why))
		all = append(all, binary.LittleEndian.Uint64(c.Frame))
		if step > 0 {
			require.Equal(t, all[i-1]+1, all[i])
		}
	}
	require.Len(t, all, 35)
	require.NotEqual(t, all[0], all[10])
	for _, i := range []uint64{34, 3, 12, 11, 30, 0} {
		g.Make(i, &c)
		require.Equal(t, all[i], binary.LittleEndian.Uint64(c.Frame), "case %d by itself", i)
	}
	NewGenerator(&lives, 8).Make(0, &c)
	require.NotEqual(t, all[0], binary.LittleEndian.Uint64(c.Frame), "another seed, other lives")
	other := lives
	other.Name = "other lives"
	NewGenerator(&other, 7).Make(0, &c)
	require.NotEqual(t, all[0], binary.LittleEndian.Uint64(c.Frame), "another scenario, other lives")
}
