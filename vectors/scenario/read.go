package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// An episode of read-engine is some READs, and before most of them all that memory gives in its time: frames of every
// tag, over and over. A device takes those of the pieces that it has asked for by then and throws the others away,
// so whatever it asks for, and however many of its READs are interrupted, is answered in the end.
const (
	readCommands = 34
	readFirst    = 4 // of them before what memory gives, the others behind it
	readFrames   = 466
	readLength   = readCommands + readFrames
	readBytes    = 40_000 // that the READs of an episode ask for, the long ones apart
	readSettling = 1500
	readPlaces   = 8  // READs under way
	readWaiting  = 14 // READs of nothing whose records wait: more than a device keeps
	readWaits    = 7  // each so many give up those of their QP
	readOldEach  = 4  // of so many episodes one has a long READ that fails behind READs of nothing
)

// Ports of read_engine that the scenario gives records to.
const (
	readPortCommand sim.Port = iota
	readPortData
)

func makeReadEngine(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, readLength, func(r *Rand, e *Episode) {
		through := g.pace.Cycles(g.pace.Beats(readFrames*hca.ReadPieceBytes, 0)) + readSettling
		h := readHost{g: g, r: r, e: e, now: 64 + e.Number*through, through: through, left: readBytes,
			errors: [...]int{0, 0, 0, 60, 12}[r.Below(5)], small: r.OneIn(4)}
		if h.small && r.OneIn(2) {
			h.begin = r.Below(hca.ReadLineBytes)
			h.end = h.begin + r.Between(1, 64)
		}
		for range 1 + r.Below(4) {
			qpn := drawQPN(r)
			if len(h.qps) > 0 && r.OneIn(2) {
				qpn = near(r, h.qps[0], 24)
			}
			h.qps = append(h.qps, qpn)
		}
		for range readFirst { // few cases do something too
			h.command()
		}
		h.old = e.Number%readOldEach == readOldEach-1
		h.memory()
		h.resultsWait()
		if h.old {
			h.behindNothing()
		}
		for e.Len() < readLength {
			h.command()
		}
	})
}

// readHost gives READs to a device, and has its memory.
type readHost struct {
	g   *Generator
	r   *Rand
	e   *Episode
	qps []uint32

	now, through uint64 // the first clock of the episode, and how many it has
	slow         uint64 // how far in the episode the slow half of what memory gives begins
	errors       int    // a frame in so many is wrong, 0: none
	small        bool   // no READ is long
	begin, end   int    // small READs begin and end there in their lines, or some bytes behind; end 0: anywhere
	left         int    // bytes that may still be asked for
	at           uint64 // not before which the next command comes
	twins        int    // numbers drawn that differ from another QP's in one bit
	last         hca.ReadCommand
	old          bool // a READ stands where one of nothing stood, and every frame of the slow half is an error
}

// memory adds what memory gives: most of it in the first half of the episode, as fast as it goes or in a steady flow,
// the rest so late that every READ ends.
func (h *readHost) memory() {
	r := h.r
	dense := h.through * uint64([...]int{1, 10, 30, 50}[r.Below(4)]) / 100
	order := r.Below(5)
	var tags [hca.ReadPieces]uint8
	for k := range readFrames {
		if k%hca.ReadPieces == 0 {
			h.sweep(&tags, order)
		}
		at := dense * uint64(k) / (readFrames / 2)
		if k >= readFrames/2 {
			at = dense + (h.through-dense)*uint64(k-readFrames/2)/(readFrames/2+1)
		}
		if k == readFrames/2 {
			if h.slow = at; h.old {
				h.errors = 1
			}
		}
		tag := tags[k%hca.ReadPieces]
		if order == 4 && k < readFrames/2 {
			tag = uint8(r.Below(hca.ReadPieces))
		}
		h.frame(h.now+at, tag)
	}
}

