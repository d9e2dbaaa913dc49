package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// An episode of tx-frame has a fixed number of records and of pieces that they read from host memory, a whole turn of
// tags: so each episode knows the tags of its own.
const (
	frameRecords = 96
	framePieces  = 2 * hca.ReadPieces
	frameLength  = frameRecords + framePieces
	// framePiecesMost is how many pieces a payload from a multiple of their size has at most.
	framePiecesMost = hca.FrameLongest / hca.ReadPieceBytes
	// frameSpan: what memory gives changes places among pieces of so many records, fewer than a device has inside.
	frameSpan     = 16
	frameSettling = 300 // clocks for what waits for memory
	frameInside   = 32  // records that are inside at most
)

// Ports of tx_frame.
const (
	framePackets sim.Port = iota
	frameMemory
)

// requestOpcodes are those of requests: RC, UC and UD. middleOfSend is one of them.
var requestOpcodes, middleOfSend = findRequests()

func findRequests() (all []ib.Opcode, middle ib.Opcode) {
	for op := range 256 {
		op := ib.Opcode(op)
		info, shape := ib.Lookup(op), op.Shape()
		if info == nil || !shape.Request || shape.Verb == ib.NoVerb {
			continue
		}
		switch info.Transport {
		case ib.RC:
			if shape.Verb == ib.VerbSend && !shape.First && !shape.Last {
				middle = op
			}
			all = append(all, op)
		case ib.UC, ib.UD:
			all = append(all, op)
		}
	}
	return all, middle
}

// frameMaker makes an episode of tx-frame.
type frameMaker struct {
	g *Generator
	r *Rand
	e *Episode

	qps     []uint32
	hops    map[uint32]hca.FrameWay // as they were set
	records int                     // still to come
	left    int                     // pieces still to be asked for
	tag     int
	begins  uint64 // the cycle before which no record comes
	late    uint64 // memory gives nothing before
	errors  int    // a piece in so many is wrong, 0: none
	shuffle int    // what memory gives changes places with what comes so much later at most
	run     int    // packets with a short payload each that come next, one behind the other
	bad     int    // pieces that come next and are all wrong
	small   bool

	due      []frameDue // asked for, not given
	dueSince int        // records since the first of them
}

// frameShared is the first of four numbers that QPs of any episode may have: what one life of a device has set, another
// asks for before it has. The last of them has the last word of any memory.
const frameShared = 0x5AFFFC

// frameDue is what memory gives for a piece.
type frameDue struct {
	bytes int
	user  uint32
	why   string
}

// makeTxFrame makes what tx_frame sends on every way, and what host memory gives it.
func makeTxFrame(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, frameLength, func(r *Rand, e *Episode) {
		m := frameMaker{g: g, r: r, e: e, hops: map[uint32]hca.FrameWay{}, records: frameRecords, left: framePieces,
			errors: [...]int{0, 0, 0, 40, 10}[r.Below(5)], shuffle: [...]int{1, 2, 16, 40}[r.Below(4)], small: r.OneIn(3)}
		through := g.pace.Cycles(g.pace.Beats(framePieces*hca.ReadPieceBytes, 4*frameLength)) + frameSettling
		m.begins = uint64(g.pace.Words) + 64 + e.Number*through
		if r.OneIn(3) { // all that can be under way is
			m.late = m.begins + uint64(r.Below(int(through/2)))
			m.run = r.Below(2) * r.Between(frameInside+1, frameInside+8)
		}
		for m.records > 0 {
			m.next()
		}
		m.flush()
	})
}

// give adds a record, and behind it now and then what memory gives.
func (m *frameMaker) give(q *hca.FrameRecord, why string) {
	var b [hca.FrameRecordBytes]byte
	m.e.Add(framePackets, m.begins, q.Append(b[:0]), why)
	m.records--
	m.ask(q)
	if m.dueSince++; m.dueSince >= frameSpan || len(m.due) >= m.shuffle {
		m.flush()
	}
}

// ask draws what memory gives for the pieces of a record.
func (m *frameMaker) ask(q *hca.FrameRecord) {
	r := m.r
	address, n := q.Gathers()
	for first := m.tag; n > 0; {
		bytes := min(n, hca.ReadPieceBytes-int(address%hca.ReadPieceBytes))
		end := int(address%hca.ReadLineBytes) + bytes
		d := frameDue{end, hca.ReadUser(uint8(m.tag%hca.ReadPieces), false), "memory gives"}
		bad := m.bad > 0
		m.bad = max(0, m.bad-1)
		switch {
		case bad, m.errors > 0 && r.OneIn(m.errors), n == bytes && m.tag-first == framePiecesMost && r.OneIn(4):
			if d.why = "memory gives: error"; r.OneIn(2) {
				d.user |= hca.ReadPieces
			} else if d.why = "memory gives less"; end > 1 {
				d.bytes = r.Between(1, end-1)
				if r.OneIn(2) {
					d.bytes = end - 1
				}
			} else {
				d.user |= hca.ReadPieces
			}
		case r.OneIn(3):
			d.bytes, d.why = end+r.Below(300), "memory gives more"
		}
		m.due = append(m.due, d)
		m.tag++
		m.left--
		address, n = address+uint64(bytes), n-bytes
	}
}

