package falcon_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/mutate/fault"
)

// readFaults are the mistakes in the machines that the other tests are to find.
func readFaults(t *testing.T) []fault.Fault {
	raw, err := os.ReadFile("testdata/faults.yaml")
	require.NoError(t, err)
	faults, err := fault.Read(raw)
	require.NoError(t, err)
	return faults
}

var (
	whichFaults = flag.String("fault", "", "try the faults whose name this matches, '.' for all; by default a few")
	update      = flag.Bool("update", false, "with -fault: rewrite their lines in testdata/faults.md")
)

const faultsPage = "testdata/faults.md"

// FAL-D1 to FAL-D23: every fault is found by a test of this package; by default a few, each by the first that the page
// names.
func TestFaultsAreFound(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	faults, known := readFaults(t), map[string]string{}
	raw, err := os.ReadFile(faultsPage)
	if err == nil {
		for text := range strings.SplitSeq(string(raw), "\n") {
			if cells := strings.Split(strings.Trim(text, "| "), " | "); len(cells) == 3 {
				known[cells[1]] = cells[2]
			}
		}
	}
	for i, f := range faults {
		overlay, err := f.Overlay("../..", t.TempDir())
		require.NoError(t, err)
		if *whichFaults == "" && i%48 != 5 || !regexp.MustCompile(*whichFaults).MatchString(f.Name) {
			continue
		}
		first := ""
		if *whichFaults == "" {
			first = strings.Split(known[f.Name], ", ")[0]
		}
		found := tryFault(t, f, overlay, first)
		if len(found) == 0 {
			t.Errorf("%s: nothing finds it", f.Name)
			continue
		}
		t.Logf("%s: %s", f.Name, strings.Join(found, ", "))
		known[f.Name] = strings.Join(found[:min(3, len(found))], ", ")
	}
	if *update {
		require.NoError(t, os.WriteFile(faultsPage, []byte(pageOf(faults, known)), 0o644))
	}
}

func pageOf(faults []fault.Fault, known map[string]string) string {
	var page strings.Builder
	page.WriteString("# Faults in packet delivery of Falcon\n\n" +
		"Each was put into the code and found; three of the tests that found it are named. Made by " +
		"`go test ./model/falcon -run TestFaultsAreFound -fault . -update`.\n\n| area | fault | found by |\n|---|---|---|\n")
	for _, f := range faults {
		fmt.Fprintf(&page, "| %s | %s | %s |\n", f.Area, f.Name, known[f.Name])
	}
	return page.String()
}

var failed = regexp.MustCompile(`(?m)^ *--- FAIL: Test(\S+)`)

// trialTime ends a trial that hangs: far more than the tests take on a machine that does other things.
const trialTime = "600s"

// tryFault runs the tests, or the one that is named, with one file replaced, and returns those that fail, the innermost
// of each.
func tryFault(t *testing.T, f fault.Fault, overlay, named string) (found []string) {
	args := []string{"test", "-overlay", overlay, "-vet=off", "-timeout", trialTime, ".", "-walk", "30000"}
	if named != "" && named != "panic" && named != "hangs" {
		args = append(args, "-run", "^Test"+strings.ReplaceAll(regexp.QuoteMeta(named), "/", "$/^")+"$")
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "HCACOSIM_FAULT=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	for _, m := range failed.FindAllSubmatch(out, -1) {
		found = append(found, string(m[1]))
	}
	if len(found) == 0 {
		if !strings.Contains(string(out), "panic") {
			t.Logf("%s does not build:\n%s", f.Name, out)
			return nil
		}
		found = []string{"panic"}
		if strings.Contains(string(out), "test timed out") {
			found = []string{"hangs"}
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(name string) bool {
		return slices.ContainsFunc(found, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
}
