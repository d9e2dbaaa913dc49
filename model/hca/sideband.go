package hca

import "hcacosim/model/wire"

// verdictBits is the width of the sideband that carries a verdict: m_axis_tuser of icrc_check.
const verdictBits = 12

// Sideband is what tuser of a packet input says of a frame from outside: nothing (no bits), its link (one bit), or
// where the input takes what icrc_check gives (12 bits), the verdict that the frame calls for.
func Sideband(userBits int, link wire.Link, frame []byte) uint32 {
	switch userBits {
	case 0:
		return 0
	case verdictBits:
		return verdictOf(link, frame)
	}
	return uint32(link)
}

// SidebandLink is the link that tuser of a packet input tells. An input without one takes IB native packets only; a
// verdict tells it by its encapsulation, Ethernet where that is none.
func SidebandLink(userBits int, user uint32) wire.Link {
	switch userBits {
	case 0:
		return wire.LinkIB
	case verdictBits:
		return wire.Encap(user >> 4 & 7).Link()
	}
	return wire.Link(user & 1)
}

// verdictOf is icrc_check's sideband for a frame.
func verdictOf(link wire.Link, frame []byte) uint32 {
	var loc wire.Location
	loc.Find(link, frame)
	return verdictAt(frame, &loc)
}

// verdictAt is verdictOf where the packet is located.
func verdictAt(frame []byte, loc *wire.Location) uint32 {
	return userBits(uint32(wire.CheckICRC(frame, loc)), loc.Encap, loc.Bad.Reason)
}
