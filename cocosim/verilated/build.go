// Package verilated runs RTL: Verilator builds it, a child process simulates it, and frames over a socket drive it. To
// the rest of cocosim it is a device like any other. docs/bridge.md is the protocol.
package verilated

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/hashicorp/go-hclog"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/verilator"
)

// Flavour is how an image is compiled. In all of them what no reset reaches starts at random, by Config.StateSeed.
type Flavour string

const (
	// Fast is for runs that count.
	Fast Flavour = "fast"
	// Tuned is Fast compiled twice, the second time for what the first counted: for runs that take longer than a build.
	Tuned Flavour = "tuned"
	// Debug has the design's assertions on.
	Debug Flavour = "debug"
	// Quick is Debug without the assertions: for tests that build many faulty designs and run each for a moment.
	Quick Flavour = "quick"
	// Trace writes waves, and the design's assertions are on: see Options.Trace.
	Trace Flavour = "trace"
	// Coverage counts lines and branches, and the design's assertions are on: see Options.Coverage.
	Coverage Flavour = "coverage"
	// Toggle counts as Coverage does, and the changes of every bit of every signal.
	Toggle Flavour = "toggle"
)

// recipe is what the tools are told for a flavour.
type recipe struct {
	verilator          []string
	fast, slow, global string // the compiler: of code that runs in every cycle, at the start, of Verilator's library
	tuned              bool   // compiled twice: see tune
}

// make is what make is told of the compiler.
func (r recipe) make() []string {
	return []string{"OPT_FAST=" + flags(r.fast), "OPT_SLOW=" + flags(r.slow), "OPT_GLOBAL=" + flags(r.global)}
}

func flags(own string) string { return "-include ../" + printHeader + " " + own }

// light is for code that runs for seconds and is built for minutes: at -O1 a third of the compiler's time is questions
// about aliases, which it may ask less of. hca_tx of hca_tx.yaml's sizes ran a fifth slower; at -O0 sixteen times. To
// compile wide words at -O0 takes no less: roce_parse of 512 bits, 9.5 s of CPU for 4.8.
const light = "-O1 --param sccvn-max-alias-queries-per-access=10 --param dse-max-alias-queries-per-store=8"

var recipes = map[Flavour]recipe{
	Fast: {
		verilator: []string{"-O3", "--x-assign", "unique", "--x-initial", "unique", "--noassert"},
		fast:      "-O3", slow: "-O1", global: "-O2",
	},
	Tuned: {
		verilator: []string{"-O3", "--x-assign", "unique", "--x-initial", "unique", "--noassert"},
		fast:      countedFlags, slow: "-O1", global: "-O2", tuned: true,
	},
	Debug: {
		verilator: []string{"-O3", "--x-assign", "unique", "--x-initial", "unique", "--assert"},
		fast:      light, slow: "-O0", global: "-O1",
	},
	Coverage: {
		verilator: []string{"-O3", "--x-assign", "unique", "--x-initial", "unique", "--assert", "--coverage-line"},
		fast:      light, slow: "-O0", global: "-O1",
	},
	Toggle: {
		verilator: []string{"-O3", "--x-assign", "unique", "--x-initial", "unique", "--assert", "--coverage-line",
			"--coverage-toggle", "--coverage-max-width", "4096"},
		fast: light, slow: "-O0", global: "-O1",
	},
	Trace: {
		verilator: []string{"-O3", "--x-assign", "unique", "--x-initial", "unique", "--assert", "--trace-fst",
			"--trace-structs", "-LDFLAGS", "-Wl,--wrap=fclose,--wrap=gzclose"},
		fast: light, slow: "-O0", global: "-O1",
	},
	// Verilator 5.006 gets netlists wrong with its optimisations on, and without them none that is known: as words,
	// tx_arbiter at 64 bits wrote wrong frames; as gates, icrc_insert at 64 bits wrong ICRCs, which under Icarus, X aside,
	// it did not.
	Word: {
		verilator: []string{"-O0", "--x-assign", "unique", "--x-initial", "unique", "--noassert"},
		fast:      light, slow: "-O0", global: "-O1",
	},
	Gate: {
		verilator: []string{"-O0", "--x-assign", "unique", "--x-initial", "unique", "--noassert"},
		fast:      light, slow: "-O0", global: "-O1",
	},
	Quick: {
		verilator: []string{"-O3", "--x-assign", "unique", "--x-initial", "unique", "--noassert"},
		fast:      light, slow: "-O0", global: "-O1",
	},
}

