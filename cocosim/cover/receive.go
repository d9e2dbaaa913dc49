package cover

import (
	"fmt"
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// The sheets of the receive path: icrc_gate, rx_classify, mr_lookup, ack_gen and hca_rx.
func init() {
	declarations["icrc_gate"] = declareGate
	declarations["rx_classify"] = declareClassify
	declarations["mr_lookup"] = declareKeys
	declarations["ack_gen"] = declareAnswers
	declarations["hca_rx"] = declareReceive
}

// number reads bits low to high of a record.
func number(data []byte, low, high int) (n uint64) {
	for i := high; i >= low; i-- {
		n = n<<1 | uint64(data[i/8]>>(i%8)&1)
	}
	return n
}

var gateWhys = Axis{"passed", "too long", "not RoCE", "malformed", "bad ICRC", "no such verdict"}

// gateRules are of each reason.
var gateRules = [][]string{{"ADM-2", "ADM-6"}, {"END-1"}, nil, {"ADM-2"}, {"ADM-6"}, nil}

// encapsWith7 are the encapsulations of a header record; 7 is none.
func encapsWith7() Axis { return append(encaps(), "7") }

// gateGroup has why a frame passes or not, by its encapsulation. given says that the verdict is icrc_check's own.
func (o *Observer) gateGroup(given bool) *Group {
	return o.cross("rule: why x encapsulation", func(at []int, b *Bin) {
		b.Rules = gateRules[at[0]]
		none := at[1] == int(wire.EncapNone) || at[1] >= int(wire.EncapRaw)
		switch {
		case at[0] == 0 && none:
			b.Illegal = "without an ICRC nothing passes"
		case given && (at[0] == 5 || at[1] == 7):
			b.Ignored = "icrc_check gives no such verdict"
		case given && at[0] == 2 && !none, given && at[0] == 4 && none, given && at[0] == 3 && at[1] == int(wire.EncapRaw):
			b.Ignored = "icrc_check gives no such verdict: an encapsulation that is known has an ICRC"
		case given && at[0] == 1 && at[1] != 0:
			b.Ignored = unwaited + "which frames are too long, the coverage of icrc_gate has by encapsulation"
		case given && at[0] == 3 && at[1] == 0:
			b.Ignored = unwaited + "malformed without an encapsulation: met in the coverage of icrc_check"
		}
	}, gateWhys, encapsWith7())
}

// aroundLongest are lengths of frames about the longest that passes.
var aroundLongest = Axis{"to 4350", "4351", "4352", "4353", "more"}

func declareGate(o *Observer, s sim.Settings) {
	o.paired = 2 // m_rec: m_axis has what passed only
	whys := o.gateGroup(false)
	lengths := o.cross("frame length x why", func(at []int, b *Bin) {
		if (at[0] >= 3) != (at[1] == 1) {
			b.Illegal = "4352 bytes are the longest"
		} else if at[0] > 0 && at[0] < 3 && at[1] != 0 {
			b.Ignored = unwaited + "dropped for another reason, it says nothing of the longest"
		}
	}, aroundLongest, gateWhys)
	beat := int(s.Get("DataWidth", 512)) / 8
	last := o.cross(fmt.Sprintf("bytes in the last beat of %d x passed", beat), nil, numbers(beat),
		Axis{"dropped", "passed"})
	runs := o.cross("why x why of the frame before", nil, gateWhys, gateWhys)
	before := -1
	o.restart = append(o.restart, func() { before = -1 })
	o.blame = func(_ *sim.Record, want []byte) string {
		if rules := gateRules[min(number(want, 0, 2), 5)]; len(rules) > 0 {
			return rules[len(rules)-1]
		}
		return ""
	}
	o.pair = func(in, out *sim.Record) {
		why := int(number(out.Data, 0, 2))
		o.hit(whys, why, int(number(out.Data, 5, 7)))
		o.hit(lengths, min(max(len(in.Data)-4350, 0), 4), why)
		o.hit(last, len(in.Data)%beat, bit(why == 0))
		o.hit(runs, why, before)
		before = why
	}
}

var classifyOps = Axis{"packet", "set", "remove", "address", "P_Key", "5", "6", "7"}

var classifyWhys = Axis{"good", "not RoCE", "raw", "address", "malformed", "no QP", "service", "not live", "peer",
	"no GRH", "P_Key", "no such", "index taken", "wrong bits in the word"}

var classifyRules = [][]string{{"ADM-1", "ADM-2", "ADM-3", "ADM-4", "ADM-5"}, nil, nil, {"ADM-1"}, {"ADM-2"}, {"ADM-3"},
	{"ADM-3", "OPC-1"}, {"ADM-3", "RSP-15"}, {"ADM-4"}, {"ADM-4"}, {"ADM-5"}, nil, nil, {"ECC-6"}}

// classifyMayBe are the reasons of each operation.
var classifyMayBe = [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {0, 11, 12}, {0, 5}, {0, 11}, {0}, {11}, {11}, {11}}

// classifyMayBeCoded are those of a memory with a code: a packet may find that its QP was lost, 6 injects, 7 counts.
var classifyMayBeCoded = [][]int{append(slices.Clone(classifyMayBe[0]), classifyLost), {0, 11, 12}, {0, 5}, {0, 11},
	{0}, {11}, {0, 11}, {0}}

const classifyLost = int(hca.ClassifyLost)

var classes = Axis{"dropped", "request", "response", "CNP", "done", "ignored"}

// mayBe declares operation x reason, illegal where the document has no such reason.
func (o *Observer) mayBe(ops, whys Axis, allowed [][]int, rules func(op, why int) []string) *Group {
	return o.cross("rule: operation x reason", func(at []int, b *Bin) {
		if b.Rules = rules(at[0], at[1]); !slices.Contains(allowed[at[0]], at[1]) {
			b.Illegal = "the document has no such reason"
		}
	}, ops, whys)
}

// coding chooses what may be without a code in the memory, or with one.
func coding(coded bool, without, with [][]int) [][]int {
	if coded {
		return with
	}
	return without
}

// since counts how long ago the last record of a number was.
type since struct {
	o     *Observer
	group *Group
	last  map[uint64]uint64
}

func (o *Observer) newSince(what string) *since {
	s := &since{o, o.cross("cycles since the "+what+"'s last record", nil, distancesInTime), map[uint64]uint64{}}
	o.restart = append(o.restart, func() { clear(s.last) })
	return s
}

func (s *since) count(in *sim.Record, of uint64) {
	if end, known := s.last[of]; known {
		s.o.hit(s.group, gapOf(in.Start-end-1))
	}
	s.last[of] = in.End
}

func declareClassify(o *Observer, s sim.Settings) {
	coded := s.Get("Ecc", 0) != 0
	allowed := coding(coded, classifyMayBe, classifyMayBeCoded)
	whys := o.mayBe(classifyOps, classifyWhys, allowed, func(op, why int) []string {
		if op == 0 {
			return classifyRules[why]
		}
		return nil
	})
	byEncap := o.cross("packet: reason x encapsulation", func(at []int, b *Bin) {
		e, none := at[1], at[1] == int(wire.EncapNone) || at[1] == 7
		switch local := e == int(wire.EncapIBLocal); {
		case none != (at[0] == 1), (e == int(wire.EncapRaw)) != (at[0] == 2), at[0] > 10 && (at[0] != classifyLost || !coded):
			b.Illegal = "the encapsulation alone decides"
		case at[0] == 9 && !local:
			b.Illegal = "its path has a GRH"
		}
	}, classifyWhys, encapsWith7())
	taken := o.cross("rule: class x service", func(at []int, b *Bin) {
		b.Rules = [][]string{nil, {"ADM-3"}, {"ADM-3", "OPC-1"}, {"CNP-4"}}[at[0]]
		switch {
		case at[0] == 0 && at[1] > 0:
			b.Ignored = "service is 0 where nothing is classified"
		case at[0] == 2 && at[1] > 0:
			b.Illegal = "responses are of RC"
		}
	}, classes[:4], Axis{"RC", "UC", "UD"})
	opcode := o.cross("opcode x good or not", func(at []int, b *Bin) {
		if at[1] == 1 && opcodes()[at[0]] == "" {
			b.Illegal = "an opcode that no transport has"
		} else if at[1] == 1 && at[0] != 0x81 && (at[0] >= 0x40 && at[0] < 0x60 || at[0] >= 0x80) {
			b.Illegal = "of no service that there is"
		}
	}, numbers(256), Axis{"dropped", "taken"})
	near := o.newSince("QP")
	o.blame = func(_ *sim.Record, want []byte) string {
		if rules := classifyRules[min(number(want, 43, 46), uint64(len(classifyRules)-1))]; len(rules) == 1 {
			return rules[0]
		}
		return ""
	}
	o.pair = func(in, out *sim.Record) {
		op, why := int(number(in.Data, 0, 2)), int(number(out.Data, 43, 46))
		o.hit(whys, op, why)
		near.count(in, number(in.Data, 18, 41))
		if op != 0 {
			return
		}
		o.hit(byEncap, why, int(number(in.Data, 7, 9)))
		o.hit(taken, int(number(out.Data, 40, 42)), int(number(out.Data, 50, 51)))
		o.hit(opcode, int(number(in.Data, 10, 17)), bit(why == 0))
	}
}

var keyOps = Axis{"check", "set", "remove", "invalidate", "4", "5", "6", "7"}

var keyWhys = Axis{"good", "no such key", "domain", "permission", "bounds", "no window", "no such", "index taken"}

var keyMayBe = [][]int{{0, 1, 2, 3, 4, 5}, {0, 6, 7}, {0, 1}, {0, 1, 2, 5}, {6}, {6}, {6}, {6}}

// keyMayBeCoded are those of a memory with a code: 6 injects, 7 counts.
var keyMayBeCoded = append(slices.Clone(keyMayBe[:6]), []int{0, 6}, []int{0})

func declareKeys(o *Observer, s sim.Settings) {
	whys := o.mayBe(keyOps, keyWhys, coding(s.Get("Ecc", 0) != 0, keyMayBe, keyMayBeCoded), func(op, _ int) []string {
		return [][]string{{"RSP-1", "RSP-7"}, nil, nil, {"RSP-1"}, nil, nil, nil, nil}[op]
	})
	asked := o.cross("check: permissions asked x reason", func(at []int, b *Bin) {
		if at[0] != 0 && at[1] == 5 {
			b.Ignored = unwaited + "a SEND with invalidate, which needs a window, asks for no permission"
		}
	}, numbers(32), keyWhys[:6])
	lengths := o.cross("rule: check: length x whole x reason", func(at []int, b *Bin) {
		if b.Rules = []string{"RSP-1"}; at[1] == 1 {
			b.Rules = []string{"RSP-16"}
		}
		if at[1] == 1 && at[2] == 4 {
			b.Illegal = "of a whole region no bounds are looked at"
		}
		if at[1] == 0 && at[2] == 5 {
			b.Ignored = unwaited + "a SEND with invalidate asks for no range"
		}
	}, Axis{"0", "1", "below 2^12", "below 2^32", "more"}, Axis{"range", "whole"}, keyWhys[:6])
	windows := o.cross("set: window x done", nil, Axis{"region", "window"}, Axis{"refused", "done"})
	near := o.newSince("key's index")
	o.blame = func(in *sim.Record, _ []byte) string {
		if number(in.Data, 0, 2) == 0 && number(in.Data, 192, 192) == 1 {
			return "RSP-16"
		}
		return "RSP-1"
	}
	o.pair = func(in, out *sim.Record) {
		op, why := int(number(in.Data, 0, 2)), int(number(out.Data, 100, 102))
		o.hit(whys, op, why)
		near.count(in, number(in.Data, 11, 34))
		switch op {
		case 0:
			o.hit(asked, int(number(in.Data, 187, 191)), why)
			o.hit(lengths, rangeOf(number(in.Data, 123, 186)), int(number(in.Data, 192, 192)), why)
		case 1:
			o.hit(windows, int(number(in.Data, 193, 193)), bit(why == 0))
		}
	}
	watchKeys(o, uint32(s.Get("NumQps", 4096)), s.Get("Ecc", 0) != 0)
}

func rangeOf(length uint64) int {
	switch {
	case length < 2:
		return int(length)
	case length < 1<<12:
		return 2
	case length < 1<<32:
		return 3
	}
	return 4
}
