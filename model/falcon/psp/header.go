// Package psp is the encapsulation of Falcon packets in PSP: the header, AES-GCM with given keys, and the checks of a
// receiver: replay, SPI with key rotation, and the PSP connection ID (PCID). Keys are given; none is derived.
package psp

import (
	"encoding/binary"
	"fmt"
)

// Decides FAL-S1.

var be = binary.BigEndian

const (
	// Port is the UDP port of PSP.
	Port = 1000
	// NextFalcon is the next header of a Falcon packet; NextIPv4 and NextIPv6 are those of tunnel mode.
	NextFalcon = 252
	NextIPv4   = 4
	NextIPv6   = 41

	// HeaderBytes is the header's length without a virtualization cookie, CookieBytes that of a cookie.
	HeaderBytes = 16
	CookieBytes = 8
	// ICVBytes is the length of the trailer.
	ICVBytes = 16
)

// Header is the PSP header (FAL-S1):
//
//	 0 | next header 8 | header extension length 8 | reserved 2, crypt offset 6 | S 1, D 1, version 4, V 1, one 1 |
//	 4 | SPI 32 |
//	 8 | IV 64 |
//	16 | VC 64, if V |
type Header struct {
	NextHeader  uint8
	ExtLen      uint8 // 8-byte units behind the first 8 bytes: 1, with a cookie 2
	CryptOffset uint8 // 6 bits: 4-byte units behind the IV, a cookie among them, that are authenticated in clear
	Sample      bool
	Drop        bool
	Version     Version
	HasCookie   bool
	SPI         uint32
	IV          uint64
	Cookie      uint64
	// Reserved is what the reserved bits say, and One the bit that is 1: both are as they must be in what Append makes.
	Reserved uint8
	One      bool
}

// Version is the version of PSP: how a packet is protected, 4 bits.
type Version uint8

const (
	AESGCM128 Version = 0
	AESGCM256 Version = 1
)

// Flaw is one thing that is wrong with a PSP packet, an error.
type Flaw uint8

const (
	Runt        Flaw = iota + 1 // the packet ends inside header or trailer
	BadExtLen                   // the extension length does not go with V
	BadReserved                 // reserved bits are not 0, or the bit that is 1 is not
	BadOffset                   // the crypt offset lies inside the header or behind the packet
	BadVersion                  // no version that this package can open
	NoKey                       // no key is known for the SPI: not judged
	BadKey                      // the key's length does not go with the version
	BadICV                      // the packet is not what its sender sealed, or the key is another
)

var flawTexts = [...]string{Runt: "the packet ends inside the PSP header or trailer (RUNT)",
	BadExtLen:   "the header extension length does not go with the V bit (EXT_LEN)",
	BadReserved: "reserved bits of the PSP header are not as they must be (RESERVED)",
	BadOffset:   "the crypt offset does not lie between PSP header and trailer (OFFSET)",
	BadVersion:  "the PSP version is not known (VERSION)",
	NoKey:       "no key for the SPI: not judged (NO_KEY)",
	BadKey:      "the key's length does not go with the PSP version (KEY)",
	BadICV:      "the integrity check fails (ICV)"}

func (f Flaw) Error() string {
	if int(f) < len(flawTexts) && f > 0 {
		return flawTexts[f]
	}
	return fmt.Sprintf("Flaw(%d)", uint8(f))
}

// Rule is the ID of the rule that a packet with the flaw breaks; "" where the packet breaks none.
func (f Flaw) Rule() string {
	switch f {
	case Runt, BadExtLen, BadReserved, BadVersion:
		return "FAL-S1"
	case BadOffset:
		return "FAL-S3"
	case BadICV:
		return "FAL-S2"
	}
	return ""
}

// Bytes is the header's length.
func (h *Header) Bytes() int {
	if h.HasCookie {
		return HeaderBytes + CookieBytes
	}
	return HeaderBytes
}

// Clear is how many bytes from the header's start are authenticated but not encrypted.
func (h *Header) Clear() int { return max(h.Bytes(), HeaderBytes+4*int(h.CryptOffset)) }

// For returns the header of a Falcon packet in transport mode (FAL-S3): its version and CID stay in clear.
func For(v Version, spi uint32, iv uint64) Header {
	return Header{NextHeader: NextFalcon, ExtLen: 1, CryptOffset: 1, Version: v, SPI: spi, IV: iv, One: true}
}

// WithCookie returns the header with a cookie: a longer header, and an offset that leaves as much of Falcon in clear.
func (h Header) WithCookie(cookie uint64) Header {
	h.HasCookie, h.Cookie, h.ExtLen, h.CryptOffset = true, cookie, 2, h.CryptOffset+CookieBytes/4
	return h
}

// Append appends the header as it stands: ExtLen, Reserved and One too.
func (h *Header) Append(dst []byte) []byte {
	flags := bit(h.Sample)<<7 | bit(h.Drop)<<6 | uint8(h.Version&15)<<2 | bit(h.HasCookie)<<1 | bit(h.One)
	dst = append(dst, h.NextHeader, h.ExtLen, h.Reserved<<6|h.CryptOffset&63, flags)
	dst = be.AppendUint32(dst, h.SPI)
	dst = be.AppendUint64(dst, h.IV)
	if h.HasCookie {
		dst = be.AppendUint64(dst, h.Cookie)
	}
	return dst
}

// Parse reads a header; the error is a Flaw. Behind BadExtLen, BadReserved and BadOffset h is whole.
func (h *Header) Parse(b []byte) error { return h.ParseCut(b, len(b)) }

// ParseCut is Parse on the start of a packet that was length bytes long.
func (h *Header) ParseCut(b []byte, length int) error {
	*h = Header{}
	if len(b) < HeaderBytes {
		return Runt
	}
	h.NextHeader, h.ExtLen, h.Reserved, h.CryptOffset = b[0], b[1], b[2]>>6, b[2]&63
	h.Sample, h.Drop, h.Version = b[3]&0x80 != 0, b[3]&0x40 != 0, Version(b[3]>>2&15)
	h.HasCookie, h.One = b[3]&2 != 0, b[3]&1 != 0
	h.SPI, h.IV = be.Uint32(b[4:]), be.Uint64(b[8:])
	if h.HasCookie && len(b) < HeaderBytes+CookieBytes {
		return Runt
	}
	want := uint8(1)
	if h.HasCookie {
		h.Cookie, want = be.Uint64(b[HeaderBytes:]), 2
	}
	switch {
	case h.ExtLen != want:
		return BadExtLen
	case h.Reserved != 0 || !h.One:
		return BadReserved
	case h.Bytes()+ICVBytes > length:
		return Runt
	case h.Clear()+ICVBytes > length:
		return BadOffset
	}
	return nil
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
