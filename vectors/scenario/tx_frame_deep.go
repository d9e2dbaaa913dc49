package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// An episode of tx-frame-deep, as one of tx-frame: pieces are whole turns of tags.
const (
	frameDeepRecords = 512
	frameDeepPieces  = 13 * hca.ReadPieces
	frameDeepLength  = frameDeepRecords + frameDeepPieces
	// frameCrowd is how many records waiting and turnOfPieces make at most, and frameCrowdPieces what they read.
	frameCrowd       = frameInside + 1
	frameCrowdPieces = 2*hca.ReadPieces + framePiecesMost + 4
)

// makeTxFrameDeep makes packets of each of the 256 opcodes, and payloads of many pieces in places that hang on what
// went before: behind a reset, behind a turn of the numbers of pieces, behind an output that is held up.
func makeTxFrameDeep(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, frameDeepLength, func(r *Rand, e *Episode) {
		m := frameMaker{g: g, r: r, e: e, hops: map[uint32]hca.FrameWay{}, records: frameDeepRecords,
			left: frameDeepPieces, shuffle: 1}
		const pauses = frameDeepPieces / frameCrowdPieces
		through := g.pace.Cycles(g.pace.Beats(frameDeepPieces*hca.ReadPieceBytes, 4*frameDeepLength)) + frameSettling +
			pauses*(g.pace.Cycles(0)+frameSettling)
		m.begins = uint64(g.pace.Words) + 64 + e.Number*through
		m.firstOfAll()
		if r.OneIn(2) {
			m.everyOpcode()
		}
		for m.records > frameCrowd && m.left > frameCrowdPieces {
			if r.OneIn(2) {
				m.turnOfPieces()
			} else {
				m.waiting()
			}
		}
		for m.records > 0 {
			if q := frameNoise(r); m.left > 0 {
				m.rest(&q)
			} else {
				m.plain(&q, 0)
			}
		}
		m.flush()
	})
}

// firstOfAll is a packet without a frame, of a QP without a way, whose payload has many beats: what a reset inside a
// frame left of a count of beats shows at once.
func (m *frameMaker) firstOfAll() {
	q := frameNoise(m.r)
	q.QPN, q.Opcode, q.Entries = frameShared+uint32(m.r.Below(4)), middleOfSend, 1
	q.Address = q.Address&^(hca.ReadPieceBytes-1) - uint64(q.Offset)
	q.Bytes = uint16(m.r.Between(1, framePiecesMost) * hca.ReadPieceBytes)
	m.give(&q, "packet, the first of all")
}

// set gives a QP a way that there is.
func (m *frameMaker) set(why string) {
	q := frameNoise(m.r)
	q.Op, q.Way.Encap = hca.FrameSet, wire.EncapRoCEv1+wire.Encap(m.r.Below(5))
	m.qps = append(m.qps[:0], q.QPN)
	m.hops[q.QPN] = q.Way
	m.give(&q, why)
}

// plain is the middle of a SEND with a payload of so many pieces: of two by two bytes, so that memory is quick.
func (m *frameMaker) plain(q *hca.FrameRecord, pieces int) {
	q.QPN, q.Opcode, q.Entries = m.qps[0], middleOfSend, 1
	q.Address = q.Address&^(hca.ReadPieceBytes-1) - uint64(q.Offset)
	switch q.Bytes = uint16(pieces * hca.ReadPieceBytes); pieces {
	case 1:
		q.Bytes = uint16(m.r.Between(1, 60))
	case 2:
		q.Bytes, q.Address = 2, q.Address-1
	}
	m.give(q, "packet of few pieces")
}

// waiting is packets with short payloads, and behind them as many pieces as are asked for at most: where the output is
// held up all of them are there before the payload that they begin with is looked at.
func (m *frameMaker) waiting() {
	m.set("set, before short packets")
	long := m.r.Between(4, frameInside-1)
	for i := range frameInside {
		n := 2
		if i < 4 {
			n = 1
		} else if i == long {
			n = m.r.Between(10, framePiecesMost)
		}
		q := frameNoise(m.r)
		m.plain(&q, n)
	}
}

// turnOfPieces is payloads that have as many pieces together as there are numbers of pieces, but for a few, and then a
// long one, when all is quiet, of which nothing can be read: the number of the payload in whose place it stands comes
// in its midst.
func (m *frameMaker) turnOfPieces() {
	const each = 2 * hca.ReadPieces / frameInside
	m.set("set, before a turn of pieces")
	more := 0
	for i := range frameInside - 1 {
		if more = -more; i%2 == 0 {
			more = m.r.Between(0, each-1)
		}
		if i == frameInside-2 {
			more = m.r.Between(-2, 2)
		}
		q := frameNoise(m.r)
		m.plain(&q, each+more)
	}
	m.begins += m.g.pace.Cycles(m.g.pace.Beats(frameCrowdPieces*hca.ReadPieceBytes, 4*frameCrowd)) + frameSettling
	m.bad = framePiecesMost
	q := frameNoise(m.r)
	m.plain(&q, framePiecesMost)
}

// everyOpcode is a packet of each opcode, in any order, some with a payload.
func (m *frameMaker) everyOpcode() {
	m.set("set, before every opcode")
	order := m.r.Below(256)
	for i := range 256 {
		q := frameNoise(m.r)
		q.QPN, q.Opcode, q.Entries = m.qps[0], ib.Opcode(order^i*0x9D&255), 0
		if q.Bytes = 0; m.left > 0 && m.r.OneIn(4) {
			q.Bytes = uint16(m.r.Between(1, 60))
			q.Address = q.Address&^(hca.ReadPieceBytes-1) - uint64(q.Offset)
		}
		m.give(&q, "packet of each opcode")
	}
}
