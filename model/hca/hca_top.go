package hca

import (
	"math"

	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// The ports of hca_top.
const (
	topFrames       sim.Port = iota // s_axis
	topAW                           // s_aw
	topW                            // s_w
	topAR                           // s_ar
	topAcks                         // s_mem
	topB                            // m_b
	topR                            // m_r
	topWrites                       // m_mem
	topData                         // m_data
	topCompletions                  // m_cqe
	topAnswers                      // m_axis
	topReadData                     // s_rd
	topReads                        // m_rd
	topAtomicData                   // s_ard
	topAtomicReads                  // m_ard
	topAtomicAcks                   // s_awr
	topAtomicWrites                 // m_awr
	topEnds                         // m_end
	topPosts                        // s_post
	topTime                         // s_time
	topPieces                       // m_txd
	topGathered                     // s_txd
	topSendEnds                     // m_scqe
	topLocal                        // m_local
	topPlaceAcks                    // s_place
	topPlaceWrites                  // m_place
	topPlaced                       // m_pdata
)

var hcaTopSpec = sim.StageSpec{
	Name:    "hca_top",
	Summary: "the device: registers, the receive side and the transmit side",
	Refuses: refusesLapse,
	Ports: []sim.PortSpec{
		{Name: "s_axis", Input: true, Kind: sim.Axis, UserBits: 1},
		{Name: "s_aw", Input: true, Kind: sim.Fields, Bits: 12},
		{Name: "s_w", Input: true, Kind: sim.Fields, Bits: 36},
		{Name: "s_ar", Input: true, Kind: sim.Fields, Bits: 12},
		{Name: "s_mem", Input: true, Kind: sim.Fields, Bits: 9},
		{Name: "m_b", Kind: sim.Fields, Bits: 2},
		{Name: "m_r", Kind: sim.Fields, Bits: 34},
		{Name: "m_mem", Kind: sim.Fields, Bits: 88},
		{Name: "m_data", Kind: sim.Axis},
		{Name: "m_cqe", Kind: sim.Fields, Bits: 153},
		{Name: "m_axis", Kind: sim.Axis, UserBits: verdictBits},
		{Name: "s_rd", Input: true, Kind: sim.Axis, UserBits: 7},
		{Name: "m_rd", Kind: sim.Fields, Bits: 79},
		{Name: "s_ard", Input: true, Kind: sim.Fields, Bits: 71},
		{Name: "m_ard", Kind: sim.Fields, Bits: 70},
		{Name: "s_awr", Input: true, Kind: sim.Fields, Bits: 7},
		{Name: "m_awr", Kind: sim.Fields, Bits: 134},
		{Name: "m_end", Kind: sim.Fields, Bits: 75},
		{Name: "s_post", Input: true, Kind: sim.Fields, Bits: 467},
		{Name: "s_time", Input: true, Kind: sim.Fields, Bits: 32},
		{Name: "m_txd", Kind: sim.Fields, Bits: 79},
		{Name: "s_txd", Input: true, Kind: sim.Axis, UserBits: 7},
		{Name: "m_scqe", Kind: sim.Fields, Bits: 96},
		{Name: "m_local", Kind: sim.Fields, Bits: 290},
		{Name: "s_place", Input: true, Kind: sim.Fields, Bits: 9},
		{Name: "m_place", Kind: sim.Fields, Bits: 88},
		{Name: "m_pdata", Kind: sim.Axis},
	},
	New: func(s sim.Settings) sim.Stage {
		t := newHcaTop(s)
		t.tx = newHcaTx(s)
		return t
	},
	Checker: func(s sim.Settings) sim.Checker { return newHcaTopJudge(s) },
}

// topOfRx are the ports of hca_top that ports of hca_rx are; of the others records become events.
var topOfRx = [...]sim.Port{hcaRxWrites: topWrites, hcaRxData: topData, hcaRxCompletions: topCompletions,
	hcaRxAnswers: topAnswers, hcaRxReads: topReads, hcaRxAtomicReads: topAtomicReads, hcaRxAtomicWrites: topAtomicWrites,
	hcaRxEnds: topEnds}

// rxOfTop are the inputs of hca_top that are inputs of hca_rx; all others are hcaRxOps, which is none.
var rxOfTop = func() (ports [topPlaced + 1]sim.Port) {
	for i := range ports {
		ports[i] = hcaRxOps
	}
	ports[topFrames], ports[topAcks], ports[topReadData] = hcaRxFrames, hcaRxAcks, hcaRxReadData
	ports[topAtomicData], ports[topAtomicAcks] = hcaRxAtomicData, hcaRxAtomicAcks
	return ports
}()

// hcaTop is the stage of docs/blocks/hca_top.md: the registers of qp_ctl, and the stages of hca_rx and hca_tx. What is
// told of a frame is told when it comes: accesses and frames that meet are not for this model to order.
type hcaTop struct {
	rx        *hcaRx
	tx        *hcaTx            // nil: hears hears instead
	hears     func(*sim.Record) // what hca_tx would be given
	frees     func(qpn uint32)  // which QPs rx_dma is to clear, if anybody wants to know
	registers QPRegisters
	channels  axilChannels
	drain     topDrain
	seq       [topPlaced + 1]uint64
	free      uint64        // the first cycle in which m_axis can end a frame
	asked     sim.Record    // of hca_tx, by an input
	one       [1]sim.Record // for hca_rx
	given     []sim.Record  // by hca_rx, for one record
	sent      []sim.Record  // by hca_tx
	op        []byte
	records   []byte // of one Advance; its outputs share it until the next
}

func newHcaTop(s sim.Settings) *hcaTop {
	return &hcaTop{rx: hcaRxSpec.New(s).(*hcaRx), registers: newQPRegisters(s)}
}

func (s *hcaTop) Reset() {
	s.rx.Reset()
	if s.tx != nil {
		s.tx.Reset()
	}
	s.registers = s.registers.behindReset()
	s.channels.reset()
	s.drain = topDrain{}
	s.seq, s.free = [topPlaced + 1]uint64{}, 0
}

func (s *hcaTop) Advance(to uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		r := &in[i]
		var a QPCtlAccess
		var there bool
		if port := rxOfTop[r.Port]; port != hcaRxOps {
			out = s.pass(r, port, r.Data, out)
			continue
		}
		if forTx(r, &s.asked) {
			out = s.request(&s.asked, out)
			continue
		}
		switch there = true; r.Port {
		case topAW:
			a, there = s.channels.address(r.Data)
		case topW:
			a, there = s.channels.data(r.Data)
		case topAR:
			a = s.channels.read(r.Data)
		}
		if there {
			out = s.access(r, &a, out)
		}
	}
	if s.tx != nil { // timers expire
		out = s.sends(s.tx.Advance(to, nil, s.sent[:0]), out)
	}
	return out
}

