package hca

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// txQueue is a send queue as sq_retire keeps it: slots in turn, the oldest WQE first.
type txQueue struct {
	works []roce.Work
	notes []TxRecord // what a packet's record says of each
	lasts []psn.PSN
	slot  int // of the oldest
	wqes  int
}

func (q *txQueue) full() bool { return len(q.works) == q.wqes }

func (q *txQueue) post(w roce.Work) {
	q.works = append(q.works, w)
	q.notes = append(q.notes, TxRecord{Begun: TxNew, Verb: w.Verb, Immediate: w.WithImm, Invalidate: w.Invalidate,
		Solicited: w.Solicited, Length: w.Len, Slot: uint8((q.slot + len(q.works) - 1) % q.wqes)})
	q.lasts = append(q.lasts, 0)
}

// fetch is the WQE of a slot, or the oldest one.
func (q *txQueue) fetch(slot uint8, oldest bool) (r TxRecord, at int) {
	if !oldest {
		at = (int(slot) - q.slot + q.wqes) % q.wqes
	}
	r.Slot = uint8((q.slot + at) % q.wqes)
	if at < len(q.works) {
		r = q.notes[at]
	}
	r.Oldest = oldest
	return r, at
}

// endBefore ends the WQEs whose last PSN lies before una, by distance from the una before.
func (q *txQueue) endBefore(una, before psn.PSN) {
	for len(q.works) > 0 && q.notes[0].Begun == TxBegan &&
		(q.notes[0].Verb.Local() || q.lasts[0].From(before) < una.From(before)) {
		q.works, q.notes, q.lasts = q.works[1:], q.notes[1:], q.lasts[1:]
		q.slot = (q.slot + 1) % q.wqes
	}
}

// turn is a turn of one packet: it asks until a packet goes out or nothing does.
func (q *txQueue) turn(t *testing.T, p *TxPackets) (TxAnswer, roce.Work) {
	a := p.Step(&TxRecord{Op: TxLook})
	for range 3 * q.wqes {
		r, at := q.fetch(a.Slot, a.Oldest)
		a = p.Step(&r)
		if a.Begins {
			q.notes[at].Begun, q.notes[at].First, q.lasts[at] = TxBegan, a.First, a.Last
		}
		if a.What == TxSends {
			return a, q.works[at]
		}
		if a.What != TxSearches {
			return a, roce.Work{}
		}
	}
	require.Fail(t, "the search does not end", "%+v", a)
	return a, roce.Work{}
}

// txWork draws work that a service has.
func txWork(r *rand.Rand, rc bool) roce.Work {
	w := roce.Work{Verb: ib.Verb(1 + r.IntN(2)), Len: uint32(r.IntN(1300)), VA: r.Uint64() >> 8, Signaled: true,
		Solicited: r.IntN(2) == 0, WithImm: r.IntN(3) == 0}
	if r.IntN(5) == 0 {
		w.Len = uint32(256 * r.IntN(4))
	}
	if !rc {
		return w
	}
	if w.Verb == roce.Send && !w.WithImm {
		w.Invalidate = r.IntN(3) == 0
	}
	if r.IntN(2) == 0 {
		w.WithImm, w.Invalidate = false, false
		switch w.Verb = ib.Verb(3 + r.IntN(7)); w.Verb {
		case roce.AtomicWrite, roce.CmpSwap, roce.FetchAdd:
			w.Len = 8
		}
	}
	return w
}

// txPair is a QP twice: the transport machine, and tx_packetizer with req_ack_check, retry_ctl and what is left of a
// send queue.
type txPair struct {
	t       *testing.T
	r       *rand.Rand
	cfg     roce.RequesterConfig
	whole   roce.Requester
	out     roce.Batch
	check   reqAckCheck
	control RetryControl
	timer   RetxQP
	tx      TxPackets
	queue   txQueue
	una     psn.PSN
	running bool // the machine's transport timer
	plain   bool // no credits: the peer says code 31
	dead    bool
	seen    map[TxWhy]int
	again   int
}

