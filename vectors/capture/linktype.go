package capture

import (
	"encoding/binary"
	"fmt"

	"hcacosim/model/wire"
)

// Link types of libpcap (https://www.tcpdump.org/linktypes.html) that this project reads.
const (
	LinkTypeNull       = 0   // 4 bytes of address family in the capturing host's order, then an IP packet
	LinkTypeEthernet   = 1   //
	LinkTypeRawBSD     = 12  // an IP packet, as some systems number it
	LinkTypeRawOpenBSD = 14  // the same on OpenBSD
	LinkTypeRaw        = 101 // an IP packet
	LinkTypeLoop       = 108 // as LinkTypeNull, the family in network order
	LinkTypeSLL        = 113 // Linux "cooked", version 1: 16 bytes, then what their type says
	LinkTypeERF        = 197 // Endace records: ibdump, and Wireshark's sample of InfiniBand
	LinkTypeIPv4       = 228 //
	LinkTypeIPv6       = 229 //
	LinkTypeInfiniBand = 247 // from the LRH
	LinkTypeSLL2       = 276 // Linux "cooked", version 2: 20 bytes
)

const knownLinkTypes = "Ethernet, InfiniBand, ERF, Linux cooked, raw IP and loopback are read"

// KnownLinkType reports whether frames of a link type can be read.
func KnownLinkType(linkType uint16) bool {
	switch linkType {
	case LinkTypeNull, LinkTypeEthernet, LinkTypeRawBSD, LinkTypeRawOpenBSD, LinkTypeRaw, LinkTypeLoop, LinkTypeSLL,
		LinkTypeERF,
		LinkTypeIPv4, LinkTypeIPv6, LinkTypeInfiniBand, LinkTypeSLL2:
		return true
	}
	return false
}

// LinkOf gives the link of a link type whose frames need no pseudo-header taken off, and reports whether it is one.
func LinkOf(linkType uint16) (wire.Link, bool) {
	switch linkType {
	case LinkTypeEthernet:
		return wire.LinkEthernet, true
	case LinkTypeInfiniBand:
		return wire.LinkIB, true
	case LinkTypeRaw, LinkTypeRawBSD, LinkTypeRawOpenBSD, LinkTypeIPv4, LinkTypeIPv6:
		return wire.LinkIP, true
	}
	return 0, false
}

func (c *Reader) failLinkType(linkType uint16) error {
	return &Error{File: c.name, Packet: c.packets + 1, Offset: c.offset,
		What: fmt.Sprintf("link type %d is not read", linkType), Do: knownLinkTypes}
}

// strip takes the pseudo-header of the link type off. A record that ends within it, and one that carries neither IP nor
// RoCEv1, becomes an empty frame: of nothing that is judged.
func (f *Frame) strip() {
	if link, plain := LinkOf(f.LinkType); plain {
		f.Link = link
		return
	}
	b, at := f.Data, len(f.Data)
	f.Link = wire.LinkIP
	switch f.LinkType {
	case LinkTypeNull, LinkTypeLoop:
		at = 4 // the family differs by system and by order; the IP version tells the same
	case LinkTypeSLL:
		if len(b) >= sllBytes {
			at = f.cooked(b[14:], sllBytes)
		}
	case LinkTypeSLL2:
		if len(b) >= sll2Bytes {
			at = f.cooked(b, sll2Bytes)
		}
	case LinkTypeERF:
		at = f.endace()
	}
	f.peel(at)
}

const (
	sllBytes  = 16
	sll2Bytes = 20
	typeIPv4  = 0x0800
	typeIPv6  = 0x86DD
	typeVLAN  = 0x8100
	typeSVLAN = 0x88A8
	typeRoCE1 = 0x8915
)

// cooked is where the packet starts behind a cooked header of n bytes whose protocol type starts kind. RoCEv1 is not
// read there: no Ethernet header is left to find it by.
func (f *Frame) cooked(kind []byte, n int) int {
	t := binary.BigEndian.Uint16(kind)
	for (t == typeVLAN || t == typeSVLAN) && len(f.Data) >= n+tagBytes {
		t, n = binary.BigEndian.Uint16(f.Data[n+2:]), n+tagBytes
	}
	if t == typeIPv4 || t == typeIPv6 {
		return n
	}
	if t == typeMPLS || t == typeMPLSMulti {
		if _, link, at := insideMPLS(f.Data, n); at != 0 {
			f.Link, f.Tunnel = link, MPLS
			return at
		}
	}
	return len(f.Data)
}

// Record types of ERF, in the low seven bits of byte 8; bit 7 says that extension headers follow.
const (
	erfBytes       = 16
	erfExtension   = 8
	erfMore        = 0x80
	erfEthernet    = 2
	erfColor       = 11
	erfDSMColor    = 16
	erfColorHash   = 20
	erfInfiniBand  = 21
	erfIPv4        = 22
	erfIPv6        = 23
	erfEthernetPad = 2
)

// endace is where the packet of an ERF record starts. Its wire length stands in bytes 14 and 15; the record may be
// padded behind it.
func (f *Frame) endace() int {
	b := f.Data
	if len(b) < erfBytes {
		return len(b)
	}
	at, more := erfBytes, b[8]&erfMore != 0
	for more && at+erfExtension <= len(b) {
		more = b[at]&erfMore != 0
		at += erfExtension
	}
	switch b[8] &^ erfMore {
	case erfEthernet, erfColor, erfDSMColor, erfColorHash:
		f.Link, at = wire.LinkEthernet, at+erfEthernetPad
	case erfInfiniBand:
		f.Link = wire.LinkIB
	case erfIPv4, erfIPv6:
		f.Link = wire.LinkIP
	default:
		return len(b)
	}
	size := int(binary.BigEndian.Uint16(b[14:]))
	f.Data = b[:min(len(b), at+size)]
	f.OrigLen = max(at+size, len(f.Data))
	return at
}

// peel takes n bytes off the front of the frame.
func (f *Frame) peel(n int) {
	n = min(n, len(f.Data))
	f.Outer += n
	f.Data, f.OrigLen = f.Data[n:], max(f.OrigLen-n, len(f.Data)-n)
}
