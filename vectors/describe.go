package vectors

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"strconv"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// Describe prints a packet field by field, a line each: byte offset, header, field, value. origLen is the length that
// the frame had before a snap length cut it.
func Describe(w io.Writer, indent string, link wire.Link, frame []byte, origLen int) {
	var p wire.Packet
	wire.DecodeCut(link, frame, origLen, &p)
	d := describer{w: w, indent: indent, p: &p}
	d.ethernet()
	d.lrh()
	d.network()
	d.bth()
	d.extensions()
	d.rest(link)
}

// Summary is a packet in a few words: encapsulation, opcode, sizes, verdict.
func Summary(p *wire.Packet) string {
	s := encapText(p.Encap)
	switch bth := p.BTH(); {
	case p.Op != nil:
		s += ", " + p.Op.Name
	case bth != nil:
		s += fmt.Sprintf(", opcode %02Xh", uint8(bth.Opcode()))
	}
	if bth := p.BTH(); bth != nil {
		s += fmt.Sprintf(", PSN %d, QP %06Xh", bth.PSN(), bth.DestQP())
	}
	if p.Payload != nil {
		s += fmt.Sprintf(", payload %d", len(p.Payload))
	}
	if status := p.ICRC(); status != wire.ICRCNone {
		s += ", ICRC " + status.String()
	}
	if p.Bad.Reason != wire.WellFormed {
		s += ", " + p.Bad.String()
	}
	return s
}

func encapText(e wire.Encap) string {
	if e == wire.EncapNone {
		return "not RoCE"
	}
	return e.String()
}

type describer struct {
	w      io.Writer
	indent string
	p      *wire.Packet
	header string
}

// begin starts a header; its name stands on its first line only.
func (d *describer) begin(header string) { d.header = header }

func (d *describer) field(at int, name, format string, args ...any) {
	fmt.Fprintf(d.w, "%s%5d  %-12s  %-17s  %s\n", d.indent, at, d.header, name, fmt.Sprintf(format, args...))
	d.header = ""
}

func mac(b []byte) string {
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5])
}

func address(b []byte) string {
	a, _ := netip.AddrFromSlice(b)
	return a.String()
}

func (d *describer) ethernet() {
	e := d.p.Ethernet()
	if e == nil {
		return
	}
	d.begin("Ethernet")
	d.field(0, "destination", "%s", mac(e.Dst()))
	d.field(6, "source", "%s", mac(e.Src()))
	typeAt := 12
	for i := range int(d.p.VLANs) {
		v := d.p.VLAN(i)
		d.begin("VLAN tag")
		d.field(typeAt, "TPID", "%04Xh", v.TPID())
		d.field(typeAt+2, "PCP, DEI, VID", "%d, %d, %d", v.TCI()>>13, v.TCI()>>12&1, v.TCI()&0xFFF)
		typeAt += 4
	}
	if typeAt+2 <= len(d.p.Frame) {
		d.field(typeAt, "type", "%04Xh", uint16(d.p.Frame[typeAt])<<8|uint16(d.p.Frame[typeAt+1]))
	}
}

func (d *describer) lrh() {
	h := d.p.LRH()
	if h == nil {
		return
	}
	d.begin("LRH")
	d.field(0, "VL, LVer", "%d, %d", h.VL(), h.LVer())
	d.field(1, "SL, resv, LNH", "%d, %d, %d", h.SL(), h.Resv2(), h.LNH())
	d.field(2, "DLID", "%d", h.DLID())
	d.field(4, "PktLen", "%d words", h.PktBytes()/4)
	d.field(6, "SLID", "%d", h.SLID())
}

func (d *describer) network() {
	p := d.p
	if h := p.IPv4(); h != nil {
		d.ipv4(h)
	}
	if h := p.IPv6(); h != nil {
		at := p.Net
		if p.Encap == wire.EncapRaw {
			at = ib.LRHBytes
		}
		d.ipv6("IPv6", at, h)
	}
	if h := p.GRH(); h != nil {
		d.ipv6("GRH", p.Transport-ib.GRHBytes, h)
	}
	if h := p.RWH(); h != nil {
		d.begin("RWH")
		d.field(ib.LRHBytes, "type", "%04Xh", h.Type())
	}
	if h := p.UDP(); h != nil {
		at := p.Transport - 8
		d.begin("UDP")
		d.field(at, "source port", "%d", h.SrcPort())
		d.field(at+2, "destination port", "%d", h.DstPort())
		d.field(at+4, "length", "%d", h.Length())
		d.field(at+6, "checksum", "%04Xh", h.Checksum())
	}
}

