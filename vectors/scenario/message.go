package scenario

import (
	"cmp"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// msgLength is how many records an episode of msg-tracker has: messages of a few QPs, one packet of each at a time.
const msgLength = 300

// Two of so many episodes, from this one on, are one long message.
const (
	msgLongEvery = 32
	msgLongFrom  = 9
)

// makeMsgTracker makes the packets of a few QPs: looked up, and committed right behind that, or later, or not.
func makeMsgTracker(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, msgLength, func(r *Rand, e *Episode) {
		p := msgPeers{r: r, e: e, draw: drawLowQPN}
		p.live()
	})
}

// live fills the episode.
func (p *msgPeers) live() {
	if at := p.e.Number % msgLongEvery; at == msgLongFrom || at == msgLongFrom+1 {
		p.long(p.e.Number/msgLongEvery, at == msgLongFrom)
		return
	}
	for range 1 + p.r.Below(4) {
		p.qps = append(p.qps, msgPeer{qpn: p.draw(p.r)})
	}
	for p.e.Len() < msgLength {
		p.step()
	}
}

// msgPeers are the requesters of an episode's QPs.
type msgPeers struct {
	r   *Rand
	e   *Episode
	qps []msgPeer

	length int                  // of the episode, where it is not msgLength
	draw   func(r *Rand) uint32 // the number of a QP
	before func(qpn uint32)     // where something may come in front of any record
}

// msgPeer sends one message behind another.
type msgPeer struct {
	qpn    uint32
	verb   hca.MsgVerb
	left   int // packets that its open message still has
	asked  bool
	packet hca.MsgQuery // that was looked up
}

func (p *msgPeers) give(q hca.MsgQuery, why string) {
	if p.before != nil {
		p.before(q.QPN)
	}
	p.add(q, why)
}

func (p *msgPeers) add(q hca.MsgQuery, why string) {
	if p.e.Len() < cmp.Or(p.length, msgLength) {
		p.e.scratch = q.Append(p.e.scratch[:0])
		p.e.Add(sim.Port(0), 0, p.e.scratch, why)
	}
}

// noise is a record of random fields: what an operation does not look at.
func (p *msgPeers) noise(qpn uint32) hca.MsgQuery {
	r := p.r
	return hca.MsgQuery{QPN: qpn, Verb: hca.MsgVerb(r.Below(4)), First: r.OneIn(2), Last: r.OneIn(2),
		Payload: uint16(r.Uint64()), VA: r.Uint64(), RKey: uint32(r.Uint64()), DMALength: uint32(r.Uint64())}
}

func (p *msgPeers) step() {
	r := p.r
	qp := &p.qps[r.Below(len(p.qps))]
	switch {
	case r.OneIn(40):
		q := p.noise(qp.qpn)
		q.Op = hca.MsgClear
		p.give(q, "clear")
		qp.left *= r.Below(2)
	case r.OneIn(40):
		q := p.noise(qp.qpn)
		q.Op = hca.MsgOp(r.Between(3, 7))
		p.give(q, "no such operation")
	case r.OneIn(20):
		q := p.noise(near(r, qp.qpn, 24))
		q.Op = hca.MsgOp(r.Below(2))
		p.give(q, "another number")
	case r.OneIn(20):
		q := p.noise(qp.qpn)
		q.Op = hca.MsgOp(r.Below(2))
		p.give(q, "anything")
	case qp.asked && !r.OneIn(8):
		qp.packet.Op = hca.MsgCommit
		p.give(qp.packet, "commit")
		qp.asked = false
	default: // with one asked for: it was not executed
		qp.packet, qp.asked = p.packet(qp), true
		p.give(qp.packet, "look up")
		if r.OneIn(3) {
			p.give(qp.packet, "look up again")
		}
	}
}

// long sends half of a message of 32 MiB and more, committed packet by packet: what was before it passes every bit up
// to 25.
func (p *msgPeers) long(number uint64, begins bool) {
	qp := msgPeer{qpn: uint32(number % 4), verb: [...]hca.MsgVerb{hca.MsgWrite, hca.MsgSend}[number%2]}
	for p.e.Len() < cmp.Or(p.length, msgLength) {
		q := p.noise(qp.qpn)
		q.Op, q.Verb, q.First, q.Last = hca.MsgCommit, qp.verb, begins && p.e.Len() == 0, false
		q.Payload = 65535 - uint16(p.r.Below(2))
		q.DMALength = 1<<31 - uint32(p.r.Below(1000))
		p.give(q, "commit: of a long message")
		if p.r.OneIn(24) {
			q.Op, q.First = hca.MsgLookUp, false
			p.give(q, "look up: of a long message")
		}
	}
}

// msgLongLength is how many records an episode of msg-tracker-long has: a message of more than 1 GiB, and what looks it
// up on the way, one record in 25.
const msgLongLength = 1 << 30 / 65535 * 12 / 11

// makeMsgTrackerLong sends one WRITE, of which each packet is as long as a record can say: what was before it passes
// every bit up to 30.
func makeMsgTrackerLong(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, msgLongLength, func(r *Rand, e *Episode) {
		p := msgPeers{r: r, e: e, draw: drawLowQPN, length: msgLongLength}
		p.long(2*e.Number, true)
	})
}

// msgPayloads are sizes of packets: the path MTUs, and lengths of Lasts.
var msgPayloads = [...]uint16{256, 512, 1024, 2048, 4096, 1, 3, 4, 0, 65535}

// packet is the next one of a QP: of its open message, or the first of another.
func (p *msgPeers) packet(qp *msgPeer) hca.MsgQuery {
	r := p.r
	q := p.noise(qp.qpn)
	q.Op = hca.MsgLookUp
	q.First = qp.left == 0 || r.OneIn(24) // now and then before the end
	if q.First {
		qp.verb = [...]hca.MsgVerb{hca.MsgSend, hca.MsgWrite, hca.MsgWrite, hca.MsgWrite, hca.MsgNone, 3}[r.Below(6)]
		qp.left = [...]int{1, 2, 2, 3, 3, 4, 8}[r.Below(7)]
	}
	q.Verb, q.Last = qp.verb, qp.left == 1
	qp.left--
	q.Payload = msgPayloads[r.Below(len(msgPayloads))]
	switch r.Below(4) {
	case 0: // the address turns over within the message
		q.VA = -uint64(r.Below(9000))
	case 1: // a carry out of 32 bits
		q.VA = q.VA&^0xFFFFFFFF | uint64(-uint32(r.Below(9000)))
	}
	switch r.Below(5) {
	case 3: // a byte is left behind it
		q.DMALength = uint32(q.Payload) + 1
	case 0:
		q.DMALength = uint32(r.Below(10000))
	case 1:
		q.DMALength = uint32(q.Payload)
	case 2:
		q.DMALength = 1<<31 + uint32(r.Below(3)) - 1
	}
	return q
}
