package mutate

import (
	"context"
	"os/exec"
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
	for _, tool := range []string{"yosys", "verilator"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("skipped: " + tool + " is not installed")
		}
	}
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
	eye := watched(text, m)
	require.Contains(t, eye, `wire hca_mutant_active = |{_902_ & (_912_ ^ (\a.b [3])), _903_ & (_913_ ^ (_8_))};`)
	require.Contains(t, eye, "always @(posedge clk) if (hca_mutant_active && rst_n) ")
	m.Reset = manifest.ResetPin{Pin: "rst", Active: "high"}
	require.Contains(t, watched(text, m), "if (hca_mutant_active && !rst) ")
	require.Equal(t, text, watched(text, &manifest.Manifest{}))
}
