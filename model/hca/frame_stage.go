package hca

import (
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// The ports of tx_frame.
const (
	portPacket       sim.Port = iota // s_rec
	portGathered                     // s_mem
	portGather                       // m_mem
	portPacketRecord                 // m_rec
	portPacketFrame                  // m_axis
)

// Clocks of tx_frame: from a record's acceptance to R, from there to its output, and to the first piece of its payload;
// from the last beat of that to R.
const (
	frameReachCycles  = 4
	frameLeaveCycles  = 3
	frameAskCycles    = 3
	frameAnswerCycles = 12
)

var txFrameSpec = sim.StageSpec{
	Name:    "tx_frame",
	Summary: "makes frames of what tx_packetizer says, with payload from host memory",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 976},
		{Name: "s_mem", Input: true, Kind: sim.Axis, UserBits: 7},
		{Name: "m_mem", Kind: sim.Fields, Bits: 79},
		{Name: "m_rec", Kind: sim.Fields, Bits: 54},
		{Name: "m_axis", Kind: sim.Axis, UserBits: 1},
	},
	New: func(s sim.Settings) sim.Stage {
		return &txFrame{beatBytes: int(s.Get("DataWidth", 512)) / 8, numQPs: uint32(s.Get("NumQps", 4096))}
	},
}

// txFrame is the stage of docs/blocks/tx_frame.md.
type txFrame struct {
	beatBytes int
	numQPs    uint32
	own       [6]byte
	ways      byIndex[frameQP] // by index
	waiting   []frameWaiting   // records that were not done, oldest first
	given     [ReadPieces][]sim.Record
	spare     [][]byte // memory of what was given and is through
	payload   []byte   // of one record
	asked     uint64   // pieces
	next      uint64   // the first cycle in which one can be asked for
	seq       [3]uint64
	free      uint64 // the first cycle in which a record can stand in R
	bytes     []byte // of one Advance; its outputs share it until the next
}

// frameWaiting is a record that was accepted in cycle came; its pieces begin with number piece.
type frameWaiting struct {
	FrameRecord
	came, piece uint64
}

// frameQP is what a packet takes from its QP.
type frameQP struct {
	number uint32
	failed bool
	way    FrameWay
}

func (s *txFrame) Reset() {
	*s = txFrame{beatBytes: s.beatBytes, numQPs: s.numQPs, bytes: s.bytes, spare: s.spare, waiting: s.waiting[:0],
		payload: s.payload}
}

func (s *txFrame) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.bytes = s.bytes[:0]
	for i := range in {
		if r := in[i]; r.Port == portGathered {
			r.Data = s.keep(r.Data)
			tag := r.User % ReadPieces
			s.given[tag] = append(s.given[tag], r)
		} else {
			w := frameWaiting{ParseFrameRecord(r.Data), r.End, s.asked}
			out = s.ask(&w, &in[i], out)
			s.waiting = append(s.waiting, w)
		}
		for len(s.waiting) > 0 && s.isThere(&s.waiting[0]) {
			out = s.record(&in[i], out)
		}
	}
	return out
}

// keep copies what memory gives for as long as it is inside.
func (s *txFrame) keep(data []byte) []byte {
	var to []byte
	if n := len(s.spare); n > 0 {
		to, s.spare = s.spare[n-1][:0], s.spare[:n-1]
	}
	return append(to, data...)
}

// ask asks for the pieces of a record's payload, one a clock, behind those of the records before.
func (s *txFrame) ask(w *frameWaiting, in *sim.Record, out []sim.Record) []sim.Record {
	address, left := w.Gathers()
	for cycle := max(w.came+frameAskCycles, s.next); left > 0; cycle++ {
		p := framePiece(address, left)
		p.Tag = uint8(s.asked % ReadPieces)
		at := len(s.bytes)
		s.bytes = readPieceForm.Append(s.bytes, &p)
		out = append(out, s.give(portGather, cycle, cycle, in, s.bytes[at:len(s.bytes):len(s.bytes)]))
		address, left = address+uint64(p.Bytes), left-int(p.Bytes)
		s.asked++
		s.next = cycle + 1
	}
	return out
}

