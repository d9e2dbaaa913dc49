package hca

// Decides DMA-1, DMA-2, DMA-3, DMA-4 and DMA-5.

import "hcacosim/model/sim"

// Cycles of rx_dma, as docs/blocks/rx_dma.md has them: from the clock in which a write begins to its record, from the
// one in which a beat is moved to that beat, from an acknowledgement's acceptance to its retirement, and from there
// to the record.
const (
	RxDMAWriteCycles  = 1
	RxDMADataCycles   = 5
	RxDMAAckCycles    = 2
	RxDMARecordCycles = 4
)

// DMATags is how many numbers writes have, in turn.
const DMATags = 256

// What the completions of a QP say behind a write that failed: docs/blocks/rx_dma.md, Errors.
const (
	DMAFlushed     = 6
	DMALocalError  = 7
	DMAMemoryError = 10
)

// Ports of rx_dma.
const (
	dmaPortCommand sim.Port = iota
	dmaPortPayload
	dmaPortAck
	dmaPortWrite
	dmaPortData
	dmaPortRecord
)

// DMACompletion is what a completion says, as it stands in s_cmd and in m_rec of rx_dma.
type DMACompletion struct {
	Solicited    bool
	Status       uint8  // 4 bits
	QPN, PSN     uint32 // 24 bits
	WQE, Length  uint32
	HasImmediate bool
	Immediate    uint32
}

// DMACommand is a record on s_cmd of rx_dma.
type DMACommand struct {
	Clear, Place, Complete bool
	DMACompletion
	Bytes   uint16
	Address uint64
}

func (c *DMACommand) layout(l *sim.Layout) {
	l.Flag(&c.Clear)
	l.Flag(&c.Place)
	l.Flag(&c.Complete)
	l.Flag(&c.Solicited)
	sim.Field(l, &c.Status, 4)
	sim.Field(l, &c.QPN, 24)
	sim.Field(l, &c.PSN, 24)
	sim.Field(l, &c.Bytes, 16)
	l.Wide(&c.Address)
	sim.Field(l, &c.WQE, 32)
	sim.Field(l, &c.Length, 32)
	l.Flag(&c.HasImmediate)
	sim.Field(l, &c.Immediate, 32)
}

var dmaCommandForm = sim.FormOf((*DMACommand).layout)

// Append appends the record as it goes over the port.
func (c *DMACommand) Append(b []byte) []byte {
	return dmaCommandForm.Append(b, c)
}

// ParseDMACommand reads a record on s_cmd of rx_dma.
func ParseDMACommand(b []byte) DMACommand { return dmaCommandForm.Parse(b) }

// writes reports whether the payload of the record goes to memory.
func (c *DMACommand) writes() bool { return c.Place && c.Bytes > 0 }

// DMAAck is a record on s_mem of rx_dma.
type DMAAck struct {
	Tag   uint8
	Error bool
}

// ParseDMAAck reads a record on s_mem of rx_dma.
func ParseDMAAck(b []byte) DMAAck { return dmaAckForm.Parse(b) }

func (a *DMAAck) layout(l *sim.Layout) {
	sim.Field(l, &a.Tag, 8)
	l.Flag(&a.Error)
}

var dmaAckForm = sim.FormOf((*DMAAck).layout)

// Append appends the record as it goes over the port.
func (a *DMAAck) Append(b []byte) []byte {
	return dmaAckForm.Append(b, a)
}

// DMAWrite is a record on m_mem of rx_dma.
type DMAWrite struct {
	Tag     uint8
	Bytes   uint16
	Address uint64
}

// ParseDMAWrite reads a record on m_mem of rx_dma.
func ParseDMAWrite(b []byte) DMAWrite { return dmaWriteForm.Parse(b) }

func (w *DMAWrite) layout(l *sim.Layout) {
	sim.Field(l, &w.Tag, 8)
	sim.Field(l, &w.Bytes, 16)
	l.Wide(&w.Address)
}

var dmaWriteForm = sim.FormOf((*DMAWrite).layout)

// Append appends the record as it goes over the port.
func (w *DMAWrite) Append(b []byte) []byte {
	return dmaWriteForm.Append(b, w)
}

