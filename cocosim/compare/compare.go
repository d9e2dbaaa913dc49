// Package compare runs transports over the same lossy link and measures what loss costs each: goodput, bytes sent
// again, the time a message takes. The machines are the golden model's; the link is model/link's, so the n-th packet of
// a direction has the same fate under every transport.
package compare

import (
	"fmt"
	"slices"

	"hcacosim/model/link"
)

// Packet is a packet on its way: what the end that takes it needs to know.
type Packet struct {
	Bytes int  // on the wire
	New   int  // payload bytes that were never sent before
	Again int  // payload bytes that were
	Body  any  // the transport's own
	Data  bool // carries payload
}

// Connection is a sender, end 0, and a receiver, end 1, of one transport.
type Connection interface {
	// Post queues a message at the sender.
	Post(id uint64, bytes uint32)
	// Next takes the next packet of an end; ok is false where it has nothing to send now.
	Next(end int, nowNs uint64) (p Packet, ok bool)
	// Receive gives an end a packet.
	Receive(end int, p *Packet, nowNs uint64)
	// Timer returns when the connection next wants Expire; 0 is never.
	Timer() (atNs uint64)
	Expire(nowNs uint64)
	// Completed returns the messages that ended since the last call.
	Completed() []uint64
	// Failed says why the connection gave up; "" while it did not.
	Failed() string
}

// Workload is what is sent.
type Workload struct {
	Messages     int
	MessageBytes uint32
	Depth        int // messages posted at a time
	PMTU         uint32
	Window       int32 // packets outstanding
}

// Outcome is what one transport made of a workload over one link.
type Outcome struct {
	Transport  string  `json:"transport"`
	Loss       float64 `json:"loss"`
	Gbps       float64 `json:"goodput_gbps"`
	Share      float64 `json:"goodput_share"` // of what the link carries without loss, headers taken off
	AgainShare float64 `json:"again_share"`   // payload bytes sent again, by payload bytes sent
	Packets    uint64  `json:"packets"`
	P50Ns      uint64  `json:"p50_ns"`
	P99Ns      uint64  `json:"p99_ns"`
	P999Ns     uint64  `json:"p999_ns"`
	Failed     string  `json:"failed,omitempty"`
	Theory     float64 `json:"theory_share,omitempty"`
}

// run is a workload on its way.
type run struct {
	c        Connection
	work     Workload
	air      link.Air[Packet]
	nowNs    uint64
	posted   int
	startNs  []uint64
	tookNs   []uint64
	newBytes uint64
	again    uint64
}

// maxRunNs bounds a run: what takes longer than a hundred seconds of the link's time is stuck.
const maxRunNs = 100e9

// Run sends a workload over a link to its end.
func Run(c Connection, work Workload, cfg *link.Config) (o Outcome, err error) {
	return newRun(c, work, cfg).toEnd(cfg)
}

func newRun(c Connection, work Workload, cfg *link.Config) *run {
	return &run{c: c, work: work, air: link.NewAir[Packet](cfg), startNs: make([]uint64, work.Messages)}
}

func (r *run) toEnd(cfg *link.Config) (o Outcome, err error) {
	for len(r.tookNs) < r.work.Messages && r.c.Failed() == "" {
		if err := r.step(); err != nil {
			return o, err
		}
	}
	return r.outcome(cfg), nil
}

// step posts, sends what may go now, and goes on to the next event.
func (r *run) step() error {
	for r.posted < r.work.Messages && r.posted-len(r.tookNs) < r.work.Depth {
		r.startNs[r.posted] = r.nowNs
		r.c.Post(uint64(r.posted), r.work.MessageBytes)
		r.posted++
	}
	for end := range r.air.Ways {
		r.send(end)
	}
	next, what := r.nextEvent()
	if what == nothing {
		return fmt.Errorf("at %d ns nothing is under way and %d of %d messages are done", r.nowNs, len(r.tookNs),
			r.work.Messages)
	}
	if r.nowNs = max(r.nowNs, next); r.nowNs > maxRunNs {
		return fmt.Errorf("%d of %d messages are done after %.0f s of the link's time", len(r.tookNs), r.work.Messages,
			maxRunNs/1e9)
	}
	switch what {
	case packet:
		end, p := r.air.Land()
		r.c.Receive(end, &p, r.nowNs)
	case timer:
		r.c.Expire(r.nowNs)
	}
	for _, id := range r.c.Completed() {
		r.tookNs = append(r.tookNs, r.nowNs-r.startNs[id])
	}
	return nil
}

// event is what comes next.
type event int

const (
	nothing event = iota
	linkFree
	packet
	timer
)

func (r *run) nextEvent() (atNs uint64, what event) {
	take := func(at uint64, ok bool, w event) {
		if ok && (what == nothing || at < atNs) {
			atNs, what = at, w
		}
	}
	at, ok := r.air.NextArrival()
	take(at, ok, packet)
	at = r.c.Timer()
	take(at, at > 0, timer)
	at, ok = r.air.NextFree(r.nowNs)
	take(at, ok, linkFree)
	return atNs, what
}

// send puts the next packet of an end on its way, if the way is free.
func (r *run) send(end int) {
	if !r.air.Free(end, r.nowNs) {
		return
	}
	p, ok := r.c.Next(end, r.nowNs)
	if !ok {
		return
	}
	r.newBytes, r.again = r.newBytes+uint64(p.New), r.again+uint64(p.Again)
	r.air.Send(end, r.nowNs, p.Bytes, func(*link.Fate) Packet { return p })
}

func (r *run) outcome(cfg *link.Config) Outcome {
	o := Outcome{Loss: cfg.Loss, Packets: r.air.Ways[0].Sent(), Failed: r.c.Failed()}
	if len(r.tookNs) == 0 {
		return o
	}
	slices.Sort(r.tookNs)
	at := func(q float64) uint64 { return r.tookNs[min(len(r.tookNs)-1, int(q*float64(len(r.tookNs))))] }
	o.P50Ns, o.P99Ns, o.P999Ns = at(0.5), at(0.99), at(0.999)
	payload := 8 * float64(len(r.tookNs)) * float64(r.work.MessageBytes)
	o.Gbps = payload / float64(r.nowNs)
	o.Share = o.Gbps / (cfg.Gbps * float64(r.work.PMTU) / float64(r.work.PMTU+overheadBytes))
	if sent := r.newBytes + r.again; sent > 0 {
		o.AgainShare = float64(r.again) / float64(sent)
	}
	return o
}

// overheadBytes is what a data packet has beside its payload: Ethernet with preamble and gap, IPv4, UDP, BTH, ICRC.
// Falcon's own is larger and is charged by its connection.
const overheadBytes = 8 + 14 + 4 + 12 + 20 + 8 + 12 + 4
