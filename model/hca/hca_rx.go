package hca

import (
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Cycles behind the last beat of a frame, idle: of its record at m_gate, and about those of the others.
const (
	HcaRxGateLatencyCycles = ICRCCheckLatencyCycles + ICRCGateRecordLatencyCycles
	hcaRxVerdictCycles     = 50
	hcaRxAnswerCycles      = 75
)

// HcaRxWritesUnderWay is how many writes and completions wait for memory in hca_rx at most.
const HcaRxWritesUnderWay = 128

// HcaRxQueueDepth is how many WQEs a receive queue of hca_rx holds if its RqDepth is not another.
const HcaRxQueueDepth = 8

// HcaRxTarget is the block that an operation at s_op of hca_rx is for.
type HcaRxTarget uint8

// The blocks that take operations; of the others there are none.
const (
	ToClassify HcaRxTarget = iota
	ToVerdict
	ToKeys
	ToAnswers
	ToMessages
	ToReceiveQueues
	ToMemory
	ToNotify
	ToReplay
)

// The ports of hca_rx.
const (
	hcaRxFrames       sim.Port = iota // s_axis
	hcaRxOps                          // s_op
	hcaRxAcks                         // s_mem
	hcaRxGate                         // m_gate
	hcaRxRecords                      // m_rec
	hcaRxWrites                       // m_mem
	hcaRxData                         // m_data
	hcaRxCompletions                  // m_cqe
	hcaRxAnswers                      // m_axis
	hcaRxReadData                     // s_rd
	hcaRxReads                        // m_rd
	hcaRxAtomicData                   // s_ard
	hcaRxAtomicReads                  // m_ard
	hcaRxAtomicAcks                   // s_awr
	hcaRxAtomicWrites                 // m_awr
	hcaRxEnds                         // m_end
)

var hcaRxSpec = sim.StageSpec{
	Name:    "hca_rx",
	Summary: "the responder as far as it is joined",
	Ports: []sim.PortSpec{
		{Name: "s_axis", Input: true, Kind: sim.Axis, UserBits: 1},
		{Name: "s_op", Input: true, Kind: sim.Fields, Bits: 568},
		{Name: "s_mem", Input: true, Kind: sim.Fields, Bits: 9},
		{Name: "m_gate", Kind: sim.Fields, Bits: 12},
		{Name: "m_rec", Kind: sim.Fields, Bits: 196},
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
	},
	New: func(s sim.Settings) sim.Stage {
		n := &hcaRx{blocks: NewHcaRxBlocks(s)}
		n.blocks.answers.beatBytes = 64
		n.served = newHcaRxServe(n.blocks)
		n.memory = newRxDMA(s.Get("DataWidth", 512)/8, HcaRxWritesUnderWay, n.blocks.numQPs)
		return n
	},
	Behind: &sim.Behind{Port: hcaRxCompletions, Of: []sim.Port{hcaRxWrites, hcaRxData}, Rule: "DMA-1"},
}

// hcaRx is the stage of docs/blocks/hca_rx.md: what the blocks' stages decide, one behind the other.
type hcaRx struct {
	blocks  *HcaRxBlocks
	memory  *rxDMA
	moved   []sim.Record // what came of a record for memory
	frame   HcaRxFrame
	served  *hcaRxServe
	giver   hcaRxOut // to served, of one call
	seq     [hcaRxEnds + 1]uint64
	records []byte // of one Advance; its outputs share it until the next
}

func (s *hcaRx) Reset() {
	s.blocks.Reset()
	s.memory.Reset()
	s.served = newHcaRxServe(s.blocks)
	s.seq = [hcaRxEnds + 1]uint64{}
}

func (s *hcaRx) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records, s.blocks.answers.bytes = s.records[:0], s.blocks.answers.bytes[:0]
	for i := range in {
		switch in[i].Port {
		case hcaRxOps:
			out = s.operate(&in[i], out)
		case hcaRxAcks:
			out = s.remember(&in[i], dmaPortAck, in[i].Data, out)
			s.served.acknowledge(in[i].Data[0])
		case hcaRxReadData:
			s.served.give(&in[i])
		case hcaRxAtomicData, hcaRxAtomicAcks:
			out = s.hearAtomic(&in[i], out)
		default:
			out = s.receive(&in[i], out)
		}
		out = s.serve(&in[i], out)
	}
	return out
}

