// Package propose makes a first manifest of a design's pins. What it could not tell it says: a guess is never unsaid.
package propose

import (
	"fmt"
	"slices"
	"strings"

	"hcacosim/cocosim/design"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// Input is what a proposal is made of.
type Input struct {
	Top  *design.Top
	Name string // of the device
	// Model is the stage; "" leaves it to the names and the shape of the ports.
	Model string
	// Sources, VHDL and Include are as the manifest is to have them. Defines are those of the command line.
	Sources, VHDL, Include []string
	Defines                map[string]string
	// Other elaborates the design with other parameters; nil where that is not to be tried.
	Other func(params map[string]int) (*design.Top, error)
}

// Proposal is a manifest, and what could not be told.
type Proposal struct {
	Text  string
	Notes []string
}

// port is a port of the manifest under way.
type port struct {
	name, stem string
	input      bool
	pins       map[role]string // the expression
	bits       map[role]int
	fields     []pinField
	verdictOf  string
	lines      []string // further lines, without indent
}

type pinField struct {
	name, pin string
	bits      int
	extra     string
}

func (p *port) axis() bool { return p.pins[data] != "" && len(p.fields) == 0 }

type proposer struct {
	in     Input
	notes  []string
	taken  map[string]bool
	ports  []*port
	stage  sim.StageSpec
	model  string
	params map[string]string // width in bits to the parameter that it is
	out    strings.Builder
	setup  []string
	config []string
	top    []string // further lines at the top level
}

func (p *proposer) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// Propose makes the proposal. An error is a design that no manifest can describe.
func Propose(in Input) (*Proposal, error) {
	p := &proposer{in: in, taken: map[string]bool{}, params: map[string]string{}}
	p.refuse()
	clock, clocks := p.clocks()
	reset, resets := p.resets()
	p.buses()
	p.group()
	p.records()
	p.chooseModel()
	p.match()
	p.portClocks(clocks)
	p.accepts()
	p.rest()
	p.widths()
	p.write(clock, clocks, reset, resets)
	return &Proposal{p.out.String(), p.notes}, nil
}

// accepts says that nothing of the pins tells what packets the design is made for.
func (p *proposer) accepts() {
	if len(p.stage.Ports) > 0 && p.stage.Ports[0].Kind == sim.Axis {
		p.note("accepts: which packets the design is made for is not to be told: all are sent; say accepts, and the others " +
			"are left out")
	}
}

// refuse notes pins that cannot be bound.
func (p *proposer) refuse() {
	for _, pin := range p.in.Top.Pins {
		switch {
		case pin.Odd != "":
			p.note("pin %s cannot be bound: %s; put a module around the design whose ports are vectors", pin.Name, pin.Odd)
		case pin.Dir == "inout":
			p.note("pin %s is an inout, which cannot be driven; put a module around the design without it", pin.Name)
		default:
			continue
		}
		p.taken[pin.Name] = true
	}
}

// clocks finds the clock, which is the one of the most blocks, and the others.
func (p *proposer) clocks() (clock string, others []string) {
	var found []design.Pin
	for _, pin := range p.in.Top.Pins {
		if u := p.in.Top.Uses[pin.Name]; pin.Dir == "input" && pin.Bits == 1 && u.Clock > 0 {
			found = append(found, pin)
		}
	}
	byName := false
	if len(found) == 0 {
		for _, pin := range p.in.Top.Pins {
			if pin.Dir == "input" && pin.Bits == 1 && clockName.MatchString(pin.Name) {
				found, byName = append(found, pin), true
			}
		}
	}
	if len(found) == 0 {
		p.note("clock: no input of one bit clocks a block, and none is named like a clock: put the pin in")
		return "CLOCK", nil
	}
	slices.SortStableFunc(found, func(a, b design.Pin) int {
		return p.in.Top.Uses[b.Name].Clock - p.in.Top.Uses[a.Name].Clock
	})
	clock = found[0].Name
	p.taken[clock] = true
	if byName {
		p.note("clock: %s only by its name: no block in the design's own files is clocked", clock)
	}
	if u := p.in.Top.Uses[clock]; u.FallingClock == u.Clock && u.Clock > 0 {
		p.note("clock: %s clocks by its falling edge; the pins are driven before its rising edge: put a module around it "+
			"that inverts it", clock)
	}
	for _, pin := range found[1:] {
		p.taken[pin.Name] = true
		others = append(others, pin.Name)
		p.note("clock: %s is a clock too; its ratio to %s is not to be told from the design: 1 to 1 is put in. Ports are "+
			"driven and read by %s, unless they say clock: %[1]s", pin.Name, clock, clock)
	}
	return clock, others
}

// portClocks gives a port to the clock beside the first whose name begins like its pins': rx_clk, rx_tdata.
func (p *proposer) portClocks(others []string) {
	for _, o := range p.ports {
		best := ""
		for _, c := range others {
			prefix := slices.DeleteFunc(words(c), clockName.MatchString)
			if stem := words(o.stem); len(prefix) > 0 && len(prefix) <= len(stem) && slices.Equal(prefix, stem[:len(prefix)]) {
				best = c
			}
		}
		if best != "" {
			o.lines = append(o.lines, "clock: "+best)
			p.note("port %s: it belongs to clock %s by its name alone", o.name, best)
		}
	}
}

// resets finds the reset, and how it is active: by what the design does with it, and by its name where that says
// nothing.
func (p *proposer) resets() (reset string, others []string) {
	type found struct {
		name, active string
		weight       int
	}
	var all []found
	for _, pin := range p.in.Top.Pins {
		if pin.Dir != "input" || pin.Bits != 1 || p.taken[pin.Name] {
			continue
		}
		u := p.in.Top.Uses[pin.Name]
		low, high := 2*u.AsyncLow+u.SyncLow, 2*u.AsyncHigh+u.SyncHigh
		if !resetName.MatchString(pin.Name) && u.AsyncLow+u.AsyncHigh == 0 {
			continue
		}
		named := map[bool]string{true: "low", false: "high"}[lowName.MatchString(pin.Name)]
		active := named
		switch {
		case low > high:
			active = "low"
		case high > low:
			active = "high"
		default:
			p.note("reset: %s is active %s only by its name: what the design does with it does not tell", pin.Name, named)
		}
		if low != high && active != named {
			p.note("reset: %s is named like one that is active %s, but the design resets while it is %s: that is put in",
				pin.Name, named, active)
		}
		p.taken[pin.Name] = true
		all = append(all, found{pin.Name, active, low + high})
	}
	if len(all) == 0 {
		p.note("reset: no pin that resets was found: none is put in")
		return "", nil
	}
	slices.SortStableFunc(all, func(a, b found) int { return b.weight - a.weight })
	for _, f := range all[1:] {
		others = append(others, fmt.Sprintf("{pin: %s, active: %s}", f.name, f.active))
		p.note("reset: %s resets too; it is held together with %s", f.name, all[0].name)
	}
	return fmt.Sprintf("{pin: %s, active: %s, cycles: 4}", all[0].name, all[0].active), others
}

// buses takes register buses out before their valid and ready look like streams.
func (p *proposer) buses() {
	for kind, by := range map[string]func(string) (string, string){"axi-lite": busRole, "plain": plainRole} {
		stems := map[string]map[string]design.Pin{}
		var order []string
		for _, pin := range p.in.Top.Pins {
			stem, r := by(pin.Name)
			if r == "" || p.taken[pin.Name] {
				continue
			}
			if stems[stem] == nil {
				stems[stem] = map[string]design.Pin{}
				order = append(order, stem)
			}
			stems[stem][r] = pin
		}
		for _, stem := range order {
			p.bus(kind, stem, stems[stem])
		}
	}
}

func (p *proposer) bus(kind, stem string, pins map[string]design.Pin) {
	needed := []string{"awaddr", "awvalid", "awready", "wdata", "wvalid", "wready", "bvalid", "bready"}
	widthOf, address := "wdata", "awaddr"
	if kind == "plain" {
		needed, address = []string{"address", "write", "wdata"}, "address"
	}
	for _, n := range needed {
		if pins[n].Name == "" || n == "write" && pins[n].Bits != 1 {
			return
		}
	}
	if p.setup != nil {
		p.note("registers: %s is a second register bus; only one can be set up: its inputs are held at 0", stem)
		return
	}
	var list []string
	for _, r := range append(slices.Clone(axiLite), "address", "write", "read", "ack") {
		if pin := pins[r]; pin.Name != "" {
			list = append(list, fmt.Sprintf("%s: %s", r, pin.Name))
			p.taken[pin.Name] = true
		}
	}
	p.setup = []string{"bus: " + kind, fmt.Sprintf("width: %d", pins[widthOf].Bits), fmt.Sprintf("address: %d",
		pins[address].Bits),
		"pins: {" + strings.Join(list, ", ") + "}", "steps: []   # {write: 0x0, value: 1}, {read: 0x0, value: 1, mask: " +
			"0x1}, {wait: 10}"}
	p.note("registers: %s is a register bus (%s); what has to be written before traffic is not to be told: write the "+
		"steps under setup", stem, kind)
}

// chooseModel takes the stage that was asked for, or the one whose name the design's resembles most among those whose
// ports fit.
func (p *proposer) chooseModel() {
	if p.in.Model != "" {
		p.stage, _ = stages.Lookup(p.in.Model)
		p.model = p.in.Model
		return
	}
	best, score := "", -1
	for _, s := range stages.All() {
		n := p.likeness(s)
		if n > score {
			best, score = s.Name, n
		}
	}
	p.stage, _ = stages.Lookup(best)
	p.model = best
	p.note("model: which stage the design is held against is not to be told; %s is put in, whose ports are the most "+
		"alike: --model NAME says it", best)
}

// likeness counts how much of a stage the design's names and ports show.
func (p *proposer) likeness(s sim.StageSpec) (n int) {
	text := strings.ToLower(p.in.Top.Name)
	for _, w := range strings.Split(s.Name, "_") {
		if strings.Contains(text, w) {
			n += 3
		}
	}
	for _, spec := range s.Ports {
		for _, have := range p.ports {
			if have.input == spec.Input && have.axis() == (spec.Kind == sim.Axis) {
				n++
				break
			}
		}
	}
	for name, fields := range stageFields(s.Name) {
		for _, f := range fields {
			for _, have := range p.ports {
				for _, hf := range have.fields {
					if hf.name == f.Name && name != "" {
						n++
					}
				}
			}
		}
	}
	return n
}
