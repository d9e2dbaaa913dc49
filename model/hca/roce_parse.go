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
		{Name: "m_hdr", Kind: sim.Fields, Bits: 1016},
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
		out = append(out, sim.Record{})
		h := &out[len(out)-1] // in place, as pass.through
		h.Start, h.End, h.Seq, h.Cause, h.Key, h.Port = end, end, s.headerSeq, r.Seq, r.Key, portHeader
		h.Data = s.records[at:len(s.records):len(s.records)]
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

// append appends the record.
func (p *parsed) append(b []byte) []byte {
	var r headerRecord
	p.setVerdict(&r)
	p.setTransport(&r)
	p.setNetwork(&r)
	if p.hasHeaders {
		for _, e := range extensionsOf(p.Op) {
			r.extensions[e.place] = e.field.Of(p.Frame[p.Transport+e.at:])
		}
	}
	return headerForm.Append(b, &r)
}

func (p *parsed) setVerdict(r *headerRecord) {
	hasEnd := p.Encap != wire.EncapNone && p.Encap != wire.EncapRaw
	r.reason, r.encap, r.tags = p.reason, p.Encap, uint8(p.tags())
	r.cut = hasEnd && p.End > len(p.Frame)
	r.short = hasEnd && p.End < p.Transport+ib.BTHBytes+ib.ICRCBytes
}

func (p *parsed) setTransport(r *headerRecord) {
	if p.Encap.Link() == wire.LinkIB {
		h := p.LRH()
		r.sl, r.slid, r.dlid = h.SL(), h.SLID(), h.DLID()
	}
	if p.hasBTH {
		bth := p.BTH()
		r.flags = [...]bool{bth.SE(), bth.MigReq(), bth.FECN(), bth.BECN(), bth.AckReq()}
		r.opcode, r.pad, r.tver = bth.Opcode(), uint8(bth.Pad()), bth.TVer()
		r.pkey, r.destQP, r.psn = bth.PKey(), bth.DestQP(), bth.PSN()
	}
	r.payload = uint16(p.payloadBytes)
	if p.hasHeaders && p.Op.Headers.Has(ib.FETH) {
		r.flushSel, r.flushPLT = uint8(p.field(ib.FlushSEL)), uint8(p.field(ib.FlushPLT))
	}
}

func (p *parsed) setNetwork(r *headerRecord) {
	if h := p.UDP(); h != nil {
		r.port = h.SrcPort()
	}
	src, dst, tclass := p.addresses()
	r.tclass = tclass
	for i := range p.tags() {
		copy(r.vlans[i][:], p.VLAN(i))
	}
	copy(r.src[len(r.src)-len(src):], src)
	copy(r.dst[len(r.dst)-len(dst):], dst)
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
var extensionFields = [...][]ib.Field{
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

// extension is a field that an opcode brings.
type extension struct {
	place int // in extensionFields
	field ib.Field
	at    int // its header, from the BTH on
}

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
	for place, same := range extensionFields {
		for _, f := range same {
			if op.Headers.Has(f.Header()) {
				list = append(list, extension{place, f, op.Offset(f.Header())})
				break
			}
		}
	}
	return list
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
