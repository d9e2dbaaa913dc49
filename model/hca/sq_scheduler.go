package hca

import "hcacosim/model/sim"

// SQSchedulerLatencyCycles is how many cycles after a record went in the turn that it leads to is offered, if nothing
// is ahead of either.
const SQSchedulerLatencyCycles = 6

// Parts of it: from the port to R, from R to where a turn may leave the queue, and from there to the output.
const (
	schedInputCycles = 1
	schedQueueCycles = 3
	schedTurnCycles  = 2
)

// SchedOp is what a record on s_rec of sq_scheduler is.
type SchedOp uint8

// Operations of sq_scheduler; those above are none.
const (
	SchedWake SchedOp = iota
	SchedDone
	SchedSet
	SchedRemove
)

// SchedWhy says why a turn ended.
type SchedWhy uint8

// The reasons of docs/blocks/sq_scheduler.md.
const (
	SchedMore SchedWhy = iota
	SchedNothing
	SchedRNR
	SchedWindow
	SchedReads
	SchedCredit
	SchedRate
	SchedClosed
)

// SchedRecord is a record on s_rec of sq_scheduler. docs/blocks/sq_scheduler.md says which op uses what.
type SchedRecord struct {
	QPN    uint32 // 24 bits
	Op     SchedOp
	Why    SchedWhy
	Weight uint8 // packets a turn
}

// SchedRecordBytes is the size of a record on s_rec of sq_scheduler.
const SchedRecordBytes = 5

func (r *SchedRecord) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Op, 3)
	sim.Field(l, &r.Why, 3)
	sim.Field(l, &r.Weight, 4)
}

var schedRecordForm = sim.FormOf((*SchedRecord).layout)

// Append appends the record as it goes over the port.
func (r *SchedRecord) Append(b []byte) []byte {
	return schedRecordForm.Append(b, r)
}

// ParseSchedRecord reads a record of SchedRecordBytes.
func ParseSchedRecord(b []byte) SchedRecord { return schedRecordForm.Parse(b) }

// SchedTurn is a turn, a record on m_turn of sq_scheduler.
type SchedTurn struct {
	QPN     uint32
	Packets uint8 // at most
}

func (t *SchedTurn) layout(l *sim.Layout) {
	sim.Field(l, &t.QPN, 24)
	sim.Field(l, &t.Packets, 4)
}

var schedTurnForm = sim.FormOf((*SchedTurn).layout)

// ParseSchedTurn reads a record on m_turn of sq_scheduler.
func ParseSchedTurn(b []byte) SchedTurn { return schedTurnForm.Parse(b) }

var sqSchedulerSpec = sim.StageSpec{
	Name:    "sq_scheduler",
	Summary: "says whose turn it is to send, of the QPs that have something",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 34},
		{Name: "m_turn", Kind: sim.Fields, Bits: 28},
	},
	New: func(s sim.Settings) sim.Stage {
		return &sqScheduler{sends: NewSendOrder(s.Get("NumQps", 4096)), most: int(s.Get("Turns", 8))}
	},
}

// sqScheduler is the stage of docs/blocks/sq_scheduler.md. Its turns are those of SendOrder; it adds when they leave.
type sqScheduler struct {
	sends    SendOrder
	most     int        // turns under way
	looked   uint64     // the last cycle in which a record was in R
	leaves   uint64     // the last one in which a turn left the queue
	left     []uint64   // when the turns under way were offered, the oldest first
	standing []standing // turns in the queue
	seq      uint64
	bytes    []byte // of one Advance; its outputs share it until the next
}

// standing is a turn that has not left.
type standing struct {
	turn  SchedTurn
	since uint64 // the first cycle in which it may leave
}

func (s *sqScheduler) Reset() {
	*s = sqScheduler{sends: NewSendOrder(s.sends.numQPs), most: s.most, bytes: s.bytes}
}

