// Package cocosim runs a device against its reference: the run, the scoreboard, the bridge to simulated RTL, the
// report.
package cocosim

import (
	"context"
	"strconv"

	"hcacosim/model/sim"
)

// WhileFed as Advance's bound lets a device run as long as its inputs are at hand: the device stops before the first
// cycle in which an idle input port has no offer to start. The clock stands still until the next call, so how a
// stimulus is cut into calls never shows in the result.
const WhileFed = ^uint64(0)

// Config is what a device is reset with.
type Config struct {
	// Seed drives backpressure and idle insertion; the same seed gives the same draws by cycle and port.
	Seed uint64
	// Backpressure and Idle are the shares (0 to 1) of cycles in which an output is not ready and in which an input
	// holds back its next beat.
	Backpressure, Idle float64
	// StallOnly is the number of the one output that Backpressure holds back, from 1 on; 0 is all of them.
	StallOnly int
	// Inputs are the values of the configuration pins by name.
	Inputs map[string]uint64
	// StateSeed is that of what no reset reaches: registers, memories, and what the design sets to X. 0 is all zeros.
	StateSeed uint64
	// Keep resets by the pin alone: the design goes on with the state that it has. A first Reset starts afresh whatever
	// Keep says.
	Keep bool
	// Start has the traffic begin behind the first reset, from what StateSeed draws: no noise comes before it.
	Start bool
	// Hold is for how many cycles the reset pin is held, at most 65,535; 0 is as the manifest says.
	Hold int
	// Lines stand behind outputs of a device that can have them.
	Lines []Line
	// MaxCycles stops a device that is being fed at this cycle; 0 is no limit.
	MaxCycles uint64
	// Unpaced lets a device be as slow as it likes: whoever asked bounds the run otherwise. A slow one is stopped after
	// half a minute of its own time, as inconclusive.
	Unpaced bool
	// InvertReset holds the reset pin the other way round, to find out whether the manifest has it wrong.
	InvertReset bool
}

// Line is what an output's records leave on: behind one that began, the next begins when that one, with Overhead bytes
// around it, has passed. Until then the output is not ready.
type Line struct {
	Port          sim.Port
	Overhead      uint32
	CyclesPerByte float64
}

// SlowestLine is how many cycles a line takes for a byte at most.
const SlowestLine = 1 << 16

// LineHolder is a device that may have lines behind its outputs.
type LineHolder interface{ HoldsLines() bool }

// Print is a line that a design printed.
type Print struct {
	Cycle   uint64
	InReset bool   // it came before cycle 0
	Text    string // at most 1,024 bytes
}

// Printer is a device whose design can print.
type Printer interface {
	// Prints returns the lines that came since the last call, and how many more came and were not kept.
	Prints() (lines []Print, unkept uint64)
}

// Device is anything with input ports, output ports and a clock: the golden model, RTL behind the bridge, a recording.
type Device interface {
	// Ports is the port table; a sim.Port is an index into it.
	Ports() []sim.PortSpec
	// BuildID names exactly what is being run.
	BuildID() string
	Reset(ctx context.Context, cfg Config) error
	// Advance delivers in (sorted by NotBefore, then port, then Seq), runs to cycle to (or WhileFed), and adds to out,
	// sorted by End, then port, then Seq: what came out, and for each offer accepted one record without Data on its input
	// port that carries its Seq and accepted cycles. Data of the result lies in out and lives as long: the harness checks
	// one batch while the device runs the next.
	Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error
	// Close ends the device. It reports a device that did not end well.
	Close() error
}

// When says in a word when the line was printed.
func (p Print) When() string {
	if p.InReset {
		return "reset"
	}
	return strconv.FormatUint(p.Cycle, 10)
}
