package hca

import (
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// SQRetireLatencyCycles is how many cycles after it went in a record is answered, if none before it ends several WQEs.
const SQRetireLatencyCycles = 7

// Of these so many lie behind the queue of decisions, which a record that ends WQEs holds up.
const sqRetireSlotCycles = 3

// Output ports of sq_retire.
const (
	sqRetirePortAnswer sim.Port = 1 + iota
	sqRetirePortCQE
)

// SQOp is what a record on s_rec of sq_retire is.
type SQOp uint8

// Operations of sq_retire; 6 and 7 are none.
const (
	SQPost SQOp = iota
	SQBegun
	SQVerdict
	SQClear
	SQLook
	SQLocalDone
)

// SQFlags are the flags of a send WQE.
type SQFlags uint8

// The flags.
const (
	SQSignaled SQFlags = 1 << iota
	SQSolicited
	SQImmediate
	SQInvalidate
	SQFence
	SQInline
)

// SendWQE is a send WQE as the host posts it.
type SendWQE struct {
	WQE     uint32 // what the host knows it by
	Verb    roce.Verb
	Flags   SQFlags
	Length  uint32
	VA      uint64
	RKey    uint32
	Imm     uint32
	SwapAdd uint64
	Compare uint64
	QKey    uint32
	List    uint64 // address of the gather list, or of the inline bytes
	Entries uint8
}

func (w *SendWQE) layout(l *sim.Layout) {
	sim.Field(l, &w.WQE, 32)
	sim.Field(l, &w.Verb, 4)
	sim.Field(l, &w.Flags, 6)
	sim.Field(l, &w.Length, 32)
	l.Wide(&w.VA)
	sim.Field(l, &w.RKey, 32)
	sim.Field(l, &w.Imm, 32)
	l.Wide(&w.SwapAdd)
	l.Wide(&w.Compare)
	sim.Field(l, &w.QKey, 32)
	l.Wide(&w.List)
	sim.Field(l, &w.Entries, 5)
}

// SQRecord is a record on s_rec of sq_retire. docs/blocks/sq_retire.md says which op uses what.
type SQRecord struct {
	QPN              uint32 // 24 bits
	Op               SQOp
	Slot             uint8
	First, Last, Una psn.PSN
	Progress, Fail   bool
	Status           roce.Status
	SendWQE
}

// Sizes of the records of sq_retire.
const (
	SQRecordBytes = 68
	SQAnswerBytes = 67
	SQCQEBytes    = 12
)

func (r *SQRecord) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Op, 3)
	sim.Field(l, &r.Slot, 6)
	sim.Field(l, &r.First, psn.Bits)
	sim.Field(l, &r.Last, psn.Bits)
	sim.Field(l, &r.Una, psn.Bits)
	l.Flag(&r.Progress)
	l.Flag(&r.Fail)
	sim.Field(l, &r.Status, 4)
	r.SendWQE.layout(l)
}

var sqRecordForm = sim.FormOf((*SQRecord).layout)

// Append appends the record as it goes over the port.
func (r *SQRecord) Append(b []byte) []byte {
	return sqRecordForm.Append(b, r)
}

// ParseSQRecord reads a record of SQRecordBytes.
func ParseSQRecord(b []byte) SQRecord { return sqRecordForm.Parse(b) }

// SQWhy says why a record of sq_retire was not simply taken.
type SQWhy uint8

// The reasons of docs/blocks/sq_retire.md.
const (
	SQTaken SQWhy = iota
	SQNoQP
	SQHasFailed
	SQFull
	SQNotTurn
)

// SQAnswer is a record on m_rec of sq_retire.
type SQAnswer struct {
	QPN                    uint32
	Op                     SQOp
	Why                    SQWhy
	Slot, Ended, Count     uint8
	Failed, Present, Begun bool
	First, Last            psn.PSN
	SendWQE
}

