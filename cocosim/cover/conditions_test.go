package cover

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// TestConditions: for how long an output was held back right before a record is counted by port, what a run is
// configured to when it begins; a port without ready waits for nothing.
func TestConditions(t *testing.T) {
	spec, ok := stages.Lookup("retx_timer")
	require.True(t, ok)
	o := New(&spec, sim.Settings{"cycles_per_tick_i": 300, "tick_step_i": 75, "retry7_forever_i": 0})
	hit := func(group, bin string) uint64 {
		for _, g := range o.Groups {
			for i := range g.Bins {
				if g.Name == group && g.Bins[i].Name == bin {
					return g.Bins[i].Hits
				}
			}
		}
		t.Fatal(group + ": no " + bin)
		return 0
	}
	const stalls, expiries = "cycles for which an output was held back before a record", sim.Port(2)
	o.Held(func(port sim.Port, cycle uint64) bool {
		return port == expiries && cycle >= 10 && cycle < 15 || cycle > 1000
	},
		func(port sim.Port) bool { return port == expiries })
	o.Begin("a run")
	for _, cycle := range []uint64{9, 10, 12, 15, 16, 1200} {
		o.Tap(&sim.Record{Port: expiries, Start: cycle, End: cycle, Data: make([]byte, 6)})
	}
	require.EqualValues(t, 3, hit(stalls, "m_exp, 0"), "in 9, 10 and 16")
	require.EqualValues(t, 1, hit(stalls, "m_exp, 2 to 3"))
	require.EqualValues(t, 1, hit(stalls, "m_exp, 4 to 7"))
	require.EqualValues(t, 1, hit(stalls, "m_exp, more"))
	for _, g := range o.Groups {
		for i := range g.Bins {
			if b := &g.Bins[i]; g.Name == stalls && b.Name == "m_op, 1" {
				require.Equal(t, "the port has no ready", b.Ignored)
			}
		}
	}
	require.EqualValues(t, 1, hit("configuration: cycles_per_tick_i", "300"))
	require.EqualValues(t, 0, hit("configuration: cycles_per_tick_i", "another"))
	require.EqualValues(t, 1, hit("configuration: tick_step_i", "75"))
	require.EqualValues(t, 1, hit("configuration: retry7_forever_i", "another"))
	o.Begin("again")
	require.EqualValues(t, 2, hit("configuration: tick_step_i", "75"))
}

// TestConditionsOfAFrame: a frame was held back for the cycles before its first beat, not for those before its last.
func TestConditionsOfAFrame(t *testing.T) {
	spec, ok := stages.Lookup("icrc_insert")
	require.True(t, ok)
	o := New(&spec, nil)
	out := sim.Port(slices.IndexFunc(spec.Ports, func(p sim.PortSpec) bool { return !p.Input }))
	o.Held(func(_ sim.Port, cycle uint64) bool { return cycle >= 15 && cycle < 20 || cycle == 29 },
		func(sim.Port) bool { return true })
	o.Begin("a run")
	o.Tap(&sim.Record{Port: out, Start: 10, End: 20, Data: make([]byte, 64)})
	o.Tap(&sim.Record{Port: out, Start: 30, End: 35, Data: make([]byte, 64)})
	var hits []uint64
	for i := range o.stalls.Bins[:len(stallLengths)] {
		hits = append(hits, o.stalls.Bins[i].Hits)
	}
	require.Equal(t, []uint64{1, 1, 0, 0, 0, 0, 0, 0, 0}, hits)
}

// TestBinsAreOfTheirInput: of two inputs with the same number each has a line of its own, whichever port comes first.
func TestBinsAreOfTheirInput(t *testing.T) {
	spec, ok := stages.Lookup("read_engine")
	require.True(t, ok)
	f := NewFollower(&spec, nil)
	g := f.Groups[0]
	for _, port := range []sim.Port{f.inputs[0], f.inputs[1], f.inputs[1], f.inputs[0]} {
		f.record, f.from = 0, port
		f.hit(g, make([]int, len(g.sizes))...)
	}
	var ports []string
	for _, x := range f.Exercised() {
		ports = append(ports, x.Port)
	}
	require.Equal(t, []string{"s_cmd", "s_mem", "s_cmd"}, ports)
}
