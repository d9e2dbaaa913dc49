package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"vecgen": main})
}

// TestScripts runs testdata/script: vecgen as a user meets it. `code N vecgen ...` expects exit code N with one line on
// stderr and nothing on stdout; `tree A B` compares two directories.
func TestScripts(t *testing.T) {
	known, err := filepath.Abs(filepath.Join("..", "..", "vectors", "known"))
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("KNOWN", known)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": code,
			"tree": tree,
			"cut":  cut,
		},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

func code(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"))
	var out, errw bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errw
	_ = cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, not %d\n%s%s", got, want, &out, &errw)
	}
	if out.Len() != 0 || bytes.Count(errw.Bytes(), []byte("\n")) != 1 {
		ts.Fatalf("not one line on stderr\n%s%s", &out, &errw)
	}
	ts.Check(os.WriteFile(ts.MkAbs("said"), errw.Bytes(), 0o666))
}

func tree(ts *testscript.TestScript, _ bool, args []string) {
	a, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := os.ReadDir(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(a) != len(b) || len(a) == 0 {
		ts.Fatalf("%d files and %d", len(a), len(b))
	}
	for i := range a {
		x := ts.ReadFile(filepath.Join(args[0], a[i].Name()))
		y := ts.ReadFile(filepath.Join(args[1], b[i].Name()))
		if x != y {
			ts.Fatalf("%s differs", a[i].Name())
		}
	}
}

// cut shortens a file to its first N bytes.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// TestInterruptLeavesNothing: a set that is not finished is not there.
func TestInterruptLeavesNothing(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	parent := t.TempDir()
	var out, errw bytes.Buffer
	code := run(ctx, []string{"vecgen", "gen", "--count", "100000", "-o", filepath.Join(parent, "set")}, &out, &errw)
	require.Equal(t, 2, code)
	require.Equal(t, "vecgen: interrupted: nothing was written\n", errw.String())
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Empty(t, left)
}
