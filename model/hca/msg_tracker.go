package hca

import "hcacosim/model/sim"

// MsgTrackerLatencyCycles is how many cycles after it went in a record is answered.
const MsgTrackerLatencyCycles = 4

// MsgOp is what a record on s_rec of msg_tracker is.
type MsgOp uint8

// A question ahead of the verdict, what was executed, and a QP that is set up anew.
const (
	MsgLookUp MsgOp = iota
	MsgCommit
	MsgClear
)

// Operations of a memory with a code.
const (
	MsgInject MsgOp = 6
	MsgCounts MsgOp = 7
)

// msgContextBits are the data bits of the word of a QP.
const msgContextBits = 162

// MsgVerb is which kind of message a packet belongs to.
type MsgVerb uint8

// Messages of several packets; all else has MsgNone.
const (
	MsgNone MsgVerb = iota
	MsgSend
	MsgWrite
	msgStopped // of a word that was lost, until it is cleared
)

// MsgQuery is a record on s_rec of msg_tracker. docs/blocks/msg_tracker.md says which op uses what.
type MsgQuery struct {
	Op          MsgOp
	QPN         uint32 // 24 bits
	Verb        MsgVerb
	First, Last bool
	Payload     uint16 // bytes without pad
	VA          uint64
	RKey        uint32
	DMALength   uint32
}

// MsgQueryBytes is the size of a record on s_rec of msg_tracker.
const MsgQueryBytes = 22

func (q *MsgQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.QPN, 24)
	sim.Field(l, &q.Verb, 2)
	l.Flag(&q.First)
	l.Flag(&q.Last)
	sim.Field(l, &q.Payload, 16)
	l.Wide(&q.VA)
	sim.Field(l, &q.RKey, 32)
	sim.Field(l, &q.DMALength, 32)
}

var msgQueryForm = sim.FormOf((*MsgQuery).layout)

// Append appends the record as it goes over the port.
func (q *MsgQuery) Append(b []byte) []byte {
	return msgQueryForm.Append(b, q)
}

// ParseMsgQuery reads a record of MsgQueryBytes.
func ParseMsgQuery(b []byte) MsgQuery { return msgQueryForm.Parse(b) }

// MsgResult is a record on m_rec of msg_tracker.
type MsgResult struct {
	QPN   uint32
	Op    MsgOp
	Found bool
	MsgPlace
}

// MsgPlace is how far a message has come: where its next byte goes, by which key, how many bytes were before, and how
// many are to come. Of a SEND only Offset is known.
type MsgPlace struct {
	VA     uint64
	RKey   uint32
	Offset uint32
	Left   uint32
}

func (r *MsgResult) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Op, 3)
	l.Flag(&r.Found)
	l.Wide(&r.VA)
	sim.Field(l, &r.RKey, 32)
	sim.Field(l, &r.Offset, 32)
	sim.Field(l, &r.Left, 32)
}

var msgResultForm = sim.FormOf((*MsgResult).layout)

// ParseMsgResult reads a record on m_rec of msg_tracker.
func ParseMsgResult(b []byte) MsgResult { return msgResultForm.Parse(b) }

var msgTrackerSpec = sim.StageSpec{
	Name:    "msg_tracker",
	Summary: "says where the bytes of a packet go in its message, and keeps the open message of each QP",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 175},
		{Name: "m_rec", Kind: sim.Fields, Bits: 188},
	},
	New: func(s sim.Settings) sim.Stage {
		return &msgTracker{pass: pass{latencyCycles: MsgTrackerLatencyCycles},
			messages: Messages{numQPs: uint32(s.Get("NumQps", 4096)), ecc: eccOf(s, msgContextBits)}}
	},
}

// msgTracker is the stage of docs/blocks/msg_tracker.md.
type msgTracker struct {
	pass
	messages Messages
	records  []byte // of one Advance; its outputs share it until the next
}

func (s *msgTracker) Reset() {
	s.pass.Reset()
	s.messages.reset()
}

