package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// An episode of hca-top is a round of hca-rx whose QPs, keys and receive WQEs are set up by registers. Before each part
// software closes and frees some of the QPs and sets them anew; behind the last it reads what was counted.
const (
	hcaTopLength = 3600
	hcaTopSetUp  = 1000 // records of registers at most, of the first part
	hcaTopPosts  = 800  // and of each other
	hcaTopClocks = 13   // of a write at most, with what it gives to hca_rx
)

// hcaTopWaits are writes between CLOSE and FREE; reads may pass them. Each takes the device 8 clocks or more, whatever
// the pace of the run; some 20 clocks behind the answer to CLOSE the QP is removed.
const hcaTopWaits = 6

// hcaTopClosing is how many accesses close a QP while memory is late, and try to free it.
const hcaTopClosing = hcaTopWaits + 6

// While the QP closes that waited for memory, frames come to nobody and registers are written: what tells of the QP
// meets what tells of the frames, and the access that holds both up.
const (
	hcaTopStrays  = 80
	hcaTopBusy    = 24 // writes
	hcaTopMeeting = hcaTopStrays + 2*hcaTopBusy
)

// hcaTopUnasked reports whether a QP answers duplicates only if they ask for it.
func hcaTopUnasked(i int) bool { return i%2 == 1 }

// Ports of hca_top.
const (
	hcaTopAW     sim.Port = 1
	hcaTopW      sim.Port = 2
	hcaTopAR     sim.Port = 3
	hcaTopAcks   sim.Port = 4
	hcaTopRead   sim.Port = 11
	hcaTopAtomic sim.Port = 13
	hcaTopWrote  sim.Port = 15
)

// hcaTopOf are the ports by which memory gives what READs and atomics ask for, by those of hca_rx.
var hcaTopOf = map[sim.Port]sim.Port{hcaRxPortRead: hcaTopRead, hcaRxPortAtomic: hcaTopAtomic,
	hcaRxPortWrote: hcaTopWrote}

// hcaTopTimes are the first clocks of a part of a round: of its accesses, and of its frames. Part 3 is what is read.
func hcaTopTimes(p Pace, round uint64, part int) (accesses, frames uint64) {
	setUp := p.Cycles(hcaTopClocks*hcaTopSetUp/2 + hcaRxSettling)
	posts := p.Cycles(hcaTopClocks*hcaTopPosts/2 + hcaRxSettling)
	reads := p.Cycles(hcaTopClocks*hcaTopLength/2 + hcaRxSettling)
	through := hcaTopThrough(p) + hcaTopJamEnd(p) + hcaRxFive.failing(p) // and what fails
	accesses = uint64(p.Words) + hcaRxSettling + p.Cycles(p.Beats(p.Before, p.Before/20))
	accesses += round * (setUp + hcaRxParts*through + (hcaRxParts-1)*posts + reads)
	if part == 0 {
		return accesses, accesses + setUp
	}
	accesses += setUp + uint64(part)*through + uint64(part-1)*posts
	return accesses, accesses + posts
}

// hcaTopThrough is how long the frames of a part take, and a QP that is closed behind them.
func hcaTopThrough(p Pace) uint64 {
	return hcaRxFive.through(p) + max(p.Cycles(hcaTopClocks*hcaTopClosing+hcaRxSettling), hcaTopJamRoom(p))
}

// makeHcaTop makes what software does to registers, and what peers send meanwhile.
func makeHcaTop(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaTopLength, func(r *Rand, e *Episode) {
		d := newHcaRxPeer(g, r, e, &hcaRxFive)
		d.model = hca.NewHcaRxBlocks(sim.Settings{"NumQps": hcaRxNumQPs})
		d.top = &hcaTopSoftware{closing: -1, jammed: r.OneIn(2)}
		for part := range hcaRxParts {
			d.begin(part)
			d.afterFailure()
			d.readOn()
			dense := r.OneIn(5)
			d.sendRest(dense)
			d.top.unasked(&d)
			d.top.strangers(&d)
			if part == hcaRxParts-1 {
				d.fill()
			} else {
				d.fail()
				d.top.closeBusy(&d)
			}
			d.end()
		}
		d.top.at, _ = hcaTopTimes(g.pace, e.Number, hcaRxParts)
		d.top.endSpares(&d)
		d.top.readBack(&d)
	})
	c.takeLink()
}

