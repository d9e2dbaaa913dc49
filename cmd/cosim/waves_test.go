package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/bundle"
	"hcacosim/cocosim/verilated"
	"hcacosim/cocosim/waves"
)

// wrongRecord is the design of testdata/misbehaviour with one wrong record, in cycle 301, and more changes of its RTL.
func wrongRecord(t *testing.T, more map[string]string) string {
	changes := map[string]string{"if (fault == 4 && taken == 300)": "if (taken == 300)"}
	maps.Copy(changes, more)
	dir := t.TempDir()
	copyMisbehaviour(t, dir, nil)
	r := misbehaviour{}
	r.edit(t, dir, "psn.v", changes)
	return filepath.Join(dir, "psn.yaml")
}

// requireWaves holds the waves of a bundle against what it says of them.
func requireWaves(t *testing.T, dir string) (*bundle.About, *waves.File) {
	t.Helper()
	about, _, err := bundle.Open(dir)
	require.NoError(t, err)
	require.Equal(t, bundle.TraceFile, about.Trace)
	f, err := waves.Read(filepath.Join(dir, about.Trace))
	require.NoError(t, err)
	require.Equal(t, about.TraceCycles.From, f.From/verilated.CycleTime)
	require.Equal(t, about.TraceCycles.To, f.To/verilated.CycleTime)
	paths, bases := map[string]bool{}, map[string]bool{}
	for _, v := range f.Vars {
		paths[v.Path()], bases[v.Base()] = true, true
	}
	signals := 0
	for line := range strings.Lines(readText(t, filepath.Join(dir, bundle.GTKWaveFile))) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "TOP.") {
			require.Contains(t, paths, line)
			signals++
		}
	}
	for line := range strings.Lines(readText(t, filepath.Join(dir, bundle.SurferFile))) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "variable_add "); ok {
			require.Contains(t, bases, name)
			signals++
		}
	}
	require.Greater(t, signals, 20)
	return about, f
}

func requireNoWaves(t *testing.T, dir string) {
	t.Helper()
	about, _, err := bundle.Open(dir)
	require.NoError(t, err)
	require.Equal(t, "none", about.Trace)
	require.NoFileExists(t, filepath.Join(dir, bundle.TraceFile))
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// TestWaves: a failing run leaves the waves around its mismatch, replay makes them, and the good device has others.
func TestWaves(t *testing.T) {
	needVerilator(t)
	file := wrongRecord(t, nil)
	dir := filepath.Join(t.TempDir(), "bundle")
	code, out, errs := cosim("run", "--dut", file, "--flavour", "quick", "--waves", "fail", "--bundle", dir)
	require.EqualValues(t, 1, code, out+errs)
	require.Contains(t, errs, "waves "+filepath.Join(dir, "trace.fst")+": cycles 45 to 333")
	about, wave := requireWaves(t, dir)
	requireValues(t, filepath.Join(dir, bundle.TraceFile), wave)
	requireBroken(t, filepath.Join(dir, bundle.TraceFile))
	for _, want := range []string{`<a href="trace.fst">`, `<svg class="picture"`, ">o_distance</text>"} {
		require.Contains(t, readText(t, filepath.Join(dir, bundle.PageFile)), want)
	}
	require.EqualValues(t, 301, about.Cycle)
	require.Equal(t, &bundle.Taken{Port: "s_rec", Packet: 300, Start: 300, End: 300}, about.Input)
	require.Contains(t, readText(t, filepath.Join(dir, bundle.GTKWaveFile)),
		fmt.Sprintf(" %d ", 301*verilated.CycleTime+verilated.CycleTime/2-1), "the marker, right in front of the edge")
	if vcd, err := exec.Command("fst2vcd", "-f", filepath.Join(dir, "trace.fst")).Output(); err == nil {
		require.Equal(t, "b1", valueAt(string(vcd), "o_distance", 301*verilated.CycleTime+verilated.CycleTime/2-1),
			"the wrong distance at the marker; the right one is 0")
	}

	code, _, errs = cosim("replay", "--waves-before", "10", "--waves-after", "5", "--waves", dir)
	require.EqualValues(t, 1, code)
	require.Contains(t, errs, "cycles 284 to 306", "from 16 cycles before its input was taken")
	requireWaves(t, dir)

	good := filepath.Join(copyMisbehaviour(t, t.TempDir(), nil), "psn.yaml")
	code, _, errs = cosim("replay", "--dut", good, "--waves", "fail", dir)
	require.EqualValues(t, 0, code)
	require.NotContains(t, errs, "waves ", "it agreed")
	code, _, errs = cosim("replay", "--dut", good, "--waves", "always", dir)
	require.EqualValues(t, 0, code)
	require.Contains(t, errs, "cycles 45 to 333", "where the other fails")
	requireWaves(t, dir)
	dir = filepath.Join(t.TempDir(), "agreed")
	code, _, errs = cosim("run", "--dut", good, "--flavour", "quick", "--count", "500", "--waves", "always",
		"--bundle", dir)
	require.EqualValues(t, 0, code, errs)
	about, _ = requireWaves(t, dir)
	require.InDelta(t, 500, about.Cycle, 3, "the end of its packets")
}

// TestWavesErrorsAreForPeople: what has no waves, and words that are none.
func TestWavesErrorsAreForPeople(t *testing.T) {
	code, _, errs := cosim("run", "--waves", "sometimes")
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, `--waves is never, fail or always, not "sometimes"`)
	code, _, errs = cosim("run", "--waves", "fail", "--no-bundle")
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, "--no-bundle leaves out")
	dir := filepath.Join(t.TempDir(), "agreed")
	code, _, errs = cosim("run", "--dut", "psn_window", "--device", "model", "--count", "50", "--waves", "always",
		"--bundle", dir)
	require.EqualValues(t, 0, code)
	require.Contains(t, errs, "no waves: device model has no signals")
	requireNoWaves(t, dir)
}

