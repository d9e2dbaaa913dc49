package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"hcacosim/rtl"
)

// What Yosys is told of a joined device: to divide it, to map one of its modules, and to put all together.
const (
	divideScript = "proc; select -assert-none t:$dlatch t:$adlatch; write_rtlil %[1]s/design.il; blackbox *; " +
		"write_rtlil %[1]s/stubs.il"
	mapScript = "read_rtlil %[1]s/some.il; " +
		"synth_xilinx -family xcup -noiopad -noclkbuf -top some; select *; write_rtlil -selected %[1]s/mapped.il"
	linkScript = "read_verilog -lib +/xilinx/cells_sim.v; read_verilog -lib +/xilinx/cells_xtra.v; proc; " +
		"%shierarchy -check -top %s; flatten; opt_clean; check -assert; write_json %s"
)

// piece is a module of a joined device with its parameters.
type piece struct {
	name   string // as Yosys has it: `$paramod\sync_fifo\Width=s32'...`
	module string // sync_fifo
	text   []byte // as RTLIL
}

var (
	pieceText  = regexp.MustCompile(`(?ms)^(?:attribute [^\n]*\n)*module (\S+)\n.*?^end\n`)
	pieceOf    = regexp.MustCompile(`(?m)^attribute \\hdlname "\\\\(\w+)"`)
	instanceOf = regexp.MustCompile(`(?m)^  cell ([\\$]\S+) `)
)

