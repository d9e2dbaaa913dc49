package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/bundle"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/mutate/fault"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/shrink"
	"hcacosim/cocosim/verilated"
)

var shrinkStep = flag.Int("shrink-step", 9, "of the RTL's faults plant every n-th for docs/generated/shrink.md")

var shrinkOnly = flag.String("shrink-only", "", "only those whose names have this `TEXT`; print the page, write none")

var shrinkGoOn = flag.Bool("shrink-go-on", false, "leave the faults out that docs/generated/shrink.md has already, "+
	"and take what it says of them")

const shrinkFile = "../../docs/generated/shrink.md"

// shrunkFault is what became of a fault.
type shrunkFault struct {
	fault  fault.Fault
	result shrunk
	same   bool // the small case has the signature of the run that was shrunk
	fails  bool // the small case, replayed from its bundle
}

// TestShrinkFaults goes from the mismatch of a faulty device to its small case without a hand, for every ninth fault of
// the RTL from the fifth on. It writes docs/generated/shrink.md.
func TestShrinkFaults(t *testing.T) {
	onlyLong(t)
	needVerilator(t)
	faults := measured(t)
	all := make([]*shrunkFault, len(faults)) // nil: not yet
	var mu sync.Mutex
	t.Run("each", func(t *testing.T) {
		for i, f := range faults {
			if *shrinkGoOn {
				if all[i] = shrunkBefore(t, f); all[i] != nil {
					continue
				}
			}
			t.Run(f.Name, func(t *testing.T) {
				t.Parallel()
				x := &shrunkFault{fault: f}
				faulty, good := faultyDevice(t, f.Name)
				x.shrink(t, failing(t, f, faulty), good)
				mu.Lock()
				defer mu.Unlock()
				all[i] = x
				if *shrinkOnly != "" {
					t.Log(shrinkPage(all))
					return
				}
				require.NoError(t, os.WriteFile(shrinkFile, []byte(shrinkPage(all)), 0o644))
			})
		}
	})
	some := slices.ContainsFunc(all, func(x *shrunkFault) bool { return x != nil })
	if some && *shrinkOnly == "" {
		require.NoError(t, os.WriteFile(shrinkFile, []byte(shrinkPage(all)), 0o644))
	}
}

// shrunkBefore is what the page says of a fault; nil where it has no line of it.
func shrunkBefore(t *testing.T, f fault.Fault) *shrunkFault {
	text, err := os.ReadFile(shrinkFile)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, "| "+f.Name+" | "+f.Dut+" | ")
		if !ok {
			continue
		}
		x, r, good := &shrunkFault{fault: f}, shrink.Result{}, false
		_, err := fmt.Sscanf(rest, "%d | %d | %d | %d | %d | %f | %t | %t | %t | %t |", &r.PacketsBefore, &r.PacketsAfter,
			&r.QPsBefore, &r.QPsAfter, &r.Runs, &r.Seconds, &x.same, &x.fails, &good, &r.Minimal)
		require.NoError(t, err, line)
		x.result = shrunk{Result: &r, Good: &good}
		return x
	}
	return nil
}

// measured are the faults of TestShrinkFaults and TestBucketsOfFaults.
func measured(t *testing.T) (some []fault.Fault) {
	for i, f := range readFaults(t, "rtl") {
		if i%*shrinkStep == *shrinkStep/2 && strings.Contains(f.Name, *shrinkOnly) {
			some = append(some, f)
		}
	}
	return some
}

// failing is the first run of the short regression that finds a fault.
func failing(t *testing.T, f fault.Fault, faulty string) session.Spec {
	m, err := manifest.Find(f.Dut)
	require.NoError(t, err)
	for _, spec := range regress.Short(m) {
		spec.Dut, spec.Flavour = faulty, verilated.Quick
		rep, err := session.Run(context.Background(), spec, session.Options{})
		require.NoError(t, err)
		if len(rep.Result.Violations) > 0 {
			return spec
		}
	}
	t.Fatalf("%s is not found", f.Name)
	return session.Spec{}
}

// shrink leaves a bundle and makes it small, as a user would.
func (x *shrunkFault) shrink(t *testing.T, spec session.Spec, good string) {
	dir, small := filepath.Join(t.TempDir(), "bundle"), filepath.Join(t.TempDir(), "small")
	code, out, errs := cosim(append(spec.Args(), "--bundle", dir)...)
	require.EqualValues(t, 1, code, out+errs)
	about, _, err := bundle.Open(dir)
	require.NoError(t, err)
	code, out, errs = cosim("shrink", dir, "-o", small, "--good", good, "--json", "--limit", "3m")
	require.EqualValues(t, 0, code, out+errs)
	require.NoError(t, json.Unmarshal([]byte(out), &x.result))
	x.same = x.result.Signature == about.Signature
	code, _, errs = cosim("replay", small)
	x.fails = code == 1 && !strings.Contains(errs, "this run")
}

// shrinkPage is docs/generated/shrink.md.
func shrinkPage(all []*shrunkFault) string {
	var b strings.Builder
	of := len(all)
	all = slices.DeleteFunc(slices.Clone(all), func(x *shrunkFault) bool { return x == nil })
	var after []int
	var seconds []float64
	ok, minimal := 0, 0
	for _, x := range all {
		after, seconds = append(after, x.result.PacketsAfter), append(seconds, x.result.Seconds)
		if x.same && x.fails && *x.result.Good {
			ok++
		}
		if x.result.Minimal {
			minimal++
		}
	}
	slices.Sort(after)
	slices.Sort(seconds)
	fmt.Fprintf(&b,
		"# From a mismatch to its small case\n\nWritten by `go test ./cmd/cosim -long -run TestShrinkFaults`: "+
			"of %d deliberate faults of the RTL beside its blocks one\nis planted; the first run of the short regression that "+
			"finds it leaves a bundle, and `cosim shrink --good` makes that small.\n\n", *shrinkStep)
	fmt.Fprintf(&b,
		"%d of %d faults: median %d packets (most %d), median %.1f s (most %.1f s) on a shared machine of two cores. "+
			"%d have the same\nsignature, fail on the faulty RTL and agree on the good one; of %d no single packet can be left "+
			"out.\n\n", len(all), of, after[len(after)/2], after[len(after)-1], seconds[len(seconds)/2],
		seconds[len(seconds)-1], ok, minimal)
	b.WriteString("| fault | device | packets before | after | QPs before | after | runs | seconds | same signature " +
		"| fails again | good agrees | 1-minimal |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, x := range all {
		r := x.result
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %.1f | %v | %v | %v | %v |\n", x.fault.Name, x.fault.Dut,
			r.PacketsBefore, r.PacketsAfter, r.QPsBefore, r.QPsAfter, r.Runs, r.Seconds, x.same, x.fails, *r.Good, r.Minimal)
	}
	return b.String()
}
