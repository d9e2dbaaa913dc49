package wire

import (
	"encoding/binary"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

var be = binary.BigEndian

// GID is a global identifier or an IPv6 address. An IPv4 address is one in its last four bytes; FromIPv4 makes the
// mapped form.
type GID [16]byte

// FromIPv4 returns ::ffff:a.b.c.d.
func FromIPv4(a, b, c, d byte) GID {
	return GID{10: 0xFF, 11: 0xFF, 12: a, 13: b, 14: c, 15: d}
}

// VLANTag is a VLAN tag to build. TPID 0 stands for 8100h.
type VLANTag struct{ TPID, TCI uint16 }

// Spec is a packet to build: what its headers say. Fields that the encapsulation or the opcode has no place for are
// ignored; lengths, pad, checksums and CRCs are worked out. Values wider than their field are cut to it.
type Spec struct {
	Encap Encap

	// Ethernet
	DstMAC, SrcMAC [6]byte
	VLANs          []VLANTag

	// IPv4, IPv6 and GRH
	Src, Dst  GID
	TClass    uint8  // IPv4: TOS
	HopLimit  uint8  // IPv4: TTL
	FlowLabel uint32 // 20 bits
	IPID      uint16
	IPFrag    uint16 // flags and fragment offset: 4000h is DF
	IPOptions []byte // a multiple of 4 bytes, at most 40

	SrcPort     uint16
	UDPChecksum bool // else 0, as RoCEv2 has it

	// LRH
	VL, LVer, SL, LRHResv2, LRHResv5 uint8
	DLID, SLID                       uint16

	// IB raw: LNH 1 with an IPv6 header, or LNH 0 with an RWH of this type
	RawIPv6       bool
	RawNextHeader uint8
	RawType       uint16

	// BTH
	Opcode                         ib.Opcode
	SE, MigReq, FECN, BECN, AckReq bool
	TVer, Resv6, Resv7             uint8
	PKey                           uint16
	DestQP                         uint32
	PSN                            psn.PSN

	// Extension headers
	EEContext        uint32      // RDETH
	QKey, SrcQP      uint32      // DETH
	XRCSRQ           uint32      // XRCETH
	FlushSEL         uint8       // FETH
	FlushPLT         uint8       // FETH
	VA               uint64      // RETH, AtomicETH
	RKey, DMALen     uint32      // RETH, AtomicETH
	SwapAdd, Compare uint64      // AtomicETH
	Syndrome         ib.Syndrome // AETH
	MSN              uint32      // AETH
	Original         uint64      // AtomicAckETH
	InvRKey          uint32      // IETH
	Immediate        uint32      // ImmDt

	NoICRC  bool   // leave the ICRC 0
	NoVCRC  bool   // IB: end behind the ICRC
	Trailer []byte // appended behind everything
}

// mostBefore is more than stands before the BTH and behind the ICRC of most packets.
const mostBefore = 96

// Append appends the whole frame that carries payload.
func (s *Spec) Append(dst, payload []byte) []byte {
	if s.Encap == EncapRaw {
		return s.appendRaw(dst, payload)
	}
	op := ib.Lookup(s.Opcode)
	transportBytes := bthBytes
	if op != nil {
		transportBytes = op.Bytes
	}
	pad := -len(payload) & 3
	transportBytes += len(payload) + pad + icrcBytes

	if cap(dst)-len(dst) < transportBytes+mostBefore { // once, for all that is appended
		dst = slices.Grow(dst, transportBytes+mostBefore)
	}
	frame := len(dst)
	loc := Location{Encap: s.Encap}
	dst = s.appendLink(dst, &loc, transportBytes)
	loc.Transport = len(dst) - frame
	loc.End = loc.Transport + transportBytes
	dst = s.appendBTH(dst, pad)
	if op != nil && op.Headers != 0 {
		dst = s.appendExtensions(dst, op)
	}
	dst = append(dst, payload...)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0)[:len(dst)+pad+icrcBytes]
	f := dst[frame:]
	if !s.NoICRC {
		binary.LittleEndian.PutUint32(f[loc.End-icrcBytes:], loc.ICRC(f))
	}
	if s.UDPChecksum {
		putUDPChecksum(f, &loc)
	}
	return s.appendTail(dst, frame)
}

// appendTail adds what follows the ICRC to the frame that starts at dst[frame].
func (s *Spec) appendTail(dst []byte, frame int) []byte {
	if s.Encap.Link() == LinkIB && !s.NoVCRC {
		dst = binary.LittleEndian.AppendUint16(dst, VCRC(dst[frame:]))
	}
	if len(s.Trailer) > 0 {
		dst = append(dst, s.Trailer...)
	}
	return dst
}

