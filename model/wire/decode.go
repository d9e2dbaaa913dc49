package wire

import "hcacosim/model/ib"

// Packet is a frame with everything in it found. Its views share the frame's bytes and are nil where the packet does
// not have them. The zero value is ready for Decode, and may be used again.
type Packet struct {
	Frame []byte
	Location
	// Op is the entry of the opcode. It is nil when there is no BTH, when the opcode is unknown, and when the packet ends
	// inside the headers that the opcode brings; else every one of them can be viewed.
	Op *ib.Info
	// Payload is what lies between headers and pad; nil when that cannot be told. After an unknown opcode it starts
	// behind the BTH.
	Payload []byte

	link   Link
	hasBTH bool
	cut    bool // the frame goes on beyond what was captured, and so does the packet, or one cannot tell
}

// Decode finds everything in a frame. Bad is the first thing found wrong, Locate's first; what can be shown
// nevertheless is.
func Decode(link Link, frame []byte, p *Packet) { DecodeCut(link, frame, len(frame), p) }

// DecodeCut is Decode on the start of a frame that was origLen bytes long before a capture's snap length cut it. What
// the missing bytes would decide has reason Cut.
func DecodeCut(link Link, frame []byte, origLen int, p *Packet) {
	origLen = max(origLen, len(frame))
	*p = Packet{Frame: frame, link: link}
	p.locate(link, frame, origLen)
	p.decode(origLen)
}

// DecodeAt is Decode of a frame in which Locate has found the packet.
func DecodeAt(link Link, frame []byte, loc *Location, p *Packet) {
	*p = Packet{Frame: frame, link: link, Location: *loc}
	p.decode(len(frame))
}

// decode finds the rest of a packet that is located.
func (p *Packet) decode(origLen int) {
	frame := p.Frame
	p.cut = origLen > len(frame) && (p.Bad.Reason == Runt || len(frame) < p.End && p.End <= origLen)
	if p.cut && p.Bad.Reason == Runt {
		p.Bad.Reason = Cut
	}
	switch {
	case p.Encap == EncapNone:
	case p.Encap == EncapRaw:
		p.decodeRaw(origLen)
	case p.short():
		p.cut = false // bad, whatever follows
	default:
		p.decodeTransport()
	}
	if p.cut {
		p.mark(LayerPayload, len(frame), Cut)
	}
}

// mark notes what is wrong unless something was before.
func (p *Packet) mark(layer Layer, offset int, r Reason) {
	if p.Bad.Reason == WellFormed {
		p.Bad = Malformed{Layer: layer, Offset: offset, Reason: r}
	}
}

// decodeRaw judges a raw IB packet, on which Locate has no opinion.
func (p *Packet) decodeRaw(origLen int) {
	body := lrhBytes + rwhBytes
	if LRH(p.Frame).LNH() == lnhRawIPv6 {
		body = lrhBytes + ipv6Bytes
	}
	switch n := len(p.Frame); {
	case p.End < body:
		p.mark(LayerLRH, 0, Short)
	case p.End > origLen:
		p.mark(LayerLRH, 0, Truncated)
	case origLen-p.End > maxTrailer:
		p.mark(LayerLRH, 0, Trailer)
	case p.End <= n:
		p.Payload = p.Frame[body:p.End]
	}
}

// decodeTransport takes a packet whose length has room for BTH and ICRC, though the frame may end before it.
func (p *Packet) decodeTransport() {
	b, t := p.Frame, p.Transport
	whole := p.End <= len(b)
	if t+bthBytes > len(b) {
		return
	}
	p.hasBTH = true
	bth := BTH(b[t:])
	if bth.TVer() != 0 {
		p.mark(LayerBTH, t, TVer)
	}
	op, body, icrc := ib.Lookup(bth.Opcode()), t+bthBytes, p.End-icrcBytes
	switch {
	case op == nil:
		p.mark(LayerBTH, t, UnknownOpcode)
	case t+op.Bytes > icrc:
		p.mark(LayerExtension, body, HeaderCut)
		return
	case t+op.Bytes > len(b):
		return
	default:
		p.Op, body = op, t+op.Bytes
	}
	n := icrc - body - bth.Pad()
	if n < 0 {
		p.mark(LayerBTH, t, PadTooLong)
		return
	}
	if (icrc-body)%4 != 0 {
		p.mark(LayerPayload, body, Unaligned)
	}
	if op != nil && !op.Length.AllowsSome(n) {
		p.mark(LayerPayload, body, PayloadLength)
	}
	if whole {
		p.Payload = b[body : body+n]
	}
}

// ICRC judges the packet's ICRC.
func (p *Packet) ICRC() ICRCStatus {
	if p.Undecided() {
		return ICRCUndecided
	}
	return CheckICRC(p.Frame, &p.Location)
}

// Undecided tells that the capture holds too little of the frame to judge its ICRC. Bad may nevertheless know more than
// Cut: a fault in what was captured.
func (p *Packet) Undecided() bool { return p.cut }

