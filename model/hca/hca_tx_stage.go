package hca

import (
	"hcacosim/model/psn"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// hcaTx is the stage of docs/blocks/hca_tx.md: a device whose turns are over as soon as they begin, or when the pace of
// their QP lets them.
type hcaTx struct {
	settings sim.Settings
	blocks   *HcaTxBlocks
	frames   *txFrame
	pace     hcaTxPaces
	seq      [HcaTxPlaced + 1]uint64
	free     uint64 // the first cycle in which a completion can leave
	given    []sim.Record
	bytes    []byte // of one Advance; its outputs share it until the next
}

func newHcaTx(s sim.Settings) *hcaTx {
	return &hcaTx{settings: s, blocks: NewHcaTxBlocks(s),
		frames: &txFrame{beatBytes: int(s.Get("DataWidth", 512)) / 8, numQPs: uint32(s.Get("NumQps", 4096))}}
}

func (s *hcaTx) Reset() {
	s.blocks.Reset()
	s.frames.Reset()
	s.pace = hcaTxPaces{}
	s.seq, s.free = [HcaTxPlaced + 1]uint64{}, 0
}

func (s *hcaTx) Advance(to uint64, in, out []sim.Record) []sim.Record {
	s.bytes = s.bytes[:0]
	last := sim.Record{End: to}
	for i := range in {
		last = in[i]
		out = s.take(&in[i], out)
	}
	last.End = max(last.End, to)
	s.blocks.Elapse(to)
	return s.give(&last, out)
}

// take takes an input.
func (s *hcaTx) take(in *sim.Record, out []sim.Record) []sim.Record {
	s.pace.take(in)
	switch {
	case in.Port == HcaTxGathered:
		r := *in
		r.Port = portGathered
		return s.frame(&r, out)
	case in.Port == HcaTxOps && HcaTxTargetOf(in.Data) == ToFrames:
		record := hcaTxWayOf(HcaTxRecordOf(in.Data))
		return s.packet(&record, in.End, in, out)
	}
	s.blocks.Take(in)
	return s.give(in, out)
}

// packet gives tx_frame a record.
func (s *hcaTx) packet(q *FrameRecord, cycle uint64, in *sim.Record, out []sim.Record) []sim.Record {
	r := *in
	r.Port, r.Start, r.End, r.Data = portPacket, cycle, cycle, q.Append(nil)
	return s.frame(&r, out)
}

// frame takes what tx_frame makes of a record, and of what it leads to.
func (s *hcaTx) frame(r *sim.Record, out []sim.Record) []sim.Record {
	s.given = s.frames.Advance(r.End, []sim.Record{*r}, s.given[:0])
	for i := range s.given {
		switch g := &s.given[i]; g.Port {
		case portGather:
			out = s.leave(HcaTxPieces, g, out)
		case portPacketFrame:
			out = s.sealed(g, out)
		case portPacketRecord:
			s.answered(g.Data)
			out = s.end(g, out)
		}
	}
	return out
}

// answered takes a record on m_rec of tx_frame: a packet leaves, or takes its QP to error, or does not leave as one
// before it did not.
func (s *hcaTx) answered(data []byte) {
	l := sim.ReadLayout(data)
	var qpn uint32
	var op FrameOp
	var at psn.PSN
	var why FrameWhy
	sim.Field(&l, &qpn, 24)
	sim.Field(&l, &op, 3)
	sim.Field(&l, &at, psn.Bits)
	sim.Field(&l, &why, 3)
	switch {
	case op != FramePacket || why == FrameFailed:
	case why == FrameGood:
		s.blocks.Left(qpn, at)
	default:
		s.blocks.Fail(qpn)
	}
}

// sealed gives a frame with its ICRC.
func (s *hcaTx) sealed(g *sim.Record, out []sim.Record) []sim.Record {
	link := wire.Link(g.User)
	loc := wire.Locate(link, g.Data)
	wire.PutICRC(g.Data, &loc)
	g.User = userBits(1, loc.Encap, loc.Bad.Reason)
	g.Start, g.End = g.Start+ICRCInsertLatencyCycles, g.End+ICRCInsertLatencyCycles
	return s.leave(HcaTxFrames, g, out)
}

// leave appends an output, with a copy of its bytes.
func (s *hcaTx) leave(port sim.Port, g *sim.Record, out []sim.Record) []sim.Record {
	at := len(s.bytes)
	s.bytes = append(s.bytes, g.Data...)
	r := *g
	n := &s.seq[port]
	r.Port, r.Seq, r.Data = port, *n, s.bytes[at:len(s.bytes):len(s.bytes)]
	*n++
	return append(out, r)
}

// end appends the completions that the blocks gave: behind an input, or behind what tx_frame answered.
func (s *hcaTx) end(r *sim.Record, out []sim.Record) []sim.Record {
	for i := range s.blocks.Ends {
		e := *r
		s.free = max(s.free, r.End+hcaTxCompletionCycles)
		e.Start, e.End, e.User, e.Data = s.free, s.free, 0, s.blocks.Ends[i].Append(nil)
		out = s.leave(HcaTxCompletions, &e, out)
	}
	s.blocks.Ends = s.blocks.Ends[:0]
	return out
}

// give appends what the blocks gave.
func (s *hcaTx) give(in *sim.Record, out []sim.Record) []sim.Record {
	r := *in
	r.Cause = in.Seq
	out = s.end(&r, out)
	for i := range s.blocks.Local {
		r := *in
		at := in.End + hcaTxLocalCycles
		r.Start, r.End, r.Cause, r.User, r.Data = at, at, in.Seq, 0, s.blocks.Local[i].Append(nil)
		out = s.leave(HcaTxLocalWork, &r, out)
	}
	for i := range s.blocks.Moved {
		r := s.blocks.Moved[i]
		r.Cause = in.Seq
		out = s.leave(r.Port, &r, out)
	}
	sent := s.blocks.Sent
	s.blocks.Clear()
	for i := range sent {
		p := sent[i].Packet()
		_, due := s.pace.next(&p, in.End, in.End)
		out = s.packet(&p, due+hcaTxPacketCycles, in, out)
	}
	return out
}
