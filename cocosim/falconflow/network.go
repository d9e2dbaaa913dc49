package falconflow

import (
	"net/netip"

	"hcacosim/model/wire"
)

// place is where an IP packet lies.
type place struct {
	at, body, end int // IP header, what follows it, where the packet ends by its length field
	proto         uint8
	v6, fragment  bool
	src, dst      netip.Addr
}

// network finds the IP packet of an Ethernet frame, behind up to two VLAN tags.
func network(frame []byte) (place, bool) {
	at := 12
	for range 3 {
		if len(frame) < at+2 {
			return place{}, false
		}
		switch typ := uint16(frame[at])<<8 | uint16(frame[at+1]); typ {
		case 0x8100, 0x88A8:
			at += 4
		case 0x0800, 0x86DD:
			n, ok := ip(frame, at+2)
			return n, ok && n.v6 == (typ == 0x86DD)
		default:
			return place{}, false
		}
	}
	return place{}, false
}

// ip reads the IP header at a place.
func ip(b []byte, at int) (n place, ok bool) {
	if len(b) < at+ipv4Bytes {
		return n, false
	}
	n.at = at
	h := wire.IPv4(b[at:])
	if h.Version() == 4 && h.HeaderBytes() >= ipv4Bytes {
		n.body, n.end = at+h.HeaderBytes(), at+h.TotalLength()
		n.proto, n.fragment = h.Protocol(), h.IsFragment()
		n.src, _ = netip.AddrFromSlice(h.Src())
		n.dst, _ = netip.AddrFromSlice(h.Dst())
		return n, n.end >= n.body
	}
	if h.Version() != 6 || len(b) < at+ipv6Bytes {
		return n, false
	}
	h6 := wire.IPv6(b[at:])
	n.v6, n.body, n.end = true, at+ipv6Bytes, at+ipv6Bytes+h6.PayLen()
	n.proto = h6.NextHeader()
	n.src, _ = netip.AddrFromSlice(h6.Src())
	n.dst, _ = netip.AddrFromSlice(h6.Dst())
	return n, true
}

// udpChecksumGood reports whether the UDP checksum is right. The packet is whole and has one.
func udpChecksumGood(frame []byte, n *place) bool {
	udp := frame[n.body:n.end]
	sum := uint64(len(udp)) + protoUDP
	for _, a := range []netip.Addr{n.src, n.dst} {
		sum = add(sum, a.AsSlice())
	}
	sum = add(sum, udp)
	for sum>>16 != 0 {
		sum = sum&0xFFFF + sum>>16
	}
	return sum == 0xFFFF
}

func add(sum uint64, b []byte) uint64 {
	for i := 0; i+1 < len(b); i += 2 {
		sum += uint64(b[i])<<8 | uint64(b[i+1])
	}
	if len(b)%2 != 0 {
		sum += uint64(b[len(b)-1]) << 8
	}
	return sum
}
