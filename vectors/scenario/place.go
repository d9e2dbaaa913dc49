package scenario

import (
	"cmp"
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// An episode of read-place has a fixed number of writes, as one of rx-dma has, so each knows the numbers of its own.
const (
	placeLength   = 640
	placeGroup    = 64 // records, at most
	placeWrites   = 128
	placeBytes    = 48_000 // of its frames; what comes then is small
	placeSettling = 2000   // clocks for what memory still owes
	placeReads    = 4      // what every device can have outstanding
	placeMargin   = 16     // cases that are kept for lists with nothing to place
)

// Ports of read_place.
const (
	placeRecords sim.Port = iota
	placePayload
	placeAcks
)

// makeReadPlace makes what a requester tells read_place: READs and atomics that go out, what is said of their
// responses, verdicts; payload; and what memory answers, which stands before the writes that it is for, as in rx-dma.
func makeReadPlace(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, placeLength, func(r *Rand, e *Episode) {
		const per = 1 << 20
		h := placeHost{g: g, r: r, e: e, slow: float64(g.pace.Cycles(per)) / per,
			late: [...]int{0, 6, 12, 60, 300, 900}[r.Below(6)], jitter: [...]int{1, 8, 40, 400}[r.Below(4)],
			errors: [...]int{0, 0, 60, 12, 3}[r.Below(5)], gap: [...]int{1, 1, 1, 4, 30}[r.Below(5)],
			small: r.OneIn(3), writes: int(e.Number) * placeWrites % hca.DMATags,
			ahead: e.Number%dmaAheadEvery >= dmaAheadFrom}
		through := g.pace.Cycles(g.pace.Beats(placeBytes, placeLength)) + placeSettling
		if h.start = uint64(g.pace.Words) + 64 + e.Number*through; dmaIsFull(e.Number) {
			h.start -= e.Number % dmaTurnEpisodes * through
			h.until, h.small, h.gap = dmaFullUntil(g.pace, h.start), true, 1
		}
		h.now = float64(h.start)
		for n := 1 + r.Below(4); n > 0; n-- {
			h.qps = append(h.qps, placeQP{qpn: uint32(n - 1), closed: true})
		}
		switch h.left = placeWrites; {
		case e.Number == 0:
			h.uncleared(&h.qps[0])
		case h.until > 0:
			h.full(e.Number%dmaTurnEpisodes == 0)
		}
		for e.Len() < placeLength {
			h.group()
		}
	})
}

// placeHost is a requester with some QPs, and the memory of its device.
type placeHost struct {
	g   *Generator
	r   *Rand
	e   *Episode
	qps []placeQP

	slow                      float64 // clocks for what a device that nothing holds back does in one
	late, jitter, errors, gap int
	small                     bool // no frame is long

	now    float64 // the clock in which the next record will begin, if all goes as it should
	writes int     // so far, modulo the numbers that there are
	left   int     // of the episode
	bytes  int     // of frames so far
	deeps  int     // how often a list was filled to its end
	burst  int     // records that are sent beyond what any device keeps
	tight  bool    // what is left has room for writes only
	ahead  bool    // memory acknowledges whatever will come, turns of tags before it does
	start  uint64  // clock: nothing is offered before it that could wait for what has a time
	until  uint64  // memory acknowledges nothing before this clock, and nothing but writes is under way; 0: as ever

	planned []placeMove // what comes next, one behind the other
}

// placeQP is a QP that every device has.
type placeQP struct {
	qpn    uint32
	closed bool // nothing is taken until a clear
	pmtu   uint8
	next   psn.PSN // the first PSN of what goes out next
	list   []placeWQE
}

// placeWQE is a READ or atomic that is outstanding.
type placeWQE struct {
	kind    hca.PlaceKind
	first   psn.PSN
	due     int32 // responses that were taken
	count   int32
	address uint64
}

// placeMove is a record with its frame.
type placeMove struct {
	rec    hca.PlaceRecord
	writes uint16 // bytes of its write
	why    string
}

// cases is how many cases a move takes: itself, its frame, its acknowledgement.
func (m *placeMove) cases() int { return 1 + bitOf(m.rec.Bytes > 0) + bitOf(m.writes > 0) }

func bitOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// placeDue is a case of a group, and its time.
type placeDue struct {
	port  sim.Port
	at    uint64
	bytes []byte
	why   string
}

