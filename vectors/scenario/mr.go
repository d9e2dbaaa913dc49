package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// mrLength is how many records an episode of mr-lookup has: keys that are set, used and taken away.
const mrLength = 300

// makeMRLookup makes look-ups and operations for mr_lookup. What goes wrong goes wrong on purpose, most of the time.
func makeMRLookup(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, mrLength, func(r *Rand, e *Episode) {
		h := mrHost{r: r, e: e}
		h.live()
	})
}

// live fills the episode. In the end every key is removed that was set: else those that nobody knows any more hold all
// indices, and nothing of what comes then is done.
func (h *mrHost) live() {
	for h.hasRoom() {
		h.step()
	}
	h.before, h.ending = nil, true
	for i := 0; h.e.Len() < mrLength; i++ {
		q := h.noise()
		q.Op = hca.MRRemove
		if i < len(h.there) {
			q.RKey = h.there[i]
		}
		h.give(q, "remove: the end")
	}
}

// mrHost is who sets keys: what it set, some of it gone by now.
type mrHost struct {
	r    *Rand
	e    *Episode
	keys []hca.MRQuery
	// there are keys that were set, and not removed since: they may be there
	there  []uint32
	ending bool // these are removed

	shared uint32            // the key of the directed cases; 0 before the first
	before func(rkey uint32) // where something may come in front of any record
}

func (h *mrHost) give(q hca.MRQuery, why string) {
	if h.before != nil {
		h.before(q.RKey)
	}
	h.add(q, why)
}

func (h *mrHost) add(q hca.MRQuery, why string) {
	if h.ending || h.hasRoom() {
		h.note(&q)
		h.e.scratch = q.Append(h.e.scratch[:0])
		h.e.Add(sim.Port(0), 0, h.e.scratch, why)
	}
}

// hasRoom reports whether the episode has room for a key that is set, and removed in the end.
func (h *mrHost) hasRoom() bool { return h.e.Len()+len(h.there)+1 < mrLength }

// note keeps which keys may be there.
func (h *mrHost) note(q *hca.MRQuery) {
	i := slices.Index(h.there, q.RKey)
	switch {
	case h.ending:
	case q.Op == hca.MRSet && q.Length > 0 && i < 0:
		h.there = append(h.there, q.RKey)
	case q.Op == hca.MRRemove && i >= 0:
		h.there = slices.Delete(h.there, i, i+1)
	}
}

// noise is a record of random fields: what an operation does not look at.
func (h *mrHost) noise() hca.MRQuery {
	r := h.r
	return hca.MRQuery{RKey: uint32(r.Uint64()), PD: uint32(r.Below(1 << 24)), VA: r.Uint64(), Length: r.Uint64(),
		Need: uint8(r.Below(32)), Whole: r.OneIn(2), Window: r.OneIn(2), Base: r.Uint64()}
}

func (h *mrHost) step() {
	r := h.r
	switch {
	case len(h.keys) < 2 || r.OneIn(12):
		h.set()
	case r.OneIn(12):
		q := h.noise()
		q.Op, q.RKey = hca.MRRemove, h.key().RKey^h.flip(6)
		h.give(q, "remove")
	case r.OneIn(40):
		c := &mrDirected[r.Below(len(mrDirected))]
		c.play(h, directedWhy+c.name)
	case r.OneIn(6):
		k := h.key()
		q := h.noise()
		q.Op, q.RKey, q.PD = hca.MRInvalidate, k.RKey^h.flip(6), k.PD^h.flip(6)&0xFFFFFF
		h.give(q, "invalidate")
	case r.OneIn(40):
		q := h.noise()
		q.Op = hca.MROp(r.Between(4, 7))
		q.RKey = h.key().RKey
		h.give(q, "no such operation")
	case r.OneIn(40):
		h.give(h.noise(), "check: random")
	case r.OneIn(60): // what stands where no key is looks like this one
		q := h.noise()
		q.Op, q.RKey = [...]hca.MROp{hca.MRCheck, hca.MRRemove, hca.MRInvalidate}[r.Below(3)], 0
		if r.OneIn(2) {
			q.PD = 0
		}
		h.give(q, "key 0")
	default:
		h.check()
	}
}

// flip is one bit of 32, once in n times.
func (h *mrHost) flip(n int) uint32 {
	if h.r.OneIn(n) {
		return 1 << h.r.Below(32)
	}
	return 0
}

func (h *mrHost) key() hca.MRQuery { return h.keys[h.r.Below(len(h.keys))] }

// mrLengths are sizes of regions: the least, a page, 2^31 and one more, 2^63 and more.
var mrLengths = [...]uint64{1, 2, 8, 255, 4096, 1 << 31, 1<<31 + 1, 1 << 32, 1 << 63, 1<<63 + 1, 1<<64 - 1}

// set sets a key, or the key of an index again; every third region ends at 2^64 or begins at 0.
func (h *mrHost) set() {
	r := h.r
	q := h.noise()
	q.Op, q.Length = hca.MRSet, mrLengths[r.Below(len(mrLengths))]
	if r.OneIn(6) { // one bit of a length is enough, and halves that add up to none are a length
		q.Length = near(r, uint64(0), 64)
	}
	switch {
	case r.OneIn(4):
		q.VA = -q.Length
	case r.OneIn(4):
		q.VA = 0
	case r.OneIn(12): // beyond
		q.VA = 1 - q.Length
	}
	if len(h.keys) > 0 && r.OneIn(2) {
		k := h.key()
		q.RKey, q.PD = k.RKey^h.flip(2), k.PD
	}
	if r.OneIn(12) {
		q.Length = 0
	}
	h.give(q, "set")
	if q.Length > 0 {
		h.keys = append(h.keys, q)
	}
}

// check asks for a part of a region: from its start, to its end, a byte before or behind.
func (h *mrHost) check() {
	r := h.r
	k := h.key()
	q := h.noise()
	q.Op, q.RKey, q.PD, q.Need = hca.MRCheck, k.RKey, k.PD, k.Need&q.Need
	q.Whole, q.Window = r.OneIn(12), q.Window && k.Window
	if r.OneIn(20) { // as for a SEND with invalidate
		q.Whole, q.Window, q.Need = true, true, 0
	}
	q.Length = [...]uint64{0, 1, 8, 256, 4096, 1 << 31, k.Length, k.Length - 1, k.Length + 1, r.Uint64()}[r.Below(10)]
	q.VA = k.VA + [...]uint64{0, 0, k.Length - q.Length, k.Length - q.Length, k.Length - q.Length + 1,
		1<<64 - 1, k.Length, r.Uint64() % k.Length}[r.Below(8)]
	why := "check"
	for range [...]int{0, 0, 0, 1, 2}[r.Below(5)] {
		why = "check: something else"
		switch r.Below(6) {
		case 5:
			q.Window = !q.Window
		case 0:
			q.RKey = near(r, q.RKey, 32)
		case 1:
			q.PD = near(r, q.PD, 24)
		case 2:
			q.Need ^= 1 << r.Below(5)
		case 3:
			q.VA = near(r, q.VA, 64)
		default:
			q.Length = near(r, q.Length, 64)
		}
	}
	h.give(q, why)
}
