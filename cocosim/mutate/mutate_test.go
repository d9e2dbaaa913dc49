package mutate

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
)

const small = `// a comment with = and ;
package p_pkg;
  typedef enum logic [1:0] {A, B = 2'd2, C} e_t;
  typedef struct packed {logic [7:0] one; logic [7:0] two; logic flag;} s_t;
  function automatic logic [7:0] unused(input logic [7:0] x);
    unused = x + 8'd1;
  endfunction
  function automatic logic [7:0] used(input logic [7:0] x);
    used = x ^ 8'h80;
  endfunction
endpackage
module top #(parameter int W = 8, localparam int V = W + 1) (
  input logic clk_i, input p_pkg::s_t s_i, output logic [7:0] q_o);
  logic [7:0] d;
  wire off = s_i.flag & ~s_i.one[0];
  if (W > 4) begin : gen_wide
    assign d = off ? p_pkg::used(s_i.one) : s_i.two - 8'd1;
  end
  always_ff @(posedge clk_i) begin
    if (s_i.flag && W == 8) q_o <= d;
    else q_o <= {d[3:0], d[7:4]};
    case (d)
      8'd0, 8'd1: q_o <= '0;
      default: ;
    endcase
  end
endmodule
`

// read finds the mutants of a source whose top is `top`.
func read(t *testing.T, text string) *Design {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "top.sv"), []byte(text), 0o666))
	plain, err := os.ReadFile("testdata/plain_window.yaml")
	require.NoError(t, err)
	mine := strings.NewReplacer("top: plain_window", "top: top", "plain_window.v", "top.sv").Replace(string(plain))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "top.yaml"), []byte(mine), 0o666))
	m, err := manifest.Load(filepath.Join(dir, "top.yaml"))
	require.NoError(t, err)
	d, err := Read(m)
	require.NoError(t, err)
	return d
}

// TestSitesAndMutants: what is found in a small source, and what is not: parameters, generate conditions, functions
// that nobody calls.
func TestSitesAndMutants(t *testing.T) {
	d := read(t, small)
	require.Equal(t, 8, d.Sites, "used, off, d, flag, two q_o, case, q_o of a case")
	var all []string
	for _, m := range d.Mutants {
		all = append(all, m.Operator+": "+m.New)
		require.NotContains(t, m.Old, "unused")
		require.NotContains(t, m.Old, "W > 4")
	}
	for _, want := range []string{
		"operator: x |8'h80", "constant: x ^ 8'h81", "constant: x ^ 8'h7F", "constant: x ^ 8'h0",
		"negation dropped: s_i.flag & s_i.one[0]", "operand dropped: s_i.flag", "other field: s_i.flag & ~s_i.two[0]",
		"choice always the first: 1'b1 ? p_pkg::used(s_i.one) : s_i.two - 8'd1", "condition never: 1'b0",
		"assignment dropped: ;",
		"elements swapped: {d[7:4], d[3:0]}", "constant: '1",
	} {
		require.Contains(t, strings.ReplaceAll(strings.Join(all, "\n"), "  ", " "), want)
	}
}

// TestMutatedSourceKeepsItsLines, and is what it was where no mutant is chosen.
func TestMutatedSourceKeepsItsLines(t *testing.T) {
	d := read(t, small)
	s := &d.files[0]
	by := map[int][]Mutant{}
	for _, m := range d.Mutants {
		by[m.site] = append(by[m.site], m)
	}
	text := s.mutated(func(site int) []Mutant { return by[site] })
	require.Equal(t, strings.Count(s.text, "\n"), strings.Count(text, "\n"))
	require.Equal(t, s.text, s.mutated(func(int) []Mutant { return nil }))
	require.Contains(t, text, "hca_mutant::id >=")
}

// TestOneBuildOfAll: all mutants of the small source compile, and Verilator finds nothing amiss.
func TestOneBuildOfAll(t *testing.T) {
	compiles(t, read(t, small))
}