// hcaTopSoftware has the registers. What it does goes to the model too that says which frames write.
type hcaTopSoftware struct {
	at      uint64 // of the next access
	live    [hcaRxNumbers]bool
	closing int  // the QP that was closed while memory was late; -1: none
	jammed  bool // the last of these was a jam
	spare   hcaTopSpare
	crowds  int // in this episode: each is of other frames
}

// write writes a register.
func (s *hcaTopSoftware) write(d *hcaRxPeer, address uint16, data uint32, why string) {
	var b [hca.QPCtlAccessBytes]byte
	w := hca.AxilWrite{Data: data, Strobe: 15}
	d.moves = append(d.moves, hcaRxMove{hcaTopAW, s.at, hca.AppendAxilAddress(nil, address), why, -1},
		hcaRxMove{hcaTopW, s.at + uint64(d.r.Below(3)), w.Append(b[:0:0]), why, -1})
	s.at += hcaTopClocks / 2
}

// read reads a register.
func (s *hcaTopSoftware) read(d *hcaRxPeer, address uint16, why string) {
	d.moves = append(d.moves, hcaRxMove{hcaTopAR, s.at, hca.AppendAxilAddress(nil, address), why, -1})
	s.at += hcaTopClocks / 2
}

// command writes ARG0 and on, and a command.
func (s *hcaTopSoftware) command(d *hcaRxPeer, c hca.QPCommand, why string, arguments ...uint32) {
	for i, a := range arguments {
		s.write(d, 0x020+4*uint16(i), a, why)
	}
	s.write(d, 0x008, uint32(c), why)
}

// table gives an operation of a table, a key or a queue.
func (s *hcaTopSoftware) table(d *hcaRxPeer, o hca.HcaRxOp) {
	d.model.Operate(o.Append(nil))
	low, high := func(v uint64) uint32 { return uint32(v) }, func(v uint64) uint32 { return uint32(v >> 32) }
	switch o.To {
	case hca.ToKeys:
		q := hca.ParseMRQuery(o.Record)
		if q.Op == hca.MRRemove {
			s.command(d, hca.QPCommandKeyRemove, o.Why, q.RKey)
			return
		}
		flags := q.PD | uint32(q.Need)<<24
		if q.Window {
			flags |= 1 << 29
		}
		s.command(d, hca.QPCommandKeySet, o.Why, q.RKey, flags, low(q.VA), high(q.VA), low(q.Length), high(q.Length),
			low(q.Base), high(q.Base))
	case hca.ToReceiveQueues:
		q := hca.ParseRQQuery(o.Record)
		s.command(d, hca.QPCommandPost, o.Why, q.Queue, q.Bytes, q.WQE)
	case hca.ToNotify:
		q := hca.ParseCNPQuery(o.Record)
		s.command(d, hca.QPCommandPeriod, o.Why, q.Period)
	case hca.ToClassify:
		q := hca.ParseClassifyQuery(o.Record)
		if q.Op == hca.ClassifyPKey {
			s.command(d, hca.QPCommandPKey, o.Why, uint32(q.Entry), uint32(q.PKey))
			return
		}
		a := addressWords(q.Src)
		s.command(d, hca.QPCommandAddress, o.Why, uint32(q.Entry), 0, 0, 0, a[0], a[1], a[2], a[3])
	}
}

// addressWords are the words of an address, the lowest first.
func addressWords(a [16]byte) (w [4]uint32) {
	for i := range w {
		for k := range 4 {
			w[i] |= uint32(a[15-4*i-k]) << (8 * k)
		}
	}
	return w
}

// begin sets the round's QPs up, or some of them anew, and posts WQEs.
func (s *hcaTopSoftware) begin(d *hcaRxPeer, part int) {
	r := d.r
	if part == 0 {
		s.setUp(d)
		s.setSpares(d)
	} else {
		s.endSpares(d)
		was := s.closing
		if was >= 0 { // one at a time
			s.anew(d, was)
		}
		for i := range d.plan.fixed {
			if i != was && !r.OneIn(3) {
				s.anew(d, i)
			}
		}
	}
	s.beginSpares(d, part)
	d.post()
}

