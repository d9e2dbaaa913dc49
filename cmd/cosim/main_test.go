package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hcacosim/model/stages"
	"hcacosim/vectors/scenario"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
	"hcacosim/vectors"
	"hcacosim/vectors/known"
)

// cosim runs the command as main does.
func cosim(args ...string) (exit cocosim.Exit, out, errs string) {
	var o, e bytes.Buffer
	code := run(context.Background(), append([]string{"cosim"}, args...), &o, &e)
	return cocosim.Exit(code), o.String(), e.String()
}

// pcap makes a classic capture of frames, byte order and time unit as asked.
func pcap(order binary.ByteOrder, magic uint32, frames ...[]byte) []byte {
	b := make([]byte, 24)
	order.PutUint32(b, magic)
	order.PutUint16(b[4:], 2)
	order.PutUint16(b[6:], 4)
	order.PutUint32(b[16:], 65535)
	order.PutUint32(b[20:], 1)
	for _, f := range frames {
		h := make([]byte, 16)
		order.PutUint32(h[8:], uint32(len(f)))
		order.PutUint32(h[12:], uint32(len(f)))
		b = append(append(b, h...), f...)
	}
	return b
}

const (
	microseconds = 0xa1b2c3d4
	nanoseconds  = 0xa1b23c4d
)

func file(t *testing.T, name string, content []byte) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o644))
	return path
}

// cnp is a RoCEv2 frame with a known good ICRC: the first line of the committed ICRC vectors.
func cnp(t *testing.T) []byte {
	c, err := known.Open(known.Files()[0].Name)
	require.NoError(t, err)
	defer c.Close()
	f, err := c.Next()
	require.NoError(t, err)
	return bytes.Clone(f.Data)
}