func (s *Spec) appendRaw(dst, payload []byte) []byte {
	frame := len(dst)
	pad := -len(payload) & 3
	if s.RawIPv6 {
		dst = s.appendLRH(dst, lnhRawIPv6, lrhBytes+ipv6Bytes+len(payload)+pad)
		dst = s.appendIPv6(dst, s.RawNextHeader, len(payload))
	} else {
		dst = s.appendLRH(dst, lnhRaw, lrhBytes+rwhBytes+len(payload)+pad)
		dst = append(dst, 0, 0, byte(s.RawType>>8), byte(s.RawType))
	}
	dst = append(dst, payload...)
	dst = append(dst, 0, 0, 0)[:len(dst)+pad]
	return s.appendTail(dst, frame)
}

// appendLink appends everything before the BTH; transportBytes counts from there through the ICRC.
func (s *Spec) appendLink(dst []byte, loc *Location, transportBytes int) []byte {
	switch s.Encap {
	case EncapIBLocal:
		return s.appendLRH(dst, lnhLocal, lrhBytes+transportBytes)
	case EncapIBGlobal:
		dst = s.appendLRH(dst, lnhGlobal, lrhBytes+grhBytes+transportBytes)
		return s.appendIPv6(dst, nextIBA, transportBytes)
	}
	dst = append(dst, s.DstMAC[:]...)
	dst = append(dst, s.SrcMAC[:]...)
	for _, v := range s.VLANs {
		if v.TPID == 0 {
			v.TPID = typeVLAN
		}
		dst = append(dst, byte(v.TPID>>8), byte(v.TPID), byte(v.TCI>>8), byte(v.TCI))
	}
	loc.VLANs = uint8(len(s.VLANs))
	loc.Net = ethHeadBytes + vlanBytes*len(s.VLANs)
	switch s.Encap {
	case EncapRoCEv1:
		dst = append(dst, typeRoCEv1>>8, typeRoCEv1&0xFF)
		return s.appendIPv6(dst, nextIBA, transportBytes)
	case EncapRoCEv2IPv4:
		dst = append(dst, typeIPv4>>8, typeIPv4&0xFF)
		dst = s.appendIPv4(dst, udpBytes+transportBytes)
	default:
		dst = append(dst, typeIPv6>>8, typeIPv6&0xFF)
		dst = s.appendIPv6(dst, protocolUDP, udpBytes+transportBytes)
	}
	length := udpBytes + transportBytes
	dst = be.AppendUint32(dst, uint32(s.SrcPort)<<16|portRoCEv2)
	return be.AppendUint32(dst, uint32(length)<<16)
}

func (s *Spec) appendIPv4(dst []byte, payloadBytes int) []byte {
	headBytes := ipv4Bytes + len(s.IPOptions)
	first := 4<<28 | uint32(headBytes/4)<<24 | uint32(s.TClass)<<16 | uint32(headBytes+payloadBytes)&0xFFFF
	second := uint32(s.IPID)<<16 | uint32(s.IPFrag)
	third := uint32(s.HopLimit)<<24 | protocolUDP<<16
	src, dest := be32(s.Src[12:]), be32(s.Dst[12:])
	sum := uint64(first) + uint64(second) + uint64(third) + uint64(src) + uint64(dest)
	if len(s.IPOptions) > 0 { // here and elsewhere: most packets have none, and the calls cost 4 ns
		sum = addWords(sum, s.IPOptions)
	}
	third |= uint32(^fold(sum))
	dst = be.AppendUint32(dst, first)
	dst = be.AppendUint32(dst, second)
	dst = be.AppendUint32(dst, third)
	dst = be.AppendUint32(dst, src)
	dst = be.AppendUint32(dst, dest)
	if len(s.IPOptions) > 0 {
		dst = append(dst, s.IPOptions...)
	}
	return dst
}

func (s *Spec) appendIPv6(dst []byte, next uint8, payloadBytes int) []byte {
	dst = be.AppendUint32(dst, 6<<28|uint32(s.TClass)<<20|s.FlowLabel&0xFFFFF)
	dst = be.AppendUint32(dst, uint32(payloadBytes)<<16|uint32(next)<<8|uint32(s.HopLimit))
	dst = append(dst, s.Src[:]...)
	return append(dst, s.Dst[:]...)
}

