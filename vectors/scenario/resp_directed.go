package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// One of eight episodes of resp-psn-check plays the directed cases in turn, each with a QP that was just set up, and
// between any two a walk (resp_edges.go).

const respDirectedEach = 8 // episodes

func isDirected(number uint64) bool { return number%respDirectedEach == 2 }

// respCase is a directed case of a QP of a service that is ready, has no switch of a profile on, allows everything,
// and four READs at a time.
type respCase struct {
	name, rule, says string
	service          hca.RespService
	play             func(d *respDirector)
}

var respDirected = []respCase{
	{"write-imm-empty", "RSP-1", "a WRITE with immediate of no byte is executed whatever its key, and takes a receive WQE",
		hca.RespRC, func(d *respDirector) { d.empty(ib.WriteOnlyImm, false); d.empty(ib.WriteOnlyImm, true) }},
	{"write-read-empty", "RSP-1", "a WRITE and a READ of no byte are executed whatever their key", hca.RespRC,
		func(d *respDirector) { d.empty(ib.WriteOnly, false); d.empty(ib.ReadRequest, false) }},
	{"send-empty", "RSP-1", "a SEND of no byte fits a receive WQE of no byte; so does one with immediate or invalidate",
		hca.RespRC, func(d *respDirector) {
			d.empty(ib.SendOnly, true)
			d.empty(ib.SendOnlyImm, true)
			d.empty(ib.SendOnlyInv, true)
		}},
	{"send-inv-empty-bad-key", "RSP-1", "the key that a SEND of no byte takes away is looked at: 62h where it may not",
		hca.RespRC, func(d *respDirector) { d.empty(ib.SendOnlyInv, false) }},
	{"write-imm-empty-rnr", "RSP-9", "without a receive WQE a WRITE with immediate of no byte has an RNR NAK", hca.RespRC,
		func(d *respDirector) {
			q := d.p.only(ib.WriteOnlyImm)
			q.Payload, q.DMALength, q.Pad, q.WQEPresent = 0, 0, 0, false
			d.give(q)
		}},
	{"atomic-misaligned", "RSP-12", "an atomic that is not aligned is 61h, an aligned one is executed", hca.RespRC,
		func(d *respDirector) { d.atomic(0, true); d.atomic(uint8(d.p.r.Between(1, 7)), true) }},
	{"atomic-misaligned-bad-key", "RSP-1", "of an atomic that is not aligned and has a bad key the key counts: 62h",
		hca.RespRC, func(d *respDirector) { d.atomic(uint8(d.p.r.Between(1, 7)), false) }},
	{"atomic-bad-key", "RSP-1", "an atomic that is aligned and has a bad key is 62h", hca.RespRC,
		func(d *respDirector) { d.atomic(0, false) }},
	{"message-behind-duplicate", "RSP-7", "a message goes on with its Middle behind a duplicate READ, atomic and SEND",
		hca.RespRC, (*respDirector).middleBehindDuplicates},
	{"nak-behind-duplicate", "RSP-2", "a gap is NAKed once, and again behind a duplicate READ, atomic and SEND",
		hca.RespRC, (*respDirector).naksBehindDuplicates},
	{"rnr-behind-reads", "RSP-13", "an RNR NAK waits for the READs before it", hca.RespRC, func(d *respDirector) {
		for range 3 {
			d.read(1 + d.p.r.Below(5000))
			q := d.p.only(ib.SendOnly)
			q.WQEPresent = false
			d.give(q)
		}
	}},
	{"psn-turns-over", "PSN-1", "behind PSN FFFFFFh comes 0, of a SEND and in the middle of a READ", hca.RespRC,
		(*respDirector).turnOver},
	{"read-psns", "PSN-4", "a READ takes as many PSNs as it has responses: 0 and 1 byte one, PMTU one, PMTU + 1 two",
		hca.RespRC, func(d *respDirector) {
			for _, n := range [...]int{0, 1, d.p.pmtu() - 1, d.p.pmtu(), d.p.pmtu() + 1, 2 * d.p.pmtu()} {
				d.read(n)
				d.p.inFlight--
				d.op(hca.RespFreed)
			}
		}},
	{"send-too-long", "RSP-1", "a SEND a byte longer than its receive WQE is 61h; of RC the QP is in error", hca.RespRC,
		(*respDirector).tooLong},
	{"send-too-long-uc", "RSP-3", "UC: a SEND a byte longer than its receive WQE is dropped, and the next one is taken",
		hca.RespUC, (*respDirector).tooLong},
	{"foreign-to-ud", "OPC-1", "UD: WRITE, READ, atomics and what is of RC or UC are dropped, and a datagram is taken",
		hca.RespUD, (*respDirector).foreign},
	{"foreign-to-rc", "OPC-1", "RC: SENDs of UD and UC are dropped, and the next one of RC is taken", hca.RespRC,
		(*respDirector).foreign},
	{"foreign-to-uc", "OPC-1", "UC: READ and atomics, and SENDs of RC and UD, are dropped, and the next one is taken",
		hca.RespUC, (*respDirector).foreign},
	{"stray-payload", "OPC-2", "a READ, atomic or FLUSH with payload is 61h, and executed under stray_payload_taken",
		hca.RespRC, (*respDirector).stray},
	{"not-ready", "RSP-15", "every request is dropped until the QP is ready, and the first one behind that is taken",
		hca.RespRC, (*respDirector).notReady},
}

