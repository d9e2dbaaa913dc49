// Package falconflow finds Falcon packets in the frames of captures and judges their form: integrity, lengths, reserved
// fields, types and codes; and holds those of a connection against each other: PSNs, bases, bitmaps, windows, RSNs.
package falconflow

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/psp"
	"hcacosim/model/wire"
)

// Options say how packets are opened and read.
type Options struct {
	Keys Keys
	Port uint16     // UDP port of Falcon in clear; 0: none is looked for, for none is standard
	Mode *mode.Mode // nil: mode.Spec
	// Own is the address of the end at which the capture was taken; the zero Addr for the wire.
	Own netip.Addr
	// Complete: the capture misses no packet and has them in order.
	Complete bool
}

// Keys are the keys by SPI.
type Keys map[uint32]*psp.Key

// ParseKeys reads keys as SPI=HEX, both in hexadecimal, the key 32 or 64 digits: 11=000102030405060708090a0b0c0d0e0f.
func ParseKeys(given []string) (Keys, error) {
	keys := Keys{}
	for _, s := range given {
		left, right, found := strings.Cut(s, "=")
		spi, err := strconv.ParseUint(strings.TrimPrefix(left, "0x"), 16, 32)
		if !found || err != nil {
			return nil, fmt.Errorf("--psp-key %s: not SPI=HEX, SPI up to 8 hexadecimal digits", s)
		}
		raw, err := hex.DecodeString(right)
		if err != nil {
			return nil, fmt.Errorf("--psp-key %s: the key is not in hexadecimal", s)
		}
		if keys[uint32(spi)], err = psp.NewKey(raw); err != nil {
			return nil, fmt.Errorf("--psp-key %s: a key has 32 or 64 hexadecimal digits, not %d", s, len(right))
		}
	}
	return keys, nil
}

// State is how far a packet was read.
type State uint8

const (
	NotFalcon   State = iota // neither PSP nor the port of Falcon in clear
	OtherPSP                 // PSP that carries something else, as far as one can see
	NotJudged                // without a key, or cut: nothing but what is in clear was read
	Unauthentic              // the integrity check failed: nothing in it means anything
	Malformed                // lengths, the PSP header or the Falcon header: it cannot be read
	Read                     // Falcon is what the packet says
)

func (s State) String() string {
	return [...]string{"not Falcon", "other PSP", "not judged", "bad ICV", "malformed", "read"}[s]
}

// Packet is a frame as it was read. Offsets count from the frame's first byte; 0: it has no such part.
type Packet struct {
	State    State
	Why      error // a psp.Flaw, a wire.Flaw of Falcon, or what is wrong with IP and UDP; nil where nothing is
	Src, Dst netip.Addr
	NetAt    int // of the outer IP header
	UDPAt    int
	PSPAt    int
	PSP      psp.Header
	Inner    bool // Falcon lies in an IP packet inside PSP
	FalconAt int  // in a packet with PSP: as if it were in clear there
	// Falcon is the packet; where State is NotJudged only Version and CID, and those only where HasCID.
	Falcon falconwire.Packet
	HasCID bool
	// otherReading tells that the reserved bits that are not 0 are RUE info in the other reading of its width.
	otherReading bool
	// Authentic tells that a changed packet would have been found: by the ICV, or by a UDP checksum.
	Authentic bool
	Damaged   bool // all of it is there and its UDP checksum is wrong
}

// Decoder reads packets. The zero value is not ready: use New.
type Decoder struct {
	opt Options
	buf []byte // the packet being opened
}

// New returns a decoder.
func New(opt Options) *Decoder {
	if opt.Mode == nil {
		opt.Mode = &mode.Spec
	}
	return &Decoder{opt: opt}
}

// nextFalcon is the protocol number of Falcon, in PSP and (unverified) in the inner IP packet of tunnel mode.
const nextFalcon = psp.NextFalcon

const (
	udpBytes  = 8
	ipv4Bytes = 20
	ipv6Bytes = 40
	protoUDP  = 17
	protoESP  = 50
	// portESP is ESP over UDP (RFC 3948), where a first word of 0 marks IKE and a single byte keeps a NAT's entry.
	portESP = 4500
)

// plain is an error without a rule of Falcon.
type plain string

func (e plain) Error() string { return string(e) }

const (
	badLength = plain("the lengths of IP and UDP disagree, or exceed the frame (LENGTH)")
	fragment  = plain("the packet is an IP fragment (FRAGMENT)")
	inESP     = plain("in IPsec ESP: whether Falcon or not cannot be told, not judged (ESP)")
	cut       = plain("undecided: the capture holds only the start of the frame (CUT)")
)

