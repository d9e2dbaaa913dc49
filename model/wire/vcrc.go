package wire

import "encoding/binary"

// VCRCStatus is a verdict on the variant CRC, numbered as in docs/blocks/vcrc_check.md.
type VCRCStatus uint8

const (
	VCRCNone VCRCStatus = iota
	VCRCGood
	VCRCBad
)

func (s VCRCStatus) String() string { return [...]string{"none", "good", "bad"}[s] }

// CheckVCRC judges the VCRC of an IB native packet as docs/blocks/vcrc_check.md has it. The byte order on the wire, low
// byte of the reflected register first, is our reading: unverified.
func CheckVCRC(frame []byte) (VCRCStatus, Encap, Reason) {
	n := len(frame)
	if n < lrhBytes {
		return VCRCNone, EncapNone, Runt
	}
	encap, end := encapOfLNH(LRH(frame).LNH()), LRH(frame).PktBytes()
	switch {
	case end < lrhBytes:
		return VCRCBad, encap, Short
	case end+vcrcBytes > n:
		return VCRCBad, encap, Truncated
	}
	status, reason := VCRCBad, WellFormed
	if VCRC(frame[:end]) == binary.LittleEndian.Uint16(frame[end:]) {
		status = VCRCGood
	}
	if n > end+vcrcBytes {
		reason = Trailer
	}
	return status, encap, reason
}

func encapOfLNH(lnh uint8) Encap {
	switch lnh {
	case lnhLocal:
		return EncapIBLocal
	case lnhGlobal:
		return EncapIBGlobal
	default:
		return EncapRaw
	}
}

// vcrcPoly is x^16+x^12+x^3+x+1, reflected.
const vcrcPoly = 0xD008

// vcrcSlices are the tables of slicing by 16, built as crcSlices is.
var vcrcSlices = func() (t [16][256]uint16) {
	for v := range t[0] {
		r := uint16(v)
		for range 8 {
			r = r>>1 ^ vcrcPoly*(r&1)
		}
		t[0][v] = r
	}
	for k := 1; k < len(t); k++ {
		for v := range t[k] {
			t[k][v] = t[k-1][v]>>8 ^ t[0][byte(t[k-1][v])]
		}
	}
	return t
}()

// VCRC computes the variant CRC over b: everything from LRH byte 0 to the byte before the VCRC, nothing masked.
func VCRC(b []byte) uint16 {
	if len(b) < vcrcFoldBytes {
		return ^vcrcShort(0xFFFF, b)
	}
	var words [vcrcAhead]uint64 // the last of them, each with what those before left to it
	words[0] = 0xFFFF           // of before the first
	i := uint(0)
	for ; len(b) >= 8*vcrcAhead+8; b = b[8:] {
		words[i%vcrcAhead] = folded(&words, i, b)
		i++
	}
	crc := uint16(0)
	for range vcrcAhead / 2 {
		w := folded(&words, i, b)
		words[i%vcrcAhead] = 0 // it leaves nothing
		v := folded(&words, i+1, b[8:])
		words[(i+1)%vcrcAhead] = 0
		crc = vcrcOf(8, w^uint64(crc)) ^ vcrcOf(0, v)
		b = b[16:]
		i += 2
	}
	return ^vcrcShort(crc, b)
}

// Modulo the polynomial x^16 is x^12+x^3+x+1, and squared six times x^1024 is x^768+x^192+x^64+1: a word of eight bytes
// counts as much as the same word added to the 4th, 13th, 15th and 16th behind it.
const (
	vcrcAhead     = 16
	vcrcFoldBytes = 200 // from there on folding is faster than look-ups alone
)

// folded is word i, with which b begins, and what those before left to it.
func folded(words *[vcrcAhead]uint64, i uint, b []byte) uint64 {
	return binary.LittleEndian.Uint64(b) ^
		words[(i-4)%vcrcAhead] ^ words[(i-13)%vcrcAhead] ^ words[(i-15)%vcrcAhead] ^ words[i%vcrcAhead]
}

// vcrcShort takes a few bytes into the register.
func vcrcShort(crc uint16, b []byte) uint16 {
	for ; len(b) >= 16; b = b[16:] {
		crc = vcrcOf(8, binary.LittleEndian.Uint64(b)^uint64(crc)) ^ vcrcOf(0, binary.LittleEndian.Uint64(b[8:]))
	}
	if len(b) >= 8 {
		crc = vcrcOf(0, binary.LittleEndian.Uint64(b)^uint64(crc))
		b = b[8:]
	}
	for _, v := range b {
		crc = crc>>8 ^ vcrcSlices[0][byte(crc)^v]
	}
	return crc
}

// vcrcOf is what eight bytes, low byte first, add to the register behind so many bytes more.
func vcrcOf(behind int, w uint64) uint16 {
	t := (*[8][256]uint16)(vcrcSlices[behind:])
	return t[7][byte(w)] ^ t[6][byte(w>>8)] ^ t[5][byte(w>>16)] ^ t[4][byte(w>>24)] ^
		t[3][byte(w>>32)] ^ t[2][byte(w>>40)] ^ t[1][byte(w>>48)] ^ t[0][byte(w>>56)]
}
