package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/psn"
)

// makePSNWindow makes questions to psn_window, in turn the responder's and the requester's. The PSN is put at a known
// place in a known region, so that PSN-2 and PSN-3 tell the class without any comparison.
func makePSNWindow(_ *Generator, index uint64, r *Rand, c *Case) {
	q := hca.PSNQuery{Base: drawPSN(r), Next: drawPSN(r), Requester: index%2 == 1}
	var class hca.PSNClass
	if q.Requester {
		c.start("requester")
		class = c.askRequester(int(index/2), r, &q)
	} else {
		c.start("responder")
		class = c.askResponder(int(index/2), r, &q)
	}
	c.Frame = q.Append(c.Frame[:0])
	c.Truth = Truth{Knows: KnowsClass, Class: class}
}

// drawPSN draws a PSN, every second one near the places where 24 bits or their sign turn over.
func drawPSN(r *Rand) psn.PSN {
	switch r.Below(3) {
	case 0:
		return psn.New(uint32(r.Uint64()))
	case 1: // a carry into any bit is near
		return psn.New(uint32(r.Uint64())<<r.Between(1, psn.Bits) - uint32(r.Between(-1, 6)))
	}
	return psn.New(uint32(r.Below(2)*psn.Half + r.Between(-2, 2)))
}

// region is a run of PSNs that share a class.
type region struct {
	name  string
	class hca.PSNClass
	start psn.PSN
	size  int
}

// place puts the PSN into the region. By turn it stands at either end, a power of two from either end, or anywhere.
func (c *Case) place(walk int, r *Rand, in region) psn.PSN {
	at := r.Below(in.size)
	power := 1 << (walk / 7 % psn.Bits)
	switch walk % 7 {
	case 0:
		at = 0
	case 1:
		at = in.size - 1
	case 2:
		at = min(power, in.size-1)
	case 3: // and from what lies before the region
		at = min(power-1, in.size-1)
	case 4:
		at = max(0, in.size-1-power)
	case 5:
		at = max(0, in.size-power)
	}
	c.say(in.name).say(" ").sayInt(at).say(" of ").sayInt(in.size)
	return in.start.Add(int32(at))
}

func (c *Case) askResponder(walk int, r *Rand, q *hca.PSNQuery) hca.PSNClass {
	regions := [...]region{
		{"expected", hca.ClassExpected, q.Base, 1},
		{"ahead", hca.ClassOutOfSequence, q.Base.Add(1), psn.Half - 1},
		{"behind", hca.ClassDuplicate, q.Base.Add(-psn.Half), psn.Half},
	}
	in := regions[walk%len(regions)]
	q.PSN = c.place(walk/len(regions), r, in)
	return in.class
}

// askRequester keeps to PSN-5, except that one in sixteen has more outstanding: no acked region is left then.
func (c *Case) askRequester(walk int, r *Rand, q *hca.PSNQuery) hca.PSNClass {
	outstanding := drawOutstanding(r)
	q.Next = q.Base.Add(int32(outstanding))
	regions := [...]region{
		{"unacked", hca.ClassUnacked, q.Base, outstanding},
		{"ghost", hca.ClassGhost, q.Next, min(psn.Half, 1<<psn.Bits-outstanding)},
		{"acked", hca.ClassAcked, q.Next.Add(-psn.Half), max(0, psn.Half-outstanding)},
	}
	in := regions[walk%len(regions)]
	if in.size == 0 {
		in = regions[1]
	}
	q.PSN = c.place(walk/len(regions), r, in)
	return in.class
}

func drawOutstanding(r *Rand) int {
	switch r.Below(16) {
	case 0:
		return 0
	case 1:
		return psn.Half
	case 2:
		return r.Between(psn.Half+1, 1<<psn.Bits-1)
	case 3, 4, 5, 6:
		return 1 << r.Below(psn.Bits)
	case 7, 8, 9:
		return 1<<r.Between(1, psn.Bits-1) - 1
	}
	return r.Below(psn.Half + 1)
}
