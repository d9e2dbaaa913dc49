package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/roce"
)

// hcaTxLongest is the time of the longest transport timer, in ticks.
const hcaTxLongest = 262144

// quiets is a step in which no timer runs, and the time of the longest passes; behind the last of them everybody sends
// once more: a QP that rests is as it was. It is false where that has been.
func (h *hcaTxHost) quiets() bool {
	h.quiet++
	switch {
	case h.quiet <= hcaTxQuiet:
		h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxLongest+hcaTxSlack), "time passes, and nobody waits")
	case h.quiet == hcaTxQuiet+1:
		for i := range h.peers {
			if p := &h.peers[i]; h.left < hcaTxMost && p.sends() && !p.drained && !p.ends {
				p.post()
			}
		}
	default:
		return false
	}
	return true
}

// hurries is a step in which those with a pace send several packets at once, some of them behind a CNP. It is false
// where nobody has one, or all are busy.
func (h *hcaTxHost) hurries() (any bool) {
	h.mark()
	if h.top != nil {
		h.rest() // a frame takes its time: what is sent meanwhile may be slowed by it, or not
	}
	for i := range h.peers {
		p := &h.peers[i]
		s := h.model.State(p.qpn)
		if p.pace == 0 || h.left >= hcaTxMost || !p.sends() || p.drained || p.ends || len(p.answers) > 0 || s.Posted > 0 {
			continue
		}
		for any = true; s.Posted < 3; s.Posted++ {
			p.post()
		}
	}
	return any
}

// drawPMTU draws a code. The largest two take many bytes, so they are rare, and messages there have one packet.
func (h *hcaTxHost) drawPMTU() uint8 {
	switch {
	case h.top != nil && h.r.OneIn(6): // a full response of it needs 13 bits
		return 5
	case h.top == nil && h.r.OneIn(20):
		return uint8(4 + h.r.Below(2))
	}
	return uint8(1 + h.r.Below(3))
}

// drawCode draws a code of a transport timer.
func (h *hcaTxHost) drawCode() uint8 {
	if h.top != nil {
		return hcaTopSendsCodes[h.r.Below(len(hcaTopSendsCodes))]
	}
	return hcaTxCodes[h.r.Below(len(hcaTxCodes))]
}

// locals is in how many WQEs one is local work.
func (h *hcaTxHost) locals() int {
	if h.top != nil {
		return 6
	}
	return 10
}

// bytes draws how many bytes a message of so many packets has. In hca-top-sends a READ of 4,096 is one of all of them.
func (p *hcaTxPeer) bytes(packets, pmtu int, verb roce.Verb) uint32 {
	if p.h.top != nil && p.pmtu == 5 && verb == roce.Read {
		return hcaTxPMTU[p.pmtu]
	}
	return uint32(max(0, packets*pmtu-[...]int{0, 0, 1, p.r.Below(pmtu)}[p.r.Below(4)]))
}