func TestBadInputIsOneClearLine(t *testing.T) {
	good := pcap(binary.LittleEndian, microseconds, cnp(t), cnp(t))
	for _, c := range []struct {
		name string
		args []string
		exit cocosim.Exit
		says string
	}{
		{"missing file", []string{"check", "/nowhere/x.pcap"}, cocosim.BadInput, "/nowhere/x.pcap: no such file"},
		{"empty file", []string{"check", file(t, "e.pcap", nil)}, cocosim.BadInput, "empty file"},
		{"not a capture", []string{"check", file(t, "n.pcap", []byte("hello, world"))}, cocosim.BadInput, "not a capture"},
		{"cut in the first packet", []string{"check", file(t, "c.pcap", good[:30])}, cocosim.BadInput,
			"cut in the middle of packet 1"},
		{"no capture", []string{"check"}, cocosim.BadInput, "no capture named"},
		{"unknown flag", []string{"run", "--sead", "4"}, cocosim.BadInput, "-sead"},
		{"scenario of another size", []string{"run", "--dut", "hca_rx", "--param", "NumQps=64", "--scenario", "hca-rx-many"},
			cocosim.BadInput, "--param NumQps=4096"},
		{"files of a draw, and none of them", []string{"qualify", "--dut", "psn_window", "--in", "top/"}, cocosim.BadInput,
			"--in top/: no file of psn_window begins so"},
		{"files of a draw, and no draw", []string{"qualify", "--dut", "psn_window", "--in", "psn/", "--id", "1"},
			cocosim.BadInput, "--id draw nothing"},
		{"unknown command", []string{"frobnicate"}, cocosim.BadInput, "frobnicate"},
		{"stray argument", []string{"run", "icrc_check"}, cocosim.BadInput, `"icrc_check"`},
		{"unknown scenario", []string{"run", "--scenario", "nonsense"}, cocosim.BadInput, "known: mix"},
		{"unknown device", []string{"run", "--dut", "nonsense"}, cocosim.BadInput, `no device named "nonsense"`},
		{"a seed below 0", []string{"run", "--seed", "-1"}, cocosim.BadInput,
			"--seed -1: give a whole number from 0 on (see"},
		{"a count below 0", []string{"run", "--count", "-1"}, cocosim.BadInput, "--count -1: give a whole number from 0 on"},
		{"memory in words", []string{"run", "--max-memory", "10G"}, cocosim.BadInput,
			"--max-memory 10G: give a whole number from 0 on"},
		{"more memory than there is", []string{"run", "--max-memory", "99999999999999999"}, cocosim.BadInput,
			"--max-memory 99999999999999999: in MiB"},
		{"a share in words", []string{"run", "--idle", "half"}, cocosim.BadInput, "--idle half: give a number (see"},
		{"a time without unit", []string{"link", "--delay", "5"}, cocosim.BadInput, "--delay 5: give a time, such as 2us"},
		{"jobs in words", []string{"regress", "-j", "two"}, cocosim.BadInput, "--j two: give a whole number (see"},
		{"a flavour that there is not", []string{"run", "--dut", "psn_window", "--device", "model", "--flavour", "nosuch"},
			cocosim.BadInput, `no build flavour "nosuch"`},
		{"a parameter where there is none", []string{"run", "--dut", "psn_window", "--device", "model", "--param", "Foo=3"},
			cocosim.BadInput, `psn_window has no parameter "Foo" (it has none)`},
		{"a loop of RTL", []string{"predict", "--link", "--against-rtl", "x.yaml"}, cocosim.BadInput,
			"--against-rtl: not with --link: `cosim link` plays"},
		{"unknown parameter", []string{"run", "--param", "Depth=4"}, cocosim.BadInput, `no parameter "Depth"`},
		{"parameter without number", []string{"run", "--param", "DataWidth"}, cocosim.BadInput, "NAME=NUMBER"},
		{"width that the RTL refuses", []string{"run", "--param", "DataWidth=96"}, cocosim.BuildFailed, "DataWidth"},
		{"backpressure for ever", []string{"run", "--backpressure", "1"}, cocosim.BadInput, "0 to 0.99"},
		{"unknown manifest key", []string{"run", "--dut", file(t, "m.yaml", []byte("name: x\ncolour: red\n"))},
			cocosim.BadInput, `m.yaml:2: unknown key "colour"`},
		{"missing vector set", []string{"run", "--vectors", "/nowhere"}, cocosim.BadInput, "/nowhere"},
		{"capture in a run", []string{"run", "--device", "model", "--capture", file(t, "d.pcap", good[:len(good)-3])},
			cocosim.BadInput, "cut in the middle of packet 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.exit == cocosim.BuildFailed {
				needVerilator(t)
			}
			exit, _, errs := cosim(c.args...)
			require.Equal(t, c.exit, exit, errs)
			require.Contains(t, errs, c.says)
			require.Equal(t, 1, strings.Count(errs, "\n"), "one line: %q", errs)
		})
	}
}

func TestCheckReadsEveryPcap(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, magic := range []uint32{microseconds, nanoseconds} {
			exit, out, errs := cosim("check", file(t, "x.pcap", pcap(order, magic, cnp(t))), "--json")
			require.Equal(t, cocosim.Agreed, exit, errs)
			require.Contains(t, out, `"packets":1,"roce":1,"ib":0,"icrc_bad":0,"malformed":0,"undecided":0,"violations":[]`)
		}
	}
}

// A capture that ends within a record ends there: its writer was stopped. What was read before damage is not lost.
func TestCheckKeepsWhatItRead(t *testing.T) {
	good := pcap(binary.LittleEndian, microseconds, cnp(t), cnp(t))
	exit, out, _ := cosim("check", "--json", file(t, "c.pcap", good[:len(good)-3]), file(t, "ok.pcap", good))
	require.Equal(t, cocosim.Agreed, exit)
	var got struct{ Captures []tally }
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, uint64(1), got.Captures[0].Packets)
	require.Contains(t, got.Captures[0].Note, "cut in the middle of packet 2")
	require.Equal(t, uint64(2), got.Captures[1].Packets)
}

