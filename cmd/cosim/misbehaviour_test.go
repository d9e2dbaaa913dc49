package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
)

var (
	slowRows = flag.Bool("slow", false, "run the slow rows of the table of misbehaviour too")
	update   = flag.Bool("update", false, "rewrite docs/generated/misbehaviour.md; needs -slow; read the difference "+
		"before keeping it")
)

// asCommand makes the test program the command: its memory can then be measured like a user's. It names the file for
// that: the command's peak and its largest child's, added.
const asCommand = "HCACOSIM_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	file := os.Getenv(asCommand)
	if file == "" {
		os.Exit(m.Run())
	}
	ctx, stop := command.Stopped(os.Stderr, int(cocosim.Inconclusive)) // as in main
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	var self, simulator syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &self)
	syscall.Getrusage(syscall.RUSAGE_CHILDREN, &simulator)
	var cpu time.Duration
	for _, t := range []syscall.Timeval{self.Utime, self.Stime, simulator.Utime, simulator.Stime} {
		cpu += time.Duration(t.Nano())
	}
	os.WriteFile(file, fmt.Append(nil, ownPeak()+simulator.Maxrss, " ", cpu.Seconds()), 0o666) // KiB on Linux
	os.Exit(code)
}

// ownPeak is the most memory that this program had, in KiB. What getrusage says counts the memory of the program that
// started it as well: of all tests before.
func ownPeak() (kib int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(peak, &kib); err != nil {
		panic(err)
	}
	return kib
}

// misbehaviour is a row of testdata/misbehaviour/rows.yaml.
type misbehaviour struct {
	Name     string
	Fault    int // -1: there is no such input
	Args     []string
	Manifest map[string]string // edits
	RTL      map[string]string
	Exit     cocosim.Exit
	Says     []string
	Slow     bool

	took time.Duration
	cpu  float64 // seconds
	peak int64   // KiB
	text string
}

const misbehaviourDir = "testdata/misbehaviour/"

// misbehaviourRoot is the directory of the test, for tests that leave it.
var misbehaviourRoot, _ = os.Getwd()

// What any design may cost, whatever it does.
const (
	mostSeconds = 60
	mostKiB     = 1 << 20
	busyFactor  = 5 // how much longer by the clock, on a machine that has other things to do
)

// TestMisbehaviour: whatever a design does, however it is described, cosim ends in bounded time and memory, with the
// exit code of what happened and a text that says it.
func TestMisbehaviour(t *testing.T) {
	needVerilator(t)
	text, err := os.ReadFile(misbehaviourDir + "rows.yaml")
	require.NoError(t, err)
	var rows []*misbehaviour
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	require.NoError(t, dec.Decode(&rows))
	require.Greater(t, len(rows), 40)
	for i, r := range rows {
		if r.Slow && !*slowRows || i%3 != 0 && !*slowRows && !*longTests {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			r.run(t)
			require.Equal(t, r.Exit, cocosim.Exit(r.exitOf(t)), r.text)
			for _, want := range r.Says {
				require.Regexp(t, want, r.text)
			}
			require.Less(t, r.cpu, float64(mostSeconds), "seconds of a processor, which a busy machine does not change")
			require.Less(t, r.took.Seconds(), float64(busyFactor*mostSeconds))
			require.Less(t, r.peak, int64(mostKiB), "KiB of command and simulator")
		})
	}
	require.Empty(t, children(t))
	if *update {
		require.True(t, *slowRows, "-update needs -slow")
		writeMisbehaviour(t, rows)
	}
}

// exitOf is the exit code that run found.
func (r *misbehaviour) exitOf(t *testing.T) int {
	t.Helper()
	_, code, ok := strings.Cut(r.text, "\nexit ")
	require.True(t, ok)
	var n int
	fmt.Sscan(code, &n)
	r.text = strings.TrimSuffix(r.text, "\nexit "+code)
	return n
}

