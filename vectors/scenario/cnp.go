package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

const (
	cnpLength = 200
	cnpCycles = 8400 // of an episode: 200 records some 20 cycles apart, and one long silence
)

// cnpPeriods are times between two CNPs, about those that a small device can keep too: it takes what is below 2^7,
// 2^10.
var cnpPeriods = [...]uint32{0, 0, 1, 2, 3, 5, 8, 13, 20, 40, 77, 100, 126, 127, 127, 128, 255, 1000, 1023, 1024,
	8388607, 8388608, 1<<32 - 1}

// cnpSilences are how long a QP is not heard of: about the bounds of a stamp of 8 bits, and of one of 11.
var cnpSilences = [...]uint64{100, 120, 126, 127, 128, 129, 130, 250, 254, 255, 256, 257, 258, 260, 270, 300, 380,
	383, 384,
	385, 500, 511, 512, 513, 600, 1000, 1023, 1024, 1025, 2000, 2046, 2047, 2048, 2049, 2060, 2100, 2500, 3000, 3071, 3072}

// makeCNPGen makes marked packets of a few QPs at every distance about the period that is set, and of every kind.
func makeCNPGen(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, cnpLength, func(r *Rand, e *Episode) {
		h := cnpPort{r: r, e: e, at: e.Number*cnpCycles + leapt(e.Number),
			last: map[uint32]uint64{}, peers: map[uint32]uint32{}}
		h.ages()
		h.leap()
		h.setPeriod()
		for range 1 + r.Below(6) {
			h.addQP()
		}
		if r.OneIn(2) {
			h.silentAt = 20 + r.Below(cnpLength-40)
		}
		for e.Len() < cnpLength {
			h.step()
		}
	})
}

// cnpPort are the QPs of an episode, and when each gave its last CNP as far as the pace of the stimulus goes.
type cnpPort struct {
	r        *Rand
	e        *Episode
	at       uint64
	period   uint32
	qps      []uint32
	last     map[uint32]uint64
	peers    map[uint32]uint32 // that were set
	silentAt int               // after so many records comes a long silence

	record hca.CNPQuery // that is made, and what it is made of
	ack    hca.AckQuery
}

func (h *cnpPort) give(q *hca.CNPQuery, why string) {
	if h.e.Len() < cnpLength {
		h.e.scratch = q.Append(h.e.scratch[:0])
		h.e.Add(sim.Port(0), h.at, h.e.scratch, why)
		h.at++
	}
}

// noise is a record of random fields: what an operation does not look at is random.
func (h *cnpPort) noise(op hca.CNPOp) *hca.CNPQuery {
	r, a, q := h.r, &h.ack, &h.record
	ackNoise(r, a)
	q.Op, q.QPN, q.Service, q.Opcode = op, a.QPN, hca.RespService(r.Below(4)), ib.Opcode(r.Below(256))
	q.Way, q.PKey, q.PeerQPN, q.Period = a.Way, a.PKey, a.PeerQPN, uint32(r.Uint64())
	if q.Way.SL, q.Way.SLID, q.Way.DLID = 0, 0, 0; r.OneIn(4) {
		q.Period = uint32(r.Below(100)) // what a period could be
	}
	return q
}

func (h *cnpPort) setPeriod() {
	q := h.noise(hca.CNPPeriod)
	q.Period = cnpPeriods[h.r.Below(len(cnpPeriods))]
	if h.r.OneIn(4) {
		q.Period = uint32(h.r.Below(60))
	}
	if h.r.OneIn(8) { // no device takes more than its stamps hold
		q.Period |= 1 << h.r.Between(7, 31)
	}
	if q.Period < 1000 {
		h.period = q.Period
	}
	h.give(q, "period")
}

// cnpAged is the number of the first of cnpAges QPs that live for more than an episode, one index each in a small
// device.
const (
	cnpAged = 0x5A5A00
	cnpAges = 7
)

// ages has QP k give a CNP in each 2^k-th episode, under a period that is over by a bit of its age alone: bit 13 + k.
// A device whose stamps are too short refuses the period.
func (h *cnpPort) ages() {
	for k := range cnpAges {
		if h.e.Number>>k<<k != h.e.Number {
			return
		}
		q := h.noise(hca.CNPPeriod)
		q.Period = 5000 << k
		h.give(q, "period: of more than an episode")
		if h.e.Number>>(k+2)<<(k+2) == h.e.Number { // another may have its index
			q = h.noise(hca.CNPSet)
			q.QPN = cnpAged + uint32(k)
			h.give(q, "set: for more than an episode")
		}
		h.give(h.mark(cnpAged+uint32(k)), "packet: episodes behind the one before")
	}
}

// leap has a QP give two CNPs, under a period that is over by one bit of its age alone.
func (h *cnpPort) leap() {
	bit := leapIn(h.e.Number)
	if bit == 0 {
		return
	}
	q := h.noise(hca.CNPPeriod)
	q.Period = uint32(h.r.Between(20, 120)) // any device takes it
	h.give(q, "period: before a leap")
	q = h.noise(hca.CNPSet)
	qpn := q.QPN
	h.give(q, "set: before a leap")
	h.give(h.mark(qpn), "packet: before a leap")
	h.at += 1 << bit
	h.give(h.mark(qpn), "packet: behind a leap")
}

