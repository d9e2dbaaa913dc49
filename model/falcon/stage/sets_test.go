package stage

import (
	"math/rand/v2"

	"hcacosim/model/falcon"
)

// setsModel is falcon_window for the one connection 5, written from its document with sets of PSNs: a second opinion.
type setsModel struct {
	rx, tx setsHalf
}

// setsHalf is a half of a connection. Sets hold PSNs, not places.
type setsHalf struct {
	open      bool
	base      [2]uint32
	next      [2]uint32 // transmitter
	size      [2]uint32
	got, ack  [2]map[uint32]bool
	own       [2]bool
	threshold int
	profile   WindowProfile
}

func (h *setsHalf) begin(q WindowQuery) WindowWhy {
	if h.open {
		return WindowIsOpen
	}
	if q.RequestSize == 0 || q.RequestSize > 64 || q.DataSize == 0 || q.DataSize > 128 {
		return WindowIllegal
	}
	*h = setsHalf{open: true, base: [2]uint32{uint32(q.A), uint32(q.B)}, next: [2]uint32{uint32(q.A), uint32(q.B)},
		size: [2]uint32{uint32(q.RequestSize), uint32(q.DataSize)}, threshold: int(q.Threshold), profile: q.Profile}
	for w := range 2 {
		h.got[w], h.ack[w] = map[uint32]bool{}, map[uint32]bool{}
	}
	return WindowGood
}

// bitmap is a set as seen from a base.
func bitmapOf(set map[uint32]bool, base uint32) (b falcon.Bitmap) {
	for p := range set {
		if d := p - base; d < 128 {
			b.Set(d)
		}
	}
	return b
}

// move lets a receiver's base go over what is acknowledged.
func (h *setsHalf) move(w int) {
	over := h.ack[w]
	if h.profile&BaseOverReceived != 0 {
		over = h.got[w]
	}
	for over[h.base[w]] {
		delete(h.ack[w], h.base[w])
		delete(h.got[w], h.base[w])
		h.base[w]++
	}
}

func (h *setsHalf) packet(q WindowQuery) WindowWhy {
	w, p := int(q.Select), uint32(q.A)
	d := p - h.base[w]
	switch {
	case int32(d) < 0:
		return WindowOld
	case d >= h.size[w]:
		if d != h.size[w] || h.profile&WindowInclusive == 0 {
			h.own[w] = true
		}
		return WindowBeyond
	case h.ack[w][p], h.profile&DuplicateByRx != 0 && !q.Resync && h.got[w][p]:
		return WindowDuplicate
	case q.Refuse:
		return WindowRefused
	}
	why := WindowGood
	if h.got[w][p] {
		why = WindowAgain
	}
	h.got[w][p] = true
	if w == 0 || !q.Deferred {
		h.ack[w][p] = true
	}
	h.move(w)
	return why
}

func (h *setsHalf) take(r *WindowResult) {
	hole := len(h.got[1]) > 0
	for p := h.base[1]; h.got[1][p]; p++ {
		if int(p-h.base[1]) == len(h.got[1])-1 {
			hole = false
		}
	}
	if h.profile&EACKOnAnyRx != 0 {
		hole = len(h.got[1]) > 0
	}
	if !hole && len(h.ack[0])+len(h.ack[1]) == 0 && !h.own[0] && !h.own[1] {
		return
	}
	r.EACK = true
	r.RequestBits, r.DataBits, r.MoreData = bitmapOf(h.ack[0], h.base[0]).Lo, bitmapOf(h.ack[1], h.base[1]),
		bitmapOf(h.got[1], h.base[1])
	r.RequestOWN, r.DataOWN = h.own[0], h.own[1]
	h.own = [2]bool{}
}

func (h *setsHalf) acked(q WindowQuery, r *WindowResult) WindowWhy {
	to := [2]uint32{uint32(q.A), uint32(q.B)}
	for w := range 2 {
		if int32(to[w]-h.base[w]) < 0 {
			return WindowStale
		}
	}
	for w := range 2 {
		if int32(h.next[w]-to[w]) < 0 {
			return WindowGhost
		}
	}
	acks := [2]falcon.Bitmap{{Lo: q.Request}, q.DataAck}
	names := [2]falcon.Bitmap{{Lo: q.Request}, q.DataRx}
	own := [2]bool{q.RequestOWN, q.DataOWN}
	var freed, missing [2]falcon.Bitmap
	for w := range 2 {
		old := h.base[w]
		high := -1000
		for n := range 128 {
			if names[w].Has(uint32(n)) {
				high = n
			}
		}
		limit := high - h.threshold
		if h.profile&DistanceInclusive != 0 {
			limit++
		}
		for p := old; p != h.next[w]; p++ {
			d := p - to[w]
			before := p-old < to[w]-old
			said := q.Op == WindowEACK && !before && acks[w].Has(d) && h.profile&AckBitmapIntoRx == 0
			if (before || said) && !h.ack[w][p] {
				freed[w].Set(p - old)
				h.ack[w][p] = true
			}
			if q.Op == WindowEACK && !before && !h.ack[w][p] && !names[w].Has(d) && (own[w] || int(d) < limit) {
				missing[w].Set(d)
			}
		}
		for p := old; p != to[w]; p++ {
			delete(h.ack[w], p)
		}
		h.base[w] = to[w]
	}
	r.RequestBits, r.DataBits, r.MoreRequest, r.MoreData = missing[0].Lo, missing[1], freed[0].Lo, freed[1]
	return WindowGood
}

