package loop

import (
	"fmt"
	"maps"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// Rogue is a peer that misbehaves on purpose: the model, with what it sends spoiled.
type Rogue struct {
	Name  string
	About string
	// spoil changes a frame that the peer sends, decoded in w; nil: it is not sent.
	spoil func(r *rogue, w *wire.Packet) []byte
}

// rogues are the peers that misbehave, by name.
var rogues = map[string]Rogue{
	"silent": {About: "never acknowledges", spoil: func(_ *rogue, w *wire.Packet) []byte {
		if w.Op != nil && w.Op.Response {
			return nil
		}
		return w.Frame
	}},
	"rnr-forever":  {About: "puts an RNR NAK into every ACK", spoil: answerAll(ib.RNRSyndrome(1))},
	"nak-storm":    {About: "puts into every ACK a sequence NAK", spoil: answerAll(ib.NAKSequence)},
	"fatal-nak":    {About: "puts into every ACK a remote operation error", spoil: answerAll(ib.NAKRemoteOp)},
	"wrong-msn":    {About: "counts messages wrong", spoil: wrongMSN},
	"unsolicited":  {About: "acknowledges what was not sent yet", spoil: ahead},
	"stale":        {About: "sends each answer a second time, 64 answers later", spoil: stale},
	"wrong-psn":    {About: "acknowledges half the PSNs away", spoil: shifted(1 << 23)},
	"bad-icrc":     {About: "sends a sixteenth of its answers with a wrong ICRC", spoil: badICRC},
	"reserved-nak": {About: "puts into every ACK a reserved syndrome", spoil: answerAll(0x7F)},
}

// failure is the completion status that a peer must bring about; "" where everything ends well.
var failure = map[string]string{"silent": "retry exceeded", "rnr-forever": "RNR retry exceeded",
	"nak-storm": "retry exceeded", "fatal-nak": "remote operation error", "wrong-psn": "retry exceeded",
	"reserved-nak": "remote operation error"}

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
	spoil func(r *rogue, w *wire.Packet) []byte
	w     wire.Packet
	n     int
	past  [][]byte // answers, the oldest first
}

func (r *Rogue) around(e End) End { return &rogue{End: e, spoil: r.spoil} }

// Next spoils what the end sends.
func (r *rogue) Next(nowNs uint64, dst []byte) ([]byte, bool) {
	for {
		frame, ok := r.End.Next(nowNs, dst)
		if !ok {
			return frame, false
		}
		wire.Decode(wire.LinkEthernet, frame, &r.w)
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
