package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/mutate"
	"hcacosim/cocosim/mutate/fault"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/stages"
	"hcacosim/rtl"
	"hcacosim/vectors/scenario"
)

var (
	everyFault = flag.Bool("faults", false, "plant every fault, and write docs/faults.md")
	newFaults  = flag.Bool("new-faults", false, "with -faults: only those of which docs/faults.md has no row")
)

// finding is how the regression found a fault.
type finding struct {
	fault.Fault
	Packets uint64 // needed until the first mismatch
	Check   string // the rule of the first mismatch
	Run     string // what set the run that found it apart from the first
}

// readFaults are the deliberate faults beside the blocks under a folder of the repository: rtl or model.
func readFaults(t *testing.T, folder string) []fault.Fault {
	faults, err := fault.BesideBlocks(os.DirFS("../../" + folder))
	require.NoError(t, err)
	return faults
}

// plant returns the text with the fault in it.
func plant(t *testing.T, f fault.Fault, text []byte) []byte {
	planted, err := f.Plant(text)
	require.NoError(t, err)
	return planted
}

// TestFaultLists: every entry can be planted where it says, and no two of the RTL's are of one kind.
func TestFaultLists(t *testing.T) {
	for _, list := range []string{"rtl", "model"} {
		kinds := map[string]string{}
		for _, f := range readFaults(t, list) {
			require.Empty(t, kinds[f.Kind], "%s: another fault of the kind %q", f.Name, f.Kind)
			kinds[f.Kind] = f.Name
			text, err := os.ReadFile("../../" + f.File)
			require.NoError(t, err, f.Name)
			plant(t, f, text)
			_, ok := stages.Lookup(f.Dut)
			require.True(t, ok, "%s: no stage %s", f.Name, f.Dut)
			require.NotEmpty(t, f.Why, f.Name)
		}
		require.GreaterOrEqual(t, len(kinds), map[string]int{"rtl": 40, "model": 6}[list])
	}
	notFound, err := filepath.Glob("../../docs/blocks/*.faults.yaml")
	require.NoError(t, err)
	faults, err := readFaultLists(notFound)
	require.NoError(t, err)
	require.NotEmpty(t, faults)
	for _, f := range faults {
		text, err := os.ReadFile("../../" + f.File)
		require.NoError(t, err, f.Name)
		plant(t, f, text)
	}
}

// TestFaultsAreFound breaks the RTL and the model on purpose, one fault at a time, and runs the default regression:
// real packets, then generated ones. A fault that it does not find fails the test. A few are planted; with -faults
// every one, and docs/faults.md is written: with -run 'TestFaultsAreFound/rtl/^X$' the rows of device X.
func TestFaultsAreFound(t *testing.T) {
	needVerilator(t)
	rtlFaults, modelFaults := readFaults(t, "rtl"), readFaults(t, "model")
	var found []finding
	t.Run("rtl", func(t *testing.T) { found = append(found, findRTL(t, planned(t, rtlFaults))...) })
	t.Run("model", func(t *testing.T) {
		found = append(unfound(planned(t, modelFaults)), found...)
		found = append(found, findAll(t, planned(t, modelFaults), runFaultyModel)...)
	})
	if *everyFault {
		writeDocument(t, slices.Concat(rtlFaults, modelFaults), found)
	}
}

// planned are the faults that this run plants: all, or every 150th, of a device one at most, since each has a
// build of its own, of none that is joined from others, whose build takes a minute, and none of the protected memories,
// which a device has at its third size or so: each size is a build.
func planned(t *testing.T, all []fault.Fault) (some []fault.Fault) {
	if *everyFault && *newFaults {
		rows := knownRows(t)
		return slices.DeleteFunc(slices.Clone(all), func(f fault.Fault) bool { return rows[f.Name] != "" })
	}
	if *everyFault {
		return all
	}
	has := map[string]bool{}
	for i, f := range slices.DeleteFunc(slices.Clone(all), isSlow) {
		if i%150 == 94 && !has[f.Dut] {
			some, has[f.Dut] = append(some, f), true
		}
	}
	require.NotEmpty(t, some)
	return some
}

