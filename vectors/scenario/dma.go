package scenario

import (
	"cmp"
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// An episode of rx-dma has a fixed number of writes: so each knows the numbers of its own.
const (
	dmaLength   = 640
	dmaGroup    = 64 // records, at most
	dmaWrites   = 128
	dmaBytes    = 48_000 // of its frames; what comes then is small
	dmaSettling = 2000   // clocks for what memory still owes

	// Of so many episodes those from there on have an s_mem that waits for nothing: more than a turn of tags comes before
	// the writes that it is for.
	dmaAheadEvery = 8
	dmaAheadFrom  = 4

	// The tags of a turn are those of two episodes. In the first turn of dmaAheadEvery episodes one of so many writes is
	// acknowledged for the next turn too, behind the others of its group: that waits in the block until the write is
	// retired, and all behind it. The write of the next turn is not acknowledged again.
	dmaTurnEpisodes = hca.DMATags / dmaWrites
	dmaTwiceEvery   = 32
	dmaTwice        = 7

	// In one turn of so many episodes memory acknowledges nothing until all of its writes are under way, if the device has
	// places for as many: nothing else takes one.
	dmaFullEvery = 32
	dmaFullFrom  = dmaAheadFrom
	dmaFullBytes = 12_000 // of the frames of such an episode
)

// Ports of rx_dma.
const (
	dmaCommands sim.Port = iota
	dmaPayload
	dmaAcks
)

// makeRxDMA makes records, payload, and what memory answers. Acknowledgements stand before the writes that they are
// for, and have their time: so the run may be cut anywhere, and no device that is slow, or that errs, is told anything
// that it could not be. One that comes before its write waits for it in the block.
func makeRxDMA(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, dmaLength, func(r *Rand, e *Episode) {
		const per = 1 << 20
		h := dmaHost{g: g, r: r, e: e, slow: float64(g.pace.Cycles(per)) / per,
			late: [...]int{0, 6, 12, 60, 300, 900}[r.Below(6)], jitter: [...]int{1, 8, 40, 400}[r.Below(4)],
			errors: [...]int{0, 0, 60, 12, 3}[r.Below(5)], gap: [...]int{1, 1, 1, 4, 30}[r.Below(5)],
			small: r.OneIn(3), writes: int(e.Number) * dmaWrites % hca.DMATags,
			ahead: e.Number%dmaAheadEvery >= dmaAheadFrom}
		switch e.Number % dmaAheadEvery / dmaTurnEpisodes {
		case 0:
			h.again, h.ahead = 1, r.OneIn(2)
		case 1:
			h.again = -1
		}
		for range 1 + r.Below(5) {
			h.qps = append(h.qps, drawDMAQPN(r))
		}
		through := g.pace.Cycles(g.pace.Beats(dmaBytes, dmaLength)) + dmaSettling
		if h.start = uint64(g.pace.Words) + 64 + e.Number*through; dmaIsFull(e.Number) {
			h.start -= e.Number % dmaTurnEpisodes * through
			h.until, h.small, h.gap = dmaFullUntil(g.pace, h.start), true, 1
		}
		h.now = float64(h.start)
		for h.left = dmaWrites; e.Len() < dmaLength; {
			h.group()
		}
	})
}

// dmaIsFull: an episode is of a turn of which all writes are under way at once.
func dmaIsFull(episode uint64) bool {
	at := episode % dmaFullEvery
	return at >= dmaFullFrom && at < dmaFullFrom+dmaTurnEpisodes
}

// dmaFullUntil is a clock at which the episodes of such a turn are through, if they begin at start, one right behind
// the other.
func dmaFullUntil(p Pace, start uint64) uint64 {
	return start + p.Cycles(p.Beats(dmaTurnEpisodes*dmaFullBytes, dmaTurnEpisodes*dmaLength)) + dmaSettling
}

// drawDMAQPN draws a number that every device has, or one that some have, or none.
func drawDMAQPN(r *Rand) uint32 {
	switch r.Below(8) {
	case 0:
		return drawQPN(r)
	case 1:
		return uint32(r.Below(4)) | 1<<r.Between(2, 23)
	}
	return uint32(r.Below(4))
}

