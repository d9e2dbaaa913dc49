package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Cycles behind the last beat of a frame, idle: of its record at m_gate, and about those of the others.
const (
	HcaRxGateLatencyCycles       = ICRCCheckLatencyCycles + ICRCGateRecordLatencyCycles
	hcaRxVerdictCycles           = 40
	hcaRxAnswerCycles            = 65
	hcaRxUnusedCredits           = 31 // credit code: not used
	hcaRxAtomicBytes             = 8
	hcaRxNeedWrite         uint8 = 1 // of a key, as mr_lookup has it
)

// HcaRxTarget is the block that an operation at s_op of hca_rx is for.
type HcaRxTarget uint8

// The blocks that take operations.
const (
	ToClassify HcaRxTarget = iota
	ToVerdict
	ToKeys
	ToAnswers
)

// The ports of hca_rx.
const (
	hcaRxFrames  sim.Port = iota // s_axis
	hcaRxOps                     // s_op
	hcaRxGate                    // m_gate
	hcaRxRecords                 // m_rec
	hcaRxPayload                 // m_pay
	hcaRxAnswers                 // m_axis
)

var hcaRxSpec = sim.StageSpec{
	Name:    "hca_rx",
	Summary: "the responder as far as it is joined",
	Ports: []sim.PortSpec{
		{Name: "s_axis", Input: true, Kind: sim.Axis, UserBits: 1},
		{Name: "s_op", Input: true, Kind: sim.Fields},
		{Name: "m_gate", Kind: sim.Fields},
		{Name: "m_rec", Kind: sim.Fields},
		{Name: "m_pay", Kind: sim.Axis},
		{Name: "m_axis", Kind: sim.Axis, UserBits: verdictBits},
	},
	New: func(s sim.Settings) sim.Stage {
		n := &hcaRx{numQPs: uint32(s.Get("NumQps", 4096)), wqePresent: s.Get("wqe_present_i", 1) != 0,
			wqeBytes: uint32(s.Get("wqe_bytes_i", 1<<20)), pd: uint32(s.Get("pd_i", 5))}
		n.Reset()
		return n
	},
}

// hcaRx is the stage of docs/blocks/hca_rx.md: what the blocks' stages decide, one behind the other.
type hcaRx struct {
	numQPs     uint32
	wqePresent bool
	wqeBytes   uint32
	pd         uint32

	classifier Classifier
	keys       Keys
	verdicts   respPSNCheck
	answers    ackGen
	seq        [hcaRxAnswers + 1]uint64
	packet     wire.Packet
	records    []byte // of one Advance; its outputs share it until the next
}

func (s *hcaRx) Reset() {
	s.classifier, s.keys = Classifier{numQPs: s.numQPs}, Keys{numKeys: s.numQPs}
	s.verdicts = respPSNCheck{numQPs: s.numQPs, qps: map[uint32]*respQP{}}
	s.answers = ackGen{beatBytes: 64, numQPs: s.numQPs}
	s.seq = [hcaRxAnswers + 1]uint64{}
}

func (s *hcaRx) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records, s.answers.bytes = s.records[:0], s.answers.bytes[:0]
	for i := range in {
		if in[i].Port == hcaRxOps {
			s.operate(in[i].Data)
		} else {
			out = s.frame(&in[i], out)
		}
	}
	return out
}

// operate gives a block its operation.
func (s *hcaRx) operate(data []byte) {
	var target HcaRxTarget
	l := sim.ReadLayout(data)
	sim.Field(&l, &target, 2)
	switch target {
	case ToClassify:
		var q ClassifyQuery
		q.layout(&l)
		s.classifier.Step(&q)
	case ToVerdict:
		var q RespQuery
		q.layout(&l)
		s.verdicts.judge(&q)
	case ToKeys:
		var q MRQuery
		q.layout(&l)
		s.keys.Step(&q)
	default:
		var q AckQuery
		q.layout(&l)
		s.answers.answer(&q)
	}
}

// give appends an output that a frame leads to.
func (s *hcaRx) give(out []sim.Record, in *sim.Record, port sim.Port, delay uint64, data []byte,
	user uint32) []sim.Record {
	r := sim.Record{Start: in.End + delay, End: in.End + delay, Seq: s.seq[port], Cause: in.Seq, Key: in.Key, Port: port,
		User: user, Data: data}
	s.seq[port]++
	return append(out, r)
}

// frame takes a frame through gate and parser.
func (s *hcaRx) frame(in *sim.Record, out []sim.Record) []sim.Record {
	link := linkOf(in)
	verdict := verdictOf(link, in.Data)
	why := judgeGate(len(in.Data), verdict)
	at := len(s.records)
	l := sim.WriteLayout(s.records)
	l.Put(uint32(why), 3)
	l.Put(verdict&3, 2)
	l.Put(verdict>>4&7, 3)
	l.Put(verdict>>8&15, 4)
	s.records = l.End()
	out = s.give(out, in, hcaRxGate, HcaRxGateLatencyCycles, s.records[at:len(s.records):len(s.records)], 0)
	if why != GatePassed {
		return out
	}
	wire.Decode(link, in.Data, &s.packet)
	p := parsed{Packet: &s.packet}
	p.judge()
	return s.admitted(in, &p, out)
}

