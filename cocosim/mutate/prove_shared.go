package mutate

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hcacosim/cocosim/mutate/equiv"
)

// Mutants are held against the design in one netlist first, that Yosys makes once of many of them: the number that
// chooses is a net that nothing drives.

const chooser = "hca_mutant_id"

// shared is a netlist with mutants in it.
type shared struct {
	*equiv.Netlist
	mutants []Mutant
}

// sharedNetlists are netlists that have these mutants. Yosys fails on some texts: where it does the mutants are halved
// until those are alone, and left out.
func (d *Design) sharedNetlists(ctx context.Context, mutants []Mutant, o ProofOptions,
	say func(string, ...any)) (all []shared) {
	if len(mutants) == 0 || ctx.Err() != nil {
		return nil
	}
	n, err := d.sharedNetlist(ctx, mutants, o)
	if err == nil {
		return []shared{{n, mutants}}
	}
	if len(mutants) == 1 {
		say("mutant %d: no shared proof: %v", mutants[0].ID, err)
		if d.unread == nil {
			d.unread = map[int]bool{}
		}
		d.unread[mutants[0].ID] = true
	}
	if len(mutants) == 1 || d.netlist != "" {
		return nil
	}
	say("%d mutants in one netlist: %v: halved", len(mutants), err)
	half := len(mutants) / 2
	return append(d.sharedNetlists(ctx, mutants[:half], o, say), d.sharedNetlists(ctx, mutants[half:], o, say)...)
}

