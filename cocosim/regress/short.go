package regress

import (
	"slices"

	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/session"
	"hcacosim/vectors/scenario"
)

// ShortCount is how many records of a scenario a run of Short has.
const ShortCount = 20000

// Short is the default regression made short: 20,000 records a scenario, seed 1, free and stalled; the default scenario
// first, at the default size and at every other size, then the other scenarios, then all under every configuration that
// they allow. The known captures come before the first scenario of a device that takes packets. No run is there for the
// sake of a fault.
func Short(m *manifest.Manifest) (all []session.Spec) {
	add := func(s session.Spec) {
		s.Dut, s.Seed, s.Count, s.Show, s.Resets = m.Name, 1, ShortCount, 1, resets(m)
		all = append(all, s)
		s.Backpressure, s.Idle = StalledShare, StalledShare
		all = append(all, s)
	}
	packets := slices.Contains(Scenarios(m), KnownScenario)
	for i, name := range generated(m) {
		for _, params := range Sizes(m) {
			if fits(m, params, name) {
				add(session.Spec{Scenario: name, Params: params, Known: packets && i == 0})
			}
		}
	}
	for _, s := range configured(m) {
		add(s)
	}
	return all
}

// configured are the scenarios of a device under each configuration that they allow, at its smallest size.
func configured(m *manifest.Manifest) (all []session.Spec) {
	for _, name := range generated(m) {
		if !fits(m, Smallest(m), name) {
			continue
		}
		for _, c := range scenario.Configurations(m.Model) {
			all = append(all, session.Spec{Dut: m.Name, Scenario: name, Params: Smallest(m), Config: c})
		}
	}
	return all
}

// generated are the scenarios of a device without the known captures, its default first.
func generated(m *manifest.Manifest) []string {
	first := scenario.Default(m.Model).Name
	others := slices.DeleteFunc(Scenarios(m), func(s string) bool { return s == KnownScenario || s == first })
	return append([]string{first}, others...)
}
