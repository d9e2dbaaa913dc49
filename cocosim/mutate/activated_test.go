package mutate

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/verilated"
)

// TestWhatOpenMutantsDid: of three mutants of a netlist one puts a constant in its own place, one changes a pin that
// feeds nothing, and one breaks the answer. Only the second is masked.
func TestWhatOpenMutantsDid(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it builds a simulator")
	}
	needTools(t, "yosys", "verilator")
	m, err := manifest.Load("testdata/plain_window.yaml")
	require.NoError(t, err)
	ctx := context.Background()
	d, err := ReadNetlist(ctx, m, 1, 1)
	require.NoError(t, err)
	d.netlist = withMutants(t, d.netlist, "1'h0", "1'h0", "1'h1", "i_vld")
	d.Mutants = []Mutant{d.Mutants[0], {ID: 2, File: netlistSource}, {ID: 3, File: netlistSource}}
	runs := regress.Short(m)[:1]
	runs[0].Count = 2000
	out, err := Qualify(ctx, d, Options{Mutants: d.Mutants, Runs: runs, Flavour: verilated.Quick})
	require.NoError(t, err)
	s := Summarize(d, runs, out)
	require.Equal(t, Killed, out[0].Class)
	require.Equal(t, Never, out[1].Activity)
	require.Empty(t, out[1].ActiveIn)
	require.Equal(t, Masked, out[2].Activity)
	require.Equal(t, s.Runs[0].Line, out[2].ActiveIn)
	var b strings.Builder
	s.Print(&b)
	require.Contains(t, b.String(), "1 never active in any run, 1 active and masked")
}

// withMutants puts mutants 2 and 3 into a netlist, each of a new text and an old one.
func withMutants(t *testing.T, netlist string, texts ...string) string {
	more := `  wire _902_, _903_, _912_, _913_;
  assign _902_ = hca_mutant_select == 16'h0002;
  assign _903_ = hca_mutant_select == 16'h0003;
  assign _912_ = _902_ ? ` + texts[0] + " : " + texts[1] + `;
  assign _913_ = _903_ ? ` + texts[2] + " : " + texts[3] + ";\n"
	end := strings.LastIndex(netlist, "endmodule")
	require.Positive(t, end)
	return netlist[:end] + more + netlist[end:]
}

// TestWatched: a mutant is looked at outside reset; without a clock none is.
func TestWatched(t *testing.T) {
	text := withMutants(t, "module top (clk);\nendmodule\n", "1'h0", `\a.b [3]`, "_7_", "_8_")
	m := &manifest.Manifest{Clock: "clk", Reset: manifest.ResetPin{Pin: "rst_n", Active: "low"}}
	eye, seen := watched(text, m)
	require.Equal(t, map[int]bool{2: true, 3: true}, seen)
	require.Contains(t, eye, `wire hca_mutant_active = |{_902_ & (_912_ ^ (\a.b [3])), _903_ & (_913_ ^ (_8_))};`)
	require.Contains(t, eye, "always @(posedge clk) if (hca_mutant_active && rst_n) ")
	m.Reset = manifest.ResetPin{Pin: "rst", Active: "high"}
	eye, _ = watched(text, m)
	require.Contains(t, eye, "if (hca_mutant_active && !rst) ")
	eye, seen = watched(text, &manifest.Manifest{})
	require.Equal(t, text, eye)
	require.Empty(t, seen)
}

// TestNeverTakesAllRuns: of a mutant that no eye sees, and of one that was not in all runs, nothing is said.
func TestNeverTakesAllRuns(t *testing.T) {
	q := &batch{d: &Design{watched: map[int]bool{2: true}}, path: filepath.Join(t.TempDir(), "x.yaml")}
	out := []Outcome{{Mutant: Mutant{ID: 1}, Class: Survived, Run: -1, played: true},
		{Mutant: Mutant{ID: 2}, Class: NotRun, Run: -1},
		{Mutant: Mutant{ID: 2}, Class: Survived, Run: -1, played: true}}
	for i := range out {
		q.noteActive(&out[i], 0)
	}
	s := Summarize(&Design{Manifest: &manifest.Manifest{}}, nil, out)
	require.Equal(t, 3, s.Open)
	require.Equal(t, 1, s.Never)
	require.Equal(t, []Activity{"", "", Never}, []Activity{out[0].Activity, out[1].Activity, out[2].Activity})
}
