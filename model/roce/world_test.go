package roce_test

import (
	"fmt"
	"hash/maphash"
	"slices"
	"unsafe"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// plan is a world to be explored: what is posted, and what the link may do to it.
type plan struct {
	small   bool // explored also to find faults
	long    bool // explored only with -explore
	service ib.Transport
	name    string
	bits    int
	start   uint32 // first PSN, in packets
	work    []roce.Work
	// second is what a second requester posts: of another QP beside the first, or with both, of the QP at the other end.
	second []roce.Work
	both   bool
	// again is posted when the QP has been reset and connected anew, which may happen at any time; with timeWait when the
	// packets of the first connection are gone. anyStart begins with the first connection's start PSN in place of
	// SafeStart.
	again    []roce.Work
	timeWait bool
	anyStart bool

	window                     uint32
	inFlight                   int
	lose, double, delay, early int // how often: early is a timeout that nothing called for
	unsolicited                int // ACKs that nothing called for
	spoil                      int // responses that their requests cannot have
	kill                       int // QPs that go to error from outside
	immortal                   bool
	lateReceive                bool // receive WQEs are posted at any time
	limited                    bool // the requester starts without credits
	patient                    bool // an RNR wait is longer than what is on the way and what is owed
	retries, rnrRetries        uint8
	room                       uint32      // bytes of a receive WQE; 0: enough
	access                     roce.Access // of the QP; 0: everything
	bad                        uint64      // the message that the responder has to refuse
	badStatus                  roce.Status // and how it ends
	errors                     []roce.Rule // rules that may and that do end the QP
	spec                       roce.Profile
}

func (p *plan) receiveLen() uint32 {
	if p.room != 0 {
		return p.room
	}
	return 1 << 20
}

// message is the packet of a flight, with what its bytes were.
type message struct {
	answer  bool // goes to the requester
	ch      uint8
	epoch   uint8
	off     uint32
	packet  roce.Packet
	id      uint64 // message that the payload is of
	address uint64
}

// flight is a packet on the link.
type flight struct {
	used, late bool // late: keeps no order any more
	message    uint32
	number     int32 // PSN without wrap
}

// channel is a requester, the responder that it talks to, and what has happened between them.
type channel struct {
	q, r           uint32 // states
	high, expected int32  // of q and r, without wrap
	told           int32  // the last PSN that was acknowledged
	bytesAt        uint32 // of the message that is being delivered
	returned       uint32 // bytes of the READ that is being returned
	watch          watch

	posted    uint8 // receive WQEs
	received  uint8 // receive completions
	ended     uint8 // receive WQEs that ended with an error
	executed  uint8 // messages that changed something at the responder
	bound     uint8 // local work done
	atomics   uint8 // executed
	completed uint8
	failed    bool  // a WQE ended with an error
	filling   uint8 // UC: the message that bytesAt counts in
	whole     uint8 // UC: the messages that arrived, a bit each
}

// world is one or two channels, the link between them and what the link has done.
type world struct {
	ch                            [2]channel
	link                          [4]flight // by direction and in order, late ones behind
	lost, doubled, delayed, early uint8
	unsolicited, killed, epoch    uint8
	spoiled                       uint8
}

const counterVA, readVA = 1 << 20, 1 << 16

// explorer knows a plan and all that its worlds are made of.
type explorer struct {
	plan     plan
	channels int
	work     [2][2][]roce.Work // by channel and connection
	q        *table[roce.Requester, requesterFacts]
	r        *table[roce.Responder, responderFacts]
	packets  []message
	numbers  map[message]uint32
	qcfgs    map[psn.PSN]*roce.RequesterConfig
	rcfgs    map[psn.PSN]*roce.ResponderConfig
	width    roce.Width
	seeds    [2]maphash.Seed
	happened map[roce.Rule]bool // rules that ended a QP
	wrong    string             // the first violation
	graph    graph
}

func newExplorer(p plan, live bool) *explorer {
	x := &explorer{plan: p, channels: 1, width: roce.WidthOf(p.bits), numbers: map[message]uint32{},
		happened: map[roce.Rule]bool{},
		qcfgs:    map[psn.PSN]*roce.RequesterConfig{}, rcfgs: map[psn.PSN]*roce.ResponderConfig{},
		seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	if p.second != nil {
		x.channels = 2
	}
	x.work = [2][2][]roce.Work{{p.work, p.again}, {p.second, nil}}
	x.q = newTable(live, x.requesterAct, factsOfRequester)
	x.r = newTable(live, x.responderAct, factsOfResponder)
	return x
}

const everything = roce.RemoteRead | roce.RemoteWrite | roce.RemoteAtomic | roce.FlushGlobal | roce.FlushPersistent

// configs are those of a connection that begins with a PSN.
func (x *explorer) configs(start psn.PSN) (*roce.RequesterConfig, *roce.ResponderConfig) {
	if x.qcfgs[start] != nil {
		return x.qcfgs[start], x.rcfgs[start]
	}
	p := &x.plan
	or7 := func(n uint8) uint8 {
		if n == 0 {
			return 7
		}
		return n
	}
	q := &roce.RequesterConfig{Service: p.service, Profile: p.spec, Width: x.width, PMTUBytes: 256, StartPSN: start,
		MaxReads: 2,
		Timeout:  1, RetryCount: or7(p.retries), RNRRetry: or7(p.rnrRetries), Window: p.window, Limited: p.limited}
	access := p.access
	if access == 0 {
		access = everything
	}
	r := &roce.ResponderConfig{Service: p.service, Profile: p.spec, Width: x.width, PMTUBytes: 256, StartPSN: start,
		MaxReads: 2,
		Access:   access, Regions: [roce.MaxRegions]roce.Region{{RKey: 7, Len: 1 << 32, Access: everything}}}
	x.qcfgs[start], x.rcfgs[start] = q, r
	return q, r
}

// begin is the state with everything posted and nothing sent.
func (x *explorer) begin() *world {
	w := &world{}
	for c := range x.channels {
		x.connect(w, c, psn.New(x.plan.start*uint32(x.width)), 0)
	}
	return w
}

// connect makes the machines of a channel anew. What has happened begins anew too, and PSNs without wrap go on.
func (x *explorer) connect(w *world, c int, start psn.PSN, high int32) {
	qcfg, rcfg := x.configs(start)
	q, r := new(roce.Requester), new(roce.Responder)
	*q, *r = roce.NewRequester(qcfg), roce.NewResponder(rcfg)
	ch := &w.ch[c]
	*ch = channel{high: high, expected: high, told: high - 1}
	var out roce.Batch
	for _, work := range x.work[c][w.epoch] {
		if !q.Post(work, &out) {
			panic("a plan with work that cannot be posted")
		}
	}
	ch.q, ch.r = x.q.add(q), x.r.add(r)
	for !x.plan.lateReceive && ch.posted < x.receives(w, c) {
		x.postReceive(w, c)
	}
}

func (x *explorer) receives(w *world, c int) uint8 {
	return uint8(x.receiveOf(w, c, uint64(len(x.work[c][w.epoch]))))
}

func (x *explorer) postReceive(w *world, c int) bool {
	ch := &w.ch[c]
	o := x.r.do(ch.r, inReceive, uint32(ch.posted)+1)
	ch.r = o.id
	ch.posted++
	return o.ok
}

func (x *explorer) key(w *world) (k [2]uint64) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(w)), unsafe.Sizeof(*w))
	k[0], k[1] = maphash.Bytes(x.seeds[0], b), maphash.Bytes(x.seeds[1], b)
	return k
}

