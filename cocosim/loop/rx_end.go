package loop

import (
	"context"
	"math/rand/v2"
	"slices"

	"hcacosim/cocosim"
	"hcacosim/model/endpoint"
	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// ResponderBytes is the width of a device's data path.
const ResponderBytes = 64

// rxEnd is an adapter whose responder is a device with the ports of hca_rx, as RTL. Its requesters and its memory are
// the model's: responses go to both, and only the model takes them; requests go to the device alone. Part of a wholeEnd
// it has no requesters.
//
// The device's clock follows the loop's time in steps, so an answer may leave up to stepCycles late. Steps depend on
// what happens and on nothing else: the same arguments give the same frames.
type rxEnd struct {
	*endpoint.Endpoint
	*clocked
	mac       [6]byte
	memory    *rxMemory
	qps       map[uint32]*rxQueue
	frames    [][]byte
	done      []endpoint.Completion
	packet    wire.Packet
	responses func(nowNs uint64, frame []byte) // takes good ones: the model, if nobody else does
	broke     func(nowNs uint64, qpn uint32)   // has the requester of a QP in error: likewise
	software  *topSoftware                     // of hca_top: registers are written in place of operations
	inbox     inbox
}

// rxQueue is the receive queue of a QP.
type rxQueue struct {
	op      hca.HcaRxQP
	number  uint32    // of the QP, in the numbers of its WQEs
	waiting []receive // that the device has no room for yet
	given   []receive // oldest first
	posted  uint32
	failed  bool
}

// receive is a receive WQE: its buffer begins at 4 GiB times its number.
type receive struct {
	id     uint64
	wqe    uint32
	buffer []byte
}

// newRxEnd sets a device up as an adapter's responder.
func newRxEnd(ctx context.Context, e *endpoint.Endpoint, cfg *endpoint.Config, h Halves) (*rxEnd, error) {
	r := &rxEnd{Endpoint: e, mac: cfg.MAC, qps: map[uint32]*rxQueue{}, responses: e.Receive, broke: e.Close}
	r.clocked = newClocked(ctx, h.Responder, h.Free, r.take)
	r.memory = &rxMemory{end: r, rng: rand.New(rand.NewPCG(1, 2))}
	if err := r.reset(nil); err != nil {
		return nil, err
	}
	for i := range cfg.QPs {
		q := &rxQueue{op: queuePairOf(cfg, &cfg.QPs[i], i), number: 1<<31 | uint32(i)<<16}
		r.qps[q.op.QPN] = q
		for _, o := range q.op.Operations() {
			r.operate(&o)
		}
	}
	r.settle()
	return r, r.failed
}

// queuePairOf is a QP as hca_rx is set up for it. Every second one tells credits.
func queuePairOf(cfg *endpoint.Config, q *endpoint.QP, i int) hca.HcaRxQP {
	return hca.HcaRxQP{QPN: q.Number, PeerQPN: q.PeerNumber, Responder: q.Responder,
		Own: hca.Address(cfg.Address[:]), Peer: hca.Address(q.PeerAddress[:]), OwnMAC: cfg.MAC, PeerMAC: q.PeerMAC,
		PKey: cfg.PKeys[q.PKeyIndex], Receive: hca.ReceiveSide{Queue: q.Number, Shared: i&1 == 1, PD: 5}, HopLimit: 64}
}

// Receive gives a frame to the device, and a good response to the model. The port in front of hca_rx lets none through
// that is for another MAC or whose IPv4 header is wrong: neither is in the ICRC.
func (r *rxEnd) Receive(nowNs uint64, frame []byte) {
	r.catchUp(nowNs)
	w := &r.packet
	wire.Decode(wire.LinkEthernet, frame, w)
	switch eth, ip := w.Ethernet(), w.IPv4(); {
	case eth == nil || eth.Dst()[0]&1 == 0 && [6]byte(eth.Dst()) != r.mac:
		r.Count().Dropped["MAC"]++
		r.inbox.hear(frame)
		return
	case ip != nil && !ip.ChecksumGood():
		r.Count().Dropped["ADM-1"]++
		r.inbox.hear(frame)
		return
	}
	r.inbox.put(r.cycle+r.behindC, frame)
	r.offer("s_axis", uint32(wire.LinkEthernet), frame)
	if w.ICRC() == wire.ICRCGood && w.Op != nil && w.Op.Response {
		r.responses(nowNs, frame)
	}
}

// Next appends the frame that leaves now: the device's first.
func (r *rxEnd) Next(nowNs uint64, dst []byte) ([]byte, bool) {
	r.catchUp(nowNs)
	if len(r.frames) == 0 {
		return r.Endpoint.Next(nowNs, dst)
	}
	frame := r.frames[0]
	r.frames = r.frames[1:]
	r.Count().Sent++
	return append(dst, frame...), true
}

// NextTimer returns when a timer of the model runs out, or the next step of a busy device ends.
func (r *rxEnd) NextTimer() (atNs uint64, ok bool) { return r.sooner(r.Endpoint.NextTimer()) }

// Expire lets timers of the model run out, and the device run.
func (r *rxEnd) Expire(nowNs uint64) {
	r.Endpoint.Expire(nowNs)
	r.catchUp(nowNs)
}

// take does what a record of the device asks for.
func (r *rxEnd) take(rec *sim.Record) {
	switch name := r.device.Ports()[rec.Port].Name; name {
	case "m_axis":
		r.frames = append(r.frames, slices.Clone(rec.Data))
		r.heed(rec.Data)
	case "s_axis":
		r.inbox.take(rec.End)
	case "m_gate":
		r.Count().Received++
		if hca.GateWhy(rec.Data[0]&7) == hca.GateBadICRC {
			r.Count().Dropped["ADM-6"]++
		}
	case "m_cqe":
		r.completed(hca.ParseDMARecord(rec.Data))
	default:
		r.memory.take(name, rec.Data)
	}
}

// completed ends a receive WQE, and gives the device the next one that waits.
func (r *rxEnd) completed(c hca.DMARecord) {
	if !c.Complete {
		return
	}
	q := r.qps[c.QPN]
	if q != nil && q.failed {
		return
	}
	if q == nil || len(q.given) == 0 || q.given[0].wqe != c.WQE {
		r.failed = cocosim.Errorf(cocosim.Mismatch, "a completion of QP %06Xh for WQE %08Xh, which is not its oldest one",
			c.QPN, c.WQE)
		return
	}
	e := endpoint.Completion{QPN: c.QPN, Receive: true, ID: q.given[0].id, Len: c.Length, Imm: c.Immediate,
		HasImm: c.HasImmediate, AtNs: r.atNs}
	if c.Status != 0 {
		e.Status = roce.LocalError
	}
	q.given = q.given[1:]
	r.done = append(r.done, e)
	r.feed(q)
}

// Completions returns those of the model's requesters, then the device's.
func (r *rxEnd) Completions() []endpoint.Completion {
	own := r.Endpoint.Completions()
	r.follow(own)
	all := slices.Concat(own, r.done)
	r.done = r.done[:0]
	return all
}

// PostReceive posts a receive WQE: it goes to the device when that has room for it.
func (r *rxEnd) PostReceive(qpn uint32, id uint64, buffer []byte) bool {
	q := r.qps[qpn]
	if q.failed {
		return false
	}
	q.posted++
	q.waiting = append(q.waiting, receive{id: id, wqe: q.number | q.posted&0xFFFF, buffer: buffer})
	r.feed(q)
	return true
}

// fail has a QP in error whose requester found one: its receive WQEs are flushed (RSP-15). What the device still
// completes of it is not heard.
func (r *rxEnd) fail(nowNs uint64, qpn uint32) {
	q := r.qps[qpn]
	q.failed = true
	for _, o := range q.op.Failure() {
		r.operate(&o)
	}
	for _, w := range slices.Concat(q.given, q.waiting) {
		r.done = append(r.done, endpoint.Completion{QPN: qpn, Receive: true, ID: w.id, Status: roce.Flushed, AtNs: nowNs})
	}
	q.given, q.waiting = nil, nil
}

func (r *rxEnd) feed(q *rxQueue) {
	for len(q.waiting) > 0 && len(q.given) < hca.HcaRxQueueDepth {
		w := q.waiting[0]
		q.waiting, q.given = q.waiting[1:], append(q.given, w)
		o := q.op.Post(hca.ReceiveWQE{WQE: w.wqe, Bytes: uint32(len(w.buffer))})
		r.operate(&o)
	}
}

func (r *rxEnd) operate(o *hca.HcaRxOp) {
	if r.software != nil {
		r.software.receives(o)
		return
	}
	r.offer("s_op", 0, o.Append(nil))
}
