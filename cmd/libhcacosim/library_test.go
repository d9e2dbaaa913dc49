package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// library builds the library as `make predictor` does.
func library(t *testing.T) (dir string) {
	t.Helper()
	for _, tool := range []string{"gcc", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: %s is not installed", tool)
		}
	}
	dir = t.TempDir()
	run(t, "go", "build", "-buildmode=c-shared", "-o", filepath.Join(dir, "libhcacosim.so"), ".")
	return dir
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// compile builds a C program against the library.
func compile(t *testing.T, dir, source string) (program string) {
	t.Helper()
	program = filepath.Join(dir, "program")
	run(t, "gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", source, "-I.", "-L"+dir, "-lhcacosim",
		"-Wl,-rpath,"+dir, "-o", program)
	return program
}

// TestExampleInC: the device of example/example.c agrees; broken, it is caught where it is wrong and nowhere else.
func TestExampleInC(t *testing.T) {
	dir := library(t)
	program := compile(t, dir, "example/example.c")
	require.Equal(t, "agreed: 1000 records, 0 wrong\n", run(t, program))
	out, err := exec.Command(program, "broken").Output()
	require.Error(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Equal(t, "MISMATCH: 1000 records, 125 wrong", lines[len(lines)-1])
	require.Len(t, lines, 126)
	require.Contains(t, lines[0], "m_rec record 4, of input 4: DATA: byte 3: want 01, got 02; want 00008001, got 00008002")
}

// TestFacesNameTheSameFunctions: what Go exports, the header declares, and the package imports what is for DPI.
func TestFacesNameTheSameFunctions(t *testing.T) {
	names := func(pattern string, files ...string) (found []string) {
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
				found = append(found, m[1])
			}
		}
		slices.Sort(found)
		return found
	}
	exported := names(`(?m)^//export (\w+)$`, "main.go", "dpi.go")
	require.Len(t, exported, 14)
	require.Equal(t, exported, names(`(?m)^\w[\w ]*[ *](hcacosim_\w+)\(`, "hcacosim.h"))
	imported := names(`import "DPI-C" function [\w ]+ (hcacosim_\w+)\(`, "hcacosim_pkg.sv")
	require.Subset(t, exported, imported)
	onlyC := []string{"hcacosim_push", "hcacosim_got", "hcacosim_expect"}
	require.Len(t, imported, len(exported)-len(onlyC))
}

// TestEveryCall: what each function returns and says, used rightly and wrongly.
func TestEveryCall(t *testing.T) {
	dir := library(t)
	require.Equal(t, "every call as the header says\n", run(t, compile(t, dir, "testdata/calls.c")))
}
