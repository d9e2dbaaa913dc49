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
	"time"

	"hcacosim/rtl"
)

const (
	// atOnce is how many Yosys run side by side, and memoryKiB what one may take.
	atOnce    = 2
	memoryKiB = 3 << 20
)

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
	yosys   []byte // which version
}

func figuresOf(v variant, work string, yosys []byte) (figures, error) {
	sources, err := rtl.Needed("rtl", v.top)
	if err != nil {
		return figures{}, err
	}
	j := job{v, work, sources, yosys}
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

// script stops at latches: none is meant.
func (j *job) script(netlistFile string) string {
	var files []string
	for _, s := range j.sources {
		files = append(files, s.Path)
	}
	set := ""
	if j.parameters != "" {
		set = fmt.Sprintf("chparam -set %s %s; ", strings.ReplaceAll(j.parameters, ", ", " -set "), j.top)
	}
	flat, later := "-flatten ", ""
	if joined[j.top] {
		flat, later = "", "flatten; opt_clean; "
	}
	return fmt.Sprintf("read_verilog -sv %s; %shierarchy -check -top %s; rename -top %[3]s; proc; select -assert-none "+
		"t:$dlatch t:$adlatch; "+
		"synth_xilinx -family xcup %[5]s-noiopad -noclkbuf -top %[3]s; %[6]scheck -assert; write_json %[4]s",
		strings.Join(files, " "), set, j.top, netlistFile, flat, later)
}

func (j *job) run() (netlistFile string, err error) {
	netlistFile = filepath.Join(j.work, j.name()+".json")
	limited := fmt.Sprintf("ulimit -v %d; exec nice -n 10 yosys -q -p \"$0\"", memoryKiB)
	began := time.Now()
	out, err := exec.Command("sh", "-c", limited, j.script(netlistFile)).CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return "", fmt.Errorf("yosys: %w\n%s", err, strings.Join(lines[max(0, len(lines)-5):], "\n"))
	}
	fmt.Fprintf(os.Stderr, "synth: %s took %.0f s\n", j, time.Since(began).Seconds())
	return netlistFile, nil
}

// cacheFile is named by all that the figures depend on.
func (j *job) cacheFile() (string, error) {
	cache := os.Getenv("HCACOSIM_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "hcacosim")
	}
	dir := filepath.Join(cache, "synth")
	if err := os.MkdirAll(dir, 0o755); err != nil {
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
	h.Write(j.yosys)
	io.WriteString(h, j.script(""))
	for _, s := range j.sources {
		h.Write(s.Text)
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%x.json", j.name(), h.Sum(nil)[:12])), nil
}
