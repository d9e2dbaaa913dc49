// Package hca is the pipeline of the host channel adapter, stage by stage. Stage = Go file = SystemVerilog module =
// document under docs/blocks = test of the same name.
package hca

import "hcacosim/model/sim"

// Stage is one block of the pipeline as the golden model has it: state and input decide the output.
type Stage interface {
	// Reset returns the stage to its state after reset.
	Reset()
	// Advance takes the input records (sorted by End, with realised cycles), runs to cycle `to` and appends what came
	// out to out, sorted by End. The cycles of an output are those of an idle, unstalled block. Data of an output may
	// alias Data of its input.
	Advance(to uint64, in, out []sim.Record) []sim.Record
}
