// Package wire is the packet as bytes: it finds the packet in its frame, shows its headers as views, judges and writes
// ICRC and VCRC, and builds frames. It keeps no state: what a packet means to a connection is model/roce's.
package wire

import (
	"encoding/binary"

	"hcacosim/model/ib"
)

// Decides END-1.

// Link is what a frame starts with.
type Link uint8

const (
	LinkEthernet Link = iota // an Ethernet frame without FCS; libpcap link type 1
	LinkIB                   // an IB packet from its LRH, with or without VCRC; libpcap link type 247
	LinkIP                   // an IPv4 or IPv6 packet from its header; libpcap link type 101, or what a tunnel carries
)

// Encap is how the transport packet is carried, numbered as in docs/blocks/icrc_check.md.
type Encap uint8

const (
	EncapNone Encap = iota // not RoCE, not IB
	EncapRoCEv1
	EncapRoCEv2IPv4
	EncapRoCEv2IPv6
	EncapIBLocal
	EncapIBGlobal
	EncapRaw // IB raw: no BTH, no ICRC
	numEncaps
)

func (e Encap) String() string {
	return [numEncaps]string{"none", "RoCEv1", "RoCEv2 IPv4", "RoCEv2 IPv6", "IB local", "IB global", "IB raw"}[e]
}

// Link returns the link that the encapsulation lives on; RoCEv2 may also come without Ethernet, on LinkIP.
func (e Encap) Link() Link {
	if e >= EncapIBLocal {
		return LinkIB
	}
	return LinkEthernet
}

// What the headers are recognised by.
const (
	typeIPv4   = 0x0800
	typeIPv6   = 0x86DD
	typeRoCEv1 = 0x8915
	typeVLAN   = 0x8100
	typeSVLAN  = 0x88A8

	protocolUDP  = 17
	nextIBA      = 0x1B // GRH NxtHdr of a transport packet
	portRoCEv2   = 4791
	maxVLANs     = 2
	maxTrailer   = 46 // END-1
	ethHeadBytes = 14
	vlanBytes    = 4
	ipv4Bytes    = 20
	ipv6Bytes    = 40
	udpBytes     = 8
	lrhBytes     = ib.LRHBytes
	grhBytes     = ib.GRHBytes
	rwhBytes     = ib.RWHBytes
	bthBytes     = ib.BTHBytes
	icrcBytes    = ib.ICRCBytes
	vcrcBytes    = ib.VCRCBytes
)

// LNH, the low two bits of LRH byte 1.
const (
	lnhRaw     = 0
	lnhRawIPv6 = 1
	lnhLocal   = 2
	lnhGlobal  = 3
)

// Location is where the parts of a packet are in its frame. Offsets count from byte 0 of the frame.
type Location struct {
	Encap     Encap
	VLANs     uint8
	Net       int // IP header, GRH or LRH
	Transport int // BTH; 0 without one
	End       int // first byte after the ICRC, by the length fields (END-1); it may lie outside the frame
	Bad       Malformed
}

// Locate finds the packet in a frame, step by step as docs/blocks/icrc_check.md has it.
func Locate(link Link, frame []byte) (loc Location) {
	loc.locate(link, frame, len(frame))
	return loc
}

// Find is Locate in place: where it is called often, the copy costs as much as the search.
func (loc *Location) Find(link Link, frame []byte) {
	*loc = Location{}
	loc.locate(link, frame, len(frame))
}

// locate fills a zero Location for a frame of size bytes of which frame holds the first.
func (loc *Location) locate(link Link, frame []byte, size int) {
	switch link {
	case LinkIB:
		loc.locateIB(frame)
	case LinkIP:
		loc.locateIP(frame)
	default:
		loc.locateEthernet(frame)
	}
	switch {
	case loc.Encap == EncapNone:
		loc.Net, loc.Transport, loc.End = 0, 0, 0
	case loc.Encap != EncapRaw && loc.Bad.Reason != Fragment:
		loc.judgeEnd(size)
	}
}

func (loc *Location) locateEthernet(b []byte) {
	if len(b) < ethHeadBytes {
		loc.bad(LayerEthernet, 0, Runt)
		return
	}
	p := 12
	for isVLAN(be16(b[p:])) && loc.VLANs < maxVLANs {
		p += vlanBytes
		if len(b) < p+2 {
			loc.bad(LayerVLAN, p-2, Runt)
			return
		}
		loc.VLANs++
	}
	loc.Net = p + 2
	switch be16(b[p:]) {
	case typeIPv4:
		loc.locateIPv4(b)
	case typeIPv6:
		loc.locateIPv6(b)
	case typeRoCEv1:
		loc.locateGRH(b, EncapRoCEv1)
	}
}

