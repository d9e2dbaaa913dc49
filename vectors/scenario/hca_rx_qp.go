package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// Where the regions of hca-rx are, and how many WQEs a queue holds.
const (
	hcaRxVA     = 1 << 32
	hcaRxAcross = hcaRxVA - 1024 // messages go over 4 GiB
	hcaRxRegion = 1 << 20
	hcaRxVast   = hcaRxRegion + 1<<34 // of some QPs: a place in it differs from another in high bits alone
	hcaRxDepth  = hca.HcaRxQueueDepth
)

// hcaRxQP is a QP with what its peer sent so far.
type hcaRxQP struct {
	key, window uint32 // of a region, and of a window that a SEND may take away
	open        bool   // the window, as far as the peer knows
	gave        bool   // it was given back by the last SEND
	opened      uint8  // its rights
	receive     hca.ReceiveSide
	verdict     hca.RespQuery // how resp_psn_check is set
	posted      int           // WQEs in its own queue, as far as the peer knows
	spec        wire.Spec     // of its packets: the way, P_Key, DestQP
	pmtu        int
	va          uint64 // of its region
	length      uint64
	pkeyEntry   uint8
	classified  hca.HcaRxOp // how rx_classify is set
	idle        bool        // rx_classify has it, not live
	marks       bool        // its CNPs go to somebody
	next        psn.PSN
	sends       bool         // a message is open
	verb        ib.Operation // of it its First
	left        int          // and bytes
	last        wire.Spec    // sent last, with lastN bytes
	lastN       int
	uc, ud      bool
	rights      uint8                // of its region
	generous    bool                 // which grants all
	base        uint64               // of its region, on the host's bus
	reads       int                  // READs and atomics that it may have in flight
	kept        [hcaRxKept]wire.Spec // the last ones, the newest first
	keptN       int
	filler      bool        // it makes up for missing writes
	spare       bool        // it is set while frames come
	readsOn     bool        // it goes on from the part before: readOn
	failed      bool        // memory failed something of it, or a word was lost, and it was not set anew since
	dead        bool        // memory failed a READ or atomic of it, and replay_fifo was not set for it since
	unheard     bool        // so it is, and takes requests again: readUnheard
	alive       bool        // replay_fifo was set for it since, and no other block
	worn        bool        // what is kept of it may have bits turned: it is set anew before the next part
	narrow      hcaRxNarrow // how far it is with a WRITE whose key will allow less
	begun       uint64      // where the WRITE writes that narrow is about
	shuts       bool        // its key is changed before the next part: readsKiB
	shut        int         // so many of them come again behind a change of their key
	back        *hcaRxQP    // as it was before a packet that was lost: the peer goes back there, sooner or later
}

// post has the host post WQEs to all queues, and set windows anew.
func (d *hcaRxPeer) post() {
	r := d.r
	if d.top == nil {
		d.postTo(d.plan.shared, &d.shared, nil)
	}
	for _, p := range d.used {
		if !p.receive.Shared {
			d.postTo(p.receive.Queue, &p.posted, p)
		}
		if d.part == 0 {
			continue
		}
		var list []hca.HcaRxOp
		if r.OneIn(2) {
			list = p.openWindow(r)
		}
		if p.narrow != hcaRxWide {
			list = append(list, d.narrow(p))
		}
		if p.narrow == hcaRxNarrows { // it goes on
			p.readsOn = false
		} else if d.top == nil && !p.shuts && (p.worn || d.isDown(p) || !r.OneIn(d.keepsState(p))) {
			list = append(list, d.revive(p)...)
			delete(d.broken, p.spec.DestQP)
		} else if p.readsOn = p.keptN > 0 && !p.shuts && r.OneIn(2); p.keptN > 0 && !p.readsOn { // it may read no more
			p.shut, p.rights = 8, 1
			shut := hca.MRQuery{Op: hca.MRSet, RKey: p.key, PD: p.receive.PD, VA: hcaRxVA, Length: p.length, Need: 1,
				Base: p.base}
			list = append(list, hca.HcaRxOp{To: hca.ToKeys, Record: shut.Append(nil), Why: "key: no READ any more"})
		}
		if d.top == nil && !r.OneIn(3) {
			list = append(list, p.clear(r))
		}
		if d.top == nil && !d.wears && r.OneIn(4) {
			list = append(list, p.noPMTU(r))
		}
		if d.top == nil && d.plan.numQPs == hcaRxNumQPs && r.OneIn(4) {
			list = append(list, p.beyond(r))
		}
		if d.plan.receives {
			list = append(d.unfit(p), append(d.takesAway(p), list...)...)
		}
		for _, o := range list {
			d.host(o)
		}
	}
}

