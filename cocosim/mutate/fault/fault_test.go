package fault

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const one = "area: PSN\nfolder: psn\nfaults:\n- {name: a, kind: k, file: f.go, old: x, new: y, why: w}\n"

func TestLists(t *testing.T) {
	faults, err := BesideBlocks(fstest.MapFS{"b/blk.faults.yaml": {Data: []byte(one)},
		"b/faults.yaml": {Data: []byte("?")}})
	require.NoError(t, err)
	require.Equal(t, []Fault{{Name: "a", Kind: "k", Dut: "blk", File: "psn/f.go", Old: "x", New: "y", Why: "w",
		Area: "PSN"}}, faults)
	for _, c := range []struct{ text, problem string }{
		{"faults: [{name: a, kind: k, file: f}]", "kind and why"},
		{"faults: [{name: a, why: w, file: f}]", "kind and why"},
		{"faults: [{name: a}]", "name and file"},
		{"faults: [{file: f}]", "name and file"},
		{"faults: [{name: a, file: f}, {name: a, file: g}]", "stands twice"},
		{"faults: [{name: a, file: f, nwe: x}]", "nwe"},
	} {
		_, err := BesideBlocks(fstest.MapFS{"blk.faults.yaml": {Data: []byte(c.text)}})
		require.ErrorContains(t, err, c.problem)
		require.ErrorContains(t, err, "blk.faults.yaml")
	}
}

func TestPlant(t *testing.T) {
	f := Fault{Name: "a", File: "f", Old: "x", New: "y"}
	for _, text := range []string{"", "xx"} {
		_, err := f.Plant([]byte(text))
		require.ErrorContains(t, err, "exactly once")
	}
	text, err := f.Plant([]byte("axb"))
	require.NoError(t, err)
	require.Equal(t, "ayb", string(text))
	_, err = (&Fault{Old: "x", New: "x"}).Plant([]byte("x"))
	require.ErrorContains(t, err, "is the old")
}

// The overlay names the file and a copy with the fault in it; the file itself stays.
func TestOverlay(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "f.go"), []byte("x"), 0o644))
	f := Fault{Name: "a", File: "f.go", Old: "x", New: "y"}
	overlay, err := f.Overlay(root, dir)
	require.NoError(t, err)
	raw, err := os.ReadFile(overlay)
	require.NoError(t, err)
	require.JSONEq(t, `{"Replace": {"`+filepath.Join(root, "f.go")+`": "`+filepath.Join(dir, "f.go")+`"}}`, string(raw))
	planted, err := os.ReadFile(filepath.Join(dir, "f.go"))
	require.NoError(t, err)
	require.Equal(t, "y", string(planted))
	text, err := os.ReadFile(filepath.Join(root, "f.go"))
	require.NoError(t, err)
	require.Equal(t, "x", string(text))
	_, err = (&Fault{Name: "a", File: "none.go"}).Overlay(root, dir)
	require.Error(t, err)
}
