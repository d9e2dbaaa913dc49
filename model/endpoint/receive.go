package endpoint

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
)

// Receive takes an Ethernet frame that came at nowNs.
func (e *Endpoint) Receive(nowNs uint64, frame []byte) {
	var p roce.Packet
	q := e.admit(nowNs, frame, &p)
	switch {
	case q == nil:
		return
	case e.frame.Op.Response:
		q.req.Step(&p, e.empty())
	default:
		q.reply = onwire.Reply(&e.frame, q.PeerNumber)
		q.resp.Step(&p, e.empty())
	}
	e.act(nowNs, q, e.frame.Payload, !e.frame.Op.Response)
	e.wake(q)
}

// Admit does with a frame what Receive does before a queue pair's machine takes it: it counts it, gives a CNP for it,
// and lets it fall or reads it into p. Payload holds until the next frame. It is for who has requesters of its own.
func (e *Endpoint) Admit(nowNs uint64, frame []byte, p *roce.Packet) (qpn uint32, payload []byte, ok bool) {
	q := e.admit(nowNs, frame, p)
	if q == nil {
		return 0, nil, false
	}
	return q.Number, e.frame.Payload, true
}

// admit reads a frame that is for a queue pair; nil of one that falls, and of a CNP.
func (e *Endpoint) admit(nowNs uint64, frame []byte, p *roce.Packet) *queuePair {
	e.count.Received++
	w := &e.frame
	wire.Decode(wire.LinkEthernet, frame, w)
	if !e.reaches(w) {
		e.count.Dropped["MAC"]++
		return nil
	}
	bth := w.BTH()
	if bth == nil {
		e.count.Dropped[""]++
		return nil
	}
	q := e.byNumber[bth.DestQP()]
	head := heading(w)
	var place *roce.Destination
	if q != nil {
		place = q.destination()
	}
	cnp := head.TakeCNP(place)
	if why := e.port.Admit(place, &head); why != "" {
		e.count.Dropped[why]++
		return nil
	}
	e.notice(nowNs, q)
	if cnp {
		e.count.CNPs++
		return nil
	}
	if !onwire.Take(w, p) {
		e.count.Dropped["ADM-2"]++
		return nil
	}
	return q
}

// reaches reports whether a frame is for this port by its MAC: its own, or a group's.
func (e *Endpoint) reaches(w *wire.Packet) bool {
	eth := w.Ethernet()
	return eth != nil && (eth.Dst()[0]&1 != 0 || [6]byte(eth.Dst()) == e.cfg.MAC)
}

// destination is what admission asks of the queue pair.
func (q *queuePair) destination() *roce.Destination {
	return &roce.Destination{Number: q.Number, Service: q.Responder.Service, State: max(q.req.State, q.resp.State),
		Peer: roce.Address(q.PeerAddress), Global: true, PKeyIndex: q.PKeyIndex}
}

// heading is what admission asks of a packet.
func heading(w *wire.Packet) (h roce.Heading) {
	bth := w.BTH()
	h = roce.Heading{TVer: bth.TVer(), Op: bth.Opcode(), DestQP: bth.DestQP(), PKey: bth.PKey(),
		ICRCGood: w.ICRC() == wire.ICRCGood}
	switch w.Bad.Reason {
	case wire.WellFormed, wire.PayloadLength, wire.Trailer, wire.Unaligned:
		h.WellFormed = true
	}
	switch {
	case w.IPv4() != nil && !w.IPv4().ChecksumGood(): // no address: ADM-1
	case w.IPv4() != nil:
		s, d := w.IPv4().Src(), w.IPv4().Dst()
		h.Src = roce.Address(wire.FromIPv4(s[0], s[1], s[2], s[3]))
		h.Dst = roce.Address(wire.FromIPv4(d[0], d[1], d[2], d[3]))
		h.Global = true
	case w.IPv6() != nil:
		h.Src, h.Dst, h.Global = roce.Address(w.IPv6().Src()), roce.Address(w.IPv6().Dst()), true
	case w.GRH() != nil:
		h.Src, h.Dst, h.Global = roce.Address(w.GRH().Src()), roce.Address(w.GRH().Dst()), true
	}
	return h
}

