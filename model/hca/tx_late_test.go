package hca

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// txFlight is a packet on the wire and the work that it is of.
type txFlight struct {
	a TxAnswer
	w roce.Work
}

// txEnd is a verdict on its way to the send queue.
type txEnd struct{ una, before psn.PSN }

// txWorld is a requester of req_ack_check, retry_ctl and tx_packetizer, whose verdicts take their time and go to the
// packetizer and to the send queue each on its own way, before a plain responder behind a link that loses packets.
type txWorld struct {
	t       *testing.T
	r       *rand.Rand
	check   reqAckCheck
	control RetryControl
	timer   RetxQP
	tx      TxPackets
	queue   txQueue
	una     psn.PSN

	verdicts []TxRecord
	ends     []txEnd
	wire     []txFlight
	answers  []ReqRecord

	posted []roce.Work
	at     int    // the work that the responder is at
	offset uint32 // in it
	due    psn.PSN
	naked  bool
	lossy  bool
	limit  bool // the peer counts credits
	again  int
}

func newTxWorld(t *testing.T, r *rand.Rand) *txWorld {
	w := &txWorld{t: t, r: r, control: NewRetryControl(4, true),
		check: reqAckCheck{qps: make([]reqQP, 4), reads: 4, width: 1}, lossy: true, limit: r.IntN(2) == 0,
		due: psn.New(0xFFFFF0)}
	w.una = w.due
	w.queue.wqes = 2 << r.IntN(3)
	profile := uint8(0)
	if w.limit {
		profile = ReqCreditsLimited
	}
	w.check.step(&ReqRecord{Op: ReqConfigure, PSN: w.una, PMTU: 1, MaxReads: 2, Profile: profile})
	w.tx = NewTxPackets(4, uint8(w.queue.wqes), psn.Bits)
	w.tx.Step(&TxRecord{Op: TxConfigure, Una: w.una, PMTU: 1, MaxReads: 2, Window: uint32(6 + r.IntN(6)),
		Unlimited: !w.limit, WholeRead: r.IntN(2) == 0, Restart: r.IntN(4) == 0})
	w.tell(RetryRecord{Op: RetryConfigure, Una: w.una, Code: 1, RetryCnt: 7, RNRRetry: 7}, nil)
	w.verdicts = w.verdicts[:0]
	return w
}

// tell gives retry_ctl a record; what becomes of it is on its way to the packetizer and to the queue.
func (w *txWorld) tell(r RetryRecord, told *ReqAnswer) {
	a := w.control.Step(&r)
	a.TimerOps(func(op RetxOp) { w.timer.Do(op) })
	require.NotEqual(w.t, RetryFail, a.Order)
	w.again += b2i(a.Order == RetryGoBack)
	w.verdicts = append(w.verdicts, TxAfter(&a, told))
	if a.Progress {
		w.ends = append(w.ends, txEnd{a.Una, w.una})
		w.una = a.Una
	}
}

func (w *txWorld) turn() {
	a, work := w.queue.turn(w.t, &w.tx)
	if a.What == TxBeginsLocal {
		w.queue.endBefore(w.una, w.una)
	}
	if a.What != TxSends {
		return
	}
	sent := a.Sent()
	told := w.check.step(&sent)
	require.Contains(w.t, []roce.ReqReason{roce.ReqTaken, roce.ReqResend, roce.ReqProbe, roce.ReqNoCredit}, told.Why,
		"%+v", a)
	w.tell(RetryAfter(&told), &told)
	w.wire = append(w.wire, txFlight{a, work})
}

// arrives takes the oldest packet from the wire: it is lost, or the responder has it.
func (w *txWorld) arrives() {
	if len(w.wire) == 0 {
		return
	}
	f := w.wire[0]
	w.wire = w.wire[1:]
	if w.lossy && w.r.IntN(8) == 0 {
		return
	}
	ahead := f.a.PSN.Diff(w.due)
	switch {
	case ahead > 0:
		if !w.naked {
			w.naked = true
			w.answer(ReqRecord{PSN: w.due, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: 0x60})
		}
		return
	case ahead == 0:
		w.naked = false
		w.execute(&f)
	}
	w.respond(&f)
}

// execute checks that what is new goes on where the last packet ended: in the work that was posted next, at its offset.
func (w *txWorld) execute(f *txFlight) {
	for w.posted[w.at].Verb.Local() {
		w.at++
	}
	work := w.posted[w.at]
	require.Equal(w.t, work.ID, f.w.ID)
	require.Equal(w.t, w.offset, f.a.Offset)
	w.due = w.due.Add(int32(f.a.Count))
	w.offset += f.a.Bytes
	if w.due == f.a.Last.Add(1) {
		if work.Verb <= roce.Read {
			require.Equal(w.t, work.Len, w.offset)
		}
		w.at, w.offset = w.at+1, 0
	}
}

