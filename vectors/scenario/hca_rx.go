package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// An episode of hca-rx is a round: a device is set up, and its peers send. Operations and frames come by two ports:
// frames begin when every operation is through, and operations on which frames depend when every frame is, as the pace
// of the run has it. So a round has parts: before each the host posts receive WQEs and sets windows anew. Operations
// that no frame of the round depends on come beside them: a QP of the next round, what is set already.
//
// The host's memory acknowledges each write by a third port. A round has a fixed number of writes, so each knows the
// numbers of its own: behind its last part a peer writes as many as are missing.
const (
	hcaRxParts    = 3
	hcaRxSettling = 400 // clocks for what a device does behind its last beat
	hcaRxFarWaits = 16  // clocks that a response of a long READ takes at most, beside its payload
	hcaRxWaits    = 21  // clocks that a frame takes at most which waits for the one before it: docs/pipeline.md
)

// times are the first clocks of a part of a round: of its operations, and of its frames.
func (n *hcaRxPlan) times(p Pace, round uint64, part int) (operations, frames uint64) {
	setUp, posts := p.Cycles(n.setUp*n.operation+hcaRxSettling), p.Cycles(n.posts*n.operation+hcaRxSettling)
	// Frames, their writes, what fails or is lost, and their answers.
	through := n.through(p) + n.failing(p)
	if n.wearing > 0 {
		through += p.Cycles(n.wearing)
	}
	first := uint64(p.Words) + hcaRxSettling + p.Cycles(p.Beats(p.Before, p.Before/20))
	far := p.Cycles(p.Beats(n.far*hca.ReadPieceBytes, hcaRxFarWaits*n.far))
	operations = first + round*(setUp+hcaRxParts*through+(hcaRxParts-1)*posts+far)
	if part == 0 {
		return operations, operations + setUp
	}
	operations += setUp + uint64(part)*through + uint64(part-1)*posts
	return operations, operations + posts
}

// through is how long the frames of a part take, and memory with what they write.
func (n *hcaRxPlan) through(p Pace) uint64 {
	return p.Cycles(p.Beats(n.bytes+n.pieces*hca.ReadPieceBytes, hcaRxWaits*n.most+3*n.writes+n.serving)) +
		p.Cycles(int(2*hcaRxLatest*hcaRxMemoryPace(p)))
}

// failing is how long a READ takes that memory fails when the frames of a part are through.
func (n *hcaRxPlan) failing(p Pace) uint64 {
	return p.Cycles(p.Beats(n.pieces*hca.ReadPieceBytes, hcaRxSettling))
}

// makeHcaRx makes requests to QPs of hca_rx as peers send them, and what goes wrong on the way: lost, doubled, damaged,
// for others, against every rule that hca_rx knows. Every fifth frame is one of mix.
func makeHcaRx(g *Generator, index uint64, _ *Rand, c *Case) {
	makeHcaRxRound(g, index, c, &hcaRxFive, false)
}

func makeHcaRxRound(g *Generator, index uint64, c *Case, plan *hcaRxPlan, wears bool) {
	c.episode(g, index, plan.length, func(r *Rand, e *Episode) {
		d := newHcaRxPeer(g, r, e, plan)
		d.wears = wears
		settings := sim.Settings{"NumQps": plan.numQPs}
		if wears {
			settings["Ecc"] = 1
		}
		d.model = hca.NewHcaRxBlocks(settings)
		for part := range hcaRxParts {
			d.begin(part)
			d.markFirst()
			d.afterFailure()
			d.readOn()
			d.restOfWrites()
			d.readUnheard()
			if plan.receives {
				d.receivePart()
			} else {
				d.sendPart()
			}
			d.lastWords()
			switch {
			case part == hcaRxParts-1:
				d.fill()
			case plan.receives: // nobody reads
			case d.wears && r.OneIn(2):
				d.wearKept()
			default:
				d.fail()
			}
			d.end()
		}
		d.goOnToTheEnd()
	})
	c.takeLink()
}

// markFirst begins a round, two times in three, with a packet that was marked: what a reset before it left undone of
// another one's mark is no business of this one. The first round, which each life begins with, does so always, for a QP
// whose CNPs go to somebody.
func (d *hcaRxPeer) markFirst() {
	if first := d.e.Number == 0; d.part == 0 && (first || !d.r.OneIn(3)) {
		p := d.used[0]
		if i := slices.IndexFunc(d.used, (*hcaRxQP).notifies); first && i >= 0 {
			p = d.used[i]
		}
		s := p.spec
		s.Opcode, s.PSN, s.MSN = ib.Join(ib.RC, ib.Ack), p.next, uint32(d.r.Below(1<<24))
		s.TClass |= 3
		d.frame(s.Encap.Link(), s.Append(nil, nil), "a marked response, first of all")
	}
}