// postTo has the host post WQEs to a queue: to that of a QP, or to one that is shared.
func (d *hcaRxPeer) postTo(number uint32, has *int, of *hcaRxQP) {
	r := d.r
	renews := d.wears && r.OneIn(3) // what was lost of it begins anew
	n := r.Between(1, hcaRxDepth)
	if renews {
		d.renew(number, n)
		*has = 0
	}
	for range n {
		d.wqes++
		o := hca.RQQuery{Op: hca.RQPost, Queue: number, ReceiveWQE: hca.ReceiveWQE{WQE: d.wqes * 0x9E3779B1,
			Bytes: 1 << (14 + r.Below(18))}}
		switch {
		case r.OneIn(12):
			o.Bytes = uint32(r.Below(1000))
		case r.OneIn(16): // a packet fills it, or a datagram
			o.Bytes = uint32(256<<r.Below(3) + [...]int{0, 0, 1, 39, 40}[r.Below(5)])
		case d.plan.receives:
			o.Bytes = d.roomFor(of)
		}
		d.host(hca.HcaRxOp{To: hca.ToReceiveQueues, Record: o.Append(nil), Why: "a receive WQE"})
		*has = min(*has+1, hcaRxDepth)
	}
}

// keepsState is in how many cases a QP goes on once from the part before, as it is.
func (d *hcaRxPeer) keepsState(p *hcaRxQP) int {
	alive := p.keptN > 0 && !d.broken[p.spec.DestQP]
	switch {
	case p.dead && !d.r.OneIn(3):
		return 12
	case p.failed && !d.r.OneIn(3), alive && d.r.OneIn(2):
		return 1
	case p.keptN > 0:
		return 2
	}
	return 4
}

// host has the host give an operation, by the port that the device has for it.
func (d *hcaRxPeer) host(o hca.HcaRxOp) {
	if d.top != nil {
		d.top.table(d, o)
		return
	}
	d.op(d.start, o)
}

// noPMTU sets a QP in replay_fifo with a path MTU that there is none of: nothing comes of it.
func (p *hcaRxQP) noPMTU(r *Rand) hca.HcaRxOp {
	q := hca.ReplayQuery{Op: hca.ReplaySet, QPN: p.spec.DestQP, PMTU: [...]uint8{0, 6, 7}[r.Below(3)], Depth: 8}
	return hca.HcaRxOp{To: hca.ToReplay, Record: q.Append(nil), Why: "no path MTU: no set"}
}

// beyond sets a number that is the QP's but for a bit above those of a small device's QPs: nothing comes of it.
func (p *hcaRxQP) beyond(r *Rand) hca.HcaRxOp {
	q := hca.ReplayQuery{Op: hca.ReplaySet, QPN: p.spec.DestQP | hcaRxNumQPs<<r.Below(3), PMTU: uint8(r.Between(1, 5)),
		Depth: 8}
	return hca.HcaRxOp{To: hca.ToReplay, Record: q.Append(nil), Why: "beyond all QPs: no set"}
}

