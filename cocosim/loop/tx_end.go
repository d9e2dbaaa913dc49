package loop

import (
	"bytes"
	"context"
	"math/bits"
	"math/rand/v2"

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
	// It runs for so many cycles before what it sends is looked at, but where nothing came or went for so many others.
	packetCycles  = 32
	waitingCycles = 512
	// Reads of its manifest's defaults: READs and atomics of a QP that it can have outstanding.
	deviceReads = 4
)

// goingBack is what retries are counted as whose cause the device does not say.
const goingBack = "going back"

// txEnd is an adapter whose requester is a device with the ports of hca_tx, as RTL. Its responders and its memory are
// the model's: requests and CNPs that arrive are theirs, good responses the device's. Its
// frames leave as they are; messages are at its ports of host memory, where it writes what READs and atomics return.
//
// The device's clock follows the loop's time in steps, so a request may leave up to stepCycles late. While a frame of
// its waits for the link its clock stands still, as nothing may hold m_axis back: what it sends is what it knows.
type txEnd struct {
	*endpoint.Endpoint
	*clocked
	qps    map[uint32]*txQueue
	peers  map[uint32]*txQueue // by the peer's number
	memory txMemory
	posts  uint32
	open   int // WQEs that the device has
	waitC  uint64
	timeNs uint64 // that its timers have been told
	frames [][]byte
	own    bool // the device's frame goes first
	done   []endpoint.Completion
	ended  func(nowNs uint64, qpn uint32) // has the responder of a QP in error: the model's, if there is no other
	// software is that of hca_top: it posts, writes registers in place of operations, and hears responses itself.
	software *topSoftware
}

// txQueue is the send queue of a QP.
type txQueue struct {
	qpn     uint32
	pmtu    uint32
	waiting []*sendWork // that the device has no room for yet
	given   []*sendWork // oldest first
	past    []*sendWork // ended: packets of theirs may still be on their way out of the device
	posted  psn.PSN     // behind the last packet of all that was posted
	next    psn.PSN     // behind the packet that left last
	failed  bool
}

// sendWork is a send WQE.
type sendWork struct {
	work  roce.Work
	data  []byte // message, or room for what is returned
	first psn.PSN
	place uint32 // where it lies in host memory: at 4 GiB times this
}

// newTxEnd sets a device up as an adapter's requester.
func newTxEnd(ctx context.Context, e *endpoint.Endpoint, cfg *endpoint.Config, h Halves) (*txEnd, error) {
	t := &txEnd{Endpoint: e, qps: map[uint32]*txQueue{}, peers: map[uint32]*txQueue{}, ended: e.Fail}
	t.clocked = newClocked(ctx, h.Requester, h.Free, t.take)
	t.grain = packetCycles
	t.lapse = lapse{of: h.Lapse, port: "s_op", tell: t.tellTicks}
	t.memory = txMemory{end: t, rng: rand.New(rand.NewPCG(3, 4)), acks: "s_mem"}
	if err := t.resetFor(cfg); err != nil {
		return nil, err
	}
	t.offer("s_op", 0, hca.HcaTxWayOp(hca.FrameOwn, 0, &hca.FrameWay{MAC: cfg.MAC}))
	if h.Pace != nil {
		t.operate(hca.ToPace, h.Pace.law())
	}
	for i := range cfg.QPs {
		q := &cfg.QPs[i]
		t.add(q)
		t.setUp(q.Number, &q.Requester)
		if h.Pace != nil {
			t.operate(hca.ToPace, h.Pace.of(q.Number))
		}
		way := wayOf(cfg, q)
		t.offer("s_op", 0, hca.HcaTxWayOp(hca.FrameSet, q.Number, &way))
	}
	t.settle()
	return t, t.failed
}

// resetFor resets the device, with ticks that suit the loop's time.
func (t *txEnd) resetFor(cfg *endpoint.Config) error {
	forever := uint64(0)
	if len(cfg.QPs) > 0 && cfg.QPs[0].Requester.Profile.RetryForever7 {
		forever = 1
	}
	return t.reset(map[string]uint64{"cycles_per_tick_i": t.cyclesPerTick(), "tick_step_i": 1,
		"retry7_forever_i": forever})
}

// add adds the send queue of a QP.
func (t *txEnd) add(q *endpoint.QP) {
	queue := &txQueue{qpn: q.Number, pmtu: q.Requester.PMTUBytes, posted: q.Requester.StartPSN,
		next: q.Requester.StartPSN}
	t.qps[q.Number], t.peers[q.PeerNumber] = queue, queue
	t.waitC = max(t.waitC, 4*ib.TimeoutNs(q.Requester.Timeout)/cycleNs+rnrWaitCycles)
}