// admitted classifies a packet, judges it if it is a request, and gives what comes of it.
func (s *hcaRx) admitted(in *sim.Record, p *parsed, out []sim.Record) []sim.Record {
	q := p.classifyQuery()
	c := s.classifier.Step(&q)
	var r RespResult
	if c.Class == ClassRequest {
		r = s.request(p)
	}
	executed := c.Class == ClassRequest && r.Verdict == roce.RespExecute && p.passesOn()
	at := len(s.records)
	l := sim.WriteLayout(s.records)
	l.Put(c.QPN, 24)
	l.Put(uint32(r.PSN), psn.Bits)
	l.Put(uint32(c.Class), 3)
	l.Put(uint32(c.Why), 4)
	l.Put(uint32(r.Verdict), 3)
	l.Put(uint32(r.Why), 5)
	l.Put(uint32(r.Answer), 3)
	l.PutFlag(r.Complete)
	l.PutFlag(executed)
	s.records = l.End()
	out = s.give(out, in, hcaRxRecords, hcaRxVerdictCycles, s.records[at:len(s.records):len(s.records)], 0)
	if executed {
		out = s.give(out, in, hcaRxPayload, hcaRxVerdictCycles, p.Payload, 0)
	}
	if r.Answer == roce.RespAck || r.Answer == roce.RespNak {
		out = s.answer(in, p, &c, &r, out)
	}
	return out
}

// classifyQuery is the packet's header record as rx_classify takes it.
func (p *parsed) classifyQuery() ClassifyQuery {
	w := p.wayBack()
	q := ClassifyQuery{Reason: p.reason, Encap: p.Encap, SLID: w.SLID, DLID: w.DLID, Src: w.Src, Dst: w.Dst}
	if p.hasBTH {
		bth := p.BTH()
		q.Opcode, q.DestQP, q.PKey = bth.Opcode(), bth.DestQP(), bth.PKey()
	}
	return q
}

// wayBack is what the packet's headers say of its way.
func (p *parsed) wayBack() WayBack {
	src, dst, tclass := p.addresses()
	w := WayBack{Encap: p.Encap, Tags: uint8(p.tags()), TClass: tclass, Src: wideAddress(src), Dst: wideAddress(dst)}
	for i := range w.Tags {
		for _, b := range p.VLAN(int(i))[:4] {
			w.VLAN[i] = w.VLAN[i]<<8 | uint32(b)
		}
	}
	if h := p.UDP(); h != nil {
		w.UDPSrcPort = h.SrcPort()
	}
	if p.Encap.Link() == wire.LinkIB {
		w.SLID, w.DLID, w.SL = p.LRH().SLID(), p.LRH().DLID(), p.LRH().SL()
	}
	return w
}

// wideAddress is an address of 4 or 16 bytes in the last of 16.
func wideAddress(b []byte) (a roce.Address) {
	copy(a[len(a)-len(b):], b)
	return a
}

// request asks for the key and for the verdict.
func (s *hcaRx) request(p *parsed) RespResult {
	bth, va := p.BTH(), p.field(ib.VA, ib.AtomicVA)
	q := RespQuery{QPN: bth.DestQP(), PSN: bth.PSN(), Opcode: bth.Opcode(), Payload: uint16(p.payloadBytes),
		DMALength: uint32(p.field(ib.DMALen)), Pad: uint8(bth.Pad()), VALow: uint8(va & 7), AckReq: bth.AckReq(),
		Solicited: bth.SE(), FlushPLT: uint8(p.field(ib.FlushPLT)), FlushSel: uint8(p.field(ib.FlushSEL)),
		WQEBytes: s.wqeBytes, WQEPresent: s.wqePresent, Credits: hcaRxUnusedCredits, AccessOK: s.access(p, va)}
	return s.verdicts.judge(&q)
}

// access is what mr_lookup says of the request's key. The range of a WRITE is asked for as a whole, with its RETH.
func (s *hcaRx) access(p *parsed, va uint64) bool {
	shape := p.Op.Opcode.Shape()
	q := MRQuery{RKey: uint32(p.field(ib.RKey, ib.AtomicRKey)), PD: s.pd, VA: va, Length: p.field(ib.DMALen)}
	switch {
	case p.Op.Headers.Has(ib.IETH):
		return false
	case !p.Op.Headers.Has(ib.RETH) && !p.Op.Headers.Has(ib.AtomicETH):
		return true
	case shape.Verb.Atomic():
		q.Need, q.Length = hcaRxNeedWrite<<2, hcaRxAtomicBytes
	case shape.Verb == roce.AtomicWrite:
		q.Need, q.Length = hcaRxNeedWrite, hcaRxAtomicBytes
	case shape.Verb == roce.Read:
		q.Need = hcaRxNeedWrite << 1
	case shape.Verb == roce.Flush:
		q.Need, q.Whole = uint8(p.field(ib.FlushPLT)&3)<<3, p.field(ib.FlushSEL) == 1
	default:
		q.Need = hcaRxNeedWrite
	}
	return s.keys.Step(&q).OK
}

// answer gives the frame of an ACK or NAK.
func (s *hcaRx) answer(in *sim.Record, p *parsed, c *ClassifyResult, r *RespResult, out []sim.Record) []sim.Record {
	q := AckQuery{QPN: c.QPN, PSN: r.PSN, MSN: r.MSN, Syndrome: r.Syndrome, PKey: c.PKey, Way: p.wayBack()}
	at := len(s.answers.bytes)
	if why, _ := s.answers.answer(&q); why != AckGood {
		return out
	}
	frame := s.answers.bytes[at:len(s.answers.bytes):len(s.answers.bytes)]
	loc := wire.Locate(p.Encap.Link(), frame)
	wire.PutICRC(frame, &loc)
	return s.give(out, in, hcaRxAnswers, hcaRxAnswerCycles, frame, userBits(1, loc.Encap, loc.Bad.Reason))
}