// clear has rx_dma forget what failed, whatever else the operation says.
func (p *hcaRxQP) clear(r *Rand) hca.HcaRxOp {
	c := hca.DMACommand{Clear: r.OneIn(2), Place: r.OneIn(2), Complete: r.OneIn(2), Bytes: uint16(r.Below(1 << 13)),
		Address: r.Uint64(), DMACompletion: hca.DMACompletion{QPN: p.spec.DestQP, Solicited: r.OneIn(2),
			Status: uint8(r.Below(16)), PSN: uint32(r.Below(1 << 24)), WQE: uint32(r.Uint64()), Length: uint32(r.Uint64()),
			HasImmediate: r.OneIn(2), Immediate: uint32(r.Uint64())}}
	return hca.HcaRxOp{To: hca.ToMemory, Record: c.Append(nil), Why: "what failed is forgotten"}
}

// revive sets the QP anew; one that is dead stays so for replay_fifo, two times in three.
func (d *hcaRxPeer) revive(p *hcaRxQP) []hca.HcaRxOp {
	dead := p.dead && !p.alive
	if d.r.OneIn(2) { // a carry of the PSNs that come is near
		ones, within := uint32(1)<<(4*d.r.Between(2, 6))-1, 30
		if d.r.OneIn(2) { // and not before the part ends
			ones, within = psn.Half-1, 3*hcaRxNear
		}
		p.next = psn.New(uint32(d.r.Uint64()) | ones).Add(int32(-d.r.Below(within)))
	}
	if dead && d.r.OneIn(4) { // it reads no more
		p.reads, p.verdict.MaxReads, p.verdict.Enabled, p.verdict.FlushEnabled = 0, 0, hca.RespEnableWrite, 0
	}
	list := p.revive()
	if !p.alive && (!dead || d.wears || d.full || d.r.OneIn(3)) {
		return list
	}
	p.dead, p.unheard, p.alive = dead, dead, false
	return slices.DeleteFunc(list, func(o hca.HcaRxOp) bool { return o.To == hca.ToReplay })
}

// revive sets the QP anew where its peer is, whatever became of it.
func (p *hcaRxQP) revive() []hca.HcaRxOp {
	p.sends, p.back, p.lastN, p.failed, p.worn = false, nil, -1, false, false
	p.dead, p.unheard = false, false
	reset := hca.RespQuery{Op: hca.RespReset, QPN: p.spec.DestQP}
	p.verdict.PSN = p.next
	ready := p.verdict
	ready.Op = hca.RespReady
	return []hca.HcaRxOp{
		{To: hca.ToVerdict, Record: reset.Append(nil), Why: "reset"},
		{To: hca.ToVerdict, Record: p.verdict.Append(nil), Why: "set"},
		{To: hca.ToVerdict, Record: ready.Append(nil), Why: "ready"},
		p.keepsNothing(),
		hcaRxNoMessage(p.spec.DestQP),
		hcaRxQueue(hca.RQRelease, p.spec.DestQP, "it holds no WQE"),
	}
}

// keepsNothing has replay_fifo set the QP.
func (p *hcaRxQP) keepsNothing() hca.HcaRxOp {
	q := hca.ReplayQuery{Op: hca.ReplaySet, QPN: p.spec.DestQP, PMTU: p.verdict.PMTU,
		Depth: min(p.verdict.MaxReads, hca.HcaRxReplaySlots)}
	return hca.HcaRxOp{To: hca.ToReplay, Record: q.Append(nil), Why: "it keeps nothing"}
}

// hcaRxNoMessage has msg_tracker forget the open message of a QP.
func hcaRxNoMessage(qpn uint32) hca.HcaRxOp {
	clear := hca.MsgQuery{Op: hca.MsgClear, QPN: qpn}
	return hca.HcaRxOp{To: hca.ToMessages, Record: clear.Append(nil), Why: "no message is open"}
}

// hasWQE reports whether a QP's peer takes it to have a receive WQE, and counts it used up.
func (d *hcaRxPeer) hasWQE(p *hcaRxQP) bool {
	has := &p.posted
	if p.receive.Shared {
		has = &d.shared
	}
	*has--
	return *has >= 0
}

