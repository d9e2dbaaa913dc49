package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Decides REQ-7, REQ-11 and REQ-13.

// RequesterConfig is what a requester is given before its QP may send.
type RequesterConfig struct {
	Service    ib.Transport
	Profile    Profile
	Width      Width
	PMTUBytes  uint32
	StartPSN   psn.PSN
	MaxReads   uint8 // agreed number of outstanding READs and atomics (REQ-9)
	Timeout    uint8 // code of the transport timer, 0 off (TMR-1)
	RetryCount uint8 // TMR-3
	RNRRetry   uint8 // TMR-4; 7 is for ever
	// BusyNs is what a device with Profile.TimerAddsBusy adds to the transport timer.
	BusyNs uint64
	// ResumeWithinNs is how long a device may take to send again once it should, behind the end of an RNR wait, a NAK, or
	// the latest end of the transport timer (TMR-1); 0: as long as it likes. Only a follower looks at it.
	ResumeWithinNs uint64
	// BehindNs is how long before it leaves a packet may have been decided; 0: as far back as the packet before it. Only
	// a follower looks at it.
	BehindNs uint64
	// StampNs is how much longer a time may have been than the stamps that a follower is given say. Only a follower looks
	// at it.
	StampNs uint64
	// Window bounds the unacknowledged packets; 0 is what PSN-5 allows.
	Window uint32
	// Limited starts with no credits, so that the first message that needs one probes for them (CRD-2).
	Limited bool
}

// MaxSends is how many WQEs a send queue holds.
const MaxSends = 128

// Work is a send WQE as it is posted. Its bytes stay with the caller: effects name them by ID and offset, and SGList
// finds them in a scatter/gather list.
type Work struct {
	ID         uint64
	Verb       Verb
	Signaled   bool
	Solicited  bool
	WithImm    bool
	Invalidate bool
	FETH       uint8  // FLUSH: SEL and PLT
	Access     Access // bind: of the window
	Len        uint32 // 8 of an ATOMIC WRITE; of a FLUSH what it names
	VA         uint64
	RKey       uint32 // of the remote memory, or the key to invalidate or bind
	Imm        uint32
	SwapAdd    uint64
	Compare    uint64
	QKey       uint32 // UD
	LKey       uint32 // bind: of the region
	XRCSRQ     uint32 // XRC: of the peer's shared receive queue
}

// invalid reports whether no requester of the service takes the work.
func (w *Work) invalid(service ib.Transport, pmtuBytes uint32) bool {
	switch {
	case w.Verb == NoVerb, w.Verb > LocalInvalidate, w.Len > ib.MaxMessage:
		return true
	case w.Verb == AtomicWrite && w.Len != 8:
		return true
	case service == ib.UD:
		return w.Verb != Send || w.Len > pmtuBytes
	case service == ib.UC:
		return w.Verb.Replayed()
	case service == ib.XRC:
		return w.Verb == AtomicWrite || w.Verb == Flush // OPC-1
	default:
		return false
	}
}

// limited reports whether the work needs a credit: SEND of every kind and WRITE with immediate (CRD-2).
func (w *Work) limited() bool { return w.Verb == Send || w.Verb == Write && w.WithImm }

// sendWQE is work in the queue.
type sendWQE struct {
	Work
	first, last psn.PSN // valid once started
	started     bool
	ssn         uint32 // CRD-2
	got         uint32 // responses of a READ that came
	more        bool   // its Last is not known yet: only where a Follower infers it from packets
	torn        bool   // it was not sent whole, and nothing is held against it: the same
	waits       bool   // local work: for Done
	failed      bool   // local work that could not be done: ends the QP in its turn
}

// Requester is the sending half of a queue pair.
//
// What follows from a response its RequesterState decides; the machine has the WQEs, the counters and the timers.
//
//	una <= next <= high    by distance from una (PSN-7); una to high - 1 is unacknowledged, next is what goes out next
//
// next below high means that a retry is under way. A retry from the first of a message (REQ-5) may begin below una.
type Requester struct {
	cfg *RequesterConfig

	State QPState
	ring  [MaxSends]sendWQE
	head  uint16
	count uint16
	cur   uint16 // of the WQE that next belongs to, counted from head

	s    RequesterState
	next psn.PSN // goes out next

	reads      uint8 // READs and atomics that are outstanding (REQ-9)
	retries    uint8
	rnrRetries uint8
	timing     bool   // the transport timer runs
	quiet      uint32 // packets since the last with AckReq
	ssn        uint32 // of the next WQE to be posted
}