func isSlow(f fault.Fault) bool { return joined(f.Dut) || strings.Contains("-"+f.Name, "-ecc-") }

// findRTL finds faults of the RTL. Many of a device share a build (cosim qualify --faults); one that does not lie
// within an expression, or that no check finds there, has a build of its own, with the design's assertions. Of a
// device that is joined from blocks what no check finds is not tried alone: that takes half an hour each.
func findRTL(t *testing.T, faults []fault.Fault) (found []finding) {
	if !*everyFault {
		return findAll(t, faults, runFaultyRTL)
	}
	byDut := map[string][]fault.Fault{}
	for _, f := range faults {
		byDut[f.Dut] = append(byDut[f.Dut], f)
	}
	for _, dut := range slices.Sorted(maps.Keys(byDut)) {
		t.Run(dut, func(t *testing.T) {
			together, open, others := findTogether(t, dut, byDut[dut])
			found = append(append(found, unfound(byDut[dut])...), together...)
			if !joined(dut) {
				others = append(others, open...)
			} else if len(open) > 0 {
				t.Errorf("not found: %v", names(open))
			}
			found = append(found, findAll(t, others, runFaultyRTL)...)
		})
	}
	return found
}

// unfound are faults that were played: what finds one comes behind.
func unfound(faults []fault.Fault) (all []finding) {
	for _, f := range faults {
		all = append(all, finding{Fault: f})
	}
	return all
}

// joined reports whether a device is joined from blocks.
func joined(dut string) bool { return strings.HasPrefix(dut, "hca_") }

func names(faults []fault.Fault) (all []string) {
	for _, f := range faults {
		all = append(all, f.Name)
	}
	return all
}

// findTogether plants faults of one device in one build: first at its smallest size, what that leaves at the others.
// It gives those that were found, those that were not, and those that have no place in such a build.
func findTogether(t *testing.T, dut string, faults []fault.Fault) (found []finding, open, others []fault.Fault) {
	m, err := manifest.Find(dut)
	require.NoError(t, err)
	m, err = m.Resolve(nil)
	require.NoError(t, err)
	d, err := mutate.Read(m)
	require.NoError(t, err)
	first, then := bySize(m, regress.Short(m))
	most := time.Hour
	if joined(dut) { // a survivor takes some minutes
		most = 25 * time.Minute
	}
	planted, none, err := d.Plants(faults)
	require.NoError(t, err)
	for _, runs := range [][]session.Spec{first, then} {
		if len(planted) == 0 || len(runs) == 0 {
			continue
		}
		out, err := mutate.Qualify(context.Background(), d, mutate.Options{Mutants: planted, Runs: runs, First: 1000,
			Flavour: verilated.Fast, Timeout: 10 * time.Minute, For: most, Progress: func(format string, args ...any) {
				fmt.Fprintf(os.Stderr, dut+": "+format+"\n", args...)
			}})
		require.NoError(t, err)
		planted = nil
		for i := range out {
			f := byName(faults, out[i].Operator)
			if x := &out[i]; x.Class == mutate.Killed {
				found = append(found, finding{Fault: f, Packets: x.Records, Check: x.Rule, Run: laterRun(runs[x.Run], dut)})
			} else {
				planted = append(planted, x.Mutant)
			}
		}
	}
	for _, x := range planted {
		open = append(open, byName(faults, x.Operator))
	}
	for _, name := range none {
		others = append(others, byName(faults, name))
	}
	t.Logf("%s: %d found together, %d not, %d alone", dut, len(found), len(open), len(others))
	return found, open, others
}

// bySize parts runs of a device: those of its smallest size, and those of the others.
func bySize(m *manifest.Manifest, runs []session.Spec) (smallest, others []session.Spec) {
	size := regress.Smallest(m)
	for _, s := range runs {
		if size == nil || maps.Equal(s.Params, size) {
			smallest = append(smallest, s)
		} else {
			others = append(others, s)
		}
	}
	return smallest, others
}

func byName(faults []fault.Fault, name string) fault.Fault {
	return faults[slices.IndexFunc(faults, func(f fault.Fault) bool { return f.Name == name })]
}

