// Package stage is the pipeline of Falcon, stage by stage. Stage = Go file = SystemVerilog module = document under
// docs/blocks = test of the same name.
package stage

import "hcacosim/model/sim"

var stages = []sim.StageSpec{falconWindowSpec}

// Stages lists every stage in the order of the pipeline.
func Stages() []sim.StageSpec { return stages }

// Lookup finds a stage by name.
func Lookup(name string) (sim.StageSpec, bool) {
	for _, s := range stages {
		if s.Name == name {
			return s, true
		}
	}
	return sim.StageSpec{}, false
}
