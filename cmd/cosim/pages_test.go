package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// machines are what another machine, or another build, prints differently.
var machines = regexp.MustCompile(`, build \S+| seconds .*|(?m)^  (rates|reproduce) .*\n| in [\d.]+s,`)

// requirePrinted: the lines of a page behind that of a command stand in what the command prints, in their order. The
// page may leave lines out.
func requirePrinted(t *testing.T, page, command, out string) {
	t.Helper()
	_, block, ok := strings.Cut(readText(t, page), "\n$ "+command+"\n")
	require.True(t, ok, "no %q in %s", command, page)
	block, _, _ = strings.Cut(block, "```")
	rest := machines.ReplaceAllString(out, "")
	for line := range strings.Lines(machines.ReplaceAllString(block, "")) {
		if strings.TrimSpace(line) == "..." {
			continue
		}
		_, after, ok := strings.Cut(rest, line)
		require.True(t, ok, "%s: %q is not in the rest of what %s prints:\n%s", page, line, command, rest)
		rest = after
	}
}

// TestNumbersOfTheReadme: both runs on its first page print what they print.
func TestNumbersOfTheReadme(t *testing.T) {
	needVerilator(t)
	args := []string{"--known", "--scenario", "mix", "--no-bundle", "--flavour"}
	exit, out, errs := cosim(append([]string{"run", "--dut", "icrc_check"}, append(args, "debug")...)...)
	require.Equal(t, cocosim.Agreed, exit, errs)
	requirePrinted(t, "../../README.md", "make run", out)
	faulty, _ := faultyDevice(t, "v4-ttl-covered")
	replaceIn(t, faulty, "name: icrc_check\n", "name: my_icrc\n")
	exit, out, errs = cosim(append([]string{"run", "--dut", faulty, "--show", "1"}, append(args, "quick")...)...)
	require.Equal(t, cocosim.Mismatch, exit, errs)
	requirePrinted(t, "../../README.md", "bin/cosim run --dut my_icrc.yaml --known --scenario mix", out)
}

// TestNumbersOfCompare: the table and the plot of docs/compare.md are those of `cosim compare`.
func TestNumbersOfCompare(t *testing.T) {
	plot := filepath.Join(t.TempDir(), "compare.svg")
	exit, out, errs := cosim("compare", "--svg", plot)
	require.Equal(t, cocosim.Agreed, exit, errs)
	page := readText(t, "../../docs/compare.md")
	for line := range strings.Lines(out) {
		if line != "\n" {
			require.Contains(t, page, "\n    "+line, "cosim compare --svg docs/generated/compare.svg")
		}
	}
	require.Equal(t, readText(t, "../../docs/generated/compare.svg"), readText(t, plot))
}

// TestNumbersOfLinks: the first runs of docs/link.md and, with RTL, of the README print what they print.
func TestNumbersOfLinks(t *testing.T) {
	const models = "cosim link --loss 1 --dup 0.5 --reorder 0.5 --corrupt 0.5 --qps 4 --count 100000"
	exit, out, errs := cosim(strings.Fields(models)[1:]...)
	require.Equal(t, cocosim.Agreed, exit, errs)
	requirePrinted(t, "../../docs/link.md", models, out)
	onlyLong(t)
	needVerilator(t)
	const rtl = "cosim link --flavour debug --a hca_top --count 3000 --loss 1 --dup 1 --reorder 1 --corrupt 1"
	exit, out, errs = cosim(strings.Fields(rtl)[1:]...)
	require.Equal(t, cocosim.Agreed, exit, errs)
	requirePrinted(t, "../../README.md", rtl, out)
}
