package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Cycles of roce_parse after the last beat of a packet went in: of its header record, and of the first beat of its
// payload where m_axis is free then.
const (
	RoCEParseHeaderLatencyCycles  = 14
	RoCEParsePayloadLatencyCycles = 15
)

// HeaderRecordBytes is the size of a record on m_hdr of roce_parse.
const HeaderRecordBytes = 127

// reasonOverlong is what this stage calls a payload above every path MTU. Other lengths that LEN-1 forbids are
// resp_psn_check's.
const reasonOverlong = wire.PayloadLength

// The ports of roce_parse.
const (
	_           sim.Port = iota // s_axis
	portHeader                  // m_hdr
	portPayload                 // m_axis
)

var roceParseSpec = sim.StageSpec{
	Name:    "roce_parse",
	Summary: "takes packets of any encapsulation apart into a header record and the payload",
	Ports: []sim.PortSpec{
		{Name: "s_axis", Input: true, Kind: sim.Axis, UserBits: 1},
		{Name: "m_hdr", Kind: sim.Fields},
		{Name: "m_axis", Kind: sim.Axis},
	},
	New: func(s sim.Settings) sim.Stage { return NewRoCEParse(int(s.Get("DataWidth", 512)) / 8) },
}

// roceParse is the stage of docs/blocks/roce_parse.md.
type roceParse struct {
	beatBytes   int
	headerSeq   uint64
	payloadSeq  uint64
	payloadFree uint64 // the first cycle in which m_axis can offer a beat
	packet      wire.Packet
	records     []byte // of one Advance; its outputs share it until the next
}

// NewRoCEParse makes the stage for a data path of beatBytes.
func NewRoCEParse(beatBytes int) sim.Stage { return &roceParse{beatBytes: beatBytes} }

func (s *roceParse) Reset() { s.headerSeq, s.payloadSeq, s.payloadFree = 0, 0, 0 }

func (s *roceParse) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		r := &in[i]
		wire.Decode(linkOf(r), r.Data, &s.packet)
		p := parsed{Packet: &s.packet}
		p.judge()
		at := len(s.records)
		s.records = p.append(s.records)
		end := r.End + RoCEParseHeaderLatencyCycles
		out = append(out, sim.Record{Start: end, End: end, Seq: s.headerSeq, Cause: r.Seq, Key: r.Key, Port: portHeader,
			Data: s.records[at:len(s.records):len(s.records)]})
		s.headerSeq++
		if p.passesOn() {
			out = append(out, s.payload(r, p.Payload))
		}
	}
	return out
}

// payload makes the packet on m_axis: behind the one before it.
func (s *roceParse) payload(in *sim.Record, data []byte) sim.Record {
	beats := uint64((len(data) + s.beatBytes - 1) / s.beatBytes)
	start := max(in.End+RoCEParsePayloadLatencyCycles, s.payloadFree)
	s.payloadFree = start + beats
	out := sim.Record{Start: start, End: start + beats - 1, Seq: s.payloadSeq, Cause: in.Seq, Key: in.Key,
		Port: portPayload,
		Data: data}
	s.payloadSeq++
	return out
}

// parsed is a packet with what the record says about it as a whole.
type parsed struct {
	*wire.Packet
	reason       wire.Reason
	payloadBytes int
	hasBTH       bool // at a place that can be trusted
	hasHeaders   bool // all that the opcode brings
}

// judge says what the document says of a decoded packet. Decode knows more: it has an opinion on IB raw packets, and on
// every length that LEN-1 forbids.
func (p *parsed) judge() {
	p.reason = p.Bad.Reason
	p.hasBTH = p.BTH() != nil && (p.reason == wire.WellFormed || p.reason >= wire.TVer)
	p.hasHeaders = p.hasBTH && p.Op != nil
	if p.hasHeaders {
		p.payloadBytes = len(p.Payload)
	}
	isLength := p.reason == wire.WellFormed || p.reason == wire.PayloadLength
	switch {
	case p.Encap == wire.EncapRaw:
		p.reason = wire.WellFormed
	case isLength && p.payloadBytes > ib.MaxPMTU:
		p.reason = reasonOverlong
	case isLength:
		p.reason = wire.WellFormed
	}
}

// passesOn reports whether a payload leaves: what an opcode without one carries belongs to nobody (OPC-2).
func (p *parsed) passesOn() bool {
	return p.reason == wire.WellFormed && p.payloadBytes > 0 && p.Op.HasPayload()
}

// append appends the record: the fields in the order of the document.
func (p *parsed) append(b []byte) []byte {
	w := sim.WriteLayout(b)
	p.putVerdict(&w)
	p.putTransport(&w)
	p.putNetwork(&w)
	p.putExtensions(&w)
	return w.End()
}

// putExtensions puts the fields of the headers that the opcode brings, and zeros for all others.
func (p *parsed) putExtensions(w *sim.Layout) {
	if !p.hasHeaders {
		w.Zeros(extensionBits)
		return
	}
	for _, e := range extensionsOf(p.Op) {
		if w.Zeros(e.zeros); e.bits == 0 {
			return
		}
		v := e.field.Of(p.Frame[p.Transport+e.at:])
		w.Put(uint32(v), min(e.bits, 32))
		if e.bits > 32 {
			w.Put(uint32(v>>32), e.bits-32)
		}
	}
}

