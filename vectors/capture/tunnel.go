package capture

import (
	"encoding/binary"

	"hcacosim/model/wire"
)

// Tunnel is what was put around a frame on its way.
type Tunnel uint8

const (
	NoTunnel Tunnel = iota
	VXLAN           // RFC 7348: UDP port 4789, 8 bytes, an Ethernet frame
	Geneve          // RFC 8926: UDP port 6081, 8 bytes and options, an Ethernet frame or an IP packet
	GRE             // RFC 2784 and 2890: an IP packet or an Ethernet frame
	ERSPAN1         // GRE without sequence numbers, protocol 88BEh: an Ethernet frame
	ERSPAN2         // GRE with them, 8 bytes
	ERSPAN3         // GRE, protocol 22EBh: 12 bytes, 8 more if bit 0 is set
	MPLS            // RFC 3032: labels, then an IP packet, or (RFC 4448) an Ethernet frame with or without a control word
	IPinIP          // protocol 4 or 41
	numTunnels
)

func (t Tunnel) String() string {
	return [numTunnels]string{"none", "VXLAN", "Geneve", "GRE", "ERSPAN I", "ERSPAN II", "ERSPAN III", "MPLS",
		"IP in IP"}[t]
}

const (
	ethernetBytes = 14
	tagBytes      = 4
	maxTags       = 4
	ipv4Bytes     = 20
	ipv6Bytes     = 40
	udpBytes      = 8
	greBytes      = 4
	labelBytes    = 4
	maxLabels     = 16
	maxTunnels    = 4 // around each other

	typeMPLS      = 0x8847
	typeMPLSMulti = 0x8848
	typeBridged   = 0x6558 // transparent Ethernet bridging
	typeERSPAN    = 0x88BE
	typeERSPAN3   = 0x22EB

	protocolIPv4 = 4
	protocolUDP  = 17
	protocolIPv6 = 41
	protocolGRE  = 47
	protocolMPLS = 137

	portVXLAN  = 4789
	portRoCE   = 4791
	portGeneve = 6081
	portMPLS   = 6635
)

// Decapsulate makes Next take tunnels off: Frame.Data is then the innermost frame, or IP packet, and Frame.Tunnel says
// what was around it. A frame that is RoCE as it stands is left alone, and so is one whose outer packet is a fragment.
func (c *Reader) Decapsulate() { c.decapsulate = true }

// Decapsulate takes the tunnels off one frame.
func (f *Frame) Decapsulate() {
	if f.Link != wire.LinkIB {
		f.unwrap()
	}
}

// unwrap takes tunnels off, one after the other.
func (f *Frame) unwrap() {
	for range maxTunnels {
		t, link, at := inside(f.Link, f.Data)
		if t == NoTunnel {
			return
		}
		f.peel(at)
		f.Link, f.Tunnel = link, t
	}
}

// inside finds what a frame carries: where it starts and on which link.
func inside(link wire.Link, b []byte) (t Tunnel, inner wire.Link, at int) {
	if link == wire.LinkIP {
		return insideIP(b, 0)
	}
	at = 12
	for range maxTags + 1 {
		if len(b) < at+2 {
			break
		}
		switch binary.BigEndian.Uint16(b[at:]) {
		case typeVLAN, typeSVLAN:
			at += tagBytes
		case typeIPv4, typeIPv6:
			return insideIP(b, at+2)
		case typeMPLS, typeMPLSMulti:
			return insideMPLS(b, at+2)
		default:
			return NoTunnel, 0, 0
		}
	}
	return NoTunnel, 0, 0
}

// insideIP looks behind the IP header at n.
func insideIP(b []byte, n int) (Tunnel, wire.Link, int) {
	if len(b) < n+ipv4Bytes {
		return NoTunnel, 0, 0
	}
	var protocol byte
	switch b[n] >> 4 {
	case 4:
		if binary.BigEndian.Uint16(b[n+6:])&0x3FFF != 0 {
			return NoTunnel, 0, 0
		}
		protocol, n = b[n+9], n+int(b[n]&15)*4
	case 6:
		if len(b) < n+ipv6Bytes {
			return NoTunnel, 0, 0
		}
		protocol, n = b[n+6], n+ipv6Bytes
	default:
		return NoTunnel, 0, 0
	}
	switch protocol {
	case protocolUDP:
		return insideUDP(b, n)
	case protocolGRE:
		return insideGRE(b, n)
	case protocolIPv4, protocolIPv6:
		return IPinIP, wire.LinkIP, n
	case protocolMPLS:
		return insideMPLS(b, n)
	}
	return NoTunnel, 0, 0
}