// group adds some records, before them the acknowledgements of all their writes, in the order of their times.
func (h *placeHost) group() {
	room := placeLength - h.e.Len()
	most := placeGroup
	if h.e.Len() == 0 { // few cases do something too
		most = 4
	}
	var movesRoom [2 * placeGroup]placeDue // that they need no other memory
	var dueRoom [placeGroup]placeDue
	moves, due := movesRoom[:0], dueRoom[:0]
	h.e.scratch = h.e.scratch[:0]
	for n := 1 + h.r.Below(most); n > 0 && room > 0; n-- {
		m := h.step(room)
		if m.writes > 0 {
			due = append(due, h.acknowledge(m.writes))
		}
		moves = h.time(moves, &m)
		room -= m.cases()
	}
	slices.SortStableFunc(due, func(a, b placeDue) int { return cmp.Compare(a.at, b.at) })
	for _, list := range [][]placeDue{due, moves} {
		for i := range list {
			h.e.Add(list[i].port, list[i].at, list[i].bytes, list[i].why)
		}
	}
}

// step draws a record. What is left of the episode must have room for the writes that are left, each with its READ.
func (h *placeHost) step(room int) placeMove {
	r := h.r
	spare := room - 4*h.left
	q := &h.qps[r.Below(len(h.qps))]
	if h.burst > 0 {
		h.burst--
		return h.beyond(&h.qps[0])
	}
	if len(h.planned) > 0 {
		m := h.planned[0]
		h.planned = h.planned[1:]
		return m
	}
	if h.until > 0 {
		return h.writesOnly(&h.qps[0], room)
	}
	if h.tight = h.left == 0 || spare < placeMargin; h.left > 0 && h.tight {
		return h.hurry()
	}
	switch kind := r.Below(20); {
	case q.closed && r.OneIn(3):
		return h.clear(q)
	case kind < 9 && !q.closed && len(q.list) > 0:
		return h.respond(q)
	case kind < 13 && !q.closed && len(q.list) < placeReads:
		return h.send(q, [...]hca.PlaceKind{0, 0, 0, 0, 1, 1, 1, 1, hca.PlaceKind(r.Between(2, 3))}[r.Below(9)])
	case kind < 16 && room > 1:
		return h.stray(q)
	case kind == 16 && room > 1:
		return h.nobody()
	case kind == 17 && r.OneIn(8):
		return h.clear(q)
	case kind == 18 && r.OneIn(4) && spare > 4*placeMargin && !h.qps[0].closed:
		if h.left > 0 && r.OneIn(2) {
			return h.deep(&h.qps[0])
		}
		h.burst = 36 // a count of five bits turns over
		return h.clear(&h.qps[0])
	default:
		return h.verdict(q)
	}
}

// hurry brings the next write near, or is it.
func (h *placeHost) hurry() placeMove {
	for i := range h.qps {
		if q := &h.qps[i]; !q.closed && len(q.list) > 0 && q.list[0].kind <= hca.PlaceAtomic {
			return h.respond(q)
		}
	}
	q := &h.qps[0]
	if q.closed || len(q.list) > 0 {
		return h.clear(q)
	}
	return h.send(q, hca.PlaceKind(h.r.Below(2)))
}

// uncleared plans an atomic and its answer for a QP as a reset leaves it: its list is empty without a clear. What a
// PMTU is there is not said, so nothing comes that would look at one.
func (h *placeHost) uncleared(q *placeQP) {
	sent := h.send(q, hca.PlaceAtomic)
	h.tight = true // it is its value that is told
	h.planned = append(h.planned, sent, h.respond(q))
	h.tight = false
	q.closed, q.list = true, nil
}

func (h *placeHost) clear(q *placeQP) placeMove {
	r := h.r
	*q = placeQP{qpn: q.qpn, pmtu: [...]uint8{1, 1, 1, 2, 2, 3, 4, 5}[r.Below(8)], next: drawPSN(r)}
	return placeMove{rec: hca.PlaceRecord{Op: hca.PlaceClear, QPN: q.qpn, PSN: q.next, PMTU: q.pmtu,
		Progress: r.OneIn(2), Fail: r.OneIn(2), Status: uint8(r.Below(16))}, why: "clear"}
}