// operate gives a block its operation. One of rx_dma clears a QP, whatever it says besides.
func (s *hcaRx) operate(in *sim.Record, out []sim.Record) []sim.Record {
	switch HcaRxTargetOf(in.Data) {
	case ToReplay:
		q := hcaRxReplayOf(in.Data)
		s.served.operate(&q)
		return out
	case ToMemory:
	default:
		s.blocks.operate(in.Data)
		return out
	}
	c := HcaRxClearOf(in.Data)
	return s.remember(in, dmaPortCommand, s.keep(c.Append(s.records)), out)
}

// keep takes what was appended to records.
func (s *hcaRx) keep(records []byte) []byte {
	at := len(s.records)
	s.records = records
	return records[at:len(records):len(records)]
}

// remember gives rx_dma a record, and all what comes of it: a write that failed takes its QP to error (DMA-5).
func (s *hcaRx) remember(in *sim.Record, port sim.Port, data []byte, out []sim.Record) []sim.Record {
	r := sim.Record{Start: in.Start, End: in.End, Seq: in.Seq, Port: port, Data: data}
	s.moved = s.memory.Advance(0, []sim.Record{r}, s.moved[:0])
	for i := range s.moved {
		m := &s.moved[i]
		to := hcaRxWrites + m.Port - dmaPortWrite
		out = s.give(out, in, to, hcaRxVerdictCycles, s.keep(append(s.records, m.Data...)), 0)
		if to != hcaRxCompletions {
			continue
		}
		told := ParseDMARecord(m.Data)
		if !told.Cleared { // in which order clears and frames meet rx_dma nothing tells
			out[len(out)-1].Behind = m.Behind
		}
		if told.Failed {
			s.blocks.Fail(told.QPN)
		}
	}
	return out
}

// give appends an output that a frame leads to.
func (s *hcaRx) give(out []sim.Record, in *sim.Record, port sim.Port, delay uint64, data []byte,
	user uint32) []sim.Record {
	out = append(out, sim.Record{})
	r := &out[len(out)-1] // in place, as pass.through
	r.Start, r.End, r.Seq, r.Cause = in.End+delay, in.End+delay, s.seq[port], in.Seq
	r.Key, r.User, r.Port, r.Data = in.Key, user, port, data
	s.seq[port]++
	return out
}

// receive takes a frame through all blocks, and gives what comes of it.
func (s *hcaRx) receive(in *sim.Record, out []sim.Record) []sim.Record {
	f := &s.frame
	f.Receive(linkOf(in), in.Data)
	out = s.give(out, in, hcaRxGate, HcaRxGateLatencyCycles, s.keep(f.AppendGate(s.records)), 0)
	if f.Gate != GatePassed {
		return out
	}
	s.blocks.Classify(f)
	s.blocks.Notify(f, in.End)
	if f.IsRequest() {
		s.blocks.Request(f)
	}
	out = s.give(out, in, hcaRxRecords, hcaRxVerdictCycles, s.keep(f.AppendRecord(s.records)), 0)
	if c := f.Memory(); c.Bytes > 0 || c.Complete {
		out = s.remember(in, dmaPortCommand, s.keep(c.Append(s.records)), out)
		if c.Bytes > 0 {
			out = s.remember(in, dmaPortPayload, f.parsed.Payload, out)
		}
	}
	if f.Placed() {
		s.served.wrote++
	}
	if f.Notifies() {
		s.served.works = append(s.served.works, hcaRxWork{answer: f.notice(), passes: true})
	}
	if f.Answers() || f.Asks() {
		w := f.work()
		w.writes = s.served.wrote
		s.served.works = append(s.served.works, w)
	}
	return out
}

// serve gives all answers that can leave.
func (s *hcaRx) serve(in *sim.Record, out []sim.Record) []sim.Record {
	g := &s.giver
	*g = hcaRxOut{s, in, out}
	s.served.run(g)
	return g.out
}

// hearAtomic has atomic_engine take what memory says.
func (s *hcaRx) hearAtomic(in *sim.Record, out []sim.Record) []sim.Record {
	port := atomicPortData
	if in.Port == hcaRxAtomicAcks {
		port = atomicPortAck
	}
	g := hcaRxOut{s, in, out}
	g.move(port, in.Data, s.served.atomics)
	return g.out
}

// hcaRxOut gives what a record leads to.
type hcaRxOut struct {
	s   *hcaRx
	in  *sim.Record
	out []sim.Record
}

func (g *hcaRxOut) port(port sim.Port, data []byte) {
	g.out = g.s.give(g.out, g.in, port, hcaRxVerdictCycles, data, 0)
}