// sweep draws the order in which the next answers of all tags come: as they were asked for, the other way round, two
// and two the other way round, or any.
func (h *readHost) sweep(tags *[hca.ReadPieces]uint8, order int) {
	for i := range tags {
		tags[i] = uint8(i)
		switch order {
		case 1:
			tags[i] = uint8(len(tags) - 1 - i)
		case 2:
			tags[i] ^= 1
		}
	}
	if order < 3 {
		return
	}
	for i := len(tags) - 1; i > 0; i-- {
		k := h.r.Below(i + 1)
		tags[i], tags[k] = tags[k], tags[i]
	}
}

// frame adds what memory gives for a tag, whichever piece that is by then.
func (h *readHost) frame(at uint64, tag uint8) {
	r := h.r
	n, failed, why := hca.ReadPieceBytes, false, "memory gives"
	if h.small {
		n = r.Between(hca.ReadLineBytes, hca.ReadPieceBytes)
		if h.end > 0 && r.OneIn(2) { // about as much as was asked for
			n = max(1, h.end+r.Between(-10, 16))
		}
	}
	switch {
	case h.errors == 1:
		failed, why = true, "memory gives: error"
	case h.errors > 0 && r.OneIn(h.errors):
		if failed, why = r.OneIn(2), "memory gives: error"; !failed {
			n, why = r.Between(1, hca.ReadPieceBytes), "memory gives less"
		}
	case r.OneIn(100):
		n, why = hca.ReadPieceBytes+r.Between(1, 300), "memory gives more"
	}
	h.e.AddUser(readPortData, at, hca.ReadUser(tag, failed), h.g.payload(r, n), why)
}

// command adds a READ, one that interrupts, or a clear.
func (h *readHost) command() {
	r := h.r
	c := hca.ReadCommand{QPN: h.qps[r.Below(len(h.qps))], PSN: drawPSN(r), Address: h.address(),
		PMTU: uint8(r.Between(1, 5)), MSN: uint32(r.Below(1 << 24)), Syndrome: uint8(r.Below(256))}
	why := "READ"
	long := h.last.Bytes > 1<<17
	if r.OneIn(3) {
		c.QPN = h.twin(h.qps[0])
	}
	switch {
	case long && r.OneIn(2), r.OneIn(16):
		c.Clear, c.QPN, c.Resumed, why = true, h.last.QPN, r.OneIn(2), "clear"
	case long, h.e.Len() > readFrames && r.OneIn(4):
		c.Resumed, c.QPN, c.PSN, why = true, h.last.QPN, h.last.PSN.Add(int32(r.Below(9))), "duplicate READ interrupts"
	}
	if r.OneIn(12) {
		c.PMTU = uint8(r.Below(8))
	}
	c.Bytes = h.bytes(&c)
	if c.Clear || c.Resumed { // at any time of the READ before it
		h.at += uint64(r.Below(int(h.through) / [...]int{40, 12, 3}[r.Below(3)]))
		if h.last.Bytes == 1<<31 { // behind its first response, as a rule: which is no last one
			h.at += h.through / 8
		}
		if h.e.Len() < readLength-2 && r.OneIn(2) { // so does one of a QP that has nothing to give up
			other := c
			other.QPN, other.Bytes = h.twin(c.QPN), uint32(r.Below(9))
			h.add(other, why+", of a QP whose number is another in one bit")
		}
	} else if r.OneIn(4) {
		h.at += uint64(r.Below(60))
	}
	if h.last = c; c.Clear { // which looks at neither
		c.Bytes, c.PMTU = uint32(r.Uint64()), uint8(r.Below(8))
	}
	h.add(c, why)
}

