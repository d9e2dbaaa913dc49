package shrink

import (
	"slices"

	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// packet makes a packet plain: built anew with a shorter payload and simpler headers where it still fails so, else with
// a payload of zeros.
func (p *plainer) packet(i int) {
	link := wire.LinkIB
	if p.records[i].User&1 == 0 {
		link = wire.LinkEthernet
	}
	var w wire.Packet
	wire.Decode(link, p.records[i].Data, &w)
	if w.Op == nil || w.ICRC() == wire.ICRCNone {
		return
	}
	spec, bad := described(&w), w.ICRC() == wire.ICRCBad
	build := func(s *wire.Spec, payload []byte) sim.Offer {
		r := p.records[i]
		if r.Data = s.Append(nil, payload); bad {
			spoil(link, r.Data)
		}
		return r
	}
	payload, content := make([]byte, len(w.Payload)), slices.Clone(w.Payload)
	if !p.is(i, build(&spec, payload)) && !p.try(p.with(i, build(&spec, payload))) {
		if payload = content; !p.is(i, build(&spec, payload)) && !p.try(p.with(i, build(&spec, payload))) {
			p.zeroed(i, &w, bad)
			return
		}
	}
	for _, n := range []int{0, 4, 16, 64, len(payload) / 4 &^ 3, len(payload) / 2 &^ 3} {
		if n < len(payload) && p.try(p.with(i, build(&spec, payload[:n]))) {
			payload = payload[:n]
			break
		}
	}
	for _, simpler := range headers {
		other := spec
		if simpler(&other); p.try(p.with(i, build(&other, payload))) {
			spec = other
		}
	}
}

// headers make a packet simpler, one thing each.
var headers = []func(*wire.Spec){
	func(s *wire.Spec) { s.VLANs = nil },
	func(s *wire.Spec) { s.IPOptions = nil },
	func(s *wire.Spec) { s.Trailer = nil },
	func(s *wire.Spec) { s.TClass, s.FlowLabel, s.IPID, s.IPFrag = 0, 0, 0, 0 },
	func(s *wire.Spec) { s.HopLimit = 64 },
	func(s *wire.Spec) { s.SrcPort, s.UDPChecksum = 0xC000, false },
	func(s *wire.Spec) { s.VL, s.LVer, s.SL, s.LRHResv2, s.LRHResv5, s.DLID, s.SLID = 0, 0, 0, 0, 0, 1, 2 },
	func(s *wire.Spec) { s.SE, s.MigReq, s.FECN, s.BECN, s.AckReq = false, false, false, false, false },
	func(s *wire.Spec) { s.TVer, s.Resv6, s.Resv7, s.PKey = 0, 0, 0, 0xFFFF },
	func(s *wire.Spec) { s.DestQP = 2 },
	func(s *wire.Spec) { s.PSN = 0 },
	func(s *wire.Spec) { s.DstMAC, s.SrcMAC = [6]byte{2, 0, 0, 0, 0, 1}, [6]byte{2, 0, 0, 0, 0, 2} },
	func(s *wire.Spec) { s.Src, s.Dst = wire.FromIPv4(10, 0, 0, 1), wire.FromIPv4(10, 0, 0, 2) },
	func(s *wire.Spec) {
		s.EEContext, s.QKey, s.SrcQP, s.XRCSRQ, s.FlushSEL, s.FlushPLT = 0, 0, 0, 0, 0, 0
		s.VA, s.RKey, s.DMALen, s.SwapAdd, s.Compare, s.Original, s.InvRKey, s.Immediate = 0, 0, 0, 0, 0, 0, 0, 0
		s.Syndrome, s.MSN = 0, 0
	},
}

// described is the description of a packet, so that it can be built anew.
func described(w *wire.Packet) (s wire.Spec) {
	s.Encap = w.Encap
	if e := w.Ethernet(); e != nil {
		copy(s.DstMAC[:], e.Dst())
		copy(s.SrcMAC[:], e.Src())
	}
	for i := range int(w.VLANs) {
		s.VLANs = append(s.VLANs, wire.VLANTag{TPID: w.VLAN(i).TPID(), TCI: w.VLAN(i).TCI()})
	}
	describeNetwork(&s, w)
	if w.Encap.Link() == wire.LinkEthernet && w.End < len(w.Frame) {
		s.Trailer = slices.Clone(w.Frame[w.End:])
	}
	if l := w.LRH(); l != nil {
		s.VL, s.LVer, s.SL, s.LRHResv2, s.LRHResv5 = l.VL(), l.LVer(), l.SL(), l.Resv2(), l.Resv5()
		s.DLID, s.SLID = l.DLID(), l.SLID()
	}
	b := w.BTH()
	s.Opcode, s.SE, s.MigReq, s.FECN, s.BECN, s.AckReq = b.Opcode(), b.SE(), b.MigReq(), b.FECN(), b.BECN(), b.AckReq()
	s.TVer, s.Resv6, s.Resv7, s.PKey, s.DestQP, s.PSN = b.TVer(), b.Resv6(), b.Resv7(), b.PKey(), b.DestQP(), b.PSN()
	describeExtensions(&s, w)
	return s
}

func describeNetwork(s *wire.Spec, w *wire.Packet) {
	if h := w.IPv4(); h != nil {
		from, to := h.Src(), h.Dst()
		s.Src, s.Dst = wire.FromIPv4(from[0], from[1], from[2], from[3]), wire.FromIPv4(to[0], to[1], to[2], to[3])
		s.TClass, s.HopLimit, s.IPID, s.IPFrag = h.TOS(), h.TTL(), h.ID(), h.Frag()
		s.IPOptions = slices.Clone(h.Options())
	}
	six := w.IPv6()
	if six == nil {
		six = wire.IPv6(w.GRH())
	}
	if six != nil {
		copy(s.Src[:], six.Src())
		copy(s.Dst[:], six.Dst())
		s.TClass, s.HopLimit, s.FlowLabel = six.TClass(), six.HopLimit(), six.FlowLabel()
	}
	if u := w.UDP(); u != nil {
		s.SrcPort = u.SrcPort()
	}
}

func describeExtensions(s *wire.Spec, w *wire.Packet) {
	if h := w.DETH(); h != nil {
		s.QKey, s.SrcQP = h.QKey(), h.SrcQP()
	}
	if h := w.RETH(); h != nil {
		s.VA, s.RKey, s.DMALen = h.VA(), h.RKey(), h.DMALen()
	}
	if h := w.AtomicETH(); h != nil {
		s.VA, s.RKey, s.SwapAdd, s.Compare = h.VA(), h.RKey(), h.SwapAdd(), h.Compare()
	}
	if h := w.AETH(); h != nil {
		s.Syndrome, s.MSN = h.Syndrome(), h.MSN()
	}
	if h := w.ImmDt(); h != nil {
		s.Immediate = h.Immediate()
	}
	if h := w.IETH(); h != nil {
		s.InvRKey = h.RKey()
	}
}

// zeroed sets the payload to zeros, with the ICRC that it then has; a bad one stays bad.
func (p *plainer) zeroed(i int, w *wire.Packet, bad bool) {
	if len(w.Payload) == 0 || bad {
		return
	}
	r := p.records[i]
	r.Data = slices.Clone(r.Data)
	var c wire.Packet
	wire.Decode(w.Encap.Link(), r.Data, &c)
	clear(c.Payload)
	wire.PutICRC(r.Data, &c.Location)
	p.try(p.with(i, r))
}

// spoil makes the ICRC of a packet wrong.
func spoil(link wire.Link, frame []byte) {
	var w wire.Packet
	wire.Decode(link, frame, &w)
	if b := w.ICRCBytes(); b != nil {
		b[0] ^= 1
	}
}