// noise fills what an operation does not look at.
func (h *placeHost) noise(p hca.PlaceRecord) hca.PlaceRecord {
	r := h.r
	p.PMTU, p.Progress, p.Fail, p.Status = uint8(r.Below(8)), r.OneIn(2), r.OneIn(2), uint8(r.Below(16))
	if p.Op == hca.PlaceTold {
		p.Kind, p.Address = hca.PlaceKind(r.Below(4)), r.Uint64()
	} else {
		p.Value, p.Data, p.Ended = r.Uint64(), r.OneIn(2), r.OneIn(2)
	}
	return p
}

// send has a WQE go out for the first time: a READ of a few packets, or one of which only the end is seen.
func (h *placeHost) send(q *placeQP, kind hca.PlaceKind) placeMove {
	r := h.r
	w := placeWQE{kind: kind, first: q.next, count: 1, address: r.Uint64()}
	if kind == hca.PlaceRead {
		w.count = int32(1 + r.Below(6))
		if r.OneIn(8) {
			w.due = int32(r.Below(1 << r.Between(1, 23)))
			w.count = min(w.count+w.due, 1<<23)
			w.due = min(w.due, w.count-1)
		}
	}
	switch beat := uint64(8) << r.Below(5); {
	case r.OneIn(6):
		w.address &^= beat - 1
	case r.OneIn(16):
		w.address = -uint64(r.Between(1, 3000))
	}
	q.next = q.next.Add(w.count)
	q.list = append(q.list, w)
	return placeMove{rec: h.noise(hca.PlaceRecord{Op: hca.PlaceSent, QPN: q.qpn, PSN: w.first, Kind: kind,
		Address: w.address}), why: placeSent[min(kind, hca.PlaceNothing)]}
}

// placeSent says what went out, by its kind.
var placeSent = [...]string{"sent: READ", "sent: atomic", "sent: brings nothing"}

// beyond fills a list above all that a device keeps: what was sent first is not changed by it. Only that is answered.
func (h *placeHost) beyond(q *placeQP) placeMove {
	if len(q.list) == 0 {
		return h.send(q, hca.PlaceRead)
	}
	if h.burst > 0 {
		was := len(q.list)
		m := h.send(q, hca.PlaceKind(h.r.Below(3)))
		q.list, m.why = q.list[:was], "sent: more than there is room for"
		return m
	}
	if h.left > 0 {
		m := h.respond(q)
		q.closed, q.list = true, nil
		return m
	}
	return h.clear(q)
}

// respond has the response come that is due.
func (h *placeHost) respond(q *placeQP) placeMove {
	r := h.r
	w := &q.list[0]
	p := hca.PlaceRecord{Op: hca.PlaceTold, QPN: q.qpn, PSN: w.first.Add(w.due), Data: true, Value: r.Uint64()}
	w.due++
	p.Ended = w.due == w.count
	m := placeMove{why: "told: data"}
	switch w.kind {
	case hca.PlaceRead:
		if p.Bytes = h.length(w, q.pmtu, p.Ended); h.left == 0 {
			p.Bytes = 0
		}
		m.writes = p.Bytes
	case hca.PlaceAtomic:
		m.writes, m.why = 8, "told: value"
		if h.left == 0 {
			m.writes, p.Data, p.Ended, m.why = 0, false, r.OneIn(2), "told: value, not taken"
			w.due--
		}
	default:
		m.why = "told: nothing to place"
	}
	if w.kind != hca.PlaceRead && !h.tight && r.OneIn(8) { // a payload that it cannot have
		p.Bytes, m.writes, m.why = h.length(w, 1, true), 0, "told: a payload where there is none"
	}
	if p.Ended && p.Data {
		q.list = append(q.list[:0], q.list[1:]...)
	}
	if m.writes > 0 {
		h.left--
	}
	m.rec = h.noise(p)
	return m
}

// length draws how many bytes a response has: a packet's, or some.
func (h *placeHost) length(w *placeWQE, pmtu uint8, last bool) uint16 {
	r := h.r
	whole := 128 << pmtu
	n := r.Between(1, whole)
	switch {
	case h.small || h.bytes > placeBytes-4096 || r.OneIn(4):
		n = r.Between(1, min(whole, 1+r.Below(130)))
	case !last && (pmtu <= 2 || r.OneIn(4)), r.OneIn(24):
		n = whole
	case r.OneIn(3): // ends about the end of a beat
		beat := 8 << r.Below(5)
		n = r.Between(1, 2)*beat - int(w.address%uint64(beat)) + r.Below(3) - 1
	case pmtu > 2:
		n = r.Between(1, 512)
	}
	n = max(1, min(n, whole))
	h.bytes += n
	return uint16(n)
}

