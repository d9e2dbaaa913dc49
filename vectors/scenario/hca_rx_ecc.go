package scenario

import (
	"encoding/binary"

	"hcacosim/model/hca"
	"hcacosim/model/wire"
)

// hcaRxElsewhere is the number of no queue pair, no receive queue and no key, and a bit away from none. An order for it
// turns a bit of what nobody reads.
const hcaRxElsewhere = 56

// makeHcaRxECC is hca-rx for a build with Ecc 1: before a part of a round bits of some QPs' words are turned, one or
// two of a piece, so that a QP stops in the middle of what its peer sends.
func makeHcaRxECC(g *Generator, index uint64, _ *Rand, c *Case) {
	makeHcaRxRound(g, index, c, &hcaRxWorn, true)
}

// wear orders an injection in some of the memories, each to the word of any QP. All of them are found by frames: what
// else looks a word up does so before the part, or writes it where no frame does. An order that nothing takes waits
// until the next round begins: nowhere.
func (d *hcaRxPeer) wear() {
	r := d.r
	for _, turn := range []func(p *hcaRxQP) []hca.HcaRxOp{d.wearQP, d.wearKey, d.wearMessage, d.wearVerdict, d.wearQueue} {
		if r.OneIn(2) {
			for _, o := range turn(d.used[r.Below(len(d.used))]) {
				d.op(d.start, o)
			}
		}
	}
}

// turned are two bits of a code word, or one.
func (d *hcaRxPeer) turned(w *codeWord) uint32 {
	a, b, _, _ := w.draw(d.r)
	if d.r.OneIn(4) {
		a, b = w.two(d.r, d.r.Below(len(w.parts)))
	}
	return uint32(a) | uint32(b)<<16
}

func (d *hcaRxPeer) wearQP(p *hcaRxQP) []hca.HcaRxOp {
	q := hca.ClassifyQuery{Op: hca.ClassifyInject, DestQP: p.spec.DestQP}
	binary.BigEndian.PutUint32(q.Src[12:], d.turned(classifyCodeWord))
	return []hca.HcaRxOp{{To: hca.ToClassify, Record: q.Append(nil), Why: "inject: the QP's address and state"}}
}

// wearKey turns bits of the key of the QP's region. No packet takes that away.
func (d *hcaRxPeer) wearKey(p *hcaRxQP) []hca.HcaRxOp {
	q := hca.MRQuery{Op: hca.MRInject, RKey: p.key, VA: uint64(d.turned(mrCodeWord))}
	return []hca.HcaRxOp{{To: hca.ToKeys, Record: q.Append(nil), Why: "inject: a key"}}
}

func (d *hcaRxPeer) wearMessage(p *hcaRxQP) []hca.HcaRxOp {
	q := hca.MsgQuery{Op: hca.MsgInject, QPN: p.spec.DestQP, VA: uint64(d.turned(msgCodeWord))}
	return []hca.HcaRxOp{{To: hca.ToMessages, Record: q.Append(nil), Why: "inject: the open message"}}
}

// wearVerdict turns bits of a responder's PSNs, and has an operation that does nothing else write the word: a READ that
// is freed would find them at a time that depends on memory.
func (d *hcaRxPeer) wearVerdict(p *hcaRxQP) []hca.HcaRxOp {
	a, b, _, _ := respCodeWord.draw(d.r)
	q := hca.RespQuery{Op: hca.RespInject, QPN: p.spec.DestQP, Payload: uint16(a | b<<8)}
	ready := hca.RespQuery{Op: hca.RespReady, QPN: p.spec.DestQP}
	return []hca.HcaRxOp{{To: hca.ToVerdict, Record: q.Append(nil), Why: "inject: PSNs"},
		{To: hca.ToVerdict, Record: ready.Append(nil), Why: "ready: writes it"}}
}

// nowhere has no order of the round before wait any more: each memory has room for one, and has another one now.
func (d *hcaRxPeer) nowhere() (all []hca.HcaRxOp) {
	none := &hcaRxQP{key: hcaRxElsewhere << 8, spec: wire.Spec{DestQP: hcaRxElsewhere}}
	none.receive.Queue = hcaRxElsewhere
	one := func(to hca.HcaRxTarget, record []byte) {
		all = append(all, hca.HcaRxOp{To: to, Record: record, Why: "inject: elsewhere"})
	}
	one(hca.ToClassify, (&hca.ClassifyQuery{Op: hca.ClassifyInject, DestQP: hcaRxElsewhere}).Append(nil))
	one(hca.ToKeys, (&hca.MRQuery{Op: hca.MRInject, RKey: none.key}).Append(nil))
	one(hca.ToMessages, (&hca.MsgQuery{Op: hca.MsgInject, QPN: hcaRxElsewhere}).Append(nil))
	one(hca.ToVerdict, (&hca.RespQuery{Op: hca.RespInject, QPN: hcaRxElsewhere}).Append(nil))
	for memory := range rqCodeWords {
		q := hcaRxTurnQueue(hca.RQMemory(memory), 0, hcaRxElsewhere, hcaRxElsewhere, 0)
		one(q.To, q.Record)
	}
	for memory := range hcaRxKeptCodeWords {
		q := hcaRxTurnKept(memory, 0, hcaRxElsewhere, 0)
		one(q.To, q.Record)
	}
	return all
}

// hcaRxTurnQueue is an injection in a memory of rq_head.
func hcaRxTurnQueue(memory hca.RQMemory, slot int, qpn, queue, turned uint32) hca.HcaRxOp {
	q := hca.RQQuery{Op: hca.RQInject, QPN: qpn, Queue: queue,
		ReceiveWQE: hca.ReceiveWQE{Bytes: turned, WQE: uint32(slot)<<2 | uint32(memory)}}
	why := [...]string{"inject: the head of a queue", "inject: whether it holds a WQE", "inject: a WQE",
		"inject: the WQE that it holds"}[memory]
	return hca.HcaRxOp{To: hca.ToReceiveQueues, Record: q.Append(nil), Why: why}
}

// wearQueue turns bits of what rq_head knows of the QP's queue or of the QP.
func (d *hcaRxPeer) wearQueue(p *hcaRxQP) []hca.HcaRxOp {
	memory := [...]hca.RQMemory{hca.RQOfQueue, hca.RQOfQueue, hca.RQOfQP, hca.RQOfHeld}[d.r.Below(4)]
	turned := d.turned(rqCodeWords[memory])
	return []hca.HcaRxOp{hcaRxTurnQueue(memory, 0, p.spec.DestQP, p.receive.Queue, turned)}
}

// renew empties a queue, whatever was lost of it, and has it begin at slot 0: its word is lost on purpose. Of the
// receive WQEs that are posted next, n of them, one may have bits turned: so its post is there, and takes the order.
func (d *hcaRxPeer) renew(queue uint32, n int) {
	d.op(d.start, hcaRxTurnQueue(hca.RQOfQueue, 0, hcaRxElsewhere, queue, 1<<16))
	d.op(d.start, hcaRxQueue(hca.RQClear, queue, "its queue is empty again, its word lost"))
	d.op(d.start, hcaRxQueue(hca.RQClear, queue, "its queue begins at slot 0"))
	if d.r.OneIn(2) {
		turned := d.turned(rqCodeWords[hca.RQOfSlot])
		d.op(d.start, hcaRxTurnQueue(hca.RQOfSlot, d.r.Below(n), hcaRxElsewhere, queue, turned))
	}
}