// flush adds what memory gives for all that is due, in any order.
func (m *frameMaker) flush() {
	for i := len(m.due) - 1; i > 0; i-- {
		if k := max(0, i+1-m.shuffle); m.shuffle > 1 {
			k = m.r.Between(k, i)
			m.due[i], m.due[k] = m.due[k], m.due[i]
		}
	}
	for i := range m.due {
		d := &m.due[i]
		m.e.AddUser(frameMemory, max(m.late, m.begins), d.user, m.g.payload(m.r, d.bytes), d.why)
	}
	m.due, m.dueSince = m.due[:0], 0
}

// next adds a record.
func (m *frameMaker) next() {
	r := m.r
	q := frameNoise(r)
	switch {
	case m.records > frameRecords-2: // of one that another life may have set
		q.QPN, q.Opcode, q.Entries = frameShared+uint32(r.Below(4)), ib.Join(ib.RC, ib.ReadRequest), 1
		m.give(&q, "packet, the first of all")
	case m.records*framePiecesMost < m.left+2*framePiecesMost && m.left > 0:
		m.rest(&q)
	case len(m.qps) >= 2 && m.run > 0:
		if m.run--; m.bad == 0 && r.OneIn(8) { // none of some packets leaves, and the one behind them does
			m.bad = r.Between(2, 6)
		}
		m.short(&q)
	case len(m.qps) < 2 || r.OneIn(10):
		q.Op = hca.FrameSet
		if len(m.qps) > 0 && r.OneIn(2) {
			q.QPN = m.qps[r.Below(len(m.qps))]
			if r.OneIn(3) {
				q.QPN = near(r, q.QPN, 24)
			}
		} else if r.OneIn(2) {
			q.QPN = frameShared + uint32(r.Below(4))
		}
		m.qps = append(m.qps, q.QPN)
		m.hops[q.QPN] = q.Way
		m.give(&q, "set")
	case r.OneIn(20):
		q.Op = hca.FrameOwn
		m.give(&q, "own")
	case r.OneIn(40):
		q.Op = hca.FrameOp(r.Between(3, 7))
		m.give(&q, "no such operation")
	default:
		m.packet(&q)
	}
}

// rest adds a packet that asks for as many of the pieces that are left as it can.
func (m *frameMaker) rest(q *hca.FrameRecord) {
	n := min(m.left, framePiecesMost)
	q.QPN, q.Opcode, q.Entries = m.qps[m.r.Below(len(m.qps))], middleOfSend, 1
	q.Address = q.Address&^(hca.ReadPieceBytes-1) - uint64(q.Offset)
	q.Bytes = uint16(n * hca.ReadPieceBytes)
	m.give(q, "packet")
}

// short adds a packet with a payload of a piece, seldom of two: behind a memory that gives nothing as many payloads are
// under way as there are places.
func (m *frameMaker) short(q *hca.FrameRecord) {
	q.QPN, q.Opcode, q.Entries = m.qps[m.r.Below(len(m.qps))], middleOfSend, 1
	q.Bytes = uint16(m.r.Between(1, 60))
	m.give(q, "short packet")
}

// packet adds one, most often of a QP that was set.
func (m *frameMaker) packet(q *hca.FrameRecord) {
	r := m.r
	if q.QPN = m.qps[len(m.qps)-1-r.Below(min(6, len(m.qps)))]; r.OneIn(20) {
		q.QPN = near(r, q.QPN, 24)
	}
	if r.OneIn(40) { // looks like memory that nobody wrote
		q.QPN = 0
	}
	why := "packet"
	if q.Opcode = requestOpcodes[r.Below(len(requestOpcodes))]; r.OneIn(30) {
		if q.Opcode, why = ib.Opcode(r.Below(256)), "packet of any opcode"; r.OneIn(3) {
			q.Opcode = ib.Opcode(r.Between(0x0D, 0x15)) | ib.Opcode(r.Below(8)<<5)
		}
	}
	if q.Bytes = uint16(m.length(q)); r.OneIn(50) {
		over := [...]int{1, 1 << r.Below(12), r.Between(1, 1<<12-1)}[r.Below(3)] // by one bit alone, too
		q.Bytes, why = uint16(hca.FrameLongest+over), "packet that is too long"
	}
	m.place(q)
	if r.OneIn(6) { // and offset turns over
		q.VA = -uint64(r.Between(1, 1<<30))
	}
	if r.OneIn(40) {
		q.Entries, why = uint8(r.Between(2, 31)), "gather list"
		switch r.Below(8) {
		case 0, 1, 2, 3: // of a READ of hardly anything, too
			q.Opcode = ib.Join(ib.RC, ib.ReadRequest)
			q.DMALength = [...]uint32{0, 1, 1, 1 << r.Below(32), ib.MaxMessage}[r.Below(5)]
		case 4: // of what brings nothing
			q.Opcode = ib.Join(ib.RC, ib.Flush)
		case 5: // nor has anything
			q.Bytes = 0
		case 6: // or too much
			q.Bytes = uint16(hca.FrameLongest + r.Between(1, 1<<12-1))
		}
	}
	if q.FramePieces() > m.left {
		q.Bytes = 0
	}
	if q.Opcode.Shape().Verb == ib.VerbAtomicWrite && q.Bytes > 0 && m.left >= 2 && r.OneIn(2) {
		q.Bytes = 8
	}
	if w, set := m.hops[q.QPN]; set && w.Encap == wire.EncapRoCEv2IPv4 && r.OneIn(4) {
		m.reset(q, w)
	}
	m.give(q, why)
}

