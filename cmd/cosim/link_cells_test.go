package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// A list of loops runs cell by cell; what is kept is not run again, and one that does not agree is told.
func TestLinkCells(t *testing.T) {
	needTools(t, "verilator")
	dir := t.TempDir()
	list, page := filepath.Join(dir, "x.yaml"), filepath.Join(dir, "x.md")
	require.NoError(t, os.WriteFile(list, []byte(`window: 64
dup: 0.5
reorder: 0.5
corrupt: 0.5
groups:
- {a: hca_tx, b: model, losses: [1], qps: [2], count: 3000}
- {a: model, b: model, losses: [0, 5], qps: [1, 16], count: 3000}
`), 0o644))
	code, out, errs := cosim("link", "--flavour", "debug", "--cells", list, "--page", page)
	require.Zero(t, code, out+errs)
	require.Equal(t, 5, strings.Count(out, "good true"), out)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, 5, strings.Count(string(text), "agreed"), string(text))
	require.Equal(t, 5, strings.Count(string(text), "clean, clean"), string(text))
	_, err = os.Stat(filepath.Join(dir, "x.svg"))
	require.NoError(t, err)

	code, out, errs = cosim("link", "--cells", list)
	require.Zero(t, code, errs)
	require.Empty(t, out, "all of them are kept")
	kept := filepath.Join(dir, "x.jsonl")
	raw, err := os.ReadFile(kept)
	require.NoError(t, err)
	bad := strings.Replace(string(raw), `"exit":0`, `"exit":1`, 1)
	require.NoError(t, os.WriteFile(kept, []byte(bad), 0o644))
	code, out, _ = cosim("link", "--cells", list)
	require.Equal(t, cocosim.Mismatch, code)
	require.Contains(t, out, "MISMATCH cosim link --a hca_tx")

	// What was stopped, or ran into trouble of its own, is no mismatch.
	require.NoError(t, os.WriteFile(kept, []byte(strings.Replace(string(raw), `"exit":0`, `"exit":6`, 1)), 0o644))
	code, out, _ = cosim("link", "--cells", list)
	require.Equal(t, cocosim.Inconclusive, code)
	require.Contains(t, out, "NO VERDICT (exit code 6) cosim link --a hca_tx")
}

// The page of the closed loop shows what is kept, and nothing that did not agree.
func TestLoopPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "loop.md")
	t.Chdir("../..")
	code, out, errs := cosim("link", "--cells", "docs/loop-cells.yaml", "--limit", "0", "--page", page)
	require.Zero(t, code, out+errs)
	for _, ext := range []string{".md", ".svg"} {
		want, err := os.ReadFile(strings.TrimSuffix(page, ".md") + ext)
		require.NoError(t, err)
		have, err := os.ReadFile("docs/generated/loop" + ext)
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), "out of date: cosim link --cells docs/loop-cells.yaml --limit 0 --page "+
			"docs/generated/loop.md")
	}
}

// What cannot be a list is told.
func TestBadCells(t *testing.T) {
	for text, want := range map[string]string{"": "no cells", "x: 1": `unknown key "x"`, "groups: []": "no cells"} {
		file := filepath.Join(t.TempDir(), "x.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		code, _, errs := cosim("link", "--cells", file)
		require.Equal(t, cocosim.BadInput, code)
		require.Contains(t, errs, want)
	}
}
