package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// RetryCtlLatencyCycles is how many cycles after it went in a record is answered.
const RetryCtlLatencyCycles = 5

var retryCtlSpec = sim.StageSpec{
	Name:    "retry_ctl",
	Summary: "says where a requester goes back to and why, how long it waits, and when it gives up, for many QPs",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 92},
		{Name: "m_rec", Kind: sim.Fields, Bits: 105},
	},
	New: func(s sim.Settings) sim.Stage {
		c := NewRetryControl(s.Get("NumQps", 4096), s.Get("retry7_forever_i", 0) != 0)
		return &retryCtl{pass: pass{latencyCycles: RetryCtlLatencyCycles}, control: c}
	},
}

// RetryOp is what a record on s_rec of retry_ctl is: the op of an answer of req_ack_check, or an expiry.
type RetryOp uint8

// Operations of retry_ctl; 6 and 7 are RetryLook too.
const (
	RetryResponse RetryOp = iota
	RetrySent
	RetryConfigure
	RetryClose
	RetryExpiry
	RetryLook
)

// RetryRecord is a record on s_rec of retry_ctl; docs/blocks/retry_ctl.md says which op uses what.
type RetryRecord struct {
	QPN       uint32
	Op        RetryOp
	Una       psn.PSN
	Action    roce.ReqAction
	Why       roce.ReqReason
	Region    roce.ReqRegion
	Syndrome  ib.Syndrome
	Progress  bool
	Idle      bool
	Gen       uint8
	RNR       bool
	Code      uint8
	RetryCnt  uint8
	RNRRetry  uint8
	AnyAnswer bool
}

// RetryRecordBytes and RetryAnswerBytes are the sizes of records on s_rec and m_rec of retry_ctl.
const (
	RetryRecordBytes = 12
	RetryAnswerBytes = 14
)

func (r *RetryRecord) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Op, 3)
	sim.Field(l, &r.Una, psn.Bits)
	sim.Field(l, &r.Action, 3)
	sim.Field(l, &r.Why, 5)
	sim.Field(l, &r.Region, 2)
	sim.Field(l, &r.Syndrome, 8)
	l.Flag(&r.Progress)
	l.Flag(&r.Idle)
	sim.Field(l, &r.Gen, 8)
	l.Flag(&r.RNR)
	sim.Field(l, &r.Code, 5)
	sim.Field(l, &r.RetryCnt, 3)
	sim.Field(l, &r.RNRRetry, 3)
	l.Flag(&r.AnyAnswer)
}

var retryRecordForm = sim.FormOf((*RetryRecord).layout)

// Append appends the record as it goes over the port.
func (r *RetryRecord) Append(b []byte) []byte {
	return retryRecordForm.Append(b, r)
}

// ParseRetryRecord reads a record of RetryRecordBytes.
func ParseRetryRecord(b []byte) RetryRecord { return retryRecordForm.Parse(b) }

// RetryAfter is the record that an answer of req_ack_check becomes.
func RetryAfter(a *ReqAnswer) RetryRecord {
	op := RetryOp(a.Op)
	if op == RetryExpiry {
		op = RetryLook
	}
	return RetryRecord{QPN: a.QPN, Op: op, Una: a.Una, Action: a.Action, Why: a.Why, Region: a.Region,
		Syndrome: a.Syndrome, Progress: a.Progress, Idle: a.Idle}
}

// RetryOrder is what the packetizer and the end of WQEs are told.
type RetryOrder uint8

// Orders; the last one is to fail.
const (
	RetryNoOrder RetryOrder = iota
	RetryGoBack
	RetryWait
	RetryGoOn
	RetryFail
)

// RetryWhy says why a record of retry_ctl was not simply taken.
type RetryWhy uint8

// The reasons of docs/blocks/retry_ctl.md.
const (
	RetryTaken RetryWhy = iota
	RetryNoQP
	RetryStale
	RetryWaiting
	RetryUnderWay
	RetryIsOpen
)

// RetryFirst is what retx_timer is told before the operation of a record.
type RetryFirst uint8