// pieces are the modules of a file of RTLIL.
func pieces(text []byte) (all []piece) {
	for _, at := range pieceText.FindAllSubmatchIndex(text, -1) {
		p := piece{name: string(text[at[2]:at[3]]), text: text[at[0]:at[1]]}
		p.module = strings.TrimPrefix(p.name, `\`)
		if m := pieceOf.FindSubmatch(p.text[:at[2]-at[0]]); m != nil {
			p.module = string(m[1])
		}
		all = append(all, p)
	}
	return all
}

// runJoined maps every module of a joined device by itself, and puts them together. What was mapped is kept: a module
// is mapped once for all devices, and who was stopped goes on from there.
func (j *job) runJoined() (netlistFile string, err error) {
	dir, err := os.MkdirTemp(j.work, "joined")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	all, stubOf, err := j.divide(dir)
	if err != nil {
		return "", err
	}
	if err := j.mapMissing(all, stubOf, dir); err != nil {
		return "", err
	}
	var link strings.Builder
	for _, p := range all {
		file, err := j.pieceFile(p)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&link, "read_rtlil %s; ", file)
	}
	netlistFile = filepath.Join(j.work, j.name()+".json")
	took, err := j.yosys(fmt.Sprintf(linkScript, &link, j.top, netlistFile), linkKiB)
	fmt.Fprintf(os.Stderr, "synth: %s of %d modules took %.0f s to be put together\n", j, len(all), took)
	return netlistFile, err
}

// divide gives the modules of a device, and of each by its name what has its ports and nothing within.
func (j *job) divide(dir string) (all []piece, stubOf map[string][]byte, err error) {
	if _, err := j.yosys(j.read()+fmt.Sprintf(divideScript, dir), memoryKiB); err != nil {
		return nil, nil, err
	}
	design, err := os.ReadFile(filepath.Join(dir, "design.il"))
	if err != nil {
		return nil, nil, err
	}
	stubs, err := os.ReadFile(filepath.Join(dir, "stubs.il"))
	stubOf = map[string][]byte{}
	for _, s := range pieces(stubs) {
		stubOf[s.name] = s.text
	}
	return pieces(design), stubOf, err
}

// someBytes is how much RTLIL one Yosys takes: it begins with some seconds for the cells of the family.
const someBytes = 1 << 20

// mapMissing maps what is not kept, some modules at once, side by side as many as there may be.
func (j *job) mapMissing(all []piece, stubOf map[string][]byte, dir string) error {
	groups, err := j.missing(all)
	if err != nil {
		return err
	}
	free := make(chan struct{}, atOnce)
	errs := make([]error, len(groups))
	var running sync.WaitGroup
	for i, some := range groups {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			errs[i] = j.mapSome(some, stubOf, filepath.Join(dir, fmt.Sprint(i)))
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// missing are the modules that are not kept, in groups for one Yosys each.
func (j *job) missing(all []piece) (groups [][]piece, err error) {
	bytes := someBytes
	for _, p := range all {
		file, err := j.pieceFile(p)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(file); err == nil {
			continue
		}
		if bytes >= someBytes {
			groups, bytes = append(groups, nil), 0
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], p)
		bytes += len(p.text)
	}
	return groups, nil
}

// mapSome maps modules side by side, none of which sees into another, and keeps them.
func (j *job) mapSome(some []piece, stubOf map[string][]byte, dir string) error {
	var text, top strings.Builder
	written := map[string]bool{}
	for i, p := range some {
		text.Write(p.text)
		written[p.name] = true
		fmt.Fprintf(&top, "  attribute \\keep 1\n  cell %s \\u%d\n  end\n", p.name, i)
	}
	for _, p := range some {
		for _, m := range instanceOf.FindAllSubmatch(p.text, -1) {
			if name := string(m[1]); !written[name] {
				text.Write(stubOf[name])
				written[name] = true
			}
		}
	}
	fmt.Fprintf(&text, "attribute \\keep 1\nmodule \\some\n%send\n", &top)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "some.il"), []byte(text.String()), 0o644); err != nil {
		return err
	}
	took, err := j.yosys(fmt.Sprintf(mapScript, dir), memoryKiB)
	if err != nil {
		return fmt.Errorf("%s and %d more: %w", some[0].name, len(some)-1, err)
	}
	fmt.Fprintf(os.Stderr, "synth: %s: %d modules from %s on took %.0f s\n", j, len(some), some[0].module, took)
	return j.keep(some, filepath.Join(dir, "mapped.il"))
}

// keep puts each mapped module into a file of its own.
func (j *job) keep(some []piece, mappedFile string) error {
	text, err := os.ReadFile(mappedFile)
	if err != nil {
		return err
	}
	mapped := map[string][]byte{}
	for _, p := range pieces(text) {
		mapped[p.name] = p.text
	}
	for _, p := range some {
		file, err := j.pieceFile(p)
		if err != nil {
			return err
		}
		if mapped[p.name] == nil {
			return fmt.Errorf("%s is gone from its netlist", p.name)
		}
		if err := writeWhole(file, mapped[p.name]); err != nil {
			return err
		}
	}
	return nil
}

// pieceFile is named by all that a module's netlist depends on: its sources, its parameters, and what Yosys is told.
func (j *job) pieceFile(p piece) (string, error) {
	dir, err := cacheDir("mapped")
	if err != nil {
		return "", err
	}
	sources, err := rtl.Needed("rtl", p.module)
	if err != nil {
		return "", err
	}
	if len(sources) == 0 {
		return "", fmt.Errorf("no source of module %s", p.module)
	}
	h := sha256.New()
	h.Write(j.version)
	io.WriteString(h, divideScript+mapScript+p.name)
	if p.module == j.top {
		io.WriteString(h, j.parameters)
	}
	for _, s := range sources {
		h.Write(s.Text)
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%x.il", p.module, h.Sum(nil)[:12])), nil
}

// writeWhole writes a file that is there whole or not at all.
func writeWhole(file string, text []byte) error {
	part, err := os.CreateTemp(filepath.Dir(file), "part")
	if err != nil {
		return err
	}
	_, err = part.Write(text)
	if err2 := part.Close(); err == nil {
		err = err2
	}
	if err != nil {
		os.Remove(part.Name())
		return err
	}
	return os.Rename(part.Name(), file)
}