// respDirector plays a case.
type respDirector struct {
	p   *respPeer
	why string
}

// directed fills an episode with the directed cases.
func (p *respPeer) directed() {
	for at := 7 * int(p.e.Number/respDirectedEach); p.e.Len() < respLength; at++ {
		c := &respDirected[at%len(respDirected)]
		p.qpn = uint32(p.r.Below(4)) // there under every NumQps
		d := respDirector{p, directedWhy + c.name}
		d.setUp(c.service)
		c.play(&d)
		w := &respWalks[at%len(respWalks)]
		d.why = "walk: " + w.name
		d.setUp(w.service)
		w.play(&d)
	}
}

func (d *respDirector) setUp(service hca.RespService) {
	p := d.p
	d.op(hca.RespReset)
	p.drawSet()
	p.set.Service, p.set.Profile = service, 0
	p.set.Enabled, p.set.FlushEnabled, p.set.MaxReads = 7, 3, 4
	p.next, p.at, p.of, p.inFlight, p.sentN = p.set.PSN, 0, 0, 0, 0
	d.give(p.set)
	d.op(hca.RespReady)
}

func (d *respDirector) give(q hca.RespQuery) { d.p.give(q, d.why) }

func (d *respDirector) op(op hca.RespOp) { d.p.op(op, d.why) }

// take gives a request that will be executed.
func (d *respDirector) take(q hca.RespQuery) {
	d.give(q)
	d.p.done(&q)
}

// empty gives a request of no byte. One that is refused for its key takes the QP to error.
func (d *respDirector) empty(op ib.Operation, access bool) {
	q := d.p.only(op)
	q.Payload, q.DMALength, q.Pad, q.AccessOK, q.WQEBytes = 0, 0, 0, access, 0
	d.take(q)
}

func (d *respDirector) atomic(low uint8, access bool) {
	q := d.p.only([...]ib.Operation{ib.CmpSwap, ib.FetchAdd}[d.p.r.Below(2)])
	q.VALow, q.AccessOK = low, access
	d.take(q)
}

func (d *respDirector) read(bytes int) {
	q := d.p.only(ib.ReadRequest)
	q.DMALength = uint32(bytes)
	d.take(q)
}

// repeated is a request that was executed before, so many PSNs ago.
func (d *respDirector) repeated(op ib.Operation, ago int32) {
	q := d.p.only(op)
	q.PSN = d.p.next.Add(-ago)
	d.give(q)
}

// threeBefore executes a SEND, a READ of one response and an atomic, which have the three PSNs before the next.
func (d *respDirector) threeBefore() {
	d.take(d.p.only(ib.SendOnly))
	d.read(1 + d.p.r.Below(d.p.pmtu()))
	d.atomic(0, true)
}

