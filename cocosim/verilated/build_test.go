package verilated

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newBuildOf is a build that is looked at and not made.
func newBuildOf(t *testing.T, m *manifest.Manifest, params map[string]int, flavour Flavour) *build {
	t.Helper()
	b, err := newBuild(context.Background(), m, params, flavour)
	require.NoError(t, err)
	return b
}

// copyLoopback puts the loopback where a test may change it.
func copyLoopback(t *testing.T, change func(name, text string) string) *manifest.Manifest {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"loopback.yaml", "loopback.sv"} {
		text, err := os.ReadFile(filepath.Join("../testdata", name))
		require.NoError(t, err)
		changed := string(text)
		if change != nil {
			changed = change(name, changed)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(changed), 0o666))
	}
	m, err := manifest.Load(filepath.Join(dir, "loopback.yaml"))
	require.NoError(t, err)
	return m
}

const loopbackManifest = "../testdata/loopback.yaml"

// The build id names the content: not where it lies, but everything that goes in.
func TestBuildIDIsThatOfTheContent(t *testing.T) {
	needTools(t)
	m, err := manifest.Load(loopbackManifest)
	require.NoError(t, err)
	key := newBuildOf(t, m, nil, Fast).key
	assert.Len(t, key, 12)
	assert.Equal(t, key, newBuildOf(t, copyLoopback(t, nil), nil, Fast).key)
	assert.NotEqual(t, key, newBuildOf(t, m, nil, Debug).key)
	assert.NotEqual(t, key, newBuildOf(t, m, map[string]int{"DataWidth": 128}, Fast).key)
	deep := changed(t, "loopback.yaml", "{DataWidth: 64}", "{DataWidth: 64, Depth: 3}") // of no port's width
	assert.NotEqual(t, newBuildOf(t, deep, nil, Fast).key, newBuildOf(t, deep, map[string]int{"Depth": 4}, Fast).key)
	assert.NotEqual(t, key, newBuildOf(t, copyLoopback(t, func(name, text string) string {
		return strings.Replace(text, "count_q < 4", "count_q < 3", 1)
	}), nil, Fast).key)
}

// An included file is part of the content too.
func TestBuildIDNamesWhatIsIncluded(t *testing.T) {
	needTools(t)
	key := func(text string) string {
		m := changed(t, "loopback.yaml", "sources: [", "include: [.]\nsources: [")
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(m.Path()), "extra.svh"), []byte(text), 0o666))
		return newBuildOf(t, m, nil, Fast).key
	}
	require.Equal(t, key("// one"), key("// one"))
	require.NotEqual(t, key("// one"), key("// two"))
}

// What is done behind reset lies in the image: the build id names the bus and every value of every step.
func TestBuildIDNamesTheSetup(t *testing.T) {
	m, err := manifest.Load(loopbackManifest)
	require.NoError(t, err)
	at, other := uint64(4), uint64(8)
	seen := map[string]int{}
	for i, change := range []func(s *manifest.Setup){
		func(*manifest.Setup) {},
		func(s *manifest.Setup) { s.Bus = manifest.BusAXILite },
		func(s *manifest.Setup) { s.Width = 16 },
		func(s *manifest.Setup) { s.Address = 20 },
		func(s *manifest.Setup) { s.Steps[0].Write = &other },
		func(s *manifest.Setup) { s.Steps[0].Value = 2 },
		func(s *manifest.Setup) { s.Steps[1].Read = &other },
		func(s *manifest.Setup) { s.Steps[1].Value = 2 },
		func(s *manifest.Setup) { s.Steps[1].Mask = &other },
		func(s *manifest.Setup) { s.Steps[2].Wait = 1000 },
		func(s *manifest.Setup) { s.Steps[0], s.Steps[1] = s.Steps[1], s.Steps[0] },
		func(s *manifest.Setup) { s.Steps = s.Steps[:2] },
	} {
		with := *m
		with.Setup = &manifest.Setup{Bus: manifest.BusPlain, Steps: []manifest.SetupStep{{Write: &at, Value: 1},
			{Read: &at, Value: 1}, {Wait: 10}}}
		change(with.Setup)
		key := (&build{m: &with, flavour: Fast, keys: keys{isShimmed: true}}).hash("")
		require.NotContains(t, seen, key, "change %d", i)
		seen[key] = i
	}
}

// changed makes a manifest whose file is one edit away from the loopback's.
func changed(t *testing.T, file, from, to string) *manifest.Manifest {
	return copyLoopback(t, func(name, text string) string {
		if name != file {
			return text
		}
		require.Contains(t, text, from)
		return strings.Replace(text, from, to, 1)
	})
}

