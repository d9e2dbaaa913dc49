package mutate

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/mutate/equiv"
)

// TestProveShared: of the mutants of psn_window that are open, and every tenth, these do what the design does from
// every state. Runs find the others, but for some of psn_window.open.yaml: docs/generated/qualify.md.
func TestProveShared(t *testing.T) {
	for _, tool := range []string{"yosys", equiv.Solver} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("skipped: " + tool + " is not installed")
		}
	}
	spacedTemporaries(t)
	m, err := manifest.Find("psn_window")
	require.NoError(t, err)
	m, err = m.Resolve(nil)
	require.NoError(t, err)
	d, err := Read(m)
	require.NoError(t, err)
	open, err := d.Reasons()
	require.NoError(t, err)
	var all []Outcome
	for _, x := range d.Mutants {
		if _, ok := open[x.ID]; ok || x.ID%10 == 0 {
			all = append(all, Outcome{Mutant: x, Class: Survived, Run: -1})
		}
	}
	o := &Options{Proof: &ProofOptions{Timeout: time.Minute}, Progress: t.Logf}
	proveShared(context.Background(), d, o, all, true)
	var proved []string
	for _, x := range all {
		if x.Class == Equivalent {
			proved = append(proved, x.File+" "+x.Old+" -> "+x.New+": "+x.How)
		}
	}
	require.Equal(t, []string{"pkg/psn_pkg.sv psn_pkg::distance(psn, base) -> (psn_pkg::distance(psn, base)) & " +
		"~(($bits(from_base))'(1) << ($bits(from_base) / 3)): the same from every state"}, proved)
}

// TestInReset: what an asynchronous reset does, and its condition.
func TestInReset(t *testing.T) {
	text := `module a; always_ff @(posedge c or negedge r) if (!r) begin x <= 0; y <= 1; end else x <= y;
	always_ff @(posedge c) if (!r) z <= 0; endmodule`
	tokens, err := lex(text)
	require.NoError(t, err)
	s := source{text: text, t: tokens, sites: scanSource(tokens)}
	var in []bool
	for i := range s.sites {
		in = append(in, s.inReset(i))
	}
	require.Equal(t, []bool{true, true, true, false, false, false}, in)
}

// TestDeclareChooser: behind the header, whatever is in it.
func TestDeclareChooser(t *testing.T) {
	text, err := declareChooser("module a import p::*; #(parameter int W = f(1)) (input x);endmodule\nmodule b; endmodule")
	require.NoError(t, err)
	require.Equal(t, "module a import p::*; #(parameter int W = f(1)) (input x); wire [31:0] hca_mutant_id;endmodule\n"+
		"module b; wire [31:0] hca_mutant_id; endmodule", text)
}
