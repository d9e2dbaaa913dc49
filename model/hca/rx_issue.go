package hca

import "hcacosim/model/sim"

// RxIssueLatencyCycles is how many cycles after it went in, or after the verdict that it waited for, a request leaves.
const RxIssueLatencyCycles = 2

// Ports of rx_issue.
const (
	issuePortRequest sim.Port = iota
	issuePortDone
	issuePortOut
)

// IssueRequest is a record on s_rec and on m_rec of rx_issue.
type IssueRequest struct {
	QPN, Queue        uint32 // 24 bits
	NeedsMessage      bool
	NeedsWQE, UsesWQE bool
	Invalidates       bool
}

// IssueRequestBytes is the size of a record on s_rec and on m_rec of rx_issue, IssueDoneBytes that on s_done.
const (
	IssueRequestBytes = 7
	IssueDoneBytes    = 3
)

func (q *IssueRequest) layout(l *sim.Layout) {
	sim.Field(l, &q.QPN, 24)
	sim.Field(l, &q.Queue, 24)
	l.Flag(&q.NeedsMessage)
	l.Flag(&q.NeedsWQE)
	l.Flag(&q.UsesWQE)
	l.Flag(&q.Invalidates)
}

var issueRequestForm = sim.FormOf((*IssueRequest).layout)

// Append appends the record as it goes over the port.
func (q *IssueRequest) Append(b []byte) []byte {
	return issueRequestForm.Append(b, q)
}

// ParseIssueRequest reads a record of IssueRequestBytes.
func ParseIssueRequest(b []byte) IssueRequest { return issueRequestForm.Parse(b) }

// IssueDone is a record on s_done of rx_issue.
type IssueDone struct {
	QPN uint32
}

func (d *IssueDone) layout(l *sim.Layout) { sim.Field(l, &d.QPN, 24) }

var issueDoneForm = sim.FormOf((*IssueDone).layout)

// Append appends the record as it goes over the port.
func (d *IssueDone) Append(b []byte) []byte {
	return issueDoneForm.Append(b, d)
}

// ParseIssueDone reads a record of IssueDoneBytes.
func ParseIssueDone(b []byte) IssueDone { return issueDoneForm.Parse(b) }

var rxIssueSpec = sim.StageSpec{
	Name:    "rx_issue",
	Summary: "holds a request back until those that it depends on are decided",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 52},
		{Name: "s_done", Input: true, Kind: sim.Fields, Bits: 24},
		{Name: "m_rec", Kind: sim.Fields, Bits: 52},
	},
	New: func(s sim.Settings) sim.Stage { return &rxIssue{depth: int(s.Get("Depth", 32))} },
}

// rxIssue is the stage of docs/blocks/rx_issue.md. It goes by accepted cycles alone: every input is looked at once, and
// lets go what nothing holds behind it.
type rxIssue struct {
	depth    int
	waiting  []IssueRequest // came, oldest first
	underWay []IssueRequest // let go and not decided, oldest first
	last     uint64         // the cycle in which the last one was let go; 0 before the first
	seq      uint64
	records  []byte // of one Advance; its outputs share it until the next
}

func (s *rxIssue) Reset() { *s = rxIssue{depth: s.depth} }

func (s *rxIssue) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		if in[i].Port == issuePortRequest {
			s.waiting = append(s.waiting, ParseIssueRequest(in[i].Data))
		} else {
			s.decide(ParseIssueDone(in[i].Data))
		}
		for len(s.waiting) > 0 && !s.holds(&s.waiting[0]) {
			out = append(out, s.letGo(&in[i]))
		}
	}
	return out
}

// decide ends the oldest request under way, if the verdict is on it.
func (s *rxIssue) decide(d IssueDone) {
	if len(s.underWay) > 0 && s.underWay[0].QPN == d.QPN {
		s.underWay = append(s.underWay[:0], s.underWay[1:]...)
	}
}

// holds reports whether a request has to wait for one that is under way, or for a place.
func (s *rxIssue) holds(q *IssueRequest) bool {
	for i := range s.underWay {
		if q.DependsOn(&s.underWay[i]) {
			return true
		}
	}
	return len(s.underWay) == s.depth
}

// DependsOn reports whether the verdict on an earlier request may change what a later one finds.
func (q *IssueRequest) DependsOn(earlier *IssueRequest) bool {
	if q.QPN == earlier.QPN && (q.NeedsMessage || earlier.Invalidates) {
		return true
	}
	return q.NeedsWQE && earlier.UsesWQE && q.Queue == earlier.Queue
}

// letGo lets the first one that waits go. What it waited for last is its own coming or a verdict, which is cause, or
// the request before it.
func (s *rxIssue) letGo(cause *sim.Record) sim.Record {
	q := s.waiting[0]
	s.waiting, s.underWay = append(s.waiting[:0], s.waiting[1:]...), append(s.underWay, q)
	s.last = max(cause.End, s.last) + 1
	at := len(s.records)
	s.records = q.Append(s.records)
	cycle := s.last + RxIssueLatencyCycles - 1
	out := sim.Record{Start: cycle, End: cycle, Seq: s.seq, Cause: cause.Seq, Key: cause.Key, Port: issuePortOut,
		Data: s.records[at:len(s.records):len(s.records)]}
	s.seq++
	return out
}
