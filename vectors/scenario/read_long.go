package scenario

import "hcacosim/model/hca"

// READs of more than 16,384 responses, to their end: what counts their responses carries into its upper half, which
// shows in the PSNs and in the READ's record. A response of 256 bytes is the shortest, so this takes more than 4 MiB.
const (
	readLongResponses = 1<<14 + hca.ReadPieces         // a multiple of the tags: the first of a READ is always 0
	readLongFrames    = readLongResponses * 6 / 5      // a frame that comes in a silence comes again
	readLongLength    = readLongFrames + readLongAside // records of an episode
	readLongAside     = 6                              // commands
	readLongEach      = 40                             // clocks from frame to frame at least
)

// makeReadLong gives a long READ an episode, and memory's answers in the order of their tags. Before it a clear gives
// up what the one before may have left; behind it come READs of nothing.
func makeReadLong(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, readLongLength, func(r *Rand, e *Episode) {
		through := max(readLongFrames*readLongEach, g.pace.Cycles(g.pace.Beats(readLongFrames*hca.ReadPieceBytes,
			readLongFrames)))
		h := readHost{g: g, r: r, e: e, now: 64 + e.Number*(through+readSettling), qps: []uint32{drawQPN(r)}}
		h.long(hca.ReadCommand{Clear: true}, "clear")
		c := hca.ReadCommand{Bytes: readLongResponses*hca.ReadPieceBytes - uint32(r.Below(hca.ReadPieceBytes)), PMTU: 1}
		c.Address = r.Uint64()<<32 - uint64(r.Below(readLongResponses))*hca.ReadPieceBytes // it may carry on its way
		h.long(c, "READ of more than 16,384 responses")
		for range readLongAside - 2 {
			h.long(hca.ReadCommand{PMTU: 1}, "READ of nothing behind it")
		}
		for k := range uint64(readLongFrames) {
			h.e.AddUser(readPortData, h.now+through*k/readLongFrames, hca.ReadUser(uint8(k%hca.ReadPieces), false),
				g.payload(r, hca.ReadPieceBytes), "memory gives")
		}
	})
}

// long gives a command of the QP.
func (h *readHost) long(c hca.ReadCommand, why string) {
	r := h.r
	c.QPN, c.PSN, c.MSN, c.Syndrome = h.qps[0], drawPSN(r), uint32(r.Below(1<<24)), uint8(r.Below(256))
	h.e.scratch = c.Append(h.e.scratch[:0])
	h.e.Add(readPortCommand, h.now, h.e.scratch, why)
}
