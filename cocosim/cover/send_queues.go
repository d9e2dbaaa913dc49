package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheet of the send queues' end: sq_retire.
func init() { declarations["sq_retire"] = declareRetire }

var (
	retireOps = Axis{"post", "begun", "verdict", "clear", "look", "local done", "6", "7"}
	// retireMay are the whys that each operation can have, as bits: see docs/blocks/sq_retire.md.
	retireMay = [...]int{0b01111, 0b10111, 0b00111, 0b00011, 0b00011, 0b10111, 0b00010, 0b00010}
	howMany   = Axis{"0", "1", "2", "3", "4 to 7", "8", "more"}
)

// manyOf is the place of a number of WQEs among howMany.
func manyOf(n uint8) int {
	switch {
	case n < 4:
		return int(n)
	case n < 8:
		return 4
	case n == 8:
		return 5
	}
	return 6
}

// retireEnds says which numbers of WQEs an operation can end, with a failure and without.
func retireEnds(at []int, b *Bin) {
	ending := at[0] == int(hca.SQVerdict) || at[0] == int(hca.SQLocalDone)
	if ending {
		b.Rules = []string{"REQ-1", "REQ-2", "REQ-11"}
	}
	switch {
	case at[0] > int(hca.SQLocalDone):
		b.Illegal = "there is no such operation"
	case !ending && at[1]+at[2] > 0:
		b.Illegal = "it ends nothing"
	case at[0] == int(hca.SQLocalDone) && (at[2] == 0 && at[1] > 1 || at[2] == 1 && at[1] == 0):
		b.Illegal = "local work ends alone, or flushes what is behind it"
	case at[1] == 6:
		b.Ignored = "deeper queues: at Depth 64 only"
	}
}

// declareRetire: what each operation meets, how many WQEs it ends and how, and with which statuses.
func declareRetire(o *Observer, _ sim.Settings) {
	whys := o.cross("rule: operation x why", func(at []int, b *Bin) {
		if at[1] == int(hca.SQHasFailed) {
			b.Rules = []string{"RSP-15"}
		}
		if retireMay[at[0]]>>at[1]&1 == 0 {
			b.Illegal = "the operation has no such reason"
		}
	}, retireOps, Axis{"taken", "no QP", "failed", "full", "not its turn"})
	ends := o.cross("rule: operation x WQEs that end x the QP fails", retireEnds, retireOps, howMany, noYes)
	moves := o.cross("rule: verdict: progress x fail x there are WQEs", func(_ []int, b *Bin) {
		b.Rules = []string{"REQ-1", "RSP-15"}
	}, noYes, noYes, noYes)
	looks := o.cross("look: place of the slot x what is in it", nil, numbers(8),
		Axis{"nothing", "a WQE", "a WQE that was begun"})
	statuses := o.cross("rule: completion: status", func(_ []int, b *Bin) { b.Rules = []string{"REQ-11"} }, numbers(16))
	far := o.cross("highest bit by which una moves", nil, bitNames(24))
	near := o.newSince("QP")
	una := map[uint32]uint32{}
	count := map[uint32]uint8{}
	o.restart = append(o.restart, func() { clear(una); clear(count) })
	o.blame = func(*sim.Record, []byte) string { return "REQ-11" }
	o.other = func(out *sim.Record) {
		c := hca.ParseSQCQE(out.Data)
		o.hit(statuses, int(c.Status))
	}
	o.pair = func(in, out *sim.Record) {
		q, a := hca.ParseSQRecord(in.Data), hca.ParseSQAnswer(out.Data)
		o.hit(whys, int(q.Op), int(a.Why))
		near.count(in, uint64(q.QPN))
		if a.Why != hca.SQTaken {
			return
		}
		o.hit(ends, int(q.Op), manyOf(a.Ended), bit(a.Failed))
		switch q.Op {
		case hca.SQLook:
			slot := q.Slot
			if q.Progress {
				slot = a.Slot
			}
			o.hit(looks, int(slot&7), bit(a.Present)+bit(a.Begun))
		case hca.SQVerdict:
			o.hit(moves, bit(q.Progress), bit(q.Fail), bit(count[q.QPN] > 0))
			if moved := (uint32(q.Una) - una[q.QPN]) & 0xFFFFFF; q.Progress && moved != 0 {
				o.hit(far, highestBit(moved))
			}
		}
		if q.Op == hca.SQClear || q.Op == hca.SQVerdict && q.Progress {
			una[q.QPN] = uint32(q.Una)
		}
		count[q.QPN] = a.Count
	}
}
