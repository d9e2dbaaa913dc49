package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/psn"
)

// replayCase is a directed case of replay-fifo: a QP that was just set for PMTU 256 and keeps four requests.
type replayCase struct {
	name, rule, says string
	play             func(d *replayDirector)
}

var replayDirected = []replayCase{
	{"atomic-again", "RSP-8",
		"a duplicate atomic is found before it has its result and behind, and has that result then",
		func(d *replayDirector) {
			q := d.keep(hca.ReplayAtomic, 0)
			d.lookUp(q)
			d.result(q)
			d.lookUp(q)
			d.lookUp(q)
		}},
	{"atomic-fallen-out", "RSP-8", "of five requests where four are kept the first is not found, the others are",
		func(d *replayDirector) {
			var kept [5]hca.ReplayQuery
			for i := range kept {
				kept[i] = d.keep(hca.ReplayAtomic, 0)
				d.result(kept[i])
			}
			for _, q := range kept {
				d.lookUp(q)
			}
		}},
	{"atomic-as-read", "RSP-8",
		"a READ that asks for the PSN of an atomic, and an atomic for that of a READ, find nothing",
		func(d *replayDirector) {
			atomic, read := d.keep(hca.ReplayAtomic, 0), d.keep(hca.ReplayRead, 1)
			atomic.Kind, read.Kind = read.Kind, atomic.Kind
			d.lookUp(atomic)
			d.lookUp(read)
		}},
	{"read-parts", "RSP-7", "of a READ of five responses any part may be asked for, at the PSN that it had",
		func(d *replayDirector) {
			q := d.keep(hca.ReplayRead, 5)
			for skip := range uint32(5) {
				for take := range 5 - skip {
					d.lookUp(readPart(q, skip, take+1))
				}
			}
		}},
	{"read-beyond", "RSP-7",
		"a READ that ends a byte behind its original, or begins a packet before or behind it, finds nothing",
		func(d *replayDirector) {
			q := d.keep(hca.ReplayRead, 3)
			longer, before, behind := q, q, q
			longer.Bytes++
			before.PSN, before.VA = q.PSN.Add(-1), q.VA-replayPMTU
			behind.PSN, behind.VA, behind.Bytes = q.PSN.Add(3), q.VA+3*replayPMTU, 1
			for _, bad := range [...]hca.ReplayQuery{longer, before, behind, q} {
				d.lookUp(bad)
			}
		}},
	{"read-turns-over", "RSP-7", "address and length of a READ at the end of the address space add up as integers do",
		func(d *replayDirector) {
			d.va = 1<<64 - 2*replayPMTU
			q := d.keep(hca.ReplayRead, 2)
			d.lookUp(readPart(q, 1, 1))
			q.Bytes = 1<<32 - 1
			d.lookUp(q)
			q.VA, q.Bytes = 0, replayPMTU
			d.lookUp(q)
		}},
	{"one-bit-apart-kept", "RSP-7",
		"what is kept is not found a PSN away that differs in one bit, nor under another QP's number",
		(*replayDirector).apart},
	{"read-far-in", "RSP-7", "how far a part of a READ lies from its start is counted in more than 32 bits",
		(*replayDirector).farIn},
	{"two-bits-apart", "RSP-7",
		"a READ at a place that differs in any bit or two, or with a key that does in two, finds nothing",
		(*replayDirector).twoBits},
}

// twoBits asks for a READ with each bit of its place wrong, alone and with another, and each of its key with another.
func (d *replayDirector) twoBits() {
	r := d.p.r
	kept := d.keep(hca.ReplayRead, 3)
	for bit := range 64 {
		q := kept
		q.VA ^= 1 << bit
		d.lookUp(q)
		q.VA ^= 1 << ((bit + r.Between(1, 63)) % 64)
		d.lookUp(q)
	}
	for bit := range 32 {
		q := kept
		q.RKey ^= 1<<bit ^ 1<<((bit+r.Between(1, 31))%32)
		d.lookUp(q)
	}
}

const replayPMTU = 256

// replayDirector plays a case.
type replayDirector struct {
	p   *replayPeers
	qp  *replayPeer
	va  uint64
	why string
}

