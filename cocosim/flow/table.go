package flow

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// Bounds of the table. A half is about 500 bytes, its machines about 46 KB: below 200 MB in all.
const (
	maxHalves   = 1 << 18 // that are counted; the longest unused is given up for a new one
	maxMachines = 2048    // halves that are followed by machines at a time
	idleUses    = 1 << 16 // packets after which one that had none of them makes room
)

// addr is an IPv6 address, an IPv4 address in mapped form, a GID, or a LID in the last two bytes.
type addr [16]byte

// addresses returns who sent a packet and who it is for.
func addresses(p *wire.Packet) (src, dst addr) {
	switch {
	case p.IPv4() != nil:
		h := p.IPv4()
		src[10], src[11], dst[10], dst[11] = 0xFF, 0xFF, 0xFF, 0xFF
		copy(src[12:], h.Src())
		copy(dst[12:], h.Dst())
	case p.IPv6() != nil:
		src, dst = addr(p.IPv6().Src()), addr(p.IPv6().Dst())
	case p.GRH() != nil:
		src, dst = addr(p.GRH().Src()), addr(p.GRH().Dst())
	case p.LRH() != nil:
		binary.BigEndian.PutUint16(src[14:], p.LRH().SLID())
		binary.BigEndian.PutUint16(dst[14:], p.LRH().DLID())
	}
	return src, dst
}

// key names one direction of a connection: to a queue pair from an address, and for datagrams from a queue pair.
type key struct {
	src, dst addr
	qpn, sqp uint32
	service  ib.Transport
}

// half is one direction: requests run in it from the requester at src to the responder at dst, and responses to the
// requests of the other direction.
type half struct {
	key
	pair *half // the other direction, when it is known
	sure bool  // it is the pair: told by the connection manager, or no other could be
	told *told // by the connection manager; nil: nothing
	over bool  // the connection manager ended the connection
	// outlived: it is of another connection than the one that the sidecar describes.
	outlived bool
	ownStart bool // the peer takes another first PSN than the connection manager told of
	// maybeAnew: a retry of what was answered, so late that the queue pairs may have been connected anew.
	maybeAnew bool
	jumps     bool // the last request of UC left PSNs out between messages: nobody answers, and it may be of another
	// Of the requests while there is no pair: the PSNs that they name or ask for.
	asked    psn.Span
	noted    bool
	place    psn.PSN          // of the last datagram among those of this half
	tries    uint32           // how often its pair was sought among several
	verbs    roce.Verbs       // that they have, a bit each
	not      map[*half]uint32 // halves that the responses in this one cannot be of, with their generation
	mixed    bool             // another half between the same addresses has had the same PSN: responses may be of either
	repeated [4]repeat
	// Of this connection: the first and the highest PSN of a request, what lies behind that, the longest READ in packets,
	// and whether the first was answered.
	start, top psn.PSN
	next       psn.PSN // behind the highest
	reach      int32
	answered   psn.PSN // the highest that was answered, if acked
	fatal      bool    // a NAK ended it
	opened     bool    // a request came since the connection manager told of it
	begun      bool    // the connection manager told of another, of which no request has come
	paged      bool    // it was said that its device may page on demand
	midway     bool    // the capture began in the middle of a message
	acked      bool
	// Of this connection: its PMTU by a First or Middle, 0 if none was seen; the longest of the other payloads; the
	// longest READ. late: machines were given up because they had been made with another PMTU.
	pmtu, longest, readLen uint32
	late                   bool

	requests  uint64
	responses uint64 // to this half's requests: they run in the pair
	bytes     uint64 // payload of new requests and of READ responses
	firstNS   int64
	lastNS    int64
	requestNS int64 // the last request
	again     Retransmissions
	sent      uint64 // responses that the endpoint at the capture point sent
	predicted uint64
	gaps      uint64 // losses seen: requests or responses missing before one that came
	naks      uint64
	rnrs      uint64
	credit    uint8 // the last credit code, valid if credits
	credits   bool
	timer     *gaps // transport timer, from its arming to the resume; nil: none
	rnr       *gaps // from an RNR NAK to the resume; nil: none
	timeout   uint8 // code, if known
	judged    bool  // by machines, at some time
	// generation tells the half from those that had its memory before.
	generation uint32

	m      *machines
	usedAt uint64 // by table.uses

	// The first request waits here: a flow of one packet needs no machine.
	first     roce.Packet
	firstAt   int64
	hasFirst  bool
	firstCopy double
	firstSum  digest
	// firstNumber is its number in the capture.
	firstNumber uint64
	newer       *half // in the order of use
	older       *half
	machNewer   *half // in the order of use of machines
	machOlder   *half
}

