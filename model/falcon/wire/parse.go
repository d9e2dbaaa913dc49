package wire

import (
	"fmt"
	"math/bits"

	"hcacosim/model/falcon/mode"
)

// Decides FAL-W6, FAL-W7, FAL-W12, FAL-W13.

// Flaw is one thing that is wrong with a packet. Those of Unreadable end the parsing (FAL-W12); of the others a packet
// may have several, and is read all the same (FAL-W13).
type Flaw uint16

const (
	Runt        Flaw = 1 << iota // the packet ends inside its header
	BadVersion                   // version is not 1
	BadType                      // reserved packet type, or one without a format
	BadProtocol                  // reserved protocol type
	BadReserved                  // reserved bits are not 0
	BadLength                    // payload of Push Data differs from its Request Length
	Trailing                     // bytes behind a packet that has no payload
	BadCode                      // reserved Resync or NACK code
	BadResync                    // a Resync takes the place of a packet that has no PSN
	BadBitmap                    // an EACK acknowledges data that it does not say was received
	Cut                          // the capture's snap length hides the answer: undecided, no flaw of the packet
)

// Unreadable are the flaws behind which nothing can be told.
const Unreadable = Runt | BadVersion | BadType

var flawTexts = [...]string{"the packet ends inside its header", "the version is not 1", "the packet type is reserved",
	"the protocol type is reserved", "reserved bits are not 0", "the payload is not as long as Request Length says",
	"bytes follow a packet that has no payload", "the code is reserved",
	"a Resync takes the place of a packet that has no PSN", "data is acknowledged that was not received",
	"undecided: the capture holds only the start of the packet"}

var flawNames = [...]string{"RUNT", "VERSION", "TYPE", "PROTOCOL", "RESERVED", "LENGTH", "TRAILING", "CODE", "RESYNC",
	"BITMAP", "CUT"}

// Rule is the ID of the rule that a packet with the flaw breaks; "" for Cut.
func (f Flaw) Rule() string {
	switch f {
	case Runt, BadVersion:
		return "FAL-W12"
	case BadType:
		return "FAL-W2"
	case BadProtocol:
		return "FAL-W1"
	case BadLength:
		return "FAL-W3"
	case BadResync:
		return "FAL-W4"
	case BadBitmap:
		return "FAL-W6"
	case BadCode, BadReserved, Trailing:
		return "FAL-W13"
	}
	return ""
}

// Error is for people; Flaw is an error.
func (f Flaw) Error() string {
	i := bits.TrailingZeros16(uint16(f))
	if i >= len(flawTexts) {
		return "nothing is wrong"
	}
	return fmt.Sprintf("%s (%s)", flawTexts[i], flawNames[i])
}

// Flaws is a set of them.
type Flaws uint16

// Has reports whether one of the flaws in f is there.
func (s Flaws) Has(f Flaw) bool { return s&Flaws(f) != 0 }

// All gives them one by one, Runt first.
func (s Flaws) All(yield func(Flaw) bool) {
	for ; s != 0; s &= s - 1 {
		if !yield(Flaw(s & -s)) {
			return
		}
	}
}

// Parse takes a packet apart: b is all of it. The error is a Flaw of Unreadable; p then holds what came before.
// Whatever else is wrong is in p.Flaws.
func Parse(b []byte, m *mode.Mode, p *Packet) error { return ParseCut(b, len(b), m, p) }

// ParseCut is Parse on the start of a packet that was length bytes long before a capture's snap length cut it. Where
// the header is cut, the error is Cut.
func ParseCut(b []byte, length int, m *mode.Mode, p *Packet) error {
	*p = Packet{}
	length = max(length, len(b))
	if f := p.parseStart(b, length, m); f != 0 {
		p.Flaws |= Flaws(f)
		return f
	}
	if p.Type.HasBase() {
		p.parseBase(b)
	} else {
		p.parseAck(b, m)
	}
	n := p.Type.Bytes()
	p.Payload = b[n:]
	p.judgeLength(length - n)
	return nil
}

// parseStart takes words 0 and 1, and sees that the whole header is there.
func (p *Packet) parseStart(b []byte, length int, m *mode.Mode) Flaw {
	if len(b) < BaseBytes {
		return runtOrCut(length < BaseBytes)
	}
	w0, w1 := be.Uint32(b), be.Uint32(b[4:])
	p.Version, p.CID, p.Type = uint8(w0>>28), w0&0xFF_FFFF, Type(w1>>1&15)
	if p.Version != Version {
		return BadVersion
	}
	if w0>>24&15 != 0 {
		p.Flaws |= Flaws(BadReserved)
	}
	n := p.Type.Bytes()
	if !p.Type.Known(m) || n == 0 {
		return BadType
	}
	if len(b) < n {
		return runtOrCut(length < n)
	}
	return 0
}

