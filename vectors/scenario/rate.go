package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

const (
	rateLength = 200
	rateBegin  = 50
	rateCycles = 14000 // of an episode: 200 records some 30 cycles apart, and one long silence
	rateLong   = 12    // episodes: one of them has a silence that takes bits of a stamp which the others do not reach
	rateLonger = 3<<16 + 1000
	rateFar    = 66 // of the longest frames at the slowest pace: they reach Half of 2^23
)

// rateTimes are periods, about those that a small device can keep too: it takes what is below 2^7, 2^10.
var rateTimes = [...]uint32{0, 0, 1, 2, 3, 5, 8, 13, 20, 40, 77, 100, 126, 127, 128, 1000, 1023, 1024, 8388607, 8388608,
	1<<32 - 1}

// rateForgets are how long a change counts.
var rateForgets = [...]uint32{0, 1, 20, 60, 100, 127, 127, 127, 127, 127, 128, 1023, 1023, 1024, 8388607, 8388607,
	8388608}

// ratePaces have the wire's own, the ends, and what products of them make odd.
var ratePaces = [...]uint16{0, 1, 2, 20, 63, 64, 64, 64, 64, 65, 100, 127, 128, 255, 256, 1000, 4095, 21845, 32768,
	43690, 65534,
	65535}

// rateSilences are how long a QP is not heard of: about the bounds of a stamp of 8 bits, and of one of 11.
var rateSilences = [...]uint64{60, 100, 120, 126, 127, 128, 129, 130, 200, 250, 254, 255, 256, 257, 258, 260, 300,
	380, 383,
	384, 385, 500, 511, 512, 513, 1000, 1022, 1023, 1024, 1025, 1500, 2046, 2047, 2048, 2049, 2060, 2500, 3071, 3072}

// makeRateLimiter makes the questions and the bytes of a few QPs, and CNPs and asks at every distance about the period.
func makeRateLimiter(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, rateLength, func(r *Rand, e *Episode) {
		h := ratePort{r: r, e: e, at: rateBegin + leapt(e.Number) + e.Number*rateCycles +
			e.Number/rateLong*rateLonger}
		late := r.OneIn(4) || e.Number == 0 // that of the episode before, or of the reset, counts for some records
		if !late {
			h.setLaw()
		}
		for range 1 + r.Below(6) {
			h.addQP()
		}
		for late && e.Len() < 20 {
			h.burst(h.qps[r.Below(len(h.qps))].number)
		}
		if late {
			h.setLaw()
			for i := range h.qps {
				h.give(h.noise(hca.RateCNP, h.qps[i].number), "behind a late law")
			}
		}
		if r.OneIn(2) {
			h.silentAt = 20 + r.Below(rateLength-40)
		}
		if e.Number%rateLong == rateLong-1 {
			h.old(11 + int(e.Number/rateLong)%6)
		}
		if bit := leapIn(e.Number); bit > 0 {
			h.aged(bit, uint32(r.Between(20, 127)))
		}
		for e.Len() < rateLength {
			h.step()
		}
	})
}

// ratePort are the QPs of an episode as far as the pace of the stimulus goes: when each changed, and may send.
type ratePort struct {
	r        *Rand
	e        *Episode
	at       uint64
	period   uint32
	qps      []pacedQP
	silentAt int // after so many records comes a long silence
}

type pacedQP struct {
	number       uint32
	pace         uint64
	change, next uint64
}

func (h *ratePort) give(q hca.RateQuery, why string) {
	if h.e.Len() < rateLength {
		h.e.scratch = q.Append(h.e.scratch[:0])
		h.e.Add(sim.Port(0), h.at, h.e.scratch, why)
		h.at++
	}
}

