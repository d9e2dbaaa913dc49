package scenario

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/wire"
)

// shape is what decides the sizes in a packet: what is drawn first.
type shape struct {
	op          *ib.Info // nil for an unknown opcode
	encap       wire.Encap
	payload     int // bytes, pad not counted
	vlans       int
	optionWords int  // IPv4
	bare        bool // IB: without VCRC
}

// opcodes are all that the table knows, in its order.
var opcodes = func() (ops []*ib.Info) {
	for op := range 256 {
		if info := ib.Lookup(ib.Opcode(op)); info != nil {
			ops = append(ops, info)
		}
	}
	return ops
}()

// encaps are those that carry an ICRC.
var encaps = []wire.Encap{wire.EncapRoCEv1, wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6, wire.EncapIBLocal,
	wire.EncapIBGlobal}

const maxOptionWords = 10 // IHL 15

func (s *shape) netOffset() int {
	if s.encap.Link() == wire.LinkIB {
		return 0
	}
	return 14 + 4*s.vlans
}

// transportBytes is the size of BTH and extension headers.
func (s *shape) transportBytes() int {
	if s.op == nil {
		return ib.BTHBytes
	}
	return s.op.Bytes
}

// networkBytes is the size of what lies between the Ethernet header, or the start of an IB packet, and the BTH.
func (s *shape) networkBytes() int {
	switch s.encap {
	case wire.EncapRoCEv1:
		return ib.GRHBytes
	case wire.EncapRoCEv2IPv4:
		return 20 + 4*s.optionWords + 8
	case wire.EncapRoCEv2IPv6:
		return 40 + 8
	case wire.EncapIBLocal:
		return ib.LRHBytes
	default:
		return ib.LRHBytes + ib.GRHBytes
	}
}

// emptyBytes is the size of the frame without payload.
func (s *shape) emptyBytes() int {
	n := s.netOffset() + s.networkBytes() + s.transportBytes() + ib.ICRCBytes
	if s.encap.Link() == wire.LinkIB && !s.bare {
		n += ib.VCRCBytes
	}
	return n
}

// drawShape draws any opcode in any encapsulation with a legal payload.
func (g *Generator) drawShape(r *Rand) shape {
	s := shape{op: opcodes[r.Below(len(opcodes))], encap: encaps[g.pick(r, frameEncap)]}
	s.payload = g.drawPayload(r, s.op.Length)
	g.drawOptions(&s, r)
	return s
}

// drawOptions draws VLAN tags and IPv4 options, mostly none, and whether an IB packet comes with its VCRC.
func (g *Generator) drawOptions(s *shape, r *Rand) {
	s.vlans, s.optionWords, s.bare = 0, 0, false
	if s.encap.Link() == wire.LinkIB {
		s.bare = r.OneIn(2)
		return
	}
	if g.oneIn(r, frameTags) {
		s.vlans = r.Between(1, 2)
	}
	if s.encap == wire.EncapRoCEv2IPv4 && g.oneIn(r, frameIHL) {
		s.optionWords = r.Between(1, maxOptionWords)
	}
}

// drawPayload draws a legal length (LEN-1), short ones more often: the headers are where packets differ.
func drawPayload(r *Rand, l ib.Length) int {
	switch l {
	case ib.WholePMTU:
		return drawPMTU(r)
	case ib.SomePMTU:
		return r.Between(1, drawPMTU(r))
	case ib.AnyPMTU:
		return r.Between(0, drawPMTU(r))
	case ib.EightBytes:
		return 8
	case ib.SixteenBytes:
		return 16
	default:
		return 0
	}
}

// drawPayload draws a legal length, in the range that weights set where the opcode takes any.
func (g *Generator) drawPayload(r *Rand, l ib.Length) int {
	if l == ib.SomePMTU || l == ib.AnyPMTU {
		if n, ok := g.between(r, frameSize); ok {
			if l == ib.SomePMTU {
				n = max(1, n)
			}
			return n
		}
	}
	return drawPayload(r, l)
}

// drawPMTU: three quarters 256, three quarters of the rest 512, and so on.
func drawPMTU(r *Rand) int {
	pmtu := ib.MinPMTU
	for pmtu < ib.MaxPMTU && r.OneIn(4) {
		pmtu *= 2
	}
	return pmtu
}