// wayOf is the way of a QP's requests.
func wayOf(cfg *endpoint.Config, q *endpoint.QP) hca.FrameWay {
	w := hca.FrameWay{PKey: cfg.PKeys[q.PKeyIndex], PeerQPN: q.PeerNumber, MAC: q.PeerMAC, HopLimit: 64}
	w.Encap, w.Src, w.Dst = endpoint.Encapsulation(q.PeerAddress), roce.Address(cfg.Address), roce.Address(q.PeerAddress)
	w.UDPSrcPort = requestPort | uint16(q.Number^q.PeerNumber)
	return w
}

// requestPort is where the UDP source ports of requests begin.
const requestPort = 0xC000

// setUp gives the device's blocks a QP.
func (t *txEnd) setUp(qpn uint32, c *roce.RequesterConfig) {
	pmtu := uint8(bits.TrailingZeros32(c.PMTUBytes / 128))
	reads := min(c.MaxReads, deviceReads)
	check := hca.ReqRecord{QPN: qpn, Op: hca.ReqConfigure, PSN: c.StartPSN, PMTU: pmtu, MaxReads: reads,
		Profile: checkProfile(c)}
	t.operate(hca.ToCheck, check.Append(nil))
	t.setUpRest(qpn, c, pmtu, reads)
}

// checkProfile is a profile as req_ack_check has it.
func checkProfile(c *roce.RequesterConfig) (profile uint8) {
	p := &c.Profile
	for bit, on := range map[uint8]bool{hca.ReqReservedIgnored: p.ReservedNAKIgnored,
		hca.ReqCreditsIgnored: p.CreditsIgnored, hca.ReqCreditsLast: p.CreditsLastOnly, hca.ReqGapWaits: p.GapWaits,
		hca.ReqCreditsLimited: c.Limited, hca.ReqAnyAnswerEndsRNR: p.AnyAnswerEndsRNR} {
		if on {
			profile |= bit
		}
	}
	return profile
}

// setUpRest gives the others a QP.
func (t *txEnd) setUpRest(qpn uint32, c *roce.RequesterConfig, pmtu, reads uint8) {
	p := &c.Profile
	control := hca.RetryRecord{QPN: qpn, Op: hca.RetryConfigure, Una: c.StartPSN, Code: c.Timeout, RetryCnt: c.RetryCount,
		RNRRetry: c.RNRRetry, AnyAnswer: p.AnyAnswerEndsRNR}
	t.operate(hca.ToRetry, control.Append(nil))
	packets := hca.TxRecord{QPN: qpn, Op: hca.TxConfigure, Una: c.StartPSN, PMTU: pmtu, MaxReads: reads,
		Window: c.Window, Unlimited: !c.Limited, WholeRead: p.WholeRead, Restart: p.MessageRestart}
	t.operate(hca.ToPackets, packets.Append(nil))
	queue := hca.SQRecord{QPN: qpn, Op: hca.SQClear, Slot: pmtu, Una: c.StartPSN}
	t.operate(hca.ToSendQueues, queue.Append(nil))
	turns := hca.SchedRecord{QPN: qpn, Op: hca.SchedSet, Weight: 1}
	t.operate(hca.ToTurns, turns.Append(nil))
}

func (t *txEnd) operate(to hca.HcaTxTarget, record []byte) {
	if t.software != nil {
		t.software.sends(to, record)
		return
	}
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
		s.first, q.posted = q.posted, q.posted.Add(int32(s.packets(q.pmtu)))
		t.posts++
		s.place = t.posts
		t.open++
		t.operate(hca.ToSendQueues, s.post(q.qpn))
	}
	switch {
	case t.free:
	case t.open > 0:
		t.quiet = max(quietCycles, t.waitC)
	default:
		t.quiet = quietCycles
	}
}

// packets are how many PSNs a WQE has (PSN-4).
func (s *sendWork) packets(pmtu uint32) uint32 {
	switch s.work.Verb {
	case roce.Send, roce.Write, roce.Read:
		return uint32(psn.OfRead(s.work.Len, pmtu))
	}
	return 1
}