// run runs the row as a user would. What has to be built is built first, so that time and memory are those of the run.
func (r *misbehaviour) run(t *testing.T) {
	dir := t.TempDir()
	r.edit(t, dir, "psn.yaml", r.Manifest)
	r.edit(t, dir, "psn.v", r.RTL)
	args := []string{"run", "--flavour", "quick", "--show", "1", "--dut", filepath.Join(dir, "psn.yaml")}
	if r.Exit != cocosim.BuildFailed && r.Exit != cocosim.BadInput {
		cosim(append(args, "--count", "1")...)
	}
	if r.Fault >= 0 {
		args = append(args, "--config", fmt.Sprintf("fault=%d", r.Fault))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, append(args, r.Args...)...)
	peak := filepath.Join(t.TempDir(), "peak")
	cmd.Env = append(os.Environ(), asCommand+"="+peak, "XDG_STATE_HOME="+t.TempDir())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err = cmd.Run()
	r.took = time.Since(began)
	var exit *exec.ExitError
	require.True(t, err == nil || errors.As(err, &exit), err)
	text, err := os.ReadFile(peak)
	require.NoError(t, err)
	_, err = fmt.Sscan(string(text), &r.peak, &r.cpu)
	require.NoError(t, err)
	r.text = anyPath.ReplaceAllString(out.String(), "") + fmt.Sprintf("\nexit %d", cmd.ProcessState.ExitCode())
}

// anyPath is a path in front of the design's files: an image is built once, from where its first row lay.
var anyPath = regexp.MustCompile(`/\S*/(?:psn\.)?001/`)

// edit copies a file with changes.
func (r *misbehaviour) edit(t *testing.T, dir, name string, changes map[string]string) {
	text, err := os.ReadFile(filepath.Join(misbehaviourRoot, misbehaviourDir, name))
	require.NoError(t, err)
	var pairs []string
	for from, to := range changes {
		require.Contains(t, string(text), from)
		pairs = append(pairs, from, to)
	}
	changed := strings.NewReplacer(pairs...).Replace(string(text))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(changed), 0o666))
}

// noise are the lines of a report that say nothing of the misbehaviour.
var noise = regexp.MustCompile(`^(cosim run|bundle |` +
	` +(stimulus|packets|cycles|rates|timing|seed|drain|reproduce|input|given|want|got|differs|verdict|outputs) |` +
	`  \.\.\. and \d+ more)`)

// said is what the user reads of it: the telling lines, at most six.
func (r *misbehaviour) said() string {
	var lines []string
	for line := range strings.Lines(r.text) {
		if line = strings.TrimSpace(noise.ReplaceAllString(line, "\x00")); line != "" && line[0] != 0 && len(lines) < 6 {
			if len(line) > 240 {
				line = line[:240] + " ..."
			}
			lines = append(lines, "`"+strings.NewReplacer("|", "\\|", "`", "'").Replace(line)+"`")
		}
	}
	return strings.Join(lines, "<br>")
}

var verdictLine = regexp.MustCompile(`(?m)^  verdict +(.*)$`)

func writeMisbehaviour(t *testing.T, rows []*misbehaviour) {
	var b strings.Builder
	fmt.Fprintf(&b, "# What foreign RTL can do, and what comes of it\n\nWritten by `go test ./cmd/cosim -run "+
		"TestMisbehaviour -slow -update`; the rows stand in "+
		"`cmd/cosim/testdata/misbehaviour`.\nTime and memory are those of the run (the build apart; of a build that fails, "+
		"with it): "+
		"memory is the peak of the command\nand that of its largest child, simulator or compiler, added. %d rows; none may "+
		"take %d s of a\nprocessor, or 1 GiB. The clock is that of a machine with other things to do.\n\n"+
		"| what | verdict | exit | CPU s | clock s | MiB | the user reads |\n|---|---|---|---|---|---|---|\n", len(rows),
		mostSeconds)
	for _, r := range rows {
		verdict := "-"
		if v := verdictLine.FindStringSubmatch(r.text); v != nil {
			verdict = v[1]
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %.1f | %.1f | %d | %s |\n", strings.ReplaceAll(r.Name, "|", "\\|"), verdict, r.Exit,
			r.cpu, r.took.Seconds(), r.peak>>10, r.said())
	}
	require.NoError(t, os.MkdirAll("../../docs/generated", 0o777))
	require.NoError(t, os.WriteFile("../../docs/generated/misbehaviour.md", []byte(b.String()), 0o666))
}