func (d *describer) ipv4(h wire.IPv4) {
	at := d.p.Net
	d.begin("IPv4")
	d.field(at, "version, IHL", "%d, %d words", h.Version(), h.HeaderBytes()/4)
	d.field(at+1, "TOS", "%02Xh", h.TOS())
	d.field(at+2, "total length", "%d", h.TotalLength())
	d.field(at+4, "identification", "%04Xh", h.ID())
	d.field(at+6, "flags, fragment", "%Xh, %d", h.Frag()>>13, h.Frag()&0x1FFF)
	d.field(at+8, "TTL", "%d", h.TTL())
	d.field(at+9, "protocol", "%d", h.Protocol())
	good := "good"
	if !h.ChecksumGood() {
		good = "bad"
	}
	d.field(at+10, "checksum", "%04Xh, %s", h.Checksum(), good)
	d.field(at+12, "source", "%s", address(h.Src()))
	d.field(at+16, "destination", "%s", address(h.Dst()))
	if len(h.Options()) > 0 {
		d.field(at+20, "options", "%s", brief(h.Options()))
	}
}

func (d *describer) ipv6(name string, at int, h wire.IPv6) {
	d.begin(name)
	d.field(at, "version", "%d", h.Version())
	d.field(at, "TClass, FlowLabel", "%02Xh, %05Xh", h.TClass(), h.FlowLabel())
	d.field(at+4, "payload length", "%d", h.PayLen())
	d.field(at+6, "next header", "%d", h.NextHeader())
	d.field(at+7, "HopLimit", "%d", h.HopLimit())
	d.field(at+8, "source", "%s", address(h.Src()))
	d.field(at+24, "destination", "%s", address(h.Dst()))
}

func (d *describer) bth() {
	h := d.p.BTH()
	if h == nil {
		return
	}
	at := d.p.Transport
	name := "unknown"
	if i := ib.Lookup(h.Opcode()); i != nil {
		name = i.Name
	}
	d.begin("BTH")
	d.field(at, "opcode", "%02Xh, %s", uint8(h.Opcode()), name)
	d.field(at+1, "SE, MigReq", "%d, %d", bit(h.SE()), bit(h.MigReq()))
	d.field(at+1, "pad, TVer", "%d, %d", h.Pad(), h.TVer())
	d.field(at+2, "PKey", "%04Xh", h.PKey())
	d.field(at+4, "FECN, BECN, resv", "%d, %d, %02Xh", bit(h.FECN()), bit(h.BECN()), h.Resv6())
	d.field(at+5, "DestQP", "%06Xh", h.DestQP())
	d.field(at+8, "AckReq, resv", "%d, %02Xh", bit(h.AckReq()), h.Resv7())
	d.field(at+9, "PSN", "%d, %06Xh", h.PSN(), uint32(h.PSN()))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// extensions prints the headers that the opcode brings, in the order of the wire.
func (d *describer) extensions() {
	for h := range ib.AllHeaders() {
		b := d.p.Ext(h)
		if b == nil {
			continue
		}
		at := d.p.Transport + d.p.Op.Offset(h)
		d.begin(h.String())
		for f := range h.Fields() {
			d.field(at+f.At(), f.String(), "%s", extension(f, f.Of(b)))
		}
	}
}

// extension is the value of a field as people read it.
func extension(f ib.Field, v uint64) string {
	if f.Decimal() {
		return strconv.FormatUint(v, 10)
	}
	text := fmt.Sprintf("%0*Xh", (f.Bits()+3)/4, v)
	if f == ib.AETHSyndrome {
		text += ", " + ib.Syndrome(v).String()
	}
	return text
}

// rest prints what follows the headers, and the verdicts.
func (d *describer) rest(link wire.Link) {
	p := d.p
	n := len(p.Frame)
	if len(p.Payload) > 0 {
		at := p.End - ib.ICRCBytes - len(p.Payload)
		if p.Encap == wire.EncapRaw {
			at = p.End - len(p.Payload)
		} else {
			at -= p.BTH().Pad()
		}
		d.begin("payload")
		d.field(at, plural(len(p.Payload), "byte"), "%s", brief(p.Payload))
	}
	if b := p.ICRCBytes(); b != nil {
		d.begin("ICRC")
		d.field(p.End-ib.ICRCBytes, p.ICRC().String(), "%x, computed %08x", b, swap32(p.Location.ICRC(p.Frame)))
	} else if status := p.ICRC(); status != wire.ICRCNone {
		d.begin("ICRC")
		d.field(n, status.String(), "")
	}
	end := p.End
	if link == wire.LinkIB && end >= ib.LRHBytes && end+ib.VCRCBytes <= n {
		status, _, _ := wire.CheckVCRC(p.Frame)
		d.begin("VCRC")
		d.field(end, status.String(), "%x", p.Frame[end:end+ib.VCRCBytes])
		end += ib.VCRCBytes
	}
	if p.Encap != wire.EncapNone && end >= 0 && end < n {
		d.begin("trailer")
		d.field(end, plural(n-end, "byte"), "%s", brief(p.Frame[end:]))
	}
	d.begin("verdict")
	d.field(p.Bad.Offset, encapText(p.Encap), "%v", p.Bad)
}

// swap32 puts the bytes of an ICRC into the order of the wire.
func swap32(v uint32) uint32 { return v<<24 | v>>24 | v<<8&0xFF0000 | v>>8&0xFF00 }

// brief is the start of b in hex.
func brief(b []byte) string {
	const most = 32
	if len(b) <= most {
		return hex.EncodeToString(b)
	}
	return hex.EncodeToString(b[:most]) + "..."
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
