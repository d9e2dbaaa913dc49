package cover

import (
	"fmt"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

func init() {
	for _, stage := range []string{"icrc_check", "icrc_insert", "vcrc_check", "roce_parse"} {
		declarations[stage] = declarePackets
	}
	declarations["psn_window"] = declarePSNWindow
}

type packets struct {
	*Observer
	beatBytes int
	vcrc      bool
	packet    wire.Packet

	verdicts, reasons, opcodes, residues, pads *Group
	tags, options                              *Group // nil of vcrc_check: an IB packet has neither
}

var frameLengths = Axis{"below 64", "64 to 127", "128 to 255", "256 to 511", "512 to 1023", "1024 to 2047",
	"2048 to 4223",
	"to 9216", "to 65535", "more"}

// leastBytes is the size of the smallest whole packet where it is not below 64.
var leastBytes = map[wire.Encap]int{wire.EncapRoCEv1: 70, wire.EncapRoCEv2IPv6: 78, wire.EncapIBGlobal: 66}

func frameLengthOf(n int) int {
	for i, limit := range []int{64, 128, 256, 512, 1024, 2048, 4224, 9217, 65536} {
		if n < limit {
			return i
		}
	}
	return 9
}

func encaps() (a Axis) {
	for e := wire.EncapNone; e <= wire.EncapRaw; e++ {
		a = append(a, e.String())
	}
	return a
}

func reasons() (a Axis) {
	for r := wire.WellFormed; r <= wire.Unaligned; r++ {
		a = append(a, r.String())
	}
	return a
}

func opcodes() (a Axis) {
	for op := range 256 {
		if i := ib.Lookup(ib.Opcode(op)); i != nil {
			a = append(a, i.Name)
		} else {
			a = append(a, "")
		}
	}
	return a
}

func declarePackets(o *Observer, s sim.Settings) {
	p := &packets{Observer: o, beatBytes: int(s.Get("DataWidth", 512)) / 8, vcrc: o.Stage == "vcrc_check"}
	ethernetOnly := func(e int) bool { return p.vcrc && wire.Encap(e).Link() != wire.LinkIB }
	rules := []string{"ICRC-1", "ICRC-4"}
	if p.vcrc {
		rules = nil // the VCRC has no rule by ID
	}
	p.verdicts = o.cross("rule: encapsulation x check x length of the frame", func(at []int, b *Bin) {
		b.Rules = rules
		switch {
		case ethernetOnly(at[0]):
			b.Ignored = unwaited + "the block takes IB packets only"
		case at[1] != 0 && (at[0] == int(wire.EncapNone) || !p.vcrc && at[0] == int(wire.EncapRaw)):
			b.Ignored = "without the CRC"
		case at[1] == 0 && at[0] == int(wire.EncapRaw) && p.vcrc:
			b.Ignored = "its last two bytes are taken for the VCRC, whatever they are"
		case at[2] >= 7:
			b.Ignored = unwaited + "beyond the largest packet: met in malformed frames only"
		case at[1] == 0 && at[0] != int(wire.EncapNone) && at[0] != int(wire.EncapRaw):
			b.Ignored = "a packet without its CRC is malformed: the group of forms has it"
		case at[1] != 0 && at[2] == 0 && leastBytes[wire.Encap(at[0])] >= 64:
			b.Ignored = unwaited + "a whole packet is longer"
		}
	}, encaps(), Axis{"none", "good", "bad"}, frameLengths)
	p.reasons = o.cross("rule: encapsulation x form", func(at []int, b *Bin) {
		b.Rules = []string{"END-1"}
		if ethernetOnly(at[0]) {
			b.Ignored = unwaited + "the block takes IB packets only"
		}
		if at[1] != 0 {
			b.Ignored = unwaited + "which forms an encapsulation can have, the scenario malformed says"
		}
	}, encaps(), reasons())
	names := opcodes()
	p.opcodes = o.cross("opcode", func(at []int, b *Bin) {
		if names[at[0]] == "" {
			b.Name, b.Ignored = numbers(256)[at[0]], unwaited+"an opcode that no transport has (OPC-1)"
		}
	}, names)
	p.residues = o.cross(fmt.Sprintf("bytes in the last beat of %d", p.beatBytes), nil, numbers(p.beatBytes))
	p.pads = o.cross("pad x AckReq x MigReq", nil, numbers(4), Axis{"0", "1"}, Axis{"0", "1"})
	if !p.vcrc {
		p.declareShifts()
	}
	o.pair = p.count
	o.blame = func(*sim.Record, []byte) string { return "" }
	if o.Stage != "roce_parse" && !p.vcrc {
		o.blame = func(*sim.Record, []byte) string { return rules[0] }
	}
}

// declareShifts has what moves a header from where it mostly is.
func (p *packets) declareShifts() {
	p.tags = p.cross("rule: encapsulation x VLAN tags x check", func(at []int, b *Bin) {
		b.Rules = []string{"ICRC-3", "ICRC-4", "ICRC-5"}[at[0] : at[0]+1]
	}, Axis{"RoCEv1", "RoCEv2 IPv4", "RoCEv2 IPv6"}, Axis{"0", "1", "2"}, Axis{"good", "bad"})
	p.options = p.cross("rule: words of IPv4 options x check", func(_ []int, b *Bin) { b.Rules = []string{"ICRC-4"} },
		numbers(11), Axis{"good", "bad"})
	for _, g := range []*Group{p.tags, p.options} {
		for i := range g.Bins {
			if p.Stage == "icrc_insert" && i%2 == 0 {
				g.Bins[i].Ignored = "what comes in has a placeholder"
			}
		}
	}
}

func (p *packets) count(in, _ *sim.Record) {
	link := wire.Link(in.User & 1)
	if p.vcrc {
		link = wire.LinkIB
	}
	frame := in.Data
	wire.Decode(link, frame, &p.packet)
	check := 0
	if p.vcrc {
		status, _, _ := wire.CheckVCRC(frame)
		check = int(status)
	} else {
		loc := wire.Locate(link, frame)
		check = int(wire.CheckICRC(frame, &loc))
	}
	p.hit(p.verdicts, int(p.packet.Encap), check, frameLengthOf(len(frame)))
	p.hit(p.reasons, int(p.packet.Encap), int(p.packet.Bad.Reason))
	p.hit(p.residues, len(frame)%p.beatBytes)
	if p.tags != nil && check > 0 {
		p.hit(p.tags, int(p.packet.Encap)-int(wire.EncapRoCEv1), int(p.packet.VLANs), check-1)
		if p.packet.Encap == wire.EncapRoCEv2IPv4 {
			p.hit(p.options, int(frame[p.packet.Net]&15)-5, check-1)
		}
	}
	if bth := p.packet.BTH(); bth != nil {
		p.hit(p.opcodes, int(bth.Opcode()))
		p.hit(p.pads, int(bth.Pad()), bit(bth.AckReq()), bit(bth.MigReq()))
	}
}

func bit(v bool) int {
	if v {
		return 1
	}
	return 0
}

// declarePSNWindow has every class with every distance.
func declarePSNWindow(o *Observer, _ sim.Settings) {
	g := o.cross("rule: side x distance", func(at []int, b *Bin) {
		b.Rules = [][]string{{"PSN-2"}, {"PSN-3"}}[at[0]]
	}, Axis{"responder", "requester"}, distances)
	outstanding := o.cross("requester: PSN against base x PSNs outstanding", func(at []int, b *Bin) {
		switch last := len(distances) - 1; {
		case at[1] >= 24 && at[1] < last:
			b.Ignored = unwaited + "next lies behind base, more than 2^23 ahead of it, which PSN-5 rules out"
		case at[0] == 2 && at[1] < 2, at[0] == 3 && at[1] == 0, at[0] == 4 && at[1] == last:
			b.Ignored = "no PSN lies there"
		}
	}, Axis{"behind", "at base", "inside", "at next", "beyond"}, distances)
	classes := o.cross("class", nil, Axis{"expected", "duplicate", "out of sequence", "unacknowledged", "acknowledged",
		"ghost"})
	o.blame = func(in *sim.Record, _ []byte) string {
		q := hca.ParsePSNQuery(in.Data)
		return []string{"PSN-2", "PSN-3"}[bit(q.Requester)]
	}
	o.pair = func(in, out *sim.Record) {
		q := hca.ParsePSNQuery(in.Data)
		o.hit(g, bit(q.Requester), distanceOf(q.PSN.Diff(q.Base)))
		l := sim.ReadLayout(out.Data)
		var class uint8
		l.Put(0, 24)
		sim.Field(&l, &class, 3)
		o.hit(classes, map[uint8]int{0: 0, 1: 1, 2: 2, 4: 3, 5: 4, 6: 5}[class])
		if q.Requester {
			o.hit(outstanding, sideOf(q), distanceOf(q.Next.Diff(q.Base)))
		}
	}
}

// sideOf is where a response's PSN lies against what is outstanding.
func sideOf(q hca.PSNQuery) int {
	switch d, n := q.PSN.From(q.Base), q.Next.From(q.Base); {
	case d < 0:
		return 0
	case d == 0:
		return 1
	case d < n:
		return 2
	case d == n:
		return 3
	}
	return 4
}
