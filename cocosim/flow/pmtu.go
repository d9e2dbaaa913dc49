package flow

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// The path MTU belongs to a connection: between two hosts, and on a queue pair that is connected anew, there may be
// others. It is known by whoever was told, or by a First or Middle of the connection itself, in either direction. What
// was seen of another connection is a guess, of which no payload of this one may be longer.

// pathMTU is the PMTU of a half's connection. sure: it is known, and not a guess.
func (c *Checker) pathMTU(h *half) (n uint32, sure bool) {
	if h.told != nil && h.told.pmtu != 0 {
		return h.told.pmtu, true
	}
	if c.opt.PMTUBytes != 0 {
		return c.opt.PMTUBytes, true
	}
	if h.service == ib.UD {
		return ib.MaxPMTU, false
	}
	for _, x := range []*half{h, h.pair} {
		if x == nil {
			continue
		}
		if s := c.opt.Scan.sightAt(&x.key, h.requestNS); s != nil {
			x.longest = max(x.longest, s.longest)
			if x.pmtu == 0 {
				x.pmtu = s.pmtu.of
			}
		}
		if x.pmtu != 0 {
			return x.pmtu, true
		}
	}
	if n = c.opt.Scan.between(h.src, h.dst); n < h.longest {
		n = ib.MaxPMTU
	}
	return n, false
}

// learns takes what the payload of a request of a half, or of a READ response to it, says of the PMTU. Where the
// machines were made with another, they are given up, and start anew with the next message.
func (c *Checker) learns(h *half, w *wire.Packet) {
	n := payloadBytes(w)
	if w.Op.Length != ib.WholePMTU {
		h.longest = max(h.longest, n)
	} else if h.pmtu == 0 && ib.ValidPMTU(int(n)) {
		h.pmtu = n
	}
	if c.pkt.Op.Shape().Verb == roce.Read {
		h.readLen = max(h.readLen, c.pkt.DMALen)
	}
	m := h.m
	if m == nil || !m.guessed || h.pmtu == 0 && h.longest <= m.pmtu {
		return
	}
	is, sure := c.pathMTU(h)
	switch {
	case is == m.pmtu:
		m.guessed = !sure
		if m.wire != nil && sure {
			m.wire.SurePMTU()
		}
	default:
		c.table.release(h)
		h.hasFirst, h.late = false, true
	}
}

// forgetPMTU: another connection begins, and so in the other direction.
func (h *half) forgetPMTU() {
	h.pmtu, h.longest, h.readLen = 0, 0, 0
	if h.pair != nil {
		h.pair.pmtu, h.pair.longest = 0, 0
	}
}

// onGuess reports whether a finding about a half may come of a PMTU that was guessed: a READ took more PSNs, or fewer,
// than any payload shows.
func (h *half) onGuess() bool {
	return h.m != nil && h.m.guessed && h.readLen > max(h.longest, ib.MinPMTU)
}
