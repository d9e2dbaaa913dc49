package mutate

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
)

// TestProve: a register that nothing looks at makes no difference, a comparison that is another does.
func TestProve(t *testing.T) {
	needTools(t, "yosys")
	m, err := manifest.Load("testdata/plain_window.yaml")
	require.NoError(t, err)
	d, err := Read(m)
	require.NoError(t, err)
	unseen, seen := 0, 0
	for _, x := range d.Mutants {
		want := Survived
		switch {
		case strings.Contains(x.Old, "debug_count") && unseen < 2:
			want = Equivalent
			unseen++
		case x.Operator == "condition negated" && seen < 3:
			seen++
		default:
			continue
		}
		p, err := d.Prove(context.Background(), x, ProofOptions{Timeout: time.Minute})
		require.NoError(t, err, x.New)
		require.Equal(t, want, p.Class, "%s:%d %s -> %s: %s", x.File, x.Line, x.Old, x.New, p.How)
	}
	require.Positive(t, unseen)
	require.Positive(t, seen)
}

// TestProveComparesEveryOutput: a mutant that differs at an output alone is not proved, however many registers may
// differ: without `far <= d` the distance is never written.
func TestProveComparesEveryOutput(t *testing.T) {
	needTools(t, "yosys")
	m, err := manifest.Load("testdata/plain_window.yaml")
	require.NoError(t, err)
	d, err := Read(m)
	require.NoError(t, err)
	at := slices.IndexFunc(d.Mutants, func(x Mutant) bool { return x.Old == "far <= d" })
	require.GreaterOrEqual(t, at, 0)
	p, err := d.Prove(context.Background(), d.Mutants[at], ProofOptions{Timeout: time.Minute, Depth: 4})
	require.NoError(t, err)
	require.Equal(t, Survived, p.Class, p.How)
	require.Contains(t, p.How, "a solver tells them apart")
}

// TestProveWithIncludes: what a design includes, and the defines of its manifest, are there in a proof alone and in one
// of many, and Verilator sees them where it refuses mutants. Their names may have spaces, which Yosys reads in quotes
// or not at all.
func TestProveWithIncludes(t *testing.T) {
	needTools(t, "yosys")
	for _, names := range [][2]string{{"plain_window.v", "inc"}, {"plain window.v", "my includes/in c"}} {
		dir := filepath.Join(t.TempDir(), names[1])
		proveWithIncludes(t, dir, names[0], names[1])
		spacedTemporaries(t) // for the second pair, and the directory of temporary files has a space too
	}
}

// spacedTemporaries has temporary files lie in a directory with a space in its name.
func spacedTemporaries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t m p")
	require.NoError(t, os.MkdirAll(dir, 0o777))
	t.Setenv("TMPDIR", dir)
}

func proveWithIncludes(t *testing.T, dir, source, include string) {
	for name, change := range map[string]func(string) string{
		source: func(s string) string {
			return "`include \"bits.vh\"\n" + strings.Replace(s, "reg [7:0]  debug", "reg [`TOP:0] debug", 1)
		},
		"plain_window.yaml": func(s string) string {
			return strings.NewReplacer("[plain_window.v]", "["+source+"]", "clock: clk",
				"include: ["+include+"]\ndefines: {BITS: \"8\"}\nclock: clk").Replace(s)
		},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")))
		require.NoError(t, err)
		require.NoError(t, writeFile(filepath.Join(dir, name), change(string(text))))
	}
	require.NoError(t, writeFile(filepath.Join(dir, include, "bits.vh"), "`define TOP `BITS-1\n"))
	m, err := manifest.Load(filepath.Join(dir, "plain_window.yaml"))
	require.NoError(t, err)
	d, err := Read(m)
	require.NoError(t, err)
	at := slices.IndexFunc(d.Mutants, func(x Mutant) bool { return strings.Contains(x.Old, "debug_count") })
	require.GreaterOrEqual(t, at, 0)
	o := ProofOptions{Params: map[string]int{"BITS": 9}, Timeout: time.Minute}
	p, err := d.Prove(context.Background(), d.Mutants[at], o)
	require.NoError(t, err)
	require.Equal(t, Equivalent, p.Class, p.How)
	_, err = d.sharedNetlist(context.Background(), d.Mutants[at:at+1], o)
	require.NoError(t, err)
	args, err := d.lintArgs(dir, o.Params)
	require.NoError(t, err)
	require.Contains(t, args, "-DBITS=9")
	require.NotContains(t, strings.Join(args, " "), "-GBITS")
}
