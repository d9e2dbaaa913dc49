package wire

import "encoding/binary"

// congestionExperienced are the ECN bits of TOS or TClass that a switch sets.
const congestionExperienced = 3

// MarkCE marks an Ethernet frame with an IP packet as a switch does: congestion experienced. The checksum of an IPv4
// header is as right, or as wrong, as before; the ICRC covers neither.
func MarkCE(frame []byte) {
	var p Packet
	Decode(LinkEthernet, frame, &p)
	if ip := p.IPv4(); ip != nil {
		was := ip[1]
		ip[1] |= congestionExperienced
		sum := uint64(ip.Checksum()) + uint64(was) + 0xFFFF - uint64(ip[1]) // RFC 1624, equation 4
		binary.BigEndian.PutUint16(ip[10:], fold(sum))
	}
	if ip := p.IPv6(); ip != nil {
		ip[1] |= congestionExperienced << 4
	}
}
