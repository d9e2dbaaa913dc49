package flow

import (
	"math"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// maxOwed bounds the responses that are foreseen and have not been seen; what a long READ still owes stays with the
// machine.
const maxOwed = 4096

// owed is a response that the machine foresees.
type owed struct {
	packet roce.Packet
	va     uint64
	sum    uint32 // of the payload, if known
	known  bool   // payload, or value of an atomic
	replay bool   // of a request that was answered before
	number uint64 // of the request
	timeNS int64
}

// predictor runs the machine beside an endpoint whose configuration, receive WQEs and memory are known, and says which
// responses must leave, in order.
type predictor struct {
	cfg     roce.ResponderConfig
	machine roce.Responder
	mem     *memory
	recvs   []Recv // of this end, not posted yet
	postNS  int64  // when the last was
	posted  uint64
	out     roce.Batch
	queue   []owed // from head on
	head    int
	buf     [ib.MaxPMTU]byte
	first   bool     // the request starts a message, and came in the middle of a WRITE
	unknown [16]bool // slots whose atomic's value is not known
	plenty  bool     // of receive WQEs: how many there are is not known
	again   bool     // the request is fed a second time: memory has its payload, and what came behind it
	adrift  bool     // how many messages the device has counted is not known
	shift   uint32   // what the device counts more
	blind   bool     // a payload was cut: what memory holds is not known
	replay  bool     // the request is a duplicate
	wedged  bool     // a First or Only of UC was dropped in the middle of a WRITE
}

func newPredictor(s *Sidecar, side string, profile *roce.Profile) *predictor {
	p := &predictor{cfg: s.responder(side, profile), mem: newMemory(s.fills(side))}
	p.machine = roce.NewResponder(&p.cfg)
	p.machine.State = s.end(side).state()
	for _, r := range s.Recvs {
		if r.Side == side {
			p.recvs = append(p.recvs, r)
		}
	}
	return p
}

// post gives the machine what was posted before a time. Its queue may be smaller than the list.
func (p *predictor) post(timeNS int64) {
	for len(p.recvs) > 0 && p.recvs[0].PostNS <= timeNS &&
		p.machine.PostReceive(roce.Receive{ID: p.posted, Len: p.recvs[0].Len}) {
		p.postNS = p.recvs[0].PostNS
		p.posted, p.recvs = p.posted+1, p.recvs[1:]
	}
}

// take steps the machine with a request that reached the endpoint.
func (p *predictor) take(number uint64, timeNS int64, r *roce.Packet, payload []byte) {
	p.post(timeNS)
	p.blind = p.blind || payload == nil && r.Len > 0 && !p.again
	if p.plenty {
		for p.machine.PostReceive(roce.Receive{Len: math.MaxUint32}) {
		}
	}
	p.out = p.out[:0]
	p.first = startsMessage(r.Op.Shape()) && p.machine.Receiving() == roce.Write
	p.machine.Step(r, &p.out)
	p.drain(number, timeNS, payload)
}

// startsMessage reports whether a request is the First or Only of a SEND or WRITE.
func startsMessage(s *ib.Shape) bool {
	return s.First && (s.Verb == roce.Send || s.Verb == roce.Write)
}

func (p *predictor) drain(number uint64, timeNS int64, payload []byte) {
	for i := 0; ; i++ {
		if i == len(p.out) {
			if len(p.queue)-p.head >= maxOwed || !p.machine.Next(&p.out) {
				return
			}
		}
		switch e := &p.out[i]; e.Kind {
		case roce.Drop:
			p.wedged = p.wedged || e.Why == "RSP-3" && p.first
		case roce.SendResponse:
			p.owe(e, number, timeNS)
		case roce.WriteMemory:
			if !p.again {
				p.mem.write(e.VA, payload)
			}
		case roce.AtomicMemory:
			value, known := p.mem.atomic(&e.Packet)
			p.unknown[e.Slot&15] = !known
			p.machine.Result(e.Slot, value)
		}
	}
}

func (p *predictor) owe(e *roce.Effect, number uint64, timeNS int64) {
	o := owed{packet: e.Packet, va: e.VA, known: true, replay: p.replay, number: number, timeNS: timeNS}
	o.packet.MSN = p.shifted(&e.Packet)
	switch {
	case e.Len > 0:
		b := p.buf[:e.Len]
		if o.known = !p.again && !p.blind && p.mem.read(e.VA, b); o.known {
			o.sum = sum(b)
		}
	case e.Packet.Op.Shape().Verb.Atomic():
		o.known = !p.blind && !p.anyUnknown()
	}
	if p.head > 1024 && p.head > len(p.queue)/2 {
		p.queue = p.queue[:copy(p.queue, p.queue[p.head:])]
		p.head = 0
	}
	p.queue = append(p.queue, o)
}

// renew makes the machine anew with a PSN for the next. Memory stays.
func (p *predictor) renew(start psn.PSN) {
	p.cfg.StartPSN, p.cfg.Open = start, true
	p.machine = roce.NewResponder(&p.cfg)
	p.queue, p.head, p.recvs, p.plenty, p.adrift = p.queue[:0], 0, nil, true, true
	p.shift, p.unknown, p.wedged = 0, [16]bool{}, false
}

// shifted is the count of messages in a response as the device has it.
func (p *predictor) shifted(r *roce.Packet) uint32 {
	if p.shift == 0 || !ib.Lookup(r.Op).Headers.Has(ib.AETH) {
		return r.MSN
	}
	return (r.MSN + p.shift) & 0xFFFFFF
}

// settleShift takes the device's count of messages from its first response since the machine was made anew.
func (p *predictor) settleShift(o *owed, r *roce.Packet) {
	if !p.adrift || !ib.Lookup(r.Op).Headers.Has(ib.AETH) || !ib.Lookup(o.packet.Op).Headers.Has(ib.AETH) {
		return
	}
	p.adrift, p.shift = false, (r.MSN-o.packet.MSN)&0xFFFFFF
	o.packet.MSN = r.MSN
	for i := p.head; i < len(p.queue); i++ {
		p.queue[i].packet.MSN = p.shifted(&p.queue[i].packet)
	}
}

func (p *predictor) anyUnknown() bool {
	for _, u := range p.unknown {
		if u {
			return true
		}
	}
	return false
}

// miss is how a response that was sent differs from what was foreseen.
type miss struct {
	skipped  int  // foreseen responses before it that did not come
	first    owed // of those
	differs  bool // it came, and is not equal
	expected owed // if differs
	at       int  // first byte of the payload that differs; -1: the headers do
	extra    bool // nothing of its PSN was foreseen
}

// equal reports whether the response is the foreseen one: opcode, PSN, syndrome, MSN, and payload where it is known.
func (o *owed) equal(r *roce.Packet, payload []byte) bool {
	want := o.packet
	if !o.known {
		want.Original = r.Original
	}
	return want == *r && (len(payload) == 0 || !o.known || o.sum == sum(payload))
}

// sent offers a response that the endpoint sent; after a miss the two are aligned again by PSN.
func (p *predictor) sent(r *roce.Packet, payload []byte) (m miss, good bool) {
	at := p.place(r, payload)
	if at < 0 {
		return miss{extra: true}, false
	}
	o := p.queue[at]
	if m.skipped = at - p.head; m.skipped > 0 {
		m.first = p.queue[p.head]
	}
	if r.Answer() == roce.SequenceAnswer {
		p.pass(at)
	} else {
		p.head = at + 1
	}
	p.settleShift(&o, r)
	if good = o.equal(r, payload); !good {
		m.differs, m.expected, m.at = true, o, p.firstDifference(&o, payload)
	}
	p.learn(&o, r, payload)
	p.out = p.out[:0]
	p.drain(o.number, o.timeNS, nil)
	if p.head == len(p.queue) {
		p.queue, p.head = p.queue[:0], 0
	}
	return m, good
}

// pass takes a response away that was sent before others: READs and atomics that it passed may be answered yet.
func (p *predictor) pass(at int) {
	for at > p.head && p.queue[at-1].packet.Answer() == roce.DataAnswer {
		p.queue[at-1], p.queue[at] = p.queue[at], p.queue[at-1]
		at--
	}
	p.head = at + 1
}

// place finds the foreseen response that one which was sent stands for: the equal one, else one of its kind, else one
// of its PSN; -1 if nothing of its PSN was foreseen. A sequence NAK may name the wrong PSN.
func (p *predictor) place(r *roce.Packet, payload []byte) int {
	kind, of := -1, -1
	for i := p.head; i < len(p.queue); i++ {
		o := &p.queue[i]
		switch {
		case kind < 0 && r.Answer() == roce.SequenceAnswer && o.packet.Answer() == roce.SequenceAnswer:
			kind = i
		case o.packet.PSN != r.PSN:
		case o.equal(r, payload):
			return i
		case kind < 0 && o.packet.Answer() == r.Answer():
			kind = i
		case of < 0:
			of = i
		}
	}
	if kind >= 0 {
		return kind
	}
	return of
}

// foresees reports whether a response of this PSN and kind is owed.
func (p *predictor) foresees(r *roce.Packet) bool {
	for i := p.head; i < len(p.queue); i++ {
		if o := &p.queue[i].packet; o.PSN == r.PSN && o.Answer() == r.Answer() {
			return true
		}
	}
	return false
}

// firstDifference compares with memory as it is now.
func (p *predictor) firstDifference(o *owed, payload []byte) int {
	if len(payload) == 0 || uint32(len(payload)) != o.packet.Len || !o.known {
		return -1
	}
	p.mem.read(o.va, p.buf[:len(payload)])
	for i, v := range payload {
		if v != p.buf[i] {
			return i
		}
	}
	return -1
}

// learn takes from the device what nobody told: memory that a READ shows.
func (p *predictor) learn(o *owed, r *roce.Packet, payload []byte) {
	if !o.known && len(payload) > 0 && uint32(len(payload)) == o.packet.Len {
		p.mem.write(o.va, payload)
	}
}

// pending is the oldest response that has not come.
func (p *predictor) pending() (o owed, n int) {
	if n = len(p.queue) - p.head; n > 0 {
		o = p.queue[p.head]
	}
	return o, n
}
