package hca

import (
	"hcacosim/model/sim"
)

// QPCtlLatencyCycles is how many cycles after it went in an access is answered; QPCtlOpCycles is the same of the first
// operation of a command. A CLOSE hears of its QP from the cycle of its answer on.
const (
	QPCtlLatencyCycles = 5
	QPCtlOpCycles      = 6
)

// QPCtlAccess is a record on s_bus of qp_ctl.
type QPCtlAccess struct {
	Write   bool
	Address uint16 // 12 bits
	Data    uint32
	Strobe  uint8 // bit n: byte n is written
}

// QPCtlAccessBytes is the size of a record on s_bus of qp_ctl.
const QPCtlAccessBytes = 7

func (a *QPCtlAccess) layout(l *sim.Layout) {
	l.Flag(&a.Write)
	sim.Field(l, &a.Address, 12)
	sim.Field(l, &a.Data, 32)
	sim.Field(l, &a.Strobe, 4)
}

var qpCtlAccessForm = sim.FormOf((*QPCtlAccess).layout)

// Append appends the record as it goes over the port.
func (a *QPCtlAccess) Append(b []byte) []byte {
	return qpCtlAccessForm.Append(b, a)
}

// ParseQPCtlAccess reads a record of QPCtlAccessBytes.
func ParseQPCtlAccess(b []byte) QPCtlAccess { return qpCtlAccessForm.Parse(b) }

// QPCtlEvent is a record on s_event of qp_ctl.
type QPCtlEvent struct {
	Enters, Leaves, Closed, Counts bool
	Reason                         uint8 // 6 bits
}

// QPCtlEventBytes is the size of a record on s_event of qp_ctl.
const QPCtlEventBytes = 2

func (e *QPCtlEvent) layout(l *sim.Layout) {
	l.Flag(&e.Enters)
	l.Flag(&e.Leaves)
	l.Flag(&e.Closed)
	l.Flag(&e.Counts)
	sim.Field(l, &e.Reason, 6)
}

var qpCtlEventForm = sim.FormOf((*QPCtlEvent).layout)

// Append appends the record as it goes over the port.
func (e *QPCtlEvent) Append(b []byte) []byte {
	return qpCtlEventForm.Append(b, e)
}

// QPCtlAnswer is a record on m_bus of qp_ctl.
type QPCtlAnswer struct {
	Write bool
	Data  uint32
	Resp  QPCtlResp
}

// QPCtlResp is a response of AXI4-Lite.
type QPCtlResp uint8

// The responses that there are.
const (
	QPCtlOkay   QPCtlResp = 0
	QPCtlSlvErr QPCtlResp = 2
)

func (a *QPCtlAnswer) layout(l *sim.Layout) {
	l.Flag(&a.Write)
	sim.Field(l, &a.Data, 32)
	sim.Field(l, &a.Resp, 2)
}

var qpCtlAnswerForm = sim.FormOf((*QPCtlAnswer).layout)

// ParseQPCtlAnswer reads a record on m_bus of qp_ctl.
func ParseQPCtlAnswer(b []byte) QPCtlAnswer { return qpCtlAnswerForm.Parse(b) }

// The ports of qp_ctl.
const (
	qpCtlBus sim.Port = iota
	qpCtlEvent
	qpCtlAnswer
	qpCtlOp
)

var qpCtlSpec = sim.StageSpec{
	Name:    "qp_ctl",
	Summary: "registers of queue pairs, keys, tables and counters, turned into operations of the blocks",
	ByTime:  true,
	Ports: []sim.PortSpec{
		{Name: "s_bus", Input: true, Kind: sim.Fields, Bits: 49},
		{Name: "s_event", Input: true, Kind: sim.Fields, Bits: 10},
		{Name: "m_bus", Kind: sim.Fields, Bits: 35},
		{Name: "m_op", Kind: sim.Fields, Bits: 568},
	},
	New: func(s sim.Settings) sim.Stage {
		return &qpCtl{file: newQPRegisters(s)}
	},
	Waits: &sim.Waits{Port: qpCtlBus, Of: []sim.Port{qpCtlAnswer, qpCtlOp}},
}

func newQPRegisters(s sim.Settings) QPRegisters {
	low := uint(s.Get("CounterLow", 32))
	return QPRegisters{numQPs: uint32(s.Get("NumQps", 4096)), counterLow: low,
		counterAll: low + uint(s.Get("CounterHigh", 16))}
}

// qpCtl is the stage of docs/blocks/qp_ctl.md. An event counts for accesses that are accepted behind its cycle.
type qpCtl struct {
	file    QPRegisters
	events  []QPCtlEvent // of the last cycle in which one was accepted
	since   uint64       // that cycle
	answers uint64
	ops     uint64
	opFree  uint64 // the first cycle in which m_op is free: one leaves a clock, those of a command behind another's
	records []byte // of one Advance; its outputs share it until the next
}

func (s *qpCtl) Reset() {
	*s = qpCtl{file: s.file.behindReset()}
}

func (s *qpCtl) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		r := &in[i]
		if r.End > s.since {
			for n := range s.events {
				s.file.Happens(&s.events[n], s.since)
			}
			s.events, s.since = s.events[:0], r.End
		}
		if r.Port == qpCtlBus {
			out = s.answer(r, out)
			continue
		}
		s.events = append(s.events, qpCtlEventForm.Parse(r.Data))
	}
	return out
}

// answer does an access: its answer, and what leaves by it.
func (s *qpCtl) answer(r *sim.Record, out []sim.Record) []sim.Record {
	access := ParseQPCtlAccess(r.Data)
	a, ops := s.file.Do(&access, r.End)
	at := len(s.records)
	s.records = qpCtlAnswerForm.Append(s.records, &a)
	give := func(port sim.Port, cycle uint64, seq *uint64, data []byte) {
		out = append(out, sim.Record{Start: cycle, End: cycle, Seq: *seq, Cause: r.Seq, Key: r.Key, Port: port, Data: data})
		*seq++
	}
	give(qpCtlAnswer, r.End+QPCtlLatencyCycles, &s.answers, s.records[at:len(s.records):len(s.records)])
	for i := range ops {
		at = len(s.records)
		s.records = ops[i].Append(s.records)
		s.opFree = max(s.opFree, r.End+QPCtlOpCycles)
		give(qpCtlOp, s.opFree, &s.ops, s.records[at:len(s.records):len(s.records)])
		s.opFree++
	}
	return out
}
