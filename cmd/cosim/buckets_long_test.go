package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/bucket"
	"hcacosim/cocosim/session"
)

// Each fault of TestBucketsOfFaults gives runs of so many seeds, of so many records.
const (
	bucketSeeds   = 20
	bucketRecords = 5000
	bucketCycles  = 1_000_000 // where a timer waits longer, it is not waited for
)

// seeded are the failures of faults under several seeds.
type seeded struct {
	failures []bucket.Failure
	fault    []string // of each failure
	agreed   int      // runs that found nothing
}

// TestBucketsOfFaults groups the failures of twenty seeds of every ninth fault of the RTL from the fifth on, each in
// the first run of the short regression that finds it, and writes docs/generated/buckets.md: how pure the buckets are.
// The bounds of cocosim/bucket and the features of report.Profile were settled on other faults: every ninth from the
// first on.
func TestBucketsOfFaults(t *testing.T) {
	onlyLong(t)
	needVerilator(t)
	var all seeded
	for _, f := range measured(t) {
		t.Run(f.Name, func(t *testing.T) {
			faulty, _ := faultyDevice(t, f.Name)
			all.run(t, f.Name, failing(t, f, faulty))
			if page := all.page(); *shrinkOnly != "" {
				t.Log(page)
			} else {
				require.NoError(t, os.WriteFile("../../docs/generated/buckets.md", []byte(page), 0o644))
			}
		})
	}
}

// run runs what found a fault under other seeds.
func (s *seeded) run(t *testing.T, name string, spec session.Spec) {
	spec.Known, spec.Count, spec.LimitCycles = false, bucketRecords, bucketCycles
	for seed := range uint64(bucketSeeds) {
		spec.Seed = seed + 1
		rep, err := session.Run(context.Background(), spec, session.Options{})
		require.NoError(t, err)
		if f, ok := bucket.Of(rep); ok {
			s.failures, s.fault = append(s.failures, f), append(s.fault, name)
		} else {
			s.agreed++
		}
	}
}

// purity is how the failures of faults fall into buckets.
type purity struct {
	buckets []bucket.Bucket
	in      map[string]map[int]int // failures by fault and bucket
	most    int                    // failures in the largest bucket of their fault
	mixed   []string               // the buckets of several faults, with those
}

func (s *seeded) purity() purity {
	p := purity{buckets: bucket.Group(s.failures), in: map[string]map[int]int{}}
	for n, b := range p.buckets {
		faults := map[string]int{}
		for _, i := range b.Members {
			name := s.fault[i]
			faults[name]++
			if p.in[name] == nil {
				p.in[name] = map[int]int{}
			}
			p.in[name][n]++
		}
		if len(faults) > 1 {
			line := "- " + b.Name + ":"
			for _, name := range sortedKeys(faults) {
				line += fmt.Sprintf(" %s %d,", name, faults[name])
			}
			p.mixed = append(p.mixed, strings.TrimSuffix(line, ","))
		}
	}
	for _, counts := range p.in {
		best := 0
		for _, n := range counts {
			best = max(best, n)
		}
		p.most += best
	}
	return p
}

// page is docs/generated/buckets.md.
func (s *seeded) page() string {
	p := s.purity()
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	var b strings.Builder
	fmt.Fprintf(&b, "# How pure buckets are\n\nWritten by `go test ./cmd/cosim -long -run TestBucketsOfFaults`: of %d "+
		"deliberate faults of the RTL beside its blocks (docs/faults.md) one is\nplanted; the first run of the short "+
		"regression that finds it is run with seeds 1 to %d and %d records, at most a million cycles.\n\n"+
		"%d failures of %d faults (%d runs agreed) fall into %d buckets. %.1f %% of the failures are in the largest "+
		"bucket of their fault (goal: 90 %%);\n%d buckets (%.1f %%) hold failures of more than one fault (goal: 5 %%)",
		*shrinkStep, bucketSeeds, bucketRecords, len(s.failures), len(p.in), s.agreed, len(p.buckets),
		share(p.most, len(s.failures)), len(p.mixed), share(len(p.mixed), len(p.buckets)))
	if len(p.mixed) > 0 {
		b.WriteString(":\n\n" + strings.Join(p.mixed, "\n") + "\n")
	} else {
		b.WriteString(".\n")
	}
	b.WriteString("\n| fault | failures | buckets | in the largest |\n|---|---|---|---|\n")
	for _, name := range sortedKeys(p.in) {
		all, best := 0, 0
		for _, n := range p.in[name] {
			all, best = all+n, max(best, n)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", name, all, len(p.in[name]), best)
	}
	return b.String()
}
