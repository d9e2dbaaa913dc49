package loop

import (
	"context"
	"encoding/binary"
	"math/bits"

	"hcacosim/cocosim"
	"hcacosim/model/endpoint"
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Time of a requester that is a device.
const (
	cyclesPerTick = ib.TickNs / cycleNs // TMR-6
	// Whoever has work is silent for a timeout at most, or for an RNR wait; four of the one and this much for the other
	// are enough. Beyond that nothing is to be expected, and its clock stands still.
	rnrWaitCycles = 100_000 / cycleNs
	// It runs for so many cycles at most before what it sends is looked at.
	packetCycles = 16
)

// requesterBehindNs is how long before it leaves a packet may have been decided: a verdict's and a turn's way through
// the device, and two frames on the link before it.
const requesterBehindNs = 1000

// txEnd is an adapter whose requester is a device with the ports of hca_tx, as RTL. Its responders and its memory are
// the model's: requests and CNPs that arrive are theirs, good responses the device's. What the device does not join yet
// is done here: frames are made of its packets, and what READs and atomics return is placed.
//
// The device's clock follows the loop's time in steps, so a request may leave up to stepCycles late. While a frame of
// its waits for the link its clock stands still, as nothing may hold m_pkt back: what it sends is what it knows.
type txEnd struct {
	*endpoint.Endpoint
	clocked
	qps    map[uint32]*txQueue
	open   int // WQEs that the device has
	waitC  uint64
	frames [][]byte
	own    bool // the device's frame goes first
	done   []endpoint.Completion
	ended  func(nowNs uint64, qpn uint32) // has the responder of a QP in error: the model's, if there is no other
}

// txQueue is the send queue of a QP.
type txQueue struct {
	qpn     uint32
	pmtu    uint32
	waiting []*sendWork // that the device has no room for yet
	given   []*sendWork // oldest first
	past    []*sendWork // ended: packets of theirs may still be on their way out of the device
	next    psn.PSN     // behind the packet that left last
	failed  bool
}

// sendWork is a send WQE.
type sendWork struct {
	work  roce.Work
	data  []byte // message, or room for what is returned
	begun bool
	first psn.PSN
	home  uint32 // responses whose bytes are placed
}

// newTxEnd sets a device up as an adapter's requester.
func newTxEnd(ctx context.Context, e *endpoint.Endpoint, cfg *endpoint.Config, d cocosim.Device) (*txEnd, error) {
	t := &txEnd{Endpoint: e, qps: map[uint32]*txQueue{}, ended: e.Fail}
	t.clocked = newClocked(ctx, d, t.take)
	forever := uint64(0)
	if len(cfg.QPs) > 0 && cfg.QPs[0].Requester.Profile.RetryForever7 {
		forever = 1
	}
	inputs := map[string]uint64{"cycles_per_tick_i": cyclesPerTick, "tick_step_i": 1, "retry7_forever_i": forever}
	if err := t.reset(inputs); err != nil {
		return nil, err
	}
	for i := range cfg.QPs {
		q := &cfg.QPs[i]
		t.qps[q.Number] = &txQueue{qpn: q.Number, pmtu: q.Requester.PMTUBytes, next: q.Requester.StartPSN}
		t.waitC = max(t.waitC, 4*ib.TimeoutNs(q.Requester.Timeout)/cycleNs+rnrWaitCycles)
		t.setUp(q.Number, &q.Requester)
	}
	t.advance(settingCycles)
	return t, t.failed
}

// setUp gives the device's blocks a QP.
func (t *txEnd) setUp(qpn uint32, c *roce.RequesterConfig) {
	p := &c.Profile
	pmtu := uint8(bits.TrailingZeros32(c.PMTUBytes / 128))
	check := hca.ReqRecord{QPN: qpn, Op: hca.ReqConfigure, PSN: c.StartPSN, PMTU: pmtu, MaxReads: c.MaxReads}
	for bit, on := range map[uint8]bool{hca.ReqReservedIgnored: p.ReservedNAKIgnored,
		hca.ReqCreditsIgnored: p.CreditsIgnored, hca.ReqCreditsLast: p.CreditsLastOnly, hca.ReqGapWaits: p.GapWaits,
		hca.ReqCreditsLimited: c.Limited, hca.ReqAnyAnswerEndsRNR: p.AnyAnswerEndsRNR} {
		if on {
			check.Profile |= bit
		}
	}
	t.operate(hca.ToCheck, check.Append(nil))
	control := hca.RetryRecord{QPN: qpn, Op: hca.RetryConfigure, Una: c.StartPSN, Code: c.Timeout, RetryCnt: c.RetryCount,
		RNRRetry: c.RNRRetry, AnyAnswer: p.AnyAnswerEndsRNR}
	t.operate(hca.ToRetry, control.Append(nil))
	packets := hca.TxRecord{QPN: qpn, Op: hca.TxConfigure, Una: c.StartPSN, PMTU: pmtu, MaxReads: c.MaxReads,
		Window: c.Window, Unlimited: !c.Limited, WholeRead: p.WholeRead, Restart: p.MessageRestart}
	t.operate(hca.ToPackets, packets.Append(nil))
	queue := hca.SQRecord{QPN: qpn, Op: hca.SQClear, Una: c.StartPSN}
	t.operate(hca.ToSendQueues, queue.Append(nil))
	turns := hca.SchedRecord{QPN: qpn, Op: hca.SchedSet, Weight: 1}
	t.operate(hca.ToTurns, turns.Append(nil))
}

func (t *txEnd) operate(to hca.HcaTxTarget, record []byte) {
	t.offer("s_op", 0, hca.AppendHcaTxOp(nil, to, record))
}

// Post adds work to a send queue: it goes to the device when that has room for it.
func (t *txEnd) Post(nowNs uint64, qpn uint32, w roce.Work, data []byte) bool {
	q := t.qps[qpn]
	if q == nil || q.failed {
		return false
	}
	t.catchUp(nowNs)
	q.waiting = append(q.waiting, &sendWork{work: w, data: data})
	t.feed(q)
	return true
}

func (t *txEnd) feed(q *txQueue) {
	for len(q.waiting) > 0 && len(q.given) < hca.HcaTxQueueDepth {
		s := q.waiting[0]
		q.waiting, q.given = q.waiting[1:], append(q.given, s)
		t.open++
		t.operate(hca.ToSendQueues, s.post(q.qpn))
	}
	t.quiet = quietCycles
	if t.open > 0 {
		t.quiet = max(quietCycles, t.waitC)
	}
}

// post is the record that posts a WQE. Its list is its number: packets name no other.
func (s *sendWork) post(qpn uint32) []byte {
	w := &s.work
	r := hca.SQRecord{QPN: qpn, Op: hca.SQPost, SendWQE: hca.SendWQE{WQE: uint32(w.ID), Verb: w.Verb, Length: w.Len,
		VA: w.VA, RKey: w.RKey, Imm: w.Imm, SwapAdd: w.SwapAdd, Compare: w.Compare, QKey: w.QKey,
		List: uint64(uint32(w.ID)), Entries: 1}}
	for flag, on := range map[hca.SQFlags]bool{hca.SQSignaled: w.Signaled, hca.SQSolicited: w.Solicited,
		hca.SQImmediate: w.WithImm, hca.SQInvalidate: w.Invalidate} {
		if on {
			r.Flags |= flag
		}
	}
	return r.Append(nil)
}

// Receive gives a good response to the device and all else to the model.
func (t *txEnd) Receive(nowNs uint64, frame []byte) {
	t.catchUp(nowNs)
	var w wire.Packet
	wire.Decode(wire.LinkEthernet, frame, &w)
	if w.Op == nil || !w.Op.Response {
		t.Endpoint.Receive(nowNs, frame)
		return
	}
	var p roce.Packet
	qpn, payload, ok := t.Admit(frame, &p)
	if !ok {
		return
	}
	r := hca.HcaTxResponse{QPN: qpn, PSN: p.PSN, Number: p.MSN, Payload: uint16(p.Len), Opcode: p.Op,
		Syndrome: p.Syndrome, Pad: p.Pad}
	t.offer("s_resp", 0, r.Append(nil))
	t.qps[qpn].place(&p, payload)
}

// place puts what a response brings into its WQE's buffer, if it is the next one of the oldest READ or atomic that
// waits for any (REQ-3): bytes behind a gap are not taken.
func (q *txQueue) place(p *roce.Packet, payload []byte) {
	verb := p.Op.Shape().Verb
	for _, s := range q.given {
		total := s.responses(q.pmtu)
		if s.home == total {
			continue
		}
		if !s.begun || p.PSN != s.first.Add(int32(s.home)) || verb.Atomic() != s.work.Verb.Atomic() {
			return
		}
		switch {
		case verb.Atomic():
			binary.LittleEndian.PutUint64(s.data, p.Original)
		case verb == ib.VerbRead:
			copy(s.data[min(len(s.data), int(s.home*q.pmtu)):], payload)
		default:
			return
		}
		s.home++
		return
	}
}

// responses is how many responses of a WQE bring something.
func (s *sendWork) responses(pmtu uint32) uint32 {
	switch {
	case s.work.Verb == roce.Read:
		return uint32(psn.OfRead(s.work.Len, pmtu))
	case s.work.Verb.Atomic():
		return 1
	}
	return 0
}

// Next appends the frame that leaves now: the device's and the model's take turns.
func (t *txEnd) Next(nowNs uint64, dst []byte) ([]byte, bool) {
	t.catchUp(nowNs)
	if t.own = !t.own || len(t.frames) == 0; !t.own || len(t.frames) == 0 {
		if frame, ok := t.Endpoint.Next(nowNs, dst); ok {
			return frame, true
		}
	}
	if len(t.frames) == 0 {
		return dst, false
	}
	frame := t.frames[0]
	t.frames = t.frames[1:]
	t.Count().Sent++
	return append(dst, frame...), true
}

// NextTimer returns when a timer of the model runs out, or the next step of a busy device ends. One with work has its
// timers within.
func (t *txEnd) NextTimer() (atNs uint64, ok bool) { return t.sooner(t.Endpoint.NextTimer()) }

// catchUp runs the device's clock up to now, or until it sends something.
func (t *txEnd) catchUp(nowNs uint64) {
	for step := uint64(packetCycles * cycleNs); t.atNs+cycleNs <= nowNs; {
		if len(t.frames) > 0 {
			t.atNs = nowNs
			return
		}
		t.clocked.catchUp(min(nowNs, t.atNs+step))
	}
}

// Expire lets timers of the model run out, and the device run.
func (t *txEnd) Expire(nowNs uint64) {
	t.Endpoint.Expire(nowNs)
	t.catchUp(nowNs)
}

// take does what a record of the device asks for.
func (t *txEnd) take(rec *sim.Record) {
	switch t.device.Ports()[rec.Port].Name {
	case "m_pkt":
		p := hca.ParseHcaTxPacket(rec.Data)
		t.leave(&p)
	case "m_cqe":
		c := hca.ParseSQCQE(rec.Data)
		t.completed(&c)
	}
}

// wrong ends the loop: the device says what it must not.
func (t *txEnd) wrong(format string, args ...any) {
	if t.failed == nil {
		t.failed = cocosim.Errorf(cocosim.Mismatch, format, args...)
	}
}

// work is the WQE that a packet belongs to; nil: none that the QP has or had a short time ago.
func (q *txQueue) work(number uint64) *sendWork {
	for _, list := range [...][]*sendWork{q.given, q.past} {
		for _, s := range list {
			if uint64(uint32(s.work.ID)) == number {
				return s
			}
		}
	}
	return nil
}

// leave makes a frame of a packet.
func (t *txEnd) leave(r *hca.HcaTxPacket) {
	q := t.qps[r.QPN]
	var s *sendWork
	if q != nil {
		s = q.work(r.Address)
	}
	carries := uint64(r.Offset) + uint64(r.Bytes)
	if s == nil || carries > uint64(s.work.Len) {
		t.wrong("hca_tx sends a packet of QP %06Xh, PSN %06Xh, with bytes %d to %d of WQE %d, which does not have them",
			r.QPN, uint32(r.PSN), r.Offset, carries, r.Address)
		return
	}
	if !s.begun {
		s.begun, s.first = true, r.PSN.Add(-int32(r.Offset/q.pmtu))
	}
	p := roce.Packet{Op: r.Opcode, PSN: r.PSN, AckReq: r.AckReq, SE: r.Solicited, VA: r.VA, RKey: r.RKey,
		DMALen: r.DMALength, SwapAdd: r.SwapAdd, Compare: r.Compare, Imm: r.Imm, QKey: r.QKey, Len: uint32(r.Bytes)}
	uses := uint32(1)
	var payload []byte
	switch s.work.Verb {
	case roce.Read:
		p.VA += uint64(r.Offset)
		uses = uint32(psn.OfRead(r.DMALength, q.pmtu))
	case roce.Send, roce.Write:
		payload = s.data[r.Offset:carries]
	}
	if r.PSN != q.next {
		t.Count().Retries["going back"]++
	}
	q.next = r.PSN.Add(int32(uses))
	t.frames = append(t.frames, t.AppendRequest(nil, r.QPN, &p, payload))
}

// completed ends the oldest WQE, and gives the device the next one that waits.
func (t *txEnd) completed(c *hca.SQCQE) {
	q := t.qps[c.QPN]
	if q == nil || len(q.given) == 0 || uint32(q.given[0].work.ID) != c.WQE {
		t.wrong("hca_tx completes WQE %d of QP %06Xh, which is not its oldest one", c.WQE, c.QPN)
		return
	}
	s := q.given[0]
	q.given, q.past = q.given[1:], append(q.past, s)
	if len(q.past) > hca.HcaTxQueueDepth {
		q.past = q.past[1:]
	}
	t.open--
	t.done = append(t.done, endpoint.Completion{QPN: c.QPN, ID: s.work.ID, Status: c.Status, Len: s.work.Len,
		AtNs: t.atNs})
	if c.Status != roce.Success && !q.failed {
		q.failed = true
		t.ended(t.atNs, c.QPN)
	}
	t.feed(q)
}

// Completions returns those of the model's responders, then the device's.
func (t *txEnd) Completions() []endpoint.Completion {
	all := append(t.Endpoint.Completions(), t.done...)
	t.done = t.done[:0]
	return all
}

// State has the device's half of a QP in error when a WQE of it ended so.
func (t *txEnd) State(qpn uint32) (requester, responder roce.QPState) {
	requester, responder = t.Endpoint.State(qpn)
	if t.qps[qpn].failed {
		requester = roce.Error
	}
	return requester, responder
}
