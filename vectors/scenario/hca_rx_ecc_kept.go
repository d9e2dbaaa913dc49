package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// hcaRxKeptCodeWords are those of replay_fifo as hca_rx has it, of a QP and of a slot.
var hcaRxKeptCodeWords = [...]*codeWord{newCodeWord(hca.HcaRxReplaySlots*51+13, 65535), newCodeWord(193, 65535)}

// hcaRxWearing are the clocks that wearKept takes behind all that a part has else.
const hcaRxWearing = 3 * hcaRxSettling

// hcaRxTurnKept is an injection in a memory of replay_fifo.
func hcaRxTurnKept(memory, slot int, qpn, turned uint32) hca.HcaRxOp {
	q := hca.ReplayQuery{Op: hca.ReplayInject, QPN: qpn, Kind: hca.ReplayKind(memory), VA: uint64(turned),
		Depth: uint8(slot)}
	why := [...]string{"inject: what it keeps", "inject: one that it keeps"}[memory]
	return hca.HcaRxOp{To: hca.ToReplay, Record: q.Append(nil), Why: why}
}

// wearKept ends a part with bits turned of what replay_fifo keeps of its QPs, and READs and atomics of these behind all
// other frames. Where a word was lost the QP goes to error some clocks behind its verdict: what comes then nobody says,
// so nothing does. Of the QPs' own words as many as there are, since a set that is not done takes each order at once;
// of slots one.
func (d *hcaRxPeer) wearKept() {
	r, start, now := d.r, d.start, d.now
	at, apart := start+d.plan.through(d.g.pace), d.g.pace.Cycles(hcaRxSettling)
	d.late = at + apart
	first, slots := r.Below(len(d.used)), 1
	for i := range d.used {
		p := d.used[(first+i)%len(d.used)]
		if !d.mayLose(p) {
			continue
		}
		memory, n := 0, r.Between(1, min(p.reads, 3))
		if slots > 0 && r.OneIn(2) {
			memory, slots = 1, 0
		}
		d.start = start
		for _, o := range p.revive() { // all that it had under way is through, and it keeps nothing
			d.op(at, o)
		}
		d.served[p.spec.DestQP] = 0
		d.op(at, hcaRxTurnKept(memory, n-1, p.spec.DestQP, d.turned(hcaRxKeptCodeWords[memory])))
		if memory == 0 {
			none := hca.ReplayQuery{Op: hca.ReplaySet, QPN: p.spec.DestQP}
			d.op(at, hca.HcaRxOp{To: hca.ToReplay, Record: none.Append(nil), Why: "no set: writes it"})
		}
		d.start, d.now = d.late, d.late
		p.failed = d.keepSome(p, n)
		p.worn = !p.failed
		delete(d.memory.last, p.spec.DestQP) // no write of it fails: it was set anew, and may be in error already
	}
	if slots == 0 { // an order that nothing took is one for what nobody has
		d.op(at+2*apart, hcaRxTurnKept(1, 0, hcaRxElsewhere, 0))
	}
	d.late, d.start, d.now = 0, start, now
	d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0]
}

// mayLose reports whether a QP has READs and atomics, and the round has room for some.
func (d *hcaRxPeer) mayLose(p *hcaRxQP) bool {
	m, n := &d.memory, d.plan
	return !p.uc && p.reads > 0 && p.verdict.Enabled == 7 && n.pieces-m.pieces > 20 && n.writes-m.writes > 12 &&
		n.atomics-m.atomics > 4 && d.count()+d.reserve()+40 < n.length
}

// keepSome has the QP send n READs and atomics, and the last one of them again. It reports whether replay_fifo lost
// what it has of one: then none comes behind it.
func (d *hcaRxPeer) keepSome(p *hcaRxQP, n int) (lost bool) {
	var s wire.Spec
	var payload int
	for range n {
		kind := [...]int{0, 1, 2, 3, 6, 6, 6}[d.r.Below(7)]
		if s, payload = d.read(p, kind); kind == 6 {
			s.DMALen, p.next = uint32(d.r.Between(1, p.pmtu)), s.PSN.Add(1)
		}
		if s.RKey = p.key; kind != 1 {
			s.VA = hcaRxVA + s.VA%4096&^7
		}
		p.kept[0] = s
		executed, lost := d.sendKept(s, payload, "a READ or atomic that may not be kept")
		if lost || !executed {
			return lost
		}
	}
	_, lost = d.sendKept(s, payload, "the same again")
	return lost
}

// sendKept sends a READ or atomic as it is, and says whether it was executed and whether replay_fifo lost what it has
// of it.
func (d *hcaRxPeer) sendKept(s wire.Spec, payload int, why string) (executed, lost bool) {
	if s.Opcode.Shape().Verb == ib.VerbRead && !d.affords(&s) {
		return false, false
	}
	d.add(s.Encap.Link(), s.Append(nil, d.g.random[d.r.Below(1000):][:payload]), why)
	f := &d.told
	return f.Executed(), f.IsRequest() && f.Asks() && f.Asked.End == hca.HcaRxLost
}
