package wire

import (
	"encoding/binary"
	"hash/crc32"
)

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

// HasICRC tells that the packet has an ICRC and that all it covers lies in a frame of size bytes.
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

// crcAfterFF is the CRC of 8 x FF, which stands for the LRH where there is none or it is routed over: the complement
// of register DEBB20E3h.
const crcAfterFF = 0x2144DF1C

// maskedMax is the most bytes that hold masked fields: IPv4 with all its options, UDP and BTH.
const maskedMax = 60 + udpBytes + bthBytes

// ICRC computes the invariant CRC of a packet that HasICRC: the headers with what routers may change forced to ones
// (ICRC-1 to ICRC-5), then everything from behind the BTH to the ICRC as it is.
func (loc *Location) ICRC(frame []byte) uint32 {
	var buf [maskedMax]byte
	start, crc := loc.Net, uint32(crcAfterFF)
	switch loc.Encap {
	case EncapIBLocal:
		crc = 0
	case EncapIBGlobal:
		start += lrhBytes
	}
	body := loc.Transport + bthBytes
	b := buf[:copy(buf[:], frame[start:body])]
	switch loc.Encap {
	case EncapIBLocal:
		b[0] |= 0xF0 // VL
	case EncapRoCEv2IPv4:
		// Options are covered as they are: our reading, unverified.
		b[1] = 0xFF               // TOS
		b[8] = 0xFF               // TTL
		b[10], b[11] = 0xFF, 0xFF // header checksum
		maskUDP(b)
	case EncapRoCEv2IPv6:
		maskIPv6(b)
		maskUDP(b)
	default: // RoCEv1, IB global
		maskIPv6(b)
	}
	b[len(b)-bthBytes+4] = 0xFF // FECN, BECN, resv6
	crc = crcShort(crc, b)
	return crc32.Update(crc, crc32.IEEETable, frame[body:loc.End-icrcBytes])
}

// maskIPv6 covers TClass, FlowLabel and HopLimit, of IPv6 and GRH alike.
func maskIPv6(b []byte) {
	b[0] |= 0x0F
	b[1], b[2], b[3] = 0xFF, 0xFF, 0xFF
	b[7] = 0xFF
}

// maskUDP covers the UDP checksum of b, which ends with UDP and BTH.
func maskUDP(b []byte) {
	at := len(b) - bthBytes - 2
	b[at], b[at+1] = 0xFF, 0xFF
}

// crcSlices are the eight tables of slicing by 8: crcSlices[k][v] is what byte v does to the register k bytes later.
var crcSlices = func() (t [8]crc32.Table) {
	t[0] = *crc32.IEEETable
	for k := 1; k < len(t); k++ {
		for v := range t[k] {
			t[k][v] = t[k-1][v]>>8 ^ t[0][byte(t[k-1][v])]
		}
	}
	return t
}()

// crcShort is crc32.Update for headers. hash/crc32 calls through a variable, so a buffer on the stack that is given to
// it moves to the heap; this one does not, and is as fast below 64 bytes.
func crcShort(crc uint32, b []byte) uint32 {
	crc = ^crc
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b) ^ uint64(crc)
		crc = crcSlices[7][byte(w)] ^ crcSlices[6][byte(w>>8)] ^ crcSlices[5][byte(w>>16)] ^ crcSlices[4][byte(w>>24)] ^
			crcSlices[3][byte(w>>32)] ^ crcSlices[2][byte(w>>40)] ^ crcSlices[1][byte(w>>48)] ^ crcSlices[0][byte(w>>56)]
	}
	for _, v := range b {
		crc = crc>>8 ^ crcSlices[0][byte(crc)^v]
	}
	return ^crc
}
