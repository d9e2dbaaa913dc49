package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

func init() { declarations["tx_packetizer"] = declareTx }

// txEnds are what can become of a packet's record.
var txEnds = Axis{"goes out first", "goes out again", "local work begins", "another WQE is asked for", "no WQE",
	"RNR wait", "window", "READs or fence", "credit", "no such WQE", "drained"}

// Places of txEnds, by what and by why.
const (
	txFirst = iota
	txAgain
	txLocal
	txAsks
	txNothing
	txWaits
	txWindow
	txReads
	txCredit
	txBad
	txDrained
)

// txOpcodes are those of requests, by service.
var txOpcodes = [...]ib.Opcode{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xA, 0xB, 0xC, 0x13, 0x14, 0x16, 0x17, 0x1C, 0x1D, 0x20,
	0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x64, 0x65}

var txAgains = Axis{"first", "again"}

// txAhead are distances of SSN from LSN.
var txAhead = Axis{"far behind", "behind", "the same", "1 ahead", "2 ahead", "more", "2^22 and more ahead"}

type txTrack struct {
	last      hca.TxAnswer
	ssn, lsn  uint32 // of the message that high belongs to; CRD-2
	unlimited bool
	rc        bool
	lastEnd   uint64
	known     bool
}

type txCover struct {
	*Observer
	qps    map[uint32]*txTrack
	opcode map[ib.Opcode]int

	ends, verdicts, opcodes, asks, credits, parts, index, offset, moved, reads, whys, gaps *Group
}

func declareTx(o *Observer, _ sim.Settings) {
	c := &txCover{Observer: o, qps: map[uint32]*txTrack{}, opcode: map[ib.Opcode]int{}}
	names := Axis{}
	for i, op := range txOpcodes {
		c.opcode[op] = i
		names = append(names, ib.Lookup(op).Name)
	}
	c.ends = o.cross("rule: what becomes of a packet x its WQE", func(at []int, b *Bin) {
		b.Rules = [...][]string{{"PSN-4", "PSN-5"}, {"PSN-7", "REQ-5"}, nil, {"REQ-6"}, nil, {"TMR-5"}, {"PSN-5"}, {"REQ-9"},
			{"CRD-2"}, {"LEN-1"}, nil}[at[0]]
		b.Ignored = txIgnored(at[0], at[1])
	}, txEnds, Axis{"none", "new", "has PSNs"})
	c.verdicts = o.cross("rule: order x una", func(at []int, b *Bin) {
		b.Rules = []string{"REQ-5", "REQ-6"}
		if at[1] == 2 && at[0] != 0 && at[0] != int(hca.RetryGoOn) {
			b.Ignored = "next is una whether it was passed or not"
		}
	},
		Axis{"none", "go back", "wait", "go on", "fail"}, Axis{"stays", "moves", "passes next"})
	c.opcodes = o.cross("rule: opcode x again", func(at []int, b *Bin) {
		b.Rules = []string{"OPC-1"}
		if at[1] == 1 && txOpcodes[at[0]] >= 0x20 {
			b.Ignored = "nothing of UC and UD is sent again"
		}
	}, names, txAgains)
	c.asks = o.cross("rule: place x AckReq", func(at []int, b *Bin) {
		b.Rules = []string{"PSN-5", "CRD-2"}
		if at[0] == 2 && at[1] == 0 {
			b.Ignored = "the last of a WQE asks"
		}
	}, Axis{"First", "Middle", "Last or all"}, Axis{"no AckReq", "AckReq"})
	c.credits = o.cross("rule: SSN against LSN x goes", func(at []int, b *Bin) {
		b.Rules = []string{"CRD-2"}
		if at[0] < 3 && at[1] == 0 {
			b.Ignored = "it has a credit"
		}
	}, txAhead, Axis{"waits", "goes"})
	c.parts = o.cross("rule: READ again", func(_ []int, b *Bin) { b.Rules = []string{"REQ-7"} },
		Axis{"whole, behind una or before it", "whole, at una", "what is missing"})
	c.index = o.cross("the highest bit of a packet's index in its message", nil, bitNames(23))
	c.offset = o.cross("the highest bit of an offset", nil, bitNames(31)[8:])
	c.moved = o.cross("next: the highest bit that a verdict turned", nil, bitNames(24))
	c.reads = o.cross("READs and atomics outstanding", nil, numbers(32))
	c.whys = o.cross("rule: why of other operations", func(at []int, b *Bin) {
		b.Rules = [...][]string{nil, {"RSP-15"}, nil, nil}[at[0]]
	}, Axis{"taken", "no QP", "open already", "illegal"})
	c.gaps = o.cross("cycles since the QP's last record", nil, distancesInTime)
	o.restart = append(o.restart, func() { clear(c.qps) })
	o.pair = c.count
}

// txIgnored says why a packet's record never ends so, with a WQE that is none, new or has its PSNs; "" where it may.
func txIgnored(end, wqe int) string {
	switch {
	case wqe == 0 && end != txAsks && end != txNothing && end != txWaits:
		return "there is nothing to send"
	case wqe == 1 && end == txAgain:
		return "nothing of it was sent"
	case wqe == 2 && end == txReads:
		return "a READ goes out whole"
	case wqe == 2 && (end == txLocal || end == txDrained):
		return "it has begun"
	}
	return ""
}

