package cover

import (
	"slices"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// CaptureStage is the name of the sheet of captures.
const CaptureStage = "captures"

// Captured counts what the packets of captures exercise, as `cosim check` judges them.
type Captured struct {
	*Sheet
	kinds, causes, checks, opcodes, forms, waits, falcons *Group
}

// packetKinds are what a packet asks or answers.
var packetKinds = Axis{"SEND", "WRITE", "READ request", "atomic request", "FLUSH or ATOMIC WRITE", "ACK",
	"sequence NAK", "RNR NAK", "fatal NAK", "READ response", "ATOMIC ACK", "UC request", "UD request", "CNP"}

const (
	kindRead    = 2
	kindAtomic  = 3
	kindAck     = 5
	kindSeqNAK  = 6
	kindRNR     = 7
	kindFatal   = 8
	kindReadRsp = 9
	kindAtomAck = 10
	kindUC      = 11
	kindUD      = 12
	kindCNP     = 13
)

// packetClasses are those of flow.Class from Expected on; of Other nothing was judged.
var packetClasses = Axis{"expected", "duplicate", "retransmission", "out of sequence", "ghost", "bad ICRC", "malformed",
	"not taken", "violation"}

var retryCauses = Axis{"sequence NAK", "timeout", "RNR NAK", "implied NAK", "no cause seen"}

// NewCaptured makes the sheet of captures.
func NewCaptured() *Captured {
	c := &Captured{Sheet: NewSheet(CaptureStage)}
	c.kinds = c.cross("rule: packet x how it stands", func(at []int, b *Bin) {
		b.Rules = rulesOfPacket(at[0], flow.Class(at[1])+flow.Expected)
	}, packetKinds, packetClasses)
	c.causes = c.cross("rule: sent again for", func(at []int, b *Bin) {
		b.Rules = [][]string{{"PSN-7", "REQ-4", "TMR-3"}, {"PSN-7", "TMR-1", "TMR-2", "TMR-3"}, {"PSN-7", "TMR-4", "TMR-5"},
			{"PSN-7", "REQ-3"}, {"PSN-7"}}[at[0]]
	}, retryCauses)
	c.checks = c.cross("rule: encapsulation x ICRC", func(at []int, b *Bin) {
		if rule := icrcRules[wire.Encap(at[0])]; rule != "" {
			b.Rules = []string{rule, "ADM-6"}
		} else {
			b.Ignored = "without an ICRC"
		}
	}, encaps(), Axis{"none", "good", "bad"})
	names := opcodes()
	c.opcodes = c.cross("rule: opcode", func(at []int, b *Bin) {
		if b.Rules = []string{"OPC-1", "OPC-2"}; names[at[0]] == "" {
			b.Name, b.Ignored = numbers(256)[at[0]], unwaited+"an opcode that no transport has"
		}
	}, names)
	c.forms = c.cross("rule: form", func(_ []int, b *Bin) { b.Rules = []string{"END-1", "ADM-2"} }, reasons())
	c.waits = c.cross("rule: code of an RNR NAK", func(_ []int, b *Bin) { b.Rules = []string{"TMR-6"} }, numbers(32))
	c.falcons = c.falconPackets()
	return c
}

var icrcRules = map[wire.Encap]string{wire.EncapIBLocal: "ICRC-1", wire.EncapIBGlobal: "ICRC-2",
	wire.EncapRoCEv1: "ICRC-3", wire.EncapRoCEv2IPv4: "ICRC-4", wire.EncapRoCEv2IPv6: "ICRC-5"}

// rulesOfPacket are the rules that say how a packet of a kind has to stand where it stands.
func rulesOfPacket(kind int, class flow.Class) (rules []string) {
	switch class {
	case flow.BadICRC:
		return []string{"ADM-6"}
	case flow.Malformed:
		return []string{"ADM-2", "END-1"}
	case flow.NotTaken:
		return []string{"ADM-1", "ADM-3", "ADM-4", "ADM-5"}
	case flow.Ghost:
		return []string{"PSN-3"}
	}
	switch kind {
	case kindUC:
		return []string{"PSN-1", "RSP-3", "LEN-1"}
	case kindUD:
		return []string{"RSP-4", "LEN-1"}
	case kindCNP:
		return []string{"CNP-3"}
	case kindAck:
		rules = []string{"PSN-3", "RSP-11", "RSP-13", "RSP-14", "CRD-1", "REQ-1"}
	case kindSeqNAK:
		rules = []string{"PSN-3", "RSP-2", "RSP-11", "RSP-14"}
	case kindRNR:
		rules = []string{"PSN-3", "RSP-9", "RSP-11", "RSP-14"}
	case kindFatal:
		rules = []string{"PSN-3", "RSP-1", "RSP-10", "RSP-14"}
	case kindReadRsp:
		rules = []string{"PSN-3", "PSN-4", "RSP-13", "RSP-14", "REQ-2", "LEN-1"}
	case kindAtomAck:
		rules = []string{"PSN-3", "RSP-13", "RSP-14", "REQ-2"}
	default:
		rules = requestRules(kind)
	}
	if class == flow.Duplicate || class == flow.Again {
		rules = append(rules, againRules(kind)...)
	}
	return rules
}

// requestRules are those of an RC request.
func requestRules(kind int) []string {
	rules := []string{"PSN-1", "PSN-2", "PSN-5"}
	switch kind {
	case kindRead:
		return append(rules, "PSN-4", "REQ-9")
	case kindAtomic:
		return append(rules, "RSP-12", "REQ-9")
	case kindAtomic + 1:
		return append(rules, "RSP-16", "REQ-9")
	}
	return append(rules, "LEN-1")
}

// againRules are those of a packet that comes again.
func againRules(kind int) []string {
	switch kind {
	case kindReadRsp:
		return []string{"RSP-7"}
	case kindAtomAck:
		return []string{"RSP-8"}
	case kindAck:
		return []string{"RSP-5", "CRD-4"}
	case kindRead:
		return []string{"PSN-7", "REQ-7"}
	}
	if kind < kindAck {
		return []string{"PSN-7", "REQ-5"}
	}
	return nil
}

// Take counts a packet and what was found about it. number is that of the packet in its capture.
func (c *Captured) Take(number uint64, p *wire.Packet, icrc wire.ICRCStatus, v *flow.Verdict) {
	if p.Encap == wire.EncapNone || p.Undecided() {
		return
	}
	c.record = number
	c.hit(c.checks, int(p.Encap), int(icrc))
	c.hit(c.forms, int(p.Bad.Reason))
	bth := p.BTH()
	if bth == nil {
		return
	}
	c.hit(c.opcodes, int(bth.Opcode()))
	if v.Class == flow.Other {
		return
	}
	kind := kindOf(p, bth.Opcode())
	c.hit(c.kinds, kind, int(v.Class-flow.Expected))
	if kind == kindRNR {
		c.hit(c.waits, int(p.AETH().Syndrome().Code()))
	}
	if v.Class == flow.Again {
		c.hit(c.causes, slices.Index([]roce.Rule{"REQ-4", "TMR-1", "TMR-4", "REQ-3", ""}, v.Cause))
	}
}

// kindOf is the number of a packet's kind; -1 where it has none.
func kindOf(p *wire.Packet, op ib.Opcode) int {
	info := ib.Lookup(op)
	switch {
	case info == nil:
		return -1
	case info.Transport == ib.UC:
		return kindUC
	case info.Transport == ib.UD:
		return kindUD
	case info.Transport == ib.CNP:
		return kindCNP
	}
	switch o := info.Operation; {
	case o == ib.Ack:
		return kindOfAck(p)
	case o == ib.AtomicAck:
		return kindAtomAck
	case info.Response:
		return kindReadRsp
	}
	switch op.Shape().Verb {
	case ib.VerbSend:
		return 0
	case ib.VerbWrite:
		return 1
	case ib.VerbRead:
		return kindRead
	case ib.VerbCmpSwap, ib.VerbFetchAdd:
		return kindAtomic
	case ib.VerbFlush, ib.VerbAtomicWrite:
		return kindAtomic + 1
	}
	return -1
}

func kindOfAck(p *wire.Packet) int {
	aeth := p.AETH()
	if aeth == nil {
		return -1
	}
	switch s := aeth.Syndrome(); {
	case s.Kind() == ib.KindAck:
		return kindAck
	case s.Kind() == ib.KindRNR:
		return kindRNR
	case s == ib.NAKSequence:
		return kindSeqNAK
	}
	return kindFatal
}