// answer is what the document says of a record.
func (s *setsModel) answer(q WindowQuery) (r WindowResult) {
	r.Conn, r.Op = q.Conn, q.Op
	h := &s.rx
	if q.Op == WindowSet && q.Select == 1 || q.Op > WindowTake && q.Op < WindowSet {
		h = &s.tx
	}
	was := h.base
	switch {
	case q.Op == WindowReset:
		*s = setsModel{}
		r.Idle = true
		return r
	case q.Op == WindowSet:
		if r.Why = h.begin(q); r.Why == WindowGood {
			was = h.base
		}
	case !h.open:
		r.Why = WindowNoConn
		return r
	default:
		s.operate(q, h, &r)
	}
	r.RequestBase, r.DataBase = falcon.PSN(h.base[0]), falcon.PSN(h.base[1])
	r.RequestMoved, r.DataMoved = uint8(h.base[0]-was[0]), uint8(h.base[1]-was[1])
	r.Idle = !h.own[0] && !h.own[1] && len(h.got[0])+len(h.got[1])+len(h.ack[0])+len(h.ack[1]) == 0
	if h == &s.tx {
		r.Idle = int(h.next[0]-h.base[0]) == len(h.ack[0]) && int(h.next[1]-h.base[1]) == len(h.ack[1])
	}
	return r
}

func (s *setsModel) operate(q WindowQuery, h *setsHalf, r *WindowResult) {
	switch q.Op {
	case WindowPacket:
		r.PSN = q.A
		r.Why = h.packet(q)
	case WindowAcknowledge:
		r.PSN = q.A
		w, p := q.Select, uint32(q.A)
		if r.Why = WindowNotWaited; h.got[w][p] && !h.ack[w][p] {
			r.Why = WindowGood
			h.ack[w][p] = true
			h.move(int(w))
		}
	case WindowTake:
		h.take(r)
	case WindowSend:
		if h.next[q.Select]-h.base[q.Select] == h.size[q.Select] {
			r.Why = WindowFull
			return
		}
		r.PSN = falcon.PSN(h.next[q.Select])
		h.next[q.Select]++
	default:
		r.Why = h.acked(q, r)
	}
}

// random is a record that is mostly near the windows.
func (s *setsModel) random(rnd *rand.Rand) (q WindowQuery) {
	q.Conn, q.Op, q.Select = 5, WindowOp(rnd.IntN(6)), uint8(rnd.IntN(2))
	if n := rnd.IntN(200); n < 6 || !s.rx.open || !s.tx.open {
		q.Op = WindowSet
		q.A, q.B = falcon.PSN(rnd.IntN(300))-150, falcon.PSN(rnd.IntN(300))-150
		q.RequestSize, q.DataSize = uint8(rnd.IntN(66)), uint8(rnd.IntN(130))
		q.Threshold, q.Profile = uint8(rnd.IntN(8)), WindowProfile(rnd.IntN(64))
		if n == 0 {
			q.Op = WindowReset
		}
		return q
	}
	q.Deferred, q.Resync, q.Refuse = rnd.IntN(2) == 0, rnd.IntN(8) == 0, rnd.IntN(8) == 0
	near := func(base, size uint32) falcon.PSN {
		switch rnd.IntN(8) {
		case 0:
			return falcon.PSN(base + size + uint32(rnd.IntN(5)) - 2)
		case 1:
			return falcon.PSN(base - uint32(rnd.IntN(3)))
		case 2:
			return falcon.PSN(base + uint32(rnd.IntN(int(size))))
		default:
			return falcon.PSN(base + uint32(rnd.IntN(min(int(size), 6))))
		}
	}
	q.A = near(s.rx.base[q.Select], s.rx.size[q.Select])
	if q.Op == WindowBACK || q.Op == WindowEACK {
		between := func(w int) falcon.PSN {
			d := uint32(rnd.IntN(int(s.tx.next[w]-s.tx.base[w]+1))) >> rnd.IntN(4)
			if rnd.IntN(12) == 0 {
				return falcon.PSN(s.tx.base[w] + uint32(rnd.IntN(300)) - 150)
			}
			return falcon.PSN(s.tx.base[w] + d)
		}
		q.A, q.B = between(0), between(1)
		q.RequestOWN, q.DataOWN = rnd.IntN(8) == 0, rnd.IntN(8) == 0
		half := func() uint64 { return (rnd.Uint64() | rnd.Uint64()) & rnd.Uint64() >> rnd.IntN(64) }
		q.Request, q.DataAck = half(), falcon.Bitmap{Lo: half(), Hi: half()}
		q.DataRx = q.DataAck.Or(falcon.Bitmap{Lo: half(), Hi: half()})
	}
	return q
}
