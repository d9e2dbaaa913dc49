package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// The spare queue pairs of a round of hca-rx-full: their ways back are set again while answers that waited leave, and
// ack_gen has no room for an operation in every clock. What the next part answers them says whether the last set of
// each was done.
const hcaRxFullWays = 8 // sets of each

// spares are those queue pairs.
func (d *hcaRxPeer) spares() []hcaRxQP { return d.qps[d.plan.fixed:d.plan.filler()] }

// setSpares draws them: of RC, and their peers may write.
func (d *hcaRxPeer) setSpares() (all []hca.HcaRxOp) {
	for i := range d.spares() {
		p := &d.spares()[i]
		list := p.set(d.g, d.r, d.plan, d.plan.fixed+i)
		for p.uc || p.ud || p.idle || p.verdict.Enabled&hca.RespEnableWrite == 0 {
			list = p.set(d.g, d.r, d.plan, d.plan.fixed+i)
		}
		all = append(all, list...)
	}
	return all
}

// waysBeside sets their ways back while answers leave, from a clock on: differently each time.
func (d *hcaRxPeer) waysBeside(clock uint64) {
	for i := range d.spares() {
		at := clock + d.g.pace.Cycles(d.r.Below(hcaRxMeetsLonger))
		for n := range hcaRxFullWays {
			ack := hca.AckQuery{Op: hca.AckSet, QPN: d.spares()[i].spec.DestQP, PeerQPN: uint32(d.r.Below(1 << 24)),
				HopLimit: uint8(d.r.Below(256))}
			d.r.Fill(ack.MAC[:])
			o := hca.HcaRxOp{To: hca.ToAnswers, Record: ack.Append(nil), Why: "the way back of a spare QP"}
			d.op(at+d.g.pace.Cycles(4*n), o)
		}
	}
}

// answersSpares has them answer.
func (d *hcaRxPeer) answersSpares() {
	for i := range d.spares() {
		s := d.small(&d.spares()[i], ib.WriteOnly, 0)
		s.AckReq = true
		d.add(s.Encap.Link(), s.Append(nil, nil), "to a spare QP: answered by the way that was set last")
	}
}
