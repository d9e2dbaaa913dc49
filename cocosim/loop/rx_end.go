package loop

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"hcacosim/cocosim"
	"hcacosim/model/endpoint"
	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Time of a device: a cycle, and how many of them it runs at most before what it sends is looked at.
const (
	cycleNs       = 4
	stepCycles    = 64
	quietCycles   = 4096 // without anything in or out; then its clock stands still until something comes
	settingCycles = 1 << 16
)

// ResponderBytes is the width of a device's data path.
const ResponderBytes = 64

// rxEnd is an adapter whose responder is a device with the ports of hca_rx, as RTL. Its requesters and its memory are
// the model's: responses go to both, and only the model takes them; requests go to the device alone.
//
// The device's clock follows the loop's time in steps, so an answer may leave up to stepCycles late. Steps depend on
// what happens and on nothing else: the same arguments give the same frames.
type rxEnd struct {
	*endpoint.Endpoint
	device cocosim.Device
	ctx    context.Context // of the loop; Device asks for one, End has none
	mac    [6]byte
	memory *rxMemory
	qps    map[uint32]*rxQueue

	ports   map[string]sim.Port
	seq     map[sim.Port]uint64
	offers  sim.Offers // for the next step
	out     sim.Batch
	cycle   uint64 // of the device's clock
	atNs    uint64 // the time of that cycle
	activeC uint64 // the cycle in which something came or went last
	frames  [][]byte
	done    []endpoint.Completion
	packet  wire.Packet
	failed  error
}

// rxQueue is the receive queue of a QP.
type rxQueue struct {
	op      hca.HcaRxQP
	number  uint32    // of the QP, in the numbers of its WQEs
	waiting []receive // that the device has no room for yet
	given   []receive // oldest first
	posted  uint32
}

// receive is a receive WQE: its buffer begins at 4 GiB times its number.
type receive struct {
	id     uint64
	wqe    uint32
	buffer []byte
}

// newRxEnd sets a device up as an adapter's responder.
func newRxEnd(ctx context.Context, e *endpoint.Endpoint, cfg *endpoint.Config, d cocosim.Device) (*rxEnd, error) {
	r := &rxEnd{Endpoint: e, device: d, ctx: ctx, mac: cfg.MAC, qps: map[uint32]*rxQueue{}, ports: map[string]sim.Port{},
		seq: map[sim.Port]uint64{}}
	for i, p := range d.Ports() {
		r.ports[p.Name] = sim.Port(i)
	}
	r.memory = &rxMemory{end: r, rng: rand.New(rand.NewPCG(1, 2))}
	if err := d.Reset(ctx, cocosim.Config{Seed: 1, StateSeed: 1, Unpaced: true}); err != nil {
		return nil, err
	}
	for i := range cfg.QPs {
		q := &rxQueue{op: queuePairOf(cfg, &cfg.QPs[i], i), number: 1<<31 | uint32(i)<<16}
		r.qps[q.op.QPN] = q
		for _, o := range q.op.Operations() {
			r.operate(&o)
		}
	}
	r.advance(settingCycles)
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
		return
	case ip != nil && !ip.ChecksumGood():
		r.Count().Dropped["ADM-1"]++
		return
	}
	r.offer("s_axis", uint32(wire.LinkEthernet), frame)
	if w.ICRC() == wire.ICRCGood && w.Op != nil && w.Op.Response {
		r.Endpoint.Receive(nowNs, frame)
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
func (r *rxEnd) NextTimer() (atNs uint64, ok bool) {
	atNs, ok = r.Endpoint.NextTimer()
	if step := r.atNs + stepCycles*cycleNs; r.busy() && (!ok || step < atNs) {
		return step, true
	}
	return atNs, ok
}

// Expire lets timers of the model run out, and the device run.
func (r *rxEnd) Expire(nowNs uint64) {
	r.Endpoint.Expire(nowNs)
	r.catchUp(nowNs)
}

// busy reports whether the device may have something to say without being given anything.
func (r *rxEnd) busy() bool {
	return r.failed == nil && (r.cycle < r.activeC+quietCycles || len(r.offers.Offers) > 0)
}

// catchUp runs the device's clock up to now. One that is quiet does not run: its clock stands still.
func (r *rxEnd) catchUp(nowNs uint64) {
	cycles := (nowNs - r.atNs) / cycleNs
	if cycles == 0 {
		return
	}
	if !r.busy() {
		r.atNs = nowNs
		return
	}
	r.advance(cycles)
	r.atNs += cycles * cycleNs
}

// advance runs the device and does what it asks for.
func (r *rxEnd) advance(cycles uint64) {
	if r.failed != nil {
		return
	}
	slices.SortStableFunc(r.offers.Offers, before)
	r.out.Reset()
	if len(r.offers.Offers) > 0 {
		r.activeC = r.cycle
	}
	r.failed = r.device.Advance(r.ctx, r.cycle+cycles, r.offers.Offers, &r.out)
	r.offers.Reset()
	r.cycle += cycles
	for i := range r.out.Records {
		r.take(&r.out.Records[i])
	}
}

// before is the order in which a device wants offers.
func before(a, b sim.Offer) int {
	return cmp.Or(cmp.Compare(a.NotBefore, b.NotBefore), cmp.Compare(a.Port, b.Port))
}

// take does what a record of the device asks for.
func (r *rxEnd) take(rec *sim.Record) {
	r.activeC = max(r.activeC, rec.End)
	switch name := r.device.Ports()[rec.Port].Name; name {
	case "m_axis":
		r.frames = append(r.frames, slices.Clone(rec.Data))
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
	all := slices.Concat(r.Endpoint.Completions(), r.done)
	r.done = r.done[:0]
	return all
}

// PostReceive posts a receive WQE: it goes to the device when that has room for it.
func (r *rxEnd) PostReceive(qpn uint32, id uint64, buffer []byte) bool {
	q := r.qps[qpn]
	q.posted++
	q.waiting = append(q.waiting, receive{id: id, wqe: q.number | q.posted&0xFFFF, buffer: buffer})
	r.feed(q)
	return true
}

func (r *rxEnd) feed(q *rxQueue) {
	for len(q.waiting) > 0 && len(q.given) < hca.HcaRxQueueDepth {
		w := q.waiting[0]
		q.waiting, q.given = q.waiting[1:], append(q.given, w)
		o := q.op.Post(hca.ReceiveWQE{WQE: w.wqe, Bytes: uint32(len(w.buffer))})
		r.operate(&o)
	}
}

func (r *rxEnd) operate(o *hca.HcaRxOp) { r.offer("s_op", 0, o.Append(nil)) }

// offer gives the device a record at the next step.
func (r *rxEnd) offer(port string, user uint32, data []byte) { r.offerAt(r.cycle, port, user, data) }

func (r *rxEnd) offerAt(cycle uint64, port string, user uint32, data []byte) {
	p, ok := r.ports[port]
	if !ok {
		r.failed = fmt.Errorf("the device has no port %s", port)
		return
	}
	r.offers.Append(sim.Offer{NotBefore: cycle, Seq: r.seq[p], Port: p, User: user, Data: data})
	r.seq[p]++
}
