package flow

import "hcacosim/model/psn"

// sender is a queue pair that sends datagrams: it numbers them in one count, whoever they are for.
type sender struct {
	src addr
	qpn uint32
}

// maxSenders bounds the queue pairs whose count is followed.
const maxSenders = 1 << 14

// datagram puts the place of a datagram among those of its half where its PSN was: what the same queue pair sent to
// others lies in between. The PSNs of the queue pairs of management are not judged: devices count them as they like.
func (c *Checker) datagram(h *half) {
	real := c.pkt.PSN
	if h.qpn <= gsiQP || h.sqp <= gsiQP {
		h.place = h.place.Add(1)
		c.pkt.PSN = h.place
		return
	}
	if c.senders == nil || len(c.senders) >= maxSenders {
		c.senders = map[sender]psn.Count{}
	}
	s := sender{h.src, h.sqp}
	count := c.senders[s]
	step := count.Take(real)
	c.senders[s] = count
	switch {
	case h.requests == 1:
		h.place = real
	case step > 0:
		h.place = h.place.Add(step)
	default: // sent before, or late
		c.pkt.PSN = h.place.Add(step)
		return
	}
	c.pkt.PSN = h.place
}