func (p *txPair) open() {
	r := p.r
	p.cfg = roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: psn.New(0xFFFFE0 + uint32(r.IntN(64))),
		MaxReads: uint8(1 + r.IntN(3)), Timeout: 1, RetryCount: 6, RNRRetry: 6, Limited: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		p.cfg.Window = uint32(5 + r.IntN(6))
	}
	p.cfg.Profile.WholeRead = r.IntN(3) == 0
	p.plain = !p.cfg.Limited && r.IntN(2) == 0
	p.running = false
	p.whole, p.dead, p.una = roce.NewRequester(&p.cfg), false, p.cfg.StartPSN
	p.queue, p.out = txQueue{wqes: 8}, p.out[:0]
	p.check = reqAckCheck{qps: make([]reqQP, 4), reads: 4, width: 1}
	profile := uint8(0)
	if p.cfg.Limited {
		profile = ReqCreditsLimited
	}
	p.check.step(&ReqRecord{Op: ReqConfigure, PSN: p.una, PMTU: 1, MaxReads: p.cfg.MaxReads, Profile: profile})
	p.control, p.timer = NewRetryControl(4, false), RetxQP{}
	p.tell(RetryRecord{Op: RetryConfigure, Una: p.una, Code: 1, RetryCnt: 6, RNRRetry: 6}, nil)
	p.tx = NewTxPackets(4, 8, psn.Bits)
	a := p.tx.Step(&TxRecord{Op: TxConfigure, Una: p.una, PMTU: 1, MaxReads: p.cfg.MaxReads, Window: p.cfg.Window,
		WholeRead: p.cfg.Profile.WholeRead, Unlimited: !p.cfg.Limited})
	require.Equal(p.t, TxTaken, a.Why)
}

