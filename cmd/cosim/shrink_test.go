package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/bundle"
)

// TestSmallCaseIsATest: a run with resets fails in a life before it. What shrink leaves needs no resets, and its
// scenario.yaml, spec.yaml and printed line fail by themselves, on the design that failed, with the define that was
// set.
func TestSmallCaseIsATest(t *testing.T) {
	needVerilator(t)
	faulty, _ := faultyDevice(t, "psn-distance-23-bits")
	replaceIn(t, faulty, "model: psn_window\n", "defines: {DEPTH: \"2\", OTHER: \"5\"}\nmodel: psn_window\n")
	dir := t.TempDir()
	big, small := filepath.Join(dir, "big"), filepath.Join(dir, "small")
	code, out, errs := cosim("run", "--dut", faulty, "--flavour", "quick", "--param", "DEPTH=3", "--resets", "4",
		"--bundle", big)
	require.Equal(t, cocosim.Mismatch, code, out+errs)
	require.Contains(t, out, "mismatch 1  DATA on m_rec at cycle", out)
	require.Contains(t, out, ": in life ")
	require.NotContains(t, out, "state that no reset reaches", "each life begins in a state of its own")
	code, out, errs = cosim("shrink", big, "-o", small)
	require.Equal(t, cocosim.Agreed, code, errs)
	require.Contains(t, out, "no single packet can be left out")

	text := readText(t, filepath.Join(small, bundle.ScenarioFile))
	require.Contains(t, text, "dut: "+faulty+"\nparams:\n    DEPTH: 3\nrecords:")
	require.NotContains(t, text, "resets")
	require.NotContains(t, readText(t, filepath.Join(small, bundle.SpecFile)), "limit-cycles", "that of the search")
	about, _, err := bundle.Open(small)
	require.NoError(t, err)
	require.Contains(t, about.Reproduce, filepath.Join(small, bundle.VectorsDir))
	require.Equal(t, about.Reproduce, about.Failure.Reproduce)
	require.Contains(t, readText(t, filepath.Join(small, bundle.ReportFile)), about.Reproduce)
	for _, args := range [][]string{
		{"run", "--spec", filepath.Join(small, bundle.ScenarioFile)},
		{"run", "--spec", filepath.Join(small, bundle.SpecFile)},
		strings.Fields(about.Reproduce)[1:], {"replay", small},
	} {
		if args[0] == "run" {
			args = append(args, "--no-bundle")
		}
		code, out, errs = cosim(args...)
		require.Equal(t, cocosim.Mismatch, code, out+errs)
		require.Regexp(t, `packets     1 +agreed 0 +mismatched 1`, out, args)
	}
}

// TestSmallCaseOfALife: where the run's own records agree, those of the life that failed are the case.
func TestSmallCaseOfALife(t *testing.T) {
	needVerilator(t)
	faulty, good := faultyDevice(t, "psn-distance-23-bits")
	dir := t.TempDir()
	big, small := filepath.Join(dir, "big"), filepath.Join(dir, "small")
	code, out, errs := cosim("run", "--dut", faulty, "--flavour", "quick", "--count", "1", "--resets", "4", "--bundle",
		big)
	require.Equal(t, cocosim.Mismatch, code, out+errs)
	require.Contains(t, out, "outputs     1 expected, 1 agreed")
	code, out, errs = cosim("shrink", big, "-o", small, "--good", good)
	require.Equal(t, cocosim.Agreed, code, errs)
	require.Contains(t, out, "no single packet can be left out")
	require.Contains(t, out, "agrees true")
	code, out, errs = cosim("run", "--spec", filepath.Join(small, bundle.ScenarioFile), "--no-bundle")
	require.Equal(t, cocosim.Mismatch, code, out+errs)
	require.NotContains(t, out, "in life")
	require.Regexp(t, `packets     1 +agreed 0 +mismatched 1`, out)
}

// TestBundleOfOtherLives: a bundle of a run whose lives play a scenario that is not the default plays that again.
func TestBundleOfOtherLives(t *testing.T) {
	needVerilator(t)
	faulty, _ := faultyDevice(t, "v4-ttl-covered")
	for name, kept := range map[string]bool{"mix": true, "padding": false} {
		b := filepath.Join(t.TempDir(), "bundle")
		code, out, errs := cosim("run", "--dut", faulty, "--flavour", "quick", "--scenario", name, "--resets", "2", "--count",
			"200", "--bundle", b)
		require.Equal(t, cocosim.Mismatch, code, out+errs)
		_, err := os.Stat(filepath.Join(b, bundle.ReplayFile))
		require.Equal(t, kept, err == nil, name)
		code, again, errs := cosim("replay", b)
		require.Equal(t, cocosim.Mismatch, code, again+errs)
		require.NotContains(t, errs, "this run")
		_, first, _ := strings.Cut(out, "mismatch 1")
		first, _, _ = strings.Cut(first, "\n")
		require.Contains(t, again, first)
	}
}

// TestBundleOfWeightsAndRecords: the bundle of a run with weights, and of one whose Spec spells its records out, plays
// its vectors and nothing besides.
func TestBundleOfWeightsAndRecords(t *testing.T) {
	needVerilator(t)
	faulty, _ := faultyDevice(t, "psn-distance-23-bits")
	packets, _ := faultyDevice(t, "v4-ttl-covered")
	dir := t.TempDir()
	weights, spec := filepath.Join(dir, "weights.yaml"), filepath.Join(dir, "spec.yaml")
	require.NoError(t, os.WriteFile(weights, []byte("scenario: mix\n"), 0o666))
	require.NoError(t, os.WriteFile(spec, []byte("dut: "+faulty+"\nrecords:\n    - {port: s_rec, fields: {base: 1}}\n"),
		0o666))
	for _, args := range [][]string{{"--dut", packets, "--scenario", "mix", "--weights", weights}, {"--spec", spec}} {
		b := filepath.Join(dir, "bundle"+args[0])
		code, out, errs := cosim(append([]string{"run", "--flavour", "quick", "--bundle", b}, args...)...)
		require.Equal(t, cocosim.Mismatch, code, out+errs)
		about, _, err := bundle.Open(b)
		require.NoError(t, err)
		code, out, errs = cosim("replay", b)
		require.Equal(t, cocosim.Mismatch, code, out+errs)
		require.NotContains(t, errs, "this run")
		require.Contains(t, out, fmt.Sprintf("packets     %-12d ", about.Packets))
	}
}
