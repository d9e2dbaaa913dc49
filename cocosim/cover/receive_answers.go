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

var answerOps = Axis{"answer", "set", "own", "3", "4", "5", "6", "7"}

var answerWhys = Axis{"sent or done", "no QP", "no way back", "no such operation"}

func declareAnswers(o *Observer, _ sim.Settings) {
	allowed := [][]int{{0, 1, 2}, {0}, {0}, {3}, {3}, {3}, {3}, {3}}
	whys := o.mayBe(answerOps, answerWhys, allowed, func(op, _ int) []string {
		if op == 0 {
			return []string{"RSP-14"}
		}
		return nil
	})
	ways := o.cross("rule: encapsulation x VLAN tags of what is sent", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-14"}
		if at[0] == int(wire.EncapNone) || at[0] >= int(wire.EncapRaw) {
			b.Illegal = "an encapsulation without responses"
		}
	}, encapsWith7(), numbers(4))
	syndromes := o.cross("syndrome of what is sent", nil, Axis{"ACK", "RNR NAK", "reserved", "NAK"}, numbers(32))
	ecn := o.cross("rule: ECN bits of the request x encapsulation", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-14"}
		if at[1] == int(wire.EncapNone) || at[1] == int(wire.EncapIBLocal) || at[1] >= int(wire.EncapRaw) {
			b.Ignored = "without them"
		}
	}, numbers(4), encapsWith7())
	near := o.newSince("QP")
	o.blame = func(*sim.Record, []byte) string { return "RSP-14" }
	o.pair = func(in, out *sim.Record) {
		op, why := int(number(in.Data, 0, 2)), int(number(out.Data, 27, 28))
		o.hit(whys, op, why)
		near.count(in, number(in.Data, 3, 26))
		if op != 0 || why != 0 {
			return
		}
		encap, syndrome := int(number(in.Data, 83, 85)), ib.Syndrome(number(in.Data, 75, 82))
		o.hit(ways, encap, int(number(in.Data, 86, 87)))
		o.hit(syndromes, int(syndrome>>5&3), int(syndrome.Code()))
		o.hit(ecn, int(number(in.Data, 188, 189)), encap)
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
func declareReceive(o *Observer, _ sim.Settings) {
	o.paired, o.silent = receiveGate, receiveOps
	gates := o.gateGroup(true)
	dropped := o.cross("rule: class x why of rx_classify", func(at []int, b *Bin) {
		switch b.Rules = classifyRules[at[1]]; {
		case at[0] >= 4 || at[1] >= 11:
			b.Illegal = "an operation gives no record"
		case (at[0] == 0) == (at[1] == 0):
			b.Illegal = "dropped is what has a reason"
		case at[1] == 1 || at[1] == 2 || at[1] == 4:
			b.Ignored = "the gate has dropped it before"
		}
	}, classes, classifyWhys)
	verdicts := o.cross("rule: reason x outcome", func(at []int, b *Bin) { receiveBin(at[0], at[1], b) }, respReasons,
		respOutcomes)
	placed := o.cross("rule: outcome x payload placed", func(at []int, b *Bin) {
		if b.Rules = []string{"DMA-3"}; at[0] != 0 && at[1] == 1 {
			b.Illegal = "no byte of what is not executed is written"
		}
		if at[0] == 4 || at[0] == 5 {
			b.Ignored = "of operations"
		}
	}, respOutcomes, Axis{"nothing", "payload"})
	goes := o.cross("rule: where payload goes x how far its message has come", func(_ []int, b *Bin) {
		b.Rules = []string{"RSP-1"}
	}, Axis{"address", "receive WQE"}, Axis{"start", "further on"})
	used := o.cross("rule: receive WQE x complete", func(at []int, b *Bin) {
		if b.Rules = []string{"RSP-1"}; at[0] == 0 && at[1] == 1 {
			b.Ignored = "a WQE whose number is 0"
		}
	}, Axis{"none", "a WQE"}, Axis{"not complete", "complete"})
	out := o.cross("what leaves", nil, Axis{"record", "write", "answer"})
	told := o.receiveMemory()
	o.other = func(r *sim.Record) {
		switch r.Port {
		case receiveRecords:
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
			o.hit(out, 2)
		}
	}
	o.pair = func(_, r *sim.Record) { o.hit(gates, int(number(r.Data, 0, 2)), int(number(r.Data, 5, 7))) }
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
func receiveBin(reason, outcome int, b *Bin) {
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
		b.Ignored = "rx_classify has dropped it before, where both know the same QPs"
	case why == "too many READs", why == "misaligned", why == "duplicate READ", why == "duplicate atomic":
		b.Ignored = "READs and atomics are not supported yet: refused as such"
	case why == "own error", why == "Q_Key":
		b.Ignored = "nothing here gives it yet"
	}
}

// ignoreReceive says why nobody waits for a bit of a record of hca_rx.
func ignoreReceive(port, bit string, value int) string {
	switch {
	case port == "s_op" && strings.HasPrefix(bit, "data"):
		return "a record of another block, whose own coverage has its bits"
	case value == 0 || port != "m_rec":
	case bit == "class[2]" || bit == "verdict[2]":
		return "of operations, which give no record"
	case strings.HasPrefix(bit, "offset["):
		var n int
		if fmt.Sscanf(bit, "offset[%d]", &n); n < 8 || n > 11 {
			return "packets before the last of a message are full, and messages of a scenario are short"
		}
	case bit == "answer[2]":
		return "answers of READs and atomics are not given yet"
	}
	return ""
}
