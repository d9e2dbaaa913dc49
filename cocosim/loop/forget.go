package loop

import (
	"bytes"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// insideAfter is how many packets inside messages a queue pair lets by before it is forgotten.
const insideAfter = 20

// filler is what a peer that has forgotten sends. Nothing that a host sends has it, so wherever it stands it was
// executed.
var filler = bytes.Repeat([]byte{0xEE}, 64)

// isInside reports whether a message goes on behind this packet.
func isInside(w *wire.Packet) bool {
	if w.Op == nil || w.Op.Response {
		return false
	}
	switch w.Op.Operation {
	case ib.SendFirst, ib.SendMiddle, ib.WriteFirst, ib.WriteMiddle:
		return true
	}
	return false
}

// turn reports whether now is when a queue pair is forgotten: once, inside a message, behind some others. inOrder: its
// machine has come as far as this packet.
func (r *rogue) turn(qpn uint32, inOrder bool) bool {
	if !inOrder || r.begun[qpn] {
		return false
	}
	r.middle[qpn]++
	return r.middle[qpn] > insideAfter
}

// forgets makes a peer that begins a queue pair anew: by PSNs further on, where it began first if that is 0.
func forgets(by int32) func(*rogue, *wire.Packet) {
	return func(r *rogue, w *wire.Packet) {
		if !isInside(w) {
			return
		}
		qpn := w.BTH().DestQP()
		at := r.peer.Standing(qpn)
		req, resp := r.peer.Configs(qpn)
		known := at.Una.Diff(req.StartPSN) >= fillPSNs // else what it sends anew would be what A expects
		if !r.turn(qpn, known && at.Expected == w.BTH().PSN().Add(1)) {
			return
		}
		if by != 0 {
			req.StartPSN, resp.StartPSN = at.High.Add(by), at.Expected.Add(by)
		}
		r.peer.Forget(qpn, &req, &resp)
		r.fill(qpn)
	}
}

// forgetsMessage forgets the responder. It waits until nothing is owed: what was answered stays answered.
func forgetsMessage(r *rogue, w *wire.Packet) {
	if !isInside(w) {
		return
	}
	qpn := w.BTH().DestQP()
	at := r.peer.Standing(qpn)
	if at.Owes || !r.turn(qpn, at.Expected == w.BTH().PSN().Add(1)) {
		return
	}
	_, resp := r.peer.Configs(qpn)
	resp.StartPSN, r.begun[qpn] = at.Expected, true
	r.peer.Forget(qpn, nil, &resp)
}

// forgetsOwn forgets the requester behind a packet of a message that goes on.
func forgetsOwn(r *rogue, w *wire.Packet) []byte {
	if !isInside(w) {
		return w.Frame
	}
	qpn, next := w.BTH().DestQP(), w.BTH().PSN().Add(1) // both ends number their queue pairs alike
	if r.turn(qpn, r.peer.Standing(qpn).High == next) {
		req, _ := r.peer.Configs(qpn)
		req.StartPSN = next
		frame := bytes.Clone(w.Frame)
		r.peer.Forget(qpn, &req, nil)
		r.fill(qpn)
		return frame
	}
	return w.Frame
}

const (
	fillMessages = 4
	fillPackets  = 3 // of each
	fillPSNs     = fillMessages * fillPackets
)

// fill posts what a peer sends that knows of nothing before: WRITEs and SENDs.
func (r *rogue) fill(qpn uint32) {
	r.begun[qpn] = true
	k := qpn - firstQP
	for i := range uint64(fillMessages) {
		w := roce.Work{ID: i, Verb: roce.Write, Signaled: true, Len: fillPackets * r.pmtu, VA: baseVA + uint64(k)*0x100000,
			RKey: keyOf(int(k))}
		if i&1 != 0 {
			w.Verb = roce.Send
		}
		r.peer.Post(r.nowNs, qpn, w, bytes.Repeat([]byte{filler[0]}, int(w.Len)))
	}
}

// starts are the start PSNs of both ends of each connection.
type starts func(end, k int) psn.PSN

// earlier is how many PSNs each connection's streams take, by end.
func (p *Pair) psns(end, k int) int32 {
	s := p.stream(uint64(2*k+end), baseVA, baseKey)
	for !s.over() {
		s.next()
	}
	return int32(s.psns)
}

// aheadOfWindow begins an earlier connection such that the later one has the start PSN that PSN-6 asks for.
func aheadOfWindow(p *Pair) starts {
	high := psn.New(0)
	ahead := roce.SafeStart(high, roce.WidthOf(psn.Bits)).Diff(high)
	return func(end, k int) psn.PSN { return startPSN(end, k).Add(-ahead - p.psns(end, k)) }
}

// behindWindow begins an earlier connection such that the later one goes on where it ended.
func behindWindow(p *Pair) starts {
	return func(end, k int) psn.PSN { return startPSN(end, k).Add(-p.psns(end, k)) }
}