// Image is a simulator that was built, ready to start.
type Image struct {
	Program  string             // the executable
	BuildID  string             // names its content: sources, parameters, flavour, tools
	Manifest *manifest.Manifest // resolved
	Flavour  Flavour
	Tools    Tools // it was built with
	// Warnings are what the tools warned of, one line each: Verilator's, and of Yosys that a wire has several drivers.
	Warnings []string
	// Unnamed are outputs of the top that the manifest does not name.
	Unnamed []string
}

const (
	verilatedPrefix = "hca_dut"
	programName     = "simulator"
	// cacheFormat changes when the meaning of what lies in the cache does.
	cacheFormat = "3"
)

// Build verilates and compiles a device, or finds it in the cache. The key of an image is everything that goes into it.
func Build(ctx context.Context, m *manifest.Manifest, params map[string]int, flavour Flavour, log hclog.Logger) (*Image,
	error) {
	if log == nil {
		log = hclog.NewNullLogger()
	}
	if err := flavour.Check(); err != nil {
		return nil, err
	}
	b, err := newBuild(ctx, m, params, flavour)
	if err != nil {
		return nil, err
	}
	image := &Image{Program: filepath.Join(b.dir(), programName), BuildID: b.key, Manifest: b.m, Flavour: flavour,
		Tools: b.tools}
	if isFile(image.Program) {
		os.Chtimes(b.dir(), time.Time{}, time.Now()) // in use: see prune
		return image, image.readNotes()
	}
	unlock, err := b.lock(ctx, b.key)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if isFile(image.Program) { // someone else was faster
		return image, image.readNotes()
	}
	log.Info("building", "device", b.m.Name, "flavour", string(flavour), "build", b.key)
	began := time.Now()
	prune(b.cache, time.Now())
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	log.Info("built", "device", b.m.Name, "build", b.key, "seconds", fmt.Sprintf("%.1f", time.Since(began).Seconds()))
	return image, image.readNotes()
}

// build is one image under way.
type build struct {
	m        *manifest.Manifest
	flavour  Flavour
	cache    string
	key      string
	tools    Tools
	bind     []byte
	files    []manifest.Source
	include  []string          // directories
	includes []manifest.Source // what lies in them
	keys     keys
	unnamed  []string // outputs that the manifest does not name
}

func newBuild(ctx context.Context, m *manifest.Manifest, params map[string]int, flavour Flavour) (*build, error) {
	resolved, err := m.Resolve(params)
	if err != nil {
		return nil, err
	}
	b := &build{m: resolved, flavour: flavour}
	if b.files, b.include, err = resolved.ReadSources(); err != nil {
		return nil, err
	}
	if b.includes, err = resolved.ReadIncluded(b.include); err != nil {
		return nil, err
	}
	if b.keys, err = newKeys(resolved); err != nil {
		return nil, err
	}
	if b.bind, err = bindSource(b.keys.bound); err != nil {
		return nil, err
	}
	if b.cache, err = CacheDir(); err == nil && strings.ContainsFunc(b.cache, unicode.IsSpace) {
		err = &cocosim.Error{Exit: cocosim.BuildFailed, What: fmt.Sprintf("the cache of built simulators is %s, and make "+
			"takes no spaces in a path", b.cache), Do: "set HCACOSIM_CACHE to a directory without"}
	}
	if err != nil {
		return nil, err
	}
	tools, err := toolVersions(ctx, flavour)
	if err != nil {
		return nil, err
	}
	b.tools, b.key = tools, b.hash(tools.String())
	return b, nil
}

