package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// Messages of more than 16 MiB. What is left of one is a count of 32 bits: on its way down it borrows from every bit up
// to 24, and only its end tells whether it did.
const (
	longPackets    = 1<<24/4096 + 3    // of 4,096 bytes, from the First to the Last
	respLongLength = longPackets + 128 // records of an episode: a message, short ones, and what other QPs do
)

// makeRespLong sends one message an episode, in turn: a WRITE and a SEND that come out, a WRITE whose Last is a byte
// long or short, a SEND whose receive WQE is a byte short.
func makeRespLong(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, respLongLength, fillRespLong)
}

func fillRespLong(r *Rand, e *Episode) {
	p := respPeer{r: r, e: e, qpn: uint32(r.Below(4)), length: respLongLength}
	other := respPeer{r: r, e: e, qpn: 4 + drawQPN(r)&^3}
	p.beginLong()
	p.open()
	p.verb = [...]ib.Operation{ib.WriteFirst, ib.SendFirst}[e.Number%2]
	p.of = longPackets
	p.bytes = (p.of-1)*p.pmtu() + r.Between(2, p.pmtu()-1)
	for n := range longPackets {
		q := p.make()
		if n == 0 {
			q.WQEBytes = uint32(p.bytes)
		}
		if last := n == longPackets-1; last && e.Number%4 == 2 {
			q.Payload += uint16(2*r.Below(2)) - 1
		} else if n == 0 && e.Number%4 == 3 {
			q.WQEBytes--
		}
		p.give(q, "request: of a message of more than 16 MiB")
		p.done(&q)
		if r.OneIn(64) { // what is left of the message keeps its room
			other.length = min(e.Len()+8, respLongLength-(longPackets-1-n))
			other.step()
		}
	}
	p.roomOfEachBit()
	other.length = respLongLength
	for e.Len() < respLongLength {
		other.step()
	}
}

// beginLong sets the QP up for long packets.
func (p *respPeer) beginLong() {
	p.op(hca.RespReset, "reset: a new life")
	p.drawSet()
	p.set.Service, p.set.PMTU, p.set.Enabled = hca.RespService(p.e.Number/4%2), 5, 7
	p.give(p.set, "set")
	p.op(hca.RespReady, "ready")
	p.isSet, p.next, p.inFlight = true, p.set.PSN, 0
}

// roomOfEachBit begins a SEND for each bit from 13 on: behind its First the receive WQE has just that bit left, and the
// Middle behind it fits (RSP-1).
func (p *respPeer) roomOfEachBit() {
	p.beginLong()
	for bit := 13; bit < 32; bit++ {
		for _, op := range [...]ib.Operation{ib.SendFirst, ib.SendMiddle, ib.SendLast} {
			q := p.packet()
			q.Opcode, q.Payload, q.Pad = p.transport()|ib.Opcode(op), uint16(p.pmtu()), 0
			q.WQEBytes = 1<<bit + uint32(p.pmtu())
			p.give(q, "request: of a receive WQE with one bit left")
			p.done(&q)
		}
	}
}