// NewRequester makes the requester of a QP in RTS. cfg must not change any more.
func NewRequester(cfg *RequesterConfig) Requester {
	return Requester{cfg: cfg, State: RTS, s: NewRequesterState(cfg), next: cfg.StartPSN, ssn: 1,
		retries: cfg.RetryCount, rnrRetries: cfg.RNRRetry}
}

// Post adds work; false when the queue is full or the QP cannot take it. Work posted to a QP in Error or SQE is
// flushed.
func (q *Requester) Post(w Work, out *Batch) bool {
	switch {
	case q.State == Error || q.State == SQE:
		out.add(Effect{Kind: Complete, ID: w.ID, Status: Flushed})
		return true
	case q.count == MaxSends, w.invalid(q.cfg.Service, q.cfg.PMTUBytes):
		return false
	}
	*q.at(q.count) = sendWQE{Work: w, ssn: q.ssn}
	if !w.Verb.Local() {
		q.ssn = (q.ssn + 1) & 0xFFFFFF
	}
	q.count++
	return true
}

// at returns the i-th WQE from the oldest.
func (q *Requester) at(i uint16) *sendWQE { return &q.ring[(q.head+i)%MaxSends] }

// Outstanding reports whether something sent is not acknowledged.
func (q *Requester) Outstanding() bool { return !q.s.Idle() }

// Idle reports whether every WQE has ended.
func (q *Requester) Idle() bool { return q.count == 0 }

// Waiting reports whether the RNR timer runs.
func (q *Requester) Waiting() bool { return q.s.Waiting }

// PSNs returns the oldest unacknowledged PSN, the one that goes out next, and the high-water mark (PSN-7).
func (q *Requester) PSNs() (una, next, high psn.PSN) { return q.s.Una, q.next, q.s.High }

// packets is how many PSNs a WQE takes (PSN-4).
func (q *Requester) packets(w *Work) uint32 {
	switch w.Verb {
	case CmpSwap, FetchAdd, AtomicWrite, Flush:
		return 1
	case Bind, LocalInvalidate:
		return 0
	default:
		return psn.OfRead(w.Len, q.cfg.PMTUBytes) // a SEND or WRITE is cut the same way
	}
}

// Ready reports whether Next has a packet to send.
func (q *Requester) Ready() bool {
	if !q.responds() || q.cur == q.count {
		return false
	}
	if q.next != q.s.High {
		return !q.s.Waiting // a retry keeps its PSNs and its place
	}
	if q.cur > 0 && q.at(q.cur-1).stops() {
		return false
	}
	w := q.at(q.cur)
	if q.State == SQD && !w.started {
		return false
	}
	return (!q.s.Waiting || q.cfg.Profile.SendsDuringRNR) && q.fits(w) && q.mayRead(w) && q.mayCredit(w)
}

// stops reports whether nothing behind local work may begin.
func (w *sendWQE) stops() bool { return w.waits || w.failed }

// Next appends the request that goes out next, or the local work whose turn it is; false when nothing may.
func (q *Requester) Next(out *Batch) bool {
	if !q.Ready() {
		return false
	}
	w := q.at(q.cur)
	if w.Verb.Local() {
		q.begin(w, out)
		return true
	}
	if !w.started {
		q.start(w)
	}
	e := q.packetAt(w, q.next)
	e.Packet.AckReq = q.asks(w, &e.Packet)
	q.sent(w, &e.Packet)
	out.add(e)
	if !reliable(q.cfg.Service) {
		q.forget(out)
		return true
	}
	if !q.timing && !q.s.Waiting {
		q.run(out)
	}
	return true
}

// start gives a WQE its PSNs.
func (q *Requester) start(w *sendWQE) {
	w.started = true
	w.first = q.next
	w.last = q.cfg.Width.Add(q.next, q.packets(&w.Work)-1)
}

// kind is what the answers to the work depend on.
func (w *Work) kind() ReqKind {
	switch {
	case w.Verb.Atomic():
		return ReqAtomic
	case w.Verb.Replayed():
		return ReqRead
	case w.limited():
		return ReqLimited
	default:
		return ReqWrite
	}
}

