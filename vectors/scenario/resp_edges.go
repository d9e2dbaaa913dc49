package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// respWalks go through pairs of two things of which a draw seldom has both. What comes of them is not one outcome.
var respWalks = []struct {
	name    string
	service hca.RespService
	play    func(d *respDirector)
}{
	{"opcodes in every state of a message", hca.RespRC, (*respDirector).sequences},
	{"numbers one bit apart", hca.RespRC, (*respDirector).oneBitApart},
	{"opcodes in every state of a message, UC", hca.RespUC, (*respDirector).sequences},
	{"WRITEs that fall short", hca.RespRC, (*respDirector).fallsShort},
	{"no READ allowed", hca.RespRC, (*respDirector).noneAllowed},
	{"duplicates behind READs", hca.RespRC, (*respDirector).duplicatesBehindReads},
	{"a First that fails, inside a message of UC", hca.RespUC, (*respDirector).firstFails},
}

// sequencePairs are how many requests of a walk through all sequences a case has; the next one goes on behind it.
const sequencePairs = 12

// sequences gives requests to a QP without an open message, with a SEND and with a WRITE that lacks its last packet:
// every opcode meets each of them (RSP-1, RSP-3). All else is right.
func (d *respDirector) sequences() {
	p := d.p
	ops := checkOps[:12] // those that UC has too
	if p.set.Service == hca.RespRC {
		ops = checkOps[:respTourOps]
	}
	start := int(p.e.Number/respDirectedEach) * sequencePairs
	for at := start; at < start+sequencePairs; at++ {
		d.setUp(p.set.Service)
		opens := at / len(ops) % 3
		if opens > 0 {
			d.openTwo([...]ib.Operation{ib.SendFirst, ib.WriteFirst}[opens-1], 0)
		}
		q := p.packet()
		q.Opcode = p.transport() | ib.Opcode(ops[at%len(ops)])
		q.Payload, q.Pad, q.DMALength, q.WQEBytes = uint16(p.pmtu()), 0, uint32(p.pmtu()), uint32(p.pmtu())
		d.give(q)
		d.op(hca.RespReady)
	}
}

// openTwo opens a message of two whole packets, and of so many bytes more as its First says.
func (d *respDirector) openTwo(verb ib.Operation, more uint32) {
	p := d.p
	q := p.packet()
	q.Opcode, q.Payload, q.Pad = p.transport()|ib.Opcode(verb), uint16(p.pmtu()), 0
	q.DMALength, q.WQEBytes = uint32(2*p.pmtu())+more, uint32(2*p.pmtu())+more
	d.take(q)
}

// fallsShort ends a WRITE that announced a power of two more, or so much that the sum or the XOR of the halves of what
// is left is what comes: the last packet shows it, or the only one.
func (d *respDirector) fallsShort() {
	p := d.p
	third := [...]uint32{1 << p.r.Between(24, 30), 0xFFFF << p.r.Below(8), 0x10001 << p.r.Below(8)}[p.r.Below(3)]
	for _, more := range [...]uint32{1 << p.r.Between(0, 15), 1 << p.r.Between(16, 23), third} {
		d.setUp(p.set.Service)
		if p.r.OneIn(3) {
			q := p.packet()
			q.Opcode = p.transport() | ib.Opcode([...]ib.Operation{ib.WriteOnly, ib.WriteOnlyImm}[p.r.Below(2)])
			q.Payload, q.Pad, q.DMALength = 4, 0, 4+more
			d.give(q)
			continue
		}
		d.openTwo(ib.WriteFirst, more)
		q := p.packet()
		q.Opcode = p.transport() | ib.Opcode([...]ib.Operation{ib.WriteLast, ib.WriteLastImm}[p.r.Below(2)])
		q.Payload, q.Pad = uint16(p.pmtu()), 0
		d.give(q)
	}
}

// noneAllowed asks a QP that allows no READ for each request that counts as one, under each of the profiles that
// differ about it.
func (d *respDirector) noneAllowed() {
	p := d.p
	for _, op := range [...]ib.Operation{ib.ReadRequest, ib.CmpSwap, ib.FetchAdd, ib.AtomicWrite, ib.Flush} {
		for _, profile := range [...]hca.RespProfile{0, hca.RespRoomUnchecked} {
			d.op(hca.RespReset)
			p.set.Profile, p.set.MaxReads, p.next = profile, 0, p.set.PSN
			d.give(p.set)
			d.op(hca.RespReady)
			d.give(p.only(op))
		}
	}
}

// duplicatesBehindReads repeats a SEND while READs are under way, each time with another look-up that has a bad
// answer: the ACK waits for the READs, whatever executing it again would find.
func (d *respDirector) duplicatesBehindReads() {
	p := d.p
	d.take(p.only(ib.SendOnly))
	for range 1 + p.r.Below(3) {
		d.read(1 + p.r.Below(p.pmtu()))
	}
	q := p.only(ib.SendOnly)
	q.PSN = p.set.PSN
	for wrong := range 6 {
		q.AckReq, q.QKeyOK, q.WQEPresent, q.AccessOK, q.OwnError = true, wrong != 1, wrong != 2, wrong != 3, wrong == 4
		if wrong == 5 {
			q.Payload, q.Pad = uint16(p.pmtu()+1), 3
		}
		d.give(q)
	}
}

// oneBitApart asks every number that differs from the QP's in one bit, then the QP: no other may answer for it.
func (d *respDirector) oneBitApart() {
	p := d.p
	qpn := p.qpn
	for bit := range 24 {
		q := p.only(ib.SendOnly)
		q.QPN = qpn ^ 1<<bit
		d.give(q)
	}
	d.take(p.only(ib.SendOnly))
}

// firstFails opens a message, then gives the First of another one, which fails, and a Middle of each: none of them is
// executed, whatever was left of the message (RSP-3).
func (d *respDirector) firstFails() {
	p := d.p
	firsts, middles := [...]ib.Operation{ib.SendFirst, ib.WriteFirst}, [...]ib.Operation{ib.SendMiddle, ib.WriteMiddle}
	for n := range 4 {
		d.setUp(p.set.Service)
		d.openTwo(firsts[n&1], uint32(4*p.pmtu()))
		q := p.packet()
		q.Opcode, q.Payload, q.Pad = p.transport()|ib.Opcode(firsts[n>>1]), uint16(p.pmtu()), 0
		q.DMALength, q.WQEBytes = uint32(6*p.pmtu()), uint32(6*p.pmtu())
		q.AccessOK, q.WQEPresent = n>>1 == 0, n>>1 == 1
		d.give(q)
		for _, middle := range [...]ib.Operation{middles[n&1], middles[n>>1]} {
			p.next = p.next.Add(1)
			q.PSN, q.Opcode, q.AccessOK, q.WQEPresent = p.next, p.transport()|ib.Opcode(middle), true, true
			d.give(q)
		}
		p.next = p.next.Add(1)
		d.give(p.only(ib.SendOnly))
	}
}