// valueAt is the value of a signal of a VCD file at a time; that of the innermost scope.
func valueAt(vcd, name string, at int) string {
	id, value, now := "", "", 0
	for line := range strings.Lines(vcd) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "$var" && len(words) > 4 && words[4] == name:
			id = words[3]
		case words[0][0] == '#':
			if fmt.Sscan(words[0][1:], &now); now > at {
				return value
			}
		case len(words) == 2 && words[1] == id:
			value = "b" + strings.TrimLeft(words[0][1:], "0")
		}
	}
	return value
}

// tracing starts a replay with waves as a process of its own, whose window stays open to the end of the run, and waits
// until they are being written.
func tracing(t *testing.T, dir string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "replay", "--waves", "fail", "--waves-after", "1000000", dir)
	cmd.Env = append(os.Environ(), asCommand+"="+filepath.Join(t.TempDir(), "peak"))
	cmd.Stderr = new(bytes.Buffer)
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		parts, _ := filepath.Glob(filepath.Join(dir, ".trace-*", "trace.fst.part"))
		return len(parts) > 0
	}, 5*time.Minute, 5*time.Millisecond)
	return cmd
}

// TestWavesOfAStoppedRun: a signal to the command leaves the waves until then, and a bundle that is whole in any case;
// so does the end of the simulator. Nothing that runs is left behind.
func TestWavesOfAStoppedRun(t *testing.T) {
	needVerilator(t)
	onlyLong(t)
	// A tenth of a millisecond a cycle.
	file := wrongRecord(t, map[string]string{"if (fault == 45) $c(\"for (volatile int k = 0; k < 1000000;": "$c(\"for " +
		"(volatile int k = 0; k < 100000;"})
	dir := filepath.Join(t.TempDir(), "bundle")
	code, out, errs := cosim("run", "--dut", file, "--flavour", "quick", "--count", "400", "--bundle", dir)
	require.EqualValues(t, 1, code, out+errs)
	code, out, errs = cosim("replay", "--waves", dir)
	require.EqualValues(t, 1, code, out+errs)
	requireWaves(t, dir)

	for _, c := range []struct {
		signal    syscall.Signal
		simulator bool // in place of the command
	}{{syscall.SIGTERM, false}, {syscall.SIGINT, false}, {syscall.SIGHUP, false}, {syscall.SIGTERM, true},
		{syscall.SIGKILL, false}, {syscall.SIGKILL, true}} {
		name := fmt.Sprint(c.signal, " simulator ", c.simulator)
		t.Run(name, func(t *testing.T) {
			dir := withoutWaves(t, dir)
			cmd := tracing(t, dir)
			pids := simulatorsOf(t, cmd.Process.Pid)
			require.NotEmpty(t, pids)
			if c.simulator {
				require.NoError(t, syscall.Kill(pids[0], c.signal))
			} else {
				require.NoError(t, cmd.Process.Signal(c.signal))
			}
			err := cmd.Wait()
			require.Error(t, err)
			late := strings.Contains(cmd.Stderr.(*bytes.Buffer).String(), "interrupted") // on a busy machine
			switch {
			case c.signal == syscall.SIGKILL || late:
				requireNoWaves(t, dir)
			default:
				about, _ := requireWaves(t, dir)
				require.Less(t, about.TraceCycles.To, uint64(20_000), "until then")
			}
			if c.simulator || c.signal != syscall.SIGKILL {
				require.Contains(t, []int{1, 6}, cmd.ProcessState.ExitCode())
			}
			require.Eventually(t, func() bool { return syscall.Kill(pids[0], 0) != nil }, time.Minute, 10*time.Millisecond,
				"the simulator is gone")
			code, out, errs := cosim("replay", "--waves", dir)
			require.EqualValues(t, 1, code, out+errs)
			requireWaves(t, dir)
			left, _ := filepath.Glob(filepath.Join(dir, ".*"))
			require.Empty(t, left)
		})
	}
}