// isThere reports whether all of a record's payload has come.
func (s *txFrame) isThere(w *frameWaiting) bool {
	for i := range w.FramePieces() {
		if len(s.given[(w.piece+uint64(i))%ReadPieces]) == 0 {
			return false
		}
	}
	return true
}

// gather takes a record's payload from what memory gave, and is false if it could not be read. last is the cycle in
// which the last of it came.
func (s *txFrame) gather(w *frameWaiting) (payload []byte, good bool, last uint64) {
	payload, good = s.payload[:0], true
	address, left := w.Gathers()
	for i := w.piece; left > 0; i++ {
		p := framePiece(address, left)
		given := s.given[i%ReadPieces]
		r := given[0]
		s.given[i%ReadPieces] = append(given[:0], given[1:]...)
		s.spare = append(s.spare, r.Data)
		last = max(last, r.End)
		end := p.lead() + int(p.Bytes)
		if r.User&ReadPieces != 0 || len(r.Data) < end {
			good = false
		} else if good {
			payload = append(payload, r.Data[p.lead():end]...)
		}
		address, left = address+uint64(p.Bytes), left-int(p.Bytes)
	}
	s.payload = payload
	return payload, good, last
}

// record does the first record that waits.
func (s *txFrame) record(in *sim.Record, out []sim.Record) []sim.Record {
	w := s.waiting[0]
	s.waiting = append(s.waiting[:0], s.waiting[1:]...)
	payload, good, last := s.gather(&w)
	at := len(s.bytes)
	why, link := s.do(&w.FrameRecord, payload, good)
	frame := s.bytes[at:len(s.bytes):len(s.bytes)]

	start := max(w.came+frameReachCycles, s.free)
	if last > 0 {
		start = max(start, last+frameAnswerCycles)
	}
	bytes := max(len(frame), len(payload))
	if !good {
		bytes = 1
	}
	beats := uint64(max(1, (bytes+s.beatBytes-1)/s.beatBytes))
	s.free = start + beats
	start, end := start+frameLeaveCycles, start+beats-1+frameLeaveCycles

	at = len(s.bytes)
	l := sim.WriteLayout(s.bytes)
	l.Put(w.QPN, 24)
	l.Put(uint32(w.Op), 3)
	l.Put(uint32(w.PSN), 24)
	l.Put(uint32(why), 3)
	s.bytes = l.End()
	out = append(out, s.give(portPacketRecord, end, end, in, s.bytes[at:len(s.bytes):len(s.bytes)]))
	if len(frame) > 0 {
		r := s.give(portPacketFrame, start, end, in, frame)
		r.User = uint32(link)
		out = append(out, r)
	}
	return out
}

// do does a record; the frame of a packet that leaves is appended to s.bytes.
func (s *txFrame) do(q *FrameRecord, payload []byte, good bool) (why FrameWhy, link wire.Link) {
	if why = q.admit(); why != FrameGood {
		return why, 0
	}
	index := q.QPN % s.numQPs
	switch q.Op {
	case FrameSet:
		s.ways.set(index, frameQP{number: q.QPN, way: q.Way})
		return FrameGood, 0
	case FrameOwn:
		s.own = q.Way.MAC
		return FrameGood, 0
	}
	qp := s.ways.get(index)
	if qp == nil || qp.number != q.QPN {
		return FrameNoWay, 0
	}
	encap := qp.way.Encap
	switch {
	case encap == wire.EncapNone || encap >= wire.EncapRaw:
		return FrameEncap, 0
	case qp.failed:
		return FrameFailed, 0
	case !good:
		qp.failed = true
		return FrameMemory, 0
	}
	s.bytes = q.frame(s.bytes, &qp.way, s.own, payload)
	return FrameGood, encap.Link()
}

// give is an output, with the number that its port has come to.
func (s *txFrame) give(port sim.Port, start, end uint64, in *sim.Record, data []byte) sim.Record {
	n := &s.seq[port-portGather]
	*n++
	return sim.Record{Start: start, End: end, Seq: *n - 1, Cause: in.Seq, Key: in.Key, Port: port, Data: data}
}
