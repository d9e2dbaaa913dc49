package cocosim

import (
	"fmt"

	"hcacosim/model/sim"
)

// rateJudge holds an input that takes a beat a cycle against what it did: a bubble behind a packet costs throughput and
// shows nowhere else, for every window counts from the cycle in which the input was taken. So an output that gives a
// packet without a pause: a window counts to its last beat.
type rateJudge struct {
	ports    []sim.PortSpec
	policies []Policy
	next     []uint64 // by input port: the cycle after the last beat taken
}

func newRateJudge(ports []sim.PortSpec, policies []Policy) *rateJudge {
	return &rateJudge{ports, policies, make([]uint64, len(ports))}
}

// output looks at a packet of an output that has a beat in every cycle from its first one on: a MAC that runs dry cuts
// the frame off.
func (a *rateJudge) output(r *sim.Record, give func(*Violation)) {
	p := a.policies[r.Port]
	if !p.FullRate {
		return
	}
	beats, ticks := uint64(max(1, (len(r.Data)+p.BeatBytes-1)/p.BeatBytes)), uint64(max(1, p.BeatTicks))
	if cycles := (r.End - r.Start + ticks) / ticks; cycles > beats {
		text := fmt.Sprintf("%d beats took %d cycles to come out; nothing held them up", beats, cycles)
		give(&Violation{Verdict: sim.Verdict{Rule: "RATE", Text: text}, Port: a.ports[r.Port].Name, Cycle: r.End,
			Packet: r.Seq, User: r.User})
	}
}

// judge looks at an input with its accepted cycles. notBefore is the offer's: cycles before it are the stimulus's
// doing. Example: at a port that is free from cycle 100, an input of 4 beats with notBefore 110 may end in cycle 113,
// not later.
func (a *rateJudge) judge(r *sim.Record, notBefore uint64, give func(*Violation)) {
	p, next := a.policies[r.Port], a.next[r.Port]
	ticks := uint64(max(1, p.BeatTicks))
	a.next[r.Port] = r.End + ticks
	if !p.FullRate || next == 0 {
		return
	}
	beats := uint64(max(1, (len(r.Data)+p.BeatBytes-1)/p.BeatBytes))
	if ticks > 1 { // what is let in between two edges waits for the second
		notBefore += 2 * ticks
	}
	if cycles := r.End + ticks - max(next, min(notBefore, r.Start)); cycles > beats*ticks {
		text := fmt.Sprintf("%d beats took %d cycles to go in; nothing held the output up", beats, cycles/ticks)
		give(&Violation{Verdict: sim.Verdict{Rule: "RATE", Text: text}, Port: a.ports[r.Port].Name, Cycle: r.End,
			Packet: r.Seq,
			Known:  true, User: r.User})
	}
}