// leave gives the frame of an answer.
func (g *hcaRxOut) leave(q *AckRecord, payload []byte) {
	a := &g.s.blocks.answers
	at := len(a.bytes)
	if why, _ := a.answer(q, payload); why != AckGood {
		return
	}
	frame := a.bytes[at:len(a.bytes):len(a.bytes)]
	loc := wire.Locate(q.Way.Encap.Link(), frame)
	wire.PutICRC(frame, &loc)
	g.out = g.s.give(g.out, g.in, hcaRxAnswers, hcaRxAnswerCycles, frame, userBits(1, loc.Encap, loc.Bad.Reason))
}

func (g *hcaRxOut) atomic(data []byte, e *atomicEngine) { g.move(atomicPortCommand, data, e) }

// move gives atomic_engine a record. Its results are awaited, the rest is for memory.
func (g *hcaRxOut) move(port sim.Port, data []byte, e *atomicEngine) {
	r := sim.Record{Start: g.in.Start, End: g.in.End, Seq: g.in.Seq, Port: port, Data: data}
	for _, m := range e.Advance(0, []sim.Record{r}, nil) {
		switch m.Port {
		case atomicPortRead:
			g.port(hcaRxAtomicReads, slices.Clone(m.Data))
		case atomicPortWrite:
			g.port(hcaRxAtomicWrites, slices.Clone(m.Data))
		case atomicPortResult:
			g.s.served.results = append(g.s.served.results, ParseAtomicResult(m.Data))
		}
	}
}

func (g *hcaRxOut) fail(qpn uint32) { g.s.blocks.Fail(qpn) }

// AppendRecord appends the record of m_rec.
func (f *HcaRxFrame) AppendRecord(b []byte) []byte {
	l, r := sim.WriteLayout(b), &f.Result
	to := f.destination()
	l.Put(f.Class.QPN, 24)
	l.Put(uint32(r.PSN), psn.Bits)
	l.Put(uint32(f.Class.Class), 3)
	l.Put(uint32(f.Class.Why), 4)
	l.Put(uint32(r.Verdict), 3)
	l.Put(uint32(r.Why), 5)
	l.Put(uint32(r.Answer), 3)
	l.PutFlag(r.Complete)
	l.PutFlag(f.Placed())
	l.Wide(&to.address)
	l.Put(to.offset, 32)
	l.Put(to.wqe, 32)
	return l.End()
}

// HcaRxQPN is the QP of a record of m_rec.
func HcaRxQPN(data []byte) uint32 { return uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 }

// HcaRxCompletes reports whether the packet of a record of m_rec used a receive WQE up.
func HcaRxCompletes(data []byte) bool { return data[8]&4 != 0 }

// Memory is what rx_dma is told of a packet. It is told nothing of one without bytes that completes nothing.
func (f *HcaRxFrame) Memory() (c DMACommand) {
	c.QPN = f.Class.QPN
	if f.parsed.passesOn() {
		c.Bytes = uint16(f.parsed.payloadBytes)
	}
	if !f.executed() {
		return c
	}
	c.Place, c.PSN, c.Address = true, uint32(f.parsed.BTH().PSN()), f.key.Address
	if f.isDatagram() {
		c.PSN = uint32(f.parsed.field(ib.SrcQP))
	}
	if f.shape().Verb == roce.Send {
		c.Address = uint64(f.wqe.WQE)<<32 | uint64(f.offset())
	}
	if c.Complete = f.Result.Complete; c.Complete {
		c.Solicited, c.WQE, c.Length = f.Result.Solicited, f.wqe.WQE, f.offset()+uint32(c.Bytes)
		if c.HasImmediate = f.shape().Imm; c.HasImmediate {
			c.Immediate = uint32(f.parsed.field(ib.Immediate))
		}
	}
	return c
}

// isDatagram reports whether a request is of UD.
func (f *HcaRxFrame) isDatagram() bool { return f.Class.Service == RespUD }

// offset is where a packet's payload begins: in its message, or of a datagram in its receive WQE, behind the room for
// a GRH (RSP-4).
func (f *HcaRxFrame) offset() uint32 {
	if f.isDatagram() {
		return ib.GRHBytes
	}
	return f.message.Offset
}

// destination is where a packet's payload goes, and the receive WQE that it is for.
type destination struct {
	address uint64
	offset  uint32
	wqe     uint32
}

func (f *HcaRxFrame) destination() (d destination) {
	if !f.executed() {
		return d
	}
	if f.Placed() {
		d.offset = f.offset()
		if f.shape().Verb != roce.Send {
			d.address = f.key.Address
		}
	}
	if f.TakesWQE() {
		d.wqe = f.wqe.WQE
	}
	return d
}