// dmaHost gives records to a device, and has its memory.
type dmaHost struct {
	g   *Generator
	r   *Rand
	e   *Episode
	qps []uint32

	slow                      float64 // clocks for what a device that nothing holds back does in one
	late, jitter, errors, gap int
	small                     bool // no frame is long
	ahead                     bool // memory acknowledges whatever will come, turns of tags before it does

	start  uint64  // clock: nothing is offered before it that could wait for what has a time
	until  uint64  // memory acknowledges nothing before this clock, and nothing but writes is under way; 0: as ever
	now    float64 // the clock in which the next record will begin, if all goes as it should
	writes int     // so far, modulo the numbers that there are
	left   int     // of the episode
	again  int     // acknowledgements more of a write that has two, or that had it a turn ago
	bytes  int     // of frames so far
}

// dmaMove is a record with its frame.
type dmaMove struct {
	cmd     hca.DMACommand
	at      uint64 // not before
	frameAt uint64
	why     string
}

// dmaDue is an acknowledgement to come.
type dmaDue struct {
	hca.DMAAck
	at uint64
}

// group adds some records, before them the acknowledgements of all their writes, in the order of their times.
func (h *dmaHost) group() {
	r := h.r
	var movesRoom [dmaGroup]dmaMove // that they need no other memory
	var dueRoom, againRoom [dmaGroup]dmaDue
	moves, due, again := movesRoom[:0], dueRoom[:0], againRoom[:0]
	room := dmaLength - h.e.Len()
	most := dmaGroup
	if h.e.Len() == 0 { // few cases do something too
		most = 2
	}
	for n := 1 + r.Below(most); n > 0 && room > 0; n-- {
		c, why := h.command(room)
		room -= dmaCases(&c)
		if c.Place && c.Bytes > 0 {
			more := h.more(h.writes)
			room -= more
			if d := h.acknowledge(&c); more >= 0 {
				due = append(due, d)
			}
			if more > 0 {
				again = append(again, dmaDue{DMAAck: hca.DMAAck{Tag: due[len(due)-1].Tag, Error: r.OneIn(4)}})
			}
		}
		moves = append(moves, h.move(c, why))
	}
	slices.SortStableFunc(due, func(a, b dmaDue) int { return cmp.Compare(a.at, b.at) })
	due = append(due, again...)
	var b [64]byte
	for i := range due {
		why := "acknowledged"
		if due[i].Error {
			why = "acknowledged: error"
		}
		at := due[i].at
		if h.ahead {
			at = h.until
		}
		h.e.Add(dmaAcks, at, due[i].Append(b[:0]), why)
	}
	for i := range moves {
		m := &moves[i]
		h.e.Add(dmaCommands, m.at, m.cmd.Append(b[:0]), m.why)
		if n := int(m.cmd.Bytes); n > 0 {
			h.e.Add(dmaPayload, m.frameAt, h.g.payload(r, n), "payload")
		}
	}
}

// more is how many acknowledgements more than one a write of a number has.
func (h *dmaHost) more(write int) int {
	if write%dmaTwiceEvery == dmaTwice {
		return h.again
	}
	return 0
}

// dmaCases is how many cases a record takes: itself, its frame, its acknowledgement.
func dmaCases(c *hca.DMACommand) int {
	switch {
	case c.Bytes == 0:
		return 1
	case c.Place:
		return 3
	}
	return 2
}

