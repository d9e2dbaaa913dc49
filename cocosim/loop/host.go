package loop

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"hcacosim/model/endpoint"
	"hcacosim/model/roce"
)

// host drives an end: it keeps every connection busy, and holds what completes and what is received
// against the streams.
type host struct {
	t     *Traffic
	end   Adapter
	qpns  []uint32
	links []*connection // by the place of the QP
	of    map[uint32]*connection
	late  lateReceives
	rng   *rand.Rand
	began bool
	busy  int // connections that are not done
	rests *rand.Rand
	bad   *Findings
	name  string
	stats Stats
}

// Stats is what a host has seen.
type Stats struct {
	Messages uint64            `json:"messages"` // its own that ended well
	Bytes    uint64            `json:"bytes"`
	Received uint64            `json:"received"`         // receive WQEs that were used
	Failed   map[string]uint64 `json:"failed,omitempty"` // by completion status
}

// Findings are what hosts found wrong: a message lost, doubled, or with wrong contents.
type Findings struct {
	List  []string
	Count uint64
	Dead  uint64 // of those, queue pairs that ended in error
}

func (f *Findings) add(format string, args ...any) {
	if f.Count++; len(f.List) < 20 {
		f.List = append(f.List, fmt.Sprintf(format, args...))
	}
}

// connection is one QP of a host.
type connection struct {
	out, in  *stream // its own messages; those that the peer sends
	posted   []message
	ended    uint64 // of its own
	received uint64 // receive WQEs used
	nextRecv uint64
	buffers  map[uint64][]byte
	psns     uint64   // of its own that have ended
	failed   *message // that a fatal NAK has ended, where it was its turn
	restsNs  uint64   // until then it rests; 0: it does not
	dead     bool
	why      bool // it was said of which status
	doneSaid bool
}

// lateReceives are receive WQEs that are posted late, in the order of their time.
type lateReceives []struct {
	atNs uint64
	qpn  uint32
}

func newHost(t *Traffic, name string, end Adapter, seed uint64, bad *Findings) *host {
	return &host{t: t, end: end, name: name, bad: bad, of: map[uint32]*connection{},
		rng: rand.New(rand.NewPCG(t.Seed, seed)), rests: rand.New(rand.NewPCG(t.Seed, seed|1<<32)),
		stats: Stats{Failed: map[string]uint64{}}}
}

func (h *host) add(qpn uint32, out, in *stream) {
	c := &connection{out: out, in: in, buffers: map[uint64][]byte{}}
	h.qpns, h.links, h.of[qpn] = append(h.qpns, qpn), append(h.links, c), c
	h.busy++
}

// Done reports whether every message has ended, at both ends.
func (h *host) Done() bool { return h.busy == 0 }

// Turn posts what there is room for and looks at completions.
func (h *host) Turn(nowNs uint64) (nextNs uint64) {
	if !h.began {
		h.began = true
		for i, c := range h.links {
			for range h.t.Receives {
				h.receive(h.qpns[i], c)
			}
			h.post(nowNs, h.qpns[i], c)
		}
	}
	for len(h.late) > 0 && h.late[0].atNs <= nowNs {
		h.receive(h.late[0].qpn, h.of[h.late[0].qpn])
		h.late = h.late[1:]
	}
	for _, e := range h.end.Completions() {
		h.completed(nowNs, &e)
	}
	nextNs = h.wakeRested(nowNs)
	if len(h.late) > 0 && (nextNs == 0 || h.late[0].atNs < nextNs) {
		return h.late[0].atNs
	}
	return nextNs
}

// wakeRested has connections post that have rested, and returns when the next one has; 0: none rests.
func (h *host) wakeRested(nowNs uint64) (nextNs uint64) {
	if h.t.PauseNs == 0 {
		return 0
	}
	for i, c := range h.links {
		if c.restsNs == 0 {
			continue
		}
		if c.restsNs <= nowNs {
			c.restsNs = 0
			h.fill(nowNs, h.qpns[i], c)
		} else if nextNs == 0 || c.restsNs < nextNs {
			nextNs = c.restsNs
		}
	}
	return nextNs
}

// receive posts a receive WQE.
func (h *host) receive(qpn uint32, c *connection) {
	b := make([]byte, 4*h.t.PMTU)
	if h.end.PostReceive(qpn, c.nextRecv, b) {
		c.buffers[c.nextRecv] = b
		c.nextRecv++
	}
}

// post keeps a connection's send queue as deep as it shall be; one that pauses rests when it is empty, and is filled
// behind that.
func (h *host) post(nowNs uint64, qpn uint32, c *connection) {
	switch pause := h.t.PauseNs; {
	case pause == 0 || c.out.n == 0:
		h.fill(nowNs, qpn, c)
		return
	case len(c.posted) == 0 && !c.out.over() && !c.dead:
		c.restsNs = nowNs + 1 + h.rests.Uint64N(2*pause)
	}
	h.settle(qpn, c)
}