// DMARecord is a record on m_rec of rx_dma.
type DMARecord struct {
	Cleared, Complete, Failed bool
	DMACompletion
}

// ParseDMARecord reads a record on m_rec of rx_dma.
func ParseDMARecord(b []byte) DMARecord { return dmaRecordForm.Parse(b) }

// Append appends the record as it goes over the port.
func (r *DMARecord) Append(b []byte) []byte {
	return dmaRecordForm.Append(b, r)
}

func (r *DMARecord) layout(l *sim.Layout) {
	l.Flag(&r.Cleared)
	l.Flag(&r.Complete)
	l.Flag(&r.Failed)
	l.Flag(&r.Solicited)
	sim.Field(l, &r.Status, 4)
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.PSN, 24)
	sim.Field(l, &r.WQE, 32)
	sim.Field(l, &r.Length, 32)
	l.Flag(&r.HasImmediate)
	sim.Field(l, &r.Immediate, 32)
}

var dmaRecordForm = sim.FormOf((*DMARecord).layout)

var rxDMASpec = sim.StageSpec{
	Name:    "rx_dma",
	Summary: "writes payload to host memory, and tells of it when memory has acknowledged it",
	Ports: []sim.PortSpec{
		{Name: "s_cmd", Input: true, Kind: sim.Fields, Bits: 233},
		{Name: "s_axis", Input: true, Kind: sim.Axis},
		{Name: "s_mem", Input: true, Kind: sim.Fields, Bits: 9},
		{Name: "m_mem", Kind: sim.Fields, Bits: 88},
		{Name: "m_axis", Kind: sim.Axis},
		{Name: "m_rec", Kind: sim.Fields, Bits: 153},
	},
	New: func(s sim.Settings) sim.Stage {
		return newRxDMA(s.Get("DataWidth", 512)/8, s.Get("Depth", 128), uint32(s.Get("NumQps", 4096)))
	},
	Behind: dmaBehind,
}

// dmaBehind: what is told of a write leaves when address and data of it, and of all before it, were handed over.
var dmaBehind = &sim.Behind{Port: dmaPortRecord, Of: []sim.Port{dmaPortWrite, dmaPortData}, Rule: "DMA-1"}

// rxDMA is the stage of docs/blocks/rx_dma.md. It goes by accepted cycles alone: each input is looked at once, and
// what is possible then is done.
type rxDMA struct {
	beatBytes, depth uint64
	recordCycles     uint64 // from the retirement of an entry to its record

	commands []sim.Record // that came and have not begun, oldest first; of frames and acks the same
	frames   []sim.Record
	acks     []sim.Record

	current DMACommand // began last
	moving  bool       // and its frame has not come
	entries []dmaEntry // begun and not retired, oldest first
	retired []uint64   // the clocks behind the retirements of the last entries, at most depth
	begin   uint64     // the first clock in which a record can begin
	retire  uint64     // the first clock in which an entry can be retired
	ack     uint64     // the first clock in which an acknowledgement can be taken note of

	begun, done uint64 // writes that began, and that are retired
	tags        [DMATags]dmaTag
	failures    DMAFailures
	seqs        [dmaPortRecord + 1]uint64
	spare       [][]byte // memory of frames that are through
	data        []byte   // of the outputs of one Advance; they share it until the next
}

// dmaEntry is a record that writes, completes or clears.
type dmaEntry struct {
	DMACommand
	from   uint64 // the first clock in which it can be retired, as far as its acknowledgement is not concerned
	handed bool   // its write was handed over
}

// dmaTag is the acknowledgement of a tag.
type dmaTag struct {
	came, failed bool
	from         uint64 // it counts from this clock on; before it came: one can be taken note of from it on
}

// dmaQP is how far a QP has failed.
type dmaQP uint8

const (
	dmaGood    dmaQP = iota
	dmaFailing       // a write failed, and no completion said so
	dmaFailed
)

func newRxDMA(beatBytes, depth uint64, numQPs uint32) *rxDMA {
	return &rxDMA{beatBytes: beatBytes, depth: depth, recordCycles: RxDMARecordCycles,
		failures: DMAFailures{NumQPs: numQPs}}
}

