package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

func init() { declarations["retry_ctl"] = declareRetry }

// retryKinds are what a record can be to a QP, told by the record and by its answer.
var retryKinds = Axis{"nothing", "sequence NAK", "RNR NAK", "implied NAK", "fatal NAK", "transport timer", "RNR timer",
	"bad response", "late expiry", "progress", "an answer ends the wait", "NAK in a wait", "NAK in a retry", "configure",
	"close", "closed"}

// Places of retryKinds that no action has.
const (
	retryLate = iota + 8
	retryProgress
	retryEnded
	retryInWait
	retryAgain
	retryConfigured
	retryClosed
	retryNoQP
)

type retryTrack struct {
	cause   int
	una     uint32
	lastEnd uint64
	known   bool
}

type retryCover struct {
	*Observer
	qps map[uint32]*retryTrack

	pairs, orders, left, statuses, waits, gens, gaps, moved *Group
}

func declareRetry(o *Observer, _ sim.Settings) {
	c := &retryCover{Observer: o, qps: map[uint32]*retryTrack{}}
	rules := [][]string{nil, {"REQ-4", "TMR-3"}, {"REQ-4", "TMR-4"}, {"REQ-3", "TMR-3"}, {"REQ-4"}, {"TMR-1", "TMR-3"},
		{"TMR-5"}, {"REQ-12"}, {"TMR-2"}, {"TMR-2", "TMR-3", "TMR-4"}, {"TMR-5"}, {"TMR-5"}, {"TMR-3"}, nil, {"RSP-15"},
		{"RSP-15"}}
	c.pairs = o.cross("rule: cause x cause before", func(at []int, b *Bin) {
		b.Rules = rules[at[0]]
		b.Ignored = retryIgnored(at[0], at[1])
	}, retryKinds, retryKinds)
	c.orders = o.cross("rule: cause x order", func(at []int, b *Bin) {
		b.Rules = rules[at[0]]
		if !retryHasOrder(at[0], at[1]) {
			b.Ignored = "a cause has no such order"
		}
	}, retryKinds, Axis{"none", "go back", "wait", "go on", "fail"})
	c.left = o.cross("count x left behind a retry or a wait", func(at []int, b *Bin) {
		if at[1] > at[0] {
			b.Ignored = "a count has no more"
		}
		if at[2] == 1 && at[0] == 7 && at[1] != 7 {
			b.Ignored = "7 RNR retries are for ever"
		}
		if at[2] == 0 && at[0] == 7 && at[1] == 7 {
			b.Ignored = "7 is for ever in a profile only"
		}
		if at[0] != 7 && at[1] == at[0] {
			b.Ignored = "one is spent"
		}
	}, numbers(8), numbers(8), Axis{"retries", "RNR retries"})
	c.statuses = o.cross("rule: status", func(at []int, b *Bin) {
		b.Rules = [][]string{nil, {"REQ-4"}, {"REQ-4"}, {"REQ-4"}, {"TMR-3", "REQ-8"}, {"TMR-4"}, nil, nil, {"REQ-12"},
			{"REQ-12"}}[at[0]]
		if at[0] == 0 || at[0] == 6 || at[0] == 7 {
			b.Ignored = "no status of a failure here"
		}
	}, numbers(10))
	c.waits = o.cross("codes of waits", nil, numbers(32))
	c.gens = o.cross("generations by which an expiry is late", nil, Axis{"0", "1", "2", "3 to 15", "16 to 127",
		"128 to 255"})
	c.gaps = o.cross("cycles since the QP's last record", nil, distancesInTime)
	c.moved = o.cross("una: the highest bit that a step turned", nil, bitNames(24))
	o.restart = append(o.restart, func() { clear(c.qps) })
	o.pair = c.count
}

// What a QP can be before and behind a record.
const (
	phaseClosed = 1 << iota
	phaseFree
	phaseRetry
	phaseWait
	phaseOpen = phaseFree | phaseRetry | phaseWait
)

// retryBefore and retryBehind are, by cause, what a QP can be in front of it and behind it. What comes with progress
// ends a retry and a wait first.
var (
	retryBefore = [...]int{phaseOpen, phaseOpen, phaseOpen, phaseOpen, phaseOpen, phaseFree | phaseRetry, phaseWait,
		phaseOpen, phaseOpen, phaseOpen, phaseWait, phaseWait, phaseRetry, phaseClosed, phaseOpen, phaseClosed}
	retryBehind = [...]int{phaseOpen, phaseRetry | phaseClosed, phaseWait | phaseClosed, phaseRetry | phaseClosed,
		phaseClosed, phaseRetry | phaseClosed, phaseFree, phaseClosed, phaseOpen, phaseFree, phaseFree, phaseWait, phaseRetry,
		phaseFree, phaseClosed, phaseClosed}
)

// retryIgnored says why a cause never stands behind another; "" where it may.
func retryIgnored(now, before int) string {
	switch {
	case retryBefore[now]&retryBehind[before] == 0:
		return "the one before leaves the QP otherwise"
	case now == 5 && before == retryConfigured:
		return "nothing was sent"
	}
	return ""
}

// retryHasOrder reports whether a cause can have an order.
func retryHasOrder(cause, order int) bool {
	switch cause {
	case 1, 3, 5:
		return order == 1 || order == 4
	case 2:
		return order == 2 || order == 4
	case 4, 7:
		return order == 4
	case 6, retryEnded:
		return order == 3
	case retryProgress:
		return order == 0 || order == 3
	}
	return order == 0
}

// causeOf is what a record was to its QP.
func causeOf(q *hca.RetryRecord, a *hca.RetryAnswer) int {
	switch {
	case a.Why == hca.RetryNoQP:
		return retryNoQP
	case a.Why == hca.RetryStale:
		return retryLate
	case a.Cause != 0:
		return int(a.Cause)
	case a.Why == hca.RetryWaiting:
		return retryInWait
	case a.Why == hca.RetryUnderWay:
		return retryAgain
	case a.Progress:
		return retryProgress
	case a.Order == hca.RetryGoOn:
		return retryEnded
	case q.Op == hca.RetryConfigure && a.Why == hca.RetryTaken:
		return retryConfigured
	case q.Op == hca.RetryClose:
		return retryClosed
	}
	return 0
}

func (c *retryCover) count(in, out *sim.Record) {
	q, a := hca.ParseRetryRecord(in.Data), hca.ParseRetryAnswer(out.Data)
	t := c.qps[q.QPN]
	if t == nil {
		t = &retryTrack{cause: retryNoQP}
		c.qps[q.QPN] = t
	}
	cause := causeOf(&q, &a)
	c.hit(c.pairs, cause, t.cause)
	c.hit(c.orders, cause, int(a.Order))
	if t.known {
		c.hit(c.gaps, gapOf(in.Start-t.lastEnd-1))
	}
	switch a.Order {
	case hca.RetryFail:
		c.hit(c.statuses, int(a.Status))
	case hca.RetryGoBack:
		c.hit(c.left, int(a.RetryCnt), int(a.Retries), 0)
	case hca.RetryWait:
		c.hit(c.left, int(a.RNRRetry), int(a.RNRRetries), 1)
		c.hit(c.waits, int(a.WaitCode))
	}
	if q.Op == hca.RetryExpiry && a.Why != hca.RetryNoQP {
		c.hit(c.gens, behind(a.Gen-q.Gen))
	}
	if turned := uint32(a.Una) ^ t.una; a.Progress && turned != 0 {
		c.hit(c.moved, highestBit(turned))
	}
	*t = retryTrack{cause: cause, una: uint32(a.Una), lastEnd: in.End, known: true}
}