// headers draws what the headers of a well-formed packet say.
func (c *Case) headers(r *Rand, s *shape) {
	a, b := r.Uint64(), r.Uint64()
	p := &c.spec
	*p = wire.Spec{} // then field by field: a whole one would be made beside and copied
	p.Encap, p.TClass, p.IPID, p.SrcPort, p.PKey = s.encap, uint8(a), uint16(a>>8), uint16(a>>24)|0xC000, uint16(a>>40)
	p.DestQP, p.HopLimit = uint32(b), uint8(b>>24) // DestQP takes only 24 bits of b
	p.PSN = psn.PSN(b >> 32 & 0xFFFFFF)
	p.SE, p.MigReq, p.AckReq = a>>56&7 == 0, a>>59&1 == 0, a>>60&1 == 0
	p.FECN, p.BECN = a>>61&3 == 0, a>>62 == 0
	switch s.encap {
	case wire.EncapIBLocal:
		c.lrh(r)
	case wire.EncapIBGlobal:
		c.lrh(r)
		c.addresses(r)
	default:
		c.ethernet(r, s)
		c.addresses(r)
	}
	if s.op != nil {
		p.Opcode = s.op.Opcode
		c.extensions(r, s.op)
	}
	if r.OneIn(16) { // ignored on receive, but covered
		p.Resv6, p.Resv7 = uint8(r.Uint64()), uint8(r.Uint64())
	}
	p.UDPChecksum = r.OneIn(8)
	if r.OneIn(2) {
		p.IPFrag = 0x4000 // DF
	}
}

func (c *Case) lrh(r *Rand) {
	a := r.Uint64()
	c.spec.VL, c.spec.SL = uint8(a), uint8(a>>8)
	c.spec.DLID, c.spec.SLID = uint16(a>>16), uint16(a>>32)
}

func (c *Case) ethernet(r *Rand, s *shape) {
	a, b := r.Uint64(), r.Uint64()
	p := &c.spec
	putMAC(&p.DstMAC, a)
	putMAC(&p.SrcMAC, b)
	for i := range s.vlans {
		t := r.Uint64()
		c.tags[i] = wire.VLANTag{TPID: 0x8100, TCI: uint16(t)}
		if t>>16&1 == 0 {
			c.tags[i].TPID = 0x88A8
		}
	}
	p.VLANs = c.tags[:s.vlans]
	if s.optionWords > 0 {
		p.IPOptions = c.options[:4*s.optionWords]
		r.Fill(p.IPOptions)
	}
}

// putMAC makes the address of one station.
func putMAC(mac *[6]byte, a uint64) {
	binary.LittleEndian.PutUint32(mac[:], uint32(a)&^1)
	binary.LittleEndian.PutUint16(mac[4:], uint16(a>>32))
}

func (c *Case) addresses(r *Rand) {
	putGID(&c.spec.Src, r)
	putGID(&c.spec.Dst, r)
	c.spec.FlowLabel = uint32(r.Uint64()) & 0xFFFFF
}

// putGID fills an address as Fill does.
func putGID(gid *wire.GID, r *Rand) {
	binary.LittleEndian.PutUint64(gid[:8], r.Uint64())
	binary.LittleEndian.PutUint64(gid[8:], r.Uint64())
}

func (c *Case) extensions(r *Rand, op *ib.Info) {
	if op.Headers == 0 {
		return
	}
	p := &c.spec
	a, b := r.Uint64(), r.Uint64()
	p.VA, p.RKey, p.DMALen = a, uint32(b), uint32(b>>32)
	p.Syndrome, p.MSN, p.Immediate = ib.Syndrome(a>>24)&0x7F, uint32(b), uint32(a)
	p.InvRKey, p.XRCSRQ, p.EEContext = uint32(a>>32), uint32(b>>8), uint32(b>>16)
	p.QKey, p.SrcQP = uint32(b>>32), uint32(a>>8)
	p.FlushSEL, p.FlushPLT = uint8(a), uint8(a>>2)
	p.SwapAdd, p.Compare, p.Original = a^b, a+b, a-b
}
