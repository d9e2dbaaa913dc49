package wire

import (
	"encoding/binary"
	"hash/crc32"
)

// Decides ICRC-1, ICRC-2, ICRC-3, ICRC-4 and ICRC-5.

// ICRCStatus is a verdict on the invariant CRC, numbered as in docs/blocks/icrc_check.md.
type ICRCStatus uint8

const (
	ICRCNone ICRCStatus = iota // there is none to check
	ICRCGood
	ICRCBad
	ICRCUndecided // only of Packet.ICRC: the capture holds not the whole packet
)

func (s ICRCStatus) String() string {
	return [...]string{"none", "good", "bad", "undecided"}[s]
}

// HasICRC reports whether the packet has an ICRC and that all it covers lies in a frame of size bytes.
func (loc *Location) HasICRC(size int) bool {
	return loc.Encap != EncapNone && loc.Encap != EncapRaw && !loc.short() && loc.End <= size
}

// CheckICRC judges the ICRC of the packet that Locate found in frame.
func CheckICRC(frame []byte, loc *Location) ICRCStatus {
	switch {
	case loc.Encap == EncapNone || loc.Encap == EncapRaw:
		return ICRCNone
	case loc.HasICRC(len(frame)) && loc.ICRC(frame) == binary.LittleEndian.Uint32(frame[loc.End-icrcBytes:]):
		return ICRCGood
	default:
		return ICRCBad
	}
}

// PutICRC writes the ICRC of the packet that Locate found in frame; it tells whether there was one to write.
func PutICRC(frame []byte, loc *Location) bool {
	if !loc.HasICRC(len(frame)) {
		return false
	}
	binary.LittleEndian.PutUint32(frame[loc.End-icrcBytes:], loc.ICRC(frame))
	return true
}

// crcAfterFF is the register after 8 x FF, which stand for the LRH where there is none or it is routed over.
const crcAfterFF = 0xDEBB20E3

// mask is what of the first bytes is forced to ones, as little-endian words of eight bytes. It reaches to BTH byte 4,
// which it always holds, and never beyond the BTH.
type mask struct {
	words []uint64
	first uint32 // the CRC register before the first word
}

// masks by encapsulation, and for IPv4 by IHL.
var (
	ipv4Masks [16]mask
	masks     [numEncaps]mask
)

func init() {
	masks[EncapIBLocal] = mask{first: 0xFFFFFFFF}.force(0, 0xF0).forceBTH(lrhBytes)  // ICRC-1
	masks[EncapIBGlobal] = mask{first: crcAfterFF}.forceIPv6().forceBTH(grhBytes)    // ICRC-2
	masks[EncapRoCEv1] = masks[EncapIBGlobal]                                        // ICRC-3
	masks[EncapRoCEv2IPv6] = mask{first: crcAfterFF}.forceIPv6().forceUDP(ipv6Bytes) // ICRC-5
	for ihl := 5; ihl < len(ipv4Masks); ihl++ {
		ipv4Masks[ihl] = mask{first: crcAfterFF}.forceIPv4().forceUDP(4 * ihl) // ICRC-4
	}
}

// force adds bits of the byte at offset.
func (m mask) force(offset int, bits byte) mask {
	for len(m.words) <= offset/8 {
		m.words = append(m.words, 0)
	}
	m.words[offset/8] |= uint64(bits) << (offset % 8 * 8)
	return m
}

// forceIPv4 is TOS, TTL and header checksum. Options are covered as they are: our reading, unverified.
func (m mask) forceIPv4() mask {
	return m.force(1, 0xFF).force(8, 0xFF).force(10, 0xFF).force(11, 0xFF)
}

// forceIPv6 is TClass, FlowLabel and HopLimit, of IPv6 and GRH alike.
func (m mask) forceIPv6() mask {
	return m.force(0, 0x0F).force(1, 0xFF).force(2, 0xFF).force(3, 0xFF).force(7, 0xFF)
}

// forceUDP is the checksum of a UDP header at an offset, and what follows it.
func (m mask) forceUDP(at int) mask {
	return m.force(at+6, 0xFF).force(at+7, 0xFF).forceBTH(at + udpBytes)
}