func (s *sqScheduler) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.bytes = s.bytes[:0]
	for i := range in {
		r := ParseSchedRecord(in[i].Data)
		s.look(&r, in[i].End+schedInputCycles)
		turn, stands, ended := s.sends.Step(&r)
		if ended {
			s.left = s.left[:copy(s.left, s.left[1:])]
			out = s.leave(&in[i], s.looked+1, out)
		}
		if stands {
			s.standing = append(s.standing, standing{turn, s.looked + schedQueueCycles})
			out = s.leave(&in[i], 0, out)
		}
	}
	return out
}

// look puts a record into R. A done waits until a turn has left; where none will, until those before it are through.
func (s *sqScheduler) look(r *SchedRecord, at uint64) {
	at = max(at, s.looked+1)
	switch {
	case r.Op != SchedDone:
	case len(s.left) > 0:
		at = max(at, s.left[0]+1)
	default:
		at = max(at, s.looked+schedQueueCycles)
	}
	s.looked = at
}

// leave lets turns leave the queue for which there is a place, from a cycle on.
func (s *sqScheduler) leave(cause *sim.Record, from uint64, out []sim.Record) []sim.Record {
	for len(s.standing) > 0 && len(s.left) < s.most {
		t := s.standing[0]
		s.standing = s.standing[:copy(s.standing, s.standing[1:])]
		s.leaves = max(t.since, s.leaves+1, from)
		cycle := s.leaves + schedTurnCycles
		s.left = append(s.left, cycle)
		at := len(s.bytes)
		s.bytes = schedTurnForm.Append(s.bytes, &t.turn)
		out = append(out, sim.Record{Start: cycle, End: cycle, Seq: s.seq, Cause: cause.Seq, Key: cause.Key,
			Port: sim.Port(1), Data: s.bytes[at:len(s.bytes):len(s.bytes)]})
		s.seq++
	}
	return out
}

// SendOrder is in which order QPs have their turns.
type SendOrder struct {
	numQPs uint64
	qps    map[uint32]*sender
	line   []uint32 // QPs that stand in the queue or have a turn under way, the oldest first
}

// sender is a QP that was set once.
type sender struct {
	set, awake, woken bool
	weight            uint8
}

// NewSendOrder is a block of so many QPs behind its reset.
func NewSendOrder(numQPs uint64) SendOrder {
	return SendOrder{numQPs: numQPs, qps: map[uint32]*sender{}}
}

// Oldest is the QP whose turn ends next; false where none is awake.
func (s *SendOrder) Oldest() (qpn uint32, ok bool) {
	if len(s.line) == 0 {
		return 0, false
	}
	return s.line[0], true
}

// Awake is how many QPs stand in the queue or have a turn.
func (s *SendOrder) Awake() int { return len(s.line) }

// Step takes a record. stands: its QP comes to stand in the queue, for this turn; ended: its turn has ended.
func (s *SendOrder) Step(r *SchedRecord) (turn SchedTurn, stands, ended bool) {
	q := s.qps[r.QPN]
	if r.Op == SchedSet && uint64(r.QPN) < s.numQPs {
		if q == nil {
			q = &sender{}
			s.qps[r.QPN] = q
		}
		q.set, q.weight = true, r.Weight
		return turn, false, false
	}
	if q == nil {
		return turn, false, false
	}
	switch r.Op {
	case SchedWake:
		q.woken = q.set && q.awake
		stands = q.set && !q.awake
	case SchedDone:
		if len(s.line) == 0 || s.line[0] != r.QPN {
			return turn, false, false
		}
		s.line = s.line[:copy(s.line, s.line[1:])]
		ended, stands = true, q.set && (q.woken || r.Why == SchedMore || r.Why == SchedRate)
		q.awake, q.woken = false, false
	case SchedRemove:
		q.set, q.woken = false, false
	}
	if stands {
		q.awake = true
		s.line = append(s.line, r.QPN)
		turn = SchedTurn{QPN: r.QPN, Packets: max(1, q.weight)}
	}
	return turn, stands, ended
}