// noise is a record of random fields: what an operation does not look at is random.
func (h *ratePort) noise(op hca.RateOp, qpn uint32) hca.RateQuery {
	a, b := h.r.Uint64(), h.r.Uint64()
	return hca.RateQuery{Op: op, QPN: qpn, Bytes: uint16(a & 0x1FFF), Pace: uint16(a >> 13), Period: uint32(a >> 32),
		Forget: uint32(b), Cut: uint8(b >> 32), Raise: uint8(b >> 40)}
}

func (h *ratePort) setLaw() {
	r := h.r
	q := h.noise(hca.RateLaw, uint32(r.Below(1<<24)))
	if len(h.qps) > 0 && r.OneIn(2) { // a law is nobody's, whatever its number
		q.QPN = h.qps[r.Below(len(h.qps))].number
	}
	q.Period, q.Forget = rateTimes[r.Below(len(rateTimes))], rateForgets[r.Below(len(rateForgets))]
	if r.OneIn(3) {
		q.Period = uint32(r.Below(40))
	}
	if r.OneIn(2) {
		q.Cut = [...]uint8{0, 1, 64, 128, 255}[r.Below(5)]
	}
	if r.OneIn(2) {
		q.Raise = [...]uint8{0, 1, 16, 255}[r.Below(4)]
	}
	switch r.Below(8) { // no device takes more than its stamps hold, whichever bit says so
	case 0:
		q.Period, q.Forget = uint32(r.Below(40)), uint32(r.Below(128))|1<<r.Between(23, 31)
	case 1:
		q.Period, q.Forget = uint32(r.Below(40))|1<<r.Between(23, 31), uint32(r.Below(128))
	case 2:
		q.Period |= 1 << r.Between(7, 22)
	}
	q.Pace = 0 // the slowest: nothing bounds it
	if r.OneIn(3) {
		q.Pace = ratePaces[r.Below(len(ratePaces))]
	}
	if q.Period < 1000 {
		h.period = q.Period
	}
	h.give(q, "law")
}

// addQP sets a QP anew, of a number of its own or one bit beside another's.
func (h *ratePort) addQP() {
	r := h.r
	q := h.noise(hca.RateSet, uint32(r.Below(1<<24)))
	if r.OneIn(12) {
		q.QPN = [...]uint32{0, 1<<24 - 1}[r.Below(2)]
	} else if len(h.qps) > 0 && r.OneIn(2) {
		q.QPN = h.qps[r.Below(len(h.qps))].number
		if r.OneIn(2) {
			q.QPN = near(r, q.QPN, 24)
		}
	}
	if !r.OneIn(4) {
		q.Pace = ratePaces[r.Below(len(ratePaces))]
	}
	h.qps = append(h.qps, pacedQP{number: q.QPN, pace: uint64(q.Pace)})
	h.give(q, "set")
}

func (h *ratePort) step() {
	r := h.r
	if h.silentAt > 0 && h.e.Len() >= h.silentAt {
		h.silentAt = 0
		h.at += rateSilences[r.Below(len(rateSilences))]
	}
	qp := &h.qps[r.Below(len(h.qps))]
	switch {
	case r.OneIn(40):
		h.setLaw()
	case r.OneIn(40):
		h.addQP()
	case r.OneIn(80):
		h.give(h.noise(hca.RateOp(r.Between(6, 7)), qp.number), "no such operation")
	case r.OneIn(50):
		h.give(h.noise(hca.RateOp([...]int{0, 1, 4, 5}[r.Below(4)]), near(r, qp.number, 24)), "of another number")
	case r.OneIn(120):
		h.give(h.noise(hca.RateRemove, qp.number), "remove")
	case r.OneIn(600) && h.e.Len()+rateFar+12 < rateLength:
		h.far()
	case r.OneIn(4):
		h.burst(qp.number)
	case r.OneIn(2):
		h.around(qp)
	default:
		h.send(qp)
	}
}