// tell gives retry_ctl a record, and what becomes of it to the timer, to req_ack_check and to tx_packetizer.
func (p *txPair) tell(r RetryRecord, told *ReqAnswer) {
	for i := range p.out {
		if e := &p.out[i]; e.Timer == roce.Transport && (e.Kind == roce.Arm || e.Kind == roce.Disarm) {
			p.running = e.Kind == roce.Arm
		}
	}
	a := p.control.Step(&r)
	a.TimerOps(func(op RetxOp) { p.timer.Do(op) })
	switch a.Ask {
	case RetryAskGoOn:
		p.check.step(&ReqRecord{Op: ReqGoOn})
	case RetryAskClose:
		p.check.step(&ReqRecord{Op: ReqClose})
	}
	if p.tx.qps == nil || a.Why == RetryNoQP {
		return
	}
	v := TxAfter(&a, told)
	shown := p.tx.Step(&v)
	if a.Progress {
		p.queue.endBefore(a.Una, p.una)
		p.una = a.Una
	}
	p.again += b2i(a.Order == RetryGoBack || a.Order == RetryWait)
	p.dead = a.Order == RetryFail
	if p.dead {
		return
	}
	una, next, high := p.whole.PSNs()
	if p.cfg.Profile.WholeRead && p.tx.qps[0].back { // the machine has moved next already
		next = shown.Next
	}
	require.Equal(p.t, [3]psn.PSN{una, next, high}, [3]psn.PSN{shown.Una, shown.Next, shown.High}, "%+v %+v", r, a)
	require.Equal(p.t, p.whole.Waiting(), shown.Waiting)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sends lets both send: the same packet, or neither anything.
func (p *txPair) sends() {
	p.out = p.out[:0]
	sends := p.whole.Next(&p.out)
	a, w := p.queue.turn(p.t, &p.tx)
	p.seen[a.Why]++
	require.Equal(p.t, sends, a.What != TxStands, "%+v", a)
	if !sends {
		return
	}
	e := &p.out[0]
	if e.Kind != roce.SendRequest {
		require.Equal(p.t, TxBeginsLocal, a.What)
		p.whole.Done(true, &p.out)
		p.queue.endBefore(p.una, p.una)
		return
	}
	require.Equal(p.t, TxSends, a.What)
	p.compare(e, &a, &w)
	sent := a.Sent()
	told := p.check.step(&sent)
	require.Contains(p.t, []roce.ReqReason{roce.ReqTaken, roce.ReqResend, roce.ReqProbe, roce.ReqNoCredit}, told.Why)
	require.Equal(p.t, a.Again, told.Why == roce.ReqResend)
	require.Equal(p.t, told.High, a.High)
	require.Equal(p.t, told.Reads, a.Reads)
	p.tell(RetryAfter(&told), &told)
}

// compare holds a packet against the machine's.
func (p *txPair) compare(e *roce.Effect, a *TxAnswer, w *roce.Work) {
	t, k := p.t, &e.Packet
	require.Equal(t, k.Op, a.Opcode)
	require.Equal(t, k.PSN, a.PSN)
	require.Equal(t, k.SE, a.Solicited)
	require.Equal(t, e.ID, w.ID)
	require.Equal(t, e.Off, a.Offset)
	if w.Verb == roce.Read {
		require.Equal(t, k.DMALen, a.Bytes)
		require.Equal(t, k.VA, w.VA+uint64(a.Offset))
	} else {
		require.Equal(t, k.Len, a.Bytes)
	}
	if limited := w.Verb == roce.Send || w.WithImm; a.Again && limited && !p.tx.qps[0].state.Unlimited {
		if p.tx.qps[0].state.High.From(a.First) > a.Last.From(a.First) { // finished: it needs no answer to go on
			require.True(t, !a.AckReq || k.AckReq)
			return
		}
	}
	require.Equal(t, k.AckReq, a.AckReq, "%+v", a)
}

// answers gives both a response near una.
func (p *txPair) answers() {
	una, _, high := p.whole.PSNs()
	at := una.Add(int32(p.r.IntN(int(high.From(una))+3)) - 2)
	packet := roce.Packet{Op: ib.Join(ib.RC, ib.Ack), PSN: at, Syndrome: 0x1F, MSN: uint32(p.r.IntN(12))}
	if !p.plain {
		packet.Syndrome = ib.Syndrome(p.r.IntN(4))
		if p.r.IntN(20) == 0 && !p.cfg.Limited {
			packet.Syndrome = 0x1F
		}
	}
	switch p.r.IntN(10) {
	case 0:
		if !p.cfg.Profile.WholeRead {
			packet.Syndrome = 0x20
		}
	case 1:
		packet.Syndrome = 0x60
	case 2, 3, 4:
		p.data(&packet)
	}
	told := p.check.step(&ReqRecord{Op: ReqResponse, PSN: packet.PSN, Opcode: packet.Op, Syndrome: packet.Syndrome,
		Number: packet.MSN, Payload: uint16(packet.Len), Pad: packet.Pad})
	p.out = p.out[:0]
	p.whole.Step(&packet, &p.out)
	p.tell(RetryAfter(&told), &told)
}

// data makes the READ or atomic response that is due.
func (p *txPair) data(packet *roce.Packet) {
	q := &p.check.qps[0]
	if q.reads == 0 {
		return
	}
	head := q.outstanding[0]
	packet.PSN, packet.Op, packet.Len = head.Due, ib.Join(ib.RC, ib.ReadResponseFirst), 256
	if head.Begun {
		packet.Op = ib.Join(ib.RC, ib.ReadResponseMid)
	}
	if head.Due == head.Last {
		packet.Op, packet.Len = ib.Join(ib.RC, ib.ReadResponseOnly), head.TailBytes
		if head.Begun {
			packet.Op = ib.Join(ib.RC, ib.ReadResponseLast)
		}
		packet.Pad = uint8(-packet.Len & 3)
	}
	if head.Atomic {
		packet.Op, packet.Len, packet.Pad = ib.Join(ib.RC, ib.AtomicAck), 0, 0
	}
}

// expires lets the timer that runs run out.
func (p *txPair) expires() {
	rnr := p.timer.State == RetxRNR
	if p.timer.State == RetxIdle || !rnr && !p.running {
		return
	}
	p.timer.Given = true
	p.out = p.out[:0]
	if rnr {
		p.whole.Expire(roce.RNR, &p.out)
	} else {
		p.whole.Expire(roce.Transport, &p.out)
		p.running = false
	}
	p.tell(RetryRecord{Op: RetryExpiry, Gen: p.timer.Gen, RNR: rnr}, nil)
}

// drains stops and starts WQEs (SQD).
func (p *txPair) drains() {
	if p.whole.State == roce.RTS {
		p.whole.State = roce.SQD
		p.tx.Step(&TxRecord{Op: TxDrain})
		return
	}
	p.whole.State = roce.RTS
	p.tx.Step(&TxRecord{Op: TxResume})
}

// TestTxPacketizerAgainstTheMachine: the same WQEs, answers and timers give the packets of the requester of model/roce,
// first and again, and where one stands the other does (PSN-4, PSN-5, PSN-7, OPC-1, CRD-2, REQ-5 to REQ-7, REQ-9).
func TestTxPacketizerAgainstTheMachine(t *testing.T) {
	p := txPair{t: t, r: rand.New(rand.NewPCG(3, 4)), seen: map[TxWhy]int{}}
	for range 1500 {
		p.tx = TxPackets{}
		p.open()
		for steps := 0; steps < 120 && !p.dead; steps++ {
			switch k := p.r.IntN(20); {
			case k < 4 && !p.queue.full():
				w := txWork(p.r, true)
				for w.Verb.Local() && p.cfg.Window != 0 { // the machine has local work wait for the window
					w = txWork(p.r, true)
				}
				w.ID = p.r.Uint64()
				p.out = p.out[:0]
				require.True(t, p.whole.Post(w, &p.out))
				p.queue.post(w)
			case k < 12:
				p.sends()
			case k < 18:
				p.answers()
			case k < 19:
				p.expires()
			case p.r.IntN(4) == 0:
				p.drains()
			}
			if p.cfg.Profile.WholeRead && !p.dead && p.tx.qps[0].back { // at once: progress between tells both another first
				p.sends()
			}
		}
	}
	for _, why := range []TxWhy{TxTaken, TxNothing, TxWaits, TxWindow, TxReads, TxCredit, TxIsDrained} {
		require.Greater(t, p.seen[why], 300, "why %d", why)
	}
	require.Greater(t, p.again, 3000)
}