// Ethernet is nil on an IB link and in a runt.
func (p *Packet) Ethernet() Ethernet {
	if p.link != LinkEthernet || len(p.Frame) < ethHeadBytes {
		return nil
	}
	return Ethernet(p.Frame[:p.vlanEnd()])
}

func (p *Packet) vlanEnd() int { return ethHeadBytes + vlanBytes*int(p.VLANs) }

// VLAN returns the i-th tag, of VLANs.
func (p *Packet) VLAN(i int) VLAN {
	at := 12 + vlanBytes*i
	if i < 0 || i >= int(p.VLANs) || at+vlanBytes > len(p.Frame) {
		return nil
	}
	return VLAN(p.Frame[at : at+vlanBytes])
}

// IPv4 is nil unless the packet is RoCEv2 over IPv4.
func (p *Packet) IPv4() IPv4 {
	if p.Encap != EncapRoCEv2IPv4 {
		return nil
	}
	return IPv4(p.Frame[p.Net : p.Transport-udpBytes])
}

// IPv6 is nil unless the packet is RoCEv2 over IPv6 or raw with an IPv6 header.
func (p *Packet) IPv6() IPv6 {
	switch {
	case p.Encap == EncapRoCEv2IPv6:
		return IPv6(p.Frame[p.Net : p.Net+ipv6Bytes])
	case p.Encap == EncapRaw && LRH(p.Frame).LNH() == lnhRawIPv6 && len(p.Frame) >= lrhBytes+ipv6Bytes:
		return IPv6(p.Frame[lrhBytes : lrhBytes+ipv6Bytes])
	}
	return nil
}

// UDP is nil unless the packet is RoCEv2.
func (p *Packet) UDP() UDP {
	if p.Encap != EncapRoCEv2IPv4 && p.Encap != EncapRoCEv2IPv6 {
		return nil
	}
	return UDP(p.Frame[p.Transport-udpBytes : p.Transport])
}

// LRH is nil unless the link is IB.
func (p *Packet) LRH() LRH {
	if p.link != LinkIB || len(p.Frame) < lrhBytes {
		return nil
	}
	return LRH(p.Frame[:lrhBytes])
}

// GRH is nil unless the packet is RoCEv1 or IB global.
func (p *Packet) GRH() GRH {
	if p.Encap != EncapRoCEv1 && p.Encap != EncapIBGlobal {
		return nil
	}
	return GRH(p.Frame[p.Transport-grhBytes : p.Transport])
}

// RWH is nil unless the packet is raw with one.
func (p *Packet) RWH() RWH {
	if p.Encap != EncapRaw || LRH(p.Frame).LNH() != lnhRaw || len(p.Frame) < lrhBytes+rwhBytes {
		return nil
	}
	return RWH(p.Frame[lrhBytes : lrhBytes+rwhBytes])
}

// BTH is nil when the packet has none, and when its length or the frame leaves no room for one.
func (p *Packet) BTH() BTH {
	if !p.hasBTH {
		return nil
	}
	return BTH(p.Frame[p.Transport : p.Transport+bthBytes])
}

// ICRCBytes are the four bytes of the ICRC as they stand in the frame; nil when they do not.
func (p *Packet) ICRCBytes() []byte {
	if !p.HasICRC(len(p.Frame)) {
		return nil
	}
	return p.Frame[p.End-icrcBytes : p.End]
}

// VCRCBytes are the two bytes after the packet on an IB link; nil when they are not there.
func (p *Packet) VCRCBytes() []byte {
	if p.link != LinkIB || p.Encap == EncapNone || p.End < lrhBytes || p.End+vcrcBytes > len(p.Frame) {
		return nil
	}
	return p.Frame[p.End : p.End+vcrcBytes]
}

// Ext is the view of an extension header; nil when the opcode does not have it.
func (p *Packet) Ext(h ib.Header) []byte {
	if p.Op == nil || !p.Op.Headers.Has(h) {
		return nil
	}
	at := p.Transport + p.Op.Offset(h)
	return p.Frame[at : at+h.Bytes()]
}

func (p *Packet) RDETH() RDETH               { return p.Ext(ib.RDETH) }
func (p *Packet) DETH() DETH                 { return p.Ext(ib.DETH) }
func (p *Packet) XRCETH() XRCETH             { return p.Ext(ib.XRCETH) }
func (p *Packet) FETH() FETH                 { return p.Ext(ib.FETH) }
func (p *Packet) RETH() RETH                 { return p.Ext(ib.RETH) }
func (p *Packet) AtomicETH() AtomicETH       { return p.Ext(ib.AtomicETH) }
func (p *Packet) AETH() AETH                 { return p.Ext(ib.AETH) }
func (p *Packet) AtomicAckETH() AtomicAckETH { return p.Ext(ib.AtomicAckETH) }
func (p *Packet) IETH() IETH                 { return p.Ext(ib.IETH) }
func (p *Packet) ImmDt() ImmDt               { return p.Ext(ib.ImmDt) }
