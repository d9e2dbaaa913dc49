package wire

// Ethernet is a frame from its destination MAC:
//
//	0      6      12     14 or the first tag
//	| dst  | src  | type |
type Ethernet []byte

func (h Ethernet) Dst() []byte  { return h[0:6] }
func (h Ethernet) Src() []byte  { return h[6:12] }
func (h Ethernet) Type() uint16 { return be16(h[12:]) }

// VLAN is a tag, from its TPID:
//
//	| TPID 16 | PCP 3, DEI 1, VID 12 |
type VLAN []byte

func (h VLAN) TPID() uint16 { return be16(h) }
func (h VLAN) TCI() uint16  { return be16(h[2:]) }

// IPv4 is an IPv4 header with its options:
//
//	 0 | Version 4, IHL 4 | TOS 8 | total length 16 |
//	 4 | identification 16 | flags 3, fragment offset 13 |
//	 8 | TTL 8 | protocol 8 | header checksum 16 |
//	12 | source |
//	16 | destination |
//	20 | options, up to 40 bytes |
type IPv4 []byte

func (h IPv4) Version() int     { return int(h[0] >> 4) }
func (h IPv4) HeaderBytes() int { return int(h[0]&0x0F) * 4 }
func (h IPv4) TOS() uint8       { return h[1] }
func (h IPv4) TotalLength() int { return int(be16(h[2:])) }
func (h IPv4) ID() uint16       { return be16(h[4:]) }
func (h IPv4) Frag() uint16     { return be16(h[6:]) }
func (h IPv4) IsFragment() bool { return h.Frag()&0x3FFF != 0 } // MF or an offset
func (h IPv4) TTL() uint8       { return h[8] }
func (h IPv4) Protocol() uint8  { return h[9] }
func (h IPv4) Checksum() uint16 { return be16(h[10:]) }
func (h IPv4) Src() []byte      { return h[12:16] }
func (h IPv4) Dst() []byte      { return h[16:20] }

// Options returns what follows the fixed header.
func (h IPv4) Options() []byte { return h[ipv4Bytes:h.HeaderBytes()] }

// ChecksumGood reports whether the header's words add up.
func (h IPv4) ChecksumGood() bool { return fold(addWords(0, h[:h.HeaderBytes()])) == 0xFFFF }

// IPv6 is an IPv6 header; a GRH is laid out alike:
//
//	 0 | Version 4 | TClass 8 | FlowLabel 20 |
//	 4 | payload length 16 | next header 8 | HopLimit 8 |
//	 8 | source |
//	24 | destination |
type IPv6 []byte

// GRH is the global routing header. Its PayLen counts the bytes after it through the ICRC.
type GRH = IPv6

func (h IPv6) Version() int      { return int(h[0] >> 4) }
func (h IPv6) TClass() uint8     { return uint8(be16(h) >> 4) }
func (h IPv6) FlowLabel() uint32 { return be32(h) & 0xFFFFF }
func (h IPv6) PayLen() int       { return int(be16(h[4:])) }
func (h IPv6) NextHeader() uint8 { return h[6] }
func (h IPv6) HopLimit() uint8   { return h[7] }
func (h IPv6) Src() []byte       { return h[8:24] }
func (h IPv6) Dst() []byte       { return h[24:40] }

// UDP is a UDP header:
//
//	0 | source port 16 | destination port 16 |
//	4 | length 16 | checksum 16 |
type UDP []byte

func (h UDP) SrcPort() uint16  { return be16(h) }
func (h UDP) DstPort() uint16  { return be16(h[2:]) }
func (h UDP) Length() int      { return int(be16(h[4:])) }
func (h UDP) Checksum() uint16 { return be16(h[6:]) }

// LRH is the local routing header of an IB native packet:
//
//	0 | VL 4, LVer 4 | SL 4, resv 2, LNH 2 | DLID 16 |
//	4 | resv 5, PktLen 11 | SLID 16 |
type LRH []byte

func (h LRH) VL() uint8    { return h[0] >> 4 }
func (h LRH) LVer() uint8  { return h[0] & 0x0F }
func (h LRH) SL() uint8    { return h[1] >> 4 }
func (h LRH) Resv2() uint8 { return h[1] >> 2 & 3 }
func (h LRH) LNH() uint8   { return h[1] & 3 }
func (h LRH) DLID() uint16 { return be16(h[2:]) }
func (h LRH) Resv5() uint8 { return h[4] >> 3 }
func (h LRH) SLID() uint16 { return be16(h[6:]) }

// PktBytes is PktLen in bytes: from the LRH to the last byte before the VCRC.
func (h LRH) PktBytes() int { return int(be16(h[4:])&0x7FF) * 4 }

// RWH is the header of a raw packet:
//
//	0 | resv 16 | ethertype 16 |
type RWH []byte

func (h RWH) Resv() uint16 { return be16(h) }
func (h RWH) Type() uint16 { return be16(h[2:]) }