func (s *Spec) appendLRH(dst []byte, lnh uint8, pktBytes int) []byte {
	words := pktBytes / 4
	return append(dst, s.VL<<4|s.LVer&0x0F, s.SL<<4|s.LRHResv2&3<<2|lnh, byte(s.DLID>>8), byte(s.DLID),
		s.LRHResv5<<3|byte(words>>8)&7, byte(words), byte(s.SLID>>8), byte(s.SLID))
}

func (s *Spec) appendBTH(dst []byte, pad int) []byte {
	flags := bit(s.SE)<<7 | bit(s.MigReq)<<6 | byte(pad)<<4 | s.TVer&0x0F
	variant := bit(s.FECN)<<7 | bit(s.BECN)<<6 | s.Resv6&0x3F
	last := bit(s.AckReq)<<7 | s.Resv7&0x7F
	dst = be.AppendUint32(dst, uint32(s.Opcode)<<24|uint32(flags)<<16|uint32(s.PKey))
	dst = be.AppendUint32(dst, uint32(variant)<<24|s.DestQP&0xFFFFFF)
	return be.AppendUint32(dst, uint32(last)<<24|uint32(s.PSN)&0xFFFFFF)
}

// appendExtensions appends the headers of the opcode, in the order of ib.Header, which is that of the wire.
func (s *Spec) appendExtensions(dst []byte, op *ib.Info) []byte {
	values := [...]uint64{ib.EEContext: uint64(s.EEContext), ib.QKey: uint64(s.QKey), ib.SrcQP: uint64(s.SrcQP),
		ib.XRCSRQ: uint64(s.XRCSRQ), ib.FlushSEL: uint64(s.FlushSEL), ib.FlushPLT: uint64(s.FlushPLT), ib.VA: s.VA,
		ib.RKey: uint64(s.RKey), ib.DMALen: uint64(s.DMALen), ib.AtomicVA: s.VA, ib.AtomicRKey: uint64(s.RKey),
		ib.SwapAdd: s.SwapAdd, ib.Compare: s.Compare, ib.AETHSyndrome: uint64(s.Syndrome), ib.MSN: uint64(s.MSN),
		ib.Original: s.Original, ib.InvRKey: uint64(s.InvRKey), ib.Immediate: uint64(s.Immediate)}
	at := len(dst)
	dst = append(dst, noHeaders[:op.Bytes-bthBytes]...)
	for set := op.Headers; set != 0; {
		h := set.First()
		set = set.Without(h)
		header := dst[at:]
		for f, end := h.FieldRange(); f < end; f++ {
			f.Put(header, values[f])
		}
		at += h.Bytes()
	}
	return dst
}

// noHeaders are headers of zeros, longer than any opcode has.
var noHeaders [64]byte

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// putUDPChecksum works over the pseudo header, UDP and everything to the end of the packet, ICRC included; the ICRC in
// turn does not depend on it. IB has none.
func putUDPChecksum(f []byte, loc *Location) {
	sum := uint64(protocolUDP)
	switch loc.Encap {
	case EncapRoCEv2IPv4:
		sum = addWords(sum, f[loc.Net+12:loc.Net+20])
	case EncapRoCEv2IPv6:
		sum = addWords(sum, f[loc.Net+8:loc.Net+40])
	default:
		return
	}
	u := loc.Transport - udpBytes
	sum += uint64(loc.End - u)
	check := ^fold(addWords(sum, f[u:loc.End]))
	if check == 0 {
		check = 0xFFFF // 0 says that there is no checksum
	}
	be.PutUint16(f[u+6:], check)
}

// addWords adds the big-endian 16-bit words of b; an odd last byte counts as a high byte.
func addWords(sum uint64, b []byte) uint64 {
	for ; len(b) >= 16; b = b[16:] { // 32 bits at a time: the sum has room for the carries of any packet
		v, w := be64(b), be64(b[8:])
		sum += v>>32 + v&0xFFFFFFFF + w>>32 + w&0xFFFFFFFF
	}
	for ; len(b) >= 4; b = b[4:] {
		sum += uint64(be32(b))
	}
	if len(b) >= 2 {
		sum += uint64(be16(b))
		b = b[2:]
	}
	if len(b) == 1 {
		sum += uint64(b[0]) << 8
	}
	return sum
}

// fold brings a sum to 16 bits in ones' complement arithmetic.
func fold(sum uint64) uint16 {
	for sum > 0xFFFF {
		sum = sum>>16 + sum&0xFFFF
	}
	return uint16(sum)
}
