package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

const (
	// atOnce is how many Yosys run side by side, and memoryKiB what one may take.
	atOnce    = 2
	memoryKiB = 3 << 20
)

// How the netlist is measured is part of what the cache goes by.
//
//go:embed netlist.go
var measuring []byte

// synthesize gives the figures of every variant, from the cache or from Yosys.
func synthesize(variants []variant) (map[variant]figures, error) {
	src, err := readSources("rtl")
	if err != nil {
		return nil, err
	}
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
			j := job{v, work, src.needed(v.top), yosys}
			f, err := j.figures()
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
	sources []source
	yosys   []byte // which version
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
	text, err := json.Marshal(f)
	if err != nil {
		return f, err
	}
	return f, os.WriteFile(cached, text, 0o644)
}

// script stops at latches: none is meant.
func (j *job) script(netlistFile string) string {
	var files []string
	for _, s := range j.sources {
		files = append(files, s.path)
	}
	set := ""
	if j.parameter != "" {
		set = fmt.Sprintf("chparam -set %s %d %s; ", j.parameter, j.value, j.top)
	}
	return fmt.Sprintf("read_verilog -sv %s; %shierarchy -check -top %s; proc; select -assert-none t:$dlatch t:$adlatch; "+
		"synth_xilinx -family xcup -flatten -noiopad -noclkbuf -top %[3]s; check -assert; write_json %[4]s",
		strings.Join(files, " "), set, j.top, netlistFile)
}

func (j *job) run() (netlistFile string, err error) {
	netlistFile = filepath.Join(j.work, fmt.Sprintf("%s-%d.json", j.top, j.value))
	limited := fmt.Sprintf("ulimit -v %d; exec nice -n 10 yosys -q -p \"$0\"", memoryKiB)
	out, err := exec.Command("sh", "-c", limited, j.script(netlistFile)).CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return "", fmt.Errorf("yosys: %w\n%s", err, strings.Join(lines[max(0, len(lines)-5):], "\n"))
	}
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
	h.Write(measuring)
	h.Write(j.yosys)
	io.WriteString(h, j.script(""))
	for _, s := range j.sources {
		h.Write(s.text)
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%d-%x.json", j.top, j.value, h.Sum(nil)[:12])), nil
}

// source is a file of the list.
type source struct {
	path  string
	text  []byte
	words map[string]bool
}

type sources []source

func readSources(dir string) (sources, error) {
	list, err := os.ReadFile(filepath.Join(dir, "hca.f"))
	if err != nil {
		return nil, err
	}
	var all sources
	for _, line := range strings.Split(string(list), "\n") {
		name, _, _ := strings.Cut(line, "//")
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		words := map[string]bool{}
		for _, w := range word.FindAll(lineComment.ReplaceAll(text, nil), -1) {
			words[string(w)] = true
		}
		all = append(all, source{path, text, words})
	}
	return all, nil
}

var (
	word        = regexp.MustCompile(`\w+`)
	lineComment = regexp.MustCompile(`//.*`)
	unit        = regexp.MustCompile(`(?m)^(?:module|package) (\w+)`)
)

// needed is the file of top and every file that it names something of, in the order of the list. Others are left out, so that
// they have no say in names, on which the mapper's choices depend.
func (all sources) needed(top string) (out []source) {
	wanted := map[string]bool{top: true}
	taken := make([]bool, len(all))
	for i := len(all) - 1; i >= 0; i-- { // a file uses only files before it
		for _, m := range unit.FindAllSubmatch(all[i].text, -1) {
			taken[i] = taken[i] || wanted[string(m[1])]
		}
		if taken[i] {
			for w := range all[i].words {
				wanted[w] = true
			}
		}
	}
	for i, s := range all {
		if taken[i] && !bytes.HasPrefix(s.text, []byte("`ifdef")) {
			out = append(out, s)
		}
	}
	return out
}
