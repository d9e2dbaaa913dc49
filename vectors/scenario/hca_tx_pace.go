package scenario

import (
	"cmp"

	"hcacosim/model/hca"
)

// hcaTxLaw is the law of pacing in an episode.
type hcaTxLaw struct {
	hca.RateQuery
	steps bool // time restores a pace within the episode
}

// setLaw sets the law. Half of the episodes of hca-tx have one whose steps come within them, and packets of 256 bytes
// where there is a pace.
func (h *hcaTxHost) setLaw() {
	r := h.r
	h.law = hcaTxLaw{RateQuery: hca.RateQuery{Op: hca.RateLaw, Period: 1 << 22, Forget: 1<<23 - 1,
		Cut: uint8(64 + r.Below(192)), Raise: 4}}
	if h.top == nil && r.OneIn(2) {
		period := [...]uint32{100, 300, 1000, 2500}[r.Below(4)]
		h.law.steps, h.law.Period, h.law.Forget = true, period, period/2+uint32(r.Below(12*int(period)))
		h.law.Raise, h.law.Pace = [...]uint8{0, 4, 40, 128}[r.Below(4)], uint16(5000+r.Below(5000))
	}
	h.op(hca.ToPace, h.law.Append(nil), "law")
}

// mark gives CNPs.
func (h *hcaTxHost) mark() {
	for k := range h.peers {
		p, rare := &h.peers[k], 12
		if h.top != nil && p.pace > 0 {
			rare = 3
		}
		if h.r.OneIn(rare) {
			h.markOne(p)
		}
	}
}

func (h *hcaTxHost) markOne(p *hcaTxPeer) {
	if p.pace > 0 && h.law.steps {
		old := h.pace(p)
		most := max(old, int(cmp.Or(h.law.Pace, 0xFFFF)))
		p.slow, p.target, p.cutAt = min(old+old*int(h.law.Cut)/128, most), old, h.at
	}
	p.marked = p.marked || p.pace > 0
	h.give(hca.HcaTxCNPs, hca.HcaTxCNP(p.qpn), "CNP")
}

// pace is the longest that a QP may have by now: it is restored by a step each forget at least (RATE-4).
func (h *hcaTxHost) pace(p *hcaTxPeer) int {
	pace, target, static := p.slow, p.target, int(p.pace)
	for n := (h.at - min(h.at, p.cutAt)) / uint64(h.law.Forget); n > 0 && pace > static; n-- {
		if pace == target {
			target = max(static, target-target*int(h.law.Raise)/256-1)
		}
		pace = (pace + target) / 2
	}
	return max(pace, static)
}

// slows is a step in which those with a pace are slowed, once or several times, and send behind it, at once or when
// time has restored something. It is false where no pace is restored.
func (h *hcaTxHost) slows() bool {
	if !h.law.steps {
		return false
	}
	for range 1 + h.r.Below(3) {
		for i := range h.peers {
			if p := &h.peers[i]; p.pace > 0 && !h.r.OneIn(4) {
				h.markOne(p)
			}
		}
		h.rest()
		h.wait(h.r.Below(2*int(h.law.Period) + 1))
	}
	h.hurries()
	return true
}

// wait has clocks pass.
func (h *hcaTxHost) wait(clocks int) {
	h.clocks += clocks
	h.at += uint64(clocks)
}

// hcaTxReady is how long others have stood ready when a QP is posted to: longer than a device needs to know.
const hcaTxReady = 150

// shares is a step in which many QPs have more to send than a turn has, and are posted to again while they wait for
// each other (RATE-5). It is false where there are too few.
func (h *hcaTxHost) shares() bool {
	var ready []*hcaTxPeer
	for i := range h.peers {
		p := &h.peers[i]
		if s := h.model.State(p.qpn); p.pace == 0 && p.sends() && !p.drained && !p.ends && len(p.answers) == 0 &&
			s.Posted == 0 && s.Una == s.High {
			ready = append(ready, p)
		}
	}
	if len(ready) < 3 {
		return false
	}
	h.memory.most = hcaTxFlood
	for round := range 2 {
		for i := range ready {
			p := ready[(int(h.wqes)+i)%len(ready)]
			for n := 3; n > 0 && h.left < hcaTxFlood && !h.memory.isFull(h) &&
				h.model.State(p.qpn).Posted < hca.HcaTxQueueDepth; n-- {
				p.post()
			}
		}
		if round == 0 {
			h.wait(hcaTxReady + h.r.Below(hcaTxReady))
		}
	}
	return true
}