// hash names everything that goes into the image. Where the sources lie is no part of it.
func (b *build) hash(tools string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%s\n%q %q %q\n%s\n", cacheFormat, tools, b.flavour, b.m.Hash(), commonArgs,
		recipes[b.flavour].verilator, b.makeFlags(), b.m.Top+b.netlistKey())
	for _, name := range slices.Sorted(maps.Keys(b.m.Parameters)) {
		fmt.Fprintf(h, "%s=%d\n", name, b.m.Parameters[name])
	}
	fmt.Fprint(h, b.keyText())
	bridge := append(headers(), file("bind", b.bind))
	for _, s := range slices.Concat(bridge, b.files, b.includes) {
		fmt.Fprintf(h, "%s %d\n", filepath.Base(s.Path), len(s.Text))
		h.Write(s.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

func file(path string, text []byte) manifest.Source { return manifest.Source{Path: path, Text: text} }

// headers are those that every simulator is built with.
func headers() (list []manifest.Source) {
	for _, h := range verilator.Headers() {
		list = append(list, file(h.Name, h.Text))
	}
	return list
}

func (b *build) dir() string { return filepath.Join(b.cache, "images", b.m.Name+"-"+b.key) }

// CacheDir is where built simulators are kept: $HCACOSIM_CACHE, or hcacosim in the user's cache directory.
func CacheDir() (string, error) {
	if dir := os.Getenv("HCACOSIM_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", &cocosim.Error{Exit: cocosim.BuildFailed, What: "no directory for built simulators",
			Do: "set HCACOSIM_CACHE", Err: err}
	}
	return filepath.Join(dir, "hcacosim"), nil
}

// lock keeps two processes from building the same at once. The lock dies with its process.
func (b *build) lock(ctx context.Context, key string) (func(), error) {
	dir := filepath.Join(b.cache, "locks")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, cacheError(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, key), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, cacheError(err)
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, cacheError(err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, stopped(ctx, "stopped while waiting for another build of "+b.m.Name)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// unusedFor is how long what lies in the cache is kept after its last use.
const unusedFor = 30 * 24 * time.Hour

// prune removes what was not used for long: images, logs of failed builds, and what builds left that were killed.
func prune(cache string, now time.Time) {
	for _, pattern := range []string{"images/*", "failed/*", "locks/*", "headers/*", "build-*"} {
		names, _ := filepath.Glob(filepath.Join(cache, pattern))
		for _, name := range names {
			if st, err := os.Stat(name); err == nil && now.Sub(st.ModTime()) > unusedFor {
				os.RemoveAll(name)
			}
		}
	}
}

func cacheError(err error) error {
	return &cocosim.Error{Exit: cocosim.BuildFailed, What: "cannot write the cache of built simulators",
		Do: "set HCACOSIM_CACHE to a directory that can be written", Err: err}
}

func stopped(ctx context.Context, what string) error {
	return &cocosim.Error{Exit: cocosim.Inconclusive, What: what, Err: context.Cause(ctx)}
}

// run builds in a directory of its own, which becomes the image by being renamed.
func (b *build) run(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(b.cache, "images"), 0o777); err != nil {
		return cacheError(err)
	}
	dir, err := os.MkdirTemp(b.cache, "build-")
	if err != nil {
		return cacheError(err)
	}
	defer os.RemoveAll(dir)
	if err := b.write(dir); err != nil {
		return cacheError(err)
	}
	var log bytes.Buffer
	bounded, cancel := context.WithTimeout(ctx, mostBuildTime)
	defer cancel()
	if err := b.compile(bounded, dir, &log); err != nil {
		if ctx.Err() != nil {
			return stopped(ctx, "stopped while building "+b.m.Name)
		}
		if bounded.Err() != nil {
			return cocosim.Errorf(cocosim.BuildFailed, "%s does not build within %v", b.m.Name, mostBuildTime)
		}
		return b.keepLog(err, log.Bytes())
	}
	return b.install(dir, log.Bytes())
}

// write lays out what the tools read: the bridge, the generated files, and sources that are not on disk.
func (b *build) write(dir string) error {
	id := fmt.Sprintf("#define HCA_BUILD_ID \"%s\"\n#define HCA_MANIFEST_HASH \"%s\"\n", b.key, b.m.Hash())
	files := append(headers(), file("hca_bind.cpp", b.bind), file("hca_id.h", []byte(id)))
	if b.m.Embedded() {
		for _, s := range slices.Concat(b.files, b.includes) {
			files = append(files, file(filepath.Join("rtl", s.Path), s.Text))
		}
	}
	for _, s := range files {
		name := filepath.Join(dir, s.Path)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, s.Text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) compile(ctx context.Context, dir string, log *bytes.Buffer) error {
	if err := b.prepare(ctx, dir, log); err != nil {
		return err
	}
	if err := b.synthesize(ctx, dir, log); err != nil {
		return err
	}
	if err := tool(ctx, dir, log, "verilator", b.verilatorArgs()...); err != nil {
		return err
	}
	if err := nameState(filepath.Join(dir, "obj")); err != nil {
		return err
	}
	if err := b.checkPins(filepath.Join(dir, "obj", "V"+verilatedPrefix+".h")); err != nil {
		return err
	}
	if recipes[b.flavour].tuned {
		if err := b.tune(ctx, dir, log); err != nil {
			return err
		}
	}
	if err := b.precompile(ctx, dir, log); err != nil {
		return err
	}
	args := append(makeArgs(), b.makeFlags()...)
	// What is compiled for counts is compiled once.
	if _, err := exec.LookPath("ccache"); err == nil && !recipes[b.flavour].tuned {
		args = append(args, "OBJCACHE=ccache")
	}
	if err := tool(ctx, dir, log, "make", args...); err != nil {
		return err
	}
	b.findDrivers(ctx, dir, log)
	return nil
}

// makeArgs are what make is told of every simulator.
func makeArgs() []string {
	return []string{"-C", "obj", "-f", "V" + verilatedPrefix + ".mk", "-j", "2", "V" + verilatedPrefix}
}

// commonArgs are what Verilator is told in every flavour. Lint is the design's own affair, but a parameter that the
// design refuses at elaboration ($error, $fatal) ends the build: to Verilator it is a warning. A file of C++ takes half
// a second for its headers alone, so files are large, five times those of Verilator: hca_top has 11, not 20 (28 s of
// CPU for 35), falcon_window 1 (2.2 s for 6.5). Functions stay as short as Verilator makes them.
var commonArgs = []string{"--cc", "--exe", "-Mdir", "obj", "--prefix", "V" + verilatedPrefix, "--no-timing",
	"--output-split", "100000", "--output-split-cfuncs", "20000",
	"-Wno-lint", "-Wwarn-MULTIDRIVEN", "-Wwarn-UNDRIVEN", "-Wwarn-PINMISSING", "-Wwarn-IMPLICIT", "-Wwarn-LATCH",
	"-Wwarn-SELRANGE",
	"-Wno-fatal", "-Werror-USERERROR", "-Werror-USERFATAL",
	"-CFLAGS", "-std=c++17 -DVL_USER_STOP -DVL_USER_FINISH -DVL_USER_FATAL -I.."}

func (b *build) verilatorArgs() []string {
	args := append(slices.Clone(commonArgs), "--top-module", b.keys.bound.Top)
	args = append(append(args, recipes[b.flavour].verilator...), b.keyArgs()...)
	if netlists[b.flavour] != "" {
		return append(args, netlistFile, "hca_bind.cpp")
	}
	for _, name := range slices.Sorted(maps.Keys(b.m.Parameters)) {
		if !b.keys.isShimmed && len(b.keys.vhdl) == 0 {
			args = append(args, fmt.Sprintf("-G%s=%d", name, b.m.Parameters[name]))
		}
	}
	for _, dir := range b.include {
		args = append(args, "+incdir+"+b.place(dir))
	}
	for _, f := range b.files {
		args = append(args, b.place(f.Path))
	}
	return append(args, "hca_bind.cpp")
}

// What a build may take: a design can be elaborated without end.
const (
	mostBuildTime   = 30 * time.Minute
	mostBuildMemory = 8 << 30 // bytes of a tool's address space
)

// toolError is a tool that ran and failed; what it said is in the log.
type toolError struct {
	name string
	err  error
}

func (e *toolError) Error() string { return e.name + ": " + e.err.Error() }

// toolEnvironment is what tools find beside the environment of cosim. Without the second line ccache would run the
// preprocessor first, and without the third keep nothing that is compiled behind precompiled headers.
var toolEnvironment = []string{"LC_ALL=C", "MAKEFLAGS=",
	"CCACHE_DEPEND=1",
	"CCACHE_PCH_EXTSUM=1", "CCACHE_SLOPPINESS=pch_defines,time_macros"}

func tool(ctx context.Context, dir string, log io.Writer, name string, args ...string) error {
	fmt.Fprintf(log, "+ %s %s\n", name, strings.Join(args, " "))
	limit := fmt.Sprintf(`ulimit -v %d && exec "$0" "$@"`, mostBuildMemory>>10)
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", limit, name}, args...)...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), toolEnvironment...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that what the tool started ends with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		return &toolError{name, err}
	}
	return nil
}

// install renames the finished build into place. Whoever comes second keeps the first one's.
func (b *build) install(dir string, log []byte) error {
	if err := os.Rename(filepath.Join(dir, "obj", "V"+verilatedPrefix), filepath.Join(dir, programName)); err != nil {
		return cacheError(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "build.log"), log, 0o666); err != nil {
		return cacheError(err)
	}
	if err := b.writeNotes(dir, log); err != nil {
		return cacheError(err)
	}
	os.RemoveAll(filepath.Join(dir, "obj"))
	forgetHeaders(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return cacheError(err)
	}
	if err := os.Rename(dir, b.dir()); err != nil && !isFile(filepath.Join(b.dir(), programName)) {
		return cacheError(err)
	}
	return nil
}

func isFile(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode().IsRegular()
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}