// TestPrintsAreKept: what a design prints is in JSON with its cycle, and at --log-level info it comes as it is printed.
func TestPrintsAreKept(t *testing.T) {
	needVerilator(t)
	file := filepath.Join(misbehaviourDir, "psn.yaml")
	_, out, errs := cosim("run", "--dut", file, "--flavour", "quick", "--config", "fault=30", "--json", "-v")
	var rep report.JSON
	require.NoError(t, json.Unmarshal([]byte(out), &rep))
	require.EqualValues(t, 1, rep.PrintCount)
	require.Equal(t, []report.PrintJSON{{Text: "%Warning: no_such_table.hex:0: $readmem file not found"}}, rep.Prints)
	require.Contains(t, errs, "the design prints: device=psn cycle=reset text=\"%Warning: no_such_table.hex:0")
	require.Equal(t, cocosim.Mismatch, rep.ExitCode)
	require.Contains(t, strings.Join(rep.Hints, "\n"), "no_such_table.hex")

	_, out, _ = cosim("run", "--dut", file, "--flavour", "quick", "--config", "fault=13", "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &rep))
	require.EqualValues(t, 29999, rep.PrintCount)
	require.Len(t, rep.Prints, cocosim.MaxPrints)
	require.EqualValues(t, 1, *rep.Prints[0].Cycle)
	require.Equal(t, "cycle 999: taken 999", rep.Prints[cocosim.MaxPrints-1].Text, "the bridge sends the first 1,000")

	_, out, _ = cosim("run", "--dut", file, "--flavour", "quick", "--config", "fault=8", "--backpressure", "0.3", "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &rep))
	total := uint64(0)
	for _, c := range rep.Counts {
		total += c.Count
	}
	require.Equal(t, rep.Mismatched, total)
	require.Equal(t, "AXIS-VALID", rep.Counts[0].Rule)
	for i := 1; i < len(rep.Mismatches); i++ {
		require.LessOrEqual(t, rep.Mismatches[i-1].Cycle, rep.Mismatches[i].Cycle, "the earliest first")
	}
}

// TestFailuresAreObjects: --json prints an object on every exit.
func TestFailuresAreObjects(t *testing.T) {
	for _, args := range [][]string{{"run", "--no-such-flag"}, {"run", "--dut", "no_such"}, {"run", "--capture",
		"/no/such.pcap"}, {"rnu"}, {"check"},
		{"run", "--count", "1", "--count", "2"}} {
		exit, out, errs := cosim(append(args, "--json")...)
		require.Equal(t, cocosim.BadInput, exit)
		var o struct {
			Error, Verdict string
			Exit           int
		}
		require.NoError(t, json.Unmarshal([]byte(out), &o), out)
		require.Equal(t, "BAD INPUT", o.Verdict)
		require.Equal(t, 2, o.Exit)
		require.Equal(t, "cosim: "+o.Error+"\n", errs)
	}
	_, _, errs := cosim("rnu")
	require.Contains(t, errs, `Did you mean "run"?`)
}

// TestSeveralSeedsAndDevices: several are several runs; the first that does not agree gives the exit code, and the
// others are run.
func TestSeveralSeedsAndDevices(t *testing.T) {
	exit, out, errs := cosim("run", "--device", "model", "--count", "20", "--json", "--dut", "icrc_check", "--dut",
		"vcrc_check", "--seed", "1", "--seed", "2")
	require.Equal(t, cocosim.Agreed, exit, errs)
	dec := json.NewDecoder(strings.NewReader(out))
	for _, want := range []report.JSON{{Report: &report.Report{Dut: "icrc_check", Seed: 1}},
		{Report: &report.Report{Dut: "icrc_check", Seed: 2}},
		{Report: &report.Report{Dut: "vcrc_check", Seed: 1}}, {Report: &report.Report{Dut: "vcrc_check", Seed: 2}}} {
		var got report.JSON
		require.NoError(t, dec.Decode(&got))
		require.Equal(t, want.Dut, got.Dut)
		require.Equal(t, want.Seed, got.Seed)
		require.EqualValues(t, 20, got.Agreed)
	}
	exit, out, errs = cosim("run", "--device", "model", "--count", "20", "--json", "--dut", "icrc_check", "--dut",
		"nonesuch", "--dut", "vcrc_check")
	require.Equal(t, cocosim.BadInput, exit)
	require.Equal(t, 3, strings.Count(out, "\n"), out)
	require.Contains(t, errs, "no device named")
	// neither the greatest nor the last
	for _, duts := range [][2]string{{"nonesuch", "icrc_check"}, {"icrc_check", "nonesuch"}} {
		exit, out, errs = cosim("run", "--device", "model", "--scenario", "minimum", "--count", "20", "--limit-cycles", "30",
			"--dut", duts[0], "--dut", duts[1])
		want := map[string]cocosim.Exit{"nonesuch": cocosim.BadInput, "icrc_check": cocosim.Inconclusive}
		require.Equal(t, want[duts[0]], exit, "%v: %s%s", duts, out, errs)
	}
}
