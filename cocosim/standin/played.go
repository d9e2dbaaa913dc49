package standin

import (
	"encoding/binary"
	"fmt"
	"io"

	"hcacosim/model/hca"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/scenario"
)

// The inputs of hca_rx.
const (
	frames sim.Port = iota // s_axis
	operations
	acknowledgements // s_mem

	readData    sim.Port = 9  // s_rd
	atomicData  sim.Port = 11 // s_ard
	atomicWrote sim.Port = 13 // s_awr
)

// Clocks that pass without an input between frames and operations that depend on each other: more than anything takes
// in hca_rx behind its last beat.
const (
	settling       = 600
	settlingBeside = 40 // operations behind each other need none

	answerBytes = 100 // at most
	dependence  = 20  // for a frame that waits for the verdict on the one before: docs/pipeline.md, Hazards
)

// Clock is the first clock in which the next capture of a run may begin.
type Clock struct {
	Pace   scenario.Pace
	now    uint64
	last   *Endpoint // whose queue pair is still there
	writes int       // of payload to memory so far
	pieces uint64    // that memory was asked for by READs
	atoms  int       // that were done
}

// Played plays what an endpoint received: its operations, then its frames. A receive WQE comes before the first frame
// that was taken behind its time; where the queue has no room for all of them it is filled again when it is empty.
// Memory acknowledges what a frame writes as soon as it is written.
// It holds what the endpoint itself answered READs and atomics with, and zeros where it answered none of a PSN.
// Operations and frames enter by two ports; they wait for each other by the pace of the run.
type Played struct {
	Endpoint *Endpoint
	Clock    *Clock
	Settings sim.Settings // of hca_rx

	model    *hca.HcaRxBlocks // says when the queue is empty, and which frames write
	told     hca.HcaRxFrame
	posts    int // so many were posted
	in       *capture.Reader
	ahead    []played      // operations that come next
	held     capture.Frame // comes behind them
	heldData []byte
	memory   map[psn.PSN][]byte // what the endpoint answered, by PSN
	seq      [atomicWrote + 1]uint64
	why      []string
	beats    int // since the last wait
}

type played struct {
	port sim.Port
	at   uint64
	why  string
	data []byte
	user uint32
}

// Next gives the next input, or io.EOF.
func (p *Played) Next(o *sim.Offer) (err error) {
	if p.in == nil {
		if p.in, err = capture.Open(p.Endpoint.File); err != nil {
			return err
		}
		p.setUp()
		if p.memory, err = p.Endpoint.answered(); err != nil {
			return err
		}
	}
	if len(p.ahead) > 0 {
		next := p.ahead[0]
		p.ahead = p.ahead[1:]
		p.offer(o, next.port, next.at, next.data, next.user, next.why)
		return nil
	}
	if p.held.Data != nil {
		p.frame(o, &p.held)
		p.held.Data = nil
		return nil
	}
	for {
		f, err := p.in.Next()
		if err != nil {
			p.in.Close()
			p.wait()
			if err == io.EOF {
				p.Clock.last = p.Endpoint
			}
			return err
		}
		if len(f.Data) == 0 || f.Cut() || p.Endpoint.sent(&f) {
			continue
		}
		if p.post(f.TimeNS) {
			p.held, p.heldData = f, append(p.heldData[:0], f.Data...)
			p.held.Data = p.heldData
			return p.Next(o)
		}
		p.frame(o, &f)
		return nil
	}
}

// post has the receive WQEs come that are due at a time, if the queue is empty; false where none are.
func (p *Played) post(timeNS int64) bool {
	e := p.Endpoint
	queue := e.QP.Receive.Queue
	if p.model.Posted(queue) > 0 || p.posts == len(e.Posts) || e.Posts[p.posts].PostNS > timeNS {
		return false
	}
	p.wait()
	before := len(p.ahead)
	for p.posts < len(e.Posts) && e.Posts[p.posts].PostNS <= timeNS && p.model.Posted(queue) < p.model.QueueDepth() {
		w := hca.ReceiveWQE{Bytes: e.Posts[p.posts].Len, WQE: uint32(p.posts)}
		p.add(e.QP.Post(w))
		p.posts++
	}
	p.Clock.now += p.Clock.Pace.Cycles(len(p.ahead)-before) + settling
	return true
}

