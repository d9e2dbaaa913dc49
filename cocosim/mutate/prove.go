package mutate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hcacosim/cocosim"
	"hcacosim/cocosim/design"
)

// ProofOptions are what a proof of equivalence may take.
type ProofOptions struct {
	Params  map[string]int // the size; nil is the manifest's
	Depth   int            // cycles of the bounded comparison; 0 is none
	Timeout time.Duration  // of each half of the proof
	// AnyState leaves it at what is the same from every state, which takes seconds for hundreds of mutants.
	AnyState bool
}

// Proof is what was found out about a mutant and the design.
type Proof struct {
	Class    Class    // Equivalent, Bounded, or Survived
	How      string   // in words
	Stimulus []string // of a difference that the solver found: an input and its value a line, by cycle
}

// prover compares a mutant with the design in one directory.
type prover struct {
	o    ProofOptions
	dir  string
	top  string
	list [2][]string // files: the design's, the mutant's
	with string      // options of read_verilog

	reset    string // pin
	asserted int    // its value in reset
}

// foreignBits is $bits of anything but a plain name: Yosys 0.23 gets it wrong, and so would a proof.
var foreignBits = regexp.MustCompile(`\$bits\((?:[^)\w]|\w+[^)\w])`)

// Prove asks Yosys whether a mutant does what the design does. Both get the same inputs, begin in the same state and
// are reset first. It first looks for a proof without bound of depth: pairs of registers that can be shown to stay
// equal by induction, with all outputs among what is equal. Memories are taken as one, once what goes into them is
// equal. Where that fails both are unrolled from the reset for Depth cycles, memories and all.
//
// An error means that Yosys could not read the sources.
func (d *Design) Prove(ctx context.Context, m Mutant, o ProofOptions) (p Proof, err error) {
	p.Class = Survived
	if foreignBits.MatchString(m.change.text) {
		return p, errors.New("$bits of a struct's member, which Yosys 0.23 takes for that of the struct")
	}
	dir, err := os.MkdirTemp("", "cosim-proof-")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	v := &prover{o: o, dir: dir, top: gatedTop}
	if v.with, err = d.readOptions(dir, o.Params); err != nil {
		return p, err
	}
	gated := d.gated(o.Params)
	if r := d.Manifest.Reset; r.Pin != "" {
		v.reset = r.Pin
		if r.Active == "high" {
			v.asserted = 1
		}
	}
	for side := range v.list {
		if v.list[side], err = d.plain(filepath.Join(dir, fmt.Sprint(side)), m, side == 1); err != nil {
			return p, err
		}
		name := filepath.Join(dir, fmt.Sprint(side), gatedTop+".v")
		if err = writeFile(name, gated); err != nil {
			return p, err
		}
		v.list[side] = append(v.list[side], name)
	}
	if module := d.moduleOf(&m); module != "" {
		how, err := v.byModule(ctx, module)
		if err != nil {
			return p, err
		}
		if how != "" {
			p.Class, p.How = Equivalent, how
			return p, nil
		}
	}
	how, err := v.induct(ctx)
	if err != nil || how != "" {
		if how != "" {
			p.Class, p.How = Equivalent, how
		}
		return p, err
	}
	if o.Depth > 0 {
		err = v.bounded(ctx, &p)
	}
	return p, err
}

