package mutate

import (
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/session"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/scenario"
)

const (
	// StalledShare is the backpressure and the idle share of a stalled run.
	StalledShare = 0.35
	// ShortCount is how many records of a scenario a run has.
	ShortCount = 20000
)

// Runs are the default regression made short: 20,000 records a scenario, seed 1, free and stalled; the default scenario first, at the default
// size and at every other size, then the other scenarios, then all under every configuration that they allow. The known captures come before the first
// scenario of a device that takes packets. No run is there for the sake of a fault.
func Runs(m *manifest.Manifest) (all []session.Spec) {
	stage, ok := stages.Lookup(m.Model)
	packets := ok && stage.Ports[0].Kind == sim.Axis
	first := scenario.Default(m.Model).Name
	add := func(s session.Spec) {
		s.Dut, s.Seed, s.Count, s.Show = m.Name, 1, ShortCount, 1
		all = append(all, s)
		s.Backpressure, s.Idle = StalledShare, StalledShare
		all = append(all, s)
	}
	for _, name := range append([]string{first}, others(m.Model, first)...) {
		for _, params := range append([]map[string]int{nil}, m.Sizes...) {
			add(session.Spec{Scenario: name, Params: params, Known: packets && name == first})
		}
	}
	for _, s := range Configured(m) {
		add(s)
	}
	return all
}

// Configured are the scenarios of a device, the default one first, under each configuration that they allow, at its smallest size.
func Configured(m *manifest.Manifest) (all []session.Spec) {
	first := scenario.Default(m.Model).Name
	for _, name := range append([]string{first}, others(m.Model, first)...) {
		for _, c := range scenario.Configurations(m.Model) {
			all = append(all, session.Spec{Dut: m.Name, Scenario: name, Params: smallestSize(m), Config: c})
		}
	}
	return all
}

// smallestSize is the first of the other sizes, nil where there is none.
func smallestSize(m *manifest.Manifest) map[string]int {
	if len(m.Sizes) == 0 {
		return nil
	}
	return m.Sizes[0]
}

// others are the scenarios for a stage but one.
func others(stage, but string) (names []string) {
	for _, s := range scenario.All() {
		if s.Name != but && s.IsFor(stage) {
			names = append(names, s.Name)
		}
	}
	return names
}
