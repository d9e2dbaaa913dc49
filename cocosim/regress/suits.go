package regress

import (
	"hcacosim/cocosim/adapt"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// suitable is how many records of a scenario are looked at for one that a device takes.
const suitable = 2000

// suits reports whether a scenario has anything for a device. Where a manifest says what its device accepts, a run of
// which nothing is left would compare nothing, and could not pass.
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
	var o sim.Offer
	return view.Stimulus(g).Next(&o) == nil
}
