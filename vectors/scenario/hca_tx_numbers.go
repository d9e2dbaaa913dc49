package scenario

import (
	"bytes"
	"math/bits"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
)

// hcaTxSmallBits is how many bits a QP number of the smallest device has: numbers of this scenario have no more.
const hcaTxSmallBits = 5

// numberBits is how many bits a QP number of the device has, and whether that is known.
func (h *hcaTxHost) numberBits() (n int, known bool) {
	if h.g.pace == unknownPace {
		return hcaTxSmallBits, false
	}
	return max(hcaTxSmallBits, bits.Len(uint(h.g.pace.Words)-1)), true
}

// numbered is a record as the device is given it: where it has more QPs than the smallest one, their numbers have bits
// of these, others in each run, and each number keeps its own.
func (h *hcaTxHost) numbered(port sim.Port, data []byte) []byte {
	n, _ := h.numberBits()
	n -= hcaTxSmallBits
	if n == 0 {
		return data
	}
	data = bytes.Clone(data)
	hca.HcaTxRenumber(port, data, func(qpn uint32) uint32 {
		small := qpn & (1<<hcaTxSmallBits - 1)
		if small == 0 {
			return qpn
		}
		if h.twins {
			return qpn&^(1<<hcaTxSmallBits-1) | h.twinned(small, n)
		}
		high := uint32(1) << ((uint64(small) + h.g.seed) % uint64(n))
		if x := mix64(h.g.seed<<hcaTxSmallBits | uint64(small)); x%3 == 0 {
			high = uint32(x>>8) & (1<<n - 1)
		}
		return qpn | high<<hcaTxSmallBits
	})
	return data
}

// abroadOf is the number of a QP with bits set that no device has, or none of this size: each by itself, in turn, or
// several.
func (h *hcaTxHost) abroadOf(qpn uint32) uint32 {
	const all, most = 24, 16 // of a number, and of one of the largest device
	from, known := h.numberBits()
	if !known {
		from = most
	}
	h.wrong.numbers++
	if h.r.OneIn(3) {
		return qpn | uint32(1+h.r.Below(1<<(all-from)-1))<<from
	}
	return qpn | 1<<(from+(int(h.e.Number)+h.wrong.numbers)%(all-from))
}

// mistaken has six QPs with a pace and a packet on its way, and all that can be foreign comes for each: one that took
// any of it for its own would send what it has next too soon, or not, or end it too soon, or not.
func (h *hcaTxHost) mistaken() {
	others := h.others()
	for _, o := range others {
		h.setPace(o, "a pace that stays")
		o.postBare(1, "post before what is foreign")
	}
	h.settle()
	for kind := range hcaTxForeign {
		for _, o := range others {
			o.foreignAs((kind + int(o.qpn)) % hcaTxForeign)
		}
	}
	h.rest()
	for _, o := range others {
		o.postBare(2, "post behind what is foreign")
	}
	h.restPaced(2)
	h.says(others, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind what is foreign")
	h.rest()
	h.removePaces(others)
	h.closes(others)
}
