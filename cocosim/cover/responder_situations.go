package cover

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// What the sheet of resp_psn_check says beside single reasons: what comes behind what, and how two things go together.
// docs/verbs.md and docs/areas.md name these bins.

// respOfService are the reasons that a packet to a QP of a service can meet, by the document.
var respOfService = [3][]int{{0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 19, 20},
	{0, 2, 3, 7, 9, 10, 12, 13, 14, 15, 17}, {0, 2, 3, 9, 12, 14, 15, 16}}

// respWhole are the requests of one packet that the group of what is executed tells apart.
var respWhole = []ib.Operation{ib.SendOnly, ib.SendOnlyImm, ib.SendOnlyInv, ib.WriteOnly, ib.WriteOnlyImm,
	ib.ReadRequest, ib.CmpSwap, ib.FetchAdd}

// What came last to a QP that a message in the middle goes on behind, or a NAK.
const (
	behindOwn = iota
	behindDuplicate
	behindRead
	behindAtomic
	behindSilence
)

var respBehind = Axis{"what was expected", "a duplicate SEND or WRITE", "a duplicate READ", "a duplicate atomic",
	"what was dropped"}

type respSituations struct {
	*Observer
	services, foreign, whole, reads, epsn, goesOn, naksAgain, owed, atomics *Group
}

func (o *Observer) newRespSituations() *respSituations {
	s := &respSituations{Observer: o}
	s.services = o.cross("rule: service x reason", func(at []int, b *Bin) {
		if b.Rules = []string{[]string{"RSP-1", "RSP-3", "RSP-4"}[at[0]]}; !slices.Contains(respOfService[at[0]], at[1]) {
			b.Illegal = "the document has no such reason for this service"
		}
	}, Axis{"RC", "UC", "UD"}, respReasons)
	s.foreign = o.cross("rule: transport of the opcode x service of the QP", func(_ []int, b *Bin) {
		b.Rules = []string{"OPC-1"}
	}, Axis{"RC", "UC", "RD", "UD", "CNP", "XRC", "C0h", "E0h"}, Axis{"RC", "UC", "UD"})
	var names Axis
	for _, op := range respWhole {
		names = append(names, operations[op&31])
	}
	s.whole = o.cross("rule: executed: operation x bytes x access", wholeBin, names, Axis{"no byte", "bytes"},
		Axis{"no access", "access"})
	s.reads = o.cross("rule: READ: length x PSNs that it takes", func(at []int, b *Bin) {
		if b.Rules = []string{"PSN-4"}; at[1] == 1 {
			b.Illegal = "it takes as many as it has responses, and one of no byte one"
		}
	}, Axis{"no byte", "below PMTU", "PMTU", "PMTU + 1", "more", "2^31"}, Axis{"as many as responses", "others"})
	s.epsn = o.cross("rule: expected PSN: the highest bit that a packet turned", func(_ []int, b *Bin) {
		b.Rules = []string{"PSN-1"}
	}, bitNames(psn.Bits))
	s.goesOn = o.cross("rule: a message goes on behind", func(_ []int, b *Bin) { b.Rules = []string{"RSP-5", "RSP-7"} },
		respBehind)
	s.naksAgain = o.cross("rule: a gap is NAKed again behind", func(at []int, b *Bin) {
		if b.Rules = []string{"RSP-2"}; at[0] == behindSilence {
			b.Illegal = "one NAK, then silence"
		}
	}, respBehind)
	s.owed = o.cross("rule: answer x READs and atomics that it waits for", func(_ []int, b *Bin) {
		b.Rules = []string{"RSP-13", "RSP-5"}
	}, Axis{"ACK", "ACK of a duplicate", "NAK", "RNR NAK", "READ responses", "atomic response"},
		Axis{"none", "1", "2 and more"})
	s.atomics = o.cross("rule: atomic: aligned x access x reason", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-12", "RSP-1"}
		if want := [2][2]int{{1, 2}, {1, 0}}[at[0]][at[1]]; at[2] != want {
			b.Illegal = "RSP-1 looks at the key first, then at the address"
		}
	}, Axis{"misaligned", "aligned"}, Axis{"no access", "access"}, Axis{"good", "no access", "misaligned"})
	return s
}

func wholeBin(at []int, b *Bin) {
	op := respWhole[at[0]]
	b.Rules = []string{"RSP-1"}
	keyed := op != ib.SendOnly && op != ib.SendOnlyImm
	empty := at[1] == 0
	switch atomic := op == ib.CmpSwap || op == ib.FetchAdd; {
	case atomic && empty:
		b.Ignored = "an atomic has 8 bytes"
	case !keyed && at[2] == 0:
		b.Ignored = unwaited + "a SEND has no key, and its access says anything"
	case keyed && at[2] == 0 && (!empty || op == ib.SendOnlyInv):
		b.Illegal = "without access it is not executed"
	}
}