// behindNothing gives READs of nothing, one for each place of READs, then a long one, which fails with its first piece.
// What its place still has of the one before names the very piece that is due.
func (h *readHost) behindNothing() {
	r := h.r
	for k := range readPlaces + 1 {
		c := hca.ReadCommand{QPN: h.qps[0], PSN: drawPSN(r), Address: h.address(), PMTU: uint8(r.Between(1, 5)),
			MSN: uint32(r.Below(1 << 24)), Syndrome: uint8(r.Below(256))}
		why := "READ of nothing, before a long one"
		if k == readPlaces {
			c.Bytes, why = 1<<20, "READ, long, behind READs of nothing"
		}
		h.at = h.slow
		h.last = c
		h.add(c, why)
	}
}

// resultsWait gives READs of nothing and, right behind them, what gives up READs of their QP: they are done by then,
// also those whose records nobody has taken.
func (h *readHost) resultsWait() {
	r := h.r
	for h.last.Bytes > 1<<17 { // what gives it up comes first
		h.command()
	}
	for k := range readWaiting {
		c := hca.ReadCommand{QPN: h.qps[0], PSN: drawPSN(r), Address: h.address(), PMTU: 1, MSN: uint32(r.Below(1 << 24)),
			Syndrome: uint8(r.Below(256))}
		why := "READ of nothing, one of many"
		if k%readWaits == readWaits-1 {
			c.Clear = r.OneIn(2)
			c.Resumed, why = !c.Clear, "what gives up READs that are done"
		}
		h.last = c
		h.add(c, why)
	}
}

func (h *readHost) add(c hca.ReadCommand, why string) {
	h.e.scratch = c.Append(h.e.scratch[:0])
	h.e.Add(readPortCommand, h.now+h.at, h.e.scratch, why)
}

// twin is a QP whose number differs from that of another in one bit: in each in turn, from one that the episode has on.
func (h *readHost) twin(qpn uint32) uint32 {
	h.twins++
	return qpn ^ 1<<((int(h.e.Number)*7+h.twins)%24)
}

// address draws a place: any, near a multiple of 256, or near the end of all addresses.
func (h *readHost) address() uint64 {
	r := h.r
	a := r.Uint64()
	switch r.Below(9) {
	case 0:
		a &^= hca.ReadPieceBytes - 1
	case 1:
		a = a&^(hca.ReadPieceBytes-1) + uint64(r.Below(9)) - 4
	case 2:
		a &^= uint64(8)<<r.Below(5) - 1
	case 3:
		if r.OneIn(4) {
			a = -uint64(r.Between(1, 3000))
		}
	}
	if h.end > 0 {
		a = a&^(hca.ReadPieceBytes-1) + uint64(h.begin)
	}
	return a
}

// bytes draws a length: none, a few, about as many as a piece or a few responses have, or more than will ever come.
func (h *readHost) bytes(c *hca.ReadCommand) uint32 {
	r := h.r
	if r.OneIn(30) {
		return 0
	}
	if h.end > 0 && r.OneIn(2) {
		return uint32(h.end - h.begin + r.Below(9))
	}
	if h.small || h.left < 4096 {
		return uint32(r.Between(1, 64))
	}
	mtu := int(c.MTU())
	n := 0
	switch r.Below(7) {
	case 0:
		n = r.Between(1, 128)
	case 1:
		n = hca.ReadPieceBytes*r.Between(1, 4) - int(c.Address%hca.ReadPieceBytes) + r.Below(3) - 1
	case 2, 3:
		n = mtu*r.Between(1, 1+min(16, h.left/2/mtu)) + r.Below(3) - 1
	case 4:
		n = r.Between(1, min(h.left, 9000))
	case 5:
		n = mtu + r.Below(2)
	default:
		n = r.Between(1, 1200)
		if h.e.Len() < readLength-2 && r.OneIn(2) { // one that interrupts it follows
			if c.PMTU = uint8(r.Between(1, 5)); r.OneIn(2) {
				c.PMTU = 1
			}
			if r.OneIn(2) {
				return 1 << 31
			}
			top := uint32(1) << r.Between(18, 30)
			return top | uint32(r.Uint64())&(top-1)
		}
	}
	n = max(1, min(n, h.left))
	h.left -= n
	return uint32(n)
}
