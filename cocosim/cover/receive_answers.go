package cover

import (
	"fmt"
	"strings"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

var answerOps = Axis{"answer", "set", "own", "CNP", "answer of an atomic", "READ response", "6", "7"}

var answerWhys = Axis{"sent or done", "no QP", "no way back", "no such operation"}

// answerRules are those of what each operation sends.
var answerRules = [][]string{{"RSP-14"}, nil, nil, {"CNP-1", "CNP-3"}, {"RSP-14", "OPC-2"},
	{"RSP-14", "OPC-2", "LEN-1"}, nil, nil}

// answerSheet is the sheet of ack_gen.
type answerSheet struct {
	o    *Observer
	beat int

	whys, ways, forms, syndromes, ecn, reads, begins *Group
}

func declareAnswers(o *Observer, s sim.Settings) {
	a := answerSheet{o: o, beat: int(s.Get("DataWidth", 512)) / 8}
	allowed := [][]int{{0, 1, 2}, {0}, {0}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2, 3}, {3}, {3}}
	a.whys = o.mayBe(answerOps, answerWhys, allowed, func(op, _ int) []string { return answerRules[op] })
	a.declareWays()
	a.syndromes = o.cross("syndrome of what is sent", nil, Axis{"ACK", "RNR NAK", "reserved", "NAK"}, numbers(32))
	a.reads = o.cross("rule: READ response x bytes of its payload modulo 4", func(_ []int, b *Bin) {
		b.Rules = []string{"OPC-2", "LEN-1"}
	}, Axis{"First", "Middle", "Last", "Only"}, numbers(4))
	possible := a.possibleBegins()
	a.begins = o.cross(fmt.Sprintf("half of the byte of the beat of %d where a payload begins x beats it goes to", a.beat),
		func(at []int, b *Bin) {
			if !possible[at[0]] || at[0] == 0 && at[1] == 1 {
				b.Ignored = "no headers end there, or nothing goes around"
			}
		}, numbers(a.beat/2), Axis{"as many as it has", "one more"})
	near := o.newSince("QP")
	o.blame = func(*sim.Record, []byte) string { return "RSP-14" }
	o.asks = func(in *sim.Record) bool { return in.Port == 0 }
	o.pair = func(in, out *sim.Record) {
		near.count(in, number(in.Data, 3, 26))
		a.count(in.Data, int(number(out.Data, 27, 28)))
	}
}

func (a *answerSheet) declareWays() {
	none := func(encap int) bool { return encap == int(wire.EncapNone) || encap >= int(wire.EncapRaw) }
	a.ways = a.o.cross("rule: encapsulation x VLAN tags of what is sent", func(at []int, b *Bin) {
		if b.Rules = []string{"RSP-14"}; none(at[0]) {
			b.Illegal = "an encapsulation without responses"
		}
	}, encapsWith7(), numbers(4))
	a.forms = a.o.cross("rule: encapsulation x frame", func(at []int, b *Bin) {
		op := []int{0, 3, 4, 5}[at[1]]
		switch b.Rules = answerRules[op]; {
		case none(at[0]):
			b.Illegal = "an encapsulation without responses"
		case op == 3 && at[0] != int(wire.EncapRoCEv2IPv4) && at[0] != int(wire.EncapRoCEv2IPv6):
			b.Illegal = "CNP-1"
		}
	}, encapsWith7(), Axis{answerOps[0], answerOps[3], answerOps[4], answerOps[5]})
	a.ecn = a.o.cross("rule: ECN bits of the request x encapsulation", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-14"}
		if at[1] == int(wire.EncapIBLocal) || none(at[1]) {
			b.Ignored = unwaited + "an IB local packet has no ECN bits"
		}
	}, numbers(4), encapsWith7())
}

// answerHead is how many bytes of headers stand before the payload of a READ response.
func answerHead(encap, tags, aeth int) int {
	if encap >= int(wire.EncapIBLocal) {
		tags = 0
	}
	return [8]int{1: 54, 2: 42, 3: 62, 4: 8, 5: 48}[encap] + 4*min(tags, 2) + 12 + 4*aeth
}

// possibleBegins are the halves of bytes of a beat where headers can end.
func (a *answerSheet) possibleBegins() map[int]bool {
	possible := map[int]bool{}
	for encap := 1; encap <= 5; encap++ {
		for tags := range 3 {
			for aeth := range 2 {
				possible[answerHead(encap, tags, aeth)%a.beat/2] = true
			}
		}
	}
	return possible
}