// txEnd is what became of a packet's record.
func txEnd(a *hca.TxAnswer) int {
	switch a.What {
	case hca.TxSends:
		if a.Again {
			return txAgain
		}
		return txFirst
	case hca.TxBeginsLocal:
		return txLocal
	case hca.TxSearches:
		return txAsks
	}
	return map[hca.TxWhy]int{hca.TxNothing: txNothing, hca.TxWaits: txWaits, hca.TxWindow: txWindow, hca.TxReads: txReads,
		hca.TxCredit: txCredit, hca.TxBadWQE: txBad, hca.TxIsDrained: txDrained}[a.Why]
}

func (c *txCover) count(in, out *sim.Record) {
	q, a := hca.ParseTxRecord(in.Data), hca.ParseTxAnswer(out.Data)
	t := c.qps[q.QPN]
	if t == nil {
		t = &txTrack{}
		c.qps[q.QPN] = t
	}
	if t.known {
		c.hit(c.gaps, gapOf(in.Start-t.lastEnd-1))
	}
	switch {
	case a.Why == hca.TxNoQP:
		c.hit(c.whys, 1)
	case q.Op == hca.TxPacket:
		c.packet(&q, &a, t)
	case q.Op == hca.TxVerdict:
		c.verdict(&q, &a, t)
	case q.Op == hca.TxConfigure:
		c.configure(&q, &a, t)
	}
	if a.Why != hca.TxNoQP && a.Why != hca.TxIllegal {
		c.hit(c.reads, int(a.Reads))
		t.last = a
	}
	t.lastEnd, t.known = in.End, true
}

func (c *txCover) configure(q *hca.TxRecord, a *hca.TxAnswer, t *txTrack) {
	switch a.Why {
	case hca.TxIsOpen:
		c.hit(c.whys, 2)
	case hca.TxIllegal:
		c.hit(c.whys, 3)
	default:
		c.hit(c.whys, 0)
		*t = txTrack{ssn: uint32(psn.New(q.LSN + 1)), lsn: q.LSN, unlimited: q.Unlimited, rc: q.Service == hca.TxRC}
	}
}

func (c *txCover) verdict(q *hca.TxRecord, a *hca.TxAnswer, t *txTrack) {
	if q.Told {
		t.lsn, t.unlimited = q.LSN, q.Unlimited
	}
	moves := 0
	switch passed := a.Next != t.last.Next; {
	case a.Una != t.last.Una && (q.Order == hca.RetryNoOrder || q.Order == hca.RetryGoOn) && passed:
		moves = 2
	case a.Una != t.last.Una:
		moves = 1
	}
	if q.Order <= hca.RetryFail {
		c.hit(c.verdicts, int(q.Order), moves)
	}
	if turned := uint32(a.Next) ^ uint32(t.last.Next); turned != 0 {
		c.hit(c.moved, highestBit(turned))
	}
}

func (c *txCover) packet(q *hca.TxRecord, a *hca.TxAnswer, t *txTrack) {
	end := txEnd(a)
	c.hit(c.ends, end, int(q.Begun)%3)
	limited := q.Verb == ib.VerbSend || q.Verb == ib.VerbWrite && q.Immediate
	if t.rc && !t.unlimited && limited && (end == txFirst || end == txCredit) {
		c.hit(c.credits, t.ahead(), bit(end == txFirst))
	}
	if a.What == hca.TxSends {
		c.sent(a, t)
	}
}

// ahead is where SSN lies against LSN, as a place of txAhead.
func (t *txTrack) ahead() int {
	switch d := psn.New(t.ssn).Diff(psn.New(t.lsn)); {
	case d <= -1<<22:
		return 0
	case d < 0:
		return 1
	case d < 3:
		return 2 + int(d)
	case d < 1<<22:
		return 5
	}
	return 6
}

func (c *txCover) sent(a *hca.TxAnswer, t *txTrack) {
	if i, known := c.opcode[a.Opcode]; known {
		c.hit(c.opcodes, i, bit(a.Again))
	}
	place := 1
	switch {
	case psn.New(uint32(a.PSN)+a.Count) == psn.New(uint32(a.Last)+1):
		place = 2
	case a.PSN == a.First:
		place = 0
	}
	if t.rc {
		c.hit(c.asks, place, bit(a.AckReq))
	}
	if !a.Again && place == 2 {
		t.ssn = (t.ssn + 1) & 0xFFFFFF
	}
	if a.Opcode == 0x0C && a.Again {
		part := bit(t.last.Una == a.PSN)
		if a.PSN != a.First {
			part = 2
		}
		c.hit(c.parts, part)
	}
	if index := uint32(psn.New(uint32(a.PSN - a.First))); index != 0 {
		c.hit(c.index, highestBit(index))
	}
	if a.Offset != 0 {
		c.hit(c.offset, highestBit(a.Offset)-8)
	}
}
