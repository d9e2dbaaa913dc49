package loop

import (
	"maps"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/wire"
)

// latestNoticeNs is how long behind its packet a CNP leaves at the latest. Time in which frames of the end pass counts
// for nothing: a CNP waits behind them. What waits for memory before it is allowed besides.
const latestNoticeNs = 20_000

// line is for how long an end's line was free.
type line struct {
	freeNs  uint64 // until it was taken last
	takenNs uint64 // until then it is taken
}

// free is for how long the line was free until now.
func (l *line) free(nowNs uint64) uint64 {
	if nowNs > l.takenNs {
		return l.freeNs + nowNs - l.takenNs
	}
	return l.freeNs
}

// take has a frame pass from now on. The one before has passed.
func (l *line) take(nowNs, frameNs uint64) {
	l.freeNs, l.takenNs = l.free(nowNs), nowNs+frameNs
}

// turnNs is how long a READ or an atomic has its turn at most: three times it waits for memory, for the writes before
// it, for what it reads and for what an atomic writes. The line's time comes on top.
const turnNs = 3 * (mostMemoryCycles + stepCycles) * cycleNs

// asked are the READs and atomics that an end was asked and has not answered, in the order in which they came. A device
// answers in that order, and gives CNPs in their turn among answers.
type asked struct {
	pmtu uint32
	all  []ask
}

// ask is one.
type ask struct {
	qpn   uint32
	first psn.PSN
	psns  uint32
}

// see takes a packet that the end sent or received.
func (a *asked) see(p *wire.Packet, sent bool) {
	verb := p.BTH().Opcode().Shape().Verb
	if a == nil || sent != p.Op.Response || verb != ib.VerbRead && !verb.Atomic() {
		return
	}
	qpn, at := p.BTH().DestQP(), psn.PSN(p.BTH().PSN())
	switch {
	case !sent:
		n := uint32(1)
		if reth := p.RETH(); reth != nil {
			n = psn.OfRead(reth.DMALen(), a.pmtu)
		}
		a.all = append(a.all, ask{qpn, at, n})
	case p.Op.Operation != ib.ReadResponseFirst && p.Op.Operation != ib.ReadResponseMid:
		// what came before it is answered too, or nothing answers it
		i := slices.IndexFunc(a.all, func(x ask) bool { return x.qpn == qpn && at.Ahead(x.first) < x.psns })
		a.all = a.all[i+1:]
	}
}

// waitsNs is how long what was asked takes at most.
func (a *asked) waitsNs() uint64 {
	if a == nil {
		return 0
	}
	return turnNs * uint64(len(a.all))
}

// owes notes a CNP that must leave until then. What waits for memory leaves no later one an earlier time.
func (q *pacedQP) owes(untilNs uint64) {
	if n := len(q.owedNs); n > 0 {
		untilNs = max(untilNs, q.owedNs[n-1])
	}
	q.owedNs = append(q.owedNs, untilNs)
}

// expire counts the CNPs as missing whose time is over.
func (q *pacedQP) expire(freeNs uint64) {
	for len(q.owedNs) > 0 && q.owedNs[0] < freeNs {
		q.owedNs = q.owedNs[1:]
		q.missing++
		q.late++
	}
}

// notifies takes a CNP that leaves: of the oldest packet whose time is not over. With no such packet it is a late one,
// and that stays missing.
func (j *paced) notifies(nowNs uint64, q *pacedQP, qpn uint32) {
	q.expire(j.line.free(nowNs))
	switch {
	case len(q.owedNs) > 0:
		q.owedNs = q.owedNs[1:]
	case q.late > 0:
		q.late--
	case q.maybe > 0:
		q.maybe--
	default:
		j.bad("%s: QP %06Xh gives a CNP for a packet that none marked (CNP-1)", j.name, qpn)
	}
}

// finish holds the end to the CNPs that it owes. A queue pair in error owes none (RSP-15).
func (j *paced) finish(nowNs uint64, inError func(qpn uint32) bool) {
	for _, qpn := range slices.Sorted(maps.Keys(j.qps)) {
		q := j.qps[qpn]
		q.expire(j.line.free(nowNs))
		if q.missing > 0 && !inError(qpn) {
			j.bad("%s: QP %06Xh gave no CNP within %d us for a packet that was marked (CNP-1), %d times", j.name, qpn,
				latestNoticeNs/1000, q.missing)
		}
	}
}