func (w *txWorld) answer(r ReqRecord) {
	r.Op = ReqResponse
	w.answers = append(w.answers, r)
}

// respond answers a packet that was executed, now or before: a READ with its data, others where they ask.
func (w *txWorld) respond(f *txFlight) {
	syndrome, msn := ib.Syndrome(0x1F), uint32(0)
	if w.limit {
		for i := range w.at {
			msn += uint32(b2i(!w.posted[i].Verb.Local()))
		}
		syndrome = ib.Syndrome(w.r.IntN(2))
	}
	switch {
	case f.a.Kind == roce.ReqAtomic:
		w.answer(ReqRecord{PSN: f.a.PSN, Opcode: ib.Join(ib.RC, ib.AtomicAck), Syndrome: syndrome, Number: msn})
	case f.a.Kind == roce.ReqRead:
		for i := range f.a.Count {
			r := ReqRecord{PSN: f.a.PSN.Add(int32(i)), Payload: 256, Opcode: ib.Join(ib.RC, ib.ReadResponseMid),
				Syndrome: syndrome, Number: msn}
			first, last := i == 0, i == f.a.Count-1
			switch {
			case last && first:
				r.Opcode = ib.Join(ib.RC, ib.ReadResponseOnly)
			case last:
				r.Opcode = ib.Join(ib.RC, ib.ReadResponseLast)
			case first:
				r.Opcode = ib.Join(ib.RC, ib.ReadResponseFirst)
			}
			if last {
				r.Payload, r.Pad = f.a.Payload, uint8(-f.a.Payload&3)
			}
			w.answer(r)
		}
	case f.a.AckReq:
		w.answer(ReqRecord{PSN: w.due.Add(-1), Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: syndrome, Number: msn})
	}
}

// hears takes the oldest answer from the wire.
func (w *txWorld) hears() {
	if len(w.answers) == 0 {
		return
	}
	r := w.answers[0]
	w.answers = w.answers[1:]
	if w.lossy && w.r.IntN(10) == 0 {
		return
	}
	told := w.check.step(&r)
	w.tell(RetryAfter(&told), &told)
}

// quiet reports whether nothing is on its way anywhere.
func (w *txWorld) quiet() bool {
	return len(w.verdicts)+len(w.ends)+len(w.wire)+len(w.answers) == 0
}

func (w *txWorld) step() {
	switch k := w.r.IntN(24); {
	case k < 3 && !w.queue.full() && len(w.posted) < 40:
		work := txWork(w.r, true)
		work.ID = uint64(len(w.posted))
		w.posted = append(w.posted, work)
		w.queue.post(work)
	case k < 10:
		w.turn()
	case k < 14:
		w.arrives()
	case k < 18:
		w.hears()
	case k < 20 && len(w.verdicts) > 0:
		w.tx.Step(&w.verdicts[0])
		w.verdicts = w.verdicts[1:]
	case k < 22 && len(w.ends) > 0:
		w.queue.endBefore(w.ends[0].una, w.ends[0].before)
		w.ends = w.ends[1:]
	case w.timer.State == RetxTransport && (w.quiet() && w.r.IntN(6) == 0 || w.r.IntN(200) == 0):
		w.timer.Given = true
		w.tell(RetryRecord{Op: RetryExpiry, Gen: w.timer.Gen}, nil)
	}
}

// TestTxPacketizerWithLateVerdicts: however late verdicts come, here and at the send queue, whose slots go to new posts
// at once: every packet is new once and in its place, no limit is passed, and everything ends (PSN-5, PSN-7, REQ-5 to
// REQ-7, REQ-9, CRD-2). A peer that answers only what asks for it leaves nothing stuck.
func TestTxPacketizerWithLateVerdicts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	retries := 0
	for range 150 {
		w := newTxWorld(t, r)
		for steps := 0; w.at < 40 || len(w.queue.works) > 0; steps++ {
			w.step()
			for w.at < len(w.posted) && w.posted[w.at].Verb.Local() {
				w.at++
			}
			require.Less(t, steps, 100_000, "stuck at %d of %d: %+v %+v", w.at, len(w.posted), w.tx.qps[0], w.check.qps[0])
		}
		retries += w.again
	}
	require.Greater(t, retries, 2000)
}