// sent moves the pointers behind a packet that went out. What goes out again leaves the high-water mark as it is
// (PSN-7).
func (q *Requester) sent(w *sendWQE, p *Packet) {
	n := uint32(1)
	if w.Verb == Read {
		n = q.cfg.Width.Between(w.last, p.PSN) + 1
	}
	if q.next == q.s.High {
		q.s.Sent(q.cfg, w.kind(), p.PSN, n, w.ssn, q.reads)
		if w.Verb.Replayed() {
			q.reads++
		}
	}
	q.next = q.cfg.Width.Add(p.PSN, n)
	if q.next == q.cfg.Width.Add(w.last, 1) {
		for q.cur++; q.cur < q.count && q.at(q.cur).started && q.at(q.cur).Verb.Local(); q.cur++ { // done before the retry
		}
	}
	if q.quiet++; p.AckReq || q.cfg.Profile.AckReqEvery == 0 {
		q.quiet = 0
	}
}

// forget completes what the unreliable services sent: nobody answers (REQ-13).
func (q *Requester) forget(out *Batch) {
	q.s.Una = q.next
	if q.cur > 0 {
		q.end(out)
	}
}

// fits keeps the unacknowledged packets within the window (PSN-5). Local work has none (REQ-14).
func (q *Requester) fits(w *sendWQE) bool {
	if w.Verb.Local() {
		return true
	}
	need, unit := uint64(1), uint64(q.cfg.Width.unit())
	if w.Verb == Read {
		need = uint64(q.packets(&w.Work))
	}
	if q.cfg.Profile.WindowPackets != 0 { // the kernel does not count what a READ will take
		return !q.counted() && q.s.inWindow(q.next, need*unit, psn.Half)
	}
	return q.s.inWindow(q.next, need*unit, uint64(q.window())*unit)
}

// counted reports whether as many packets are unacknowledged as the profile's window has (PSN-5).
func (q *Requester) counted() bool {
	unit, limit := uint64(q.cfg.Width.unit()), uint64(q.cfg.Profile.WindowPackets)
	return limit != 0 && !q.s.inWindow(q.next, unit, limit*unit)
}

// limit is how many packets may be unacknowledged: of the two limits of fits that which the next packet meets.
func (q *Requester) limit() uint32 {
	if q.counted() {
		return uint32(q.cfg.Profile.WindowPackets)
	}
	return q.window()
}

func (q *Requester) window() uint32 {
	if q.cfg.Window != 0 {
		return q.cfg.Window
	}
	return q.cfg.Width.half()
}

func (q *Requester) mayRead(w *sendWQE) bool {
	return !w.Verb.Replayed() || w.started || q.cfg.mayRead(q.reads)
}

// asks decides AckReq: the end of a message always, else as often as the profile has it, and where the peer's answer is
// what will let the next packet go.
func (q *Requester) asks(w *sendWQE, p *Packet) bool {
	switch {
	case !reliable(q.cfg.Service):
		return false
	case p.PSN == w.last && !w.more || w.Verb.Replayed():
		return true
	case q.cfg.Profile.AckReqEvery != 0:
		return q.quiet+1 >= q.cfg.Profile.AckReqEvery
	case q.cfg.Profile.AckReqAtOffset != 0:
		at := q.cfg.Width.Between(p.PSN, w.first)
		return at != 0 && at%q.cfg.Profile.AckReqAtOffset == 0
	case !q.s.Unlimited && w.limited() && !q.credited(w):
		return true
	default:
		return q.cfg.Width.Between(q.next, q.s.Una)+1 == q.window()
	}
}

// packetAt builds the request of a WQE at a PSN. A READ asks from there to its end (REQ-7).
func (q *Requester) packetAt(w *sendWQE, p psn.PSN) Effect {
	index := q.cfg.Width.Between(p, w.first)
	off := index * q.cfg.PMTUBytes
	e := Effect{Kind: SendRequest, ID: w.ID, Off: off, Packet: Packet{PSN: p}}
	k := &e.Packet
	if q.cfg.Service == ib.XRC {
		k.XRCSRQ = w.XRCSRQ
	}
	first, last := p == w.first, p == w.last && !w.more
	k.Op = w.Opcode(q.cfg.Service, first, last)
	switch w.Verb {
	case Read:
		k.VA, k.RKey, k.DMALen = w.VA+uint64(off), w.RKey, w.Len-off
		return e
	case CmpSwap, FetchAdd:
		k.VA, k.RKey, k.SwapAdd, k.Compare = w.VA, w.RKey, w.SwapAdd, w.Compare
		return e
	case AtomicWrite:
		k.VA, k.RKey, k.DMALen, k.Len = w.VA, w.RKey, 8, 8
		e.Len = 8
		return e
	case Flush:
		k.VA, k.RKey, k.DMALen, k.FETH = w.VA, w.RKey, w.Len, w.FETH
		return e
	}
	k.Len = min(w.Len-off, q.cfg.PMTUBytes)
	k.Pad = uint8(-k.Len & 3)
	e.Len = k.Len
	if w.Verb == Write && first {
		k.VA, k.RKey, k.DMALen = w.VA, w.RKey, w.Len
	}
	if last {
		k.SE = w.Solicited && w.limited()
		if w.WithImm {
			k.Imm = w.Imm
		}
		if w.Invalidate {
			k.RKey = w.RKey
		}
	}
	if q.cfg.Service == ib.UD {
		k.QKey = w.QKey
	}
	return e
}