// access does an access: its response, and what of its operations hca_rx tells.
func (s *hcaTop) access(r *sim.Record, a *QPCtlAccess, out []sim.Record) []sim.Record {
	answer, ops := s.registers.Do(a, r.End)
	at := len(s.records)
	port, records := answer.appendAxil(s.records)
	s.records = records
	end := r.End + 1 + QPCtlLatencyCycles
	o := sim.Record{Start: end, End: end, Cause: r.Seq, Key: r.Key, Port: topB,
		Data: records[at:len(records):len(records)]}
	if port == axilR {
		o.Port = topR
	}
	out = s.give(&o, out)
	for i := range ops {
		if to, isTx := topToTx[ops[i].To]; isTx {
			s.asked = *r
			s.asked.Port, s.asked.User, s.asked.Data = HcaTxOps, 0, AppendHcaTxOp(nil, to, ops[i].Record)
			out = s.request(&s.asked, out)
			continue
		}
		s.op = AppendHcaRxOp(s.op[:0], HcaRxTarget(ops[i].To), ops[i].Record)
		if s.frees != nil && HcaRxTarget(ops[i].To) == ToMemory {
			s.frees(HcaRxClearOf(s.op).QPN)
		}
		out = s.pass(r, hcaRxOps, s.op, out)
		if ops[i].To == QPCtlToClassify {
			if q := ParseClassifyQuery(ops[i].Record); q.Op == ClassifyRemove {
				s.drain.closing, s.drain.mark = true, s.drain.asked
				s.closes()
			}
		}
	}
	return out
}

