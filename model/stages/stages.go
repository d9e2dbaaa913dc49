// Package stages has the stages of every transport. The harness and the vectors ask here and need not know which one a stage is of.
package stages

import (
	"slices"

	falcon "hcacosim/model/falcon/stage"
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// All lists every stage: those of the adapter's pipeline first, then Falcon's.
func All() []sim.StageSpec { return slices.Concat(hca.Stages(), falcon.Stages()) }

// Lookup finds a stage by name.
func Lookup(name string) (sim.StageSpec, bool) {
	if s, ok := hca.Lookup(name); ok {
		return s, true
	}
	return falcon.Lookup(name)
}
