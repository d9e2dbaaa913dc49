// Package stages lists the stages of every transport: what a device can be held against. The harness finds a stage here
// by its name and does not ask whose it is.
package stages

import (
	"slices"

	falcon "hcacosim/model/falcon/stage"
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

var all = slices.Concat(hca.Stages(), falcon.Stages())

// All lists every stage, transport by transport, in the order of its pipeline.
func All() []sim.StageSpec { return all }

// Lookup finds a stage by name.
func Lookup(name string) (sim.StageSpec, bool) {
	for _, s := range all {
		if s.Name == name {
			return s, true
		}
	}
	return sim.StageSpec{}, false
}
