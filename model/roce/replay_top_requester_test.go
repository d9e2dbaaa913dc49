package roce_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
)

// responsePaths are the paths that take every edge of a world's requesters, and the edges. The device sends as soon as
// it may: what comes while more may be sent is given behind that.
func (x *explorer) responsePaths(t *testing.T) ([]topPath, *topTour) {
	r := x.topTour(t)
	for _, k := range inOrder(x.q.memo) {
		switch k.in {
		case inStep, inTimeout, inRNR, inSetError:
			x.q.load(k.id)
			m := new(roce.Requester)
			*m = *x.q.machine
			x.sendAll(m, new(topEdge))
			r.may(x.q.add(m), topStep{k.in, k.arg})
		}
	}
	for _, b := range beginnings(x) {
		x.q.load(b.id)
		m := new(roce.Requester)
		*m = *x.q.machine
		e := &topEdge{topStep: topStep{in: inNext}} // everything is posted
		cfg, list := m.Config(), uint64(b.channel)<<1|uint64(b.epoch)
		x.sendAll(m, e)
		nothing := topState{nothingLoaded, uint64(b.id)<<8 | list}
		r.begin(nothing, topPath{cfg: x.rcfgs[b.start], sends: cfg, work: x.work[b.channel][b.epoch]})
		r.lead(nothing, topState{x.q.add(m), list}, e)
	}
	for ; len(r.queue) > 0; r.queue = r.queue[1:] {
		for _, k := range r.moves[r.queue[0].id] {
			r.response(r.queue[0], k)
		}
	}
	return r.paths(), r
}

// sendAll has a requester send what it may, and adds that to an edge. Local work is done at once.
func (x *explorer) sendAll(m *roce.Requester, e *topEdge) {
	for m.Ready() {
		n := len(e.out)
		asks := x.deviceAsks(m)
		m.Next(&e.out)
		switch p := &e.out[n]; p.Kind {
		case roce.BindWindow:
			m.Done(true, &e.out)
		case roce.SendRequest:
			p.Packet.AckReq = p.Packet.AckReq && asks
		}
	}
}

// deviceAsks is false where the device does not ask for an ACK though the machine may: tx_packetizer asks for none
// where what goes out again is of a message that was sent to its end, but for its last packet and one that fills the
// window.
func (x *explorer) deviceAsks(m *roce.Requester) bool {
	all, cur := m.Queue()
	w := &all[cur]
	_, next, high := m.PSNs()
	if next == high || w.Verb.Replayed() || next == w.Last || x.between(high, w.First) <= x.between(w.Last, w.First) {
		return true
	}
	s := txStep{txTour: &txTour{x: x}, q: m}
	return s.fills(next)
}

// response adds an edge of a requester.
func (r *topTour) response(from topState, k topStep) {
	x := r.x
	x.q.load(from.id)
	m := new(roce.Requester)
	*m = *x.q.machine
	if k.in == inTimeout && !m.Timing() || k.in == inRNR && !m.Waiting() {
		return
	}
	e := &topEdge{topStep: k}
	x.requesterAct(m, k.in, k.arg, &e.out)
	if m.State != roce.Error {
		x.sendAll(m, e)
	}
	r.lead(from, topState{x.q.add(m), from.counter}, e)
}

// topList is where the bytes of a send WQE lie.
func topList(lane uint32, id uint64) uint64 { return uint64(lane)<<40 | id<<32 }

// configure writes what the requester of a queue pair is configured with.
func (h *topHost) configure(c *roce.RequesterConfig) {
	set := hca.ParseReqRecord(reqSetup(c)[1])
	h.write(0x130, uint32(c.StartPSN)|uint32(c.Timeout)<<24|uint32(c.RetryCount)<<29)
	h.write(0x134, c.Window|uint32(c.RNRRetry)<<24|uint32(c.MaxReads)<<27)
	h.write(0x138, uint32(set.Profile)|1<<8)
}

// sendWork posts everything.
func (h *topHost) sendWork(lane uint32, p *topPath) {
	for i := range p.work {
		w := p.work[i]
		w.RKey |= lane << 8
		s := sendWQE(&w)
		s.List = topList(lane, w.ID)
		post := hca.HcaTopPostOf(&hca.SQRecord{QPN: lane, Op: hca.SQPost, SendWQE: s})
		h.offer(0, "s_post", 0, post.Append(nil))
	}
}

// respond gives a response; the wait that it asks for is the shortest.
func (h *topHost) respond(lane, number uint32) {
	p := h.x.packets[number].packet
	if p.Syndrome.Kind() == ib.KindRNR && ib.Lookup(p.Op).Operation == ib.Ack {
		p.Syndrome = ib.RNRSyndrome(rnrCode)
	}
	s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, SrcMAC: topPeerMAC, DstMAC: topMAC, Src: topPeer, Dst: topOwn,
		DestQP: lane, PKey: 0xFFFF, HopLimit: 64, IPFrag: 0x4000}
	onwire.Put(&p, &s)
	h.offer(0, "s_axis", uint32(wire.LinkEthernet), s.Append(nil, topBytes(uint64(number)<<32, p.Len)))
}

