package hca

import (
	"hcacosim/model/sim"
)

// The ports of ack_gen.
const (
	portToSend      sim.Port = iota // s_rec
	portReadPayload                 // s_axis
	portAnswered                    // m_rec
	portFrame                       // m_axis
)

var ackGenSpec = sim.StageSpec{
	Name: "ack_gen",
	Summary: "makes the frames of ACKs and NAKs, READ responses, answers of atomics and CNPs, on the way back of their " +
		"request",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 649},
		{Name: "s_axis", Input: true, Kind: sim.Axis},
		{Name: "m_rec", Kind: sim.Fields, Bits: 29},
		{Name: "m_axis", Kind: sim.Axis, UserBits: 1},
	},
	New: func(s sim.Settings) sim.Stage {
		return &ackGen{beatBytes: int(s.Get("DataWidth", 512)) / 8, numQPs: uint32(s.Get("NumQps", 4096))}
	},
}

// ackGen is the stage of docs/blocks/ack_gen.md.
type ackGen struct {
	beatBytes int
	numQPs    uint32
	own       [6]byte
	none      answeringQP // stands for a QP that was not set
	qps       byIndex[answeringQP]
	waiting   []ackWaiting // records that were not done, oldest first
	payloads  []sim.Record // that belong to none of those done
	spare     [][]byte     // memory of payloads that are through
	recordSeq uint64
	frameSeq  uint64
	free      uint64 // the first cycle in which a record can stand in R
	bytes     []byte // of one Advance; its outputs share it until the next
}

// ackWaiting is a record that was accepted in cycle came.
type ackWaiting struct {
	AckRecord
	came uint64
}

// answeringQP is what an answer takes from its QP.
type answeringQP struct {
	number, peer uint32
	mac          [6]byte
	hopLimit     uint8
}

func (s *ackGen) Reset() {
	*s = ackGen{beatBytes: s.beatBytes, numQPs: s.numQPs, bytes: s.bytes, spare: s.spare, waiting: s.waiting[:0]}
}

func (s *ackGen) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.bytes = s.bytes[:0]
	for i := range in {
		if r := in[i]; r.Port == portReadPayload {
			r.Data = s.keep(r.Data)
			s.payloads = append(s.payloads, r)
		} else {
			s.waiting = append(s.waiting, ackWaiting{ParseAckRecord(r.Data), r.End})
		}
		for len(s.waiting) > 0 && (!s.waiting[0].takesPayload() || len(s.payloads) > 0) {
			out = s.record(&in[i], out)
		}
	}
	return out
}

// takesPayload reports whether a frame on s_axis belongs to the record.
func (q *AckRecord) takesPayload() bool { return q.Op == AckRead && q.Bytes > 0 }

// keep copies what an input holds for as long as it is inside.
func (s *ackGen) keep(data []byte) []byte {
	var to []byte
	if n := len(s.spare); n > 0 {
		to, s.spare = s.spare[n-1][:0], s.spare[:n-1]
	}
	return append(to, data...)
}

// record does the first record that waits, with its payload: its frame leaves beat by beat from R on, its record
// with the last of them.
func (s *ackGen) record(in *sim.Record, out []sim.Record) []sim.Record {
	q := s.waiting[0]
	s.waiting = append(s.waiting[:0], s.waiting[1:]...)
	var payload sim.Record
	if q.takesPayload() {
		payload = s.payloads[0]
		s.payloads = append(s.payloads[:0], s.payloads[1:]...)
		s.spare = append(s.spare, payload.Data)
	}
	at := len(s.bytes)
	why, beats := s.answer(&q.AckRecord, payload.Data)
	frame := s.bytes[at:len(s.bytes):len(s.bytes)]
	start, end := s.turns(&q, &payload, beats, max(0, len(frame)-(len(payload.Data)+3)&^3-ackICRCBytes))
	end += AckGenLatencyCycles - 1
	at = len(s.bytes)
	l := sim.WriteLayout(s.bytes)
	l.Put(q.QPN, 24)
	l.Put(uint32(q.Op), 3)
	l.Put(uint32(why), 2)
	s.bytes = l.End()
	out = append(out, sim.Record{Start: end, End: end, Seq: s.recordSeq, Cause: in.Seq, Key: in.Key, Port: portAnswered,
		Data: s.bytes[at:len(s.bytes):len(s.bytes)]})
	s.recordSeq++
	if q.Op != AckSet && q.Op != AckOwn && why == AckGood {
		out = append(out, sim.Record{Start: start + AckGenLatencyCycles - 1, End: end, Seq: s.frameSeq, Cause: in.Seq,
			Key: in.Key, User: uint32(q.Way.Encap.Link()), Port: portFrame, Data: frame})
		s.frameSeq++
	}
	return out
}

// turns are the first and the last cycle in which a record stands in R and moves on; headBytes stand in its frame
// before the payload. Beat i of the payload moves with the beat of the frame that its first byte goes to, one cycle
// behind its acceptance at the earliest.
func (s *ackGen) turns(q *ackWaiting, payload *sim.Record, beats uint64, headBytes int) (start, end uint64) {
	start = max(q.came+1, s.free)
	if end = start + beats - 1; q.takesPayload() {
		size := uint64(s.beatBytes)
		taken := (uint64(len(payload.Data)) + size - 1) / size
		before := uint64(headBytes) / size
		first := max(start+before, payload.Start+1)
		end = max(first+taken-1, payload.End+1) + beats - before - taken
		if before == 0 {
			start = first
		}
	}
	s.free = end + 1
	return start, end
}

// ackICRCBytes is the room for the ICRC.
const ackICRCBytes = 4

// headBytes is what stands before the payload.
func (s *ackGen) headBytes(q *AckRecord) uint64 {
	if frame, _ := q.isFrame(); !frame {
		return 0
	}
	return uint64(len(q.frame(nil, &answeringQP{}, s.own, nil)) - ackICRCBytes)
}

// answer does a record: its frame is appended to s.bytes. It takes as many beats as its frame has, or would have; where
// there is none, as its payload. Anything else takes one.
func (s *ackGen) answer(q *AckRecord, payload []byte) (why AckWhy, beats uint64) {
	switch q.Op {
	case AckSet:
		s.qps.set(q.QPN%s.numQPs, answeringQP{q.QPN, q.PeerQPN, q.MAC, q.HopLimit})
		return AckGood, 1
	case AckOwn:
		s.own = q.MAC
		return AckGood, 1
	}
	qp := s.qps.get(q.QPN % s.numQPs)
	there := qp != nil && qp.number == q.QPN
	if qp == nil {
		qp = &s.none
	}
	hasFrame, known := q.isFrame()
	bytes := len(payload)
	if hasFrame {
		at := len(s.bytes)
		s.bytes = q.frame(s.bytes, qp, s.own, payload)
		bytes = len(s.bytes) - at
	}
	beats = max(1, uint64((bytes+s.beatBytes-1)/s.beatBytes))
	switch {
	case !known:
		return AckNoSuch, beats
	case !there:
		return AckNoQP, beats
	case !hasFrame:
		return AckEncap, beats
	}
	return AckGood, beats
}
