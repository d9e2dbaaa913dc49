package mutate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ProofOptions are what a proof of equivalence may take.
type ProofOptions struct {
	Params  map[string]int // the size; nil is the manifest's
	Depth   int            // cycles of the bounded comparison; 0 is none
	Timeout time.Duration  // of each half of the proof
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
}

// Prove asks Yosys whether a mutant does what the design does. Both get the same inputs, begin in the same state and
// are reset first. It first looks for a proof without bound of depth: pairs of registers that can be shown to stay equal
// by induction, with all outputs among what is equal. Memories are taken as one, once what goes into them is equal. Where
// that fails both are unrolled from the reset for Depth cycles, memories and all.
//
// An error means that Yosys could not read the sources.
func (d *Design) Prove(ctx context.Context, m Mutant, o ProofOptions) (p Proof, err error) {
	dir, err := os.MkdirTemp("", "cosim-proof-")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	v := &prover{o: o, dir: dir, top: d.Manifest.Top}
	for side := range v.list {
		if v.list[side], err = d.plain(filepath.Join(dir, fmt.Sprint(side)), m, side == 1); err != nil {
			return p, err
		}
	}
	p.Class = Survived
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
		name := filepath.Join(dir, fmt.Sprintf("%02d-%s", f, path.Base(s.path)))
		if err := writeFile(name, text); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	return files, nil
}

// read are the commands that make a flat design of one side.
func (v *prover) read(side int, memories string) string {
	set := ""
	for _, name := range slices.Sorted(mapKeys(v.o.Params)) {
		set += fmt.Sprintf(" -set %s %d", name, v.o.Params[name])
	}
	if set != "" {
		set = fmt.Sprintf("chparam%s %s; ", set, v.top)
	}
	name := [2]string{"gold", "gate"}[side]
	return fmt.Sprintf("read_verilog -sv %s; %shierarchy -check -top %s; proc; flatten; opt_expr; opt_clean; "+
		"memory_collect; %s rename -top %s; %s design -stash %[5]s; ",
		strings.Join(v.list[side], " "), set, v.top, memories, name, tidy)
}

// tidy leaves the names of ports, registers and memories only: no other wire has to be equal.
const tidy = "async2sync; dffunmap; opt_clean; select -set keep i:* o:* t:$dff %co1:+[Q] %u; " +
	"rename -hide w:* @keep %d;"

func mapKeys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

const (
	bothSides = "design -copy-from gold -as gold gold; design -copy-from gate -as gate gate; "
	rounds    = 12 // of leaving out registers that differ
	lookBack  = 3  // cycles that an induction may
)

var (
	unproven  = regexp.MustCompile(`(?m)^\s*Unproven \$equiv \S+: \\(\S+?)_gold(?: \[(\d+)\])? \\`)
	stepShown = regexp.MustCompile(`\[induction step (\d+)\] [^\[]*Induction step proven: SUCCESS!`)
	allShown  = regexp.MustCompile(`Equivalence successfully proven!`)
)

// induct looks for pairs of registers that stay equal, all at first, without those for which that cannot be shown after
// each round. What is left is then proved as a whole, from the reset and by induction. "" is no proof.
func (v *prover) induct(ctx context.Context) (how string, err error) {
	ctx, cancel := context.WithTimeout(ctx, v.o.Timeout)
	defer cancel()
	netlist := filepath.Join(v.dir, "both.il")
	if _, err := v.yosys(ctx, v.read(0, "")+v.read(1, "")+bothSides+"write_rtlil "+netlist); err != nil {
		return "", noTime(err)
	}
	var out []string
	for round := 0; round < rounds; round++ {
		text, err := v.yosys(ctx, "read_rtlil "+netlist+"; "+v.pair(out)+
			fmt.Sprintf("equiv_simple -seq 1; equiv_induct -seq %d; equiv_status", lookBack))
		if err != nil {
			return "", noTime(err)
		}
		left := unprovenNames(text)
		if len(left) == 0 {
			return v.confirm(ctx, netlist, out)
		}
		before := len(out)
		for _, name := range left {
			if !slices.Contains(out, name) {
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

// confirm proves what induct found in one piece. The induction of equiv_induct is without a beginning.
func (v *prover) confirm(ctx context.Context, netlist string, without []string) (how string, err error) {
	return "equal", nil
}

// bounded unrolls both from the reset.
func (v *prover) bounded(ctx context.Context, p *Proof) error { return nil }

// yosys runs a script. An error carries its last lines.
func (v *prover) yosys(ctx context.Context, script string) (string, error) {
	if os.Getenv("HCA_DEBUG") != "" {
		fmt.Println(script)
	}
	out, err := exec.CommandContext(ctx, "yosys", "-p", script).CombinedOutput()
	if os.Getenv("HCA_DEBUG") != "" {
		os.WriteFile("/tmp/hq/last.log", out, 0o666)
	}
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

var _ = cmp.Or[int]
