package hca

// Decides DMA-6.

import (
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// Cycles of atomic_engine, as docs/blocks/atomic_engine.md has them: from the clock in which an atomic begins to its
// read, from its decision to its write and to its retirement, and from there to its result.
const (
	AtomicReadCycles   = 1
	AtomicWriteCycles  = 2
	AtomicRetireCycles = 2
	AtomicResultCycles = 1
)

// AtomicTags is how many numbers atomics have, in turn.
const AtomicTags = 64

// AtomicStatus is what became of an atomic.
type AtomicStatus uint8

// A comparison that failed is done.
const (
	AtomicDone AtomicStatus = iota
	AtomicNotRead
	AtomicNotWritten
)

// Ports of atomic_engine.
const (
	atomicPortCommand sim.Port = iota
	atomicPortRead
	atomicPortData
	atomicPortWrite
	atomicPortAck
	atomicPortResult
)

// AtomicCommand is a record on s_cmd of atomic_engine.
type AtomicCommand struct {
	roce.Atomic
	QPN     uint32 // 24 bits
	PSN     psn.PSN
	Address uint64
}

func (c *AtomicCommand) layout(l *sim.Layout) {
	l.Flag(&c.Add)
	sim.Field(l, &c.QPN, 24)
	sim.Field(l, &c.PSN, psn.Bits)
	l.Wide(&c.Address)
	l.Wide(&c.Compare)
	l.Wide(&c.SwapAdd)
}

var atomicCommandForm = sim.FormOf((*AtomicCommand).layout)

// Append appends the record as it goes over the port.
func (c *AtomicCommand) Append(b []byte) []byte {
	return atomicCommandForm.Append(b, c)
}

// ParseAtomicCommand reads a record on s_cmd of atomic_engine.
func ParseAtomicCommand(b []byte) AtomicCommand { return atomicCommandForm.Parse(b) }

// AtomicAnswer is a record on s_read of atomic_engine, and on s_write, where there is no data.
type AtomicAnswer struct {
	Tag   uint8
	Error bool
	Data  uint64
}

func (a *AtomicAnswer) layout(l *sim.Layout, hasData bool) {
	sim.Field(l, &a.Tag, 6)
	l.Flag(&a.Error)
	if hasData {
		l.Wide(&a.Data)
	}
}

var (
	atomicReadForm    = sim.FormOf(func(a *AtomicAnswer, l *sim.Layout) { a.layout(l, true) })
	atomicWrittenForm = sim.FormOf(func(a *AtomicAnswer, l *sim.Layout) { a.layout(l, false) })
	atomicAskForm     = sim.FormOf(func(a *AtomicAccess, l *sim.Layout) { a.layout(l, false) })
	atomicWriteForm   = sim.FormOf(func(a *AtomicAccess, l *sim.Layout) { a.layout(l, true) })
)

// AppendRead appends the record as it goes over s_read.
func (a *AtomicAnswer) AppendRead(b []byte) []byte {
	return atomicReadForm.Append(b, a)
}

// AppendWritten appends the record as it goes over s_write.
func (a *AtomicAnswer) AppendWritten(b []byte) []byte {
	return atomicWrittenForm.Append(b, a)
}

// ParseAtomicAnswer reads a record on s_read or s_write of atomic_engine.
func ParseAtomicAnswer(b []byte) AtomicAnswer { return atomicReadForm.Parse(b) }

// AtomicAccess is a record on m_read of atomic_engine, and on m_write, where there is data.
type AtomicAccess struct {
	Tag     uint8
	Address uint64
	Data    uint64
}

func (a *AtomicAccess) layout(l *sim.Layout, hasData bool) {
	sim.Field(l, &a.Tag, 6)
	l.Wide(&a.Address)
	if hasData {
		l.Wide(&a.Data)
	}
}

func (a *AtomicAccess) append(b []byte, hasData bool) []byte {
	if hasData {
		return atomicWriteForm.Append(b, a)
	}
	return atomicAskForm.Append(b, a)
}

// AppendRead appends the record as it goes over m_read.
func (a *AtomicAccess) AppendRead(b []byte) []byte { return a.append(b, false) }

// AppendWrite appends the record as it goes over m_write.
func (a *AtomicAccess) AppendWrite(b []byte) []byte { return a.append(b, true) }

// ParseAtomicAccess reads a record on m_read or m_write of atomic_engine.
func ParseAtomicAccess(b []byte) AtomicAccess { return atomicWriteForm.Parse(b) }

// AtomicResult is a record on m_res of atomic_engine.
type AtomicResult struct {
	QPN      uint32
	PSN      psn.PSN
	Status   AtomicStatus
	Original uint64
}

func (r *AtomicResult) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.PSN, psn.Bits)
	sim.Field(l, &r.Status, 2)
	l.Wide(&r.Original)
}

