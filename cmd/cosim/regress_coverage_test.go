package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/verilated"
	"hcacosim/rtl"
)

// TestCoverageTable: a line that one of its blocks reached is hit; what is missed is listed with its text and its
// reason.
func TestCoverageTable(t *testing.T) {
	text, err := rtl.FS.ReadFile("psn/psn_window.sv")
	require.NoError(t, err)
	number := 1 + strings.Count(strings.Split(string(text), "if (requester1_q) class_d")[0], "\n")
	at := func(column int, kind, lines string) verilated.CoveragePoint {
		return verilated.CoveragePoint{File: "rtl/psn/psn_window.sv", Line: number, Column: column, Kind: kind, Lines: lines}
	}
	counts := verilated.Coverages{
		at(1, "block", "10-13"): 5, at(2, "block", "13,20"): 0, at(3, "if", ""): 0, at(4, "else", ""): 1,
		{File: "rtl/lib/axis_rules.sv", Line: 1, Kind: "block"}: 0,
	}
	var b strings.Builder
	require.Equal(t, 2, printCoverage(&b, []string{"psn_window"}, counts, nil))
	require.Contains(t, b.String(), "| rtl/psn/psn_window.sv | 5 | 80.0 % | 2 | 50.0 % | 2 |\n")
	require.NotContains(t, b.String(), "axis_rules")

	file := filepath.Join(t.TempDir(), "reasons.yaml")
	require.NoError(t, os.WriteFile(file, []byte("- {file: rtl/psn/psn_window.sv, text: \"if (requester1_q) class_d = "+
		"psn_pkg::respond(from_base1_q, '0, outstanding1_q);\", reason: because}\n"), 0o666))
	excuses, err := readReasons[excuse](file)
	require.NoError(t, err)
	b.Reset()
	require.Equal(t, 0, printCoverage(&b, []string{"psn_window"}, counts, excuses))
	require.Contains(t, b.String(), "| if | `if (requester1_q) class_d = psn_pkg::respond(from_base1_q, '0, "+
		"outstanding1_q);` | because |\n")
	require.True(t, excuses[0].used)

	own, err := readReasons[excuse]("../../rtl/coverage.yaml")
	require.NoError(t, err)
	for _, e := range own {
		source, err := rtl.FS.ReadFile(strings.TrimPrefix(e.File, "rtl/"))
		require.NoError(t, err)
		require.Contains(t, string(source), e.Text, "%s has changed", e.File)
		require.NotEmpty(t, e.Reason)
	}
}