// stray is a response that is not taken: it comes again, lies behind a gap, is a ghost, or its QP is closed.
func (h *placeHost) stray(q *placeQP) placeMove {
	r := h.r
	p := hca.PlaceRecord{Op: hca.PlaceTold, QPN: q.qpn, PSN: drawPSN(r), Value: r.Uint64(), Ended: r.OneIn(2)}
	if len(q.list) > 0 {
		p.PSN = q.list[0].first.Add(q.list[0].due + int32(r.Below(5)) - 2)
	}
	m := placeMove{why: "told: not taken"}
	if r.OneIn(4) {
		m.why = "told: value, not taken"
	} else {
		p.Bytes = h.length(&placeWQE{}, max(1, q.pmtu), r.OneIn(2))
	}
	m.rec = h.noise(p)
	return m
}

// nobody is a record of a number that is no QP, or has no READ at any device: nothing of it is written.
func (h *placeHost) nobody() placeMove {
	r := h.r
	p := hca.PlaceRecord{Op: hca.PlaceOp(r.Below(4)), PSN: drawPSN(r), Value: r.Uint64(), Address: r.Uint64(),
		QPN: uint32(r.Below(4)) | 1<<r.Between(2, 23)}
	if p.Op == hca.PlaceSent && p.QPN < 1<<16 {
		p.Op = hca.PlaceTold
	}
	p = h.noise(p)
	m := placeMove{why: "no such QP, or no READ"}
	if p.Op == hca.PlaceTold {
		p.Data = !r.OneIn(4)
		p.Ended = r.OneIn(2)
		if r.OneIn(3) {
			p.Bytes = h.length(&placeWQE{}, 1, true)
		}
	}
	m.rec = p
	return m
}

// verdict says how far all was acknowledged, or that the QP fails: then nothing is taken until it is cleared.
func (h *placeHost) verdict(q *placeQP) placeMove {
	r := h.r
	p := hca.PlaceRecord{Op: hca.PlaceVerdict, QPN: q.qpn, PSN: q.next}
	if len(q.list) > 0 {
		p.PSN = q.list[0].first.Add(q.list[0].due)
	}
	fails := r.OneIn(12)
	p = h.noise(p)
	if p.Fail = fails; !fails {
		p.Status = 0
	}
	m := placeMove{rec: p, why: "verdict"}
	if fails {
		q.closed, q.list, m.why = true, nil, "verdict: fails"
	}
	return m
}

// acknowledge is the answer to the next write, which begins now.
func (h *placeHost) acknowledge(bytes uint16) placeDue {
	r := h.r
	beats := float64(h.g.pace.Beats(int(bytes), 1))
	a := hca.DMAAck{Tag: uint8(h.writes), Error: h.errors > 0 && r.OneIn(h.errors)}
	d := placeDue{port: placeAcks, why: "acknowledged",
		at: uint64(h.now + (beats+float64(r.Below(h.late+1)+r.Below(h.jitter)))*h.slow)}
	if a.Error {
		d.why = "acknowledged: error"
	}
	h.writes++
	if r.OneIn(20) { // long behind the others
		d.at += uint64(r.Below(400))
	}
	if h.ahead {
		d.at = h.until
	}
	from := len(h.e.scratch)
	h.e.scratch = a.Append(h.e.scratch)
	d.bytes = h.e.scratch[from:]
	return d
}

// time gives a record and its frame their times.
func (h *placeHost) time(to []placeDue, m *placeMove) []placeDue {
	at, frameAt := uint64(h.now), uint64(h.now)
	switch h.r.Below(8) {
	case 0:
		at += uint64(h.r.Below(30))
	case 1:
		frameAt += uint64(h.r.Below(30))
	case 2, 3: // as soon as those before it are through
		at, frameAt = h.start, h.start
	}
	from := len(h.e.scratch)
	h.e.scratch = m.rec.Append(h.e.scratch)
	to = append(to, placeDue{port: placeRecords, at: at, bytes: h.e.scratch[from:], why: m.why})
	n := int(max(m.rec.Bytes, m.writes))
	if m.rec.Bytes > 0 {
		to = append(to, placeDue{port: placePayload, at: frameAt, bytes: h.g.payload(h.r, n), why: "payload"})
	}
	beats := max(1, h.g.pace.Beats(n, 1)*min(1, n))
	h.now += float64(beats+h.r.Below(h.gap)) * h.slow
	return to
}
