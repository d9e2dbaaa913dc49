package wire

import (
	"encoding/binary"

	"hcacosim/model/falcon/mode"
)

// Decides FAL-W1, FAL-W3, FAL-W4, FAL-W5.

var be = binary.BigEndian

// Append appends the packet, header and payload. Reserved bits are 0. A type without a format appends the base header,
// so that tests can send one. m gives the width of RUEInfo and the meaning of bit 0 of bitmaps.
func (p *Packet) Append(dst []byte, m *mode.Mode) []byte {
	dst = p.AppendHeader(dst, m)
	return append(dst, p.Payload...)
}

// AppendHeader is Append without the payload: the first bytes of a packet whose payload follows from elsewhere.
func (p *Packet) AppendHeader(dst []byte, m *mode.Mode) []byte {
	if !p.Type.HasBase() {
		return p.appendAck(dst, m)
	}
	dst = p.appendBase(dst)
	switch p.Type {
	case PullRequest: // FAL-W3
		dst = be.AppendUint32(dst, uint32(p.RequestLength))
		dst = be.AppendUint32(dst, 0)
	case PushData:
		dst = be.AppendUint32(dst, uint32(p.RequestLength))
	case Resync: // FAL-W4
		dst = be.AppendUint32(dst, uint32(p.ResyncCode)<<24|uint32(p.ResyncType&15)<<20)
		dst = be.AppendUint32(dst, p.Vendor)
	}
	return dst
}

// appendBase: FAL-W1.
func (p *Packet) appendBase(dst []byte) []byte {
	dst = be.AppendUint32(dst, p.word0())
	w1 := p.Function<<8 | uint32(p.Protocol&7)<<5 | uint32(p.Type&15)<<1 | bit(p.AckReq)
	dst = be.AppendUint32(dst, w1)
	dst = be.AppendUint32(dst, uint32(p.DataBase))
	dst = be.AppendUint32(dst, uint32(p.RequestBase))
	dst = be.AppendUint32(dst, uint32(p.PSN))
	return be.AppendUint32(dst, uint32(p.RSN))
}

func (p *Packet) word0() uint32 { return uint32(p.Version)<<28 | p.CID&0xFF_FFFF }

// appendAck is the header of BACK, EACK and NACK: FAL-W5 to FAL-W7.
func (p *Packet) appendAck(dst []byte, m *mode.Mode) []byte {
	dst = be.AppendUint32(dst, p.word0())
	dst = be.AppendUint32(dst, uint32(p.Type&15)<<1)
	dst = be.AppendUint32(dst, uint32(p.DataBase))
	dst = be.AppendUint32(dst, uint32(p.RequestBase))
	dst = be.AppendUint32(dst, p.T1)
	dst = be.AppendUint32(dst, p.T2)
	w6 := uint32(p.HopCount)<<28 | uint32(p.RxOccupancy&31)<<23 | uint32(p.ECNCount&0x3FFF)<<9
	dst = be.AppendUint32(dst, w6)
	rue := p.RUEInfo & (1<<rueBits(p.Type, m) - 1)
	if p.Type == NACK {
		dst = be.AppendUint32(dst, rue)
		dst = be.AppendUint32(dst, uint32(p.NackPSN))
		w9 := uint32(p.NackCode)<<24 | uint32(p.RNRTimeout&31)<<16 | bit(p.NackOfRequest)<<15 | uint32(p.ULPNack)
		return be.AppendUint32(dst, w9)
	}
	dst = be.AppendUint32(dst, rue<<2|bit(p.OWNData)<<1|bit(p.OWNRequest))
	if p.Type != EACK {
		return dst
	}
	ack, rx, request := p.DataAck, p.DataRx, p.Request
	if m.BitmapSkipsBase {
		ack, rx, request = ack.shiftDown(), rx.shiftDown(), request>>1
	}
	dst = be.AppendUint64(be.AppendUint64(dst, ack.Hi), ack.Lo)
	dst = be.AppendUint64(be.AppendUint64(dst, rx.Hi), rx.Lo)
	return be.AppendUint64(dst, request)
}

func (b Bitmap) shiftDown() Bitmap { return Bitmap{b.Hi >> 1, b.Lo>>1 | b.Hi<<63} }
func (b Bitmap) shiftUp() Bitmap   { return Bitmap{b.Hi<<1 | b.Lo>>63, b.Lo << 1} }

// rueBits is the width of RUEInfo: FAL-W5, FAL-W7.
func rueBits(t Type, m *mode.Mode) int {
	bits := 21
	if m.RUEInfo == mode.RUETable {
		bits++
	}
	if t == NACK {
		bits += 2
	}
	return bits
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