func TestBuildErrorsAreOneLine(t *testing.T) {
	needTools(t)
	t.Setenv("HCACOSIM_CACHE", t.TempDir())
	for _, c := range []struct {
		name, file, from, to string
		exit                 cocosim.Exit
		want                 string
	}{
		{"syntax", "loopback.sv", "wire push =", "wire push", cocosim.BuildFailed, "loopback does not build: "},
		{"no such top", "loopback.yaml", "top: loopback", "top: nothing", cocosim.BuildFailed, "nothing"},
		{"unknown parameter", "loopback.yaml", "{DataWidth: 64}", "{DataWidth: 64, Depth: 3}", cocosim.BuildFailed, "Depth"},
		{"no such pin", "loopback.yaml", "data: s_axis_tdata_i", "data: s_axis_tdat_i", cocosim.BadInput,
			"loopback.yaml:14: loopback has no pin s_axis_tdat_i (its pins: clk_i, "},
		{"wrong width", "loopback.yaml", "psn, pin: rec_psn_i, width: 7", "psn, pin: rec_psn_i, width: 6", cocosim.BadInput,
			"loopback.yaml:26: pin rec_psn_i of loopback has 7 bits, the manifest says 6"},
		{"wrong direction", "loopback.yaml", "ready: rec_ready_o}", "ready: out_ready_i}", cocosim.BadInput,
			"loopback.yaml:24: pin out_ready_i of loopback is an input"},
		{"clock is an output", "loopback.yaml", "clock: clk_i", "clock: out_valid_o", cocosim.BadInput,
			"loopback.yaml:6: pin out_valid_o of loopback is an output"},
		{"pin left out", "loopback.yaml", "config:\n  - {pin: fault_i, width: 4, value: 0}", "config: []", cocosim.BadInput,
			"input fault_i of loopback is not in the manifest (give it a value under config)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Build(context.Background(), changed(t, c.file, c.from, c.to), nil, Quick, nil)
			require.Error(t, err)
			assert.Equal(t, c.exit, cocosim.ExitOf(err), err.Error())
			assert.Contains(t, err.Error(), c.want)
			assert.NotContains(t, err.Error(), "\n")
			if c.exit == cocosim.BuildFailed {
				_, log, found := strings.Cut(strings.TrimSuffix(err.Error(), ")"), "(whole log: ")
				require.True(t, found, err.Error())
				assert.FileExists(t, log)
			}
			if c.name == "syntax" {
				assert.Regexp(t, `/loopback\.sv:\d+:\d+: syntax error`, err.Error())
			}
		})
	}
	left, err := filepath.Glob(filepath.Join(os.Getenv("HCACOSIM_CACHE"), "build-*"))
	require.NoError(t, err)
	assert.Empty(t, left, "build directories left behind")
}

func TestBuildWithoutTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	m, err := manifest.Load(loopbackManifest)
	require.NoError(t, err)
	_, err = Open(context.Background(), m, Options{})
	assert.EqualError(t, err, "verilator and g++ and make not found, which RTL is built with (as root: apt-get install "+
		"verilator g++ make)")
	assert.Equal(t, cocosim.BuildFailed, cocosim.ExitOf(err))
}

