package cover

import (
	"math/bits"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

func init() { declarations["req_ack_check"] = declareRequester }

func highestBit(v uint32) int { return bits.Len32(v) - 1 }

var reqWhys = Axis{"taken", "no QP", "no response", "ghost", "duplicate", "unsolicited", "inside a READ", "syndrome",
	"wrong kind", "wrong place", "length", "gap left to the timer", "RNR timer runs", "retry under way", "reserved NAK",
	"hole", "window", "READs full", "sent again", "no credit", "probe", "is open", "illegal", "no such timer",
	"wrong bits in the word"}

var reqOps = Axis{"response", "sent", "configure", "close", "retry", "go on", "look", "look, or of a code"}

var reqActions = Axis{"none", "sequence NAK", "RNR NAK", "implied NAK", "fatal NAK", "timer", "goes on", "bad response"}

// reqWhyOf is of which operation a reason can be.
var reqWhyOf = map[int]int{2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 8: 0, 9: 0, 10: 0, 11: 0, 12: 0, 13: 0, 14: 0, 15: 1,
	16: 1,
	17: 1, 18: 1, 19: 1, 20: 1, 21: 2}

const reqLost = int(roce.ReqLost)

// reqLostBin is a bin of the reason that the word was lost. It is met with a code in the memory, of all operations but
// configure, which sets the QP anew.
func reqLostBin(b *Bin, op int, coded bool) {
	switch {
	case !coded:
		b.Ignored = "the memory has no code"
	case op == int(hca.ReqConfigure):
		b.Illegal = "a QP that was lost is configured anew"
	default:
		b.Ignored = ""
	}
}

type reqTrack struct {
	lastEnd uint64
	una     uint32
	known   bool
}

type requester struct {
	*Observer
	qps map[uint32]*reqTrack

	whys, actions, regions, syndromes, causes, reads, gaps, moved *Group
}

// declareWhys declares which reason an operation has; coded says that a word may be lost.
func (r *requester) declareWhys(coded bool) {
	r.whys = r.cross("rule: operation x reason", func(at []int, b *Bin) {
		if rule := roce.ReqReason(at[1]).Rule(); rule != "" {
			b.Rules = []string{string(rule)}
		}
		if op, only := reqWhyOf[at[1]]; only && op != at[0] && at[0] != 4 && at[0] != 5 || at[1] == 21 && at[0] != 2 {
			b.Ignored = unwaited + "the reason is mostly of another operation"
		}
	}, reqOps, reqWhys)
	for i := range r.whys.Bins { // what follows from the text of the document only in part: no bin of it is waited for
		op, why := i/len(reqWhys), i%len(reqWhys)
		if why == reqLost { // of every operation that looks its QP up
			reqLostBin(&r.whys.Bins[i], op, coded)
			continue
		}
		if (op == 4 || op == 5) && why != 0 && why != 1 && why != 23 ||
			op >= 6 && why > 1 || op == 3 && why > 1 || (why == 22 && op != 1 && op != 2) || why == 23 && op != 4 && op != 5 {
			r.whys.Bins[i].Ignored = unwaited + "the reason is mostly of another operation"
		}
	}
}

func declareRequester(o *Observer, s sim.Settings) {
	r := &requester{Observer: o, qps: map[uint32]*reqTrack{}}
	coded := s.Get("Ecc", 0) != 0
	r.declareWhys(coded)
	r.actions = o.cross("rule: action x reason", func(at []int, b *Bin) {
		b.Rules = [][]string{nil, {"REQ-4"}, {"REQ-4", "TMR-4"}, {"REQ-3"}, {"REQ-4"}, {"TMR-1"}, {"TMR-5"},
			{"REQ-12"}}[at[0]]
		bad := at[1] == 7 || at[1] == 8 || at[1] == 9 || at[1] == 10
		if at[0] == 0 && at[1] == reqLost {
			reqLostBin(b, 0, coded)
			return
		}
		if at[0] == 0 && (at[1] < 7 || at[1] > 10) || at[0] == 7 && bad || at[0] >= 1 && at[0] <= 6 && at[1] == 0 {
			return
		}
		b.Ignored = unwaited + "the reason seldom comes with this action"
	}, reqActions, reqWhys)
	r.regions = o.cross("response x region", func(at []int, b *Bin) {
		if at[0] < 13 || at[0] > 18 {
			b.Ignored = unwaited + "no opcode of a response"
		}
	}, operations, Axis{"nowhere", "unacknowledged", "acknowledged", "beyond"})
	r.syndromes = o.cross("syndromes of responses", nil, Axis{"ACK", "RNR NAK", "reserved", "NAK"}, numbers(32))
	r.causes = o.cross("cause x how much goes out again", func(at []int, b *Bin) {
		switch {
		case at[0] == 0:
			b.Ignored = "no cause"
		case at[1] == 0:
			b.Ignored = "with nothing outstanding nothing goes out again"
		case at[0] == 3 && at[1] == 1:
			b.Ignored = "what implies a NAK answers a later PSN: two are outstanding"
		}
	}, reqActions, Axis{"0", "1", "2 to 3", "4 to 15", "16 to 255", "256 to 65535", "more"})
	r.reads = o.cross("READs and atomics outstanding", func(at []int, b *Bin) {
		if uint64(at[0]) > s.Get("Reads", 4) {
			b.Ignored = "beyond the parameter Reads"
		}
	}, numbers(17))
	r.gaps = o.cross("cycles since the QP's last record", nil, distancesInTime)
	r.moved = o.cross("una: the highest bit that a step turned", nil, bitNames(24))
	o.restart = append(o.restart, func() { clear(r.qps) })
	o.pair = r.count
	o.blame = func(_ *sim.Record, want []byte) string {
		a := hca.ParseReqAnswer(want)
		return string(a.Why.Rule())
	}
}

var spans = [...]int{0, 1, 2, 2, 3, 3, 3, 3, 3}

// spanOf is the class of how many PSNs go out again.
func spanOf(n uint32) int {
	switch {
	case n < 9:
		return spans[n]
	case n < 16:
		return 3
	case n < 256:
		return 4
	case n < 65536:
		return 5
	}
	return 6
}

func (r *requester) count(in, out *sim.Record) {
	q, a := hca.ParseReqRecord(in.Data), hca.ParseReqAnswer(out.Data)
	t := r.qps[q.QPN]
	if t == nil {
		t = &reqTrack{}
		r.qps[q.QPN] = t
	}
	r.hit(r.whys, int(q.Op), int(a.Why))
	r.hit(r.actions, int(a.Action), int(a.Why))
	r.hit(r.reads, int(a.Reads))
	if t.known {
		r.hit(r.gaps, gapOf(in.Start-t.lastEnd-1))
	}
	if a.Action != roce.ReqNone {
		r.hit(r.causes, int(a.Action), spanOf(uint32(a.High.From(a.Una))))
	}
	if q.Op == hca.ReqResponse && a.Why != roce.ReqNoQP {
		r.hit(r.regions, int(q.Opcode&0x1F), int(a.Region))
		if op := ib.Operation(q.Opcode & 0x1F); op == ib.Ack {
			r.hit(r.syndromes, int(q.Syndrome>>5&3), int(q.Syndrome.Code()))
		}
	}
	if turned := t.una ^ uint32(a.Una); t.known && turned != 0 {
		r.hit(r.moved, highestBit(turned))
	}
	t.known, t.lastEnd, t.una = true, in.End, uint32(a.Una)
}