// plain writes the sources for a tool without a simulator's environment: the design as it is, or with one mutant chosen
// for good. The mutant's text is the one that is simulated, so that widths are the same.
func (d *Design) plain(dir string, m Mutant, mutated bool) (files []string, err error) {
	if d.netlist != "" {
		return d.plainNetlist(dir, m, mutated)
	}
	if mutated {
		name := filepath.Join(dir, "mutant.sv")
		files = append(files, name)
		if err := writeFile(name, fmt.Sprintf("package hca_mutant; localparam int id = %d; endpackage\n", m.ID)); err != nil {
			return nil, err
		}
	}
	for f := range d.files {
		s := &d.files[f]
		if !s.used {
			continue
		}
		text := s.text
		if mutated && f == m.file {
			text = s.mutated(func(site int) []Mutant {
				if site == m.site {
					return []Mutant{m}
				}
				return nil
			})
		}
		name := filepath.Join(dir, s.plainName(f))
		if err := writeFile(name, text); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	return files, nil
}

// read are the commands that make a flat design of one side.
func (v *prover) read(side int, memories string) string {
	name := [2]string{"gold", "gate"}[side]
	return fmt.Sprintf("read_verilog -sv%s %s; hierarchy -check -top %s; proc; flatten; opt_expr; opt_clean; "+
		"memory_collect; %s rename -top %s; %s design -stash %[5]s; ",
		v.with, strings.Join(v.list[side], " "), v.top, memories, name, tidy)
}

// plainName is what a source is called in a folder of Yosys' own: its number, and its name without spaces.
func (s *source) plainName(f int) string {
	return fmt.Sprintf("%02d-%s", f, strings.Join(strings.Fields(path.Base(s.path)), "_"))
}

// readOptions tell read_verilog where the design includes from, by links in dir where need be, and its defines at a
// size.
func (d *Design) readOptions(dir string, params map[string]int) (options string, err error) {
	if d.netlist != "" { // both are in it
		return "", nil
	}
	_, include, err := d.Manifest.ReadSources()
	for i := range include { // Yosys runs in dir
		if full, err := filepath.Abs(include[i]); err == nil {
			include[i] = full
		}
	}
	if err == nil {
		err = design.LinkIncludes(include, dir)
	}
	_, defines := d.sized(params)
	return design.YosysIncludes(include, dir) + design.YosysDefines(defines), err
}

// tidy leaves the names of ports, registers and memories only: no other wire has to be equal. Where a register has a
// reset its wire is what drives others, the reset taken in.
const tidy = "opt_clean; select -set keep i:* o:* t:$*dff* %co1:+[Q] %u; rename -hide w:* @keep %d; " +
	"async2sync; dffunmap; opt_clean;"

const (
	bothSides = "design -copy-from gold -as gold gold; design -copy-from gate -as gate gate; "
	rounds    = 12 // of leaving out registers that differ
	lookBack  = 3  // cycles that an induction may
)

var (
	unproven  = regexp.MustCompile(`(?m)^\s*Unproven \$equiv \S+: \\(\S+?)_gold(?: \[(\d+)\])? \\`)
	outputOf  = regexp.MustCompile(`(?m)^gold/\\?(\S+)$`)
	stepShown = regexp.MustCompile(`\[induction step (\d+)\] [^\[]*Induction step proven: SUCCESS!`)
	allShown  = regexp.MustCompile(`Equivalence successfully proven!`)
)

// induct looks for pairs of registers that stay equal, all at first, without those for which that cannot be shown after
// each round. An output is never left out. What is left is then proved as a whole, from the reset and by induction. ""
// is no proof.
func (v *prover) induct(ctx context.Context) (how string, err error) {
	ctx, cancel := context.WithTimeout(ctx, v.o.Timeout)
	defer cancel()
	netlist := filepath.Join(v.dir, "both.il")
	list, err := v.yosys(ctx, v.read(0, "")+v.read(1, "")+bothSides+"write_rtlil "+netlist+"; select -list gold/o:*")
	if err != nil {
		return "", noTime(err)
	}
	outputs := map[string]bool{} // these must be equal
	for _, m := range outputOf.FindAllStringSubmatch(list, -1) {
		outputs[m[1]] = true
	}
	if len(outputs) == 0 {
		return "", cocosim.Errorf(cocosim.BuildFailed, "yosys lists no output of the design: a proof would compare nothing")
	}
	var out []string
	for round := 0; round < rounds; round++ {
		text, err := v.yosys(ctx, "read_rtlil "+netlist+"; "+v.pair(out)+
			fmt.Sprintf("equiv_simple -seq 1; equiv_induct -seq %d; equiv_status", lookBack))
		if err != nil {
			return "", noTime(err)
		}
		if allShown.MatchString(text) {
			return v.confirm(ctx, netlist, out)
		}
		left := unprovenNames(text)
		before := len(out)
		for _, name := range left {
			if !slices.Contains(out, name) && !outputs[name] {
				out = append(out, name)
			}
		}
		if len(out) == before {
			break
		}
	}
	return "", nil
}

// pair makes the module equiv, with an $equiv for each bit of what is to be equal.
func (v *prover) pair(without []string) string {
	list := filepath.Join(v.dir, "blacklist")
	text := ""
	for _, name := range without {
		text += "\\" + name + "\n"
	}
	os.WriteFile(list, []byte(text), 0o666) // Yosys says when it is not there
	return fmt.Sprintf("equiv_make -blacklist %s gold gate equiv; hierarchy -top equiv; opt_clean; ", list)
}

func unprovenNames(text string) (names []string) {
	for _, m := range unproven.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// confirm proves what induct found in one piece: from a reset, all registers equal before it, and by induction. The
// induction of equiv_induct is without a beginning.
func (v *prover) confirm(ctx context.Context, netlist string, without []string) (how string, err error) {
	miter := filepath.Join(v.dir, "miter.il")
	text, err := v.yosys(ctx, "read_rtlil "+netlist+"; "+v.pair(without)+
		"equiv_miter -assert miter equiv; hierarchy -top miter; opt_clean; select -list miter/w:*; write_rtlil "+miter)
	if err != nil {
		return "", noTime(err)
	}
	text, err = v.yosys(ctx, fmt.Sprintf("read_rtlil %s; sat -tempinduct -prove-asserts -ignore_unknown_cells "+
		"-maxsteps %d%s%s miter", miter, lookBack+1, v.beginning(), sameState(text)))
	if err != nil {
		return "", noTime(err)
	}
	if m := stepShown.FindStringSubmatch(text); m != nil {
		how = "by induction over " + m[1]
		if len(without) > 0 {
			how += fmt.Sprintf(", %d registers that may differ", len(without))
		}
	}
	return how, nil
}

var bothNames = regexp.MustCompile(`(?m)^miter/(\\?[^$\s]\S*)_(gold|gate)$`)

// sameState makes every register that has a name the same on both sides in the first cycle.
func sameState(list string) (set string) {
	seen := map[string]bool{}
	for _, m := range bothNames.FindAllStringSubmatch(list, -1) {
		if name := strings.TrimPrefix(m[1], "\\"); seen[name] {
			set += fmt.Sprintf(" -set-at 1 \\%s_gold \\%[1]s_gate", name)
		} else {
			seen[name] = true
		}
	}
	return set
}

// beginning is the first cycle: reset.
func (v *prover) beginning() string {
	if v.reset == "" {
		return ""
	}
	return fmt.Sprintf(" -set-at 1 \\%s %d", v.reset, v.asserted)
}

// bounded unrolls both from the reset, all that no reset reaches at zero, and compares their outputs.
func (v *prover) bounded(ctx context.Context, p *Proof) error {
	ctx, cancel := context.WithTimeout(ctx, v.o.Timeout)
	defer cancel()
	text, err := v.yosys(ctx, v.read(0, "memory_map;")+v.read(1, "memory_map;")+bothSides+fmt.Sprintf(
		"miter -equiv -make_assert -flatten gold gate miter; hierarchy -top miter; opt -share_all -fast; "+
			"sat -tempinduct-baseonly -prove-asserts -maxsteps %d -set-init-zero%s -show-inputs miter", v.o.Depth,
		strings.ReplaceAll(v.beginning(), "\\", "\\in_")))
	if err != nil {
		return noTime(err)
	}
	switch {
	case strings.Contains(text, fmt.Sprintf("Base case for induction length %d proven.", v.o.Depth)):
		p.Class, p.How = Bounded, fmt.Sprintf("to depth %d from the reset", v.o.Depth)
	case strings.Contains(text, "model found for base case: FAIL!"):
		p.Stimulus = stimulusOf(text)
		p.How = fmt.Sprintf("a solver tells them apart in %d cycles", len(p.Stimulus))
	}
	return nil
}

var solved = regexp.MustCompile(`(?m)^\s+(\d+) \\in_(\S+)\s+(\S+)\s+(\S+)\s+\S+$`)

// stimulusOf reads the inputs of a counterexample: a line a cycle, of what is not zero.
func stimulusOf(text string) (lines []string) {
	for _, m := range solved.FindAllStringSubmatch(text, -1) {
		cycle, _ := strconv.Atoi(m[1])
		for len(lines) < cycle {
			lines = append(lines, fmt.Sprintf("cycle %d:", len(lines)+1))
		}
		if m[4] != "0" && cycle > 0 {
			lines[cycle-1] += fmt.Sprintf(" %s=%sh", m[2], m[4])
		}
	}
	return lines
}

// yosys runs a script. An error carries its last lines.
func (v *prover) yosys(ctx context.Context, script string) (string, error) {
	cmd := exec.CommandContext(ctx, "yosys", "-p", seenFrom(v.dir, script))
	cmd.Dir = v.dir
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", context.DeadlineExceeded
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return "", fmt.Errorf("yosys: %w: %s", err, lines[len(lines)-1])
	}
	return string(out), nil
}

// noTime makes no error of a proof that took too long.
func noTime(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
