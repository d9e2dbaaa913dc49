package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestNamesWithSpaces: a design whose folder, include directory and source have a space in their names runs as a
// netlist, and is exported for other tools. Proofs: TestProveWithIncludes.
func TestNamesWithSpaces(t *testing.T) {
	needVerilator(t)
	if _, err := exec.LookPath("yosys"); err != nil {
		t.Skip("skipped: yosys is not installed")
	}
	dir := filepath.Join(t.TempDir(), "my design")
	include := filepath.Join(dir, "in c")
	require.NoError(t, os.MkdirAll(include, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(include, "bits.vh"), []byte("`define TOP 23\n"), 0o666))
	for from, change := range map[string]*strings.Replacer{
		"plain_window.v": strings.NewReplacer("module plain_window", "`include \"bits.vh\"\nmodule plain_window",
			"reg [23:0] far", "reg [`TOP:0] far"),
		"plain_window.yaml": strings.NewReplacer("[plain_window.v]", "[plain window.v]\ninclude: [in c]"),
	} {
		text, err := os.ReadFile("../../cocosim/mutate/testdata/" + from)
		require.NoError(t, err)
		name := filepath.Join(dir, strings.ReplaceAll(from, "_", " "))
		require.NoError(t, os.WriteFile(name, []byte(change.Replace(string(text))), 0o666))
	}
	dut, out := filepath.Join(dir, "plain window.yaml"), filepath.Join(dir, "out")
	exit, text, errs := cosim("run", "--dut", dut, "--flavour", "word", "--count", "200")
	require.Equal(t, cocosim.Agreed, exit, text+errs)
	exit, text, errs = cosim("export", "--dut", dut, "-o", out, "--count", "20")
	require.Equal(t, cocosim.Agreed, exit, text+errs)
	list, err := os.ReadFile(filepath.Join(out, "sources.f"))
	require.NoError(t, err)
	require.Equal(t, "\"+incdir+"+include+"\"\n\""+filepath.Join(dir, "plain window.v")+"\"\n", string(list))
}
