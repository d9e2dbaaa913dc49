package rtl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/rtl"
)

func TestNeeded(t *testing.T) {
	sources, err := rtl.Needed(".", "psn_window")
	require.NoError(t, err)
	var paths []string
	for _, s := range sources {
		paths = append(paths, s.Path)
	}
	require.Equal(t, []string{"pkg/psn_pkg.sv", "lib/credit_queue.sv", "psn/psn_window.sv"}, paths)
}

// The list is what go generate makes of the sources, so that a new file is told to no one.
func TestFilelistIsUpToDate(t *testing.T) {
	want, err := rtl.Filelist(".")
	require.NoError(t, err)
	got, err := os.ReadFile("hca.f")
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run go generate ./rtl")
}

// A file stands behind what it uses, whatever its name; comments use nothing; a proof's files are left out.
func TestFilelistOrder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	order := func() []string {
		text, err := rtl.Filelist(dir)
		require.NoError(t, err)
		var names []string
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "//") {
				names = append(names, strings.TrimSpace(line))
			}
		}
		return names
	}
	write("a/top.sv", "// last\nmodule top; part u_part (); endmodule\n")
	write("b/part.sv", "module part; // of top\nlogic [z_pkg::Width-1:0] x; endmodule\n")
	write("c/free.sv", "module free; endmodule\n")
	write("p/a_pkg.sv", "package a_pkg; localparam int A = z_pkg::Width; endpackage\n")
	write("p/z_pkg.sv", "package z_pkg; localparam int Width = 1; endpackage\n")
	write("formal/top_proof.sv", "module top_proof; top dut (); endmodule\n")
	require.Equal(t, []string{"p/z_pkg.sv", "p/a_pkg.sv", "b/part.sv", "a/top.sv", "c/free.sv"}, order())

	write("c/free.sv", "module free; top u_top (); endmodule\n")
	write("b/part.sv", "module part; free u_free (); endmodule\n")
	_, err := rtl.Filelist(dir)
	require.ErrorContains(t, err, "uses a file that uses it")
}