// directed sets a QP up and plays a case with it.
func (p *replayPeers) directed(qp *replayPeer) {
	n := len(replayDirected)
	if p.before != nil { // what wears a memory out goes by what is written: without the long look-ups
		n -= 3
	}
	c := &replayDirected[p.r.Below(n)]
	d := replayDirector{p, qp, p.r.Uint64() >> 1, directedWhy + c.name}
	q := p.noise(qp.qpn, hca.ReplaySet)
	q.Depth, q.PMTU, qp.pmtu = 4, 1, 1
	p.give(q, d.why)
	c.play(&d)
}

// keep is a new request: a READ of so many responses, or an atomic.
func (d *replayDirector) keep(kind hca.ReplayKind, responses uint32) hca.ReplayQuery {
	q := d.p.noise(d.qp.qpn, hca.ReplayKeep)
	q.Kind, q.PSN, q.VA = kind, d.qp.next, d.va
	q.Last = q.PSN
	if kind == hca.ReplayRead {
		q.Bytes, q.Last = responses*replayPMTU, q.PSN.Add(int32(responses)-1)
	}
	d.qp.next = q.Last.Add(1)
	d.qp.sent = append(d.qp.sent, q)
	d.p.give(q, d.why)
	return q
}

func (d *replayDirector) lookUp(q hca.ReplayQuery) {
	q.Op, q.Last = hca.ReplayLookUp, psn.PSN(d.p.r.Below(1<<24))
	d.p.give(q, d.why)
}

func (d *replayDirector) result(q hca.ReplayQuery) {
	q.Op, q.Original = hca.ReplayResult, replayResult(d.p.r)
	d.p.give(q, d.why)
}

// readPart is a READ for some responses of another.
func readPart(q hca.ReplayQuery, skip, take uint32) hca.ReplayQuery {
	q.PSN, q.VA, q.Bytes = q.PSN.Add(int32(skip)), q.VA+uint64(skip)*replayPMTU, take*replayPMTU
	return q
}

// apart asks for a READ and for an atomic with one bit of the PSN or of the QP's number turned.
func (d *replayDirector) apart() {
	kept := [...]hca.ReplayQuery{d.keep(hca.ReplayAtomic, 0), d.keep(hca.ReplayRead, 1)}
	for bit := d.p.r.Below(3); bit < 24; bit += 3 {
		q := kept[d.p.r.Below(2)]
		q.PSN ^= 1 << bit
		d.lookUp(q)
		q = kept[d.p.r.Below(2)]
		q.QPN ^= 1 << bit
		d.lookUp(q)
	}
	d.lookUp(kept[0])
	d.lookUp(kept[1])
	d.result(kept[0])
}

// farIn keeps a READ of as many PSNs and bytes as can be said, 4,096 bytes each, and asks for parts of it from far
// behind its start: at the place that they have, and at the one that is the same in 32 bits. The last part begins with
// the last PSN and ends more than 2^36 bytes behind the start.
func (d *replayDirector) farIn() {
	q := d.p.noise(d.qp.qpn, hca.ReplaySet)
	q.Depth, q.PMTU, d.qp.pmtu = 4, 5, 5
	d.p.give(q, d.why)
	kept := d.p.noise(d.qp.qpn, hca.ReplayKeep)
	kept.Kind, kept.PSN, kept.Last, kept.Bytes = hca.ReplayRead, d.qp.next, d.qp.next.Add(-1), 1<<32-1
	d.p.give(kept, d.why)
	for bit := 18; bit < 24; bit++ {
		part := kept
		part.PSN = kept.PSN.Add(int32(1)<<bit | int32(d.p.r.Below(4)))
		skipped := uint64(part.PSN.Ahead(kept.PSN)) << 12
		for _, at := range [...]uint64{skipped, skipped & (1<<32 - 1)} {
			part.VA, part.Bytes = kept.VA+at, uint32(d.p.r.Between(1, 256))
			d.lookUp(part)
		}
	}
	const last = 1<<24 - 1
	part := kept
	part.PSN, part.VA, part.Bytes = kept.PSN.Add(-1), kept.VA+last<<12, uint32(d.p.r.Between(4097, 8192))
	d.lookUp(part)
}