// setUp sets what is the same in all rounds, and the QPs of this one.
func (s *hcaTopSoftware) setUp(d *hcaRxPeer) {
	s.command(d, hca.QPCommandMAC, "own MAC", uint32(d.r.Uint64()), uint32(d.r.Below(1<<16)))
	for _, o := range append(hcaRxCommon(d.g, d.r)[1:], d.period()) {
		s.table(d, o)
	}
	for i := range d.plan.fixed {
		s.fresh(d, i)
		d.used = append(d.used, &d.qps[i])
	}
	s.fresh(d, d.plan.filler())
}

// anew destroys a QP and sets it where its peer is.
func (s *hcaTopSoftware) anew(d *hcaRxPeer, i int) {
	s.destroy(d, i)
	d.qps[i].revive()
	s.set(d, i)
}

// hcaTopHeld is how many READs wait for memory at most while a QP is closed.
const hcaTopHeld = 3

// closeBusy closes a QP while READs of another wait for memory, or in a jam: it cannot be freed, and is when it is
// destroyed.
func (s *hcaTopSoftware) closeBusy(d *hcaRxPeer) {
	// one QP closes at a time
	if s.spare.closing || d.plan.pieces-d.memory.pieces < 2*hcaTopHeld || s.jams(d) {
		return
	}
	late := d.start + hcaTopThrough(d.g.pace)
	p := &d.qps[d.plan.filler()]
	d.late = late
	for range d.r.Between(1, hcaTopHeld) {
		d.readLate(p, "a READ that waits while a QP is closed")
	}
	d.late = 0
	s.at = d.start + d.plan.through(d.g.pace)
	s.closing = d.r.Below(d.plan.fixed)
	s.close(d, s.closing)
	s.command(d, hca.QPCommandFree, "command: FREE, too early")
	s.read(d, 0x004, "read: STATUS")
	s.meet(d, late)
	d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0]
}

// meet sends frames to nobody and writes a register from a clock on, if the round has room for that.
func (s *hcaTopSoftware) meet(d *hcaRxPeer, clock uint64) {
	if d.roomOfTop() < hcaTopMeeting {
		return
	}
	start := d.start
	d.start, s.at = clock, clock
	s.crowd(d, hcaTopStrays)
	for range hcaTopBusy {
		s.write(d, 0x03C, uint32(d.r.Uint64()), "write: ARG7, while a QP closes")
	}
	d.start = start
}

// close closes a QP, and waits until rx_classify has removed it.
func (s *hcaTopSoftware) close(d *hcaRxPeer, i int) {
	s.write(d, 0x00C, d.plan.numbers[i], "write: SELECT")
	s.command(d, hca.QPCommandClose, "command: CLOSE")
	for range hcaTopWaits {
		s.write(d, 0x03C, uint32(d.r.Uint64()), "write: ARG7, while the QP is removed")
	}
}

// fresh draws a QP of a new round and sets it up, with its keys. What the round before had is destroyed.
func (s *hcaTopSoftware) fresh(d *hcaRxPeer, i int) {
	p := &d.qps[i]
	p.set(d.g, d.r, d.plan, i)
	p.generous = i%2 == 0
	if hcaTopUnasked(i) { // what it drops has a reason that others have not
		p.verdict.Profile |= hca.RespDupAckByAckReq
	}
	p.receive.Shared, p.receive.Queue = false, d.plan.numbers[i] // a queue that is shared is never emptied by registers
	s.destroy(d, i)
	for _, o := range p.openWindow(d.r) {
		s.table(d, o)
	}
	none := hca.MRQuery{Op: hca.MRRemove, RKey: p.key}
	s.table(d, hca.HcaRxOp{To: hca.ToKeys, Record: none.Append(nil), Why: "remove the key"})
	s.table(d, p.region(d.r, p.key, false))
	s.set(d, i)
}

// destroy closes a QP and frees it, whatever state it is in: one that is in RESET refuses both.
func (s *hcaTopSoftware) destroy(d *hcaRxPeer, i int) {
	qpn := d.plan.numbers[i]
	s.close(d, i)
	if s.closing == i {
		s.closing = -1
	}
	s.command(d, hca.QPCommandFree, "command: FREE")
	s.read(d, 0x004, "read: STATUS")
	p := &d.qps[i]
	p.posted = 0
	gone := hca.ClassifyQuery{Op: hca.ClassifyRemove, DestQP: qpn}
	for _, o := range append([]hca.HcaRxOp{{To: hca.ToClassify, Record: gone.Append(nil)}}, p.empty()...) {
		d.model.Operate(o.Append(nil))
	}
}