// reset sets the QP anew so that the header checksum of the packet turns over twice.
func (m *frameMaker) reset(q *hca.FrameRecord, w hca.FrameWay) {
	info := ib.Lookup(q.Opcode)
	if info == nil || m.records < 3 {
		return
	}
	length := 20 + 8 + info.Bytes + (q.Payload()+3)&^3 + 4
	sum := 0x4500 + int(w.TClass) + length + 0x4000 + int(w.HopLimit)<<8 + 17 // 17: UDP
	for _, a := range [...][]byte{w.Src[12:14], w.Dst[12:14], w.Dst[14:16]} {
		sum += int(a[0])<<8 | int(a[1])
	}
	last := 0xFFFF - m.r.Below(4) - sum
	w.Src[14], w.Src[15] = byte(last>>8), byte(last)
	set := frameNoise(m.r)
	set.Op, set.QPN, set.Way = hca.FrameSet, q.QPN, w
	m.hops[q.QPN] = w
	m.give(&set, "set")
}

// length draws how long a payload is: near the end of a beat of any width, alone or behind its headers, more often than
// elsewhere.
func (m *frameMaker) length(q *hca.FrameRecord) int {
	r := m.r
	beat := 8 << r.Below(5)
	n := r.Below(1 + r.Below(400))
	switch r.Below(7) {
	case 0:
		n = beat*r.Between(1, 4) - 1 + r.Below(3)
	case 1: // the payload, its pad or the ICRC ends with a beat
		if info, w := ib.Lookup(q.Opcode), m.hops[q.QPN]; info != nil {
			head := [8]int{1: 54, 2: 42, 3: 62, 4: 8, 5: 48}[w.Encap] + info.Bytes
			if w.Encap < wire.EncapIBLocal {
				head += 4 * min(2, int(w.Tags))
			}
			n = beat*r.Between(1, 3) - head%beat + r.Between(-9, 1)
			n += (max(0, -n) + beat - 1) / beat * beat
		}
	case 2:
		if !m.small && r.OneIn(2) {
			n = hca.FrameLongest - r.Below(2)*r.Below(130)
		}
	case 3:
		if !m.small {
			n = r.Below(1200)
		}
	case 4:
		if info := ib.Lookup(q.Opcode); !m.small && info != nil && r.OneIn(2) {
			headers := info.Bytes + ib.ICRCBytes
			if n = carryLength(r, headers); !r.OneIn(3) { // the highest carry that a length of UDP and IP has
				n = 1<<12 - headers - 4*r.Between(1, 2) - r.Below(4)
			}
		} else {
			n = 0
		}
	}
	return n
}

// place draws where a payload lies: from any byte on, near a multiple of a piece, and over the end of all addresses.
func (m *frameMaker) place(q *hca.FrameRecord) {
	r := m.r
	at := r.Uint64()
	switch r.Below(8) {
	case 0, 1:
		at &^= hca.ReadPieceBytes - 1
	case 2:
		at = at&^(hca.ReadPieceBytes-1) + uint64(r.Below(9)) - 4
	case 3:
		at &^= uint64(8)<<r.Below(5) - 1
	case 4:
		if r.OneIn(4) {
			at = uint64(r.Below(6000)) - 3000
		}
	}
	if q.Offset &= 1<<r.Below(33) - 1; r.OneIn(3) {
		q.Offset = 0
	}
	q.Address = at - uint64(q.Offset)
	q.Entries = uint8(r.Below(2))
}

// frameNoise is a record of random fields.
func frameNoise(r *Rand) hca.FrameRecord {
	var a hca.AckQuery
	ackNoise(r, &a)
	return hca.FrameRecord{QPN: a.QPN, Opcode: ib.Opcode(r.Below(256)), PSN: a.PSN, AckReq: r.OneIn(2),
		Solicited: r.OneIn(2), VA: r.Uint64(), RKey: uint32(r.Uint64()), DMALength: uint32(r.Uint64()),
		Imm: uint32(r.Uint64()), SwapAdd: r.Uint64(), Compare: r.Uint64(), QKey: uint32(r.Uint64()),
		Bytes: uint16(r.Below(1 << 13)), Address: r.Uint64(), Offset: uint32(r.Uint64()), Entries: uint8(r.Below(32)),
		Way: hca.FrameWay{WayBack: a.Way, PKey: a.PKey, PeerQPN: a.PeerQPN, MAC: a.MAC, HopLimit: a.HopLimit}}
}
