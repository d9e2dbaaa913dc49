package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// alone sets up the only QP that there is, so that every size has it, and sends it packets of which one bit is another
// one: every eighth of the peer's address, of ours and of its number, another eighth in each episode. Then its peer is
// one of its subnet, with a GRH or without. All else is right.
func (p *classifyPort) alone() {
	r := p.r
	qp := p.noise()
	qp.Op, qp.Live, qp.Service = hca.ClassifySet, true, hca.RespService(p.e.Number/8%3)
	r.Fill(qp.Src[:])
	r.Fill(p.own[0][:])
	p.setAddress(0)
	p.own[1] = roce.Address{14: uint8(r.Below(256)), 15: uint8(1 + r.Below(255))}
	p.setAddress(1)
	key := p.noise()
	key.Op, key.Entry, key.PKey = hca.ClassifyPKey, qp.Entry, 0xFFFF
	p.give(key, "P_Key of the only QP")
	p.give(qp, "set: the only QP")

	good := p.noise()
	good.Op, good.Reason, good.DestQP, good.PKey = hca.ClassifyPacket, wire.WellFormed, qp.DestQP, 0xFFFF
	good.Opcode = ib.Join([...]ib.Transport{ib.RC, ib.UC, ib.UD}[qp.Service], ib.SendOnly)
	good.Encap = [...]wire.Encap{wire.EncapRoCEv1, wire.EncapRoCEv2IPv6, wire.EncapIBGlobal}[r.Below(3)]
	good.Src, good.Dst = qp.Src, p.own[0]
	p.give(good, "packet: before others that are a bit apart")
	p.apart(good)

	qp.Src = roce.Address{14: uint8(r.Below(256)), 15: uint8(1 + r.Below(255))}
	for _, qp.Global = range [...]bool{false, true} {
		p.give(qp, "set: the only QP again")
		local := good
		local.Encap = wire.EncapIBLocal
		local.SLID = uint16(qp.Src[14])<<8 | uint16(qp.Src[15])
		local.DLID = uint16(p.own[1][14])<<8 | uint16(p.own[1][15])
		p.give(local, "packet: of the subnet")
	}
	qp.Op = hca.ClassifyRemove
	p.give(qp, "remove: the only QP")
}

// apart sends what is a bit away from a packet that is right.
func (p *classifyPort) apart(good hca.ClassifyQuery) {
	for bit := int(p.e.Number % 8); bit < 128; bit += 8 {
		q := good
		q.Src[15-bit/8] ^= 1 << (bit % 8)
		p.give(q, "packet: from a peer that is a bit apart")
		q = good
		q.Dst[15-bit/8] ^= 1 << (bit % 8)
		p.give(q, "packet: to an address that is a bit apart")
		if bit < 24 {
			q = good
			q.DestQP ^= 1 << bit
			p.give(q, "packet: to a QP that is a bit apart")
		}
	}
}
