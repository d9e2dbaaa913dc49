package scenario

import (
	"encoding/binary"

	"hcacosim/model/hca"
)

// makeHcaRxECC is hca-rx for a build with Ecc 1: before a part of a round bits of some QPs' words are turned, one or
// two of a piece, so that a QP stops in the middle of what its peer sends.
func makeHcaRxECC(g *Generator, index uint64, _ *Rand, c *Case) {
	makeHcaRxRound(g, index, c, &hcaRxFive, true)
}

// wear orders an injection in some of the memories, each to the word of any QP. All of them are found by frames: what
// else looks a word up does so before the part, or writes it where no frame does.
func (d *hcaRxPeer) wear() {
	r := d.r
	for _, turn := range []func(p *hcaRxQP) []hca.HcaRxOp{d.wearQP, d.wearKey, d.wearMessage, d.wearVerdict} {
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
