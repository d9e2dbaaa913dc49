package hca

import (
	"slices"

	"hcacosim/model/sim"
)

const (
	// hcaTxHeadBytes is what a packet of hca_tx is counted with beside its payload.
	hcaTxHeadBytes = 64
	// hcaTxHears is how many clocks behind its input a CNP, or that something was posted, is known where it counts.
	hcaTxHears = 128
	// How much of a QP's past is kept. What is beyond is left open.
	hcaTxEras   = 24
	hcaTxStarts = 256
	hcaTxSteps  = 512
)

// hcaTxPaces are how soon packets of hca_tx may leave, and how late: RATE-1 to RATE-4. What a device has done is not
// known but by what it gave, so all that it may have done is followed.
type hcaTxPaces struct {
	hears uint64 // clocks
	law   pacingLaw
	qps   map[uint32]*hcaTxPaced
}

// hcaTxPaced is a QP that was set.
type hcaTxPaced struct {
	static uint16
	law    *pacingLaw
	eras   []hcaTxEra
	gone   int // eras that are not kept

	queue []*hcaTxFlight // packets of which nothing was seen
	least uint64         // before it the next packet is not given
	most  uint64         // and behind it, if nothing else holds it up, it is
	next  uint64         // as least, of a device that is the slowest that may be
}

// hcaTxEra is a time that begins with a CNP: the paces that the QP may have then. An open one may have any.
type hcaTxEra struct {
	from   uint64
	open   bool
	starts []hcaTxStart
}

// hcaTxStart is a change of pace and target, and when it was, from lo to hi. A still one is not slow.
type hcaTxStart struct {
	pace, target uint16
	still        bool
	lo, hi       uint64
}

// take hears an input.
func (p *hcaTxPaces) take(in *sim.Record) {
	switch {
	case in.Port == HcaTxCNPs:
		p.cut(uint32(in.Data[0])|uint32(in.Data[1])<<8|uint32(in.Data[2])<<16, in.End)
	case in.Port == HcaTxOps && HcaTxTargetOf(in.Data) == ToPace:
		q := ParseRateQuery(HcaTxRecordOf(in.Data))
		p.operate(&q, in.End)
	}
}

func (p *hcaTxPaces) operate(q *RateQuery, now uint64) {
	const half = 1 << 23 // StampWidth is 24
	switch q.Op {
	case RateLaw:
		if uint64(q.Period) < half && uint64(q.Forget) < half {
			p.law = lawOf(q)
		}
		law := p.law
		for _, s := range p.qps {
			s.law = &law
			s.begin(hcaTxEra{from: now, open: true})
		}
	case RateSet:
		if p.qps == nil {
			p.qps = map[uint32]*hcaTxPaced{}
		}
		law := p.law
		p.qps[q.QPN] = &hcaTxPaced{static: q.Pace, law: &law, eras: []hcaTxEra{{starts: []hcaTxStart{{pace: q.Pace,
			target: q.Pace, still: true}}}}}
	case RateRemove:
		delete(p.qps, q.QPN)
	case RateCNP:
		p.cut(q.QPN, now)
	}
}

func (p *hcaTxPaces) cut(qpn uint32, now uint64) {
	if s := p.qps[qpn]; s != nil {
		s.cut(now, p.hears)
	}
}

// begin begins an era.
func (s *hcaTxPaced) begin(e hcaTxEra) {
	if s.eras = append(s.eras, e); len(s.eras) > hcaTxEras {
		s.eras = slices.Delete(s.eras, 0, 1)
		s.gone++
	}
}

// cut is a CNP (RATE-2): of each pace that the QP may have by now.
func (s *hcaTxPaced) cut(now, hears uint64) {
	before := &s.eras[len(s.eras)-1]
	e := hcaTxEra{from: now, open: before.open || s.law.period == 0}
	for i := range before.starts {
		s.cutStart(&e, &before.starts[i], now, hears)
	}
	if len(e.starts) > hcaTxStarts {
		e.open = true
	}
	if e.open {
		e.starts = nil
	}
	s.begin(e)
}

// cutStart adds to an era what a CNP makes of what a start has become by now.
func (s *hcaTxPaced) cutStart(e *hcaTxEra, b *hcaTxStart, now, hears uint64) {
	if e.open || len(e.starts) > hcaTxStarts {
		return
	}
	add := func(c hcaTxStart) {
		if !slices.Contains(e.starts, c) {
			e.starts = append(e.starts, c)
		}
	}
	cut := func(pace uint16) {
		add(hcaTxStart{pace: s.law.cutOf(pace), target: pace, lo: now, hi: now + hears})
	}
	latest := now + hears - b.lo // clocks since the change, at most
	switch {
	case s.law.forget == 0:
		add(*b)
		return
	case b.still:
		cut(s.static)
		return
	case latest >= s.law.forget:
		cut(s.static)
	}
	if now < b.hi+s.law.period {
		add(*b) // too soon: nothing changes
	}
	steps := latest / s.law.period
	if s.law.forget <= s.law.period {
		steps = min(steps, 1) // none, but that a CNP may come behind the period
	}
	c, least := *b, s.certain(b, now)
	for k := uint64(0); k <= min(steps, hcaTxSteps); k++ {
		if k >= least && (k > 0 || steps > 0) {
			cut(c.pace)
		}
		if c.pace == s.static {
			break
		}
		c.pace, c.target = s.law.step(c.pace, c.target, s.static)
	}
}