func (d *Design) sharedNetlist(ctx context.Context, mutants []Mutant, o ProofOptions) (*equiv.Netlist, error) {
	dir, err := os.MkdirTemp("", "cosim-proof-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	list, err := d.choosing(dir, mutants)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, gatedTop+".v")
	if err := writeFile(name, d.gated(o.Params)); err != nil {
		return nil, err
	}
	with, err := d.readOptions(dir, o.Params)
	if err != nil {
		return nil, err
	}
	script := fmt.Sprintf("read_verilog -sv%s %s %s; %swrite_json out.json", with, strings.Join(list, " "), name,
		equiv.Script(gatedTop))
	if err := yosysIn(ctx, dir, script); err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, "out.json"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return equiv.Read(f, gatedTop, chooser)
}

// memberBits is $bits of anything but a plain name. Yosys 0.23 takes that of a member for that of its struct; of a
// concatenation it is right.
var memberBits = regexp.MustCompile(`\$bits\(([^()]*)\)`)

// choosing writes the sources with a choice between mutants.
func (d *Design) choosing(dir string, mutants []Mutant) (files []string, err error) {
	if d.netlist != "" {
		text := strings.Replace(d.netlist, "wire [15:0] "+netlistSelect+" = hca_mutant::id;", "wire [15:0] "+chooser+
			"; wire [15:0] "+netlistSelect+" = "+chooser+";", 1)
		name := filepath.Join(dir, netlistSource)
		return []string{name}, writeFile(name, text)
	}
	at := map[[2]int][]Mutant{}
	for _, m := range mutants {
		m.change.text = memberBits.ReplaceAllString(m.change.text, "$$bits({$1})")
		at[[2]int{m.file, m.site}] = append(at[[2]int{m.file, m.site}], m)
	}
	for f := range d.files {
		s := &d.files[f]
		if !s.used {
			continue
		}
		text := s.chosen(func(site int) []Mutant { return at[[2]int{f, site}] })
		if text, err = declareChooser(strings.ReplaceAll(text, "hca_mutant::id", chooser)); err != nil {
			return nil, err
		}
		name := filepath.Join(dir, s.plainName(f))
		if err := writeFile(name, text); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	return files, nil
}

// chosen is mutated as Yosys reads it: in what an asynchronous reset does it takes expressions and no case.
func (s *source) chosen(of func(site int) []Mutant) string {
	plain := *s
	plain.sites = slices.Clone(s.sites)
	own := map[int][]Mutant{}
	for i := range s.sites {
		own[i] = of(i)
		if x := &plain.sites[i]; x.use == nonblocking && s.inReset(i) {
			target := s.text[s.t[x.left].at:s.t[x.from-1].at]
			x.use = continuous
			for k := range own[i] {
				if m := &own[i][k]; m.change.whole { // dropped
					m.change.text = target
				}
			}
		}
	}
	return plain.mutated(func(site int) []Mutant { return own[site] })
}

// inReset reports whether a site is what an asynchronous reset does, or its condition.
func (s *source) inReset(i int) bool {
	x := s.sites[i]
	head := x.left
	for ; head > 0 && s.t[head].text != "always_ff" && s.t[head].text != "always"; head-- {
	}
	if head == 0 || s.t[head+1].text != "@" || s.t[head+2].text != "(" {
		return false
	}
	end := closing(s.t, head+2)
	edges := 0
	for _, t := range s.t[head:end] {
		if t.text == "posedge" || t.text == "negedge" {
			edges++
		}
	}
	for end++; end < len(s.t)-1 && s.t[end].text != "if"; end++ {
	}
	if edges < 2 || end > x.left {
		return false
	}
	sc := scan{t: s.t}
	return x.left < sc.statement(closing(s.t, end+1)+1)
}

// resetCondition reports whether a mutant changes when there is an asynchronous reset, which Yosys does not read.
func (d *Design) resetCondition(m *Mutant) bool {
	s := &d.files[m.file]
	return s.sites[m.site].use == condition && s.inReset(m.site)
}

// declareChooser declares the number that chooses in every module, and lets there be latches.
func declareChooser(text string) (string, error) {
	t, err := lex(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	done := 0
	for i := range t {
		if t[i].text == "always_comb" { // of which Yosys takes no latch, which some mutants leave
			b.WriteString(text[done:t[i].at] + "always @*")
			done = t[i].end
		}
		if t[i].text != "module" {
			continue
		}
		imports := false
		for ; i < len(t)-1; i++ {
			if t[i].text == "import" {
				imports = true
			}
			if t[i].text == "(" {
				i = closing(t, i)
			}
			if t[i].text == ";" {
				if !imports {
					break
				}
				imports = false
			}
		}
		b.WriteString(text[done:t[i].end])
		b.WriteString(" wire [31:0] " + chooser + ";")
		done = t[i].end
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

// proveShared proves what it can of the mutants that are open. Where the solver is not there it proves nothing.
func proveShared(ctx context.Context, d *Design, o *Options, all []Outcome, anyState bool) {
	if _, err := exec.LookPath(equiv.Solver); err != nil {
		return
	}
	var open []Mutant
	by := map[int]*Outcome{}
	for i := range all {
		if x := &all[i]; x.Class == Survived || x.Class == NotRun {
			if d.unread[x.ID] || d.netlist == "" && d.resetCondition(&x.Mutant) {
				continue
			}
			open = append(open, x.Mutant)
			by[x.ID] = x
		}
	}
	dir, err := os.MkdirTemp("", "cosim-proof-")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	e := equiv.Options{Timeout: o.Proof.Timeout, Dir: dir, AnyState: anyState}
	if r := d.Manifest.Reset; r.Pin != "" {
		e.Reset = r.Pin
		if r.Active == "high" {
			e.Asserted = 1
		}
	}
	for _, s := range d.sharedNetlists(ctx, open, *o.Proof, o.Progress) {
		for _, m := range s.mutants {
			how, err := s.Prove(ctx, uint32(m.ID), e)
			switch {
			case err != nil:
				o.Progress("mutant %d: no proof in one netlist: %v", m.ID, err)
			case how != "":
				o.Progress("mutant %d: equivalent, %s", m.ID, how)
				by[m.ID].Class, by[m.ID].How = Equivalent, how
			}
		}
	}
}
