package falconflow

import (
	"fmt"
	"math/bits"

	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon/mode"
)

// byItself finds what needs no other packet: an acknowledgement that contradicts itself (FAL-D2, FAL-D7).
func byItself(k *falconwire.Packet, m *mode.Mode, wrong func(claim)) {
	own := k.OWNData || k.OWNRequest
	switch k.Type {
	case falconwire.NACK:
		nackByItself(k, wrong)
	case falconwire.BACK:
		if own {
			wrong(claim{rule: "FAL-D7", text: "a BACK with OWN set: an EACK was due"})
		}
	case falconwire.EACK:
		if !m.BaseOverReceived && k.DataAck.Bit(0) {
			wrong(claim{rule: "FAL-D2", text: fmt.Sprintf("the data base %d is acknowledged, and a base is the oldest that "+
				"is not", uint32(k.DataBase))})
		}
		if k.Request&1 != 0 {
			wrong(claim{rule: "FAL-D2", text: fmt.Sprintf("the request base %d is acknowledged, and a base is the oldest "+
				"that is not", uint32(k.RequestBase))})
		}
		if !own && k.Request == 0 && k.DataAck.IsZero() && consecutive(k.DataRx) &&
			!(m.EACKOnAnyRx && !k.DataRx.IsZero()) {
			wrong(claim{rule: "FAL-D7", text: "an EACK that says no more than a BACK: a BACK would do", ours: true})
		}
	}
}

// consecutive reports whether the ones of a bitmap begin at bit 0 and have no hole.
func consecutive(b falconwire.Bitmap) bool {
	low := bits.TrailingZeros64(^b.Lo)
	if low < 64 {
		return b.Hi == 0 && b.Lo>>low == 0
	}
	high := bits.TrailingZeros64(^b.Hi)
	return high == 64 || b.Hi>>high == 0
}

// nackByItself finds a NACK of what it acknowledges, and one that the ULP has no reason for: pulls wait at their target
// and are not refused (FAL-D9, FAL-T13, FAL-T16).
func nackByItself(k *falconwire.Packet, wrong func(claim)) {
	base := k.DataBase
	if k.NackOfRequest {
		base = k.RequestBase
	}
	if k.NackPSN.Diff(base) < 0 {
		wrong(claim{rule: "FAL-D9", text: fmt.Sprintf("NACK of PSN %d, which its own %s base %d acknowledges",
			uint32(k.NackPSN), windowNames[nackWindow(k)], uint32(base))})
	}
	if k.NackOfRequest && ofULP(k.NackCode) {
		wrong(claim{rule: "FAL-D9", text: fmt.Sprintf("NACK of a Pull Request with the code %v: that is for Push Data",
			k.NackCode), ours: k.NackCode != falconwire.NackRNR && k.NackCode != falconwire.NackCIE})
	}
}

// ofULP reports whether a NACK's code is that of a ULP that refuses.
func ofULP(c falconwire.NackCode) bool {
	switch c {
	case falconwire.NackRNR, falconwire.NackCIE, falconwire.NackNRE, falconwire.NackInvalidCID:
		return true
	}
	return false
}

// nackWindow is the window of the packet that a NACK names.
func nackWindow(k *falconwire.Packet) int {
	if k.NackOfRequest {
		return requestWindow
	}
	return dataWindow
}