// hcaRxQueue is an operation on a receive queue.
func hcaRxQueue(op hca.RQOp, number uint32, why string) hca.HcaRxOp {
	q := hca.RQQuery{Op: op, Queue: number, QPN: number}
	return hca.HcaRxOp{To: hca.ToReceiveQueues, Record: q.Append(nil), Why: why}
}

// region is a key of the QP's protection domain, with its bytes anywhere in the host's memory.
func (p *hcaRxQP) region(r *Rand, key uint32, window bool) hca.HcaRxOp {
	q := hca.MRQuery{Op: hca.MRSet, RKey: key, PD: p.receive.PD, VA: p.va, Length: p.length,
		Need: anyRights(r), Base: r.Uint64(), Window: window}
	if p.filler || p.generous {
		q.Need = 31
	}
	if window {
		if r.OneIn(5) { // all but WRITE
			q.Need = 30
		}
		p.opened = q.Need
	} else {
		p.base, p.rights = q.Base, q.Need
	}
	return hca.HcaRxOp{To: hca.ToKeys, Record: q.Append(nil), Why: "key"}
}

// openWindow sets the QP's window anew.
func (p *hcaRxQP) openWindow(r *Rand) []hca.HcaRxOp {
	p.open = true
	none := hca.MRQuery{Op: hca.MRRemove, RKey: p.window}
	return []hca.HcaRxOp{{To: hca.ToKeys, Record: none.Append(nil), Why: "remove the window"}, p.region(r, p.window, true)}
}

// set draws a QP, number i of a plan, over a way of its own, and returns the operations that set it in all blocks.
func (p *hcaRxQP) set(g *Generator, r *Rand, n *hcaRxPlan, i int) []hca.HcaRxOp {
	number, code := n.numbers[i], uint8(r.Between(1, 3))
	low := uint32(0x55)
	if i >= n.fixed {
		low = 0xAA // set while frames come: no wrong bit of another key makes it
	}
	*p = hcaRxQP{key: uint32(i+1)<<8 | low, window: uint32(i+n.windows)<<8 | low, pmtu: 128 << code,
		uc:   r.OneIn(6) && i != n.filler(),
		next: drawPSN(r), lastN: -1, va: hcaRxVA, filler: i == n.filler(), spare: i >= n.fixed && i != n.filler(),
		generous: n.grants > 0 && i%n.grants == 0}
	p.ud = n.datagrams && !p.uc && i != n.filler() && r.OneIn(n.datagramsIn())
	if n.receives {
		p.va = hcaRxAcross
	}
	if p.length = hcaRxRegion; n == &hcaRxFull || n.vast || !p.filler && r.OneIn(3) {
		p.length = hcaRxVast
	}
	if n == &hcaRxFive && i < n.fixed && r.OneIn(10) { // what needs 13 bits
		code, p.pmtu = 5, 4096
	}
	if n.far > 0 && p.filler {
		code, p.pmtu = 1, hca.ReadPieceBytes
	}
	if (n.receives || n.vast) && i == 0 { // long messages in few packets
		code, p.pmtu, p.ud = 5, 4096, false
	} else if n.vast {
		code, p.pmtu = 1, hcaRxVastPMTU
	}
	p.receive = hca.ReceiveSide{Queue: number, PD: uint32(r.Below(1 << 24)), WholeWrite: r.OneIn(3),
		QKey: uint32(r.Uint64())}
	if i < n.fixed && r.OneIn(2) {
		p.receive.Queue, p.receive.Shared = n.shared, true
	}
	w := g.world()
	p.spec = wire.Spec{Encap: wire.Encap(r.Between(1, 5)), HopLimit: 64, TClass: uint8(r.Below(64)) << 2,
		SrcPort: uint16(r.Uint64()), SL: uint8(r.Below(16)), DestQP: number, IPFrag: 0x4000,
		VLANs: anyVLANs(r), SLID: anyLID(r), DLID: w.lid, QKey: p.receive.QKey,
		SrcQP: uint32(r.Below(1 << 24))}
	p.pkeyEntry, p.spec.PKey = w.pkeyOf(r, i)
	own, peer := w.v6, anyIPv6(r)
	switch p.spec.Encap {
	case wire.EncapRoCEv2IPv4:
		own, peer = w.v4, anyIPv4(r)
	case wire.EncapIBLocal:
		own, peer = ofLID(w.lid), ofLID(p.spec.SLID)
	}
	p.spec.Dst, p.spec.Src = own, peer
	return p.operations(g, r, n, code, roce.Address(peer))
}