// count is of a packet to a QP that is there; t is what was known before it.
func (s *respSituations) count(q *hca.RespQuery, a *hca.RespResult, t *respTrack) {
	s.hit(s.services, int(t.service), int(a.Why))
	s.hit(s.foreign, int(q.Opcode>>5), int(t.service))
	if t.service != hca.RespRC || t.state < 2 || t.state == 6 {
		return
	}
	s.order(q, a, t)
	s.answer(a)
	op := ib.Operation(q.Opcode & 31)
	if op == ib.CmpSwap || op == ib.FetchAdd {
		if at := slices.Index([]roce.RespReason{0, 10, 11}, a.Why); at >= 0 {
			s.hit(s.atomics, bit(q.VALow == 0), bit(q.AccessOK), at)
		}
	}
	if a.Verdict != roce.RespExecute {
		return
	}
	if turned := uint32(a.Before) ^ uint32(a.After); turned != 0 {
		s.hit(s.epsn, highestBit(turned))
	}
	bytes := q.DMALength
	if op <= ib.SendOnlyImm || op == ib.SendOnlyInv {
		bytes = uint32(q.Payload)
	}
	if op == ib.CmpSwap || op == ib.FetchAdd {
		bytes = 8
	}
	s.hit(s.whole, slices.Index(respWhole, op), bit(bytes > 0), bit(q.AccessOK))
	if op == ib.ReadRequest {
		s.read(uint64(q.DMALength), uint64(128)<<t.pmtu, uint64(a.After.Diff(a.Before))&0xFFFFFF)
	}
}

func (s *respSituations) read(length, pmtu, took uint64) {
	class := 4
	switch {
	case length == 0:
		class = 0
	case length < pmtu:
		class = 1
	case length == pmtu:
		class = 2
	case length == pmtu+1:
		class = 3
	case length == 1<<31:
		class = 5
	}
	s.hit(s.reads, class, bit(took != max(1, (length+pmtu-1)/pmtu)))
}

// order counts what a packet comes behind.
func (s *respSituations) order(q *hca.RespQuery, a *hca.RespResult, t *respTrack) {
	shape := ib.Join(ib.RC, ib.Operation(q.Opcode&31)).Shape()
	if a.Verdict == roce.RespExecute && !shape.First && t.inMessage {
		s.hit(s.goesOn, t.behind)
	}
	if a.Why == 4 && a.Verdict == roce.RespRefused && t.naked &&
		t.profile&(hca.RespDupKeepsNAK|hca.RespNakWhileRNR) == 0 {
		s.hit(s.naksAgain, t.ended)
	}
	t.hear(a)
	switch {
	case a.Verdict == roce.RespExecute:
		t.behind, t.inMessage = behindOwn, !a.Last
	case a.Verdict == roce.RespRefused && a.Why == 4:
		t.behind = behindSilence
	case a.Why == 18 && a.Verdict == roce.RespDuplicate:
		t.behind = behindDuplicate
	case a.Why == 19:
		t.behind = behindRead
	case a.Why == 20:
		t.behind = behindAtomic
	case t.behind == behindOwn:
		t.behind = behindSilence
	}
}

// hear follows the silence about a gap (RSP-2): a NAK begins it, what was expected or a duplicate that is answered ends
// it, and all else leaves it as it is.
func (t *respTrack) hear(a *hca.RespResult) {
	switch {
	case a.Verdict == roce.RespExecute:
		t.ended = behindOwn
	case a.Verdict == roce.RespRefused && a.Why == 4:
		t.naked, t.ended = true, behindSilence
	case a.Verdict == roce.RespDuplicate && a.Why >= 18 && a.Why <= 20:
		t.ended = [...]int{behindDuplicate, behindRead, behindAtomic}[a.Why-18]
	}
}

// answer counts what an answer waits for.
func (s *respSituations) answer(a *hca.RespResult) {
	kind := -1
	switch {
	case a.Answer == roce.RespNoAnswer || a.Why == 19 || a.Why == 20:
		return
	case a.Why == 18:
		kind = 1
	case a.Verdict == roce.RespExecute:
		kind = [...]int{-1, 0, -1, 4, 5, 4}[a.Answer]
	case a.Syndrome.Kind() == ib.KindRNR:
		kind = 3
	default:
		kind = 2
	}
	s.hit(s.owed, kind, min(int(a.Behind), 2))
}
