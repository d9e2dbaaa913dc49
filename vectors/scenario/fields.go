package scenario

import (
	mathbits "math/bits"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// effect is what changing a field does to the verdict on the ICRC (ICRC-1 to ICRC-5).
type effect uint8

const (
	ignored effect = iota // outside the ICRC or forced to ones in it: the verdict stays
	covered               // the ICRC no longer fits
)

// field is a run of bits in a header. Bit 0 is the high bit of byte 0. Fields that decide where the packet is and where
// it ends stand in no table: what a change of them does is not told by the ICRC alone.
type field struct {
	name      string
	bit, bits int
	effect    effect
}

var ethernetFields = []field{
	{"destination MAC", 0, 48, ignored},
	{"source MAC", 48, 48, ignored},
}

var vlanFields = []field{{"VLAN TCI", 16, 16, ignored}}

var ipv4Fields = []field{
	{"TOS", 8, 8, ignored},
	{"IP identification", 32, 16, covered},
	{"IP reserved flag and DF", 48, 2, covered},
	{"TTL", 64, 8, ignored},
	{"IP checksum", 80, 16, ignored},
	{"IP source", 96, 32, covered},
	{"IP destination", 128, 32, covered},
}

// ipv6Fields are those of the GRH too.
var ipv6Fields = []field{
	{"TClass", 4, 8, ignored},
	{"FlowLabel", 12, 20, ignored},
	{"HopLimit", 56, 8, ignored},
	{"source address", 64, 128, covered},
	{"destination address", 192, 128, covered},
}

var udpFields = []field{
	{"UDP source port", 0, 16, covered},
	{"UDP checksum", 48, 16, ignored},
}

var lrhLocalFields = []field{
	{"LRH VL", 0, 4, ignored},
	{"LRH LVer", 4, 4, covered},
	{"LRH SL", 8, 4, covered},
	{"LRH reserved 2", 12, 2, covered},
	{"DLID", 16, 16, covered},
	{"LRH reserved 5", 32, 5, covered},
	{"SLID", 48, 16, covered},
}

// lrhGlobalFields: with a GRH the whole LRH counts as ones (ICRC-2).
var lrhGlobalFields = []field{
	{"LRH VL", 0, 4, ignored},
	{"LRH LVer", 4, 4, ignored},
	{"LRH SL", 8, 4, ignored},
	{"LRH reserved 2", 12, 2, ignored},
	{"DLID", 16, 16, ignored},
	{"LRH reserved 5", 32, 5, ignored},
	{"SLID", 48, 16, ignored},
}

var bthFields = []field{
	{"opcode", 0, 8, covered},
	{"SE", 8, 1, covered},
	{"MigReq", 9, 1, covered},
	{"pad count", 10, 2, covered},
	{"TVer", 12, 4, covered},
	{"PKey", 16, 16, covered},
	{"FECN", 32, 1, ignored},
	{"BECN", 33, 1, ignored},
	{"BTH reserved 6", 34, 6, ignored},
	{"DestQP", 40, 24, covered},
	{"AckReq", 64, 1, covered},
	{"BTH reserved 7", 65, 7, covered},
	{"PSN", 72, 24, covered},
}

// transportFields are those of BTH and extension headers by opcode; index 256 is for unknown ones.
var transportFields = func() (tables [257][]field) {
	tables[256] = bthFields
	for _, op := range opcodes {
		fields := append([]field(nil), bthFields...)
		for h := range ib.AllHeaders() {
			if op.Headers.Has(h) {
				fields = append(fields, field{h.String(), 8 * op.Offset(h), 8 * h.Bytes(), covered})
			}
		}
		tables[op.Opcode] = fields
	}
	return tables
}()

// headFields are those of all headers before UDP and BTH, by encapsulation and VLAN tags, from the start of the frame.
var headFields = func() (tables [wire.EncapIBGlobal + 1][4][]field) {
	for _, encap := range encaps {
		for vlans := range tables[encap] {
			var all []field
			place := func(at int, fields []field) {
				for _, f := range fields {
					all = append(all, f.behind(at))
				}
			}
			switch encap {
			case wire.EncapIBLocal:
				place(0, lrhLocalFields)
			case wire.EncapIBGlobal:
				place(0, lrhGlobalFields)
				place(ib.LRHBytes, ipv6Fields)
			default:
				place(0, ethernetFields)
				for i := range vlans {
					place(12+4*i, vlanFields)
				}
				s := shape{encap: encap, vlans: vlans}
				place(s.netOffset(), ipFields[encap])
			}
			tables[encap][vlans] = all
		}
	}
	return tables
}()

// ipFields are those of IP and GRH on Ethernet.
var ipFields = map[wire.Encap][]field{wire.EncapRoCEv1: ipv6Fields, wire.EncapRoCEv2IPv4: ipv4Fields,
	wire.EncapRoCEv2IPv6: ipv6Fields}

// layout is where the parts of a generated packet are, known because it was just built that way.
type layout struct {
	net, transport, payload, end int // end: behind the ICRC

	// The fields, gathered when the first is picked: most packets never need them.
	head, udp, bth []field  // of the headers: those before the transport from byte 0 on, others from their own
	loose          [4]field // of no fixed size: options, payload, pad; and the ICRC
	numLoose       int
	count          int // of all fields
}

// lay finds the places of a packet that was built from the shape, before anything is done to it.
func (l *layout) lay(s *shape) {
	l.count = 0
	l.net = s.netOffset()
	l.transport = l.net + s.networkBytes()
	l.payload = l.transport + s.transportBytes()
	l.end = l.payload + pad4(s.payload) + ib.ICRCBytes
}

func (l *layout) gather(s *shape) {
	l.numLoose = 0
	opcode := 256
	if s.op != nil {
		opcode = int(s.op.Opcode)
	}
	l.head, l.udp, l.bth = headFields[s.encap][s.vlans], nil, transportFields[opcode]
	if s.encap == wire.EncapRoCEv2IPv4 || s.encap == wire.EncapRoCEv2IPv6 {
		l.udp = udpFields
	}
	l.count = len(l.head) + len(l.udp) + len(l.bth)
	l.add("IP options", l.net+20, 4*s.optionWords)
	l.add("payload", l.payload, s.payload)
	l.add("pad", l.payload+s.payload, pad4(s.payload)-s.payload)
	l.add("ICRC", l.end-ib.ICRCBytes, ib.ICRCBytes)
}

// add adds a run of covered bytes, unless it is empty.
func (l *layout) add(name string, at, bytes int) {
	if bytes > 0 {
		l.loose[l.numLoose] = field{name, 8 * at, 8 * bytes, covered}
		l.numLoose++
		l.count++
	}
}

// nth returns a field with its bit counted from the start of the frame.
func (l *layout) nth(n int) field {
	if n < len(l.head) {
		return l.head[n]
	}
	if n -= len(l.head); n < len(l.udp) {
		return l.udp[n].behind(l.transport - 8)
	}
	if n -= len(l.udp); n < len(l.bth) {
		return l.bth[n].behind(l.transport)
	}
	return l.loose[n-len(l.bth)]
}

// behind is the field with its bit counted from so many bytes before.
func (f field) behind(bytes int) field {
	f.bit += 8 * bytes
	return f
}

// pick draws a field of an effect. There is one: MAC addresses or VL on one side, BTH and ICRC on the other.
func (c *Case) pick(r *Rand, e effect) field {
	l := &c.layout
	if l.count == 0 {
		l.gather(&c.shape)
	}
	for {
		if f := l.nth(r.Below(l.count)); f.effect == e {
			return f
		}
	}
}

// change gives a field of at most 64 bits another value. Of a longer one it changes up to four neighbouring bytes.
func (f *field) change(r *Rand, frame []byte) {
	bit, bits := f.bit, f.bits
	if bits > 32 {
		bit, bits = f.bit+8*r.Below(bits/8-3), 32
	}
	invert(frame, bit, max(1, r.Uint64()>>(64-bits)))
}

// invert inverts bits of a frame: the low bit of the pattern is the first one.
func invert(frame []byte, bit int, pattern uint64) {
	// as the frame has them, the first bit of the first byte on top
	for v := mathbits.Reverse64(pattern) >> (bit % 8); v != 0; v <<= 8 {
		frame[bit/8] ^= byte(v >> 56)
		bit += 8
	}
}

// flip inverts a bit; bit 0 is the high bit of byte 0.
func flip(frame []byte, bit int) { frame[bit/8] ^= 0x80 >> (bit % 8) }
