package compare

import (
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// selective is the pair of SEL-1 to SEL-6: each packet is acknowledged, what is missing is sent again.
type selective struct {
	q       roce.SelRequester
	r       roce.SelResponder
	pmtu    uint32
	lengths []uint32 // payload by packet number
	ends    []uint64 // packets up to the end of each message
	sent    uint64   // packets, new ones
	acked   uint64
	done    uint64 // messages
	replies []roce.SelResponse
	rtoNs   uint64
	dueNs   uint64 // 0: the timer is off
	ids     []uint64
}

// NewSelective makes a connection of selective repeat. Its timer is twice the round trip and what a window takes to
// send.
func NewSelective(w Workload, rttNs uint64) Connection {
	return &selective{q: roce.NewSelRequester(0, w.Window), r: roce.NewSelResponder(0, w.Window), pmtu: w.PMTU,
		rtoNs: 2 * rttNs}
}

func (c *selective) Post(_ uint64, bytes uint32) {
	c.lengths = packets(c.lengths, bytes, c.pmtu)
	c.ends = append(c.ends, uint64(len(c.lengths)))
}

// packets appends the payloads of a message's packets.
func packets(lengths []uint32, bytes, pmtu uint32) []uint32 {
	for ; bytes > pmtu; bytes -= pmtu {
		lengths = append(lengths, pmtu)
	}
	return append(lengths, bytes)
}

func (c *selective) Next(end int, nowNs uint64) (p Packet, ok bool) {
	if end == 1 {
		if len(c.replies) == 0 {
			return p, false
		}
		p = Packet{Bytes: overheadBytes + 8, Body: c.replies[0]}
		c.replies = c.replies[1:]
		return p, true
	}
	n, again, ok := c.q.Next(c.sent < uint64(len(c.lengths)))
	if !ok {
		return p, false
	}
	if c.dueNs == 0 {
		c.dueNs = nowNs + c.rtoNs
	}
	una, _ := c.q.PSNs()
	length := int(c.lengths[c.acked+uint64(n.Diff(una))])
	p = Packet{Bytes: overheadBytes + length, Body: n, Data: true}
	if again {
		p.Again = length
	} else {
		p.New = length
		c.sent++
	}
	return p, true
}

func (c *selective) Receive(end int, p *Packet, nowNs uint64) {
	if end == 1 {
		if resp, _, answered := c.r.Step(p.Body.(psn.PSN)); answered {
			c.replies = append(c.replies, resp)
		}
		return
	}
	before, _ := c.q.PSNs()
	if c.q.Step(p.Body.(roce.SelResponse)) {
		una, _ := c.q.PSNs()
		c.acked += uint64(una.Diff(before))
		c.dueNs = nowNs + c.rtoNs
	}
	if c.q.Outstanding() == 0 {
		c.dueNs = 0
	}
}

func (c *selective) Timer() uint64 { return c.dueNs }

func (c *selective) Expire(nowNs uint64) {
	c.q.Expire()
	c.dueNs = nowNs + c.rtoNs
}

func (c *selective) Completed() []uint64 {
	c.ids = c.ids[:0]
	for ; c.done < uint64(len(c.ends)) && c.ends[c.done] <= c.acked; c.done++ {
		c.ids = append(c.ids, c.done)
	}
	return c.ids
}

func (c *selective) Failed() string { return "" }