// locateIP takes a packet that starts with its IP header.
func (loc *Location) locateIP(b []byte) {
	if len(b) > 0 && b[0]>>4 == 6 {
		loc.locateIPv6(b)
		return
	}
	loc.locateIPv4(b)
}

func isVLAN(etherType uint16) bool { return etherType == typeVLAN || etherType == typeSVLAN }

func (loc *Location) locateIPv4(b []byte) {
	n := loc.Net
	if len(b) < n+ipv4Bytes {
		loc.bad(LayerIPv4, n, Runt)
		return
	}
	ip := IPv4(b[n:])
	if ip.Version() != 4 {
		return
	}
	if ip.HeaderBytes() < ipv4Bytes {
		loc.bad(LayerIPv4, n, Header)
		return
	}
	if ip.Protocol() != protocolUDP {
		return
	}
	loc.locateUDP(b, EncapRoCEv2IPv4, n+ip.HeaderBytes(), n+ip.TotalLength())
	if loc.Encap != EncapNone && ip.IsFragment() {
		loc.bad(LayerIPv4, n, Fragment)
	}
}

func (loc *Location) locateIPv6(b []byte) {
	n := loc.Net
	if len(b) < n+ipv6Bytes {
		loc.bad(LayerIPv6, n, Runt)
		return
	}
	ip := IPv6(b[n:])
	if ip.Version() == 6 && ip.NextHeader() == protocolUDP {
		loc.locateUDP(b, EncapRoCEv2IPv6, n+ipv6Bytes, n+ipv6Bytes+ip.PayLen())
	}
}

// locateUDP takes the UDP header at u of a packet that ends at end by its IP length.
func (loc *Location) locateUDP(b []byte, encap Encap, u, end int) {
	if len(b) < u+udpBytes {
		loc.bad(LayerUDP, u, Runt)
		return
	}
	udp := UDP(b[u:])
	if udp.DstPort() != portRoCEv2 {
		return
	}
	loc.Encap, loc.Transport, loc.End = encap, u+udpBytes, end
	if udp.Length() != end-u {
		loc.bad(LayerUDP, u, Length)
	}
}

func (loc *Location) locateGRH(b []byte, encap Encap) {
	n := loc.Net
	if encap == EncapIBGlobal {
		n += lrhBytes
	}
	if len(b) < n+grhBytes {
		loc.bad(LayerGRH, n, Runt)
		return
	}
	grh := GRH(b[n:])
	if grh.Version() != 6 || grh.NextHeader() != nextIBA {
		return
	}
	loc.Encap, loc.Transport = encap, n+grhBytes
	end := loc.Transport + grh.PayLen()
	if encap == EncapRoCEv1 {
		loc.End = end
	} else if loc.End != end {
		loc.bad(LayerGRH, n, Length)
	}
}

func (loc *Location) locateIB(b []byte) {
	if len(b) < lrhBytes {
		loc.bad(LayerLRH, 0, Runt)
		return
	}
	lrh := LRH(b)
	loc.End = lrh.PktBytes()
	switch lrh.LNH() {
	case lnhLocal:
		loc.Encap, loc.Transport = EncapIBLocal, lrhBytes
	case lnhGlobal:
		loc.locateGRH(b, EncapIBGlobal)
	default:
		loc.Encap = EncapRaw
	}
}

// judgeEnd holds the end of the packet against its least and against the frame. On entry Bad says whether length fields
// disagree, which SHORT outranks and TRUNCATED and TRAILER do not.
func (loc *Location) judgeEnd(size int) {
	switch {
	case loc.short():
		loc.badEnd(Short)
	case loc.Bad.Reason == Length:
	case loc.End > size:
		loc.badEnd(Truncated)
	case size-loc.End > maxTrailer:
		loc.badEnd(Trailer)
	}
}

// badEnd blames the header whose length decides where the packet ends.
func (loc *Location) badEnd(r Reason) {
	loc.bad([numEncaps]Layer{
		EncapRoCEv1: LayerGRH, EncapRoCEv2IPv4: LayerIPv4, EncapRoCEv2IPv6: LayerIPv6, EncapIBLocal: LayerLRH,
		EncapIBGlobal: LayerLRH,
	}[loc.Encap], loc.Net, r)
}

// short tells that there is no room for BTH and ICRC: the least lengths of docs/blocks/icrc_check.md all come to this.
func (loc *Location) short() bool { return loc.End < loc.Transport+bthBytes+icrcBytes }

func (loc *Location) bad(layer Layer, offset int, r Reason) {
	loc.Bad = Malformed{Layer: layer, Offset: offset, Reason: r}
	if r == Runt || r == Header {
		loc.Encap = EncapNone
	}
}

func be16(b []byte) uint16 { return binary.BigEndian.Uint16(b) }
func be32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
func be64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
func be24(b []byte) uint32 { return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]) }