// addQP sets a QP anew, of a number of its own or one bit beside another's.
func (h *cnpPort) addQP() {
	q := h.noise(hca.CNPSet)
	if h.r.OneIn(6) {
		q.PeerQPN = h.extreme()
	}
	if len(h.qps) > 0 && h.r.OneIn(2) {
		q.QPN = h.qps[h.r.Below(len(h.qps))]
		if h.r.OneIn(2) {
			q.QPN = near(h.r, q.QPN, 24)
		} else if peer, ok := h.peers[q.QPN]; ok && h.r.OneIn(2) {
			q.PeerQPN = peer // as it was: a CNP of before counts no more
		}
	} else if h.r.OneIn(16) {
		q.QPN = 1<<24 - 1
	}
	h.qps = append(h.qps, q.QPN)
	delete(h.last, q.QPN)
	h.peers[q.QPN] = q.PeerQPN
	h.give(q, "set")
}

// mark is a packet that gives a CNP if its QP may.
func (h *cnpPort) mark(qpn uint32) *hca.CNPQuery {
	q := h.noise(hca.CNPPacket)
	q.QPN = qpn
	q.Way.TClass |= 3
	q.Way.Encap = wire.EncapRoCEv2IPv4 + wire.Encap(h.r.Below(2))
	q.Opcode = ib.Opcode(h.r.Below(128)) // no CNP
	if h.r.OneIn(12) {
		q.PeerQPN = h.extreme()
	}
	return q
}

// extreme is one of the numbers at the ends of their range.
func (h *cnpPort) extreme() uint32 { return [...]uint32{0, 1, 1<<24 - 1}[h.r.Below(3)] }

func (h *cnpPort) step() {
	r := h.r
	if h.silentAt > 0 && h.e.Len() >= h.silentAt {
		h.silentAt = 0
		h.at += cnpSilences[r.Below(len(cnpSilences))]
	}
	qpn := h.qps[r.Below(len(h.qps))]
	switch {
	case r.OneIn(40):
		h.setPeriod()
	case r.OneIn(40):
		h.addQP()
	case r.OneIn(60):
		q := h.noise(hca.CNPRemove)
		if q.QPN = qpn; r.OneIn(2) {
			q.QPN = near(r, q.QPN, 24)
		}
		h.give(q, "remove")
	case r.OneIn(60):
		h.give(h.noise(hca.CNPOp(r.Between(4, 7))), "no such operation")
	case r.OneIn(25):
		h.raised()
	case r.OneIn(100):
		h.forgotten()
	case r.OneIn(6):
		h.other(qpn)
	case r.OneIn(3):
		h.burst(qpn)
	default:
		h.around(qpn)
	}
}

// other is a packet with one thing about it, or two, that keeps it from giving a CNP.
func (h *cnpPort) other(qpn uint32) {
	r := h.r
	q := h.mark(qpn)
	for range 1 + r.Below(2) {
		switch r.Below(4) {
		case 0:
			q.Way.TClass = uint8(r.Below(256))
		case 1:
			q.Way.Encap = wire.Encap(r.Below(8))
		case 2:
			q.Opcode = ib.OpcodeCNP
			if r.OneIn(2) {
				q.Opcode = ib.Opcode(int(q.Opcode) ^ 1<<r.Below(8))
			}
		default:
			if q.QPN = near(r, q.QPN, 24); r.OneIn(4) {
				q.QPN = 1<<24 - 1 // what a word of ones would be
			}
		}
	}
	h.give(q, "packet: other")
}

// burst is a few marked packets back to back, of one QP or of all.
func (h *cnpPort) burst(qpn uint32) {
	for range h.r.Between(2, 8) {
		h.give(h.mark(qpn), "packet: burst")
		if h.r.OneIn(3) {
			qpn = h.qps[h.r.Below(len(h.qps))]
		}
	}
}

// around is a marked packet a few cycles before or behind the end of its QP's period, or at the end, when that is near.
func (h *cnpPort) around(qpn uint32) {
	end := h.last[qpn] + uint64(h.period)
	if early := uint64(h.r.Below(3)); end > early+h.at && end-early-h.at < 140 {
		h.at = end - early
	} else {
		h.at += uint64([...]int{0, 0, 1, 2, 5, 30}[h.r.Below(6)])
	}
	if _, sent := h.last[qpn]; !sent || h.at >= end {
		h.last[qpn] = h.at
	}
	h.give(h.mark(qpn), "packet: about the period")
}

// raised has all QPs give a CNP under a short period, which is raised when it is over or nearly so: what was over is
// not then (CNP by the period that is set when the packet comes).
func (h *cnpPort) raised() {
	r := h.r
	short := uint32(r.Between(1, 90))
	for _, period := range [...]uint32{short, 127} {
		q := h.noise(hca.CNPPeriod)
		q.Period, h.period = period, period
		h.give(q, "period: short, then raised")
		for _, qpn := range h.qps {
			h.last[qpn] = h.at
			h.give(h.mark(qpn), "packet: about a period that is raised")
		}
		if period == short {
			h.at += uint64(short) + uint64(r.Below(3)) - 1
		}
	}
}

// cnpForgotten are cycles from a CNP of a QP of the smallest device to those in which it is forgotten, and cnpTurn how
// many those are: half of what its stamps hold, and a turn of all QPs.
const (
	cnpForgotten = 120
	cnpTurn      = 48
)

// forgotten has all QPs give a CNP, and removes each about when that is forgotten: neither does the work of the other.
func (h *cnpPort) forgotten() {
	for _, qpn := range h.qps {
		h.give(h.mark(qpn), "packet: the last one before it is forgotten")
	}
	h.at += cnpForgotten
	for i, qpn := range h.qps {
		h.at += uint64(h.r.Below(cnpTurn / len(h.qps)))
		q := h.noise(hca.CNPRemove)
		q.QPN = qpn
		h.give(q, "remove: about when its CNP is forgotten")
		if i%2 == 0 {
			h.give(h.mark(qpn), "packet: of a QP that is removed")
		}
		delete(h.last, qpn)
	}
	h.qps = h.qps[:0]
	for range 1 + h.r.Below(6) {
		h.addQP()
	}
}