// TestToolsAreAskedOnce: a process that builds much asks a tool for its version once, and again when another one lies
// in its place.
func TestToolsAreAskedOnce(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	put := func(name, says string) {
		text := "#!/bin/sh\necho x >>" + filepath.Join(dir, "asked") + "\necho " + says + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	for _, name := range []string{"verilator", "g++", "make"} {
		put(name, "1")
	}
	ask := func(want string, asked int) {
		tools, err := toolVersions(t.Context(), Quick)
		require.NoError(t, err)
		require.Equal(t, want, tools.String())
		text, err := os.ReadFile(filepath.Join(dir, "asked"))
		require.NoError(t, err)
		require.Equal(t, asked, strings.Count(string(text), "x"))
	}
	ask("1, 1", 2)
	ask("1, 1", 2)
	put("g++", "22")
	ask("1, 22", 3)
}

func TestBuildWithoutACache(t *testing.T) {
	needTools(t)
	t.Setenv("HCACOSIM_CACHE", "/dev/null/cache")
	m, err := manifest.Load(loopbackManifest)
	require.NoError(t, err)
	_, err = Build(context.Background(), m, nil, Quick, nil)
	assert.Equal(t, cocosim.BuildFailed, cocosim.ExitOf(err))
	assert.ErrorContains(t, err, "set HCACOSIM_CACHE to a directory that can be written")
	t.Setenv("HCACOSIM_CACHE", filepath.Join(t.TempDir(), "a b"))
	_, err = Build(context.Background(), m, nil, Quick, nil)
	assert.Equal(t, cocosim.BuildFailed, cocosim.ExitOf(err))
	assert.ErrorContains(t, err, "make takes no spaces in a path (set HCACOSIM_CACHE to a directory without)")
}

func TestBuildStopsWithItsContext(t *testing.T) {
	needTools(t)
	t.Setenv("HCACOSIM_CACHE", t.TempDir())
	checkNoChildren(t)
	m, err := manifest.Load(loopbackManifest)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	_, err = Build(ctx, m, nil, Fast, nil)
	if err == nil {
		t.Skip("built before it could be stopped")
	}
	assert.Equal(t, cocosim.Inconclusive, cocosim.ExitOf(err))
	assert.ErrorContains(t, err, "context deadline exceeded")
}

// Two at once build the same image once, and both can run it. The compiler's cache makes this cheap after the first
// time.
func TestBuildTwiceAtOnce(t *testing.T) {
	loopbackImage(t)
	t.Setenv("HCACOSIM_CACHE", t.TempDir())
	m, err := manifest.Load(loopbackManifest)
	require.NoError(t, err)
	var wg sync.WaitGroup
	images, errs := make([]*Image, 2), make([]error, 2)
	for i := range 2 {
		wg.Go(func() { images[i], errs[i] = Build(context.Background(), m, nil, Debug, nil) })
	}
	wg.Wait()
	require.NoError(t, errs[0])
	require.NoError(t, errs[1])
	assert.Equal(t, images[0].Program, images[1].Program)
	before, err := os.Stat(images[0].Program)
	require.NoError(t, err)
	again, err := Build(context.Background(), m, nil, Debug, nil)
	require.NoError(t, err)
	after, err := os.Stat(again.Program)
	require.NoError(t, err)
	assert.Equal(t, before.ModTime(), after.ModTime(), "found, not built")
	built, err := filepath.Glob(filepath.Join(os.Getenv("HCACOSIM_CACHE"), "images", "*"))
	require.NoError(t, err)
	assert.Len(t, built, 1)
}

func TestCacheForgetsWhatIsNotUsed(t *testing.T) {
	cache := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"images/old": unusedFor + time.Hour, "images/new": time.Hour,
		"failed/old.log": unusedFor + time.Hour, "build-1": unusedFor + time.Hour,
		"other": unusedFor + time.Hour} {
		dir := filepath.Join(cache, name)
		require.NoError(t, os.MkdirAll(dir, 0o777))
		require.NoError(t, os.Chtimes(dir, time.Time{}, now.Add(-age)))
	}
	prune(cache, now)
	var left []string
	for _, pattern := range []string{"*", "*/*"} {
		names, err := filepath.Glob(filepath.Join(cache, pattern))
		require.NoError(t, err)
		for _, name := range names {
			left = append(left, strings.TrimPrefix(name, cache+"/"))
		}
	}
	assert.ElementsMatch(t, []string{"failed", "images", "images/new", "other"}, left)
}

// TestSeveralDriversAreSeen: of two drivers on one wire Verilator takes the last, and Yosys says so.
func TestSeveralDriversAreSeen(t *testing.T) {
	needTools(t)
	if _, err := exec.LookPath("yosys"); err != nil {
		t.Skip("skipped: ", err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		return file
	}
	write("two.v", `module two(input clk, input [7:0] a, input va, output [7:0] b, output vb);
  assign b = a;
  assign b = ~a;
  assign vb = va;
endmodule
`)
	m, err := manifest.Load(write("two.yaml", `
name: two
top: two
sources: [two.v]
clock: clk
ports:
  - {name: s, dir: in, kind: axis, width: 8, pins: {data: a, valid: va}}
  - {name: m, dir: out, kind: axis, width: 8, pins: {data: b, valid: vb}}
`))
	require.NoError(t, err)
	loopbackImage(t)
	for range 2 { // built, and found in the cache
		image, err := Build(context.Background(), m, nil, Quick, nil)
		require.NoError(t, err)
		require.Contains(t, strings.Join(image.Warnings, "\n"), "MULTIDRIVEN: several drivers of two.")
	}
}
