package scenario

import "hcacosim/model/hca"

// race is a step in which all answer, behind one in which all were posted to, and the timers of those run out whose
// answers are lost: answers and expiries meet.
func (h *hcaTxHost) race() {
	h.raced = false
	least := ^uint64(0)
	for i := range h.peers {
		if s := h.model.State(h.peers[i].qpn); s.Armed && !s.Waiting {
			least = min(least, s.Left)
		}
	}
	ticks := least + hcaTxSlack
	var beside []*hcaTxPeer
	for i := range h.peers {
		p := &h.peers[i]
		s := h.model.State(p.qpn)
		if s.Armed && s.Left >= ticks && s.Left < ticks+hcaTxSlack || least == ^uint64(0) {
			return
		}
		if p.expired = s.Armed && s.Left <= ticks; !p.expired && s.Open && !s.Waiting {
			beside = append(beside, p)
		}
	}
	h.give(hca.HcaTxOps, hca.HcaTxLapse(uint32(ticks)), "time passes")
	for i := range beside {
		k := h.r.Between(i, len(beside)-1)
		beside[i], beside[k] = beside[k], beside[i]
	}
	for i, p := range beside {
		if i == 0 {
			p.repeat(h.r.Below(12))
		}
		p.acknowledgeAll()
	}
}

// raceOff is the step before: everybody is posted to whom nothing limits. It is false where they are too few.
func (h *hcaTxHost) raceOff() bool {
	n := 0
	for i := range h.peers {
		p := &h.peers[i]
		s := h.model.State(p.qpn)
		if p.free && s.Open && s.Posted < 4 && !s.Waiting && !p.drained && !p.ends && len(p.answers) == 0 &&
			h.left < hcaTxMost {
			p.post()
			n++
		}
	}
	h.raced = n >= 2
	return n > 0
}

const (
	hcaTxJam     = 8   // times that each answer comes where queues of answers are to be full
	hcaTxJamMost = 80  // packets of it: more than wait for memory
	hcaTxJamIn   = 700 // clocks until all that have room are given
	hcaTxJamBy   = 250 // records of an episode behind which there is no room for so many
)

// jamOff is the step before a jam: everybody is posted to whom nothing limits. It is false where they are too few.
func (h *hcaTxHost) jamOff() bool {
	n := 0
	for i := range h.peers {
		p := &h.peers[i]
		s := h.model.State(p.qpn)
		if !p.free || !s.Open || s.Posted > 0 || s.Waiting || p.drained || p.ends || len(p.answers) > 0 {
			continue
		}
		for n++; s.Posted < hca.HcaTxQueueDepth/4 && h.left < hcaTxMost; s.Posted++ {
			p.post()
		}
	}
	h.jammed = n >= 2
	return n > 0
}

// jam has all of them posted to again, so that packets wait for memory; then all ACKs come, each several times, while
// nobody is woken: what req_ack_check says waits for retry_ctl, while turns go on.
func (h *hcaTxHost) jam() {
	h.jammed, h.memory.most = false, hcaTxJamMost
	for i := range h.peers {
		p := &h.peers[i]
		s := h.model.State(p.qpn)
		if !p.mixes(&s) && (!p.sends() || p.drained || p.ends || len(p.answers) > 0) {
			continue
		}
		for ; s.Posted < hca.HcaTxQueueDepth && h.left < hcaTxJamMost; s.Posted++ {
			p.post()
		}
	}
	h.wait(hcaTxJamIn + h.r.Below(hcaTxJamIn/4))
	h.wakes(hcaTxWakes)
	for i := range h.peers {
		p := &h.peers[i]
		if s := h.model.State(p.qpn); p.mixes(&s) {
			p.mix(hca.HcaTxQueueDepth, hcaTxJam)
		}
	}
}