// post is the record that posts a WQE.
func (s *sendWork) post(qpn uint32) []byte {
	w := &s.work
	r := hca.SQRecord{QPN: qpn, Op: hca.SQPost, SendWQE: hca.SendWQE{WQE: uint32(w.ID), Verb: w.Verb, Length: w.Len,
		VA: w.VA, RKey: w.RKey, Imm: w.Imm, SwapAdd: w.SwapAdd, Compare: w.Compare, QKey: w.QKey,
		List: uint64(s.place) << 32, Entries: 1}}
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
		told := t.Count().CNPs
		t.Endpoint.Receive(nowNs, frame)
		if w.BTH() != nil {
			t.heed(w.BTH().DestQP())
		}
		if t.Count().CNPs != told && t.software == nil {
			t.offer("s_cnp", 0, hca.HcaTxCNP(w.BTH().DestQP()))
		}
		return
	}
	var p roce.Packet
	qpn, payload, ok := t.Admit(nowNs, frame, &p)
	if !ok || t.software != nil {
		return
	}
	r := hca.HcaTxResponse{QPN: qpn, PSN: p.PSN, Number: p.MSN, Payload: uint16(p.Len), Opcode: p.Op,
		Syndrome: p.Syndrome, Pad: p.Pad, Original: p.Original}
	t.offer("s_resp", 0, r.Append(nil))
	if r.HasFrame() {
		t.offer("s_data", 0, bytes.Clone(payload))
	}
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
func (t *txEnd) NextTimer() (atNs uint64, ok bool) { return t.waits(t.Endpoint.NextTimer()) }

// catchUp runs the device's clock up to now, or until it sends something.
func (t *txEnd) catchUp(nowNs uint64) {
	if t.free {
		t.freely(nowNs)
		return
	}
	for (len(t.frames) == 0 || t.line != nil) && t.busy() && t.atNs+t.stepNs() <= nowNs {
		t.clocked.catchUp(t.atNs + t.stepNs())
	}
	if len(t.frames) > 0 && t.line == nil {
		t.atNs, t.behindC = nowNs, 0
		return
	}
	t.clocked.catchUp(nowNs)
}

// stepNs is how long it runs before what it sends is looked at: longer where it only waits for its timers.
func (t *txEnd) stepNs() uint64 {
	if t.cycle+t.lapse.passedC > t.activeC+waitingCycles {
		return t.stepC() * cycleNs
	}
	return packetCycles * cycleNs
}

// Expire lets timers of the model run out, and the device run.
func (t *txEnd) Expire(nowNs uint64) {
	t.Endpoint.Expire(nowNs)
	t.catchUp(nowNs)
}

// take does what a record of the device asks for.
func (t *txEnd) take(rec *sim.Record) {
	switch t.device.Ports()[rec.Port].Name {
	case "m_txd":
		t.memory.read(hca.ParseReadPiece(rec.Data))
	case "m_mem", "m_place":
		t.memory.writes = append(t.memory.writes, hca.ParseDMAWrite(rec.Data))
		t.memory.write()
	case "m_data", "m_pdata":
		t.memory.bytes = append(t.memory.bytes, bytes.Clone(rec.Data))
		t.memory.write()
	case "m_axis":
		t.leave(rec.Data)
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

// leave takes a frame.
func (t *txEnd) leave(frame []byte) {
	var w wire.Packet
	wire.Decode(wire.LinkEthernet, frame, &w)
	var q *txQueue
	if bth := w.BTH(); bth != nil {
		q = t.peers[bth.DestQP()]
	}
	if q == nil {
		t.wrong("hca_tx sends a frame of %d bytes that goes to no peer of its", len(frame))
		return
	}
	uses, at := uint32(1), w.BTH().PSN()
	if reth := w.RETH(); reth != nil && w.BTH().Opcode().Shape().Verb == ib.VerbRead {
		uses = uint32(psn.OfRead(reth.DMALen(), q.pmtu))
	}
	if at != q.next {
		t.Count().Retries[goingBack]++
	}
	q.next = at.Add(int32(uses))
	t.frames = append(t.frames, bytes.Clone(frame))
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
	if len(q.past) > 2*hca.HcaTxQueueDepth {
		q.past = q.past[1:]
	}
	t.open--
	t.done = append(t.done, endpoint.Completion{QPN: c.QPN, ID: s.work.ID, Status: c.Status, Len: s.work.Len,
		AtNs: t.atNs})
	if c.Status != roce.Success && !q.failed {
		q.failed = true
		t.ended(t.atNs, c.QPN)
	}
	t.feed(q) // of one that failed the device flushes what is posted still
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
