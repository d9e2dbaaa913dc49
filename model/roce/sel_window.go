package roce

import (
	"math/bits"

	"hcacosim/model/psn"
)

// MaxSelWindow is the largest window of a selective pair, in packets.
const MaxSelWindow = 1024

// selWindow marks packets of a window that begins at base: bit i of the ring stands for the PSN base + i.
type selWindow struct {
	base psn.PSN
	ring [MaxSelWindow / 64]uint64
}

func (w *selWindow) has(p psn.PSN) bool {
	return w.ring[p%MaxSelWindow/64]>>(p%64)&1 != 0
}

func (w *selWindow) mark(p psn.PSN) { w.ring[p%MaxSelWindow/64] |= 1 << (p % 64) }

// move takes base on to p and forgets what lies behind it.
func (w *selWindow) move(p psn.PSN) {
	for ; w.base != p; w.base = w.base.Add(1) {
		w.ring[w.base%MaxSelWindow/64] &^= 1 << (w.base % 64)
	}
}

// first returns the first PSN from base on that is not marked.
func (w *selWindow) first() psn.PSN {
	p := w.base
	for w.has(p) && p.Diff(w.base) < MaxSelWindow {
		p = p.Add(1)
	}
	return p
}

// count returns how many are marked.
func (w *selWindow) count() (n int) {
	for _, word := range w.ring {
		n += bits.OnesCount64(word)
	}
	return n
}