func (s *msgTracker) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		q := ParseMsgQuery(in[i].Data)
		r := s.messages.Step(&q)
		at := len(s.records)
		s.records = msgResultForm.Append(s.records, &r)
		out = s.through(out, &in[i], s.records[at:len(s.records):len(s.records)], 0)
	}
	return out
}

// Messages is what msg_tracker knows: the open message of each QP that has one.
type Messages struct {
	numQPs uint32
	open   byIndex[openMessage]
	ecc    *eccMemory // nil without
}

func (m *Messages) reset() {
	m.open.reset()
	m.ecc.reset()
}

type openMessage struct {
	verb MsgVerb
	MsgPlace
}

// Step makes one record of one.
func (m *Messages) Step(q *MsgQuery) (r MsgResult) {
	r.QPN, r.Op = q.QPN, q.Op
	if m.ecc != nil && (q.Op == MsgInject || q.Op == MsgCounts) {
		return m.maintain(q)
	}
	if q.QPN >= m.numQPs {
		return r
	}
	if m.stops(q) {
		r.Left = 1 // and not found: the word was lost
		return r
	}
	switch q.Op {
	case MsgLookUp:
		r.MsgPlace, r.Found = m.place(q)
	case MsgCommit:
		if r.MsgPlace, r.Found = m.place(q); r.Found {
			m.commit(q, r.MsgPlace)
		}
	case MsgClear:
		m.open.delete(q.QPN)
		r.Found = true
	}
	return r
}

// maintain orders an injection (ECC-4), or tells the counts (ECC-5).
func (m *Messages) maintain(q *MsgQuery) MsgResult {
	r := MsgResult{QPN: q.QPN, Op: q.Op}
	if e := m.ecc; q.Op == MsgCounts {
		r.Found, r.Offset, r.Left = true, uint32(e.corrected), uint32(e.failed)
		r.RKey, r.VA = e.lastCorrected, uint64(e.lastFailed)
	} else {
		r.Found = q.QPN < m.numQPs && e.inject(q.QPN, int(q.VA&0xFFFF), int(q.VA>>16&0xFFFF))
	}
	return r
}

// stops reports whether the QP's word was lost, now or before: then it stands still until it is cleared (ECC-3).
func (m *Messages) stops(q *MsgQuery) bool {
	if m.ecc == nil {
		return false
	}
	lost := m.ecc.lost(q.QPN)
	open := m.open.get(q.QPN)
	if q.Op == MsgClear || !lost && (open == nil || open.verb != msgStopped) {
		return false
	}
	m.open.set(q.QPN, openMessage{verb: msgStopped})
	return true
}

// Lost reports whether the word of the record's QP was lost, so that the QP stops (ECC-3).
func (r *MsgResult) Lost() bool { return r.Op != MsgCounts && !r.Found && r.Left == 1 }

// place is where a packet stands in its message; false where it has none.
func (m *Messages) place(q *MsgQuery) (MsgPlace, bool) {
	switch {
	case q.Verb != MsgSend && q.Verb != MsgWrite:
		return MsgPlace{}, false
	case q.First && q.Verb == MsgWrite:
		return MsgPlace{VA: q.VA, RKey: q.RKey, Left: q.DMALength}, true
	case q.First:
		return MsgPlace{}, true
	}
	open := m.open.get(q.QPN)
	if open == nil || open.verb != q.Verb {
		return MsgPlace{}, false
	}
	return open.MsgPlace, true
}

// commit goes on by the packet's payload.
func (m *Messages) commit(q *MsgQuery, at MsgPlace) {
	if q.Last {
		m.open.delete(q.QPN)
		return
	}
	n := uint32(q.Payload)
	at.Offset += n
	if q.Verb == MsgWrite {
		at.VA += uint64(n)
		at.Left -= min(n, at.Left)
	}
	m.open.set(q.QPN, openMessage{q.Verb, at})
}