// command draws a record. What is left of the episode must have room for the writes that are left.
func (h *dmaHost) command(room int) (c hca.DMACommand, why string) {
	r := h.r
	if r.OneIn(12) {
		h.qps[r.Below(len(h.qps))] = drawDMAQPN(r)
	}
	c = hca.DMACommand{Place: r.OneIn(2), Address: r.Uint64(), DMACompletion: hca.DMACompletion{
		Solicited: r.OneIn(2), QPN: h.qps[r.Below(len(h.qps))], PSN: uint32(r.Below(1 << 24)),
		WQE: uint32(r.Uint64()), Length: uint32(r.Uint64()), HasImmediate: r.OneIn(2), Immediate: uint32(r.Uint64())}}
	if r.OneIn(16) {
		c.Status = uint8(r.Below(16))
	}
	spare := room - 3*h.left // cases that are no write's
	for i := range h.left {
		spare -= h.more(h.writes + i)
	}
	kind := r.Below(10)
	switch {
	case h.left > 0 && (spare < 2 || kind < 6):
		c.Place, c.Complete = true, r.OneIn(3)
		h.left--
		h.shape(&c)
		why = "write"
	case spare < 1 || kind == 9:
		c.Clear = true
		why = "clear"
	case kind == 8 && spare > 1:
		c.Place, c.Complete = false, r.OneIn(3)
		h.shape(&c)
		why = "discard"
	case kind == 7:
		c.Status, c.Complete = hca.DMALocalError, true
		why = "completion of an error"
	default:
		c.Complete = !r.OneIn(4)
		why = "no payload"
	}
	if h.until > 0 && (!c.Place || c.Bytes == 0) { // it would take a place
		c.Clear, c.Complete, why = false, false, "nothing follows"
	}
	if c.Complete && c.Bytes > 0 {
		why += ", complete"
	}
	return c, why
}

// shape draws how long the payload is and where it goes: to every byte of a beat, with its end at every other, and
// with either at an edge more often.
func (h *dmaHost) shape(c *hca.DMACommand) {
	r := h.r
	beat := 8 << max(r.Below(5), r.Below(5))
	n := r.Between(1, 4*beat)
	switch {
	case h.small || h.bytes > dmaBytes-4096 || r.OneIn(4):
		n = r.Between(1, 1+r.Below(130))
	case r.OneIn(32):
		n = 4096 - r.Below(2)*r.Below(100)
	case r.OneIn(3): // ends at the end of a beat, or a byte beside
		n += (2*beat - n%beat - int(c.Address%uint64(beat)) + r.Below(3) - 1) % beat
	case r.OneIn(4): // one byte more than the beat of its address holds, or one to three in the next one but one
		n = beat - int(c.Address%uint64(beat)) + 1 + r.Below(2)*(beat+r.Below(3))
	}
	if r.OneIn(6) {
		c.Address = c.Address &^ uint64(beat-1)
	}
	if r.OneIn(40) {
		c.Address = -uint64(r.Between(1, 2*n))
	}
	c.Bytes = uint16(max(1, min(n, 4096)))
	h.bytes += int(c.Bytes)
}

// acknowledge is the answer to the next write, which begins now.
func (h *dmaHost) acknowledge(c *hca.DMACommand) dmaDue {
	r := h.r
	beats := float64(h.g.pace.Beats(int(c.Bytes), 1))
	d := dmaDue{DMAAck: hca.DMAAck{Tag: uint8(h.writes), Error: h.errors > 0 && r.OneIn(h.errors)},
		at: uint64(h.now + (beats+float64(r.Below(h.late+1)+r.Below(h.jitter)))*h.slow)}
	h.writes++
	if r.OneIn(20) { // long behind the others
		d.at += uint64(r.Below(400))
	}
	return d
}

// move gives a record its time.
func (h *dmaHost) move(c hca.DMACommand, why string) dmaMove {
	m := dmaMove{cmd: c, at: uint64(h.now), frameAt: uint64(h.now), why: why}
	switch h.r.Below(8) {
	case 0:
		m.at += uint64(h.r.Below(30))
	case 1:
		m.frameAt += uint64(h.r.Below(30))
	case 2, 3: // as soon as those before it are through
		m.at, m.frameAt = h.start, h.start
	}
	beats := max(1, h.g.pace.Beats(int(c.Bytes), 1)*min(1, int(c.Bytes)))
	h.now += float64(beats+h.r.Below(h.gap)) * h.slow
	return m
}
