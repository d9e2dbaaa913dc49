package verilated

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcacosim/cocosim/manifest"

	"github.com/stretchr/testify/require"
)

func TestReadCoverage(t *testing.T) {
	line := func(items, count string) string {
		return "C '" + strings.NewReplacer("{", "\x01", "=", "\x02").Replace(items) + "' " + count + "\n"
	}
	text := "# SystemC::Coverage-3\n" +
		line("{f=rtl/a.sv{l=12{n=3{page=v_line/a{o=block{S=12,14-16{h=TOP.a", "7") +
		line("{f=rtl/a.sv{l=12{n=3{page=v_line/a{o=block{S=12,14-16{h=TOP.b", "5") +
		line("{f=rtl/a.sv{l=13{n=5{page=v_branch/a{o=else{h=TOP.a", "0")
	c := Coverages{}
	require.NoError(t, c.read(strings.NewReader(text), "some.dat"))
	require.NoError(t, c.read(strings.NewReader(text), "some.dat"))
	block := CoveragePoint{File: "rtl/a.sv", Line: 12, Column: 3, Kind: "block", Lines: "12,14-16"}
	branch := CoveragePoint{File: "rtl/a.sv", Line: 13, Column: 5, Kind: "else"}
	require.Equal(t, Coverages{block: 24, branch: 0}, c, "instances and runs add up; what was not hit is there")
	require.True(t, branch.Branch())
	require.False(t, block.Branch())
	var lines []int
	block.EachLine(func(line int) { lines = append(lines, line) })
	branch.EachLine(func(line int) { lines = append(lines, -line) })
	require.Equal(t, []int{12, 14, 15, 16}, lines)
	for _, bad := range []string{"x", "C 'no count'", "C '\x01f\x02a.sv' 3", "C '\x01f\x02a.sv\x01l\x023' -1"} {
		require.ErrorContains(t, c.read(strings.NewReader("# h\n"+bad+"\n"), "some.dat"), "some.dat:2: not a coverage count",
			bad)
	}
}

// TestCoverageOfTheLoopback: a line that only a fault reaches is hit with the fault and not without. Of the same build
// what moves has changed, and the pin of the fault has not.
func TestCoverageOfTheLoopback(t *testing.T) {
	needTools(t)
	m, err := manifest.Load(loopbackManifest)
	require.NoError(t, err)
	source, err := os.ReadFile("../testdata/loopback.sv")
	require.NoError(t, err)
	number := 1 + strings.Count(strings.Split(string(source), "if (fault_i == NoLast)")[0], "\n")
	for _, fault := range []uint64{faultNone, faultNoLast} {
		file := filepath.Join(t.TempDir(), "counts.dat")
		d, err := Open(context.Background(), m, Options{Flavour: Toggle, Coverage: file})
		require.NoError(t, err)
		require.NoError(t, d.Reset(context.Background(), withFault(fault)))
		drive(t, d.(*RTL), traffic(3, 20), 40)
		require.NoError(t, d.Close())
		c := Coverages{}
		require.NoError(t, c.ReadCoverage(file))
		counts := map[string]bool{}
		for p, n := range c {
			if p.Line == number && strings.HasSuffix(p.File, "loopback.sv") {
				counts[p.Kind] = n > 0
			}
		}
		require.Equal(t, map[string]bool{"if": fault == faultNoLast, "else": fault == faultNone}, counts)
		toggles := Toggles{}
		require.NoError(t, toggles.ReadCoverage(file))
		require.Greater(t, toggles["m_axis_tdata_o[0]"], uint64(4), toggles)
		still, there := toggles["fault_i[3]"]
		require.True(t, there)
		require.LessOrEqual(t, still, uint64(1))
	}
}