// table finds halves and gives up the longest unused when it is full.
type table struct {
	halves   map[key]*half
	last     *half // found last: captures are bursty
	newest   *half
	oldest   *half
	machines int
	mNewest  *half
	mOldest  *half
	uses     uint64 // of machines, or wished for
	refused  uint64 // packets that were counted only, because there was no room for machines
	evicted  uint64
	spare    []*machines
}

func newTable() table { return table{halves: map[key]*half{}} }

// find returns the half of a key, a new one if there was none.
func (t *table) find(k *key, p *pairing) *half {
	if t.last != nil && t.last.key == *k {
		return t.last
	}
	h := t.halves[*k]
	if h == nil {
		if len(t.halves) < maxHalves {
			h = new(half)
		} else {
			h = t.evict(p)
		}
		*h = half{key: *k, generation: h.generation + 1}
		t.halves[*k] = h
		t.link(h)
	} else if h != t.newest {
		t.unlink(h)
		t.link(h)
	}
	t.last = h
	return h
}

func (t *table) link(h *half) {
	h.older, h.newer = t.newest, nil
	if t.newest != nil {
		t.newest.newer = h
	} else {
		t.oldest = h
	}
	t.newest = h
}

func (t *table) unlink(h *half) {
	if h.newer != nil {
		h.newer.older = h.older
	} else {
		t.newest = h.older
	}
	if h.older != nil {
		h.older.newer = h.newer
	} else {
		t.oldest = h.newer
	}
}

// evict gives the half up that was used longest ago and returns its memory.
func (t *table) evict(p *pairing) *half {
	h := t.oldest
	p.forget(h)
	t.release(h)
	t.unlink(h)
	delete(t.halves, h.key)
	if h.pair != nil {
		h.pair.pair = nil
	}
	if t.last == h {
		t.last = nil
	}
	t.evicted++
	return h
}

// room makes room for machines, if need be by taking those that were used longest ago. While all are in use there is
// none: taking them in turn would follow nobody.
func (t *table) room() bool {
	if t.machines < maxMachines {
		return true
	}
	if t.uses-t.mOldest.usedAt < idleUses {
		t.uses++
		t.refused++
		return false
	}
	t.release(t.mOldest)
	return true
}

// hold gives a half machines.
func (t *table) hold(h *half, m *machines) {
	h.m, h.usedAt = m, t.uses
	t.machines++
	t.linkMachine(h)
}

// blank returns empty machines for the wire, used ones if there are some.
func (t *table) blank() *machines {
	n := len(t.spare)
	if n == 0 {
		return &machines{req: new(roce.RequesterFollower), wire: new(roce.WireFollower)}
	}
	m := t.spare[n-1]
	t.spare = t.spare[:n-1]
	*m = machines{req: m.req, wire: m.wire}
	return m
}

// touch makes a half's machines the newest used.
func (t *table) touch(h *half) {
	t.uses++
	h.usedAt = t.uses
	if h != t.mNewest {
		t.unlinkMachine(h)
		t.linkMachine(h)
	}
}

func (t *table) linkMachine(h *half) {
	h.machOlder, h.machNewer = t.mNewest, nil
	if t.mNewest != nil {
		t.mNewest.machNewer = h
	} else {
		t.mOldest = h
	}
	t.mNewest = h
}

func (t *table) unlinkMachine(h *half) {
	if h.machNewer != nil {
		h.machNewer.machOlder = h.machOlder
	} else {
		t.mNewest = h.machOlder
	}
	if h.machOlder != nil {
		h.machOlder.machNewer = h.machNewer
	} else {
		t.mOldest = h.machNewer
	}
}

func (t *table) release(h *half) {
	if h.m == nil {
		return
	}
	t.unlinkMachine(h)
	if h.m.wire != nil && len(t.spare) < 4 {
		t.spare = append(t.spare, h.m) // a flood of flows must not be a flood of garbage
	}
	h.m = nil
	t.machines--
}
