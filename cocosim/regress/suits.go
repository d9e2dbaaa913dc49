package regress

import (
	"hcacosim/cocosim/adapt"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// suitable is how many records of a scenario are looked at for those that a device takes, and fewSuit how many of them
// are enough: a run of 20,000 has twice as many then as it needs (report.FewestRecords).
const (
	suitable = 2000
	fewSuit  = 4
)

// suits reports whether a scenario has enough for a device. Where a manifest says what its device accepts, a run of
// which hardly anything is left would compare next to nothing, and could not pass.
func suits(m *manifest.Manifest, s *scenario.Scenario) bool {
	stage, ok := stages.Lookup(m.Model)
	if m.Accepts == nil || !ok {
		return true
	}
	view, err := adapt.New(m, stage)
	if err != nil {
		return true // the run says what is wrong
	}
	g, err := vectors.NewGenerated(s, stage, 1, suitable)
	if err != nil {
		return true
	}
	in := view.Stimulus(g)
	var o sim.Offer
	for range fewSuit {
		if in.Next(&o) != nil {
			return false
		}
	}
	return true
}