// sharedCaptures are the files of the folder of captures; a clone alone does not have it.
func sharedCaptures(t *testing.T) []string {
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = "../../../shared/captures"
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.pcap"))
	if len(files) == 0 {
		t.Skipf("skipped: no captures in %s (set HCACOSIM_CAPTURES)", dir)
	}
	return files
}

// generateSet makes a vector set as vecgen does.
func generateSet(t *testing.T, name, stage string, count uint64) string {
	s, err := scenario.Lookup(name)
	require.NoError(t, err)
	spec, ok := stages.Lookup(stage)
	require.True(t, ok)
	dir := filepath.Join(t.TempDir(), "set")
	_, err = vectors.GenerateSet(dir, s, spec, 1, count, vectors.SetOptions{})
	require.NoError(t, err)
	return dir
}

// The sidecars of the shared captures count with another decoder.
func TestCheckAgreesWithTheSidecars(t *testing.T) {
	files := sharedCaptures(t)
	_, out, errs := cosim(append([]string{"check", "--json"}, files...)...)
	require.Empty(t, errs)
	var got struct{ Captures []tally }
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Len(t, got.Captures, len(files))
	for i, f := range files {
		name, side := strings.TrimSuffix(f, ".pcap"), ""
		name, side = name[:len(name)-2], name[len(name)-1:]
		text, err := os.ReadFile(name + ".json")
		require.NoError(t, err)
		var sidecar struct {
			Stats map[string]json.RawMessage
		}
		require.NoError(t, json.Unmarshal(text, &sidecar))
		var s struct {
			Frames uint64
			TxBad  uint64 `json:"tx_bad_icrc"`
			RxBad  uint64 `json:"rx_bad_icrc"`
			TxNot  uint64 `json:"tx_not_roce"`
			RxNot  uint64 `json:"rx_not_roce"`
		}
		require.NoError(t, json.Unmarshal(sidecar.Stats[side], &s))
		c := got.Captures[i]
		require.Equal(t, s.Frames, c.Packets, f)
		require.Equal(t, s.Frames-s.TxNot-s.RxNot, c.RoCE, f)
		require.Equal(t, s.TxBad+s.RxBad, c.ICRCBad, f)
		require.Zero(t, c.Undecided, f)
	}
}

func TestRunModelAgainstItself(t *testing.T) {
	for _, dut := range []string{"icrc_check", "icrc_insert", "vcrc_check"} {
		exit, out, errs := cosim("run", "--dut", dut, "--device", "model", "--count", "2000", "--json")
		require.Equal(t, cocosim.Agreed, exit, errs)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(out), &got))
		for _, key := range []string{"dut", "seed", "packets", "agreed", "mismatched", "cycles", "exit"} {
			require.Contains(t, got, key)
		}
		require.EqualValues(t, 2000, got["packets"])
		require.EqualValues(t, 2000, got["agreed"])
	}
}

func TestRunWithoutVerilator(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("HCACOSIM_CACHE", t.TempDir())
	exit, _, errs := cosim("run")
	require.Equal(t, cocosim.BuildFailed, exit)
	require.Contains(t, errs, "verilator")
	require.Contains(t, errs, "apt-get install")
	require.Equal(t, 1, strings.Count(errs, "\n"))
}

// TestResultIsIndependentOfTheBatch: the same seed gives the same bytes for every batch size, with and without
// backpressure, and the same cycles wherever backpressure is the same.
func TestResultIsIndependentOfTheBatch(t *testing.T) {
	needVerilator(t)
	digests, timed := map[string]bool{}, map[string]bool{}
	for _, stall := range []string{"0", "0.4"} {
		for _, batch := range []int{1, 7, 64, 4096} {
			exit, out, errs := cosim("run", "--json", "--scenario", "mix", "--count", "3000", "--seed", "5", "--batch",
				strconv.Itoa(batch), "--flavour", "debug", "--backpressure", stall, "--idle", stall)
			require.Equal(t, cocosim.Agreed, exit, errs)
			var rep report.JSON
			require.NoError(t, json.Unmarshal([]byte(out), &rep))
			digests[rep.Digest] = true
			timed[stall+rep.TimedDigest+fmt.Sprint(rep.Cycles)] = true
		}
	}
	require.Len(t, digests, 1)
	require.Len(t, timed, 2)
}