func (s *rxDMA) Reset() {
	spare, recordCycles := s.spare, s.recordCycles
	*s = *newRxDMA(s.beatBytes, s.depth, s.failures.NumQPs)
	s.spare, s.recordCycles = spare, recordCycles
}

func (s *rxDMA) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.data = s.data[:0]
	for i := range in {
		r := in[i]
		r.Data = s.keep(r.Data)
		switch r.Port {
		case dmaPortCommand:
			s.commands = append(s.commands, r)
		case dmaPortPayload:
			s.frames = append(s.frames, r)
		default:
			s.acks = append(s.acks, r)
		}
		out = s.settle(&in[i], out)
	}
	return out
}

// settle does what is possible.
func (s *rxDMA) settle(cause *sim.Record, out []sim.Record) []sim.Record {
	for moved := true; moved; {
		moved = false
		out, moved = s.next(cause, out)
		var more bool
		out, more = s.move(cause, out)
		moved = s.note() || more || moved
		for len(s.entries) > 0 && s.isThrough(&s.entries[0]) {
			out, moved = s.leave(cause, out), true
		}
	}
	return out
}

// deepen has one more entry under way, where one waits for room and there is a tag, and reports whether it did: a
// device of another make may hold more than ours.
func (s *rxDMA) deepen(cause *sim.Record, out []sim.Record) ([]sim.Record, bool) {
	if s.moving || len(s.commands) == 0 || uint64(len(s.entries)) < s.depth || s.begun-s.done == DMATags {
		return out, false
	}
	s.depth++
	s.data = s.data[:0]
	return s.settle(cause, out), true
}

// keep copies what an input holds for as long as it is inside.
func (s *rxDMA) keep(data []byte) []byte {
	var to []byte
	if n := len(s.spare); n > 0 {
		to, s.spare = s.spare[n-1][:0], s.spare[:n-1]
	}
	return append(to, data...)
}

// first takes the first record off a queue; its data lives until the next keep.
func (s *rxDMA) first(q *[]sim.Record) sim.Record {
	r := (*q)[0]
	*q = append((*q)[:0], (*q)[1:]...)
	s.spare = append(s.spare, r.Data)
	return r
}

// next begins the first record that waits, if there is a place for it, and reports whether it did. So writes are handed
// over in order (DMA-4).
func (s *rxDMA) next(cause *sim.Record, out []sim.Record) ([]sim.Record, bool) {
	if s.moving || len(s.commands) == 0 {
		return out, false
	}
	c := ParseDMACommand(s.commands[0].Data)
	isEntry := c.writes() || c.Complete || c.Clear
	if isEntry && uint64(len(s.entries)) == s.depth {
		return out, false
	}
	came := s.first(&s.commands)
	b := max(s.begin, came.End+1)
	if isEntry {
		b = max(b, s.room())
		s.entries = append(s.entries, dmaEntry{DMACommand: c, from: b + 1, handed: !c.writes()})
	}
	if c.writes() {
		out = s.write(cause, &c, b, out)
	}
	s.current, s.moving, s.begin = c, c.Bytes > 0, b
	if !s.moving {
		s.begin++
	}
	return out, true
}

// room is the first clock with a place for the entry that comes next, among those retired so far.
func (s *rxDMA) room() uint64 {
	if inside := uint64(len(s.entries)); inside+uint64(len(s.retired)) >= s.depth {
		return s.retired[inside+uint64(len(s.retired))-s.depth]
	}
	return 0
}

// write hands the address of a write over that begins in clock b.
func (s *rxDMA) write(cause *sim.Record, c *DMACommand, b uint64, out []sim.Record) []sim.Record {
	w := DMAWrite{Tag: uint8(s.begun), Bytes: c.Bytes, Address: c.Address}
	s.begun++
	at := len(s.data)
	s.data = w.Append(s.data)
	return append(out, s.give(cause, dmaPortWrite, b+RxDMAWriteCycles, b+RxDMAWriteCycles, s.data[at:]))
}