// forceBTH is FECN, BECN and resv6.
func (m mask) forceBTH(at int) mask { return m.force(at+4, 0xFF) }

// ICRC computes the invariant CRC of a packet that HasICRC.
func (loc *Location) ICRC(frame []byte) uint32 {
	start, m := loc.Net, &masks[loc.Encap]
	switch loc.Encap {
	case EncapIBGlobal:
		start += lrhBytes
	case EncapRoCEv2IPv4:
		m = &ipv4Masks[(loc.Transport-udpBytes-loc.Net)/4]
	}
	b, reg := frame[start:loc.End-icrcBytes], m.first
	words := m.words
	for ; len(words) >= 2 && len(b) >= 16; words, b = words[2:], b[16:] {
		reg = crcSteps(reg, binary.LittleEndian.Uint64(b)|words[0], binary.LittleEndian.Uint64(b[8:])|words[1])
	}
	for _, ones := range words {
		reg = crcStep(reg, binary.LittleEndian.Uint64(b)|ones)
		b = b[8:]
	}
	if len(b) < crcShortBytes {
		return ^crcShort(reg, b)
	}
	whole := len(b) &^ 15
	reg = ^crc32.Update(^reg, crc32.IEEETable, b[:whole])
	return ^crcShort(reg, b[whole:])
}

// crcSlices are the tables of slicing by 16: crcSlices[k][v] is what byte v does to the register k bytes later.
var crcSlices = func() (t [16]crc32.Table) {
	t[0] = *crc32.IEEETable
	for k := 1; k < len(t); k++ {
		for v := range t[k] {
			t[k][v] = t[k-1][v]>>8 ^ t[0][byte(t[k-1][v])]
		}
	}
	return t
}()

// crcStep takes eight bytes, low byte first, into the register. The masks are laid over words on their way here because
// a masked copy on the stack would move to the heap: hash/crc32 calls through a variable.
func crcStep(reg uint32, w uint64) uint32 {
	w ^= uint64(reg)
	return crcSlices[7][byte(w)] ^ crcSlices[6][byte(w>>8)] ^ crcSlices[5][byte(w>>16)] ^ crcSlices[4][byte(w>>24)] ^
		crcSlices[3][byte(w>>32)] ^ crcSlices[2][byte(w>>40)] ^ crcSlices[1][byte(w>>48)] ^ crcSlices[0][byte(w>>56)]
}

// crcSteps takes sixteen bytes: only half of the look-ups wait for the register.
func crcSteps(reg uint32, w, v uint64) uint32 {
	w ^= uint64(reg)
	return crcSlices[7][byte(v)] ^ crcSlices[6][byte(v>>8)] ^ crcSlices[5][byte(v>>16)] ^ crcSlices[4][byte(v>>24)] ^
		crcSlices[3][byte(v>>32)] ^ crcSlices[2][byte(v>>40)] ^ crcSlices[1][byte(v>>48)] ^ crcSlices[0][byte(v>>56)] ^
		crcSlices[11][byte(w>>32)] ^ crcSlices[10][byte(w>>40)] ^ crcSlices[9][byte(w>>48)] ^ crcSlices[8][byte(w>>56)] ^
		crcSlices[15][byte(w)] ^ crcSlices[14][byte(w>>8)] ^ crcSlices[13][byte(w>>16)] ^ crcSlices[12][byte(w>>24)]
}

// crcShortBytes is where hash/crc32 starts to use better than slicing by 8.
const crcShortBytes = 64

// crcShort takes a few bytes into the register.
func crcShort(reg uint32, b []byte) uint32 {
	for ; len(b) >= 16; b = b[16:] {
		reg = crcSteps(reg, binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]))
	}
	if len(b) >= 8 {
		reg = crcStep(reg, binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	if len(b) >= 4 {
		v := binary.LittleEndian.Uint32(b) ^ reg
		reg = crcSlices[3][byte(v)] ^ crcSlices[2][byte(v>>8)] ^ crcSlices[1][byte(v>>16)] ^ crcSlices[0][v>>24]
		b = b[4:]
	}
	for _, v := range b {
		reg = reg>>8 ^ crcSlices[0][byte(reg)^v]
	}
	return reg
}
