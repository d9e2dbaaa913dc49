package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"hcacosim/rtl"
)

// proof is a harness: the module BLOCK_proof with the block in it, one bit of its parameter Check a property.
type proof struct {
	block string
	// harness is there where a block has more than one: its module is HARNESS_proof then.
	harness string
	// modules are there where the harness has more than the block in it: those that it is made of.
	modules []string
	// parts is a file of more modules of the harness.
	parts string
	// macros of the build, as -D has them.
	macros string
	// parameters of the harness, for chparam.
	parameters string
	// depth is how many cycles from reset are searched, and the most that an induction may look back: both together
	// are a proof for all time.
	depth      int
	properties []property
	// free are wires of the block that take any value in any cycle, whatever drives them: a proof that holds for it holds
	// for the block.
	free []string
	// gone are instances that are taken out: their outputs may be anything that the harness does not assume away.
	gone []string
	// forget are modules whose memories give anything: large ones of instances that are gone, which would take long to
	// become registers first.
	forget []string
}

// name is that of the harness, without _proof.
func (p *proof) name() string { return cmp.Or(p.harness, p.block) }

type property struct {
	check int // bit of Check
	says  string
	// bounded: induction does not close, so the property is claimed for depth cycles from reset only.
	bounded bool
	// covered: what is claimed is that it fails, by a run from reset: something can be reached. With the fault it cannot,
	// within as many cycles.
	covered bool
	// plain: it holds by itself, without what induction needs for the others, and whatever the output queue's memory
	// gives.
	plain bool
	// apart: in a run of its own, with those of the same bit.
	apart bool
	// free are more wires of the block that take any value, for this property.
	free []string
	// skip is how many cycles from reset the fault takes at least: they are not searched one by one.
	skip int
	// exam is there for what no solver is asked about, of crc_stream: it says what is wrong, or nothing.
	exam  func(*stream) error
	fault fault
}

// fault replaces old, which stands once in file.
type fault struct{ why, file, old, new string }

// row is what was found out about a property.
type row struct {
	block, says, why string
	proved           string  // "" for not proved
	seconds          float64 // of a core, for the proof without the rejection; 0: proved with one before
	rejected         bool
	depth            int // cycles from reset to where the fault is seen
	counterexample   string
}

func (r *row) good() bool { return r.proved != "" && r.rejected }

// time is how long the proof took, in seconds of a core.
func (r *row) time() string {
	if r.seconds == 0 {
		return "with it"
	}
	return fmt.Sprintf("%.1f", r.seconds)
}

func (r *row) print() {
	proved, verdict := r.proved, "rejected"
	if proved == "" {
		proved = "NOT PROVED"
	}
	if !r.rejected {
		verdict = "NOT REJECTED"
	}
	if r.depth > 0 {
		verdict += fmt.Sprintf(" in cycle %d", r.depth)
	}
	fmt.Printf("%-14s %-62s %-30s %7s  %s: %s\n", r.block, r.says, proved, r.time(), verdict, r.why)
	fmt.Print(r.counterexample)
}

// bench holds the files of one property.
type bench struct {
	rtlDir, dir string
	proof
	spent time.Duration // by Yosys, of a core
}

var inductionStep = regexp.MustCompile(`\[induction step (\d+)\] [^\[]*Induction step proven: SUCCESS!`)

// prove shows that the properties and the invariants hold in the first k cycles after reset and that they hold in a
// cycle if they held in the k before it. For a bounded property it shows the first half only, for the depth of the
// proof. The properties differ in their numbers only.
func (b *bench) prove(all ...property) (proved, counterexample string, err error) {
	first := all[0]
	if first.exam != nil {
		return b.examine(first)
	}
	if first.covered {
		return b.reach(first)
	}
	check, how := 1, "-tempinduct"
	if first.plain {
		check = 0
	}
	if first.bounded {
		check, how = 0, "-tempinduct-baseonly"
	}
	for _, prop := range all {
		check |= 1 << prop.check
	}
	out, err := b.solve(check, nil, how, first)
	if err != nil {
		return "", "", err
	}
	lastBase := fmt.Sprintf("Base case for induction length %d proven.", b.depth)
	switch found := inductionStep.FindSubmatch(out); {
	case first.bounded && bytes.Contains(out, []byte(lastBase)):
		return fmt.Sprintf("to depth %d", b.depth), "", nil
	case found != nil:
		return "unbounded, induction over " + string(found[1]), "", nil
	case len(all) > 1:
		return "", "", nil
	}
	if out, err = b.solve(check, nil, how+" -show-all", first); err != nil {
		return "", "", err
	}
	return "", tellCounterexample(out, b.harness()), nil
}

// reach looks for the run from reset that a covered property says there is.
func (b *bench) reach(prop property) (proved, counterexample string, err error) {
	out, err := b.solve(1<<prop.check, nil, fmt.Sprintf("-tempinduct-baseonly -tempinduct-skip %d", prop.skip), prop)
	if all := baseCase.FindAllSubmatch(out, -1); all != nil && bytes.Contains(out, []byte(baseFailed)) {
		return fmt.Sprintf("reached in cycle %s", all[len(all)-1][1]), "", err
	}
	return "", "", err
}