func (a *SQAnswer) layout(l *sim.Layout) {
	sim.Field(l, &a.QPN, 24)
	sim.Field(l, &a.Op, 3)
	sim.Field(l, &a.Why, 3)
	sim.Field(l, &a.Slot, 6)
	sim.Field(l, &a.Ended, 7)
	sim.Field(l, &a.Count, 7)
	l.Flag(&a.Failed)
	l.Flag(&a.Present)
	l.Flag(&a.Begun)
	sim.Field(l, &a.First, psn.Bits)
	sim.Field(l, &a.Last, psn.Bits)
	a.SendWQE.layout(l)
}

var sqAnswerForm = sim.FormOf((*SQAnswer).layout)

// Append appends the record as it goes over the port.
func (a *SQAnswer) Append(b []byte) []byte {
	return sqAnswerForm.Append(b, a)
}

// ParseSQAnswer reads a record of SQAnswerBytes.
func ParseSQAnswer(b []byte) SQAnswer { return sqAnswerForm.Parse(b) }

// SQCQE is a completion, a record on m_cqe of sq_retire.
type SQCQE struct {
	QPN    uint32
	WQE    uint32
	Status roce.Status
	Verb   roce.Verb
	Length uint32
}

func (c *SQCQE) layout(l *sim.Layout) {
	sim.Field(l, &c.QPN, 24)
	sim.Field(l, &c.WQE, 32)
	sim.Field(l, &c.Status, 4)
	sim.Field(l, &c.Verb, 4)
	sim.Field(l, &c.Length, 32)
}

var sqCQEForm = sim.FormOf((*SQCQE).layout)

// Append appends the record as it goes over the port.
func (c *SQCQE) Append(b []byte) []byte {
	return sqCQEForm.Append(b, c)
}

// ParseSQCQE reads a record of SQCQEBytes.
func ParseSQCQE(b []byte) SQCQE { return sqCQEForm.Parse(b) }

var sqRetireSpec = sim.StageSpec{
	Name:    "sq_retire",
	Summary: "keeps send WQEs from posting to their end, and makes their completions",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 542},
		{Name: "m_rec", Kind: sim.Fields, Bits: 532},
		{Name: "m_cqe", Kind: sim.Fields, Bits: 96},
	},
	New: func(s sim.Settings) sim.Stage {
		return &sqRetire{queues: NewSendQueues(s.Get("NumQps", 4096), s.Get("Depth", 8), uint(s.Get("PsnWidth", psn.Bits)))}
	},
}

// sqRetire is the stage of docs/blocks/sq_retire.md.
type sqRetire struct {
	queues SendQueues
	free   uint64    // the first cycle in which slots can be gone through
	seq    [2]uint64 // of m_rec and m_cqe
	bytes  []byte    // of one Advance; its outputs share it until the next
}

func (s *sqRetire) Reset() {
	q := &s.queues
	*s = sqRetire{queues: NewSendQueues(q.numQPs, q.depth, q.width), bytes: s.bytes}
}

func (s *sqRetire) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.bytes = s.bytes[:0]
	for i := range in {
		r := ParseSQRecord(in[i].Data)
		a := s.queues.Step(&r)
		slots := max(s.free, in[i].End+SQRetireLatencyCycles-sqRetireSlotCycles)
		s.free = slots + max(1, uint64(a.Ended))
		at := len(s.bytes)
		s.bytes = a.Append(s.bytes)
		out = append(out, s.leaves(&in[i], sqRetirePortAnswer, slots, at))
		for k := range s.queues.ends {
			if e := &s.queues.ends[k]; e.completes {
				at = len(s.bytes)
				s.bytes = e.cqe.Append(s.bytes)
				out = append(out, s.leaves(&in[i], sqRetirePortCQE, slots+uint64(k), at))
			}
		}
	}
	return out
}

// leaves is the output of the bytes from at on, whose slot is looked up in a cycle.
func (s *sqRetire) leaves(in *sim.Record, port sim.Port, cycle uint64, at int) sim.Record {
	seq := &s.seq[port-sqRetirePortAnswer]
	cycle += sqRetireSlotCycles
	out := sim.Record{Start: cycle, End: cycle, Seq: *seq, Cause: in.Seq, Key: in.Key, Port: port,
		Data: s.bytes[at:len(s.bytes):len(s.bytes)]}
	*seq++
	return out
}