// ended reports whether everything that was posted has ended, well or not.
func (x *explorer) ended(w *world) bool {
	for c := range x.channels {
		if int(w.ch[c].completed) != len(x.work[c][w.epoch]) {
			return false
		}
	}
	return true
}

func (x *explorer) fail(format string, args ...any) {
	if x.wrong == "" {
		x.wrong = fmt.Sprintf(format, args...)
	}
}

func (w *world) flying() (n int) {
	for i := range w.link {
		if w.link[i].used {
			n++
		}
	}
	return n
}

// busy reports whether packets of a channel are on the way.
func (x *explorer) busy(w *world, c int) bool {
	for i := range w.link {
		if w.link[i].used && int(x.packets[w.link[i].message].ch) == c {
			return true
		}
	}
	return false
}

func (x *explorer) launch(w *world, number int32, m message) {
	m.epoch = w.epoch
	w.put(flight{used: true, message: x.number(m), number: number})
}

// number numbers a packet by what it is.
func (x *explorer) number(m message) uint32 {
	id, was := x.numbers[m]
	if !was {
		id = uint32(len(x.packets))
		x.numbers[m] = id
		x.packets = append(x.packets, m)
	}
	return id
}

// put adds a packet behind all others.
func (w *world) put(f flight) {
	for i := range w.link {
		if !w.link[i].used {
			w.link[i] = f
			return
		}
	}
	panic("link is full")
}

// group is the direction of a packet that keeps its order, 2 of one that keeps none, 3 of an empty place.
func (x *explorer) group(f *flight) int {
	if !f.used {
		return 3
	}
	if f.late {
		return 2
	}
	m := &x.packets[f.message]
	backward := m.answer
	if x.plan.both && m.ch == 1 {
		backward = !backward
	}
	if backward {
		return 1
	}
	return 0
}

// settle brings the packets in flight into an order that equal states share, and takes away those whose PSN could be
// taken for another: the bound on a packet's lifetime is half of the PSNs (PSN-6).
func (x *explorer) settle(w *world) {
	half := int32(1) << (x.plan.bits - 1)
	for i := range w.link {
		f := &w.link[i]
		if !f.used || x.plan.immortal {
			continue
		}
		m := &x.packets[f.message]
		ch := &w.ch[m.ch]
		switch {
		case m.answer && ch.high-f.number > half,
			!m.answer && x.plan.service == ib.RC && ch.expected-f.number > half,
			// ePSN of UC may stand still while the requester goes on.
			!m.answer && x.plan.service != ib.RC && max(ch.expected, ch.high-half/2)-f.number >= half:
			*f = flight{}
		}
	}
	slices.SortStableFunc(w.link[:], func(a, b flight) int {
		g := x.group(&a)
		if d := g - x.group(&b); d != 0 || g != 2 {
			return d
		}
		if a.message != b.message {
			return int(a.message) - int(b.message)
		}
		return int(a.number - b.number)
	})
}

func (x *explorer) between(p, q psn.PSN) int32 {
	return int32(uint32(psn.New(uint32(p)-uint32(q))) / uint32(x.width))
}
