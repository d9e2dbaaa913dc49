package onwire

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// Decides RSP-14.

// Reply addresses a response to a request (RSP-14): source and destination change places at every layer, service level
// and traffic class stay, and it goes to the requester's QP. What is in it, Put fills in.
func Reply(request *wire.Packet, requesterQP uint32) (s wire.Spec) {
	s = wire.Spec{Encap: request.Encap, DestQP: requesterQP, PKey: request.BTH().PKey(), HopLimit: 64}
	if eth := request.Ethernet(); eth != nil {
		copy(s.DstMAC[:], eth.Src())
		copy(s.SrcMAC[:], eth.Dst())
		for i := range int(request.VLANs) {
			tag := request.VLAN(i)
			s.VLANs = append(s.VLANs, wire.VLANTag{TPID: tag.TPID(), TCI: tag.TCI()})
		}
	}
	if ip := request.IPv4(); ip != nil {
		s.Src, s.Dst, s.TClass = v4(ip.Dst()), v4(ip.Src()), ip.TOS()
	}
	if ip := request.IPv6(); ip != nil {
		s.Src, s.Dst, s.TClass = wire.GID(ip.Dst()), wire.GID(ip.Src()), ip.TClass()
	}
	if grh := request.GRH(); grh != nil {
		s.Src, s.Dst, s.TClass, s.FlowLabel = wire.GID(grh.Dst()), wire.GID(grh.Src()), grh.TClass(), grh.FlowLabel()
	}
	if lrh := request.LRH(); lrh != nil {
		s.SL, s.VL, s.DLID, s.SLID = lrh.SL(), lrh.VL(), lrh.SLID(), lrh.DLID()
	}
	return s
}

func v4(b []byte) wire.GID { return wire.FromIPv4(b[0], b[1], b[2], b[3]) }

// Put fills a packet's transport headers into a Spec.
func Put(p *roce.Packet, s *wire.Spec) {
	s.Opcode, s.PSN, s.AckReq, s.SE = p.Op, p.PSN, p.AckReq, p.SE
	s.VA, s.RKey, s.DMALen, s.SwapAdd, s.Compare = p.VA, p.RKey, p.DMALen, p.SwapAdd, p.Compare
	s.Syndrome, s.MSN, s.Original = p.Syndrome, p.MSN, p.Original
	s.FlushSEL, s.FlushPLT, s.XRCSRQ = p.FETH>>4, p.FETH&0x0F, p.XRCSRQ
	s.Immediate, s.QKey, s.SrcQP = p.Imm, p.QKey, p.SrcQP
	if info := ib.Lookup(p.Op); info != nil && info.Headers.Has(ib.IETH) {
		s.InvRKey = p.RKey
	}
}
