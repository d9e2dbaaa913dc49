package loop

import (
	"fmt"
	"maps"
	"slices"

	"hcacosim/model/endpoint"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// Rogue is a peer that misbehaves on purpose: the model, with what it sends spoiled, or with what it knows taken from
// it.
type Rogue struct {
	Name  string
	About string
	// spoil changes a frame that the peer sends, decoded in w; nil: it is not sent.
	spoil func(r *rogue, w *wire.Packet) []byte
	// took is told of each frame that the peer received, behind it.
	took func(r *rogue, w *wire.Packet)
	// starts is where an earlier connection began whose packets come again, if not nil.
	starts func(p *Pair) starts
	// ends are the completion statuses that it may bring about, one of them on each queue pair; none: all must end well.
	ends []roce.Status
	// late are such statuses that only a link that does harm brings about.
	late []roce.Status
	// orWell: over such a link A may never notice.
	orWell bool
	// waits: credits may be wrong for ever, and no rule ends a wait for them.
	waits bool
	// unheard, if not nil: whether a profile takes no notice of what it sends, so that retries run out, or over a link
	// that does harm all may end well.
	unheard func(p *roce.Profile) bool
}

// honest reports whether the peer itself keeps the rules: what is wrong is what else arrives.
func (r *Rogue) honest() bool { return r.starts != nil }

// rogues are the peers that misbehave, by name.
var rogues = map[string]Rogue{
	"silent": {About: "never acknowledges", spoil: func(_ *rogue, w *wire.Packet) []byte {
		if w.Op != nil && w.Op.Response {
			return nil
		}
		return w.Frame
	}, ends: exceeded},
	"rnr-forever": {About: "puts an RNR NAK into every ACK", spoil: answerAll(ib.RNRSyndrome(1)),
		ends: []roce.Status{roce.RNRRetryExceeded}},
	"nak-storm": {About: "puts into every ACK a sequence NAK", spoil: answerAll(ib.NAKSequence), ends: exceeded,
		orWell: true}, // a later response may acknowledge the last one of each
	"fatal-nak": {About: "puts into every ACK a remote operation error", spoil: answerAll(ib.NAKRemoteOp),
		ends: []roce.Status{roce.RemoteOperation}},
	"wrong-msn":   {About: "counts messages wrong", spoil: wrongMSN, waits: true},
	"unsolicited": {About: "acknowledges what was not sent yet", spoil: ahead},
	"stale":       {About: "sends each answer a second time, 64 answers later", spoil: stale, late: exceeded},
	"wrong-psn":   {About: "acknowledges half the PSNs away", spoil: shifted(1 << 23), ends: exceeded},
	"bad-icrc":    {About: "sends a sixteenth of its answers with a wrong ICRC", spoil: badICRC},
	"reserved-nak": {About: "puts into every ACK a reserved syndrome", spoil: answerAll(0x7F),
		ends:    []roce.Status{roce.RemoteOperation},
		unheard: func(p *roce.Profile) bool { return p.ReservedNAKIgnored }},
	"reset": {About: "forgets a queue pair inside a message and begins as it began first", took: forgets(0),
		ends: exceeded},
	"reset-psn": {About: "forgets a queue pair inside a message and begins with another PSN", took: forgets(1 << 22),
		ends: exceeded},
	"reset-message": {About: "forgets which message is open, and keeps the PSN", took: forgetsMessage,
		ends: []roce.Status{roce.RemoteInvalidRequest}, late: exceeded},
	// A receive WQE that the broken message held ends with LocalError.
	"reset-send": {About: "forgets the message that it sends, keeps the PSN and begins another", spoil: forgetsOwn,
		ends: []roce.Status{roce.Flushed, roce.LocalError}, late: exceeded, orWell: true},
	"ghosts": {About: "packets of an earlier connection come, outside of the window", starts: aheadOfWindow},
	"ghosts-behind": {About: "packets of an earlier connection come, whose PSNs end where the new ones begin",
		starts: behindWindow},
}

var exceeded = []roce.Status{roce.RetryExceeded}

// Rogues lists the peers that misbehave.
func Rogues() []Rogue {
	var all []Rogue
	for _, name := range slices.Sorted(maps.Keys(rogues)) {
		r := rogues[name]
		r.Name = name
		all = append(all, r)
	}
	return all
}

// FindRogue finds a peer that misbehaves.
func FindRogue(name string) (*Rogue, error) {
	r, ok := rogues[name]
	if !ok {
		return nil, fmt.Errorf("no rogue %q; there are %v", name, slices.Sorted(maps.Keys(rogues)))
	}
	r.Name = name
	return &r, nil
}

// rogue is one at work.
type rogue struct {
	End
	*Rogue
	peer   *endpoint.Endpoint
	pmtu   uint32
	w      wire.Packet
	nowNs  uint64
	n      int
	past   [][]byte       // answers, the oldest first; or packets of an earlier connection
	middle map[uint32]int // packets inside messages, by queue pair
	begun  map[uint32]bool
	// isGhost: what left last is of an earlier connection.
	isGhost bool
}

func (r *Rogue) around(p *Pair, e *endpoint.Endpoint) *rogue {
	return &rogue{End: e, Rogue: r, peer: e, pmtu: p.Traffic.PMTU, middle: map[uint32]int{}, begun: map[uint32]bool{}}
}

// Receive lets the peer take a frame.
func (r *rogue) Receive(nowNs uint64, frame []byte) {
	r.End.Receive(nowNs, frame)
	if r.took != nil {
		if wire.Decode(wire.LinkEthernet, frame, &r.w); r.w.ICRC() == wire.ICRCGood {
			r.nowNs = nowNs
			r.took(r, &r.w)
		}
	}
}

// Next spoils what the end sends.
func (r *rogue) Next(nowNs uint64, dst []byte) ([]byte, bool) {
	if ghost := r.ghost(); ghost != nil {
		return append(dst, ghost...), true
	}
	for {
		frame, ok := r.End.Next(nowNs, dst)
		if !ok || r.spoil == nil {
			r.sent(ok)
			return frame, ok
		}
		wire.Decode(wire.LinkEthernet, frame, &r.w)
		r.nowNs = nowNs
		if frame = r.spoil(r, &r.w); frame != nil {
			return frame, true
		}
	}
}

// answer reports whether a frame is a response with an AETH.
func answer(w *wire.Packet) bool { return w.Op != nil && w.Op.Response && w.Op.Headers.Has(ib.AETH) }

// answerAll puts one syndrome into every ACK; data that READs and atomics bring stays.
func answerAll(s ib.Syndrome) func(*rogue, *wire.Packet) []byte {
	return func(_ *rogue, w *wire.Packet) []byte {
		if w.Op != nil && w.Op.Operation == ib.Ack && w.Op.Response {
			w.AETH()[0] = byte(s)
			wire.PutICRC(w.Frame, &w.Location)
		}
		return w.Frame
	}
}

func wrongMSN(r *rogue, w *wire.Packet) []byte {
	if answer(w) {
		r.n++
		w.AETH()[1+r.n%3] ^= 1 << (r.n % 8)
		wire.PutICRC(w.Frame, &w.Location)
	}
	return w.Frame
}

// shifted moves the PSN of every response.
func shifted(by uint32) func(*rogue, *wire.Packet) []byte {
	return func(_ *rogue, w *wire.Packet) []byte {
		if w.Op != nil && w.Op.Response {
			putPSN(w, uint32(w.BTH().PSN())+by)
		}
		return w.Frame
	}
}

func putPSN(w *wire.Packet, p uint32) {
	b := w.BTH()
	b[9], b[10], b[11] = byte(p>>16), byte(p>>8), byte(p)
	wire.PutICRC(w.Frame, &w.Location)
}

// ahead acknowledges more than was sent, with every fourth ACK.
func ahead(r *rogue, w *wire.Packet) []byte {
	if w.Op != nil && w.Op.Operation == ib.Ack {
		if r.n++; r.n%4 == 0 {
			putPSN(w, uint32(w.BTH().PSN())+200)
		}
	}
	return w.Frame
}

// stale sends old answers in place of requests of its own.
func stale(r *rogue, w *wire.Packet) []byte {
	if w.Op == nil {
		return w.Frame
	}
	if w.Op.Response {
		r.past = append(r.past, slices.Clone(w.Frame))
		return w.Frame
	}
	if len(r.past) < 64 {
		return nil
	}
	frame := r.past[0]
	r.past = r.past[1:]
	return frame
}

func badICRC(r *rogue, w *wire.Packet) []byte {
	if w.Op != nil && w.Op.Response {
		if r.n++; r.n*0x9E37>>7&15 == 0 {
			w.ICRCBytes()[0] ^= 1
		}
	}
	return w.Frame
}
