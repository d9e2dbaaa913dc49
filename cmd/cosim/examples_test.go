package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
)

const examplesDir = "../../docs/examples"

// example is docs/examples/*/example.yaml.
type example struct {
	Init  []string
	Needs string // a tool
	Edits []struct{ From, To string }
	Bug   struct{ File, From, To, Shows string }
}

// TestExamples takes each foreign design from `cosim init` to AGREED, and to a planted bug. The manifest that lies
// beside the design is what
// init proposes, edited as example.yaml says.
func TestExamples(t *testing.T) {
	needVerilator(t)
	files, err := filepath.Glob(examplesDir + "/*/example.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 5)
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != filepath.Base(filepath.Dir(files[0])) {
				onlyLong(t)
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var e example
			require.NoError(t, yaml.Unmarshal(text, &e))
			if _, err := exec.LookPath(e.Needs); e.Needs != "" && err != nil {
				t.Skipf("skipped: %s is not installed", e.Needs)
			}
			runExample(t, name, &e)
		})
	}
}

func runExample(t *testing.T, name string, e *example) {
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS(examplesDir)))
	dir := filepath.Join(root, name)
	made := filepath.Join(dir, name+".yaml")
	want, err := os.ReadFile(made)
	require.NoError(t, err)
	require.NoError(t, os.Remove(made))
	args := []string{"init", "-o", made}
	for _, a := range e.Init {
		if ext := filepath.Ext(a); ext == ".v" || ext == ".sv" || ext == ".vhd" {
			a = filepath.Join(dir, a)
		}
		args = append(args, a)
	}
	exit, _, errs := cosim(args...)
	require.Equal(t, cocosim.Agreed, exit, errs)
	for _, edit := range e.Edits {
		replaceIn(t, made, edit.From, edit.To)
	}
	got, err := os.ReadFile(made)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "the manifest beside the design is what init proposes, edited")
	exit, out, errs := cosim("lint", made)
	require.Equal(t, cocosim.Agreed, exit, "%s%s", out, errs)
	for _, more := range [][]string{nil, {"--backpressure", "0.4", "--idle", "0.2"}} {
		exit, out, errs = cosim(append([]string{"run", "--dut", made, "--flavour", "quick", "--count", "3000"}, more...)...)
		require.Equal(t, cocosim.Agreed, exit, "%s%s", out, errs)
	}
	replaceIn(t, filepath.Join(dir, e.Bug.File), e.Bug.From, e.Bug.To)
	exit, out, errs = cosim("run", "--dut", made, "--flavour", "quick", "--count", "3000", "--show", "1000")
	require.Equal(t, cocosim.Mismatch, exit, "%s%s", out, errs)
	require.Contains(t, out, e.Bug.Shows)
}

// replaceIn changes a text that stands in a file once.
func replaceIn(t *testing.T, file, from, to string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), from), "%q in\n%s", from, text)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o666))
}
