package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Decides RSP-13.

type replyKind uint8

const (
	noReply replyKind = iota
	ackReply
	nakReply
	readReply
	atomicReply
)

// reply is a response that is owed. The payload of a READ is not held here: it is read when it leaves.
type reply struct {
	kind     replyKind
	syndrome ib.Syndrome // of a NAK
	slot     uint8       // of a READ or atomic: where it is kept
	waits    bool        // of an atomic: for its Result
	resumed  bool        // of a READ: the next response is no First
	again    bool        // the answer to a duplicate, or one that a duplicate's interrupted
	optional bool        // only where a follower judges: a device may leave it out
	told     bool        // only where a follower judges: it was said to be overdue
	moved    bool        // only where a follower judges: an optional NAK that others overtook
	psn      psn.PSN
	msn      uint32
	va       uint64
	left     uint32
	original uint64
	sinceNS  int64 // only where a follower judges: when its turn came
}

// maxReplies is how many answers may wait. What comes when it is full counts as lost on the way. A follower of a device
// that answers every request by itself, and late, needs as many.
const maxReplies = 160

// replyQueue holds what is owed in PSN order, which is the order of arrival: nothing overtakes a READ's responses
// (RSP-13).
type replyQueue struct {
	ring        [maxReplies]reply
	head, count uint8
	nowNS       int64 // only where a follower judges
}

func (q *replyQueue) full() bool { return q.count == maxReplies }

func (q *replyQueue) at(i uint8) *reply {
	place := int(q.head) + int(i)
	if place >= maxReplies {
		place -= maxReplies
	}
	return &q.ring[place]
}

func (q *replyQueue) push(a reply) {
	if a.sinceNS == 0 {
		a.sinceNS = q.nowNS
	}
	*q.at(q.count) = a
	q.count++
}

// add puts an empty reply in line, to be filled in: the places behind the last are empty.
func (q *replyQueue) add(kind replyKind) *reply {
	a := q.at(q.count)
	a.kind, a.sinceNS = kind, q.nowNS
	q.count++
	return a
}

func (q *replyQueue) pop() {
	*q.at(0) = reply{}
	if q.head++; q.head == maxReplies {
		q.head = 0
	}
	if q.count--; q.count == 0 {
		q.head = 0
	}
}

// counts reports whether a reply is of a new READ or atomic. Duplicates are not held against the peer: the link may
// have made them.
func (a *reply) counts() bool { return a.kind >= readReply && !a.again }

// reads counts the new READs and atomics that are not answered yet.
func (q *replyQueue) reads() (n uint8) {
	for i := range q.count {
		if q.at(i).counts() {
			n++
		}
	}
	return min(n, MaxInFlight)
}

// pop takes the first reply away, which has left or will not.
func (r *Responder) pop() {
	if r.replies.at(0).counts() {
		r.Freed()
	}
	r.replies.pop()
}

// forget lets a device leave out what repeats the entry in a place that is taken by another: one that keeps fewer had
// nothing to repeat (RSP-8).
func (q *replyQueue) forget(slot uint8) {
	for i := range q.count {
		if a := q.at(i); a.kind >= readReply && a.again && a.slot == slot {
			a.optional = true
		}
	}
}

// interruptedNAKs is how many NAKs of one interrupted answer are kept.
const interruptedNAKs = 8

// interrupt puts the answer to a READ that is asked for again in place of a later READ that is being answered, and of
// every ACK and answer behind that: they would acknowledge what is given up (RSP-7, RSP-13). NAKs stay, behind it.
func (r *Responder) interrupt(answer *reply) {
	q := &r.replies
	if q.count == 0 || q.at(0).kind != readReply || answer.psn.Diff(q.at(0).psn) >= 0 {
		q.push(*answer)
		return
	}
	var naks [interruptedNAKs]reply
	held := 0
	for n := q.count; n > 0; n-- {
		a := *q.at(0)
		if answer.psn.Diff(a.psn) < 0 {
			if r.pop(); a.kind == nakReply && held < len(naks) {
				naks[held] = a
				naks[held].msn = answer.msn // which leaves before it (RSP-11)
				held++
			}
			continue
		}
		q.pop()
		q.push(a)
	}
	q.push(*answer)
	for _, a := range naks[:held] {
		q.push(a)
	}
}

// Owes reports whether a response waits to be taken with Next.
func (r *Responder) Owes() bool { return r.replies.count > 0 }

// Next appends the next response that is owed; false when there is none, when an atomic waits for its Result, or when
// an ACK waits for Drained.
func (r *Responder) Next(out *Batch) bool {
	q := &r.replies
	if q.count == 0 {
		return false
	}
	a := q.at(0)
	if r.cfg.Profile.AcksWhenDrained && !r.drained && a.kind < readReply {
		return false
	}
	switch a.kind {
	case readReply:
		r.nextOfRead(a, out)
		return true
	case atomicReply:
		if a.waits {
			return false
		}
		r.answered(a)
		p := r.send(ib.AtomicAck, a.psn, out)
		p.Syndrome, p.MSN, p.Original = r.credits(), a.msn, a.original
	case nakReply:
		p := r.send(ib.Ack, a.psn, out)
		p.Syndrome, p.MSN = a.syndrome, a.msn
	default:
		p := r.send(ib.Ack, r.ackPSN(a), out)
		p.Syndrome, p.MSN = r.credits(), a.msn
	}
	r.pop()
	return true
}

// nextOfRead sends one response of a READ and leaves the rest in the queue.
func (r *Responder) nextOfRead(a *reply, out *Batch) {
	n := min(a.left, r.cfg.PMTUBytes)
	op := ReadOperation(!a.resumed, a.left == n)
	p := r.send(op, a.psn, out)
	p.Len, p.Pad = n, uint8(-n&3)
	if op != ib.ReadResponseMid {
		p.Syndrome, p.MSN = r.credits(), a.msn
	}
	e := &(*out)[len(*out)-1]
	e.VA, e.Len = a.va, n
	if a.left == n {
		r.answered(a)
		r.pop()
		return
	}
	a.psn, a.va, a.left, a.resumed = r.cfg.Width.Add(a.psn, 1), a.va+uint64(n), a.left-n, true
}

// ReadOperation is the operation of a READ response by its place.
func ReadOperation(first, last bool) ib.Operation {
	switch {
	case first && last:
		return ib.ReadResponseOnly
	case first:
		return ib.ReadResponseFirst
	case last:
		return ib.ReadResponseLast
	default:
		return ib.ReadResponseMid
	}
}

// send appends a response, of which no more is said yet than what it is and its PSN.
func (r *Responder) send(op ib.Operation, p psn.PSN, out *Batch) *Packet {
	e := out.more(SendResponse)
	e.Packet.Op, e.Packet.PSN = ib.Join(r.cfg.Service, op), p
	return &e.Packet
}
