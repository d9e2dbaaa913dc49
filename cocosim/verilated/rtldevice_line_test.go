package verilated

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// With a line behind its output a record begins when the one before it has passed the line, at once then, and content
// and other ports are as without. With every packet there from the start the cycles are those that docs/bridge.md says.
func TestLineBehindAnOutput(t *testing.T) {
	const overhead, cyclesPerByte = 5, 0.3
	in := traffic(7, 400)
	for i := range in {
		in[i].NotBefore = 0
	}
	d := openLoopback(t, Options{}, cocosim.Config{})
	free := drive(t, d, in, 100)
	require.NoError(t, d.Close())
	cfg := cocosim.Config{Lines: []cocosim.Line{{Port: portAxisOut, Overhead: overhead, CyclesPerByte: cyclesPerByte}}}
	d = openLoopback(t, Options{}, cfg)
	got := drive(t, d, in, 100)
	require.NoError(t, d.Close())
	require.Empty(t, d.Violations())
	checkLoopback(t, in, got)
	require.True(t, slices.EqualFunc(onPort(free, portRecordOut), onPort(got, portRecordOut), sameRecord))

	cost := uint64(math.Ceil(cyclesPerByte * (1 << 24)))
	packets, held := onPort(got, portAxisOut), 0
	passed, last := uint64(0), uint64(0)
	for i, p := range packets {
		begins := max((passed+1<<24-1)>>24, last)
		require.GreaterOrEqual(t, p.Start, begins, "packet %d", i)
		if p.Start == begins && begins > last {
			held++
		}
		passed = max(passed, p.Start<<24) + (uint64(len(p.Data))+overhead)*cost
		last = p.End + 1
	}
	require.Greater(t, held, 300, "the line is what most wait for")
	require.Greater(t, packets[399].End, onPort(free, portAxisOut)[399].End)
}

// A line is gone with the reset that did not ask for it, and one that cannot be is refused.
func TestLinesOfAReset(t *testing.T) {
	in := traffic(8, 50)
	line := cocosim.Line{Port: portAxisOut, CyclesPerByte: 2}
	d := openLoopback(t, Options{}, cocosim.Config{Lines: []cocosim.Line{line}})
	require.True(t, d.HoldsLines())
	slow := drive(t, d, in, 100)
	require.NoError(t, d.Reset(context.Background(), cocosim.Config{Keep: true}))
	quick := drive(t, d, in, 100)
	require.Greater(t, slow[len(slow)-1].End, quick[len(quick)-1].End)
	for _, lines := range [][]cocosim.Line{{{Port: portAxisIn, CyclesPerByte: 1}}, {{Port: 99, CyclesPerByte: 1}},
		{line, line}, {{Port: portAxisOut}}, {{Port: portAxisOut, CyclesPerByte: math.NaN()}},
		{{Port: portAxisOut, CyclesPerByte: cocosim.SlowestLine + 1}}} {
		err := d.Reset(context.Background(), cocosim.Config{Lines: lines})
		require.ErrorContains(t, err, "a line", "%v", lines)
	}
	require.NoError(t, d.Close())
}
