package scenario

import (
	"encoding/binary"

	"hcacosim/model/hca"
	"hcacosim/model/wire"
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

// wearQueue turns bits of what rq_head knows of the QP's queue or of the QP: a frame that looks it up writes it first.
func (d *hcaRxPeer) wearQueue(p *hcaRxQP) []hca.HcaRxOp {
	memory := [...]hca.RQMemory{hca.RQOfQueue, hca.RQOfQueue, hca.RQOfQP, hca.RQOfHeld}[d.r.Below(4)]
	return []hca.HcaRxOp{d.turnQueue(memory, 0, p)}
}

// turnQueue is an injection in a memory of rq_head.
func (d *hcaRxPeer) turnQueue(memory hca.RQMemory, slot int, p *hcaRxQP) hca.HcaRxOp {
	q := hca.RQQuery{Op: hca.RQInject, QPN: p.spec.DestQP, Queue: p.receive.Queue, ReceiveWQE: hca.ReceiveWQE{
		Bytes: d.turned(rqCodeWords[memory]), WQE: uint32(slot)<<2 | uint32(memory)}}
	why := [...]string{"inject: the head of a queue", "inject: whether it holds a WQE", "inject: a WQE",
		"inject: the WQE that it holds"}[memory]
	return hca.HcaRxOp{To: hca.ToReceiveQueues, Record: q.Append(nil), Why: why}
}

// wearSlots turns bits of a WQE to come, of any QP's queue.
func (d *hcaRxPeer) wearSlots() {
	if d.r.OneIn(2) {
		d.op(d.start, d.turnQueue(hca.RQOfSlot, d.r.Below(hcaRxDepth), d.used[d.r.Below(len(d.used))]))
	}
}

// hcaRxKeptCodeWords are those of replay_fifo as hca_rx has it, of a QP and of a slot.
var hcaRxKeptCodeWords = [...]*codeWord{newCodeWord(hca.HcaRxReplaySlots*51+13, 65535), newCodeWord(193, 65535)}

// wearKept ends a part with bits turned of what replay_fifo keeps of a QP, and READs of it behind all other frames:
// where a word was lost, the QP goes to error behind their verdicts, and what comes then nobody says.
func (d *hcaRxPeer) wearKept() {
	r := d.r
	start, now := d.start, d.now
	at, apart := start+d.plan.through(d.g.pace), d.g.pace.Cycles(hcaRxSettling/5)
	first, tried := r.Below(len(d.used)), 0
	for i := range d.used {
		p := d.used[(first+i)%len(d.used)]
		room := d.plan.pieces-d.memory.pieces > 4 && d.plan.writes-d.memory.writes > 8
		if p.uc || p.reads == 0 || p.verdict.Enabled != 7 || !room || tried == 2 {
			continue
		}
		tried++
		for _, o := range p.revive() { // all that it had under way is through
			d.op(at, o)
		}
		d.served[p.spec.DestQP] = 0
		memory := r.Below(2)
		d.turnKept(p, memory, at)
		d.late = at + apart
		d.start, d.now = d.late, d.late
		d.readKept(p, memory)
		at += 2 * apart
	}
	d.late, d.start, d.now = 0, start, now
	d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0]
}

// turnKept orders an injection in the QP's word, which a set that is not done writes, or in the slot of its next READ.
func (d *hcaRxPeer) turnKept(p *hcaRxQP, memory int, at uint64) {
	turn := hca.ReplayQuery{Op: hca.ReplayInject, QPN: p.spec.DestQP, Kind: hca.ReplayKind(memory),
		VA: uint64(d.turned(hcaRxKeptCodeWords[memory])), Depth: d.model.NextKept(p.spec.DestQP)}
	why := [...]string{"inject: what it keeps", "inject: the next that it keeps"}[memory]
	d.op(at, hca.HcaRxOp{To: hca.ToReplay, Record: turn.Append(nil), Why: why})
	if memory == 0 {
		none := hca.ReplayQuery{Op: hca.ReplaySet, QPN: p.spec.DestQP}
		d.op(at, hca.HcaRxOp{To: hca.ToReplay, Record: none.Append(nil), Why: "no set: writes it"})
	}
}

// readKept has the QP send a READ, and that one again. An order that none of its READs took is replaced by one to a QP
// that nobody has.
func (d *hcaRxPeer) readKept(p *hcaRxQP, memory int) {
	s, _ := d.read(p, 6)
	s.RKey, s.VA, s.DMALen, p.next = p.key, hcaRxVA, uint32(d.r.Between(1, p.pmtu)), s.PSN.Add(1)
	executed, lost := d.sendKept(s, "a READ whose QP may be lost")
	if memory == 1 && !executed {
		none := hca.ReplayQuery{Op: hca.ReplayInject, QPN: hcaRxNumQPs - 1, Kind: 1}
		d.op(d.late, hca.HcaRxOp{To: hca.ToReplay, Record: none.Append(nil), Why: "inject: elsewhere"})
	}
	if executed && !lost {
		_, lost = d.sendKept(s, "the same again")
	}
	p.failed = lost
}

// sendKept sends a READ, and says whether it was executed and whether replay_fifo lost what it has of it.
func (d *hcaRxPeer) sendKept(s wire.Spec, why string) (executed, lost bool) {
	before := d.frames
	d.send(s, 0, why)
	if f := &d.told; d.frames > before {
		executed, lost = f.Executed(), f.IsRequest() && f.Asks() && f.Asked.End == hca.HcaRxLost
	}
	return executed, lost
}