// marksMore reports whether a packet is marked in any case: half of those of the first round, so that a reset in it
// meets one whose CNP is told, and which waits for its verdict.
func (d *hcaRxPeer) marksMore() bool { return d.e.Number == 0 && d.top == nil && d.r.OneIn(2) }

// notifies reports whether a response to the QP is let pass, and its mark is told.
func (p *hcaRxQP) notifies() bool {
	v2 := p.spec.Encap == wire.EncapRoCEv2IPv4 || p.spec.Encap == wire.EncapRoCEv2IPv6
	return v2 && p.marks && !p.idle && !p.uc && !p.ud
}

// sendPart sends the frames of a part: one by one, or all of them back to back.
func (d *hcaRxPeer) sendPart() {
	r := d.r
	dense := r.OneIn(5)
	if r.OneIn(2) { // more than wait in front of a block: while it stands still, none may be lost
		d.atOnce(d.start+uint64(r.Below(800)), len(d.beside))
	}
	if !dense && r.OneIn(6) {
		d.pile()
	}
	d.sendRest(dense)
}

// sendRest sends what else fits into a part: one by one, or nothing but smallest frames back to back.
func (d *hcaRxPeer) sendRest(dense bool) {
	for d.more() {
		switch {
		case dense:
			d.burst(hcaRxPayloads)
		case d.bytes > d.plan.bytes-4500 || d.r.OneIn(120):
			d.burst(d.r.Below(hcaRxPayloads + 2))
		default:
			d.step()
		}
	}
}

// hcaRxPeer sends to the QPs of an episode.
type hcaRxPeer struct {
	plan   *hcaRxPlan
	g      *Generator
	r      *Rand
	e      *Episode
	part   int
	start  uint64 // of frames
	now    uint64 // the clock in which they are taken, if nothing holds them back
	bytes  int    // of them so far, in this part
	frames int
	qps    []hcaRxQP  // as plan has their numbers
	used   []*hcaRxQP // in this round
	before *hcaRxQP   // whose turn it was
	shared int        // WQEs in the shared queue, as far as the peers know
	wqes   uint32     // posted so far
	other  Case       // a frame of mix

	common []hca.HcaRxOp // as every round sets it
	beside []hca.HcaRxOp // operations to come, beside frames

	served  map[uint32]int  // of each QP in this part: READs and atomics that were executed
	broken  map[uint32]bool // QPs in error, by a request, since they were set
	gone    map[uint32]bool // QPs that rx_classify does not have
	careful map[uint32]bool // QPs whose peers do nothing wrong in this part, before its end
	ending  bool            // the frames that a part ends with come
	late    uint64          // if not 0: memory gives for READs and atomics not before this clock
	failure hcaRxFailure    // of the next one; 0 none
	held    bool            // an atomic waits in front: READs are asked for when memory gives, and fails, at once
	turns   [hcaRxTurns]int // of what is taken bit by bit, in this round
	behind  []hcaRxMove     // what it gives late

	moves  []hcaRxMove // of this part, not added yet
	memory hcaRxMemory
	model  *hca.HcaRxBlocks // says which frames write
	top    *hcaTopSoftware  // sets all up by registers, for hca-top; else nil
	told   hca.HcaRxFrame
	wears  bool // bits of words are turned: hca-rx-ecc
	full   bool // queues are filled: hca-rx-full
	fails  bool // and what memory gives stands behind all that asks for it, as it does in hca-rx
}

// hcaRxMove is an operation or a frame.
type hcaRxMove struct {
	port sim.Port
	at   uint64
	data []byte
	why  string
	user int // the sideband, -1: none of its own
}

// count is how many cases the round has so far.
func (d *hcaRxPeer) count() int { return d.e.Len() + len(d.moves) + len(d.behind) + len(d.memory.acks) }

// op adds an operation, not before a clock.
func (d *hcaRxPeer) op(notBefore uint64, o hca.HcaRxOp) {
	if d.count() < d.plan.length {
		data := o.Append(nil)
		d.model.Operate(data)
		d.moves = append(d.moves, hcaRxMove{sim.Port(1), notBefore, data, o.Why, -1})
	}
}

// frame adds a frame, its link behind it; now and then an operation beside it.
func (d *hcaRxPeer) frame(link wire.Link, frame []byte, why string) {
	if len(d.beside) > 0 && d.more() && d.r.OneIn(2) {
		d.atOnce(d.now, 1)
	}
	if d.top != nil && d.more() && d.r.OneIn(2) { // what no frame changes, while frames come
		d.top.at = d.now
		d.top.write(d, 0x03C, uint32(d.r.Uint64()), "write: ARG7, beside frames")
		d.top.besideFrame(d)
	}
	if d.late != 0 || d.more() { // what fails comes behind all others
		d.add(link, frame, why)
	}
}

