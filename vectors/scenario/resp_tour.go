package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// One of eight episodes of resp-psn-check is a tour: every request meets every state of a QP in every region of PSN-2,
// at every distance by powers of two, with every RNR timer code and every payload around each path MTU. A walk by
// chance leaves the rarest of these out: a CMP & SWAP behind a gap while an RNR NAK is pending.

const (
	respTourEach  = 8  // episodes
	respTourSteps = 64 // of an episode, so that the next one goes on behind it; what is left of the records overlaps
	respTourOps   = 19 // the requests; with seven states every pair comes once in 133 steps
)

// tourState is what a QP is in when the tour's requests come.
type tourState int

const (
	tourNotThere tourState = iota
	tourInit
	tourIdle
	tourOpen
	tourNAK
	tourRNR
	tourError
	tourStates
)

// isTour reports whether an episode is a tour.
func isTour(number uint64) bool { return number%respTourEach == respTourEach-4 }

// tour fills an episode with steps of the tour.
func (p *respPeer) tour() {
	for step := int(p.e.Number/respTourEach) * respTourSteps; p.e.Len() < respLength; step++ {
		p.qpn = uint32(p.r.Below(4)) // there under every NumQps
		state, op := tourState(step%int(tourStates)), checkOps[step%respTourOps]
		p.tourTo(state, step)
		if state != tourInit && state != tourNotThere {
			k := step % (psn.Bits - 1)
			old, lost := -(1<<k + p.r.Below(1<<k)), 1<<k+p.r.Below(1<<k)
			if state == tourRNR { // where a duplicate ends the silence about a gap
				old, lost = lost, old
			}
			p.tourBy(op, old, step)
			p.tourBy(op, lost, step+respTourOps)
		}
		p.tourBy(op, 0, -1)
		if state == tourNotThere {
			p.tourFlush(step / int(tourStates))
		}
	}
}

// tourFlush sets the QP up and sends a FLUSH of any kind, the kinds that it allows in turn.
func (p *respPeer) tourFlush(turn int) {
	p.set.FlushEnabled = uint8(turn % 4)
	p.give(p.set, "set: for the tour")
	p.op(hca.RespReady, "ready: for the tour")
	q := p.only(ib.Flush)
	q.FlushPLT, q.FlushSel = uint8(turn/4%4), 0
	p.give(q, "tour: kind of a FLUSH")
}

// tourTo takes the QP to a state. The profile has no switch on, and nothing is refused for what the QP allows.
func (p *respPeer) tourTo(state tourState, step int) {
	p.op(hca.RespReset, "reset: for the tour")
	p.drawSet()
	p.set.Service, p.set.PMTU, p.set.Profile = hca.RespRC, uint8(1+step%5), 0
	if state == tourInit {
		p.set.Service = hca.RespService(step / int(tourStates) % 3)
	}
	p.set.RNRTimer = uint8(step / int(tourStates) % 32)
	p.set.Enabled, p.set.FlushEnabled, p.set.MaxReads = 7, 3, 4
	p.next, p.at, p.of, p.inFlight, p.sentN = p.set.PSN, 0, 0, 0, 0
	if state == tourNotThere {
		return
	}
	p.give(p.set, "set: for the tour")
	if state == tourInit {
		return
	}
	p.op(hca.RespReady, "ready: for the tour")
	switch state {
	case tourOpen:
		p.openMessage(ib.SendFirst)
	case tourNAK:
		p.tourBy(ib.SendOnly, 1, -1)
	case tourRNR:
		if step/int(tourStates)%2 == 1 { // the RNR NAK ends the silence about a gap, and its own begins
			p.tourBy(ib.SendOnly, 1, -1)
		}
		q := p.only(ib.SendOnly)
		q.WQEPresent = false
		p.give(q, "tour: no receive WQE")
	case tourError:
		p.op(hca.RespError, "error: for the tour")
	}
}

// tourBy sends a request that lies so many PSNs ahead of the next one. From kind 0 on its payload is of that kind, of
// eleven for each path MTU in turn.
func (p *respPeer) tourBy(op ib.Operation, ahead, kind int) {
	q := p.only(op)
	q.PSN = p.next.Add(int32(ahead))
	if kind >= 0 {
		kind = kind / 5 % 11
		q.Payload = uint16([...]int{0, 1, 2, 3, 4, p.r.Between(5, p.pmtu()-5), p.pmtu() - p.r.Between(2, 4),
			p.pmtu() - 1, p.pmtu(), p.pmtu() + 1, p.pmtu() + 2}[kind])
	}
	p.give(q, "tour")
}
