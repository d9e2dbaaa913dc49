package scenario

// Pace is how fast a device can be in a run. Scenarios whose records enter by several ports and depend on each other
// wait by it: their content is the same at every pace, only Case.NotBefore is not. The zero value is a data path of 32
// bytes with a third of all clocks stalled.
type Pace struct {
	BeatBytes          int
	Words              int     // of the device's memories: as many clocks after reset it is busy with them
	Idle, Backpressure float64 // shares of clocks, 0 to 0.99
	Before             int     // bytes that are played before the scenario
}

// unknownPace stands for a Pace that nobody gave.
var unknownPace = Pace{BeatBytes: 32, Words: 8 * 4096, Idle: 0.35, Backpressure: 0.35}

// open is the share of clocks in which a port is not held back. Stalls come in kinds: half of them are of the share
// that is asked for, the others last long whatever the share is (docs/bridge.md).
func open(share float64) float64 {
	if share == 0 {
		return 1
	}
	return 0.7 * (1 - min(share, 0.99))
}

// Cycles is a time within which a device that takes a beat a clock, and is held back at all ports as this run does it,
// is through with so many beats.
func (p Pace) Cycles(beats int) uint64 {
	if p.Idle == 0 && p.Backpressure == 0 {
		return uint64(beats)
	}
	const spare, silence = 1.2, 2560 // a silence is up to 1,279 clocks, and two ports have theirs apart
	return uint64(float64(beats)*spare/(open(p.Idle)*open(p.Backpressure))) + silence
}

// Beats are those of frames, each with a last beat that is not full.
func (p Pace) Beats(bytes, frames int) int { return bytes/p.BeatBytes + frames }

// SetPace tells the generator the pace of the run. It is set before the first Make.
func (g *Generator) SetPace(p Pace) { g.pace = p }