// children are the simulators started by this process that run.
func children(t *testing.T) (pids []int) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, s := range stats {
		text, err := os.ReadFile(s)
		if err != nil {
			continue
		}
		var pid, parent int
		var name, state string
		fmt.Sscanf(string(text), "%d %s %s %d", &pid, &name, &state, &parent)
		if parent == os.Getpid() && name == "(simulator)" && state != "Z" {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestKilledSimulator(t *testing.T) {
	needVerilator(t)
	require.Eventually(t, func() bool { return len(children(t)) == 0 }, 60*time.Second, 10*time.Millisecond,
		"a test before this one has left a simulator")
	for _, c := range []struct {
		signal syscall.Signal
		says   string
	}{{syscall.SIGKILL, "killed"}, {syscall.SIGSEGV, "segmentation"}} {
		type answer struct {
			exit      cocosim.Exit
			out, errs string
		}
		answers := make(chan answer)
		go func() {
			exit, out, errs := cosim("run", "--scenario", "minimum", "--count", "100000000", "--json", "--flavour",
				"debug")
			answers <- answer{exit, out, errs}
		}()
		require.Eventually(t, func() bool { return len(children(t)) == 1 }, 60*time.Second, 10*time.Millisecond)
		time.Sleep(300 * time.Millisecond)
		require.NoError(t, syscall.Kill(children(t)[0], c.signal))
		a := <-answers
		require.Equal(t, cocosim.SimFailed, a.exit, a.errs)
		require.Contains(t, a.errs, c.says)
		require.Equal(t, 1, strings.Count(a.errs, "\n"), a.errs)
		require.Contains(t, a.out, `"verdict":"SIMULATOR FAILED"`, "what was found until then is reported")
		require.Empty(t, children(t))
	}
}

func TestLimitsAreInconclusive(t *testing.T) {
	needVerilator(t)
	args := []string{"run", "--scenario", "minimum", "--count", "100000000", "--flavour", "debug"}
	exit, out, _ := cosim(append(args, "--limit-cycles", "50000")...)
	require.Equal(t, cocosim.Inconclusive, exit)
	require.Contains(t, out, "INCONCLUSIVE")
	exit, out, errs := cosim(append(args, "--timeout", "2s")...)
	require.Equal(t, cocosim.Inconclusive, exit, errs)
	require.Contains(t, out, "INCONCLUSIVE")
	require.Empty(t, children(t))
}

// TestStoppedIsInconclusive: what a signal ended is not bad input, nor a build that failed, and leaves no empty
// directory.
func TestStoppedIsInconclusive(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	dir := filepath.Join(t.TempDir(), "export")
	for _, args := range [][]string{{"export", "--dut", "psn_window", "-o", dir}, {"qualify", "--dut", "psn_window",
		"--mutants", "1"}} {
		var out, errs bytes.Buffer
		code := run(ctx, append([]string{"cosim"}, args...), &out, &errs)
		require.EqualValues(t, cocosim.Inconclusive, code, errs.String())
	}
	require.NoDirExists(t, dir)
}

// TestExportChecksNothing: a bench that is not there agrees with nothing.
func TestExportChecksNothing(t *testing.T) {
	needTools(t, "yosys")
	exit, out, errs := cosim("export", "--dut", "psn_window", "--count", "0", "--check", "-o", t.TempDir())
	require.Equal(t, cocosim.Inconclusive, exit, out+errs)
	require.Contains(t, errs, "nothing was checked")
}