func runtOrCut(runt bool) Flaw {
	if runt {
		return Runt
	}
	return Cut
}

func (p *Packet) parseBase(b []byte) {
	w1 := be.Uint32(b[4:])
	p.Function, p.Protocol, p.AckReq = w1>>8, Protocol(w1>>5&7), w1&1 != 0
	p.DataBase, p.RequestBase = PSN(be.Uint32(b[8:])), PSN(be.Uint32(b[12:]))
	p.PSN, p.RSN = PSN(be.Uint32(b[16:])), RSN(be.Uint32(b[20:]))
	p.flaw(BadProtocol, !p.Protocol.Known())
	switch p.Type {
	case PullRequest:
		w6 := be.Uint32(b[24:])
		p.RequestLength = uint16(w6)
		p.flaw(BadReserved, w6>>16 != 0 || be.Uint32(b[28:]) != 0)
	case PushData:
		w6 := be.Uint32(b[24:])
		p.RequestLength = uint16(w6)
		p.flaw(BadReserved, w6>>16 != 0)
	case Resync:
		w6 := be.Uint32(b[24:])
		p.ResyncCode, p.ResyncType, p.Vendor = ResyncCode(w6>>24), Type(w6>>20&15), be.Uint32(b[28:])
		p.flaw(BadReserved, w6<<12 != 0)
		p.flaw(BadCode, !p.ResyncCode.Known())
		p.flaw(BadResync, !p.ResyncType.Reliable() || p.ResyncType == Resync)
	}
}

func (p *Packet) parseAck(b []byte, m *mode.Mode) {
	w1, w6, w7 := be.Uint32(b[4:]), be.Uint32(b[24:]), be.Uint32(b[28:])
	p.DataBase, p.RequestBase = PSN(be.Uint32(b[8:])), PSN(be.Uint32(b[12:]))
	p.T1, p.T2 = be.Uint32(b[16:]), be.Uint32(b[20:])
	p.HopCount, p.RxOccupancy, p.ECNCount = uint8(w6>>28), uint8(w6>>23&31), uint16(w6>>9&0x3FFF)
	p.flaw(BadReserved, w1&^(15<<1) != 0 || w6&0x1FF != 0)
	n := rueBits(p.Type, m)
	if p.Type == NACK {
		p.RUEInfo = w7 & (1<<n - 1)
		p.parseNack(be.Uint32(b[32:]), be.Uint32(b[36:]), m)
		p.flaw(BadReserved, w7>>n != 0)
		return
	}
	p.RUEInfo, p.OWNData, p.OWNRequest = w7>>2&(1<<n-1), w7&2 != 0, w7&1 != 0
	p.flaw(BadReserved, w7>>(n+2) != 0)
	if p.Type == EACK {
		p.parseBitmaps(b[32:72], m)
	}
}

// parseNack: FAL-W7.
func (p *Packet) parseNack(w8, w9 uint32, m *mode.Mode) {
	p.NackPSN, p.NackCode, p.RNRTimeout = PSN(w8), NackCode(w9>>24), uint8(w9>>16&31)
	p.NackOfRequest, p.ULPNack = w9>>15&1 != 0, uint8(w9)
	p.flaw(BadReserved, w9&(7<<21|0x7F<<8) != 0)
	p.flaw(BadCode, !p.NackCode.Known(m))
}

// parseBitmaps: FAL-W6.
func (p *Packet) parseBitmaps(b []byte, m *mode.Mode) {
	p.DataAck = Bitmap{be.Uint64(b), be.Uint64(b[8:])}
	p.DataRx = Bitmap{be.Uint64(b[16:]), be.Uint64(b[24:])}
	p.Request = be.Uint64(b[32:])
	if m.BitmapSkipsBase {
		p.DataAck, p.DataRx, p.Request = p.DataAck.shiftUp(), p.DataRx.shiftUp(), p.Request<<1
	}
	p.flaw(BadBitmap, p.DataAck.Hi&^p.DataRx.Hi|p.DataAck.Lo&^p.DataRx.Lo != 0)
}

// judgeLength takes the bytes that follow the header: FAL-W3, FAL-W13.
func (p *Packet) judgeLength(n int) {
	switch p.Type {
	case PushData:
		p.flaw(BadLength, n != int(p.RequestLength))
	case Resync, BACK, EACK, NACK:
		p.flaw(Trailing, n != 0)
	}
}

func (p *Packet) flaw(f Flaw, is bool) {
	if is {
		p.Flaws |= Flaws(f)
	}
}
