package cocosim

import (
	"fmt"

	"hcacosim/model/sim"
)

// holdJudge holds an input against how many records the device has room for, where each gives one at the only output:
// with fewer inside, none is offered in vain. A queue that is a place short, or opens a cycle late, shows nowhere else:
// every output is judged from the cycle in which its input was taken.
type holdJudge struct {
	ports []sim.PortSpec
	holds []*int   // by port; nil promises nothing
	taken []uint64 // by port
	left  []uint64 // the cycles of the last outputs, as many as records may be inside: output n is at n modulo that
	gave  uint64   // outputs so far
}

// newHoldJudge is nil where no port promises anything.
func newHoldJudge(ports []sim.PortSpec, holds []*int) *holdJudge {
	for i := range holds {
		if holds[i] != nil {
			return &holdJudge{ports: ports, holds: holds, taken: make([]uint64, len(ports)), left: make([]uint64, *holds[i])}
		}
	}
	return nil
}

// leave takes note of an output.
func (j *holdJudge) leave(r *sim.Record) {
	if j != nil {
		j.left[j.gave%uint64(len(j.left))] = r.End
		j.gave++
	}
}

// take looks at an input that waited for so many cycles before it was taken. begun: it is not the first behind a reset,
// which may wait for as long as it likes. Example: a device holds 4. Its input 6, counted from 0, waited until cycle
// 100. In cycle 99 four were inside, so output 2 left in cycle 99 or later.
func (j *holdJudge) take(r *sim.Record, waited uint32, begun bool, give func(*Violation)) {
	if j == nil || j.holds[r.Port] == nil {
		return
	}
	places, k := uint64(*j.holds[r.Port]), j.taken[r.Port]
	j.taken[r.Port]++
	if waited == 0 || !begun {
		return
	}
	if k >= places {
		frees := k - places // the output whose leaving gave its place
		if frees >= j.gave || j.left[frees%places]+1 >= r.End {
			return
		}
	}
	text := fmt.Sprintf("offered in vain for %d cycles with fewer than %d records inside", waited, places)
	give(&Violation{Verdict: sim.Verdict{Rule: "RATE", Text: text}, Port: j.ports[r.Port].Name, Cycle: r.End,
		Packet: r.Seq, Known: true})
}