func insideUDP(b []byte, n int) (Tunnel, wire.Link, int) {
	if len(b) < n+udpBytes+8 {
		return NoTunnel, 0, 0
	}
	port, n := binary.BigEndian.Uint16(b[n+2:]), n+udpBytes
	switch port {
	case portVXLAN:
		if b[n]&0x08 != 0 { // the flag that a network identifier is there
			return VXLAN, wire.LinkEthernet, n + 8
		}
	case portGeneve:
		kind, n := binary.BigEndian.Uint16(b[n+2:]), n+8+int(b[n]&0x3F)*4
		switch kind {
		case typeBridged:
			return Geneve, wire.LinkEthernet, n
		case typeIPv4, typeIPv6:
			return Geneve, wire.LinkIP, n
		}
	case portMPLS:
		return insideMPLS(b, n)
	}
	return NoTunnel, 0, 0
}

// insideGRE looks behind a GRE header:
//
//	| C 1, R 1, K 1, S 1, 0 9, version 3 | protocol 16 | checksum 32 if C | key 32 if K | sequence 32 if S |
func insideGRE(b []byte, n int) (Tunnel, wire.Link, int) {
	if len(b) < n+greBytes || b[n+1]&7 != 0 {
		return NoTunnel, 0, 0
	}
	flags, kind, n := b[n], binary.BigEndian.Uint16(b[n+2:]), n+greBytes
	for _, bit := range []byte{0x80, 0x20, 0x10} {
		if flags&bit != 0 {
			n += 4
		}
	}
	switch kind {
	case typeIPv4, typeIPv6:
		return GRE, wire.LinkIP, n
	case typeBridged:
		return GRE, wire.LinkEthernet, n
	case typeMPLS, typeMPLSMulti:
		return insideMPLS(b, n)
	case typeERSPAN:
		if flags&0x10 == 0 {
			return ERSPAN1, wire.LinkEthernet, n
		}
		return ERSPAN2, wire.LinkEthernet, n + 8
	case typeERSPAN3:
		if len(b) < n+12 {
			return NoTunnel, 0, 0
		}
		if b[n+11]&1 != 0 {
			n += 8
		}
		return ERSPAN3, wire.LinkEthernet, n + 12
	}
	return NoTunnel, 0, 0
}

// insideMPLS looks behind the labels at n, the last of which has its bottom bit set. What follows says by its first
// four bits what it is: 4 or 6 is IP, 0 a control word before Ethernet. Else it is Ethernet at once, if its type is one
// that is known here.
func insideMPLS(b []byte, n int) (Tunnel, wire.Link, int) {
	for range maxLabels {
		if len(b) < n+labelBytes+1 {
			return NoTunnel, 0, 0
		}
		bottom := b[n+2]&1 != 0
		n += labelBytes
		if bottom {
			return labelled(b, n)
		}
	}
	return NoTunnel, 0, 0
}

func labelled(b []byte, n int) (Tunnel, wire.Link, int) {
	switch {
	case isEthernet(b, n): // a MAC may start with any bits
		return MPLS, wire.LinkEthernet, n
	case b[n]>>4 == 4 || b[n]>>4 == 6:
		return MPLS, wire.LinkIP, n
	case b[n]>>4 == 0 && isEthernet(b, n+4):
		return MPLS, wire.LinkEthernet, n + 4
	}
	return NoTunnel, 0, 0
}

// isEthernet reports whether an Ethernet frame with a type that is read here, and the IP version that it says, starts
// at n.
func isEthernet(b []byte, n int) bool {
	if len(b) < n+ethernetBytes+1 {
		return false
	}
	switch binary.BigEndian.Uint16(b[n+12:]) {
	case typeVLAN, typeSVLAN, typeRoCE1:
		return true
	case typeIPv4:
		return b[n+ethernetBytes]>>4 == 4
	case typeIPv6:
		return b[n+ethernetBytes]>>4 == 6
	}
	return false
}
