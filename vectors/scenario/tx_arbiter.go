package scenario

import (
	"encoding/binary"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// An episode of tx-arbiter has so many frames, of so many bytes at most; what comes then is small.
const (
	arbiterLength = 240
	txBytes       = 60_000
)

// makeTxArbiter makes frames for the inputs of tx_arbiter: of all of them as fast as they go, of some, in bursts of
// one, or apart; frames of one beat of any width, short ones, long ones. What a frame begins with is its sideband: as
// many of these bits as the inputs have.
func makeTxArbiter(g *Generator, index uint64, _ *Rand, c *Case) {
	g.arbiterFrames(index, c, 0, hca.TxInputs)
}

// makeTxArbiterSilent has an input without a frame in all of the run: that of the seed, input 0 with seed 1. What waits
// for it waits to the end.
func makeTxArbiterSilent(g *Generator, index uint64, _ *Rand, c *Case) {
	g.arbiterFrames(index, c, int(g.seed%hca.TxInputs), hca.TxInputs-1)
}

// arbiterFrames makes frames for so many inputs from base on, and around.
func (g *Generator) arbiterFrames(index uint64, c *Case, base, speaking int) {
	c.episode(g, index, arbiterLength, func(r *Rand, e *Episode) {
		through := g.pace.Cycles(g.pace.Beats(txBytes, arbiterLength)) + 200
		at := float64(uint64(g.pace.Words) + e.Number*through)
		begin, step := uint64(at), float64(through-100)/arbiterLength
		inputs := 1 + r.Below(speaking)
		first, burst := r.Below(speaking), []int{1, 1, 3, 20}[r.Below(4)]
		kind, paced := r.Below(4), r.OneIn(2)
		for left := txBytes; e.Len() < arbiterLength; {
			input := sim.Port((base + (first+r.Below(inputs))%speaking) % hca.TxInputs)
			for n := 1 + r.Below(burst); n > 0 && e.Len() < arbiterLength; n-- {
				bytes := txFrameBytes(r, kind, left)
				left -= bytes
				notBefore := begin
				if at += step; paced {
					notBefore = uint64(at)
				}
				e.Add(input, notBefore, g.random[r.Below(len(g.random)-bytes):][:bytes], "frame")
			}
		}
	})
	c.setUser(binary.LittleEndian.Uint32(c.Frame))
}

// txFrameBytes draws the length of a frame, 28 bytes or more as an ACK of InfiniBand has, where left allows it.
func txFrameBytes(r *Rand, kind, left int) int {
	beat := 8 << r.Below(5)
	n := 28 + r.Below(70)
	switch {
	case left < hca.GateMaxBytes:
	case kind == 0:
		n = 28 + r.Below(1+r.Below(1000))
	case kind == 1: // about the edge of a beat
		n = beat*r.Between(1, 5) - 1 + r.Below(3)
	case r.OneIn(24):
		n = hca.GateMaxBytes - r.Below(2)*r.Below(300)
	}
	return max(n, 1)
}