// count notes a record and what became of it.
func (a *answerSheet) count(in []byte, why int) {
	op := int(number(in, 0, 2))
	a.o.hit(a.whys, op, why)
	if op == 1 || op == 2 || why != 0 {
		return
	}
	encap, tags, syndrome := int(number(in, 83, 85)), int(number(in, 86, 87)), ib.Syndrome(number(in, 75, 82))
	a.o.hit(a.ways, encap, tags)
	a.o.hit(a.forms, encap, max(0, op-2))
	a.o.hit(a.ecn, int(number(in, 188, 189)), encap)
	if op == 0 {
		a.o.hit(a.syndromes, int(syndrome>>5&3), int(syndrome.Code()))
	}
	if op == 5 {
		part, bytes := int(number(in, 564, 571))-0x0D, int(number(in, 572, 584))
		a.o.hit(a.reads, part, bytes%4)
		if bytes > 0 {
			begin := answerHead(encap, tags, bit(part != 1)) % a.beat
			a.o.hit(a.begins, begin/2, (begin+bytes-1)/a.beat-(bytes-1)/a.beat)
		}
	}
}

// The ports of hca_rx.
const (
	receiveOps     sim.Port = 1
	receiveAcks    sim.Port = 2
	receiveGate    sim.Port = 3
	receiveRecords sim.Port = 4
	receiveWrites  sim.Port = 5
	receiveTold    sim.Port = 7
	receiveAnswers sim.Port = 8
)

// declareReceive has what a frame comes to in hca_rx, block by block.
func declareReceive(o *Observer, s sim.Settings) {
	coded := s.Get("Ecc", 0) != 0
	o.paired, o.silent = receiveGate, receiveOps
	gates := o.gateGroup(true)
	dropped := o.receiveDropped(coded)
	verdicts := o.cross("rule: reason x outcome",
		func(at []int, b *Bin) { receiveBin(at[0], at[1], b, coded) }, respReasons, respOutcomes)
	placed := o.cross("rule: outcome x payload placed", func(at []int, b *Bin) {
		if b.Rules = []string{"DMA-3"}; at[0] != 0 && at[1] == 1 {
			b.Illegal = "no byte of what is not executed is written"
		}
		if at[0] == 4 || at[0] == 5 {
			b.Ignored = "of operations"
		}
	}, respOutcomes, Axis{"nothing", "payload"})
	goes, used := o.receivePlaces()
	out := o.cross("what leaves", nil, Axis{"record", "write", "answer"})
	told, marks := o.receiveMemory(), o.receiveMarks()
	o.other = func(r *sim.Record) {
		switch r.Port {
		case receiveRecords:
			marks.record(r.Data)
			class := int(number(r.Data, 48, 50))
			o.hit(dropped, class, int(number(r.Data, 51, 54)))
			if class == 1 {
				verdict := int(number(r.Data, 55, 57))
				o.hit(verdicts, int(number(r.Data, 58, 62)), verdict)
				o.hit(placed, verdict, int(number(r.Data, 67, 67)))
				wqe := number(r.Data, 164, 195)
				if o.hit(used, bit(wqe != 0), int(number(r.Data, 66, 66))); number(r.Data, 67, 67) == 1 {
					o.hit(goes, bit(number(r.Data, 68, 131) == 0), bit(number(r.Data, 132, 163) != 0))
				}
			}
			o.hit(out, 0)
		case receiveWrites:
			o.hit(out, 1)
		case receiveTold:
			r := hca.ParseDMARecord(r.Data)
			o.hit(told, tells(&r), dmaStatus(r.Status))
		case receiveAnswers:
			marks.leave(r)
			o.hit(out, 2)
		}
	}
	o.pair = func(in, r *sim.Record) {
		why := int(number(r.Data, 0, 2))
		if o.hit(gates, why, int(number(r.Data, 5, 7))); why == 0 {
			marks.pass(in)
		}
	}
}

// receiveDropped declares why rx_classify drops; coded says that a word of it may be lost.
func (o *Observer) receiveDropped(coded bool) *Group {
	return o.cross("rule: class x why of rx_classify", func(at []int, b *Bin) {
		switch b.Rules = classifyRules[at[1]]; {
		case at[0] >= 4 || at[1] >= 11 && at[1] != classifyLost:
			b.Illegal = "an operation gives no record"
		case (at[0] == 0) == (at[1] == 0):
			b.Illegal = "dropped is what has a reason"
		case at[1] == classifyLost && !coded:
			b.Ignored = "the memory has no code"
		case at[1] == 1 || at[1] == 2 || at[1] == 4:
			b.Ignored = unwaited + "the gate has dropped most of it before"
		}
	}, classes, classifyWhys)
}

