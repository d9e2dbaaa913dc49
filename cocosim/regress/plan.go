// Package regress plans a regression, runs it, several runs at a time, and says what came of it.
package regress

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/scenario"
)

// Plan is what is to be run. The zero value is nothing: Seeds must be given.
type Plan struct {
	Duts  []string // names of devices that come along, or paths of manifests; without any, all that come along
	Seeds []uint64
	Long  uint64 // records of the long run of each device on its default scenario; 0 for none
	Most  uint64 // packets or records of a run, the long ones apart; 0 for all that a scenario promises
	// MostPackets is the same, but not for the records of a block, which take little.
	MostPackets uint64
	Flavour     verilated.Flavour
	Smallest    bool // only the smallest size of each device
	Own         bool // only the size that its manifest gives it
}

// Run is a run of a regression, and what came of it.
type Run struct {
	Spec     session.Spec
	Scenario string // as the tables name it
	Long     bool
	Done     bool
	Report   report.JSON
	Bundle   string // the directory that it left; "" for none
}

// Stalled reports whether the run has backpressure.
func (r *Run) Stalled() bool { return r.Spec.Backpressure != 0 }

// StalledShare is the backpressure and the idle share of a stalled run.
const StalledShare = 0.35

// Resets is how often a design that can take it is reset in mid-traffic before each run; fewResets where it has more
// than fewPorts: a whole path of blocks, whose lives take long.
const (
	Resets    = 32
	fewResets = 8
	fewPorts  = 8
)

func resets(m *manifest.Manifest) int {
	if m.Reset.Pin == "" || !m.Reset.MidTraffic {
		return 0
	}
	if len(m.Ports) > fewPorts {
		return fewResets
	}
	return Resets
}

// Runs are the runs of a plan, in the order of the tables.
func (p Plan) Runs() (runs []*Run, err error) {
	devices, err := p.devices()
	if err != nil {
		return nil, err
	}
	for _, d := range devices {
		best := Smallest(d.m)
		if p.Smallest {
			d.m.Sizes = nil
			if best != nil {
				d.m.Sizes = []map[string]int{best}
			}
		}
		if p.Own {
			d.m.Sizes = nil
		}
		for _, r := range p.runsOf(d) {
			if p.Smallest && r.Spec.Params == nil && best != nil {
				continue
			}
			r.Spec.Flavour = p.Flavour
			runs = append(runs, r)
		}
	}
	return runs, nil
}

// device is a manifest and how a Spec names it.
type device struct {
	m    *manifest.Manifest
	name string
}

func (p Plan) devices() (all []device, err error) {
	if len(p.Duts) == 0 {
		own, err := manifest.Embedded()
		for _, m := range own {
			all = append(all, device{m, m.Name})
		}
		return all, err
	}
	for _, name := range p.Duts {
		m, err := manifest.Find(name)
		if err != nil {
			return nil, err
		}
		if manifest.IsPath(name) { // failures are repeated from anywhere
			if name, err = filepath.Abs(name); err != nil {
				return nil, err
			}
		}
		all = append(all, device{m, name})
	}
	return all, nil
}

// runsOf are the runs of a device.
func (p Plan) runsOf(d device) (runs []*Run) {
	for _, params := range Sizes(d.m) {
		for _, name := range Scenarios(d.m) {
			if !fits(d.m, params, name) {
				continue
			}
			for _, seed := range p.Seeds {
				for _, share := range []float64{0, StalledShare} {
					runs = append(runs, p.newRun(d, session.Spec{Params: params, Seed: seed, Backpressure: share, Idle: share},
						name))
				}
			}
		}
	}
	for _, s := range configured(d.m) {
		for _, seed := range p.Seeds {
			for _, share := range []float64{0, StalledShare} {
				s.Seed, s.Backpressure, s.Idle = seed, share, share
				runs = append(runs, p.newRun(d, s, s.Scenario))
			}
		}
	}
	if p.Long > 0 && len(p.Seeds) > 0 {
		name := scenario.Default(d.m.Model).Name
		spec := session.Spec{Dut: d.name, Scenario: name, Seed: slices.Max(p.Seeds) + 1, Count: p.Long,
			Show: session.DefaultShow}
		runs = append(runs, &Run{Spec: spec, Scenario: name, Long: true})
	}
	for _, r := range runs {
		r.Spec.Resets = resets(d.m)
	}
	return runs
}