// empty is what FREE does to the QP's state.
func (p *hcaRxQP) empty() []hca.HcaRxOp {
	number := p.spec.DestQP
	reset := hca.RespQuery{Op: hca.RespReset, QPN: number}
	clear := hca.MsgQuery{Op: hca.MsgClear, QPN: number}
	replay := hca.ReplayQuery{Op: hca.ReplaySet, QPN: number, PMTU: p.verdict.PMTU}
	return []hca.HcaRxOp{{To: hca.ToVerdict, Record: reset.Append(nil)}, {To: hca.ToMessages, Record: clear.Append(nil)},
		{To: hca.ToReplay, Record: replay.Append(nil)}, hcaRxQueue(hca.RQRelease, number, ""),
		hcaRxQueue(hca.RQClear, number, "")}
}

// set configures a QP, in any order of its registers, and takes it to RTR, a few on to ERROR.
func (s *hcaTopSoftware) set(d *hcaRxPeer, i int) {
	p, r := &d.qps[i], d.r
	v, number := &p.verdict, d.plan.numbers[i]
	whole := uint32(0)
	if p.receive.WholeWrite {
		whole = 1 << 10
	}
	a := addressWords(p.spec.Src)
	words := [...]uint32{(number ^ 0xABCDEF) | uint32(v.Service)<<24 | uint32(p.pkeyEntry)<<27,
		uint32(p.next) | uint32(v.MaxReads)<<24 | uint32(v.PMTU)<<29,
		uint32(v.RNRTimer)<<24 | uint32(v.Enabled)<<29,
		uint32(v.Profile) | uint32(v.FlushEnabled)<<8 | whole | uint32(r.Below(256))<<16,
		a[0], a[1], a[2], a[3], uint32(r.Uint64()),
		uint32(r.Below(1 << 16)), p.receive.Queue, p.receive.PD}
	if p.ud {
		words[2] = p.receive.QKey
	}
	s.write(d, 0x00C, number, "write: SELECT")
	first := r.Below(len(words))
	for k := range words {
		word := (first + k) % len(words)
		s.write(d, 0x100+4*uint16(word), words[word], "write: configuration")
	}
	s.command(d, hca.QPCommandInit, "command: INIT")
	s.command(d, hca.QPCommandRTR, "command: RTR")
	isLive := i == d.plan.filler() || !r.OneIn(12)
	if !isLive {
		s.command(d, hca.QPCommandError, "command: ERROR")
	}
	s.live[i] = isLive
	set := hca.ClassifyQuery{Op: hca.ClassifySet, DestQP: number, Entry: p.pkeyEntry, Live: isLive, Service: v.Service,
		Src: [16]byte(p.spec.Src), ReceiveSide: p.receive}
	verdict := *v
	verdict.Op, verdict.PSN = hca.RespSet, p.next
	ready := verdict
	ready.Op = hca.RespReady
	replay := hca.ReplayQuery{Op: hca.ReplaySet, QPN: number, PMTU: v.PMTU, Depth: min(v.MaxReads, hca.HcaRxReplaySlots)}
	for _, o := range []hca.HcaRxOp{{To: hca.ToVerdict, Record: verdict.Append(nil)},
		{To: hca.ToReplay, Record: replay.Append(nil)}, {To: hca.ToVerdict, Record: ready.Append(nil)},
		{To: hca.ToClassify, Record: set.Append(nil)}} {
		d.model.Operate(o.Append(nil))
	}
}

// readBack reads what was counted, and what became of the QPs, to the end of the round.
func (s *hcaTopSoftware) readBack(d *hcaRxPeer) {
	s.read(d, 0x010, "read: FLOW")
	for i := range d.plan.fixed {
		s.write(d, 0x00C, d.plan.numbers[i], "write: SELECT")
		s.read(d, 0x13C, "read: QP_STATE")
	}
	for n := 0; d.count() < hcaTopLength; n++ {
		reason := uint16((n/2*7 + int(d.e.Number)) % 64)
		s.read(d, 0x800+8*reason+4*uint16(n%2), "read: a counter")
	}
	d.flush()
}
