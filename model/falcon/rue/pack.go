package rue

import (
	"encoding/binary"

	"hcacosim/model/falcon/mode"
)

// packer fills 512 bits from bit 0 on: bit n is bit n%64 of word n/64.
type packer struct {
	w  [8]uint64
	at int
}

func (p *packer) put(v uint32, bits int) {
	x := uint64(v) & (1<<bits - 1)
	word, shift := p.at/64, p.at%64
	p.w[word] |= x << shift
	if shift+bits > 64 {
		p.w[word+1] |= x >> (64 - shift)
	}
	p.at += bits
}

func (p *packer) flag(b bool) {
	if b {
		p.put(1, 1)
	} else {
		p.at++
	}
}

func (p *packer) bytes(b *[FormatBytes]byte) {
	for i, w := range p.w {
		binary.LittleEndian.PutUint64(b[i*8:], w)
	}
}

func (p *packer) load(b *[FormatBytes]byte) {
	for i := range p.w {
		p.w[i] = binary.LittleEndian.Uint64(b[i*8:])
	}
	p.at = 0
}

func (p *packer) take(bits int) uint32 {
	word, shift := p.at/64, p.at%64
	x := p.w[word] >> shift
	if shift+bits > 64 {
		x |= p.w[word+1] << (64 - shift)
	}
	p.at += bits
	return uint32(x & (1<<bits - 1))
}

// Pack writes the event as it lies in the queue (FAL-C1).
func (e *Event) Pack(b *[FormatBytes]byte) {
	var p packer
	p.put(e.CID, 24)
	p.put(uint32(e.Type), 2)
	for _, t := range [4]uint32{e.T1, e.T2, e.T3, e.T4} {
		p.put(t, 24)
	}
	p.put(uint32(e.RetxCount), 3)
	p.flag(e.EarlyRetx)
	p.put(uint32(e.NackCode), 8)
	p.put(uint32(e.Hops), 4)
	p.put(uint32(e.RxBuffer), 5)
	p.put(e.CCMetadata, 24)
	p.put(uint32(e.Fcwnd), 21)
	p.put(e.IPG, 20)
	p.put(uint32(e.Ncwnd), 11)
	p.put(e.RTO, 24)
	p.put(uint32(e.NumAcked), 10)
	p.flag(e.EACKDrop)
	p.flag(e.EACK)
	p.at += 8
	p.put(uint32(e.EventQueue), 2)
	p.put(uint32(e.DelaySelect), 2)
	p.put(e.FcwndMarker, 24)
	p.put(e.NcwndMarker, 24)
	p.put(uint32(e.NcwndDirection), 1)
	p.put(e.BaseDelay, 24)
	p.put(e.DelayState, 24)
	p.put(e.RTTState, 24)
	p.put(uint32(e.CCOpaque), 2)
	p.put(uint32(e.ECNCount), 14)
	p.at = 511
	p.flag(e.Generation)
	p.bytes(b)
}

// Unpack reads what Pack wrote. Reserved bits are not looked at.
func (e *Event) Unpack(b *[FormatBytes]byte) {
	var p packer
	p.load(b)
	*e = Event{CID: p.take(24), Type: EventType(p.take(2)), T1: p.take(24), T2: p.take(24), T3: p.take(24), T4: p.take(24)}
	e.RetxCount, e.EarlyRetx = uint8(p.take(3)), p.take(1) != 0
	e.NackCode, e.Hops, e.RxBuffer = uint8(p.take(8)), uint8(p.take(4)), uint8(p.take(5))
	e.CCMetadata, e.Fcwnd, e.IPG = p.take(24), Fixed(p.take(21)), p.take(20)
	e.Ncwnd, e.RTO, e.NumAcked = uint16(p.take(11)), p.take(24), uint16(p.take(10))
	e.EACKDrop, e.EACK = p.take(1) != 0, p.take(1) != 0
	p.at += 8
	e.EventQueue, e.DelaySelect = uint8(p.take(2)), DelaySelect(p.take(2))
	e.FcwndMarker, e.NcwndMarker, e.NcwndDirection = p.take(24), p.take(24), uint8(p.take(1))
	e.BaseDelay, e.DelayState, e.RTTState = p.take(24), p.take(24), p.take(24)
	e.CCOpaque, e.ECNCount = uint8(p.take(2)), uint16(p.take(14))
	p.at = 511
	e.Generation = p.take(1) != 0
}

// Pack writes the result as it lies in the queue (FAL-C2). With mode.ResultWithoutSelectors it has no EventQueue and
// DelaySelect, and what follows lies 4 bits lower.
func (r *Result) Pack(b *[FormatBytes]byte, m *mode.Mode) {
	var p packer
	p.put(r.CID, 24)
	p.flag(r.RandomizePath)
	p.put(r.CCMetadata, 24)
	p.put(uint32(r.Fcwnd), 21)
	p.put(r.IPG, 20)
	p.put(uint32(r.Ncwnd), 11)
	p.put(r.RTO, 24)
	if !m.ResultWithoutSelectors {
		p.put(uint32(r.EventQueue), 2)
		p.put(uint32(r.DelaySelect), 2)
	}
	p.put(r.FcwndMarker, 24)
	p.put(r.NcwndMarker, 24)
	p.put(uint32(r.NcwndDirection), 1)
	p.put(r.BaseDelay, 24)
	p.put(r.DelayState, 24)
	p.put(r.RTTState, 24)
	p.put(uint32(r.CCOpaque), 2)
	p.bytes(b)
}

// Unpack reads what Pack wrote. The pad is not looked at.
func (r *Result) Unpack(b *[FormatBytes]byte, m *mode.Mode) {
	var p packer
	p.load(b)
	*r = Result{CID: p.take(24), RandomizePath: p.take(1) != 0, CCMetadata: p.take(24), Fcwnd: Fixed(p.take(21)),
		IPG: p.take(20), Ncwnd: uint16(p.take(11)), RTO: p.take(24)}
	if !m.ResultWithoutSelectors {
		r.EventQueue, r.DelaySelect = uint8(p.take(2)), DelaySelect(p.take(2))
	}
	r.FcwndMarker, r.NcwndMarker, r.NcwndDirection = p.take(24), p.take(24), uint8(p.take(1))
	r.BaseDelay, r.DelayState, r.RTTState = p.take(24), p.take(24), p.take(24)
	r.CCOpaque = uint8(p.take(2))
}
