package scenario

import (
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// What comes to hca-top while a queue pair closes: frames that are counted, each kind of them. What the gate drops may
// be one beat long, so that one is told in every clock; what is dropped behind it is told some clocks later, and waits
// where both are to be counted in one clock (docs/blocks/hca_top.md, Events).
const (
	hcaTopShortest = 14 // bytes of a frame that is no RoCE's
	hcaTopBeat     = 32 // and at most: a beat of the narrowest device
	hcaTopCut      = 40 // bytes at most that a malformed frame lacks
)

// hcaTopCrowd is of which kinds of frames a crowd is.
type hcaTopCrowd uint8

const (
	hcaTopStray     hcaTopCrowd = iota // to nobody
	hcaTopNoRoCE                       // of one beat
	hcaTopBadICRC                      // one bit of it is another
	hcaTopMalformed                    // its end is missing
	hcaTopUnheard                      // a duplicate that asks for nothing
	hcaTopKinds
)

// hcaTopCrowds are crowds: of all kinds, of what the gate drops and what is dropped behind it, of the shortest alone,
// and of all that may be one beat or two.
var hcaTopCrowds = [...][]hcaTopCrowd{
	{hcaTopStray, hcaTopNoRoCE, hcaTopBadICRC, hcaTopMalformed, hcaTopUnheard},
	{hcaTopStray, hcaTopBadICRC},
	{hcaTopStray, hcaTopNoRoCE, hcaTopNoRoCE},
	{hcaTopNoRoCE},
	{hcaTopBadICRC, hcaTopNoRoCE},
	{hcaTopUnheard, hcaTopNoRoCE, hcaTopBadICRC},
}

// crowd sends so many frames that are counted.
func (s *hcaTopSoftware) crowd(d *hcaRxPeer, n int) {
	kinds := hcaTopCrowds[(int(d.e.Number)+s.crowds)%len(hcaTopCrowds)]
	s.crowds++
	for range n {
		s.counted(d, kinds[d.r.Below(len(kinds))])
	}
}

// counted sends a frame that is counted, of a kind.
func (s *hcaTopSoftware) counted(d *hcaRxPeer, kind hcaTopCrowd) {
	r := d.r
	spec := d.qps[d.plan.filler()].spec
	spec.DestQP, spec.Opcode = spec.DestQP^1<<20, ib.Join(ib.RC, ib.SendOnly)
	switch kind {
	case hcaTopNoRoCE:
		f := append([]byte(nil), d.g.random[r.Below(1000):][:r.Between(hcaTopShortest, hcaTopBeat)]...)
		f[12], f[13] = 0x88, 0xB5
		d.add(wire.LinkEthernet, f, "no RoCE, while a QP closes")
	case hcaTopBadICRC:
		f := spec.Append(nil, nil)
		f[len(f)-1-r.Below(4)] ^= 1 << r.Below(8)
		d.add(spec.Encap.Link(), f, "a bad ICRC, while a QP closes")
	case hcaTopMalformed:
		f := spec.Append(nil, nil)
		d.add(spec.Encap.Link(), f[:len(f)-r.Between(1, min(hcaTopCut, len(f)-1))], "cut short, while a QP closes")
	case hcaTopUnheard:
		if p := s.silentDuplicate(d); p != nil {
			w := p.spec
			w.Opcode, w.PSN, w.RKey, w.VA, w.AckReq = ib.Join(ib.RC, ib.WriteOnly), p.next.Add(-1), p.key, hcaRxVA, false
			d.add(w.Encap.Link(), w.Append(nil, nil), "asks for nothing, while a QP closes")
			return
		}
		fallthrough
	default:
		d.stray(0)
	}
}

// silentDuplicate is a QP that drops duplicates which ask for no ACK, and lives; nil if there is none.
func (s *hcaTopSoftware) silentDuplicate(d *hcaRxPeer) *hcaRxQP {
	first := d.r.Below(d.plan.fixed)
	for k := range d.plan.fixed {
		i := (first + k) % d.plan.fixed
		p := &d.qps[i]
		if hcaTopUnasked(i) && !p.uc && !p.ud && s.live[i] && i != s.closing && !p.failed {
			return p
		}
	}
	return nil
}