// newRun is a run of a scenario, or of the real packets.
func (p Plan) newRun(d device, spec session.Spec, name string) *Run {
	spec.Dut, spec.Show = d.name, session.DefaultShow
	if name == KnownScenario {
		spec.Known = true
		return &Run{Spec: spec, Scenario: name}
	}
	spec.Scenario = name
	s, err := scenario.Lookup(name)
	if err != nil {
		return &Run{Spec: spec, Scenario: name}
	}
	most := p.Most
	if s.Input == sim.Axis || len(d.m.Ports) > fewPorts {
		most = min(most-1, p.MostPackets-1) + 1 // 0 is the most of all
	}
	if most > 0 && most < s.Count {
		spec.Count = most
	}
	return &Run{Spec: spec, Scenario: name}
}

// Sizes are the parameters that a device is run at: its defaults, which are nil, first.
func Sizes(m *manifest.Manifest) []map[string]int { return append([]map[string]int{nil}, m.Sizes...) }

// fits reports whether a scenario, or the real packets, are for a size of a device.
func fits(m *manifest.Manifest, params map[string]int, name string) bool {
	s, err := scenario.Lookup(name)
	if err != nil {
		return name == KnownScenario
	}
	all := maps.Clone(m.Parameters)
	maps.Copy(all, params)
	return s.IsForSize(all)
}

// Smallest is the size of a device that is quickest to build: the one with the smallest parameters.
func Smallest(m *manifest.Manifest) (best map[string]int) {
	sum := func(size map[string]int) (n int) {
		for name, v := range m.Parameters {
			if w, ok := size[name]; ok {
				v = w
			}
			n += v
		}
		return n
	}
	for _, size := range m.Sizes {
		if sum(size) < sum(best) {
			best = size
		}
	}
	return best
}

// KnownScenario stands for the real packets that come with cosim.
const KnownScenario = "known captures"

// Scenarios are those made for a device that have something it accepts; one that takes packets is given the real ones
// too. To hca_top they alone are nothing: it has no QP, and counts them where no register is read.
func Scenarios(m *manifest.Manifest) (names []string) {
	if stage, ok := stages.Lookup(m.Model); ok && stage.Ports[0].Kind == sim.Axis && m.Model != "hca_top" {
		names = append(names, KnownScenario)
	}
	all := scenario.All()
	for i := range all {
		if s := &all[i]; s.IsFor(m.Model) && suits(m, s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// mostSeeds bounds a slip of the finger.
const mostSeeds = 1_000_000

// ParseSeeds reads seeds as people write them: 3 is 1 to 3, 5..9 is 5 to 9, and 4,7,11..13 is what it says.
func ParseSeeds(text string) (seeds []uint64, err error) {
	bad := &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("--seeds %s", text),
		Do: "give a number (3 is 1 to 3), 5..9, or a list such as 4,7,11..13"}
	parts := strings.Split(text, ",")
	for _, part := range parts {
		from, to, isRange := strings.Cut(part, "..")
		if !isRange {
			if to = from; len(parts) == 1 {
				from = "1"
			}
		}
		first, err1 := strconv.ParseUint(from, 10, 64)
		last, err2 := strconv.ParseUint(to, 10, 64)
		if err1 != nil || err2 != nil || first > last || last-first >= mostSeeds {
			return nil, bad
		}
		for seed := first; seed <= last; seed++ {
			seeds = append(seeds, seed)
		}
	}
	return seeds, nil
}
