package endpoint

import (
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
)

// Next appends the frame that leaves next to dst; false where nothing may. Queue pairs take turns, a frame each, and so
// do responses and requests of a queue pair: a READ that is answered holds up no request for more than a frame. CNPs
// go first.
func (e *Endpoint) Next(nowNs uint64, dst []byte) ([]byte, bool) {
	if frame, ok := e.nextNotice(dst); ok {
		e.count.Sent++
		return frame, true
	}
	for len(e.ready) > 0 {
		q := e.ready[0]
		e.ready = e.ready[1:]
		q.queued = false
		frame, ok := e.nextOf(nowNs, q, dst)
		if ok {
			e.wake(q)
			e.count.Sent++
			return frame, true
		}
	}
	return dst, false
}

// nextOf appends the next frame of one queue pair.
func (e *Endpoint) nextOf(nowNs uint64, q *queuePair, dst []byte) (frame []byte, ok bool) {
	asked := q.asks
	for range 2 {
		if asked {
			frame, ok = e.nextRequest(nowNs, q, dst)
		} else {
			frame, ok = e.nextResponse(nowNs, q, dst)
		}
		if asked = !asked; ok {
			q.asks = asked
			return frame, true
		}
	}
	return dst, false
}

func (e *Endpoint) nextResponse(nowNs uint64, q *queuePair, dst []byte) ([]byte, bool) {
	if !q.resp.Owes() {
		return dst, false
	}
	q.resp.Drained()
	if !q.resp.Next(e.empty()) {
		return dst, false
	}
	return e.leave(nowNs, q, dst, true)
}

func (e *Endpoint) nextRequest(nowNs uint64, q *queuePair, dst []byte) ([]byte, bool) {
	for q.req.Next(e.empty()) { // local work sends nothing
		if frame, ok := e.leave(nowNs, q, dst, false); ok {
			return frame, true
		}
	}
	return dst, false
}

// leave does what a machine asked for with its next packet, and appends that as a frame.
func (e *Endpoint) leave(nowNs uint64, q *queuePair, dst []byte, response bool) (frame []byte, ok bool) {
	for i := range e.out {
		switch x := &e.out[i]; x.Kind {
		case roce.SendRequest:
			s := q.request()
			dst, ok = e.build(dst, &s, x, q.sends[x.ID]), true
		case roce.SendResponse:
			s := q.reply
			s.SrcPort, s.HopLimit, s.TClass = q.SrcPort, q.HopLimit, s.TClass&^ecnBits
			dst, ok = e.build(dst, &s, x, nil), true
		}
	}
	e.act(nowNs, q, nil, response)
	return dst, ok
}

// request is how a request of the queue pair is addressed.
func (q *queuePair) request() wire.Spec {
	return wire.Spec{Encap: Encapsulation(q.PeerAddress), DstMAC: q.PeerMAC, Dst: q.PeerAddress, DestQP: q.PeerNumber,
		SrcPort: q.SrcPort, HopLimit: q.HopLimit}
}

// AppendRequest appends a request of a queue pair as a frame; it is for who has requesters of its own.
func (e *Endpoint) AppendRequest(dst []byte, qpn uint32, p *roce.Packet, payload []byte) []byte {
	s := e.byNumber[qpn].request()
	return e.put(dst, &s, p, payload)
}

// Encapsulation is that of packets to an address: RoCEv2 over IPv4 or IPv6.
func Encapsulation(to wire.GID) wire.Encap {
	if roce.Address(to).IsIPv4() {
		return wire.EncapRoCEv2IPv4
	}
	return wire.EncapRoCEv2IPv6
}

// build appends a packet as a frame. A request has its payload in the message, a response in memory.
func (e *Endpoint) build(dst []byte, s *wire.Spec, x *roce.Effect, message []byte) []byte {
	return e.put(dst, s, &x.Packet, piece(e, x, message))
}

// put appends a packet with its payload as a frame.
func (e *Endpoint) put(dst []byte, s *wire.Spec, p *roce.Packet, payload []byte) []byte {
	e.address(s)
	onwire.Put(p, s)
	return s.Append(dst, payload)
}

// piece is the payload of a packet that leaves.
func piece(e *Endpoint, x *roce.Effect, message []byte) []byte {
	switch {
	case x.Len == 0:
		return nil
	case x.Kind == roce.SendResponse:
		return e.At(x.VA, x.Len)
	case uint64(x.Off)+uint64(x.Len) <= uint64(len(message)):
		return message[x.Off : x.Off+x.Len]
	}
	return make([]byte, x.Len) // posted without its bytes
}