// operations set the QP in all blocks.
func (p *hcaRxQP) operations(
	g *Generator, r *Rand, n *hcaRxPlan, code uint8, peer roce.Address,
) (list []hca.HcaRxOp) {
	number := p.spec.DestQP
	live := !r.OneIn(20) || p.filler
	set := hca.ClassifyQuery{Op: hca.ClassifySet, DestQP: number, Entry: p.pkeyEntry, Live: live, Src: peer,
		ReceiveSide: p.receive}
	p.verdict = hca.RespQuery{Op: hca.RespSet, QPN: number, PSN: p.next, PMTU: code, Enabled: hca.RespEnableWrite,
		RNRTimer: uint8(r.Below(32))}
	if r.OneIn(4) && !p.filler {
		p.verdict.Profile = hca.RespProfile(r.Below(256))
	}
	if p.reads = max(r.Below(8), r.Below(8)); g.noReads || n.receives || p.uc || p.ud {
		p.reads = 0
	}
	if p.reads > 0 {
		p.verdict.MaxReads, p.verdict.Enabled, p.verdict.FlushEnabled = uint8(p.reads), 7, 3
		if r.OneIn(8) {
			p.verdict.Enabled = hca.RespEnableWrite
		}
	}
	if p.filler && !g.noReads && !n.receives { // it makes up for what is missing
		p.reads, p.verdict.MaxReads, p.verdict.Enabled = 31, 31, 7
	}
	switch {
	case p.uc:
		set.Service, p.verdict.Service = hca.RespUC, hca.RespUC
	case p.ud:
		set.Service, p.verdict.Service = hca.RespUD, hca.RespUD
	}
	if n.receives && r.OneIn(2) { // it goes on elsewhere, its MSN about to carry
		p.verdict.DMALength = uint32(r.Below(1<<24)) | uint32(1<<(8*r.Between(1, 3))-8)
	}
	p.idle = !live
	p.classified = hca.HcaRxOp{To: hca.ToClassify, Record: set.Append(nil), Why: "set a QP"}
	ack := hca.AckQuery{Op: hca.AckSet, QPN: number, PeerQPN: number ^ 0xABCDEF, HopLimit: uint8(r.Below(256))}
	r.Fill(ack.MAC[:])
	none := hca.MRQuery{Op: hca.MRRemove, RKey: p.key}
	list = append(p.openWindow(r), []hca.HcaRxOp{
		{To: hca.ToKeys, Record: none.Append(nil), Why: "remove the key"},
		p.region(r, p.key, false),
		p.classified,
		{To: hca.ToAnswers, Record: ack.Append(nil), Why: "set its way back"},
		hcaRxQueue(hca.RQClear, number, "its queue is empty"),
	}...)
	if p.marks = !r.OneIn(8); p.marks {
		cnp := hca.CNPQuery{Op: hca.CNPSet, QPN: number, PeerQPN: number ^ 0x123456}
		list = append(list, hca.HcaRxOp{To: hca.ToNotify, Record: cnp.Append(nil), Why: "whom its CNPs go to"})
	}
	if !p.spare {
		list = append(list, p.clear(r)) // beside frames its record could leave between any two of theirs
	}
	return append(list, p.revive()...)
}