// burst is asks, CNPs and bytes of a QP back to back, or one of these alone.
func (h *ratePort) burst(qpn uint32) {
	ops := [...]hca.RateOp{hca.RateAsk, hca.RateCNP, hca.RateSent, hca.RateAsk}
	same := h.r.Below(5)
	for range h.r.Between(2, 10) {
		op := ops[h.r.Below(4)]
		if same < 3 {
			op = ops[same]
		}
		h.give(h.noise(op, qpn), "burst")
	}
}

// around is an ask or a CNP a few cycles before or behind the end of the period since the QP's last one.
func (h *ratePort) around(qp *pacedQP) {
	end := qp.change + uint64(h.period)
	if early := uint64(h.r.Below(3)); end > early+h.at && end-early-h.at < 140 {
		h.at = end - early
	} else {
		h.at += uint64([...]int{0, 0, 1, 2, 5, 30}[h.r.Below(6)])
	}
	if qp.change == 0 || h.at >= end {
		qp.change = h.at
	}
	op := hca.RateAsk
	if h.r.OneIn(2) {
		op = hca.RateCNP
	}
	h.give(h.noise(op, qp.number), "about the period")
}

// old has changes come to an age about one bit of a stamp while they count for less, then for that and a little more
// or less.
func (h *ratePort) old(bit int) {
	r := h.r
	for _, forget := range [...]uint32{uint32(r.Between(20, 127)), 1<<bit + uint32(r.Between(12, 40)), 1 << (bit + 1)} {
		h.aged(bit, forget)
	}
}

// aged has a change of each QP come to the age of one bit of a stamp, and a few clocks more.
func (h *ratePort) aged(bit int, forget uint32) {
	q := h.noise(hca.RateLaw, 0)
	q.Period, q.Forget, q.Pace, q.Cut, h.period = uint32(h.r.Below(20)), forget, 0, 128, 0
	if forget == 1<<(bit+1) {
		q.Period = 1 << bit
	}
	h.give(q, "law: about one bit of a stamp")
	for range 2 {
		for i := range h.qps {
			h.give(h.noise(hca.RateCNP, h.qps[i].number), "cut, to become old")
		}
	}
	h.at += 1 << bit
	for i := range h.qps {
		h.give(h.noise(hca.RateAsk, h.qps[i].number), "of a cut that is as old as one bit of a stamp")
	}
}

// far sends the longest frames of a QP of the slowest pace, until its time is as far ahead as a stamp of 24 bits holds.
func (h *ratePort) far() {
	q := h.noise(hca.RateSet, h.qps[h.r.Below(len(h.qps))].number)
	q.Pace = 65535
	h.give(q, "set: the slowest")
	for range rateFar {
		q := h.noise(hca.RateSent, q.QPN)
		q.Bytes = 8191
		h.give(q, "sent: to the end of a stamp")
	}
	h.give(h.noise(hca.RateAsk, q.QPN), "ask: at the end of a stamp")
	h.addQP()
	h.give(h.noise(hca.RateSet, q.QPN), "set again: it may send")
}

// send is bytes that take less than a few hundred cycles at the static pace where there are such, and an ask a cycle
// before, at, or behind the end of that.
func (h *ratePort) send(qp *pacedQP) {
	r := h.r
	q := h.noise(hca.RateSent, qp.number)
	if limit := 600000 / max(qp.pace, 1); limit < 8191 && !r.OneIn(8) {
		q.Bytes = uint16(r.Below(int(limit) + 2))
	}
	if r.OneIn(4) {
		q.Bytes = [...]uint16{0, 1, 63, 64, 65, 128, 1024, 4096, 8127, 8128, 8129, 8191}[r.Below(12)]
	}
	qp.next = max(h.at, qp.next) + ((uint64(q.Bytes)+63)/64*qp.pace+63)/64
	h.give(q, "sent")
	if ahead := qp.next - min(qp.next, h.at); ahead > 0 && ahead < 300 {
		h.at = max(h.at, qp.next-uint64(r.Below(3))) + uint64(r.Below(2))
	}
	h.give(h.noise(hca.RateAsk, qp.number), "ask")
}
