package hca

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// retryPair is a QP twice: the transport machine, which decides all by itself, and the three blocks.
type retryPair struct {
	t       *testing.T
	r       *rand.Rand
	cfg     roce.RequesterConfig
	whole   roce.Requester
	out     roce.Batch
	check   reqAckCheck
	control RetryControl
	timer   RetxQP // as retx_timer has it
	running bool   // the machine's transport timer
	last    RetryAnswer
	stale   []RetryRecord // expiries that came too late
	dead    bool
	orders  map[RetryOrder]int
	verdict func(*RetryAnswer)   // hears what retry_ctl decides
	effect  func(e *roce.Effect) // and what the machine does
}

func (p *retryPair) open() {
	p.cfg = roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 0xFFFFF0, MaxReads: 2,
		Timeout: uint8(p.r.IntN(3)), RetryCount: uint8(p.r.IntN(8)), RNRRetry: uint8(p.r.IntN(8))}
	p.cfg.Profile.AnyAnswerEndsRNR = p.r.IntN(3) == 0
	p.whole, p.running, p.dead = roce.NewRequester(&p.cfg), false, false
	p.check = reqAckCheck{qps: make([]reqQP, 4), reads: 4, width: 1}
	profile := uint8(0)
	if p.cfg.Profile.AnyAnswerEndsRNR {
		profile = ReqAnyAnswerEndsRNR
	}
	p.check.step(&ReqRecord{Op: ReqConfigure, PSN: p.cfg.StartPSN, PMTU: 1, MaxReads: 2, Profile: profile})
	p.step(RetryRecord{Op: RetryConfigure, Una: p.cfg.StartPSN, Code: p.cfg.Timeout, RetryCnt: p.cfg.RetryCount,
		RNRRetry: p.cfg.RNRRetry, AnyAnswer: p.cfg.Profile.AnyAnswerEndsRNR})
}

// step gives retry_ctl a record, and retx_timer and req_ack_check what comes of it. retx_timer says what was foreseen.
func (p *retryPair) step(r RetryRecord) {
	armed := RetryRecord{Op: RetryExpiry, Gen: p.timer.Gen, RNR: p.timer.State == RetxRNR}
	a := p.control.Step(&r)
	p.last = a
	p.orders[a.Order]++
	if p.verdict != nil {
		p.verdict(&a)
	}
	gen, exhausted := a.Gen, false
	a.TimerOps(func(op RetxOp) {
		var changed bool
		changed, exhausted = p.timer.Do(op)
		require.True(p.t, changed, "%+v %+v", r, a)
		gen++
	})
	if a.Why != RetryNoQP {
		require.Equal(p.t, gen, p.timer.Gen)
		require.Equal(p.t, [2]uint8{p.timer.Retries, p.timer.RNRRetries}, [2]uint8{a.Retries, a.RNRRetries})
		require.Equal(p.t, exhausted, a.Ask == RetryAskClose)
	}
	if armed.Gen != p.timer.Gen {
		p.stale = append(p.stale, armed)
	}
	switch a.Ask {
	case RetryAskGoOn:
		p.check.step(&ReqRecord{Op: ReqGoOn})
	case RetryAskClose:
		p.check.step(&ReqRecord{Op: ReqClose})
	}
}

// compare holds what the blocks have ordered against what the machine has asked for.
func (p *retryPair) compare() {
	back, failed, status := false, false, roce.Success
	for i := range p.out {
		if p.effect != nil {
			p.effect(&p.out[i])
		}
		switch e := &p.out[i]; e.Kind {
		case roce.GoBack:
			back = true
			require.Equal(p.t, e.Packet.PSN, p.last.Una)
		case roce.EnterError:
			failed = true
		case roce.Complete:
			if failed && status == roce.Success {
				status = e.Status
			}
		case roce.Arm:
			p.running = p.running || e.Timer == roce.Transport
		case roce.Disarm:
			p.running = p.running && e.Timer != roce.Transport
		}
	}
	p.out = p.out[:0]
	require.Equal(p.t, back, p.last.Order == RetryGoBack || p.last.Order == RetryWait)
	require.Equal(p.t, failed, p.last.Order == RetryFail)
	require.Equal(p.t, status, p.last.Status)
	if p.dead = failed; failed {
		return
	}
	una, _, _ := p.whole.PSNs()
	require.Equal(p.t, una, p.last.Una)
	require.Equal(p.t, p.whole.Waiting(), p.last.Waiting)
	require.Equal(p.t, p.running, p.timer.State == RetxTransport)
}