// move moves the frame of the record that began last, and reports whether it is there. One that is not placed is
// forgotten (DMA-3).
func (s *rxDMA) move(cause *sim.Record, out []sim.Record) ([]sim.Record, bool) {
	if !s.moving || len(s.frames) == 0 {
		return out, false
	}
	f := s.first(&s.frames)
	size := uint64(len(f.Data))
	start := max(s.begin, f.Start+2)
	end := max(start+(size-1)/s.beatBytes, f.End+2)
	if s.current.writes() {
		offset := s.current.Address % s.beatBytes
		if (offset+size-1)/s.beatBytes > (size-1)/s.beatBytes {
			end++ // the shift pushes the last bytes out
		}
		at := len(s.data)
		s.data = append(append(s.data, make([]byte, offset)...), f.Data...)
		out = append(out, s.give(cause, dmaPortData, start+RxDMADataCycles, end+RxDMADataCycles, s.data[at:]))
		e := &s.entries[len(s.entries)-1]
		e.from, e.handed = end+RxDMADataCycles+1, true
	}
	s.begin, s.moving = end+1, false
	return out, true
}

func (s *rxDMA) give(cause *sim.Record, port sim.Port, start, end uint64, data []byte) sim.Record {
	r := sim.Record{Start: start, End: end, Seq: s.seqs[port], Cause: cause.Seq, Key: cause.Key, Port: port,
		Data: data[:len(data):len(data)]}
	s.seqs[port]++
	return r
}

// note takes note of the first acknowledgement that waits, unless one of its tag is noted already, and reports whether
// it did.
func (s *rxDMA) note() bool {
	if len(s.acks) == 0 {
		return false
	}
	a := ParseDMAAck(s.acks[0].Data)
	t := &s.tags[a.Tag]
	if t.came {
		return false
	}
	came := s.first(&s.acks)
	clock := max(came.End+RxDMAAckCycles-1, s.ack, t.from)
	s.ack = clock + 1
	*t = dmaTag{came: true, failed: a.Error, from: clock + 1}
	return true
}

// isThrough reports whether the first entry waits for nothing (DMA-1).
func (s *rxDMA) isThrough(e *dmaEntry) bool {
	return !e.writes() || e.handed && s.tags[s.done%DMATags].came
}

// leave retires the first entry, so entries leave in order (DMA-2).
func (s *rxDMA) leave(cause *sim.Record, out []sim.Record) []sim.Record {
	e := s.entries[0]
	s.entries = append(s.entries[:0], s.entries[1:]...)
	clock, failed := max(s.retire, e.from), false
	if e.writes() {
		t := &s.tags[s.done%DMATags]
		clock, failed = max(clock, t.from), t.failed
		*t = dmaTag{from: clock + 1}
		s.done++
	}
	s.retire = clock + 1
	s.retired = append(s.retired, clock+1)
	if over := len(s.retired) - int(s.depth); over > 0 {
		s.retired = append(s.retired[:0], s.retired[over:]...)
	}
	if !e.Complete && !e.Clear && !failed {
		return out
	}
	r := DMARecord{Cleared: e.Clear, Complete: e.Complete, Failed: failed, DMACompletion: e.DMACompletion}
	r.Status = s.failures.Status(&e.DMACommand, failed)
	at := len(s.data)
	s.data = r.Append(s.data)
	told := s.give(cause, dmaPortRecord, clock+s.recordCycles, clock+s.recordCycles, s.data[at:])
	told.Behind = s.done
	return append(out, told)
}

// DMAFailures are the QPs a write of which failed.
type DMAFailures struct {
	// NumQPs is how many QPs there are. A number beyond is never that of a failed one.
	NumQPs uint32
	qps    byIndex[dmaQP]
}

// Status is what the record of an entry says whose write failed or not, and moves its QP (DMA-2, DMA-5).
func (f *DMAFailures) Status(c *DMACommand, failed bool) uint8 {
	if c.QPN >= f.NumQPs {
		return c.Status
	}
	qp, was := dmaGood, f.qps.get(c.QPN)
	if was != nil {
		qp = *was
	}
	if failed && qp == dmaGood {
		qp = dmaFailing
	}
	status := c.Status
	if c.Complete {
		switch qp {
		case dmaFailing:
			status, qp = DMAMemoryError, dmaFailed
		case dmaFailed:
			status = DMAFlushed
		}
	}
	if c.Clear {
		qp = dmaGood
	}
	if was != nil || qp != dmaGood {
		f.qps.set(c.QPN, qp)
	}
	return status
}