// add adds a frame, and what memory says to it.
func (d *hcaRxPeer) add(link wire.Link, frame []byte, why string) {
	d.bytes += len(frame)
	d.frames++
	d.now += uint64(d.g.pace.Beats(len(frame), 1))
	d.moves = append(d.moves, hcaRxMove{sim.Port(0), d.start, append(frame, byte(link)), why, -1})
	d.model.Play(&d.told, link, frame)
	if f := &d.told; f.Gate == hca.GatePassed && f.IsRequest() && f.Result.ToError {
		d.broken[f.Class.QPN] = true
	}
	d.memory.hear(d, len(frame))
	d.serve()
}

// more reports whether another frame belongs to this part: of the round enough must be left for what it has to have.
func (d *hcaRxPeer) more() bool {
	n, room := d.plan, d.plan.length-d.count()-d.reserve()
	if d.top != nil {
		room = d.roomOfTop()
	}
	most, writes := n.frames, n.writes
	if d.part == hcaRxParts-1 || d.ending {
		most = n.most
	}
	if d.top == nil && !n.receives && !d.full && !d.ending { // what it ends with has room
		most, room, writes = min(most, n.most-hcaRxLastWords), room-hcaRxLastWords, writes-hcaRxLastWords
	}
	if n.overtakes > 0 && d.memory.now > hcaRxWaits*n.most+n.serving/2 {
		return false
	}
	return d.memory.writes < writes && d.frames < most && room > 0
}

// roomOfTop is how many records a round of hca-top has left for what it need not have.
func (d *hcaRxPeer) roomOfTop() int {
	accesses := (hcaRxParts - 1 - d.part) * (hcaTopPosts - d.plan.posts + 2*hcaTopClosing + 2*hcaTopSpares)
	return hcaTopLength - d.count() - d.reserve() - accesses
}

// reserve is how many records what a round has to have may still take.
func (d *hcaRxPeer) reserve() int {
	n, m := d.plan, &d.memory
	return 2*(n.writes-m.writes) + (hcaRxParts-1-d.part)*n.posts + 12 + n.asks() - m.pieces + 3*(n.atomics-m.atomics)
}

// begin has the operations of a part come, when the frames before are through.
func (d *hcaRxPeer) begin(part int) {
	operations, frames := d.plan.times(d.g.pace, d.e.Number, part)
	if d.top != nil {
		operations, frames = hcaTopTimes(d.g.pace, d.e.Number, part)
		d.top.at = operations
	}
	d.part, d.bytes, d.frames = part, 0, 0
	d.served = map[uint32]int{}
	defer d.drawCareful()
	d.start = operations
	switch {
	case d.top != nil:
		d.top.begin(d, part)
	default:
		if part == 0 {
			d.setUp()
		}
		d.post()
		if d.wears {
			d.wear()
		}
	}
	d.flush()
	d.start, d.now = frames, frames
	d.memory.begin(d)
}

// end ends a part: what memory says stands before what it is said to, so that the run may be cut anywhere.
func (d *hcaRxPeer) end() {
	d.memory.end(d)
	d.flush()
}

// flush adds the moves of the part so far.
func (d *hcaRxPeer) flush() {
	for i := range d.moves {
		m := &d.moves[i]
		if m.user >= 0 {
			d.e.AddUser(m.port, m.at, uint32(m.user), m.data, m.why)
			continue
		}
		d.e.Add(m.port, m.at, m.data, m.why)
	}
	d.moves = d.moves[:0]
}

// fill makes up for the writes that are missing: by the smallest frames there are.
func (d *hcaRxPeer) fill() {
	p := &d.qps[d.plan.filler()]
	for d.memory.writes < d.plan.writes {
		s, n := p.spec, 1+d.r.Below(4)
		s.PSN, s.AckReq, s.Opcode = p.next, d.r.OneIn(8), ib.Join(ib.RC, ib.WriteOnly)
		s.VA, s.RKey, s.DMALen = p.va+uint64(d.r.Below(64)), p.key, uint32(n)
		p.next = p.next.Add(1)
		d.add(s.Encap.Link(), s.Append(nil, d.g.random[d.r.Below(1000):][:n]), "makes up for a write")
	}
	d.fillReads(p)
}