// certain is how many steps there have been since a change, at least, or the QP is slow no more (RATE-4).
func (s *hcaTxPaced) certain(b *hcaTxStart, now uint64) uint64 {
	if s.law.forget == 0 || now <= b.hi {
		return 0
	}
	return (now - b.hi) / s.law.forget
}

// gap is how long a packet of so many times 64 bytes takes at a pace.
func (s *hcaTxPaced) gap(pieces uint64, pace uint16) uint64 { return (pieces*uint64(pace) + 63) / 64 }

// after is the first time at which the packet may be given that follows one of so many times 64 bytes, which was given
// at any time from one on to another, in an era or a later one (RATE-3).
func (s *hcaTxPaced) after(pieces, from, to uint64, era int) uint64 {
	if era < s.gone || from > to {
		return from + s.gap(pieces, s.static)
	}
	best := ^uint64(0)
	for i := range s.eras[era-s.gone:] {
		e := &s.eras[era-s.gone+i]
		at := from
		if i > 0 {
			at = max(at, e.from)
		}
		if at > to {
			break
		}
		best = min(best, s.afterIn(e, pieces, at, to))
	}
	return best
}

// afterIn is that of one era.
func (s *hcaTxPaced) afterIn(e *hcaTxEra, pieces, from, to uint64) uint64 {
	if e.open {
		return from + s.gap(pieces, s.static)
	}
	best := ^uint64(0)
	for i := range e.starts {
		best = min(best, s.afterStart(&e.starts[i], pieces, from, to))
	}
	return best
}

func (s *hcaTxPaced) afterStart(b *hcaTxStart, pieces, from, to uint64) uint64 {
	static := max(from, b.lo+s.law.forget)
	if b.still || static == from {
		return from + s.gap(pieces, s.static)
	}
	best := ^uint64(0)
	if static <= to {
		best = static + s.gap(pieces, s.static)
	}
	c := *b
	for k := range uint64(hcaTxSteps) {
		begins, ends := b.lo+k*s.law.period, b.lo+(k+1)*s.law.period
		if at := max(from, begins); at <= to && ends > from {
			best = min(best, at+s.gap(pieces, c.pace))
		}
		if ends > to || ends >= static {
			return best
		}
		c.pace, c.target = s.law.step(c.pace, c.target, s.static)
	}
	return min(best, max(from, b.lo+hcaTxSteps*s.law.period)+s.gap(pieces, s.static))
}

// slowest is the longest pace that the QP may have at a time.
func (s *hcaTxPaced) slowest(now uint64) uint16 {
	e := &s.eras[len(s.eras)-1]
	if e.open {
		return s.law.cutOf(0xFFFF)
	}
	most := s.static
	for i := range e.starts {
		c := e.starts[i]
		for range min(s.certain(&c, now), hcaTxSteps) {
			c.pace, c.target = s.law.step(c.pace, c.target, s.static)
		}
		most = max(most, c.pace)
	}
	return most
}

// hcaTxPieces is how many times 64 bytes a packet is counted with.
func hcaTxPieces(q *FrameRecord) uint64 { return (uint64(q.Payload()) + hcaTxHeadBytes + 63) / 64 }

// note takes a packet that is owed.
func (p *hcaTxPaces) note(f *hcaTxFlight) {
	f.earliest = f.cause.cycle
	if s := p.qps[f.QPN]; s != nil {
		f.paced, f.era = s, s.gone+len(s.eras)-1
		s.queue = append(s.queue, f)
	}
}

// seen has a packet that is seen, and all before it, be given by a cycle: when that may have been is known then.
func (s *hcaTxPaced) seen(f *hcaTxFlight, cycle uint64) {
	if !slices.Contains(s.queue, f) {
		return
	}
	for done := false; !done; s.queue = s.queue[1:] {
		q := s.queue[0]
		if done = q == f; q.dropped && !done { // it may never have been given
			continue
		}
		q.earliest = max(q.cause.cycle, s.least)
		pieces := hcaTxPieces(&q.FrameRecord)
		s.least = s.after(pieces, q.earliest, max(cycle, q.earliest), q.era)
		s.most = cycle + s.gap(pieces, s.slowest(q.earliest))
	}
}

// latest is when the last packet that is owed is given, if nothing holds it up but its QP's pace (RATE-4).
func (s *hcaTxPaced) latest() (cycle uint64) {
	cycle = s.most
	least, owed := s.least, false
	for _, q := range s.queue {
		if q.dropped {
			continue
		}
		owed = true
		pieces := hcaTxPieces(&q.FrameRecord)
		least = max(least, q.cause.cycle)
		last := max(cycle, q.cause.cycle)
		cycle = last + s.gap(pieces, s.slowest(least))
		least += s.gap(pieces, s.static)
	}
	if !owed {
		return 0
	}
	return cycle
}

// latest is that of all QPs.
func (p *hcaTxPaces) latest() (cycle uint64) {
	for _, s := range p.qps {
		if len(s.queue) > 0 {
			cycle = max(cycle, s.latest())
		}
	}
	return cycle
}

// next is the cycle in which a packet that an input in a cycle leads to is given by a device that is restored as late
// as may be.
func (p *hcaTxPaces) next(q *FrameRecord, cycle uint64) uint64 {
	s := p.qps[q.QPN]
	if s == nil {
		return cycle
	}
	cycle = max(cycle, s.next)
	s.next = cycle + s.gap(hcaTxPieces(q), s.slowest(cycle))
	return cycle
}
