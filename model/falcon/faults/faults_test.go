package faults

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

// readFaults are the mistakes; the tests of the package that Area names are to find each.
func readFaults(t *testing.T) []fault.Fault {
	raw, err := os.ReadFile("testdata/faults.yaml")
	require.NoError(t, err)
	faults, err := fault.Read(raw)
	require.NoError(t, err)
	return faults
}

var (
	which  = flag.String("fault", "", "try the faults whose name this matches, '.' for all; by default a few")
	update = flag.Bool("update", false, "with -fault .: rewrite testdata/faults.md")
)

// Every fault is found by a test of its package.
func TestFaultsAreFound(t *testing.T) {
	list := readFaults(t)
	require.GreaterOrEqual(t, len(list), 30)
	var page strings.Builder
	page.WriteString("# Faults in the codec, security, congestion control and transactions of Falcon\n\n" +
		"Each was put into the code and found. Made by " +
		"`go test ./model/falcon/faults -run TestFaultsAreFound -fault . -update`.\n\n" +
		"| package | fault | found by |\n|---|---|---|\n")
	for i, f := range list {
		overlay, err := f.Overlay("../../..", t.TempDir())
		require.NoError(t, err)
		if *which == "" && i%32 != 3 || !regexp.MustCompile(*which).MatchString(f.Name) {
			continue
		}
		found := try(t, f, overlay)
		if len(found) == 0 {
			t.Errorf("%s: nothing finds it", f.Name)
		}
		fmt.Fprintf(&page, "| %s | %s | %s |\n", f.Area, f.Name, strings.Join(found, ", "))
		t.Logf("%s: %s: %v", f.Area, f.Name, found)
	}
	if *update && *which == "." {
		require.NoError(t, os.WriteFile("testdata/faults.md", []byte(page.String()), 0o644))
	}
}

// test runs a package's tests with files replaced, the quick ones of packet delivery.
func test(overlay, dir string, more ...string) ([]byte, error) {
	args := append([]string{"test", "-overlay", overlay, "-vet=off", "-timeout", "600s", dir}, more...)
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "HCACOSIM_FAULT=1")
	return cmd.CombinedOutput()
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// try runs the package's tests with one file replaced, and returns those that fail.
func try(t *testing.T, f fault.Fault, overlay string) (found []string) {
	out, err := test(overlay, "../"+f.Area)
	if f.Area == "txn" { // its tests beside packet delivery
		more, errMore := test(overlay, "..", "-run", "TestJoined")
		if out = append(out, more...); errMore != nil {
			err = errMore
		}
	}
	if err == nil {
		return nil
	}
	for _, m := range failed.FindAllSubmatch(out, -1) {
		found = append(found, string(m[1]))
	}
	require.NotEmpty(t, found, "%s does not build:\n%s", f.Name, out)
	slices.Sort(found)
	return slices.Compact(found)
}
