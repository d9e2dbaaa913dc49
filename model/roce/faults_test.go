package roce_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/mutate/fault"
)

// readFaults are the mistakes that the other tests are to find.
func readFaults(t *testing.T) []fault.Fault {
	raw, err := os.ReadFile("testdata/faults.yaml")
	require.NoError(t, err)
	faults, err := fault.Read(raw)
	require.NoError(t, err)
	return faults
}

var (
	whichFaults = flag.String("fault", "",
		"try the faults whose name this matches, '.' for all, and with -update rewrite their lines in testdata/faults.md")
	quick = os.Getenv("HCACOSIM_FAULT") != ""
)

// finders are the tests that are to find faults.
const finders = "AgainstTheKernel|Scenarios|EveryState|RandomWalk|Followers|SafeStart|EEContext|SGList|Values|" +
	"Verdicts|Owed|WorkThat|HaveATime|Obligations|IsInTime|Exact|RunsOut|Decided|HalfThePSNs|HalfOfThePSNs|" +
	"Admission|Admitted|KeepTheirOrder"

// trial is what became of a fault.
type trial struct {
	first string   // the check that is named first: a page or a story where there is one
	found []string // every check that finds it
	left  []string // what finds it when the first is skipped
}

// RSP-1, RSP-2, RSP-5, RSP-8, REQ-3, TMR-3 and the others: every fault is found, and with every check skipped that
// finds it the fault goes through, so that it is these that find it: -fault . tries all so. By default a few are tried,
// against the check that the page names.
func TestFaultsAreFound(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	captureDir(t)
	faults, known := readFaults(t), knownFaults(t)
	require.GreaterOrEqual(t, len(faults), 30)
	for i, f := range faults {
		overlay, err := f.Overlay("../..", t.TempDir()) // of every fault, to see its place
		require.NoError(t, err)
		if *whichFaults == "" && i%192 != 5 || !regexp.MustCompile(*whichFaults).MatchString(f.Name) {
			continue
		}
		if *whichFaults == "" {
			named := strings.Split(known[f.Name], " | ")[0]
			require.Contains(t, run(buildFault(t, f, overlay), "-test.run", pattern(named)), named, f.Name)
			continue
		}
		x := tryFault(t, f, overlay)
		if len(x.found) == 0 {
			t.Errorf("%s: nothing finds it", f.Name)
			continue
		}
		line := fmt.Sprintf("%s | %s | passes |", x.first, shorten(x.left))
		t.Logf("%s | %s", f.Name, line)
		if *update {
			known[f.Name] = line
			continue
		}
		// The other columns name more checks whenever a page is added.
		require.Contains(t, x.found, strings.Split(known[f.Name], " | ")[0], f.Name)
	}
	generated(t, "testdata/faults.md", faultsPage(t, faults, known))
}

// knownFaults are the last three columns of testdata/faults.md, by the name of the fault.
func knownFaults(t *testing.T) map[string]string {
	raw, err := os.ReadFile("testdata/faults.md")
	require.NoError(t, err)
	known := map[string]string{}
	for line := range strings.SplitSeq(string(raw), "\n") {
		if cells := strings.Split(line, " | "); len(cells) == 5 {
			known[cells[1]] = strings.Join(cells[2:], " | ")
		}
	}
	return known
}

func faultsPage(t *testing.T, faults []fault.Fault, known map[string]string) string {
	var page strings.Builder
	page.WriteString("# Faults in the machines\n\n" +
		"Each was put into the code, the checks run, and run again with those that had found it skipped: first one, then " +
		"all. Made by\n" +
		"`go test ./model/roce -run TestFaultsAreFound -fault . -update`.\n\n" +
		"| area | fault | a check that finds it | what finds it without that check | without all of these |\n" +
		"|---|---|---|---|---|\n")
	for _, f := range faults {
		require.NotEmpty(t, known[f.Name], "%s was never tried", f.Name)
		fmt.Fprintf(&page, "| %s | %s | %s\n", f.Area, f.Name, known[f.Name])
	}
	return page.String()
}

// shorten names the first three of many.
func shorten(names []string) string {
	switch {
	case len(names) == 0:
		return "nothing"
	case len(names) > 3:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// tryFault builds the package's tests with one file replaced, and runs them, skipping what has found the fault, until
// they pass.
func tryFault(t *testing.T, f fault.Fault, overlay string) (x trial) {
	binary := buildFault(t, f, overlay)
	if binary == "" {
		return trial{}
	}
	for len(x.found) < 200 {
		found := runSkipping(binary, x.found)
		if len(found) == 0 {
			break
		}
		x.found = append(x.found, found...)
	}
	if len(x.found) == 0 {
		return x
	}
	slices.SortFunc(x.found, func(a, b string) int { return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a, b)) })
	x.first = x.found[0]
	x.left = runSkipping(binary, x.found[:1])
	slices.SortFunc(x.left, func(a, b string) int { return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a, b)) })
	return x
}

// order puts the checks that say most first.
func order(check string) int {
	for i, prefix := range []string{"Scenarios/", "Verdicts", "AnswersHave", "RetriesHave", "EveryState/"} {
		if strings.HasPrefix(check, prefix) {
			return i
		}
	}
	return 9
}

func buildFault(t *testing.T, f fault.Fault, overlay string) (binary string) {
	binary = filepath.Join(t.TempDir(), "roce.test")
	build := exec.Command("go", "test", "-c", "-overlay", overlay, "-vet=off", "-ldflags=-s -w", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%s does not build:\n%s", f.Name, out)
		return ""
	}
	return binary
}

var (
	failed  = regexp.MustCompile(`(?m)^ *--- FAIL: Test(\S+)`)
	running = regexp.MustCompile(`(?m)^\t+Test(\S+) \(\d`) // when the time ran out
)

// runSkipping runs the finders but some, and returns those that fail, the innermost of each.
func runSkipping(binary string, skip []string) (found []string) {
	args := []string{"-test.run", finders}
	if len(skip) > 0 {
		var patterns []string
		for _, s := range skip {
			patterns = append(patterns, pattern(s))
		}
		args = append(args, "-test.skip", strings.Join(patterns, "|"))
	}
	return run(binary, args...)
}

// pattern is one check as -test.run and -test.skip take it.
func pattern(check string) string {
	parts := strings.Split("Test"+check, "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	return strings.Join(parts, "/")
}

// run runs a program of tests, and returns those that fail, the innermost of each.
func run(binary string, args ...string) (found []string) {
	cmd := exec.Command(binary, append(args, "-test.timeout", "180s")...)
	cmd.Env = append(os.Environ(), "HCACOSIM_FAULT=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	for _, m := range append(failed.FindAllSubmatch(out, -1), running.FindAllSubmatch(out, -1)...) {
		found = append(found, string(m[1]))
	}
	slices.Sort(found)
	found = slices.Compact(found)
	all := slices.Clone(found)
	found = slices.DeleteFunc(found, func(name string) bool {
		return slices.ContainsFunc(all, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
	if len(found) == 0 {
		found = []string{"panic"}
	}
	return found
}
