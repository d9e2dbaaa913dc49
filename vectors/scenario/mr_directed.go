package scenario

import (
	"slices"

	"hcacosim/model/hca"
)

// mrCase is a directed case of mr-lookup: keys that are set for it.
type mrCase struct {
	name, rule, says string
	play             func(h *mrHost, why string)
}

// mrDirected is filled at start: the cases use functions that lead back to it.
var mrDirected []mrCase

func init() {
	mrDirected = []mrCase{
		{"same-again", "RSP-1", "a key that is set again with nothing changed opens what it opened", changed(nil)},
		{"another-domain", "RSP-1", "a key that is set again in another protection domain opens nothing for the first",
			changed(func(h *mrHost, k *hca.MRQuery) { k.PD = near(h.r, k.PD, 24) })},
		{"other-addresses", "RSP-1", "a key that is set again for other addresses opens those, and the first no more",
			changed(func(h *mrHost, k *hca.MRQuery) { k.VA += k.Length; k.Base = near(h.r, k.Base, 64) })},
		{"other-permissions", "RSP-1", "a key that is set again with fewer permissions allows those that it kept",
			changed(func(_ *mrHost, k *hca.MRQuery) { k.Need &= k.Need - 1 })},
		{"no-longer-a-window", "RSP-1", "a key that was a window's and is a region's now cannot be invalidated by the peer",
			func(h *mrHost, why string) {
				k := h.fresh(why)
				h.give(hca.MRQuery{Op: hca.MRInvalidate, RKey: k.RKey, PD: k.PD}, why)
				h.give(hca.MRQuery{Op: hca.MRCheck, RKey: k.RKey, PD: k.PD, VA: k.VA, Length: 1}, why)
				k.Window = false
				h.give(k, why)
				h.give(hca.MRQuery{Op: hca.MRInvalidate, RKey: k.RKey, PD: k.PD}, why)
				h.give(hca.MRQuery{Op: hca.MRCheck, RKey: k.RKey, PD: k.PD, VA: k.VA, Length: 1}, why)
			}},
		{"bound-again-by-another-key", "RSP-1", "a window that was taken away and bound again answers to its new key only",
			func(h *mrHost, why string) {
				k := h.fresh(why)
				was := k.RKey
				h.give(hca.MRQuery{Op: hca.MRInvalidate, RKey: was, PD: k.PD}, why)
				k.RKey ^= uint32(h.r.Between(1, 255))
				h.give(k, why)
				h.shared = k.RKey
				for _, key := range [...]uint32{was, k.RKey} {
					h.give(hca.MRQuery{Op: hca.MRCheck, RKey: key, PD: k.PD, VA: k.VA, Length: k.Length}, why)
				}
			}},
		{"one-bit-apart", "RSP-1", "neither a key nor a protection domain that is a bit away opens or takes a window away",
			oneBitApart},
		{"two-permissions", "RSP-1", "a check that needs two permissions is refused by a key that has one of them",
			twoPermissions},
		{"address-one-bit-apart", "RSP-1", "an address that lacks a bit of the one where a region begins is not within it",
			addressOneBitApart},
	}
}

// fresh sets a window under a key of the episode that the directed cases share.
func (h *mrHost) fresh(why string) hca.MRQuery {
	r := h.r
	k := h.noise()
	k.Op, k.Length, k.Window, k.Whole, k.VA = hca.MRSet, uint64(r.Between(2, 1<<20)), true, false, k.VA>>1
	k.Need = uint8(r.Between(1, 31))
	if h.shared == 0 {
		h.shared = k.RKey
	}
	k.RKey = h.shared
	for _, rkey := range slices.Clone(h.there) { // the smallest table has four: whatever has its index goes
		if (rkey^k.RKey)>>8&3 == 0 {
			h.give(hca.MRQuery{Op: hca.MRRemove, RKey: rkey}, why)
		}
	}
	h.give(k, why)
	h.keys = append(h.keys, k)
	return k
}

// changed sets a key, sets it again with a change, and asks for all that it opened first and for all that it opens.
func changed(change func(h *mrHost, k *hca.MRQuery)) func(h *mrHost, why string) {
	return func(h *mrHost, why string) {
		was := h.fresh(why)
		is := was
		if change != nil {
			change(h, &is)
		}
		h.give(is, why)
		h.keys[len(h.keys)-1] = is
		for _, k := range [...]hca.MRQuery{was, is} {
			k.Op, k.Window = hca.MRCheck, false
			h.give(k, why)
		}
	}
}

// oneBitApart asks with numbers that differ from a window's in one bit: every fourth bit of them, another four each
// time.
func oneBitApart(h *mrHost, why string) {
	k := h.fresh(why)
	from := h.r.Below(4)
	for _, op := range [...]hca.MROp{hca.MRCheck, hca.MRInvalidate} {
		for bit := from; bit < 32; bit += 4 {
			q := hca.MRQuery{Op: op, RKey: k.RKey ^ 1<<bit, PD: k.PD, VA: k.VA, Length: 1}
			h.give(q, why)
			if q.RKey = k.RKey; bit < 24 {
				q.PD ^= 1 << bit
				h.give(q, why)
			}
		}
	}
	h.give(hca.MRQuery{Op: hca.MRInvalidate, RKey: k.RKey, PD: k.PD}, why)
}

// addressOneBitApart asks for addresses that lack one bit of the first of a region: every fourth bit, another four each
// time.
func addressOneBitApart(h *mrHost, why string) {
	const everyFourth = 0x1111_1111_1111_1111
	k := h.fresh(why)
	from := h.r.Below(4)
	k.VA |= everyFourth << from // without one of them an address lies in front of the region
	h.give(k, why)
	h.keys[len(h.keys)-1] = k
	for bit := from; bit < 64; bit += 4 {
		h.give(hca.MRQuery{Op: hca.MRCheck, RKey: k.RKey, PD: k.PD, VA: k.VA ^ 1<<bit, Length: 1}, why)
	}
}

// twoPermissions asks a key that lacks one permission for that one and each of the others together.
func twoPermissions(h *mrHost, why string) {
	k := h.fresh(why)
	lacks := uint8(1) << h.r.Below(5)
	k.Need = 31 &^ lacks
	h.give(k, why)
	h.keys[len(h.keys)-1] = k
	k.Op, k.Window = hca.MRCheck, false
	for other := uint8(1); other < 32; other <<= 1 {
		k.Need = lacks | other
		h.give(k, why)
	}
}