// reject reports whether the faulty block fails the property in a run from reset. The invariants are left out: they
// would fail for it.
func (b *bench) reject(prop property) (rejected bool, depth int, err error) {
	if prop.exam != nil {
		rejected, err = b.examineFault(prop)
		return rejected, 0, err
	}
	out, err := b.solve(1<<prop.check, &prop.fault, fmt.Sprintf("-tempinduct-baseonly -tempinduct-skip %d", prop.skip),
		prop)
	if all := baseCase.FindAllSubmatch(out, -1); all != nil {
		depth, _ = strconv.Atoi(string(all[len(all)-1][1]))
	}
	if prop.covered {
		return err == nil && !bytes.Contains(out, []byte(baseFailed)), 0, err
	}
	return bytes.Contains(out, []byte(baseFailed)), depth, err
}

var baseCase = regexp.MustCompile(`\[base case (\d+)\]`)

const baseFailed = "model found for base case: FAIL!"

func (b *bench) harness() string { return filepath.Join(b.rtlDir, "formal", b.name()+"_proof.sv") }

// solve has Yosys look at runs of up to depth cycles of the block, with a fault or without.
//
// Memories become registers before the design is flattened, so that a harness can join a word by its name.
func (b *bench) solve(check int, f *fault, how string, prop property) ([]byte, error) {
	files, err := b.files(f)
	if err != nil {
		return nil, err
	}
	files = append(files, filepath.Join(b.rtlDir, "formal", "pipe_rules.sv"), b.harness())
	if b.parts != "" {
		files = append(files, filepath.Join(b.rtlDir, "formal", b.parts))
	}
	top := b.name() + "_proof"
	cut := "" // not by connect -unset: Yosys 0.23 ties a wire that has a second name to its driver again
	memories := ""
	if prop.plain {
		memories = " cutpoint *credit_queue/t:$mem_v2;"
	}
	for _, module := range b.forget {
		memories += fmt.Sprintf(" cutpoint *%s*/t:$mem_v2;", module)
	}
	for _, instance := range b.gone {
		cut += fmt.Sprintf(" delete c:*\\dut.*\\%s.*;", instance)
	}
	for _, wire := range slices.Concat(b.free, prop.free) {
		cut += fmt.Sprintf(" select -assert-count 1 w:dut.%s; cutpoint w:dut.%[1]s;", wire)
	}
	// -e: a register that a harness joins by name would be free to take any value where it is not there any more, and so
	// would the bits that a harness leaves out.
	out, err := b.yosys("-e", "used but has no driver", "-e", "Widening signal", "-p", fmt.Sprintf(
		"read_verilog -sv -formal %[9]s %[1]s; chparam -set Check %[2]d %[7]s %[3]s; hierarchy -check -top %[3]s; proc; "+
			"memory_collect;%[8]s memory_map; flatten; rename -top %[3]s;"+
			" check -assert;%[6]s delete t:$anyseq; opt -keepdc -fast; wreduce -keepdc; async2sync; dffunmap; opt_clean; "+
			"sat %[4]s -maxsteps %[5]d -prove-asserts -set-assumes %[3]s",
		strings.Join(files, " "), check, top, how, b.depth, cut, b.parameters, memories, b.macros))
	if err != nil {
		return nil, fmt.Errorf("yosys on %s: %w\n%s", top, err, lastLines(out, 15))
	}
	return out, nil
}

// total is what all runs of Yosys took of a core.
var total atomic.Int64

// yosys runs it and notes the time that it took.
func (b *bench) yosys(args ...string) ([]byte, error) {
	yosys := exec.Command("yosys", args...)
	out, err := yosys.CombinedOutput()
	if yosys.ProcessState != nil {
		b.spent += yosys.ProcessState.UserTime()
		total.Add(int64(yosys.ProcessState.UserTime()))
	}
	return out, err
}

// sources are those of the block, or of all modules that the harness is made of, each behind what it uses.
func (p *proof) sources(rtlDir string) (all []rtl.Source, err error) {
	if p.modules == nil {
		return rtl.Needed(rtlDir, p.block)
	}
	for _, module := range p.modules {
		list, err := rtl.Needed(rtlDir, module)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			if !slices.ContainsFunc(all, func(o rtl.Source) bool { return o.Path == s.Path }) {
				all = append(all, s)
			}
		}
	}
	return all, nil
}

// files are the sources of the block, one of them a copy with the fault where there is one.
func (b *bench) files(f *fault) ([]string, error) {
	sources, err := b.sources(b.rtlDir)
	if err != nil {
		return nil, err
	}
	var files []string
	planted := f == nil
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return nil, err
	}
	for _, s := range sources {
		file := s.Path
		if f != nil && file == filepath.Join(b.rtlDir, f.file) {
			file, planted = filepath.Join(b.dir, filepath.Base(s.Path)), true
			if err := plant(s, file, f); err != nil {
				return nil, err
			}
		}
		files = append(files, file)
	}
	if !planted {
		return nil, fmt.Errorf("%s: the fault %q is in %s, which is no source of it", b.block, f.why, f.file)
	}
	return files, nil
}

func lastLines(text []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func plant(s rtl.Source, to string, f *fault) error {
	if n := bytes.Count(s.Text, []byte(f.old)); n != 1 {
		return fmt.Errorf("%s: the text of the fault %q stands there %d times: %s", s.Path, f.why, n, f.old)
	}
	return os.WriteFile(to, bytes.Replace(s.Text, []byte(f.old), []byte(f.new), 1), 0o666)
}