func (d *respDirector) middleBehindDuplicates() {
	p := d.p
	d.threeBefore()
	first := p.packet()
	first.Opcode, first.Payload, first.Pad = ib.Opcode(ib.SendFirst), uint16(p.pmtu()), 0
	first.WQEBytes = uint32(5 * p.pmtu())
	d.take(first)
	for i, op := range [...]ib.Operation{ib.ReadRequest, ib.CmpSwap, ib.SendOnly} {
		d.repeated(op, [...]int32{3, 2, 4}[i]+int32(i))
		q := p.packet()
		q.Opcode, q.Payload, q.Pad = ib.Opcode(ib.SendMiddle), uint16(p.pmtu()), 0
		d.take(q)
	}
	q := p.packet()
	q.Opcode, q.Payload = ib.Opcode(ib.SendLast), uint16(p.r.Between(1, p.pmtu()))
	d.take(q)
}

func (d *respDirector) naksBehindDuplicates() {
	p := d.p
	d.threeBefore()
	lost := func() {
		q := p.only(ib.SendOnly)
		q.PSN = p.next.Add(int32(p.r.Between(1, psn.Half-1)))
		d.give(q)
	}
	for i, op := range [...]ib.Operation{ib.ReadRequest, ib.CmpSwap, ib.SendOnly} {
		lost() // NAKed
		lost() // silent
		d.repeated(op, [...]int32{2, 1, 3}[i])
	}
	lost()
	d.take(p.only(ib.SendOnly))
}

// turnOver begins again where PSNs are about to turn over.
func (d *respDirector) turnOver() {
	p := d.p
	for _, read := range [...]bool{false, true} {
		d.op(hca.RespReset)
		p.set.PSN = psn.PSN(1<<psn.Bits - 2)
		p.next, p.inFlight = p.set.PSN, 0
		d.give(p.set)
		d.op(hca.RespReady)
		if read {
			d.read(3*p.pmtu() + p.r.Below(p.pmtu()))
		}
		for range 4 {
			d.take(p.only(ib.SendOnly))
		}
		d.repeated(ib.SendOnly, 4)
	}
}

func (d *respDirector) tooLong() {
	q := d.p.only(ib.SendOnly)
	q.Payload = uint16(d.p.r.Between(1, d.p.pmtu()))
	q.WQEBytes = uint32(q.Payload) - 1
	d.give(q)
	if d.p.set.Service != hca.RespRC {
		d.p.next = d.p.next.Add(1)
	}
	d.give(d.p.only(ib.SendOnly))
}

// foreign gives what is of another service, then a SEND that the QP takes.
func (d *respDirector) foreign() {
	p := d.p
	own := ib.Transport(p.transport())
	for _, t := range [...]ib.Transport{ib.RC, ib.UC, ib.UD} {
		for _, op := range [...]ib.Operation{ib.SendOnly, ib.WriteOnly, ib.ReadRequest, ib.CmpSwap, ib.FetchAdd} {
			q := p.only(op)
			q.Opcode = ib.Opcode(t) | ib.Opcode(op)
			if info := ib.Lookup(q.Opcode); t != own || info == nil || info.Transport != t {
				d.give(q)
			}
		}
	}
	q := p.only(ib.SendOnly)
	q.WQEBytes += ib.GRHBytes
	d.take(q)
}

// stray gives every request that has no payload with some, under a profile that takes it and under none.
func (d *respDirector) stray() {
	p := d.p
	for _, op := range [...]ib.Operation{ib.ReadRequest, ib.CmpSwap, ib.FetchAdd, ib.Flush} {
		for _, profile := range [...]hca.RespProfile{hca.RespStrayPayloadTaken, 0} {
			d.op(hca.RespReset)
			p.set.Profile, p.next, p.inFlight = profile, p.set.PSN, 0
			d.give(p.set)
			d.op(hca.RespReady)
			q := p.only(op)
			q.Payload = uint16(p.r.Between(1, p.pmtu()))
			d.give(q)
		}
	}
}

// notReady sets the QP up again and asks before it is ready.
func (d *respDirector) notReady() {
	p := d.p
	d.op(hca.RespReset)
	d.give(p.set)
	for _, op := range [...]ib.Operation{ib.SendOnly, ib.WriteOnly, ib.ReadRequest, ib.FetchAdd} {
		d.give(p.only(op))
	}
	d.op(hca.RespReady)
	d.take(p.only(ib.ReadRequest))
}
