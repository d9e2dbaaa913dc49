package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A guided set is intact, is the same twice, and meets what its search says that it meets.
func TestGuide(t *testing.T) {
	dirs := [2]string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	for _, dir := range dirs {
		code, out, errs := vecgen(t, "guide", "--dut", "psn_window", "--patience", "20000", "-o", dir)
		require.Zero(t, code, errs)
		require.Regexp(t, `^guide  4\d\d of 425 bins in \d{3} records`, out)
		code, _, errs = vecgen(t, "check", dir)
		require.Zero(t, code, errs)
	}
	for _, name := range []string{"records.jsonl", "manifest.json"} {
		one, err := os.ReadFile(filepath.Join(dirs[0], name))
		require.NoError(t, err)
		two, err := os.ReadFile(filepath.Join(dirs[1], name))
		require.NoError(t, err)
		require.Equal(t, string(one), string(two), name)
	}

	code, out, errs := vecgen(t, "guide", "--dut", "psn_window", "--patience", "1000000000", "-o", dirs[0])
	require.Equal(t, exitBadInput, code)
	require.Empty(t, out, "refused before the search")
	require.Contains(t, errs, "is not empty")

	json := filepath.Join(t.TempDir(), "c.json")
	code, out, errs = vecgen(t, "cover", dirs[0], dirs[1], "-o", json)
	require.Zero(t, code, errs)
	require.Regexp(t, `psn_window +(100|9\d)\.\d\d %.* 2 runs`, out)
	require.FileExists(t, json)
}

func TestCoverAndGuideSayWhatIsWrong(t *testing.T) {
	for _, args := range [][]string{{"cover"}, {"cover", "/no/such/set"}, {"guide", "--dut", "nothing", "-o", "x"},
		{"guide", "--dut", "psn_window"}, {"closure"}, {"closure", "--dut", "nothing"}} {
		code, _, errs := vecgen(t, args...)
		require.Equal(t, exitBadInput, code, args)
		require.NotEmpty(t, errs, args)
	}
}