// Opcode is BTH byte 0 of a packet of the work; first and last say which of its packets it is. Local work has none.
func (w *Work) Opcode(service ib.Transport, first, last bool) ib.Opcode {
	switch w.Verb {
	case Read:
		return ib.Join(service, ib.ReadRequest)
	case CmpSwap:
		return ib.Join(service, ib.CmpSwap)
	case FetchAdd:
		return ib.Join(service, ib.FetchAdd)
	case AtomicWrite:
		return ib.Join(service, ib.AtomicWrite)
	case Flush:
		return ib.Join(service, ib.Flush)
	}
	return ib.Join(service, sendOperation(w, first, last))
}

// sendOperation is the operation of a SEND or WRITE packet by its place.
func sendOperation(w *Work, first, last bool) ib.Operation {
	write := ib.Operation(0)
	if w.Verb == Write {
		write = ib.WriteFirst - ib.SendFirst
	}
	switch {
	case !first && !last:
		return ib.SendMiddle + write
	case !last:
		return ib.SendFirst + write
	case w.Invalidate && first:
		return ib.SendOnlyInv
	case w.Invalidate:
		return ib.SendLastInv
	}
	op := ib.SendLast
	if first {
		op = ib.SendOnly
	}
	if w.WithImm {
		op++
	}
	return op + write
}

// end ends the oldest WQE with success, and local work behind it that is done.
func (q *Requester) end(out *Batch) {
	q.finish(Success, out)
	q.endLocal(out)
}

// finish ends the oldest WQE. A completion entry is made if it was asked for or if the WQE failed (REQ-11).
func (q *Requester) finish(status Status, out *Batch) {
	w := q.at(0)
	if w.Signaled || status != Success {
		out.add(Effect{Kind: Complete, ID: w.ID, Status: status, Len: w.Len})
	}
	if w.started && w.Verb.Replayed() {
		q.reads--
	}
	*w = sendWQE{}
	q.head = (q.head + 1) % MaxSends
	if q.count--; q.count == 0 {
		q.head = 0
	}
	if q.cur > 0 {
		q.cur--
	}
}

// fail ends the oldest WQE with status, flushes the others and stops both timers: the QP is in Error.
func (q *Requester) fail(status Status, why Rule, out *Batch) {
	q.State = Error
	out.add(Effect{Kind: EnterError, Why: why})
	for q.count > 0 {
		q.finish(status, out)
		status = Flushed
	}
	q.stop(out)
	if q.s.Waiting {
		out.add(Effect{Kind: Disarm, Timer: RNR})
	}
	q.s.Waiting, q.s.Retrying = false, false
	q.s.Una, q.next = q.s.High, q.s.High
}

// SetError moves the QP to Error from outside: everything is flushed (RSP-15).
func (q *Requester) SetError(out *Batch) {
	if q.State != Error {
		q.fail(Flushed, "RSP-15", out)
	}
}

// SetSendError moves a QP of UC or UD to SQE: its send queue is in error, what is posted is flushed, and it receives as
// before (RSP-15).
func (q *Requester) SetSendError(out *Batch) {
	if q.State != RTS || reliable(q.cfg.Service) {
		return
	}
	q.State = SQE
	for q.count > 0 {
		q.finish(Flushed, out)
	}
}

// MaySolicit reports whether packets of an opcode may ask for a solicited event (REQ-11).
func MaySolicit(op *ib.Info) bool {
	switch op.Operation {
	case ib.SendLast, ib.SendOnly, ib.SendLastImm, ib.SendOnlyImm, ib.SendLastInv, ib.SendOnlyInv, ib.WriteLastImm,
		ib.WriteOnlyImm:
		return true
	}
	return false
}

// MayCarry reports whether a response of an opcode may carry a syndrome: a READ or atomic response is an ACK, and only
// what is sent with the opcode ACK may be a NAK of any kind.
func MayCarry(op *ib.Info, s ib.Syndrome) bool {
	return op.Operation == ib.Ack || s.Kind() == ib.KindAck
}
