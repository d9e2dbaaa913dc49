package main

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"hcacosim/rtl"
)

// memoryKiB is what one Yosys may take, linkKiB one that puts a joined device together.
const (
	memoryKiB = 3 << 20
	linkKiB   = 20 << 20
)

// atOnce is how many Yosys run side by side.
var atOnce = 2

// How the netlist is measured is part of what the cache goes by.
//
//go:embed netlist.go rules.go
var measuring embed.FS

// synthesize gives the figures of every variant, from the cache or from Yosys.
func synthesize(variants []variant) (map[variant]figures, error) {
	yosys, err := exec.Command("yosys", "-V").Output()
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "synth")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)

	all := map[variant]figures{}
	var firstErr error
	var lock sync.Mutex
	var group sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for i := len(variants) - 1; i >= 0; i-- { // large ones first: the last to end decides
		v := variants[i]
		free <- struct{}{}
		group.Add(1)
		go func() {
			defer func() { <-free; group.Done() }()
			f, err := figuresOf(v, work, yosys)
			lock.Lock()
			defer lock.Unlock()
			all[v] = f
			if err != nil && firstErr == nil {
				firstErr = fmt.Errorf("%s: %w", v, err)
			}
		}()
	}
	group.Wait()
	return all, firstErr
}

// job is one variant to be run.
type job struct {
	variant
	work    string
	sources []rtl.Source
	version []byte // of Yosys
}

func newJob(v variant, work string, yosys []byte) (*job, error) {
	sources, err := rtl.Needed("rtl", v.top)
	return &job{v, work, sources, yosys}, err
}

func figuresOf(v variant, work string, yosys []byte) (figures, error) {
	j, err := newJob(v, work, yosys)
	if err != nil {
		return figures{}, err
	}
	return j.figures()
}

func (j *job) figures() (figures, error) {
	cached, err := j.cacheFile()
	if err != nil {
		return figures{}, err
	}
	var f figures
	if text, err := os.ReadFile(cached); err == nil && json.Unmarshal(text, &f) == nil {
		return f, nil
	}
	netlistFile, err := j.run()
	if err != nil {
		return f, err
	}
	defer os.Remove(netlistFile)
	n, err := readNetlist(netlistFile)
	if err != nil {
		return f, err
	}
	f = n.measure()
	f.Broken = n.broken()
	if joined[j.top] {
		f.Parts, f.Stages = n.parts(), nil
	}
	text, err := json.Marshal(f)
	if err != nil {
		return f, err
	}
	return f, os.WriteFile(cached, text, 0o644)
}

// name is that of a file for the variant.
func (j *job) name() string { return strings.ReplaceAll(j.String(), " ", "-") }

// read is how Yosys reads the design.
func (j *job) read() string {
	var files []string
	for _, s := range j.sources {
		files = append(files, s.Path)
	}
	set := ""
	if j.parameters != "" {
		set = fmt.Sprintf("chparam -set %s %s; ", strings.ReplaceAll(j.parameters, ", ", " -set "), j.top)
	}
	return fmt.Sprintf("read_verilog -sv %s; %shierarchy -check -top %s; rename -top %[3]s; ",
		strings.Join(files, " "), set, j.top)
}

// script stops at latches: none is meant.
func (j *job) script(netlistFile string) string {
	if joined[j.top] {
		return j.read() + divideScript + mapScript + linkScript
	}
	return j.read() + fmt.Sprintf("proc; select -assert-none t:$dlatch t:$adlatch; "+
		"synth_xilinx -family xcup -flatten -noiopad -noclkbuf -top %s; check -assert; write_json %s", j.top, netlistFile)
}

func (j *job) run() (netlistFile string, err error) {
	if joined[j.top] {
		return j.runJoined()
	}
	netlistFile = filepath.Join(j.work, j.name()+".json")
	took, err := j.yosys(j.script(netlistFile), memoryKiB)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "synth: %s took %.0f s\n", j, took)
	return netlistFile, nil
}

// yosys runs a script in so much memory, and says how many seconds of a core that took.
func (j *job) yosys(script string, kib int) (took float64, err error) {
	limited := fmt.Sprintf("ulimit -v %d; exec nice -n 10 yosys -q -p \"$0\"", kib)
	cmd := exec.Command("sh", "-c", limited, script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return 0, fmt.Errorf("yosys: %w\n%s", err, strings.Join(lines[max(0, len(lines)-5):], "\n"))
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// cacheFile is named by all that the figures depend on.
func (j *job) cacheFile() (string, error) {
	dir, err := cacheDir("synth")
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, file := range []string{"netlist.go", "rules.go"} {
		text, err := measuring.ReadFile(file)
		if err != nil {
			return "", err
		}
		h.Write(text)
	}
	h.Write(j.version)
	io.WriteString(h, j.script(""))
	for _, s := range j.sources {
		h.Write(s.Text)
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%x.json", j.name(), h.Sum(nil)[:12])), nil
}

// cacheDir is a directory of what is kept.
func cacheDir(name string) (string, error) {
	cache := os.Getenv("HCACOSIM_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "hcacosim")
	}
	dir := filepath.Join(cache, name)
	return dir, os.MkdirAll(dir, 0o755)
}