// receivePlaces declares where payload goes, and whose receive WQE it uses.
func (o *Observer) receivePlaces() (goes, used *Group) {
	goes = o.cross("rule: where payload goes x how far its message has come", func(_ []int, b *Bin) {
		b.Rules = []string{"RSP-1"}
	}, Axis{"address", "receive WQE"}, Axis{"start", "further on"})
	used = o.cross("rule: receive WQE x complete", func(at []int, b *Bin) {
		if b.Rules = []string{"RSP-1"}; at[0] == 0 && at[1] == 1 {
			b.Ignored = "a WQE whose number is 0"
		}
	}, Axis{"none", "a WQE"}, Axis{"not complete", "complete"})
	return goes, used
}

// receiveMemory declares what memory says, and what is told of it.
func (o *Observer) receiveMemory() (told *Group) {
	memory := o.cross("rule: what memory says of a write", func(_ []int, b *Bin) { b.Rules = []string{"DMA-5"} },
		Axis{"good", "error"})
	told = o.cross("rule: what is told x status", func(at []int, b *Bin) { receiveTells(at[0], at[1], b) },
		Axis{"nothing", "complete", "failed", "both", "cleared"}, dmaStatuses)
	o.asks = func(in *sim.Record) bool {
		if in.Port == receiveAcks {
			o.hit(memory, int(number(in.Data, 8, 8)))
		}
		return in.Port != receiveAcks && in.Port != receiveOps
	}
	return told
}

// tells is what a record of rx_dma says, as the sheets have it.
func tells(r *hca.DMARecord) int {
	if r.Cleared {
		return 4
	}
	return bit(r.Complete) + 2*bit(r.Failed)
}

// receiveTells says which statuses what is told can have.
func receiveTells(what, status int, b *Bin) {
	b.Rules = []string{"DMA-2", "DMA-5"}
	switch {
	case what == 0:
		b.Illegal = "it tells nothing"
	case what >= 2 && what != 3 && status > 0:
		b.Illegal = "no status is told but with a completion"
	case what == 3 && status != 1 && status != 3:
		b.Illegal = "its own write failed"
	case status == 2 || status == 4:
		b.Illegal = "no packet completes with it here"
	}
}

// receiveBin says what hca_rx can come to of what resp_psn_check can.
func receiveBin(reason, outcome int, b *Bin, coded bool) {
	if rule := roce.RespReason(reason).Rule(ib.RC); rule != "" {
		b.Rules = []string{string(rule)}
	}
	if !strings.Contains(respMayBe[reason], respLetters[outcome]) {
		b.Illegal = "the document has no such outcome"
		return
	}
	switch why := respReasons[reason]; {
	case outcome >= 4, why == "no such operation":
		b.Ignored = "of operations, which give no record"
	case why == "no QP", why == "not ready", why == "opcode of no service":
		b.Ignored = unwaited + "rx_classify has dropped it before, where both know the same QPs"
	case why == "too many READs", why == "misaligned", why == "duplicate READ", why == "duplicate atomic":
		b.Ignored = unwaited + "this group is of requests that write"
	case roce.RespReason(reason) == roce.RespBadContext && !coded:
		b.Ignored = "the memory has no code"
	case why == "own error", why == "Q_Key":
		b.Ignored = unwaited + "the sheet of resp_psn_check has it"
	}
}

// ignoreReceive says why nobody waits for a bit of a record of hca_rx.
func ignoreReceive(port, bit string, value int) string {
	switch {
	case port == "s_op" && strings.HasPrefix(bit, "data"):
		return unwaited + "a record of another block, whose own coverage has its bits"
	case value == 0 || port != "m_rec":
	case bit == "class[2]" || bit == "verdict[2]":
		return "of operations, which give no record"
	case strings.HasPrefix(bit, "offset["):
		var n int
		if fmt.Sscanf(bit, "offset[%d]", &n); n < 8 || n > 11 {
			return unwaited + "packets before the last of a message are full, and messages of a scenario are short"
		}
	case bit == "answer[2]":
		return unwaited + "the sheet of ack_gen has the answers of READs and atomics"
	}
	return ""
}