// TestStoppedBundle: a signal while a bundle or a shrunk one is made leaves none, and nothing that looks like one.
func TestStoppedBundle(t *testing.T) {
	needVerilator(t)
	onlyLong(t)
	file := wrongRecord(t, map[string]string{"if (fault == 45) $c(\"for (volatile int k = 0; k < 1000000;": "$c(\"for " +
		"(volatile int k = 0; k < 100000;"})
	whole := filepath.Join(t.TempDir(), "bundle")
	run := []string{"run", "--dut", file, "--flavour", "quick", "--count", "400", "--bundle"}
	code, out, errs := cosim(append(run, whole)...)
	require.EqualValues(t, 1, code, out+errs)
	self, err := os.Executable()
	require.NoError(t, err)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for _, args := range [][]string{run, {"shrink", whole, "-o"}} {
			folder := t.TempDir()
			cmd := exec.Command(self, append(args, filepath.Join(folder, "b"))...)
			cmd.Env = append(os.Environ(), asCommand+"="+filepath.Join(t.TempDir(), "peak"))
			require.NoError(t, cmd.Start())
			if args[0] == "run" {
				require.Eventually(t, func() bool {
					list, _ := filepath.Glob(filepath.Join(folder, ".bundle-*"))
					return len(list) > 0
				}, 5*time.Minute, time.Millisecond)
			} else {
				time.Sleep(time.Second)
			}
			require.NoError(t, cmd.Process.Signal(sig))
			require.Error(t, cmd.Wait())
			if sig == syscall.SIGTERM {
				require.Contains(t, []int{1, 6}, cmd.ProcessState.ExitCode(), args[0])
			}
			require.NoDirExists(t, filepath.Join(folder, "b"), args[0])
			left, err := os.ReadDir(folder)
			require.NoError(t, err)
			for _, e := range left {
				require.True(t, sig == syscall.SIGKILL && strings.HasPrefix(e.Name(), ".bundle-"), e.Name())
			}
			code, _, _ := cosim("replay", whole)
			require.EqualValues(t, 1, code, "what was whole stays so")
		}
	}
}

// withoutWaves copies a bundle and takes its waves out.
func withoutWaves(t *testing.T, from string) string {
	dir := filepath.Join(t.TempDir(), "bundle")
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	about := filepath.Join(dir, bundle.AboutFile)
	text := strings.Replace(readText(t, about), `"trace": "trace.fst"`, `"trace": "none"`, 1)
	require.NoError(t, os.WriteFile(about, []byte(text), 0o666))
	require.NoError(t, os.Remove(filepath.Join(dir, bundle.TraceFile)))
	return dir
}

