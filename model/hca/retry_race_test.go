package hca

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
)

// retryRace is a QP in req_ack_check and in retry_ctl, with answers and asks on their way between the two.
type retryRace struct {
	r       *rand.Rand
	check   reqAckCheck
	control RetryControl
	timer   RetxQP
	answers []RetryRecord
	asks    []ReqRecord
	crossed int // asks to go on that met another wait than theirs, or none
}

func (p *retryRace) tell(r ReqRecord) {
	a := p.check.step(&r)
	p.answers = append(p.answers, RetryAfter(&a))
}

func (p *retryRace) give(r RetryRecord) RetryAnswer {
	a := p.control.Step(&r)
	a.TimerOps(func(op RetxOp) { p.timer.Do(op) })
	switch a.Ask {
	case RetryAskGoOn:
		p.asks = append(p.asks, ReqRecord{Op: ReqGoOn})
	case RetryAskClose:
		p.asks = append(p.asks, ReqRecord{Op: ReqClose})
	}
	return a
}

// arrive lets what is first on one of the two ways arrive.
func (p *retryRace) arrive(asks bool) {
	switch {
	case asks && len(p.asks) > 0:
		if p.asks[0].Op == ReqGoOn && !p.check.qps[0].state.Waiting {
			p.crossed++
		}
		p.tell(p.asks[0])
		p.asks = p.asks[1:]
	case !asks && len(p.answers) > 0:
		p.give(p.answers[0])
		p.answers = p.answers[1:]
	}
}

func (p *retryRace) step() {
	q := &p.check.qps[0].state
	switch p.r.IntN(5) {
	case 0:
		at := q.Una.Add(int32(p.r.IntN(4)) - 1)
		syndrome := [...]ib.Syndrome{0x1F, 0x1F, 0x21, 0x21, 0x60}[p.r.IntN(5)]
		if p.r.IntN(60) == 0 {
			syndrome = 0x61
		}
		p.tell(ReqRecord{Op: ReqResponse, PSN: at, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: syndrome})
	case 1:
		p.tell(ReqRecord{Op: ReqSent, PSN: q.High, Count: 1})
	case 2:
		p.arrive(true)
	case 3:
		p.arrive(false)
	default:
		if p.timer.State != RetxIdle && p.r.IntN(3) == 0 {
			p.timer.Given = true
			p.give(RetryRecord{Op: RetryExpiry, Gen: p.timer.Gen, RNR: p.timer.State == RetxRNR})
		}
	}
}

// TestRetryControlRaces: whatever crosses what between req_ack_check and retry_ctl, in the end both are open or both
// closed, with one una, and req_ack_check waits for no timer that nobody runs (TMR-5, RSP-15).
func TestRetryControlRaces(t *testing.T) {
	p := retryRace{r: rand.New(rand.NewPCG(3, 4)), control: NewRetryControl(1, false)}
	waits := 0
	for range 4000 {
		p.check = reqAckCheck{qps: make([]reqQP, 1), reads: 4, width: 1}
		p.check.step(&ReqRecord{Op: ReqConfigure, PSN: 0xFFFFFE, PMTU: 1})
		p.give(RetryRecord{Op: RetryConfigure, Una: 0xFFFFFE, Code: 3, RetryCnt: 7, RNRRetry: 7})
		for range 8 {
			for range 1 + p.r.IntN(30) {
				p.step()
			}
			for len(p.answers)+len(p.asks) > 0 {
				p.arrive(p.r.IntN(2) == 0)
			}
			q, c := &p.check.qps[0], p.give(RetryRecord{Op: RetryLook})
			require.Equal(t, q.open, c.Why != RetryNoQP)
			if !q.open {
				break
			}
			require.Equal(t, q.state.Una, c.Una)
			if q.state.Waiting {
				waits++
				require.True(t, c.Waiting)
			}
		}
		if p.check.qps[0].open {
			p.give(RetryRecord{Op: RetryClose})
		}
	}
	require.Greater(t, waits, 100)
	require.Greater(t, p.crossed, 100)
}