func (p *parsed) putVerdict(w *sim.Layout) {
	hasEnd := p.Encap != wire.EncapNone && p.Encap != wire.EncapRaw
	w.Put(uint32(p.reason)|uint32(p.Encap)<<4, 4+3)
	w.PutFlag(hasEnd && p.End > len(p.Frame))
	w.PutFlag(hasEnd && p.End < p.Transport+ib.BTHBytes+ib.ICRCBytes)
	w.Put(uint32(p.tags()), 2)
}

// putTransport puts the BTH with what stands between its fields in the record.
func (p *parsed) putTransport(w *sim.Layout) {
	bth, sl := wire.BTH(zeros[:]), uint8(0)
	if p.hasBTH {
		bth = p.BTH()
	}
	if p.Encap.Link() == wire.LinkIB {
		sl = p.LRH().SL()
	}
	for _, v := range [...]bool{bth.SE(), bth.MigReq(), bth.FECN(), bth.BECN(), bth.AckReq()} {
		w.PutFlag(v)
	}
	w.Put(uint32(bth.Opcode())|uint32(bth.Pad())<<8|uint32(bth.TVer())<<10, 8+2+4)
	w.Put(uint32(p.field(ib.FlushSEL)), 2)
	w.Put(uint32(p.field(ib.FlushPLT)), 4)
	w.Put(uint32(sl), 4)
	w.Put(uint32(bth.PKey()), 16)
	w.Put(bth.DestQP(), 24)
	w.Put(uint32(bth.PSN()), 24)
	w.Put(uint32(p.payloadBytes), 16)
}

func (p *parsed) putNetwork(w *sim.Layout) {
	var port, slid, dlid uint16
	if h := p.UDP(); h != nil {
		port = h.SrcPort()
	}
	if p.Encap.Link() == wire.LinkIB {
		slid, dlid = p.LRH().SLID(), p.LRH().DLID()
	}
	src, dst, tclass := p.addresses()
	w.Put(uint32(port), 16)
	w.Put(uint32(tclass), 8)
	w.Put(uint32(slid), 16)
	w.Put(uint32(dlid), 16)
	for i := range 2 {
		var tag []byte
		if i < p.tags() {
			tag = p.VLAN(i)
		}
		w.PutNumber(tag, 4)
	}
	w.PutNumber(src, 16)
	w.PutNumber(dst, 16)
}

func (p *parsed) tags() int {
	if p.Encap == wire.EncapNone {
		return 0
	}
	return int(p.VLANs)
}

// addresses are nil where the packet has none, or an IB raw packet's own.
func (p *parsed) addresses() (src, dst []byte, tclass uint8) {
	if ip := p.IPv4(); ip != nil {
		return ip.Src(), ip.Dst(), ip.TOS()
	}
	ip := p.GRH()
	if p.Encap == wire.EncapRoCEv2IPv6 {
		ip = p.IPv6()
	}
	if ip == nil {
		return nil, nil, 0
	}
	return ip.Src(), ip.Dst(), ip.TClass()
}

// extensionFields are the last fields of the record, in its order; a field that two headers have stands at the same
// place in both.
var extensionFields = [][]ib.Field{
	{ib.EEContext},
	{ib.QKey},
	{ib.SrcQP},
	{ib.XRCSRQ},
	{ib.VA, ib.AtomicVA},
	{ib.RKey, ib.AtomicRKey},
	{ib.DMALen},
	{ib.SwapAdd},
	{ib.Compare},
	{ib.AETHSyndrome},
	{ib.MSN},
	{ib.Original},
	{ib.InvRKey},
	{ib.Immediate},
}

// extension is a field that an opcode brings, behind so many bits of fields that it does not bring. The last one of an
// opcode has no field.
type extension struct {
	zeros uint
	field ib.Field
	at    int // its header, from the BTH on
	bits  uint
}

// extensionBits is the size of all extensionFields.
var extensionBits = func() (bits uint) {
	for _, same := range extensionFields {
		bits += uint(same[0].Bits())
	}
	return bits
}()

// extensionsByOpcode are by the byte of the BTH, for the opcodes that there are.
var extensionsByOpcode = func() (all [256][]extension) {
	for opcode := range all {
		if op := ib.Lookup(ib.Opcode(opcode)); op != nil {
			all[opcode] = makeExtensions(op)
		}
	}
	return all
}()

func extensionsOf(op *ib.Info) []extension { return extensionsByOpcode[op.Opcode] }

func makeExtensions(op *ib.Info) (list []extension) {
	zeros := uint(0)
	for _, same := range extensionFields {
		bits, here := uint(same[0].Bits()), false
		for _, f := range same {
			if here = op.Headers.Has(f.Header()); here {
				list = append(list, extension{zeros, f, op.Offset(f.Header()), bits})
				zeros = 0
				break
			}
		}
		if !here {
			zeros += bits
		}
	}
	return append(list, extension{zeros: zeros})
}

// field is the first of these fields whose header the packet has; 0 where it has none.
func (p *parsed) field(same ...ib.Field) uint64 {
	for _, f := range same {
		if !p.hasHeaders {
			return 0
		}
		if h := p.Ext(f.Header()); h != nil {
			return f.Of(h)
		}
	}
	return 0
}

var zeros [ib.BTHBytes]byte