// simulatorsOf are the children of a process that run a simulator.
func simulatorsOf(t *testing.T, pid int) (pids []int) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	require.NoError(t, err)
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, word := range strings.Fields(string(text)) {
			var child int
			fmt.Sscan(word, &child)
			if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", child)); filepath.Base(exe) == "simulator" {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// tmpfs mounts a small disk.
func tmpfs(t *testing.T, kib int) string {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kib)); err != nil {
		t.Skip("skipped: no tmpfs can be mounted")
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// TestFullDisk: on a disk that is full, or cannot be written, a bundle, a shrunk bundle and waves appear whole or not
// at all; the verdict stays, and what was whole stays usable.
func TestFullDisk(t *testing.T) {
	needVerilator(t)
	file := wrongRecord(t, nil)
	whole := filepath.Join(t.TempDir(), "bundle")
	code, out, errs := cosim("run", "--dut", file, "--flavour", "quick", "--count", "400", "--bundle", whole)
	require.EqualValues(t, 1, code, out+errs)

	bundles := 0
	for _, kib := range []int{4, 32, 96, 1024} {
		disk := tmpfs(t, kib)
		dir := filepath.Join(disk, "b")
		code, _, errs := cosim("run", "--dut", file, "--flavour", "quick", "--count", "400", "--bundle", dir)
		require.EqualValues(t, 1, code, "the verdict stays")
		if _, err := os.Stat(dir); err == nil {
			bundles++
			requireNoWaves(t, dir)
			code, _, errs = cosim("replay", dir)
			require.EqualValues(t, 1, code, errs)
			require.NotContains(t, errs, "this run")
		} else {
			require.Regexp(t, "no bundle: .*no space left on device", errs)
			requireEmpty(t, disk)
		}
		small := filepath.Join(disk, "small")
		code, _, errs = cosim("shrink", whole, "-o", small, "--limit", "1s")
		if _, err := os.Stat(small); err == nil {
			require.Zero(t, code, errs)
			code, _, errs = cosim("replay", small)
			require.EqualValues(t, 1, code, errs)
		} else {
			require.EqualValues(t, 2, code)
			require.Contains(t, errs, "no space left on device")
		}
	}
	require.Positive(t, bundles)
	require.Less(t, bundles, 4, "no disk was full")
}

func requireEmpty(t *testing.T, dir string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, list)
}

// TestWavesOnAFullDisk: the bundle stays as it was, and says so.
func TestWavesOnAFullDisk(t *testing.T) {
	needVerilator(t)
	file := wrongRecord(t, nil)
	made := 0
	for _, free := range []int{0, 8, 24, 1024} {
		disk := tmpfs(t, 4096)
		dir := filepath.Join(disk, "b")
		code, out, errs := cosim("run", "--dut", file, "--flavour", "quick", "--count", "400", "--bundle", dir)
		require.EqualValues(t, 1, code, out+errs)
		fillDisk(t, disk, free)
		code, _, errs = cosim("replay", "--waves", dir)
		require.EqualValues(t, 1, code, "the verdict stays")
		if strings.Contains(errs, "no waves: ") {
			requireNoWaves(t, dir)
		} else {
			made++
			requireWaves(t, dir)
		}
		left, _ := filepath.Glob(filepath.Join(dir, ".*"))
		require.Empty(t, left)
	}
	require.Positive(t, made)
	require.Less(t, made, 4, "no disk was full")
}

// fillDisk leaves so many KiB.
func fillDisk(t *testing.T, dir string, free int) {
	var st syscall.Statfs_t
	require.NoError(t, syscall.Statfs(dir, &st))
	n := int64(st.Bavail)*st.Bsize - int64(free)<<10
	require.NoError(t, os.WriteFile(filepath.Join(dir, "filler"), make([]byte, n), 0o666))
}

// TestReadOnlyBundle: one line, and the verdict.
func TestReadOnlyBundle(t *testing.T) {
	needVerilator(t)
	file := wrongRecord(t, nil)
	disk := tmpfs(t, 4096)
	dir := filepath.Join(disk, "b")
	code, out, errs := cosim("run", "--dut", file, "--flavour", "quick", "--count", "400", "--bundle", dir)
	require.EqualValues(t, 1, code, out+errs)
	require.NoError(t, syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	code, _, errs = cosim("replay", "--waves", dir)
	require.EqualValues(t, 1, code)
	require.Contains(t, errs, "no waves: read-only file system")
	requireNoWaves(t, dir)
	code, _, errs = cosim("shrink", dir, "-o", filepath.Join(disk, "small"), "--limit", "1s")
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, "read-only file system")
	code, _, errs = cosim("run", "--dut", file, "--flavour", "quick", "--count", "400", "--bundle",
		filepath.Join(disk, "c"))
	require.EqualValues(t, 1, code)
	require.Regexp(t, "no bundle: .*read-only file system", errs)
}
