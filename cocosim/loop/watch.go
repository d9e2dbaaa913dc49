package loop

import (
	"slices"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
)

// watch counts what an end does about losses, from what it sends and receives, whatever it is made of: retries by the
// rule that the judge finds behind them, recovery times, and what reached it as its transport timer ran out.
type watch struct {
	pmtu    uint32
	timerNs uint64
	qps     map[uint32]*watched
	causes  map[roce.Rule]uint64
	crossed map[string]uint64
	tookNs  []uint64
}

// watched is a QP's requester.
type watched struct {
	begun     bool
	una, high psn.PSN
	run       psn.PSN // behind the packet that left last
	armedNs   uint64
	fatal     []psn.PSN // that fatal NAKs have named, each once; full at mostFatal
	lost      []loss    // of its requests and of their responses, the oldest first
	sinceNs   uint64    // of the loss that it recovers from; 0: of none
}

// loss is a packet that the link lost or damaged.
type loss struct {
	psn  psn.PSN
	atNs uint64
}

// manyLosses is how many are kept before those are looked for that need no retry, and mostLosses how many at all: the
// oldest count, and a queue pair whose packets are all lost may send for ever.
const (
	manyLosses = 64
	mostLosses = 1024
)

// mostFatal is how many are kept: far more than a queue pair has outstanding. Behind them nothing is said of which
// message a fatal NAK may end.
const mostFatal = 1024

// refuse notes what a fatal NAK names.
func (q *watched) refuse(p psn.PSN) {
	if len(q.fatal) < mostFatal && !slices.Contains(q.fatal, p) {
		q.fatal = append(q.fatal, p)
	}
}

// Recovery is how long it took from a loss that a queue pair had to go back for to the first new PSN behind that.
type Recovery struct {
	Count  int    `json:"count"`
	MeanNs uint64 `json:"mean_ns"`
	HalfNs uint64 `json:"median_ns"`
	MostNs uint64 `json:"most_ns"`
}

func newWatch(pmtu uint32, timerNs uint64) *watch {
	return &watch{pmtu: pmtu, timerNs: timerNs, qps: map[uint32]*watched{}, causes: map[roce.Rule]uint64{},
		crossed: map[string]uint64{}}
}

// qp is that of a packet: both ends number their queue pairs alike.
func (w *watch) qp(p *wire.Packet) *watched {
	bth := p.BTH()
	if p.Op == nil || bth == nil || p.ICRC() != wire.ICRCGood {
		return nil
	}
	q := w.qps[bth.DestQP()]
	if q == nil {
		q = &watched{}
		w.qps[bth.DestQP()] = q
	}
	return q
}

// see takes a packet of the end, and what its judge says of it.
func (w *watch) see(nowNs uint64, p *wire.Packet, sent bool, v *flow.Verdict) {
	q := w.qp(p)
	var k roce.Packet
	if q == nil || !onwire.Take(p, &k) || sent == p.Op.Response {
		return
	}
	if sent {
		w.request(nowNs, q, &k, v.Cause)
		return
	}
	if q.begun {
		w.response(nowNs, q, &k)
	}
}

// request takes one that the end sends: new, or one that goes back.
func (w *watch) request(nowNs uint64, q *watched, p *roce.Packet, why roce.Rule) {
	if !q.begun {
		q.begun, q.una, q.high, q.run = true, p.PSN, p.PSN, p.PSN
	}
	uses := uint32(1)
	if p.Op.Shape().Verb == ib.VerbRead {
		uses = psn.OfRead(p.DMALen, w.pmtu)
	}
	switch fresh := p.PSN == q.high; {
	case fresh && q.una == q.high:
		q.armedNs = nowNs
	case !fresh && p.PSN.Before(q.run) && !p.PSN.Before(q.una):
		w.causes[why]++
		q.armedNs = nowNs
		q.back()
	}
	if q.run = p.PSN.Add(int32(uses)); q.run.After(q.high) {
		if q.high = q.run; q.sinceNs != 0 {
			w.tookNs = append(w.tookNs, nowNs-q.sinceNs)
			q.sinceNs = 0
		}
	}
}

// back notes from when on the loss stands that it goes back for: the first that is not acknowledged.
func (q *watched) back() {
	q.lost = slices.DeleteFunc(q.lost, func(l loss) bool { return l.psn.Before(q.una) })
	if len(q.lost) > 0 && q.sinceNs == 0 {
		q.sinceNs = q.lost[0].atNs
	}
	q.lost = q.lost[:0]
}

// response takes one that reaches the end.
func (w *watch) response(nowNs uint64, q *watched, p *roce.Packet) {
	to, name := p.PSN.Add(1), "response"
	if p.Op.Shape().Verb == ib.NoVerb {
		switch name = "ACK"; p.Syndrome.Kind() {
		case ib.KindRNR:
			to, name = p.PSN, "RNR NAK"
		case ib.KindNAK:
			if to, name = p.PSN, "NAK"; p.Syndrome != ib.NAKSequence {
				q.refuse(p.PSN)
			}
		}
	}
	if q.una == q.high || to.Before(q.una) || to.After(q.high) || to == q.una && name != "NAK" && name != "RNR NAK" {
		return
	}
	if ran := nowNs - q.armedNs; w.timerNs > 0 && ran+ib.TickNs >= w.timerNs && ran <= w.timerNs+2*ib.TickNs {
		w.crossed[name]++
	}
	if to != q.una || name == "RNR NAK" {
		q.una, q.armedNs = to, nowNs
	}
}

// lose takes a packet that the link loses or damages: a request of the end, or a response to it.
func (w *watch) lose(nowNs uint64, p *wire.Packet) {
	q := w.qp(p)
	if q == nil || !q.begun {
		return
	}
	q.miss(loss{psn.PSN(p.BTH().PSN()), nowNs})
}

// miss notes a loss.
func (q *watched) miss(l loss) {
	if len(q.lost) >= manyLosses {
		q.lost = slices.DeleteFunc(q.lost, func(l loss) bool { return l.psn.Before(q.una) })
	}
	if len(q.lost) < mostLosses {
		q.lost = append(q.lost, l)
	}
}

// recovery sums up.
func (w *watch) recovery() (r Recovery) {
	if r.Count = len(w.tookNs); r.Count == 0 {
		return r
	}
	slices.Sort(w.tookNs)
	for _, ns := range w.tookNs {
		r.MeanNs += ns
	}
	r.MeanNs /= uint64(r.Count)
	r.HalfNs, r.MostNs = w.tookNs[r.Count/2], w.tookNs[r.Count-1]
	return r
}
