package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Cycles of roce_parse after the last beat of a packet went in: of its header record, and of the first beat of its payload where
// m_axis is free then.
const (
	RoCEParseHeaderLatencyCycles  = 14
	RoCEParsePayloadLatencyCycles = 15
)

// HeaderRecordBytes is the size of a record on m_hdr of roce_parse.
const HeaderRecordBytes = 127

// reasonOverlong is what this stage calls a payload above every path MTU. Other lengths that LEN-1 forbids are resp_psn_check's.
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
	out := sim.Record{Start: start, End: start + beats - 1, Seq: s.payloadSeq, Cause: in.Seq, Key: in.Key, Port: portPayload,
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

// judge says what the document says of a decoded packet. Decode knows more: it has an opinion on IB raw packets, and on every
// length that LEN-1 forbids.
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
	w := layoutWriter{b: b}
	p.putVerdict(&w)
	p.putTransport(&w)
	p.putNetwork(&w)
	for _, f := range extensionFields {
		w.putNumber(p.field(f.at, f.bytes, f.headers...), f.bytes)
	}
	return w.end()
}

func (p *parsed) putVerdict(w *layoutWriter) {
	hasEnd := p.Encap != wire.EncapNone && p.Encap != wire.EncapRaw
	w.put(uint32(p.reason), 4)
	w.put(uint32(p.Encap), 3)
	w.flag(hasEnd && p.End > len(p.Frame))
	w.flag(hasEnd && p.End < p.Transport+ib.BTHBytes+ib.ICRCBytes)
	w.put(uint32(p.tags()), 2)
}

// putTransport puts the BTH with what stands between its fields in the record.
func (p *parsed) putTransport(w *layoutWriter) {
	bth, feth, sl := wire.BTH(zeros[:]), wire.FETH(zeros[:]), uint8(0)
	if p.hasBTH {
		bth = p.BTH()
	}
	if h := p.field(0, 4, ib.FETH); h != nil {
		feth = h
	}
	if p.Encap.Link() == wire.LinkIB {
		sl = p.LRH().SL()
	}
	for _, v := range [...]bool{bth.SE(), bth.MigReq(), bth.FECN(), bth.BECN(), bth.AckReq()} {
		w.flag(v)
	}
	w.put(uint32(bth.Opcode()), 8)
	w.put(uint32(bth.Pad()), 2)
	w.put(uint32(bth.TVer()), 4)
	w.put(uint32(feth.SEL()), 2)
	w.put(uint32(feth.PLT()), 4)
	w.put(uint32(sl), 4)
	w.put(uint32(bth.PKey()), 16)
	w.put(bth.DestQP(), 24)
	w.put(uint32(bth.PSN()), 24)
	w.put(uint32(p.payloadBytes), 16)
}

func (p *parsed) putNetwork(w *layoutWriter) {
	var port, slid, dlid uint16
	if h := p.UDP(); h != nil {
		port = h.SrcPort()
	}
	if p.Encap.Link() == wire.LinkIB {
		slid, dlid = p.LRH().SLID(), p.LRH().DLID()
	}
	src, dst, tclass := p.addresses()
	w.put(uint32(port), 16)
	w.put(uint32(tclass), 8)
	w.put(uint32(slid), 16)
	w.put(uint32(dlid), 16)
	for i := range 2 {
		var tag []byte
		if i < p.tags() {
			tag = p.VLAN(i)
		}
		w.putNumber(tag, 4)
	}
	w.putNumber(src, 16)
	w.putNumber(dst, 16)
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

// extensionFields are the last fields of the record, in its order; a field that two headers have stands at the same place in both.
var extensionFields = []struct {
	at, bytes int
	headers   []ib.Header
}{
	{1, 3, []ib.Header{ib.RDETH}},
	{0, 4, []ib.Header{ib.DETH}},
	{5, 3, []ib.Header{ib.DETH}},
	{1, 3, []ib.Header{ib.XRCETH}},
	{0, 8, []ib.Header{ib.RETH, ib.AtomicETH}},
	{8, 4, []ib.Header{ib.RETH, ib.AtomicETH}},
	{12, 4, []ib.Header{ib.RETH}},
	{12, 8, []ib.Header{ib.AtomicETH}},
	{20, 8, []ib.Header{ib.AtomicETH}},
	{0, 1, []ib.Header{ib.AETH}},
	{1, 3, []ib.Header{ib.AETH}},
	{0, 8, []ib.Header{ib.AtomicAckETH}},
	{0, 4, []ib.Header{ib.IETH}},
	{0, 4, []ib.Header{ib.ImmDt}},
}

// field is a field of the first of these headers that the packet has; nil where it has none.
func (p *parsed) field(at, bytes int, headers ...ib.Header) []byte {
	for _, h := range headers {
		if !p.hasHeaders {
			return nil
		}
		if v := p.Ext(h); v != nil {
			return v[at : at+bytes]
		}
	}
	return nil
}

var zeros [ib.BTHBytes]byte

// putNumber puts a number as the wire has it, highest byte first, into so many bytes; nil is 0.
func (w *layoutWriter) putNumber(number []byte, bytes int) {
	for i := range bytes {
		v := byte(0)
		if i < len(number) {
			v = number[len(number)-1-i]
		}
		w.put(uint32(v), 8)
	}
}

func append24(b []byte, v uint32) []byte { return append(b, byte(v), byte(v>>8), byte(v>>16)) }

// flag is a bit of a byte.
func flag(set bool, bit int) byte {
	if set {
		return 1 << bit
	}
	return 0
}