// setUp sets what is the same in all rounds, and the QPs of this one.
func (d *hcaRxPeer) setUp() {
	r := d.r
	common := hcaRxCommon(d.g, r)
	d.common = common
	all := append(slices.Clone(common), hcaRxQueue(hca.RQClear, d.plan.shared, "the shared queue is empty"), d.period())
	if d.wears {
		all = append(d.nowhere(), all...)
	}
	for i := range d.plan.fixed {
		all = append(all, d.qps[i].set(d.g, r, d.plan, i)...)
		d.used = append(d.used, &d.qps[i])
	}
	all = append(all, d.qps[d.plan.filler()].set(d.g, r, d.plan, d.plan.filler())...)
	for _, o := range all {
		d.op(d.start, o)
	}
	spares := uint64(d.plan.spares)
	if d.e.Number > 0 && spares > 0 { // set while the last round ran
		spare := &d.qps[uint64(d.plan.fixed)+d.e.Number%spares]
		for _, o := range hcaRxSpare(d.g, d.plan, d.e.Number, hcaRxVersions-1, spare) {
			d.model.Operate(o.Append(nil))
		}
		d.used = append(d.used, spare)
	}
	own := NewRand(mix64(d.g.seed^nameHash("foreign")), d.e.Number)
	for i := range uint64(hcaRxVersions) {
		if d.top == nil && !d.wears {
			d.beside = append(d.beside, d.foreign(&own), d.foreign(&own))
		}
		d.beside = append(d.beside, common...)
		if spares > 0 {
			d.beside = append(d.beside, hcaRxSpare(d.g, d.plan, d.e.Number+1, i, new(hcaRxQP))...)
		}
	}
}

// foreign is an operation about a number that no device has: that of a QP with a bit set above those of the largest.
// Nothing comes of it; a block that looks at the low bits alone takes it for the QP.
func (d *hcaRxPeer) foreign(r *Rand) hca.HcaRxOp {
	qpn := d.qps[r.Below(d.plan.fixed)].spec.DestQP | 1<<r.Between(13, 23)
	to := [...]hca.HcaRxTarget{hca.ToVerdict, hca.ToMessages, hca.ToNotify, hca.ToReplay, hca.ToReplay, hca.ToReplay,
		hca.ToReplay}[r.Below(7)]
	o, _ := hcaRxAbout(to, qpn, "of a number that no device has")
	return o
}

// hcaRxAbout is an operation that takes from a QP what a block knows of it, or sets it as no QP of a round is. Of one
// that was never set nothing comes. ok is false of a block that has none such.
func hcaRxAbout(to hca.HcaRxTarget, qpn uint32, why string) (o hca.HcaRxOp, ok bool) {
	o = hca.HcaRxOp{To: to, Why: why}
	switch to {
	case hca.ToClassify:
		q := hca.ClassifyQuery{Op: hca.ClassifyRemove, DestQP: qpn}
		o.Record = q.Append(nil)
	case hca.ToVerdict:
		q := hca.RespQuery{Op: hca.RespReset, QPN: qpn}
		o.Record = q.Append(nil)
	case hca.ToKeys:
		q := hca.MRQuery{Op: hca.MRRemove, RKey: qpn << 8}
		o.Record = q.Append(nil)
	case hca.ToAnswers:
		q := hca.AckQuery{Op: hca.AckSet, QPN: qpn}
		o.Record = q.Append(nil)
	case hca.ToMessages:
		q := hca.MsgQuery{Op: hca.MsgClear, QPN: qpn}
		o.Record = q.Append(nil)
	case hca.ToReceiveQueues:
		o = hcaRxQueue(hca.RQRelease, qpn, why)
	case hca.ToNotify:
		q := hca.CNPQuery{Op: hca.CNPRemove, QPN: qpn}
		o.Record = q.Append(nil)
	case hca.ToReplay:
		q := hca.ReplayQuery{Op: hca.ReplaySet, QPN: qpn, PMTU: 1, Depth: 1}
		o.Record = q.Append(nil)
	default:
		return o, false
	}
	return o, true
}

// period sets how far CNPs of a QP are apart: not at all, or by more than a round takes. What lies between depends on
// the clock of the run, and cnp-gen has it.
func (d *hcaRxPeer) period() hca.HcaRxOp {
	clocks := [...]uint32{0, 1<<23 - 1}[d.r.Below(2)]
	if d.e.Number == 0 {
		clocks = 0
	}
	return hcaRxPeriod(clocks)
}

func hcaRxPeriod(clocks uint32) hca.HcaRxOp {
	q := hca.CNPQuery{Op: hca.CNPPeriod, Period: clocks}
	return hca.HcaRxOp{To: hca.ToNotify, Record: q.Append(nil), Why: "how far CNPs are apart"}
}

// hcaRxVersions is how often a spare QP is set: differently each time, so that none of the last operations may be lost.
const hcaRxVersions = 3

// hcaRxSpare sets p to a version of the QP that a round has beside its others, and returns its operations.
func hcaRxSpare(g *Generator, plan *hcaRxPlan, round, version uint64, p *hcaRxQP) []hca.HcaRxOp {
	r := NewRand(mix64(g.seed^nameHash("spare")), round*hcaRxVersions+version)
	return p.set(g, &r, plan, plan.fixed+int(round%uint64(plan.spares)))
}
