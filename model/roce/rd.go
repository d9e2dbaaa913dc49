package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Decides REQ-10.

// EEContext holds an end-to-end context of the RD service to REQ-10: PSNs belong to it, whichever QP sends, and the
// next message does not start before the last is acknowledged. Nothing more of RD is modelled.
type EEContext struct {
	Width Width

	begun, open bool // open: a message has begun and is not acknowledged
	last        psn.PSN
	ended       bool // its Last was sent
}

// Sent judges a request of the context.
func (c *EEContext) Sent(p *Packet) Verdict {
	s := p.Op.Shape()
	switch {
	case operation(p.Op) == ib.Resync:
		c.open = false
	case s.First && c.open && p.PSN.Diff(c.last) > 0:
		return broken("REQ-10", "a message starts at %06Xh before %06Xh is acknowledged", uint32(p.PSN), uint32(c.last))
	case s.First && !c.open:
		c.open, c.ended = true, false
	}
	if !c.begun || p.PSN.Diff(c.last) > 0 {
		c.last = p.PSN
	}
	c.begun, c.ended = true, c.ended || s.Last
	return Verdict{}
}

// Received takes a response: an acknowledgement of the last packet ends the message.
func (c *EEContext) Received(p *Packet) {
	positive := p.Syndrome.Kind() == ib.KindAck || operation(p.Op) == ib.ReadResponseMid
	if c.open && c.ended && positive && p.PSN.Diff(c.last) >= 0 {
		c.open = false
	}
}