var atomicResultForm = sim.FormOf((*AtomicResult).layout)

func (r *AtomicResult) append(b []byte) []byte {
	return atomicResultForm.Append(b, r)
}

// ParseAtomicResult reads a record on m_res of atomic_engine.
func ParseAtomicResult(b []byte) AtomicResult { return atomicResultForm.Parse(b) }

var atomicEngineSpec = sim.StageSpec{
	Name:    "atomic_engine",
	Summary: "does atomics on host memory, one at a time of an address and of a QP",
	Ports: []sim.PortSpec{
		{Name: "s_cmd", Input: true, Kind: sim.Fields, Bits: 241},
		{Name: "m_read", Kind: sim.Fields, Bits: 70},
		{Name: "s_read", Input: true, Kind: sim.Fields, Bits: 71},
		{Name: "m_write", Kind: sim.Fields, Bits: 134},
		{Name: "s_write", Input: true, Kind: sim.Fields, Bits: 7},
		{Name: "m_res", Kind: sim.Fields, Bits: 114},
	},
	New: func(s sim.Settings) sim.Stage { return &atomicEngine{slots: int(s.Get("Slots", 16))} },
}

// atomicEngine is the stage of docs/blocks/atomic_engine.md. It goes by accepted cycles alone: each input is looked at
// once, and what is possible then is done.
type atomicEngine struct {
	slots    int
	waiting  []atomicWaiting // came and have not begun, oldest first
	underWay []atomicOp      // begun and not retired, oldest first
	retired  []atomicOp      // the last ones, at most slots
	decided  int             // of those under way
	number   uint8           // of the atomic that begins next

	reads, acks         atomicNotes
	begin, step, retire uint64 // the first clocks in which an atomic can begin, decide, be retired
	seqs                [atomicPortResult + 1]uint64
	data                []byte // of the outputs of one Advance; they share it until the next
}

// atomicWaiting is a command that came in a clock.
type atomicWaiting struct {
	AtomicCommand
	came uint64
}

// atomicOp is an atomic that has begun.
type atomicOp struct {
	AtomicCommand
	tag      uint8
	from     uint64 // the first clock in which it can decide; once it has, in which it can be retired; then the next one
	writes   bool
	status   AtomicStatus
	original uint64
}

// holds reports whether another atomic may not begin before this one is retired (DMA-6).
func (o *atomicOp) holds(c *AtomicCommand) bool {
	return o.Address>>3 == c.Address>>3 || o.QPN == c.QPN
}

// atomicNotes are the answers at one port: those that wait, and one of each tag that was noted.
type atomicNotes struct {
	waiting []atomicAnswered // oldest first
	next    uint64           // the first clock in which one can be noted
	tags    [AtomicTags]atomicNote
}

type atomicAnswered struct {
	AtomicAnswer
	came uint64
}

// atomicNote is what is noted of a tag, and from which clock on; where nothing is, from when on something can be.
type atomicNote struct {
	there bool
	from  uint64
	AtomicAnswer
}

// note notes the answer that waits first, unless there is one of its tag, and reports whether it did.
func (n *atomicNotes) note() bool {
	if len(n.waiting) == 0 || n.tags[n.waiting[0].Tag].there {
		return false
	}
	a := n.waiting[0]
	n.waiting = append(n.waiting[:0], n.waiting[1:]...)
	clock := max(a.came+1, n.next, n.tags[a.Tag].from)
	n.next = clock + 1
	n.tags[a.Tag] = atomicNote{there: true, from: clock + 1, AtomicAnswer: a.AtomicAnswer}
	return true
}

// use uses up what is noted of a tag, in a clock.
func (n *atomicNotes) use(tag uint8, clock uint64) { n.tags[tag] = atomicNote{from: clock + 1} }

func (s *atomicEngine) Reset() { *s = atomicEngine{slots: s.slots} }

