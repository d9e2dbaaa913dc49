package standin

import (
	"fmt"
	"io"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/scenario"
)

// The inputs of hca_rx.
const (
	frames sim.Port = iota // s_axis
	operations
	acknowledgements // s_mem
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
}

// Played plays what an endpoint received: its operations, then its frames. A receive WQE comes before the first frame
// that was taken behind its time; where the queue has no room for all of them it is filled again when it is empty.
// Memory acknowledges what a frame writes as soon as it is written.
// Behind each READ and atomic comes the operation that the engine would give which is not built. Operations and frames
// enter by two ports; they wait for each other by the pace of the run.
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
	seq      [acknowledgements + 1]uint64
	why      []string
	beats    int // since the last wait
}

type played struct {
	port sim.Port
	at   uint64
	why  string
	data []byte
}

// Next gives the next input, or io.EOF.
func (p *Played) Next(o *sim.Offer) (err error) {
	if p.in == nil {
		if p.in, err = capture.Open(p.Endpoint.File); err != nil {
			return err
		}
		p.setUp()
	}
	if len(p.ahead) > 0 {
		next := p.ahead[0]
		p.ahead = p.ahead[1:]
		p.offer(o, next.port, next.at, next.data, 0, next.why)
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
		p.ahead = append(p.ahead, played{acknowledgements, p.Clock.now, "its payload is written", ack.Append(nil)})
	}
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
	p.ahead = append(p.ahead, played{operations, p.Clock.now, "to set up: " + op.Why, data})
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