// sends lets what is posted go out.
func (p *retryPair) sends() {
	work := roce.Work{Verb: roce.Send, Len: uint32(p.r.IntN(1000)), Signaled: true}
	if p.r.IntN(3) == 0 {
		work.Verb, work.Len = roce.Read, work.Len+1
	}
	p.whole.Post(work, &p.out)
	for range 1 + p.r.IntN(5) {
		if !p.whole.Next(&p.out) {
			break
		}
		p.sent()
	}
}

func (p *retryPair) sent() {
	e := p.out[0]
	r := ReqRecord{Op: ReqSent, PSN: e.Packet.PSN, Count: 1, Payload: uint16(e.Packet.Len), Kind: roce.ReqWrite}
	if e.Packet.DMALen > 0 {
		r.Kind = roce.ReqRead
		r.Count = max(1, (e.Packet.DMALen+255)/256)
		r.Payload = uint16(e.Packet.DMALen - (r.Count-1)*256)
	}
	a := p.check.step(&r)
	p.step(RetryAfter(&a))
	p.compare()
}

// answers gives both a response: to what waits for one, or any near una.
func (p *retryPair) answers() {
	una, _, high := p.whole.PSNs()
	at := una.Add(int32(p.r.IntN(int(high.From(una))+3)) - 2)
	packet := roce.Packet{Op: ib.Join(ib.RC, ib.Ack), PSN: at, Syndrome: 0x1F}
	switch p.r.IntN(8) {
	case 0, 1:
		packet.Syndrome = ib.Syndrome(0x20 | p.r.IntN(32))
	case 2, 3:
		packet.Syndrome = 0x60
	case 4:
		packet.Syndrome = ib.Syndrome(p.r.IntN(256))
	case 5:
		p.data(&packet)
	}
	a := p.check.step(&ReqRecord{Op: ReqResponse, PSN: packet.PSN, Opcode: packet.Op, Syndrome: packet.Syndrome,
		Payload: uint16(packet.Len), Pad: packet.Pad})
	p.whole.Step(&packet, &p.out)
	p.step(RetryAfter(&a))
	p.compare()
}

// data makes a READ response, mostly the one that is due.
func (p *retryPair) data(packet *roce.Packet) {
	q := &p.check.qps[0]
	packet.Op, packet.Len = ib.Join(ib.RC, ib.ReadResponseFirst), 256
	if q.reads > 0 {
		packet.PSN = q.outstanding[0].Due.Add(int32(p.r.IntN(3) / 2))
		if packet.PSN == q.outstanding[0].Last {
			packet.Op, packet.Len = ib.Join(ib.RC, ib.ReadResponseOnly), q.outstanding[0].TailBytes
			packet.Pad = uint8(-packet.Len & 3)
		}
	}
}

// expires lets the timer that runs run out, or tells of one that has ended.
func (p *retryPair) expires() {
	if n := len(p.stale); n > 0 && p.r.IntN(2) == 0 {
		if r := p.stale[p.r.IntN(n)]; r.Gen != p.timer.Gen {
			p.step(r)
			require.Equal(p.t, RetryStale, p.last.Why)
			require.Equal(p.t, RetryNoOrder, p.last.Order)
		}
		return
	}
	if p.timer.State == RetxIdle {
		return
	}
	rnr := p.timer.State == RetxRNR
	p.timer.Given = true
	if rnr {
		p.whole.Expire(roce.RNR, &p.out)
	} else {
		p.whole.Expire(roce.Transport, &p.out)
		p.running = false
	}
	p.whole.Next(&p.out) // the machine starts its timer with what goes out, retx_timer with the answer
	p.step(RetryRecord{Op: RetryExpiry, Gen: p.timer.Gen, RNR: rnr})
	p.compare()
}

// TestRetryControlAgainstTheMachine: req_ack_check, retry_ctl and retx_timer together go back, wait and give up where
// the requester of model/roce does (TMR-2 to TMR-5, REQ-3, REQ-4, REQ-12), and an expiry that comes late does nothing.
func TestRetryControlAgainstTheMachine(t *testing.T) {
	p := retryPair{t: t, r: rand.New(rand.NewPCG(1, 2)), control: NewRetryControl(4, false), orders: map[RetryOrder]int{}}
	for range 3000 {
		p.open()
		p.stale = nil
		for steps := 0; steps < 60 && !p.dead; steps++ {
			switch p.r.IntN(4) {
			case 0:
				p.sends()
			case 1:
				p.expires()
			default:
				p.answers()
			}
		}
		if !p.dead {
			p.step(RetryRecord{Op: RetryClose})
		}
	}
	for order := RetryGoBack; order <= RetryFail; order++ {
		require.Greater(t, p.orders[order], 300, "order %d", order)
	}
}