// request gives hca_tx a record, and all what comes of it.
func (s *hcaTop) request(r *sim.Record, out []sim.Record) []sim.Record {
	if s.tx == nil {
		s.hears(r)
		return out
	}
	return s.sends(s.tx.Advance(r.End, []sim.Record{*r}, s.sent[:0]), out)
}

// sends gives what hca_tx gave.
func (s *hcaTop) sends(given []sim.Record, out []sim.Record) []sim.Record {
	s.sent = given
	for i := range given {
		g, at := &given[i], len(s.records)
		s.records = append(s.records, g.Data...)
		g.Port, g.Data = topOfTx[g.Port], s.records[at:len(s.records):len(s.records)]
		out = s.give(g, out)
	}
	return out
}

// give numbers an output. Frames of both sides leave one behind the other.
func (s *hcaTop) give(o *sim.Record, out []sim.Record) []sim.Record {
	if o.Port == topAnswers {
		late := max(o.End, s.free) - o.End
		o.Start, o.End = o.Start+late, o.End+late
		s.free = o.End + 1
	}
	o.Seq = s.seq[o.Port]
	s.seq[o.Port]++
	return append(out, *o)
}

// pass gives hca_rx a record, and all what comes of it: to the host, or to the counters.
func (s *hcaTop) pass(r *sim.Record, port sim.Port, data []byte, out []sim.Record) []sim.Record {
	in := &s.one[0]
	in.Start, in.End, in.Seq, in.Key, in.Port, in.User, in.Data = r.Start, r.End, r.Seq, r.Key, port, r.User, data
	s.given = s.rx.Advance(r.End, s.one[:], s.given[:0])
	for i := range s.given {
		g := &s.given[i]
		if g.Port == hcaRxGate || g.Port == hcaRxRecords {
			e, asks := topEvent(g)
			s.registers.Happens(&e, r.End)
			s.drain.asked += uint64(flagBit(asks))
			continue
		}
		if g.Port == hcaRxEnds {
			s.drain.ended++
			s.closes()
		}
		to := topOfRx[g.Port]
		at := len(s.records)
		s.records = append(s.records, g.Data...)
		g.Port, g.Data = to, s.records[at:len(s.records):len(s.records)]
		out = s.give(g, out)
	}
	if port == hcaRxFrames {
		if s.rx.frame.heard(r, &s.asked) {
			out = s.request(&s.asked, out)
		}
		if s.rx.frame.brings(r, &s.asked) {
			out = s.request(&s.asked, out)
		}
	}
	return out
}

// topDrain counts READs and atomics. A QP that was removed is closed when those that were asked for by then have ended:
// a frame takes no time here, so none is under way, and what is due waits for a READ or atomic before it or has left.
type topDrain struct {
	asked, ended uint64
	closing      bool
	mark         uint64
}

// closes tells the registers that a QP is closed, when it is.
func (s *hcaTop) closes() {
	if d := &s.drain; d.closing && d.ended >= d.mark {
		d.closing = false
		s.registers.Happens(&QPCtlEvent{Closed: true}, math.MaxUint64)
	}
}

// topEvent is what is told of a record of m_gate or m_rec, and whether m_end will tell what became of it.
func topEvent(r *sim.Record) (e QPCtlEvent, asks bool) {
	if r.Port == hcaRxGate {
		why := r.Data[0] & 7
		return QPCtlEvent{Enters: why == 0, Counts: why != 0, Reason: why}, false
	}
	l := sim.ReadLayout(r.Data)
	var class, dropped, verdict, why, answer uint8
	l.Zeros(48) // qpn, psn
	sim.Field(&l, &class, 3)
	sim.Field(&l, &dropped, 4)
	sim.Field(&l, &verdict, 3)
	sim.Field(&l, &why, 5)
	sim.Field(&l, &answer, 3)
	e.Leaves = true
	switch {
	case PacketClass(class) == ClassDropped:
		e.Counts, e.Reason = true, 16+dropped
	case PacketClass(class) == ClassRequest && verdict == 3:
		e.Counts, e.Reason = true, 32+why
	}
	return e, PacketClass(class) == ClassRequest && roce.RespAnswer(answer) >= roce.RespReadResponses
}