func (s *atomicEngine) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.data = s.data[:0]
	for i := range in {
		r := &in[i]
		switch r.Port {
		case atomicPortCommand:
			s.waiting = append(s.waiting, atomicWaiting{ParseAtomicCommand(r.Data), r.End})
		case atomicPortData:
			s.reads.waiting = append(s.reads.waiting, atomicAnswered{ParseAtomicAnswer(r.Data), r.End})
		default:
			s.acks.waiting = append(s.acks.waiting, atomicAnswered{ParseAtomicAnswer(r.Data), r.End})
		}
		for moved := true; moved; {
			var begun, decided, left bool
			out, begun = s.start(r, out)
			noted := s.reads.note()
			out, decided = s.decide(r, out)
			noted = s.acks.note() || noted
			out, left = s.leave(r, out)
			moved = begun || noted || decided || left
		}
	}
	return out
}

// start begins the command that waits first, if there is a slot and none that it must wait for, and reports whether it
// did.
func (s *atomicEngine) start(cause *sim.Record, out []sim.Record) ([]sim.Record, bool) {
	if len(s.waiting) == 0 || len(s.underWay) == s.slots {
		return out, false
	}
	c := &s.waiting[0]
	clock := max(s.begin, c.came+1)
	for i := range s.underWay {
		if s.underWay[i].holds(&c.AtomicCommand) {
			return out, false
		}
	}
	for i := range s.retired {
		r := &s.retired[i]
		if r.holds(&c.AtomicCommand) || i <= len(s.underWay)+len(s.retired)-s.slots {
			clock = max(clock, r.from)
		}
	}
	o := atomicOp{AtomicCommand: c.AtomicCommand, tag: s.number, from: clock + 1}
	s.waiting, s.underWay = append(s.waiting[:0], s.waiting[1:]...), append(s.underWay, o)
	s.begin, s.number = clock+1, (s.number+1)%AtomicTags
	a := AtomicAccess{Tag: o.tag, Address: o.Address}
	at := len(s.data)
	s.data = a.append(s.data, false)
	return append(out, s.give(cause, atomicPortRead, clock+AtomicReadCycles, at)), true
}

// decide decides the oldest atomic that has not, if its answer is there, and reports whether it did.
func (s *atomicEngine) decide(cause *sim.Record, out []sim.Record) ([]sim.Record, bool) {
	if s.decided == len(s.underWay) || !s.reads.tags[s.underWay[s.decided].tag].there {
		return out, false
	}
	o := &s.underWay[s.decided]
	s.decided++
	n := s.reads.tags[o.tag]
	clock := max(o.from, n.from, s.step)
	s.reads.use(o.tag, clock)
	s.step, o.from = clock+1, clock+AtomicRetireCycles
	if n.Error {
		o.status = AtomicNotRead
		return out, true
	}
	var value uint64
	o.original = n.Data
	if value, o.writes = o.Value(n.Data); !o.writes {
		return out, true
	}
	a := AtomicAccess{Tag: o.tag, Address: o.Address, Data: value}
	at := len(s.data)
	s.data = a.append(s.data, true)
	return append(out, s.give(cause, atomicPortWrite, clock+AtomicWriteCycles, at)), true
}

// leave retires the oldest atomic, if it is through, and reports whether it did.
func (s *atomicEngine) leave(cause *sim.Record, out []sim.Record) ([]sim.Record, bool) {
	if s.decided == 0 || s.underWay[0].writes && !s.acks.tags[s.underWay[0].tag].there {
		return out, false
	}
	o := s.underWay[0]
	clock := max(o.from, s.retire)
	if o.writes {
		n := &s.acks.tags[o.tag]
		clock = max(clock, n.from)
		if n.Error {
			o.status = AtomicNotWritten
		}
		s.acks.use(o.tag, clock)
	}
	o.from = clock + 1
	s.underWay, s.decided, s.retire = append(s.underWay[:0], s.underWay[1:]...), s.decided-1, clock+1
	if s.retired = append(s.retired, o); len(s.retired) > s.slots {
		s.retired = append(s.retired[:0], s.retired[1:]...)
	}
	r := AtomicResult{QPN: o.QPN, PSN: o.PSN, Status: o.status, Original: o.original}
	at := len(s.data)
	s.data = r.append(s.data)
	return append(out, s.give(cause, atomicPortResult, clock+AtomicResultCycles, at)), true
}

// give makes an output of what stands in s.data from at on.
func (s *atomicEngine) give(cause *sim.Record, port sim.Port, cycle uint64, at int) sim.Record {
	r := sim.Record{Start: cycle, End: cycle, Seq: s.seqs[port], Cause: cause.Seq, Key: cause.Key, Port: port,
		Data: s.data[at:len(s.data):len(s.data)]}
	s.seqs[port]++
	return r
}
