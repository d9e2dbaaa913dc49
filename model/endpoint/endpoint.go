// Package endpoint is a whole adapter as the golden model has it: queue pairs with their requesters and responders,
// host memory, timers, and frames in and out. Two of them over package link are a closed loop; one of them behind a
// socket is a peer for a real one.
//
// It has no clock: every call is told the time in nanoseconds. The same calls give the same frames.
package endpoint

import (
	"fmt"

	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// Config is an adapter with one port.
type Config struct {
	MAC     [6]byte
	Address wire.GID // IPv4 in mapped form, or IPv6
	PKeys   [roce.MaxPKeys]uint16
	Memory  []Memory
	QPs     []QP
	// CNPPeriodNs is how long behind a CNP a queue pair gives no other one (CNP-2).
	CNPPeriodNs uint64
	// OthersNotify: who has the other half of the queue pairs gives their CNPs.
	OthersNotify bool
}

// Memory is host memory that keys open. Two of them do not overlap.
type Memory struct {
	VA    uint64
	Bytes []byte
}

// QP is a queue pair, connected to one peer where its service is.
type QP struct {
	Number, PeerNumber uint32
	PeerMAC            [6]byte
	PeerAddress        wire.GID
	PKeyIndex          uint8
	SrcPort            uint16 // UDP; 0 is one made of both numbers
	HopLimit           uint8  // 0 is 64
	Requester          roce.RequesterConfig
	Responder          roce.ResponderConfig
}

// Completion is a completion entry.
type Completion struct {
	QPN     uint32
	Receive bool // of a receive WQE, else of a send WQE
	ID      uint64
	Status  roce.Status
	Len     uint32 // bytes
	Imm     uint32
	HasImm  bool
	AtNs    uint64
}

// Counters count what became of frames.
type Counters struct {
	Received, Sent uint64
	Dropped        map[roce.Rule]uint64 // by the rule that let them fall; "" is what is not RoCE
	Retries        map[roce.Rule]uint64 // going back, by the rule that asked for it
	CNPs           uint64
}

// Endpoint is an adapter at work.
type Endpoint struct {
	cfg      Config
	port     roce.Port
	qps      []*queuePair
	byNumber map[uint32]*queuePair
	ready    []*queuePair // those that may have something to send, in turn
	timers   timerHeap
	out      roce.Batch
	done     []Completion
	count    Counters
	notices  []notice
	ipID     uint16
	frame    wire.Packet // scratch
}

// queuePair is a QP with its machines.
type queuePair struct {
	QP
	req      roce.Requester
	resp     roce.Responder
	reply    wire.Spec // where the last request came from
	notifier roce.Notifier
	sends    map[uint64][]byte // by ID of the WQE: the message, or room for what a READ or atomic returns
	recvs    map[uint64][]byte
	queued   bool      // in ready
	asks     bool      // it is its requester's turn
	due      [2]uint64 // by roce.Timer: when it runs out; 0: off
	listed   [2]uint64 // the heap's entry that counts; 0: none
}

// New makes an adapter; the slices of cfg are its own from then on. Its queue pairs are in RTS.
func New(cfg Config) (*Endpoint, error) {
	e := &Endpoint{cfg: cfg, byNumber: map[uint32]*queuePair{}}
	e.count.Dropped, e.count.Retries = map[roce.Rule]uint64{}, map[roce.Rule]uint64{}
	e.port.Own[0] = roce.Address(cfg.Address)
	e.port.PKeys = cfg.PKeys
	for i := range cfg.QPs {
		if err := e.addQP(&cfg.QPs[i]); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (e *Endpoint) addQP(c *QP) error {
	if e.byNumber[c.Number] != nil {
		return fmt.Errorf("queue pair %06Xh is there twice", c.Number)
	}
	q := &queuePair{QP: *c, sends: map[uint64][]byte{}, recvs: map[uint64][]byte{}}
	if q.SrcPort == 0 {
		q.SrcPort = 0xC000 | uint16(q.Number^q.PeerNumber)&0x3FFF
	}
	if q.HopLimit == 0 {
		q.HopLimit = 64
	}
	q.req, q.resp = roce.NewRequester(&q.Requester), roce.NewResponder(&q.Responder)
	q.resp.State, q.notifier.Peer = roce.RTS, q.PeerNumber
	e.qps = append(e.qps, q)
	e.byNumber[q.Number] = q
	return nil
}

// Post adds work to a send queue. data is the message of a SEND or WRITE, and the room for what a READ or an atomic
// returns; it is the endpoint's until the work completes. False: the queue is full, or cannot take it.
func (e *Endpoint) Post(nowNs uint64, qpn uint32, w roce.Work, data []byte) bool {
	q := e.byNumber[qpn]
	if q == nil {
		return false
	}
	if !q.req.Post(w, e.empty()) {
		return false
	}
	q.sends[w.ID] = data
	e.act(nowNs, q, nil, false)
	e.wake(q)
	return true
}

// PostReceive adds a receive WQE with its buffer; false where the queue is full.
func (e *Endpoint) PostReceive(qpn uint32, id uint64, buffer []byte) bool {
	q := e.byNumber[qpn]
	if q == nil || !q.resp.PostReceive(roce.Receive{ID: id, Len: uint32(len(buffer))}) {
		return false
	}
	q.recvs[id] = buffer
	return true
}

// Completions returns the completion entries since the last call. They hold until the next one.
func (e *Endpoint) Completions() []Completion {
	done := e.done
	e.done = e.done[len(e.done):]
	return done
}

// Count returns what became of frames so far.
func (e *Endpoint) Count() *Counters { return &e.count }

// Idle reports whether every posted send WQE of a queue pair has ended.
func (e *Endpoint) Idle(qpn uint32) bool { return e.byNumber[qpn].req.Idle() }

// State returns the states of a queue pair's two halves.
func (e *Endpoint) State(qpn uint32) (requester, responder roce.QPState) {
	q := e.byNumber[qpn]
	return q.req.State, q.resp.State
}

// At returns memory from an address on; nil where there is none of that length.
func (e *Endpoint) At(va uint64, length uint32) []byte {
	for i := range e.cfg.Memory {
		m := &e.cfg.Memory[i]
		if off := va - m.VA; va >= m.VA && off <= uint64(len(m.Bytes)) && uint64(length) <= uint64(len(m.Bytes))-off {
			return m.Bytes[off : off+uint64(length)]
		}
	}
	return nil
}

func (e *Endpoint) empty() *roce.Batch {
	e.out = e.out[:0]
	return &e.out
}

// wake puts a queue pair among those that may have something to send.
func (e *Endpoint) wake(q *queuePair) {
	if !q.queued {
		q.queued = true
		e.ready = append(e.ready, q)
	}
}