func findAll(t *testing.T, faults []fault.Fault, run func(*testing.T, fault.Fault) report.JSON) []finding {
	found := make([]finding, len(faults))
	t.Run("each", func(t *testing.T) {
		for i, f := range faults {
			t.Run(f.Name, func(t *testing.T) {
				t.Parallel()
				rep := run(t, f)
				require.Equal(t, cocosim.Mismatch, rep.ExitCode, "the regression does not find it: %s: %s", rep.Error, f.Why)
				require.NotEmpty(t, rep.Mismatches)
				found[i] = finding{Fault: f, Check: rep.Mismatches[0].Rule, Run: rep.Reproduce}
				if p := rep.Mismatches[0].Packet; p != nil {
					found[i].Packets = *p + 1
				}
			})
		}
	})
	return found
}

// regression is what every night runs, made short: see regress.Short; the runs of the smallest size, which is built
// quickest, come first, and of each run its first 1,000 records, as cosim qualify has it. The first run that finds a
// fault ends it. No run is there for a fault's sake.
func regression(t *testing.T, f fault.Fault, dut string, one func(session.Spec) report.JSON) (rep report.JSON) {
	m, err := manifest.Find(f.Dut)
	require.NoError(t, err)
	first, then := bySize(m, regress.Short(m))
	for _, spec := range slices.Concat(first, then) {
		spec.Dut, spec.Show = dut, 1
		for _, spec.Count = range []uint64{1000, spec.Count} {
			if rep = one(spec); rep.ExitCode != cocosim.Agreed {
				rep.Reproduce = laterRun(spec, f.Dut)
				return rep
			}
		}
	}
	return rep
}

func runFaultyRTL(t *testing.T, f fault.Fault) (rep report.JSON) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, rtl.FS))
	file := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(f.File, "rtl/")))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, plant(t, f, text), 0o644))
	manifest := ""
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d.Name() == f.Dut+".yaml" {
			manifest = path
		}
		return err
	}))
	return regression(t, f, manifest, func(spec session.Spec) report.JSON {
		if spec.Flavour = verilated.Quick; joined(f.Dut) {
			spec.Flavour = verilated.Debug // it runs longer than it is built
		}
		rep, err := session.Run(context.Background(), spec, session.Options{})
		require.NoError(t, err)
		return *rep.Object()
	})
}

// runFaultyModel builds cosim with one file of the model replaced and runs it against the right RTL.
func runFaultyModel(t *testing.T, f fault.Fault) (rep report.JSON) {
	dir := t.TempDir()
	overlay, err := f.Overlay("../..", dir)
	require.NoError(t, err)
	bin := filepath.Join(dir, "cosim")
	build := exec.Command("go", "build", "-overlay", overlay, "-o", bin, ".")
	msg, err := build.CombinedOutput()
	require.NoError(t, err, string(msg))
	return regression(t, f, f.Dut, func(spec session.Spec) (rep report.JSON) {
		if spec.Flavour = verilated.Quick; joined(f.Dut) {
			spec.Flavour = verilated.Debug // it runs longer than it is built
		}
		var errw bytes.Buffer
		cmd := exec.Command(bin, append(spec.Args(), "--json")...)
		cmd.Stderr = &errw
		out, _ := cmd.Output()
		require.NoError(t, json.Unmarshal(out, &rep), "stdout %s\nstderr %s", out, &errw)
		return rep
	})
}

// laterRun is what set the run that found a fault apart from the first.
func laterRun(spec session.Spec, dut string) string {
	spec.Known, spec.Count = false, 0
	if spec.Scenario == scenario.Default(dut).Name {
		spec.Scenario = ""
	}
	var rest []string
	words := spec.Args()
	for i := 1; i < len(words); i += 2 {
		if words[i] != "--dut" && words[i] != "--seed" && words[i] != "--show" {
			rest = append(rest, words[i], words[i+1])
		}
	}
	return strings.Join(rest, " ")
}

// needVerilator skips a test where RTL cannot be built.
func needVerilator(t *testing.T) {
	for _, tool := range []string{"verilator", "g++", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: %s is not installed, RTL cannot be built", tool)
		}
	}
}