// fill posts as many messages as a connection may have at a time.
func (h *host) fill(nowNs uint64, qpn uint32, c *connection) {
	for len(c.posted) < h.t.Depth && !c.out.over() && !c.dead {
		m := c.out.next()
		data := m.payload
		if m.work.Verb == roce.Read || m.work.Verb.Atomic() {
			data = make([]byte, m.work.Len)
			m.payload = data
		}
		if !h.end.Post(nowNs, qpn, m.work, data) {
			h.bad.add("%s: QP %06Xh does not take message %d", h.name, qpn, m.work.ID)
			c.dead = true
			return
		}
		c.posted = append(c.posted, m)
	}
	h.settle(qpn, c)
}

// settle counts a connection that has nothing left to do.
func (h *host) settle(qpn uint32, c *connection) {
	if !c.doneSaid && (c.dead || c.out.over() && len(c.posted) == 0) {
		c.doneSaid = true
		h.busy--
	}
}

func (h *host) completed(nowNs uint64, e *endpoint.Completion) {
	c := h.of[e.QPN]
	switch {
	case e.Status != roce.Success:
		h.stats.Failed[e.Status.String()]++
		if c.dead = true; e.Status != roce.Flushed && !c.why {
			if c.why = true; byNAK(e.Status) && !e.Receive && len(c.posted) > 0 && c.posted[0].work.ID == e.ID {
				c.failed = &c.posted[0]
			}
			h.bad.Dead++
			h.bad.add("%s: QP %06Xh ended in error at %d us: %s, message %d", h.name, e.QPN, nowNs/1000, e.Status, e.ID)
		}
		h.settle(e.QPN, c)
	case e.Receive:
		h.stats.Received++
		h.received(nowNs, e, c)
	default:
		h.sent(e, c)
		h.post(nowNs, e.QPN, c)
	}
}

// sent looks at a message that ended: it must be the oldest, and what it brought home right.
func (h *host) sent(e *endpoint.Completion, c *connection) {
	if len(c.posted) == 0 || c.posted[0].work.ID != e.ID {
		h.bad.add("%s: QP %06Xh completes message %d out of turn", h.name, e.QPN, e.ID)
		return
	}
	m := c.posted[0]
	c.posted = c.posted[1:]
	c.ended++
	c.psns += m.psns
	h.stats.Messages++
	h.stats.Bytes += uint64(m.work.Len)
	switch {
	case m.work.Verb == roce.Read && !bytes.Equal(m.payload, c.out.read(&m)):
		h.bad.add("%s: QP %06Xh: READ %d returns other bytes than the peer's memory has", h.name, e.QPN, e.ID)
	case m.work.Verb.Atomic() && binary.LittleEndian.Uint64(m.payload) != m.before:
		h.bad.add("%s: QP %06Xh: atomic %d returns %Xh; executed once each, those before it leave %Xh", h.name, e.QPN,
			e.ID, binary.LittleEndian.Uint64(m.payload), m.before)
	}
}

// received looks at what used a receive WQE: the next message of the peer that needs one, whole.
func (h *host) received(nowNs uint64, e *endpoint.Completion, c *connection) {
	b := c.buffers[e.ID]
	delete(c.buffers, e.ID)
	m := c.in.next()
	for !m.takesReceive() {
		m = c.in.next()
	}
	send := m.work.Verb == roce.Send
	switch {
	case e.ID != c.received, e.HasImm != m.work.WithImm, e.Imm != m.work.Imm && e.HasImm,
		send && e.Len != m.work.Len, send && !bytes.Equal(b[:e.Len], m.payload):
		h.bad.add("%s: QP %06Xh: receive WQE %d has not message %d of its peer", h.name, e.QPN, e.ID, m.work.ID)
	}
	c.received++
	if h.rng.Float64() >= h.t.Late {
		h.receive(e.QPN, c)
		return
	}
	at := nowNs + 20_000 // all late ones wait alike, so they stay in order
	h.late = append(h.late, struct {
		atNs uint64
		qpn  uint32
	}{at, e.QPN})
}

// inError counts the queue pairs both of whose halves are in error.
func (h *host) inError() (n int) {
	for _, qpn := range h.qpns {
		if req, resp := h.end.State(qpn); req == roce.Error && resp == roce.Error {
			n++
		}
	}
	return n
}

// ended reports whether a queue pair is in error, or there is none.
func (h *host) ended(qpn uint32) bool {
	c := h.of[qpn]
	return c == nil || c.dead
}

// failed counts the queue pairs that had a WQE which ended otherwise than well.
func (h *host) failed() (n int) {
	for _, c := range h.links {
		if c.dead {
			n++
		}
	}
	return n
}

// finish holds memory against what all messages of the peer leave; but for those of a queue pair that ended in error
// there, which was said.
func (h *host) finish(peer *host) {
	for i, c := range h.links {
		if c.dead && !c.why {
			h.bad.Dead++
			h.bad.add("%s: QP %06Xh was flushed", h.name, h.qpns[i])
		}
		if c.dead || peer.links[i].dead {
			continue
		}
		for !c.in.over() {
			if m := c.in.next(); m.takesReceive() {
				h.bad.add("%s: QP %06Xh never received message %d of its peer", h.name, h.qpns[i], m.work.ID)
			}
		}
		if !c.in.held(h.end.At(c.in.base, spanBytes)) {
			h.bad.add("%s: memory of QP %06Xh is not as its peer's messages leave it", h.name, h.qpns[i])
		}
	}
}
