package hca

import (
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// RespAnswersSpec is a view of resp_psn_check for vector sets: only what goes back to the requesters. It is no block of
// the pipeline. How far ACKs are coalesced is the device's choice (RSP-13), which its Lenient stage leaves.
var RespAnswersSpec = sim.StageSpec{
	Name:    "resp_answers",
	Summary: "what a responder of many QPs answers: a view of resp_psn_check, with ACKs coalesced as a device likes",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 190},
		{Name: "m_ans", Kind: sim.Fields, Bits: 88, Keyed: true},
	},
	Settings: stageSettings["resp_psn_check"],
	New:      func(s sim.Settings) sim.Stage { return newRespAnswers(s, false) },
	Lenient:  func(s sim.Settings) sim.Stage { return newRespAnswers(s, true) },
}

// RespFramesSpec is RespAnswersSpec for a device whose answers leave as packets, the bytes of a RespAnswerRecord each.
var RespFramesSpec = sim.StageSpec{
	Name:    "resp_frames",
	Summary: "resp_answers with each answer a packet",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 190},
		{Name: "m_axis", Kind: sim.Axis, Keyed: true},
	},
	Settings: RespAnswersSpec.Settings,
	New:      RespAnswersSpec.New,
	Lenient:  RespAnswersSpec.Lenient,
}

// RespAnswerRecord is a record on m_ans of resp_answers.
type RespAnswerRecord struct {
	QPN      uint32
	PSN      psn.PSN
	MSN      uint32
	Syndrome uint8
	Answer   roce.RespAnswer
}

// RespAnswerBytes is the size of a record on m_ans of resp_answers.
const RespAnswerBytes = 11

// Append appends the record as it goes over the port.
func (a *RespAnswerRecord) Append(b []byte) []byte {
	return respAnswerForm.Append(b, a)
}

var respAnswerForm = sim.FormOf((*RespAnswerRecord).layout)

func (a *RespAnswerRecord) layout(l *sim.Layout) {
	sim.Field(l, &a.QPN, 24)
	sim.Field(l, &a.PSN, psn.Bits)
	sim.Field(l, &a.MSN, 24)
	sim.Field(l, &a.Syndrome, 8)
	sim.Field(l, &a.Answer, 3)
}

// respAnswers makes answers of what resp_psn_check decides.
type respAnswers struct {
	check   respPSNCheck
	lenient bool
	groups  map[uint32]uint32 // by QP: its life, counted
	bytes   []byte            // of one Advance; its outputs share it until the next
	seq     uint64
}

func newRespAnswers(s sim.Settings, lenient bool) *respAnswers {
	a := &respAnswers{lenient: lenient, groups: map[uint32]uint32{}}
	a.check = respPSNCheck{numQPs: uint32(s.Get("NumQps", respPSNCheckQPs))}
	return a
}

func (s *respAnswers) Reset() {
	s.check.Reset()
	clear(s.groups)
	s.seq = 0
}

func (s *respAnswers) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.bytes = s.bytes[:0]
	for i := range in {
		q := ParseRespQuery(in[i].Data)
		r := s.check.judge(&q)
		if a, need, ok := s.answer(&q, &r); ok {
			at := len(s.bytes)
			s.bytes = a.Append(s.bytes)
			out = append(out, sim.Record{Start: in[i].Start + RespPSNCheckLatencyCycles,
				End: in[i].End + RespPSNCheckLatencyCycles, Seq: s.seq, Cause: in[i].Seq, Key: r.QPN, Port: 1, Need: need,
				Group: s.group(r.QPN), Data: s.bytes[at:len(s.bytes):len(s.bytes)]})
			s.seq++
		}
		if r.ToError || q.Op != RespPacket && r.Verdict == roce.RespDone && q.Op != RespFreed {
			s.groups[r.QPN]++
		}
	}
	return out
}

// group numbers the lives of a QP from 1, where a device has a choice: an answer settles the ACKs of its life only.
func (s *respAnswers) group(qpn uint32) uint32 {
	if !s.lenient {
		return 0
	}
	return s.groups[qpn] + 1
}

// answer is what a packet is answered with, and how binding that is. An ACK is owed for a request with AckReq and for a
// duplicate, and a later answer settles it; for other requests that were executed it may come (RSP-13).
func (s *respAnswers) answer(q *RespQuery, r *RespResult) (a RespAnswerRecord, need sim.Need, ok bool) {
	a = RespAnswerRecord{QPN: r.QPN, PSN: r.PSN, MSN: r.MSN, Syndrome: uint8(r.Syndrome), Answer: r.Answer}
	switch {
	case r.Answer == roce.RespAck && s.lenient:
		return a, sim.OneOf, true
	case r.Answer != roce.RespNoAnswer:
		return a, sim.Must, true
	case !s.lenient || r.Verdict != roce.RespExecute || q.Op != RespPacket || !s.acknowledges(r.QPN):
		return a, 0, false
	}
	a.PSN, a.Syndrome, a.Answer = q.PSN, q.Credits, roce.RespAck
	return a, sim.May, true
}

// acknowledges reports whether a QP's service has ACKs.
func (s *respAnswers) acknowledges(qpn uint32) bool {
	qp := s.check.qps.get(qpn)
	return qp != nil && qp.cfg.Service == RespRC.transport()
}
