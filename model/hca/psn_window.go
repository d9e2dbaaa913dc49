package hca

import (
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// PSNWindowLatencyCycles is how many cycles after it went in a record is answered.
const PSNWindowLatencyCycles = 3

// psnWindowAnswerBytes holds distance (24 bits) and class (3 bits).
const psnWindowAnswerBytes = 4

var psnWindowSpec = sim.StageSpec{
	Name:    "psn_window",
	Summary: "says where a PSN lies in the window of a responder or a requester",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 73},
		{Name: "m_rec", Kind: sim.Fields, Bits: 27},
	},
	New: func(sim.Settings) sim.Stage { return &psnWindow{pass: pass{latencyCycles: PSNWindowLatencyCycles}} },
}

// psnWindow is the stage of docs/blocks/psn_window.md.
type psnWindow struct {
	pass
	answers []byte // of one Advance; its outputs share it until the next
}

// PSNQuery is a record on s_rec of psn_window.
type PSNQuery struct {
	PSN  psn.PSN
	Base psn.PSN // the expected PSN, or the oldest unacknowledged one
	Next psn.PSN // the first PSN not yet sent; the requester's
	// Requester asks by PSN-3, else by PSN-2.
	Requester bool
}

// PSNQueryBytes is the size of a record on s_rec of psn_window.
const PSNQueryBytes = 10

func (q *PSNQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.PSN, psn.Bits)
	sim.Field(l, &q.Base, psn.Bits)
	sim.Field(l, &q.Next, psn.Bits)
	l.Flag(&q.Requester)
}

var psnQueryForm = sim.FormOf((*PSNQuery).layout)

// Append appends the record as it goes over the port.
func (q *PSNQuery) Append(b []byte) []byte {
	return psnQueryForm.Append(b, q)
}

// ParsePSNQuery reads a record of PSNQueryBytes.
func ParsePSNQuery(b []byte) PSNQuery { return psnQueryForm.Parse(b) }

// psnAnswer is a record on m_rec of psn_window.
type psnAnswer struct {
	Diff  uint32 // PSN less base, modulo 2^24
	Class PSNClass
}

func (a *psnAnswer) layout(l *sim.Layout) {
	sim.Field(l, &a.Diff, psn.Bits)
	sim.Field(l, &a.Class, 3)
}

var psnAnswerForm = sim.FormOf((*psnAnswer).layout)

// PSNClass is the verdict of psn_window.
type PSNClass uint8

// Verdicts of the responder's side, then of the requester's.
const (
	ClassExpected      = PSNClass(psn.Expected)
	ClassDuplicate     = PSNClass(psn.Duplicate)
	ClassOutOfSequence = PSNClass(psn.OutOfSequence)
	ClassUnacked       = classRequester | PSNClass(psn.Unacked)
	ClassAcked         = classRequester | PSNClass(psn.Stale)
	ClassGhost         = classRequester | PSNClass(psn.Ghost)

	classRequester PSNClass = 4
)

func (q *PSNQuery) class() PSNClass {
	if q.Requester {
		return classRequester | PSNClass(psn.Respond(q.PSN, q.Base, q.Next))
	}
	return PSNClass(psn.Arrive(q.PSN, q.Base))
}

func (s *psnWindow) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.answers = s.answers[:0]
	for i := range in {
		q := ParsePSNQuery(in[i].Data)
		at := len(s.answers)
		s.answers = psnAnswerForm.Append(s.answers, &psnAnswer{Diff: uint32(q.PSN.Diff(q.Base)), Class: q.class()})
		out = s.through(out, &in[i], s.answers[at:at+psnWindowAnswerBytes:at+psnWindowAnswerBytes], 0)
	}
	return out
}
