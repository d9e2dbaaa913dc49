package roce_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/roce"
)

// requesterReplay adds what req_ack_check sees of the requesters of a world.
func (x *explorer) requesterReplay(t *testing.T, p *replay) {
	for _, start := range slices.Sorted(maps.Keys(x.qcfgs)) {
		cfg := x.qcfgs[start]
		q := new(roce.Requester)
		*q = roce.NewRequester(cfg)
		p.first[p.state(reqKey(q))] = reqSetup(cfg)
	}
	for _, k := range inOrder(x.q.memo) {
		x.q.load(k.id)
		q := new(roce.Requester)
		*q = *x.q.machine
		x.q.load(x.q.memo[k].id)
		x.requesterEdge(t, p, k, q, x.q.machine)
	}
}

// reqView is what req_ack_check knows of a requester: nothing of a closed one.
type reqView struct {
	cfg   *roce.RequesterConfig
	state roce.RequesterState
	list  [4]roce.Outstanding
	reads uint8
}

func reqKey(q *roce.Requester) any {
	if q.State == roce.Error {
		return reqView{cfg: q.Config()}
	}
	v := reqView{cfg: q.Config()}
	v.state, v.list, v.reads = q.Standing()
	return v
}

func reqSetup(cfg *roce.RequesterConfig) setup {
	profile := uint8(0)
	f := &cfg.Profile
	for bit, has := range map[uint8]bool{hca.ReqReservedIgnored: f.ReservedNAKIgnored,
		hca.ReqCreditsIgnored: f.CreditsIgnored, hca.ReqCreditsLast: f.CreditsLastOnly, hca.ReqGapWaits: f.GapWaits,
		hca.ReqCreditsLimited: cfg.Limited, hca.ReqAnyAnswerEndsRNR: f.AnyAnswerEndsRNR} {
		if has {
			profile |= bit
		}
	}
	closing := hca.ReqRecord{Op: hca.ReqClose, QPN: replayQPN}
	opening := hca.ReqRecord{Op: hca.ReqConfigure, QPN: replayQPN, PSN: cfg.StartPSN, PMTU: 1, MaxReads: cfg.MaxReads,
		Profile: profile}
	return setup{closing.Append(nil), opening.Append(nil)}
}

// reqStep is a move of a requester as req_ack_check sees it, record by record.
type reqStep struct {
	t     *testing.T
	edge  *edge
	state roce.RequesterState
	list  [4]roce.Outstanding
	reads uint8
}

// give adds a record and the answer of the machine, whose state it leaves.
func (s *reqStep) give(r hca.ReqRecord, d roce.Decision, after roce.RequesterState) {
	r.QPN = replayQPN
	if d.Ended {
		s.reads--
	}
	a := hca.ReqAnswer{QPN: replayQPN, Op: r.Op, UnaBefore: s.state.Una, Una: after.Una, High: after.High, LSN: after.LSN,
		Syndrome: d.Syndrome, Why: d.Why, Action: d.Action, Region: d.Region, Reads: s.reads,
		Progress: after.Una != s.state.Una, Idle: after.Una == after.High, Data: d.Data, Ended: d.Ended,
		Credits: d.Credits, Unlimited: after.Unlimited, Waiting: after.Waiting, Retrying: after.Retrying}
	s.edge.vectors = append(s.edge.vectors, vector{in: r.Append(nil), want: a.Append(nil)})
	s.state = after
}

// closed adds a record to a QP that is there no more.
func (s *reqStep) closed(r hca.ReqRecord) {
	r.QPN = replayQPN
	a := hca.ReqAnswer{QPN: replayQPN, Op: r.Op, Why: roce.ReqNoQP}
	s.edge.vectors = append(s.edge.vectors, vector{in: r.Append(nil), want: a.Append(nil)})
}

// requesterEdge is what a move of a requester is to req_ack_check.
func (x *explorer) requesterEdge(t *testing.T, p *replay, k move, before, after *roce.Requester) {
	e := edge{from: p.state(reqKey(before)), to: p.state(reqKey(after))}
	s := reqStep{t: t, edge: &e}
	s.state, s.list, s.reads = before.Standing()
	isOpen, closes := before.State != roce.Error, false
	switch {
	case k.in == inStep && !isOpen:
		s.closed(respond(&x.packets[k.arg].packet))
	case !isOpen:
	case k.in == inStep:
		packet := &x.packets[k.arg].packet
		d, then := before.Decided(packet)
		s.give(respond(packet), d, then)
		closes = d.Closes()
	case k.in == inNext:
		s.send(before)
	case k.in == inTimeout && before.Timing():
		then := s.state
		d := then.Retry()
		s.give(hca.ReqRecord{Op: hca.ReqRetry}, d, then)
	case k.in == inRNR:
		then := s.state
		d := then.GoOn()
		s.give(hca.ReqRecord{Op: hca.ReqGoOn}, d, then)
	}
	if isOpen && after.State == roce.Error && !closes { // what the check does not decide closes it
		s.give(hca.ReqRecord{Op: hca.ReqClose}, roce.Decision{}, s.state)
	}
	if after.State != roce.Error {
		then, _, reads := after.Standing()
		require.Equal(t, then, s.state)
		require.Equal(t, reads, s.reads)
	}
	p.add(t, e)
}

// send adds what goes out next. What goes out again leaves everything as it is (PSN-7).
func (s *reqStep) send(q *roce.Requester) {
	kind, count, ssn, tail, isPacket := q.Coming()
	if !isPacket {
		return
	}
	_, next, _ := q.PSNs()
	then := s.state
	d := roce.Decision{Why: then.Sent(q.Config(), kind, next, count, ssn, s.reads)}
	if then.High != s.state.High && kind.Replayed() {
		s.reads++
	}
	s.give(hca.ReqRecord{Op: hca.ReqSent, PSN: next, Count: count, Number: ssn, Payload: uint16(tail), Kind: kind}, d,
		then)
}

func respond(k *roce.Packet) hca.ReqRecord {
	return hca.ReqRecord{Op: hca.ReqResponse, PSN: k.PSN, Opcode: k.Op, Syndrome: k.Syndrome, Number: k.MSN,
		Payload: uint16(k.Len), Pad: k.Pad}
}
