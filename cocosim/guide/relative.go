package guide

import (
	"hcacosim/model/falcon/stage"
	"hcacosim/model/hca"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// place is where a field of a record lies against what the device holds when the record comes: so much from the
// base of a kind; kind 0 is a record that has no such field.
type place struct {
	kind uint8
	diff int32
}

// relative knows the field of a stage's records that is kept as a distance.
type relative interface {
	reset()
	// lift is the place of a record that comes now; lower writes it into a record that comes now.
	lift(data []byte) place
	lower(data []byte, p place)
	// fresh is the record that takes the QP of a record back to what it is after a reset; nil where nothing is kept.
	fresh(data []byte) []byte
	// learn takes what the stage gave for a record.
	learn(in []byte, out *sim.Record)
}

var relatives = relativesByStage{"resp_psn_check": func() relative { return &respPlace{} },
	"req_ack_check": func() relative { return &reqPlace{} }, "retx_timer": func() relative { return &timerPlace{} },
	"falcon_window": func() relative { return windowPlace{} }, "retry_ctl": func() relative { return &retryPlace{} }}

type relativesByStage map[string]func() relative

func (r relativesByStage) of(stage string) relative {
	if f := r[stage]; f != nil {
		rel := f()
		rel.reset()
		return rel
	}
	return absolute{}
}

// absolute is of stages whose records say everything themselves.
type absolute struct{}

func (absolute) reset()                    {}
func (absolute) lift([]byte) place         { return place{} }
func (absolute) lower([]byte, place)       {}
func (absolute) fresh([]byte) []byte       { return nil }
func (absolute) learn([]byte, *sim.Record) {}

// respPlace: the PSN of a request against the one that its QP expects.
type respPlace struct{ expected map[uint32]psn.PSN }

func (r *respPlace) reset() { r.expected = map[uint32]psn.PSN{} }

func (r *respPlace) lift(data []byte) place {
	q := hca.ParseRespQuery(data)
	if q.Op != hca.RespPacket {
		return place{}
	}
	return place{1, q.PSN.Diff(r.expected[q.QPN])}
}

func (r *respPlace) lower(data []byte, p place) {
	if p.kind == 0 {
		return
	}
	q := hca.ParseRespQuery(data)
	q.PSN = r.expected[q.QPN].Add(p.diff)
	q.Append(data[:0])
}

func (r *respPlace) fresh(data []byte) []byte {
	q := hca.ParseRespQuery(data)
	q = hca.RespQuery{QPN: q.QPN, Op: hca.RespReset}
	return q.Append(nil)
}

func (r *respPlace) learn(_ []byte, out *sim.Record) {
	a := hca.ParseRespResult(out.Data)
	r.expected[a.QPN] = a.After
}

// reqPlace: a PSN against the oldest one that is not acknowledged, or the next one, which is nearer.
type reqPlace struct{ una, high map[uint32]psn.PSN }

func (r *reqPlace) reset() { r.una, r.high = map[uint32]psn.PSN{}, map[uint32]psn.PSN{} }

func (r *reqPlace) lift(data []byte) place {
	q := hca.ParseReqRecord(data)
	if q.Op != hca.ReqResponse && q.Op != hca.ReqSent {
		return place{}
	}
	low, high := q.PSN.Diff(r.una[q.QPN]), q.PSN.Diff(r.high[q.QPN])
	if q.Op == hca.ReqSent || max(high, -high) < max(low, -low) {
		return place{2, high}
	}
	return place{1, low}
}

func (r *reqPlace) lower(data []byte, p place) {
	if p.kind == 0 {
		return
	}
	q := hca.ParseReqRecord(data)
	q.PSN = r.una[q.QPN].Add(p.diff)
	if p.kind == 2 {
		q.PSN = r.high[q.QPN].Add(p.diff)
	}
	q.Append(data[:0])
}

func (r *reqPlace) fresh(data []byte) []byte {
	q := hca.ParseReqRecord(data)
	q = hca.ReqRecord{QPN: q.QPN, Op: hca.ReqClose}
	return q.Append(nil)
}

func (r *reqPlace) learn(_ []byte, out *sim.Record) {
	a := hca.ParseReqAnswer(out.Data)
	r.una[a.QPN], r.high[a.QPN] = a.Una, a.High
}

// generations are those of timers, by QP: a record has the distance from them in place of its own.
type generations struct{ gen map[uint32]uint8 }

func (g *generations) reset() { g.gen = map[uint32]uint8{} }

func (g *generations) placeOf(qpn uint32, gen uint8) place { return place{1, int32(gen - g.gen[qpn])} }

func (g *generations) at(qpn uint32, p place) uint8 { return g.gen[qpn] + uint8(p.diff) }

// timerPlace: the generation of an answer to an expiry against the timer's.
type timerPlace struct{ generations }

func (t *timerPlace) lift(data []byte) place {
	op := hca.ParseRetxOp(data)
	if op.Op != hca.RetxTimeout && op.Op != hca.RetxResume {
		return place{}
	}
	return t.placeOf(op.QPN, op.Gen)
}

func (t *timerPlace) lower(data []byte, p place) {
	if p.kind == 0 {
		return
	}
	op := hca.ParseRetxOp(data)
	op.Gen = t.at(op.QPN, p)
	op.Append(data[:0])
}

func (t *timerPlace) fresh(data []byte) []byte {
	op := hca.ParseRetxOp(data)
	op = hca.RetxOp{QPN: op.QPN, Op: hca.RetxConfigure}
	return op.Append(nil)
}

func (t *timerPlace) learn(_ []byte, out *sim.Record) {
	if out.Port != 1 { // an expiry moves no generation
		return
	}
	a := hca.ParseRetxAnswer(out.Data)
	t.gen[a.QPN] = a.Gen
}

// windowPlace: records of falcon_window are kept as they are.
type windowPlace struct{ absolute }

func (windowPlace) fresh(data []byte) []byte {
	q := stage.ParseWindowQuery(data)
	q = stage.WindowQuery{Conn: q.Conn, Op: stage.WindowReset}
	return q.Append(nil)
}

// retryPlace: the generation of an expiry against the one that its QP's last record found.
type retryPlace struct{ generations }

func (t *retryPlace) lift(data []byte) place {
	q := hca.ParseRetryRecord(data)
	if q.Op != hca.RetryExpiry {
		return place{}
	}
	return t.placeOf(q.QPN, q.Gen)
}

func (t *retryPlace) lower(data []byte, p place) {
	if p.kind == 0 {
		return
	}
	q := hca.ParseRetryRecord(data)
	q.Gen = t.at(q.QPN, p)
	q.Append(data[:0])
}

func (t *retryPlace) fresh(data []byte) []byte {
	q := hca.ParseRetryRecord(data)
	q = hca.RetryRecord{QPN: q.QPN, Op: hca.RetryClose}
	return q.Append(nil)
}

func (t *retryPlace) learn(_ []byte, out *sim.Record) {
	if a := hca.ParseRetryAnswer(out.Data); a.Why != hca.RetryNoQP { // a closed QP keeps its generation, and gives none
		t.gen[a.QPN] = a.Gen
	}
}