// frame offers a frame.
func (p *Played) frame(o *sim.Offer, f *capture.Frame) {
	p.beats += p.Clock.Pace.Beats(len(f.Data)+answerBytes, 2+dependence)
	p.offer(o, frames, p.Clock.now, f.Data, hca.Sideband(1, f.Link, f.Data),
		fmt.Sprintf("%s, packet %d", p.Endpoint.File, f.Number))
	if p.model.Play(&p.told, f.Link, f.Data); p.told.Placed() {
		ack := hca.DMAAck{Tag: uint8(p.Clock.writes % hca.DMATags)}
		p.Clock.writes++
		p.ahead = append(p.ahead, played{acknowledgements, p.Clock.now, "its payload is written", ack.Append(nil), 0})
	}
	full := p.told.Placed() && p.Clock.writes%(hca.DMATags/2) == 0 // a tag comes again when its write is acknowledged
	if p.give(); full || p.told.Asks() {                           // its place is free again before the next one comes
		p.wait()
	}
}

// give has memory give what the frame asks for that was played last.
func (p *Played) give() {
	a, c := &p.told.Asked, p.Clock
	add := func(port sim.Port, data []byte, user uint32) {
		p.ahead = append(p.ahead, played{port, c.now, "memory gives", data, user})
	}
	switch {
	case !p.told.Asks():
	case a.IsRead:
		bytes := make([]byte, a.Read.Bytes)
		for at, n := uint32(0), a.Read.PSN; at < a.Read.Bytes; at, n = at+a.Read.MTU(), n.Add(1) {
			copy(bytes[at:min(at+a.Read.MTU(), a.Read.Bytes)], p.memory[n])
		}
		for _, piece := range a.Read.Pieces(c.pieces) {
			lead := int(piece.Address % hca.ReadLineBytes)
			at := int(piece.Address - a.Read.Address)
			data := append(make([]byte, lead), bytes[at:at+int(piece.Bytes)]...)
			add(readData, data, hca.ReadUser(piece.Tag, false))
			c.pieces++
			p.beats += c.Pace.Beats(len(data), 1)
		}
		p.beats += c.Pace.Beats(len(bytes), len(p.ahead)+60)
	case a.Does:
		answer := hca.AtomicAnswer{Tag: uint8(c.atoms % hca.AtomicTags)}
		if held := p.memory[p.told.Result.PSN]; len(held) == 8 {
			answer.Data = binary.BigEndian.Uint64(held)
		}
		c.atoms++
		p.beats += c.Pace.Beats(0, 60)
		add(atomicData, answer.AppendRead(nil), 0)
		if _, writes := a.Atomic.Value(answer.Data); writes {
			add(atomicWrote, answer.AppendWritten(nil), 0)
		}
	}
}

// answered are the payloads of the endpoint's READ responses and what its answers of atomics returned, by PSN: the
// first one of each.
func (e *Endpoint) answered() (map[psn.PSN][]byte, error) {
	held := map[psn.PSN][]byte{}
	err := e.each(func(f *capture.Frame) error {
		var p wire.Packet
		wire.Decode(f.Link, f.Data, &p)
		if !e.sent(f) || p.ICRC() != wire.ICRCGood || !isAnswer(&p) {
			return nil
		}
		bytes := p.Payload
		if ack := p.AtomicAckETH(); ack != nil {
			bytes = ack[:8]
		}
		if _, known := held[p.BTH().PSN()]; !known && len(bytes) > 0 {
			held[p.BTH().PSN()] = append([]byte(nil), bytes...)
		}
		return nil
	})
	return held, err
}

func (p *Played) offer(o *sim.Offer, port sim.Port, at uint64, data []byte, user uint32, why string) {
	*o = sim.Offer{NotBefore: at, Port: port, Seq: p.seq[port], User: user, Data: data}
	p.seq[port]++
	p.why = append(p.why, why)
}

// setUp has the operations of the queue pair come when the capture before is through.
func (p *Played) setUp() {
	c := p.Clock
	p.model = hca.NewHcaRxBlocks(p.Settings)
	if c.now == 0 {
		c.now = uint64(c.Pace.Words) + settling
	}
	var list []hca.HcaRxOp
	if c.last != nil {
		list = c.last.QP.Removal()
	}
	list = append(list, p.Endpoint.QP.Operations()...)
	for _, op := range list {
		p.add(op)
	}
	c.now += c.Pace.Cycles(len(list)+settlingBeside) + settling
}

// add has an operation come now.
func (p *Played) add(op hca.HcaRxOp) {
	data := op.Append(nil)
	p.model.Operate(data)
	p.ahead = append(p.ahead, played{operations, p.Clock.now, "to set up: " + op.Why, data, 0})
}

// wait lets the frames since the last wait get through.
func (p *Played) wait() {
	p.Clock.now += p.Clock.Pace.Cycles(p.beats) + settling
	p.beats = 0
}

// Origin says which packet of the capture input i is, or which operation.
func (p *Played) Origin(i uint64) string {
	if i >= uint64(len(p.why)) {
		return p.Endpoint.File
	}
	return p.why[i]
}