// topTicks is longer than either timer of the worlds takes: code 1 of both, four times 8 ticks and 10.
const topTicks = 64

// pass lets time pass: every timer that runs runs out.
func (h *topHost) pass() {
	h.offer(0, "s_time", 0, binary.LittleEndian.AppendUint32(nil, topTicks))
}

// sent holds what a lane sent since a step, wrote and completed against the machine's effects.
func (h *topHost) sent(lane uint32, p *topPath, step int) {
	l, e := h.of(lane), p.steps[step]
	j := topJudge{host: h, lane: lane, topLane: *l}
	l.frames, l.bodies, l.writes, l.sendEnds = nil, nil, nil, nil
	for i := range e.out {
		switch x := &e.out[i]; x.Kind {
		case roce.SendRequest:
			want := x.Packet
			if info := ib.Lookup(want.Op); info.Headers.Has(ib.RETH) || info.Headers.Has(ib.AtomicETH) ||
				info.Headers.Has(ib.IETH) {
				want.RKey |= lane << 8
			}
			j.frame(&want, topBytes(topList(lane, x.ID)+uint64(x.Off), x.Len))
		case roce.ReadReturned:
			data := topBytes(uint64(e.arg)<<32, x.Len)
			if x.Packet.Op != 0 {
				data = binary.LittleEndian.AppendUint64(nil, x.Packet.Original)
			}
			j.write(topList(lane, x.ID)+uint64(x.Off), data)
		case roce.Complete:
			j.sendEnd(p.work, x)
		}
	}
	j.nothing()
	if len(j.bad) > 0 {
		h.fail("%s\nbehind %s\nin lane %d", strings.Join(j.bad, "\n"), h.told(p, step), lane)
	}
}

// topJudge goes through what a lane did, port by port.
type topJudge struct {
	topLane
	host *topHost
	lane uint32
	bad  []string
}

func (j *topJudge) say(format string, args ...any) {
	j.bad = append(j.bad, fmt.Sprintf(format, args...))
}

// frame takes the next frame.
func (j *topJudge) frame(want *roce.Packet, body []byte) {
	if len(j.frames) == 0 {
		j.say("no frame, the machine %+v", *want)
		return
	}
	if got := j.frames[0]; got != *want {
		j.say("%+v, the machine %+v", got, *want)
	}
	if !bytes.Equal(j.bodies[0], body) {
		j.say("payload %x, memory has %x", j.bodies[0], body)
	}
	j.frames, j.bodies = j.frames[1:], j.bodies[1:]
}

// write takes the next write.
func (j *topJudge) write(address uint64, data []byte) {
	switch {
	case len(data) == 0:
	case len(j.writes) == 0:
		j.say("no write, the machine has %x at %X", data, address)
	default:
		if w := j.writes[0]; w.address != address || !bytes.Equal(w.data, data) {
			j.say("%x written to %X, the machine has %x at %X", w.data, w.address, data, address)
		}
		j.writes = j.writes[1:]
	}
}

// sendEnd takes the next completion of a send WQE.
func (j *topJudge) sendEnd(work []roce.Work, x *roce.Effect) {
	w := &work[x.ID-1]
	want := hca.SQCQE{QPN: j.lane, WQE: uint32(x.ID), Status: x.Status, Verb: w.Verb, Length: w.Len}
	switch {
	case len(j.sendEnds) == 0:
		j.say("no completion, the machine %+v", want)
	default:
		if j.sendEnds[0] != want {
			j.say("%+v, the machine %+v", j.sendEnds[0], want)
		}
		j.sendEnds = j.sendEnds[1:]
	}
}

// nothing is to be left.
func (j *topJudge) nothing() {
	if len(j.frames)+len(j.writes)+len(j.ends)+len(j.sendEnds) > 0 {
		j.say("besides %+v, %d writes, %+v, %+v", j.frames, len(j.writes), j.ends, j.sendEnds)
	}
}

// Every edge of the requesters of the small worlds on hca_top with PSNs of as few bits: a response as a frame, an
// expiry as time that passes. What it sends, writes and completes is held against the machine's effects. By default its
// stage, and the smallest worlds; -explore has RTL with 3 and 4 bits, and all worlds.
// PSN-3, PSN-5, PSN-7, REQ-1 to REQ-7, REQ-9, REQ-11, REQ-12, REQ-14, REQ-15, TMR-2 to TMR-5, CRD-2, RSP-15.
func TestResponsesOfWorldsOnTop(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	for _, bits := range []int{3, 4} {
		device := "model"
		if bits < 5 && *explore {
			device = *replayOn
		}
		t.Run(fmt.Sprintf("%s, %d bits", device, bits), func(t *testing.T) {
			require.NoError(t, onTop(t, openTop(t, "hca_top", device, bits), bits, "hca_top, responses",
				(*explorer).responsePaths))
		})
	}
}