// Decode reads a frame that was origLen bytes long. p.Falcon.Payload is good until the next call.
func (d *Decoder) Decode(link wire.Link, frame []byte, origLen int, p *Packet) {
	*p = Packet{}
	if link != wire.LinkEthernet {
		return
	}
	origLen = max(origLen, len(frame))
	n, ok := network(frame)
	if ok && esp(frame, &n) {
		p.State, p.Why, p.NetAt, p.Src, p.Dst = NotJudged, inESP, n.at, n.src, n.dst
		return
	}
	const toPort = 4 // bytes of UDP up to the destination port
	if !ok || n.proto != protoUDP || len(frame) < n.body+toPort {
		return
	}
	udp := wire.UDP(frame[n.body:])
	inClear := d.opt.Port != 0 && udp.DstPort() == d.opt.Port
	if udp.DstPort() != psp.Port && !inClear {
		return
	}
	p.NetAt, p.Src, p.Dst = n.at, n.src, n.dst
	if len(frame) < n.body+udpBytes {
		if p.State, p.Why = Malformed, badLength; origLen > len(frame) {
			p.State, p.Why = NotJudged, cut
		}
		return
	}
	p.UDPAt = n.body
	start := n.body + udpBytes
	switch {
	case n.fragment:
		p.State, p.Why = Malformed, fragment
	case udp.Length() != n.end-n.body || n.end > origLen || n.end < start:
		p.State, p.Why = Malformed, badLength
	case inClear:
		p.FalconAt = start
		if n.end <= len(frame) && udp.Checksum() != 0 {
			p.Authentic = udpChecksumGood(frame, &n)
			p.Damaged = !p.Authentic
		}
		d.falcon(frame[start:min(n.end, len(frame))], n.end-start, p)
	default:
		p.PSPAt = start
		d.psp(frame[start:min(n.end, len(frame))], n.end-start, p)
	}
}

// esp reports whether an IP packet carries ESP, which is not read: the text allows it in the place of PSP.
func esp(frame []byte, n *place) bool {
	if n.proto != protoUDP || len(frame) < n.body+udpBytes+4 {
		return n.proto == protoESP
	}
	udp := wire.UDP(frame[n.body:])
	spi := frame[n.body+udpBytes:][:4]
	return udp.DstPort() == portESP && udp.Length() >= udpBytes+4 && !bytes.Equal(spi, make([]byte, 4))
}

// psp reads a PSP packet of which b is the start.
func (d *Decoder) psp(b []byte, length int, p *Packet) {
	err := p.PSP.ParseCut(b, length)
	if err != nil && length > len(b) && err == psp.Runt {
		p.State, p.Why = NotJudged, cut
		return
	}
	if err != nil {
		p.State, p.Why = Malformed, err
		return
	}
	h := &p.PSP
	if h.NextHeader != nextFalcon && h.NextHeader != psp.NextIPv4 && h.NextHeader != psp.NextIPv6 {
		p.State = OtherPSP
		return
	}
	at := h.Bytes()
	if h.NextHeader == nextFalcon {
		p.FalconAt = p.PSPAt + at
		if h.Clear() >= at+4 && len(b) >= at+4 {
			p.HasCID, p.Falcon.Version, p.Falcon.CID = true, b[at]>>4, uint32(b[at+1])<<16|uint32(b[at+2])<<8|uint32(b[at+3])
		}
	}
	key := d.opt.Keys[h.SPI]
	switch {
	case length > len(b):
		p.State, p.Why = NotJudged, cut
		return
	case key == nil:
		p.State, p.Why = NotJudged, psp.NoKey
		return
	}
	d.buf = append(d.buf[:0], b...)
	_, packet, err := key.Open(d.buf)
	switch err {
	case nil:
	case psp.BadICV:
		p.State, p.Why = Unauthentic, err
		return
	case psp.BadKey:
		p.State, p.Why = NotJudged, err
		return
	default:
		p.State, p.Why = Malformed, err
		return
	}
	p.Authentic = true
	if h.NextHeader != nextFalcon {
		d.inner(packet, p)
		return
	}
	d.falcon(packet, len(packet), p)
}

// inner reads the IP packet of tunnel mode.
func (d *Decoder) inner(b []byte, p *Packet) {
	n, ok := ip(b, 0)
	switch {
	case !ok || n.end > len(b):
		p.State, p.Why = Malformed, badLength
	case n.proto != nextFalcon:
		p.State = OtherPSP
	default:
		p.Inner, p.FalconAt = true, p.PSPAt+p.PSP.Bytes()+n.body
		d.falcon(b[n.body:n.end], n.end-n.body, p)
	}
}

func (d *Decoder) falcon(b []byte, length int, p *Packet) {
	err := falconwire.ParseCut(b, length, d.opt.Mode, &p.Falcon)
	p.HasCID = len(b) >= falconwire.BaseBytes
	switch {
	case err == falconwire.Cut:
		p.State, p.Why = NotJudged, err
	case err != nil:
		p.State, p.Why = Malformed, err
	default:
		p.State = Read
		p.otherReading = p.Falcon.Flaws.Has(falconwire.BadReserved) && d.cleanOtherwise(b, length)
	}
}

// cleanOtherwise reports whether the packet has no reserved bits set in the other reading of how wide RUE info is.
func (d *Decoder) cleanOtherwise(b []byte, length int) bool {
	other := *d.opt.Mode
	if other.RUEInfo == mode.RUETable {
		other.RUEInfo = mode.RUEFigure
	} else {
		other.RUEInfo = mode.RUETable
	}
	var p falconwire.Packet
	return falconwire.ParseCut(b, length, &other, &p) == nil && !p.Flaws.Has(falconwire.BadReserved)
}