// compiles has Verilator read a design with all its mutants.
func compiles(t *testing.T, d *Design) {
	t.Helper()
	needTools(t, "verilator")
	dir := t.TempDir()
	_, err := d.Write(dir, d.Mutants)
	require.NoError(t, err)
	out, err := exec.Command("verilator", "--lint-only", "-Wno-lint", "-Wno-fatal", "--top-module", "top",
		filepath.Join(dir, "rtl/00/top.sv")).CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestSampleIsTheSeeds: the same seed draws the same mutants, in their order.
func TestSampleIsTheSeeds(t *testing.T) {
	d := read(t, small)
	a, b := d.Sample(5, 3), d.Sample(5, 3)
	require.Equal(t, a, b)
	require.NotEqual(t, a, d.Sample(5, 4))
	require.Len(t, d.Sample(0, 1), len(d.Mutants))
}

// TestEverySiteHasOne: each site of which there is a mutant is there once, and over many seeds each of its mutants.
func TestEverySiteHasOne(t *testing.T) {
	d := read(t, small)
	there, ever := map[int]bool{}, map[int]bool{}
	for _, m := range d.Mutants {
		there[m.site] = true
	}
	for seed := range uint64(300) {
		some := d.EverySite(seed)
		require.Equal(t, some, d.EverySite(seed))
		require.Len(t, some, len(there))
		sites := map[int]bool{}
		for i, m := range some {
			require.False(t, sites[m.site])
			require.True(t, i == 0 || some[i-1].ID < m.ID)
			sites[m.site], ever[m.ID] = true, true
		}
	}
	require.Len(t, ever, len(d.Mutants))
}

// TestDrawInSomeFiles: a draw may be of some files, and mutants keep their numbers.
func TestDrawInSomeFiles(t *testing.T) {
	d := read(t, small)
	require.Same(t, d, d.In(nil))
	require.Empty(t, d.In([]string{"elsewhere/"}).Mutants)
	some := d.In([]string{"elsewhere/", d.Mutants[0].File}).Sample(3, 1)
	require.Len(t, some, 3)
	for _, m := range some {
		require.Equal(t, d.Mutants[m.ID-1], m)
	}
}

// TestForeignCore: a core of another make, in another style, through the same door. It has a register that nothing
// looks at: a mutant of that survives, what is wrong with a comparison does not.
func TestForeignCore(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it builds a simulator")
	}
	needTools(t, "verilator")
	m, err := manifest.Load("testdata/plain_window.yaml")
	require.NoError(t, err)
	d, err := Read(m)
	require.NoError(t, err)
	runs := regress.Short(m)
	for i := range runs {
		runs[i].Count = 2000
	}
	out, err := Qualify(context.Background(), d, Options{Mutants: d.Sample(48, 1), Runs: runs, Flavour: verilated.Quick})
	require.NoError(t, err)
	s := Summarize(d, runs, out)
	require.Greater(t, s.Classes[Killed], 24)
	for _, x := range out {
		if strings.Contains(x.Old, "debug_count") {
			require.Equal(t, Survived, x.Class, x.New)
		}
	}
	require.Greater(t, s.Score, 0.5)
	var b strings.Builder
	s.Print(&b)
	require.Contains(t, b.String(), "plain_window")
	require.Contains(t, b.String(), "survived")
	require.Contains(t, b.String(), "cosim run --dut "+m.Path()+" --scenario", "a line that runs as it is")
}

// TestEveryKindOfAlways: conditions and assignments of each have mutants, those of latches too.
func TestEveryKindOfAlways(t *testing.T) {
	for _, kind := range []string{"always @*", "always_comb", "always_latch", "always_ff @(posedge clk_i)"} {
		d := read(t, "module top(input logic clk_i, input logic en_i, input logic d_i, output logic q_o);\n  "+kind+
			" if (en_i) q_o = d_i;\nendmodule\n")
		require.Equal(t, 2, d.Sites, kind)
	}
}

// TestWhatARunMakesOfAMutant: by its exit code; and one whose runs were cut short was not played.
func TestWhatARunMakesOfAMutant(t *testing.T) {
	for exit, want := range map[cocosim.Exit]Class{cocosim.Agreed: Survived, cocosim.Mismatch: Killed,
		cocosim.SimFailed: Crashed, cocosim.BridgeFailed: Crashed, cocosim.Inconclusive: TimedOut} {
		require.Equal(t, want, classOf(exit), exit)
	}
	said := 0
	q := &batch{o: &Options{Runs: make([]session.Spec, 2), Progress: func(string, ...any) { said++ }}}
	over, end := context.WithCancel(context.Background())
	end()
	x := Outcome{Class: Survived}
	q.one(over, &x)
	require.False(t, x.played)
	require.Zero(t, said)
}

// needTools skips a test where a tool is missing that it runs; `make test` installs all.
func needTools(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("skipped: " + tool + " is not installed")
		}
	}
}
