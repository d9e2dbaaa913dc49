package hca

import (
	"encoding/binary"

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

var roceParseSpec = StageSpec{
	Name:    "roce_parse",
	Summary: "takes packets of any encapsulation apart into a header record and the payload",
	Ports: []PortSpec{
		{Name: "s_axis", Input: true, Kind: Axis, UserBits: 1},
		{Name: "m_hdr", Kind: Fields},
		{Name: "m_axis", Kind: Axis},
	},
	New: func(s Settings) Stage { return NewRoCEParse(int(s.Get("DataWidth", 512)) / 8) },
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
func NewRoCEParse(beatBytes int) Stage { return &roceParse{beatBytes: beatBytes} }

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
		if p.reason == wire.WellFormed && p.payloadBytes > 0 {
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
	out := sim.Record{Start: start, End: start + beats - 1, Seq: s.payloadSeq, Cause: in.Seq, Key: in.Key, Port: portPayload, Data: data}
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

func (p *parsed) judge() {
	p.reason = p.Bad.Reason
	p.hasBTH = p.BTH() != nil && (p.reason == wire.WellFormed || p.reason >= wire.TVer)
	p.hasHeaders = p.hasBTH && p.Op != nil
	if p.Encap == wire.EncapRaw {
		p.reason = wire.WellFormed
	}
	if p.hasHeaders {
		p.payloadBytes = len(p.Payload)
	}
	if p.reason == wire.PayloadLength && p.payloadBytes <= ib.MaxPMTU {
		p.reason = wire.WellFormed
	} else if p.reason == wire.WellFormed && p.payloadBytes > ib.MaxPMTU {
		p.reason = reasonOverlong
	}
}

// append appends the record, field after field as the document lists them, each with its lowest bit first.
func (p *parsed) append(b []byte) []byte {
	var short, cut bool
	if p.Encap != wire.EncapNone && p.Encap != wire.EncapRaw {
		short = p.End < p.Transport+ib.BTHBytes+ib.ICRCBytes
		cut = p.End > len(p.Frame)
	}
	bth := wire.BTH(zeros[:])
	if p.hasBTH {
		bth = p.BTH()
	}
	var feth wire.FETH = zeros[:ib.FETH.Bytes()]
	if h := p.ext(ib.FETH); h != nil {
		feth = h
	}
	var sl uint8
	var slid, dlid, sport uint16
	if p.Encap.Link() == wire.LinkIB {
		sl, slid, dlid = p.LRH().SL(), p.LRH().SLID(), p.LRH().DLID()
	}
	if udp := p.UDP(); udp != nil {
		sport = udp.SrcPort()
	}
	tags := uint8(0)
	if p.Encap != wire.EncapNone {
		tags = p.VLANs
	}
	b = append(b,
		byte(p.reason)|byte(p.Encap)<<4|flag(cut, 7),
		flag(short, 0)|tags<<1|flag(bth.SE(), 3)|flag(bth.MigReq(), 4)|flag(bth.FECN(), 5)|flag(bth.BECN(), 6)|flag(bth.AckReq(), 7),
		byte(bth.Opcode()),
		byte(bth.Pad())|bth.TVer()<<2|feth.SEL()<<6,
		feth.PLT()|sl<<4)
	b = le.AppendUint16(b, bth.PKey())
	b = append24(b, bth.DestQP())
	b = append24(b, uint32(bth.PSN()))
	b = le.AppendUint16(b, uint16(p.payloadBytes))
	b = le.AppendUint16(b, sport)
	b = p.appendAddresses(b, slid, dlid, tags)
	return p.appendExtensions(b)
}

func (p *parsed) appendAddresses(b []byte, slid, dlid uint16, tags uint8) []byte {
	var src, dst []byte
	tclass := uint8(0)
	if ip := p.IPv4(); ip != nil {
		src, dst, tclass = ip.Src(), ip.Dst(), ip.TOS()
	} else if p.Encap != wire.EncapRaw {
		ip := p.IPv6()
		if ip == nil {
			ip = p.GRH()
		}
		if ip != nil {
			src, dst, tclass = ip.Src(), ip.Dst(), ip.TClass()
		}
	}
	b = append(b, tclass)
	b = le.AppendUint16(b, slid)
	b = le.AppendUint16(b, dlid)
	for i := range uint8(2) {
		if i < tags {
			b = appendTurned(b, p.VLAN(int(i)), 4)
		} else {
			b = appendTurned(b, nil, 4)
		}
	}
	b = appendTurned(b, src, 16)
	return appendTurned(b, dst, 16)
}

func (p *parsed) appendExtensions(b []byte) []byte {
	for _, f := range extensionFields {
		field := []byte(nil)
		for _, h := range f.headers {
			if v := p.ext(h); v != nil {
				field = v[f.at : f.at+f.bytes]
			}
		}
		b = appendTurned(b, field, f.bytes)
	}
	return b
}

// extensionFields are the fields of extension headers in the order of the record; a field of two headers stands at the same place
// in both.
var extensionFields = []struct {
	headers   []ib.Header
	at, bytes int
}{
	{[]ib.Header{ib.RDETH}, 1, 3},
	{[]ib.Header{ib.DETH}, 0, 4},
	{[]ib.Header{ib.DETH}, 5, 3},
	{[]ib.Header{ib.XRCETH}, 1, 3},
	{[]ib.Header{ib.RETH, ib.AtomicETH}, 0, 8},
	{[]ib.Header{ib.RETH, ib.AtomicETH}, 8, 4},
	{[]ib.Header{ib.RETH}, 12, 4},
	{[]ib.Header{ib.AtomicETH}, 12, 8},
	{[]ib.Header{ib.AtomicETH}, 20, 8},
	{[]ib.Header{ib.AETH}, 0, 1},
	{[]ib.Header{ib.AETH}, 1, 3},
	{[]ib.Header{ib.AtomicAckETH}, 0, 8},
	{[]ib.Header{ib.IETH}, 0, 4},
	{[]ib.Header{ib.ImmDt}, 0, 4},
}

// ext is the view of an extension header, nil where the record has none of its fields.
func (p *parsed) ext(h ib.Header) []byte {
	if !p.hasHeaders {
		return nil
	}
	return p.Ext(h)
}

var (
	le    = binary.LittleEndian
	zeros [ib.BTHBytes]byte
)

// appendTurned appends a big-endian number of the wire as n bytes, low byte first.
func appendTurned(b, number []byte, n int) []byte {
	for i := range n {
		if i < len(number) {
			b = append(b, number[len(number)-1-i])
		} else {
			b = append(b, 0)
		}
	}
	return b
}

func append24(b []byte, v uint32) []byte { return append(b, byte(v), byte(v>>8), byte(v>>16)) }

func flag(set bool, bit int) byte {
	if set {
		return 1 << bit
	}
	return 0
}