// Nothing, or one of two operations of retx_timer.
const (
	RetryFirstNone RetryFirst = iota
	RetryFirstProgress
	RetryFirstStop
)

// RetryAsk is what req_ack_check is asked for.
type RetryAsk uint8

// Nothing, or one of two operations of req_ack_check.
const (
	RetryAskNone RetryAsk = iota
	RetryAskGoOn
	RetryAskClose
)

// RetryAnswer is a record on m_rec of retry_ctl.
type RetryAnswer struct {
	QPN        uint32
	Op         RetryOp
	Una        psn.PSN
	Order      RetryOrder
	Cause      roce.ReqAction
	Status     roce.Status
	Why        RetryWhy
	Progress   bool
	First      RetryFirst
	Timer      bool
	TimerOp    RetxOpcode
	Code       uint8
	WaitCode   uint8
	Gen        uint8
	RetryCnt   uint8
	RNRRetry   uint8
	Ask        RetryAsk
	Waiting    bool
	Retrying   bool
	Retries    uint8
	RNRRetries uint8
}

func (a *RetryAnswer) layout(l *sim.Layout) {
	sim.Field(l, &a.QPN, 24)
	sim.Field(l, &a.Op, 3)
	sim.Field(l, &a.Una, psn.Bits)
	sim.Field(l, &a.Order, 3)
	sim.Field(l, &a.Cause, 3)
	sim.Field(l, &a.Status, 4)
	sim.Field(l, &a.Why, 3)
	l.Flag(&a.Progress)
	sim.Field(l, &a.First, 2)
	l.Flag(&a.Timer)
	sim.Field(l, &a.TimerOp, 3)
	sim.Field(l, &a.Code, 5)
	sim.Field(l, &a.WaitCode, 5)
	sim.Field(l, &a.Gen, 8)
	sim.Field(l, &a.RetryCnt, 3)
	sim.Field(l, &a.RNRRetry, 3)
	sim.Field(l, &a.Ask, 2)
	l.Flag(&a.Waiting)
	l.Flag(&a.Retrying)
	sim.Field(l, &a.Retries, 3)
	sim.Field(l, &a.RNRRetries, 3)
}

var retryAnswerForm = sim.FormOf((*RetryAnswer).layout)

// Append appends the record as it goes over the port.
func (a *RetryAnswer) Append(b []byte) []byte {
	return retryAnswerForm.Append(b, a)
}

// ParseRetryAnswer reads a record of RetryAnswerBytes.
func ParseRetryAnswer(b []byte) RetryAnswer { return retryAnswerForm.Parse(b) }

// TimerOps calls each with the operations that retx_timer gets, in order.
func (a *RetryAnswer) TimerOps(each func(RetxOp)) {
	op := RetxOp{QPN: a.QPN, Code: a.Code, Gen: a.Gen, RetryCnt: a.RetryCnt, RNRRetry: a.RNRRetry}
	if a.First != RetryFirstNone {
		first := op
		first.Op = RetxProgress
		if a.First == RetryFirstStop {
			first.Op = RetxStop
		}
		each(first)
	}
	if a.Timer {
		op.Op = a.TimerOp
		if op.Op == RetxWait {
			op.Code = a.WaitCode
		}
		each(op)
	}
}

// retryCtl is the stage of docs/blocks/retry_ctl.md.
type retryCtl struct {
	pass
	control RetryControl
	answers []byte // of one Advance; its outputs share it until the next
}

func (s *retryCtl) Reset() {
	s.pass.Reset()
	s.control = NewRetryControl(uint64(len(s.control.qps)), s.control.forever)
}

func (s *retryCtl) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.answers = s.answers[:0]
	for i := range in {
		r := ParseRetryRecord(in[i].Data)
		a := s.control.Step(&r)
		at := len(s.answers)
		s.answers = a.Append(s.answers)
		out = s.through(out, &in[i], s.answers[at:at+RetryAnswerBytes:at+RetryAnswerBytes], 0)
	}
	return out
}