// act does what the machines of a queue pair asked for while a packet with this payload was taken. responder: they are
// the responder's wishes.
func (e *Endpoint) act(nowNs uint64, q *queuePair, payload []byte, responder bool) {
	for i := 0; i < len(e.out); i++ { // local work may add more
		switch x := &e.out[i]; x.Kind {
		case roce.Drop:
			e.count.Dropped[x.Why]++
		case roce.GoBack:
			e.count.Retries[x.Why]++
		case roce.WriteMemory:
			copy(e.At(x.VA, x.Len), payload)
		case roce.Deliver:
			put(q.recvs[x.ID], x.Off, payload[:min(int(x.Len), len(payload))])
		case roce.ReadReturned:
			put(q.sends[x.ID], x.Off, returned(x, payload))
		case roce.AtomicMemory:
			q.resp.Result(x.Slot, e.atomic(&x.Packet))
		case roce.BindWindow:
			q.req.Done(q.resp.Bind(roce.Region{RKey: x.Packet.RKey, VA: x.VA, Len: uint64(x.Len), Access: x.Access,
				Window: true}, x.LKey), &e.out)
		case roce.InvalidateKey:
			q.req.Done(q.resp.Unbind(x.Packet.RKey), &e.out)
		case roce.Arm:
			e.arm(q, x.Timer, nowNs+x.Ticks*ib.TickNs)
		case roce.Disarm:
			q.due[x.Timer] = 0
		case roce.Complete:
			e.complete(nowNs, q, x, responder)
		case roce.EnterError:
			e.enterError(nowNs, q, responder)
		}
	}
}

// returned is what a response brings home: a READ's payload, or what memory held before an atomic.
func returned(x *roce.Effect, payload []byte) []byte {
	if x.Packet.Op.Shape().Verb.Atomic() {
		return binary.LittleEndian.AppendUint64(nil, x.Packet.Original)
	}
	return payload[:min(int(x.Len), len(payload))]
}

// put copies a piece of a message into its buffer.
func put(buffer []byte, off uint32, piece []byte) {
	if int(off) < len(buffer) {
		copy(buffer[off:], piece)
	}
}

// atomic does an atomic on memory, which is little-endian (RSP-12), and returns what was there.
func (e *Endpoint) atomic(p *roce.Packet) (old uint64) {
	word := e.At(p.VA, 8)
	if word == nil {
		return 0
	}
	old = binary.LittleEndian.Uint64(word)
	binary.LittleEndian.PutUint64(word, p.AtomicValue(old))
	return old
}

func (e *Endpoint) complete(nowNs uint64, q *queuePair, x *roce.Effect, responder bool) {
	c := Completion{QPN: q.Number, Receive: responder, ID: x.ID, Status: x.Status, Len: x.Len, AtNs: nowNs}
	if info := ib.Lookup(x.Packet.Op); responder && info != nil && info.Headers.Has(ib.ImmDt) {
		c.HasImm, c.Imm = true, x.Packet.Imm
	}
	e.done = append(e.done, c)
	if responder {
		delete(q.recvs, x.ID)
	} else {
		delete(q.sends, x.ID)
	}
}

// Fail has a queue pair in error whose requester, which is not this package's, found one: so is its responder
// (RSP-15).
func (e *Endpoint) Fail(nowNs uint64, qpn uint32) { e.enterError(nowNs, e.byNumber[qpn], false) }

// Close has both halves of a queue pair in error because of a device's half, which found one (RSP-15).
func (e *Endpoint) Close(nowNs uint64, qpn uint32) {
	q := e.byNumber[qpn]
	e.enterError(nowNs, q, true)
	e.enterError(nowNs, q, false)
}

// enterError takes the other half of a queue pair along (RSP-15).
func (e *Endpoint) enterError(nowNs uint64, q *queuePair, responder bool) {
	var rest roce.Batch
	if responder {
		q.req.SetError(&rest)
	} else {
		q.resp.SetError(&rest)
	}
	for i := range rest {
		if rest[i].Kind == roce.Complete {
			e.complete(nowNs, q, &rest[i], !responder)
		}
	}
	q.due = [2]uint64{}
}
