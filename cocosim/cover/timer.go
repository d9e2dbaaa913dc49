package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

func init() { declarations["retx_timer"] = declareTimer }

var timerOps = Axis{"configure", "start", "progress", "stop", "wait", "NAK", "time-out", "resume"}

type timerTrack struct {
	state   hca.RetxState
	gen     uint8
	lastEnd uint64
	expired uint64 // cycle of the last expiry; 0: none since an operation
	known   bool
}

type timer struct {
	*Observer
	qps map[uint32]*timerTrack

	ops, codes, expiries, gens, races, gaps, retries *Group
}

func declareTimer(o *Observer, _ sim.Settings) {
	t := &timer{Observer: o, qps: map[uint32]*timerTrack{}}
	t.ops = o.cross("rule: operation x timer before x effect", func(at []int, b *Bin) {
		b.Rules = [][]string{{"RSP-15"}, {"TMR-1"}, {"TMR-2", "TMR-3"}, {"TMR-2"}, {"TMR-4"}, {"TMR-3"}, {"TMR-1"},
			{"TMR-5"}}[at[0]]
		b.Ignored = timerIgnored(at[0], at[1], at[2])
	}, timerOps, Axis{"idle", "transport", "RNR"}, Axis{"nothing changed", "changed", "no QP", "retries exhausted"})
	t.codes = o.cross("timer codes", nil, Axis{"transport", "RNR"}, numbers(32))
	t.expiries = o.cross("rule: expiry x retries left x exhausted", func(at []int, b *Bin) {
		b.Rules = [][]string{{"TMR-1"}, {"TMR-5"}}[at[0]]
		if at[2] == 1 && (at[0] == 1 || at[1] != 0) {
			b.Ignored = "exhausted says a transport timer's expiry with none left"
		}
		if at[0] == 0 && at[1] == 0 && at[2] == 0 {
			b.Illegal = "an expiry without a retry left says exhausted"
		}
	}, Axis{"transport", "RNR"}, numbers(8), Axis{"goes on", "exhausted"})
	t.gens = o.cross("answer to an expiry: generations behind", nil, Axis{"0", "1", "2", "3 to 15", "16 to 127",
		"128 to 255"})
	t.races = o.cross("cycles from an expiry to the QP's next operation", nil, timerOps, gaps)
	t.gaps = o.cross("cycles since the QP's last record", nil, distancesInTime)
	t.retries = o.cross("retries left", nil, Axis{"transport", "RNR"}, numbers(8))
	o.restart = append(o.restart, func() { clear(t.qps) })
	o.pair, o.other = t.count, t.expire
}

// timerIgnored says why an operation (docs/blocks/retx_timer.md) on a timer never has an effect; "" where it may.
func timerIgnored(op, before, effect int) string {
	const none, transport, rnr = 0, 1, 2
	does := effect == 1 || effect == 3
	switch {
	case effect == 2 && before != none:
		return "a QP that is not there has no timer"
	case effect == 3 && (op < 4 || op > 6):
		return "an operation that spends no retry"
	case does && op == 1 && before != none, does && (op == 4 || op == 5) && before == rnr,
		does && op == 6 && before != transport, does && op == 7 && before != rnr:
		return "does nothing on this timer"
	case effect == 0 && (op == 0 || op == 2 || op == 3 || (op == 4 || op == 5) && before != rnr):
		return "the generation moves on with every one of them"
	}
	return ""
}

func (t *timer) qp(qpn uint32) *timerTrack {
	q := t.qps[qpn]
	if q == nil {
		q = &timerTrack{}
		t.qps[qpn] = q
	}
	return q
}

func (t *timer) count(in, out *sim.Record) {
	op, a := hca.ParseRetxOp(in.Data), hca.ParseRetxAnswer(out.Data)
	q := t.qp(op.QPN)
	effect := 0
	switch {
	case a.NoQP:
		effect = 2
	case a.Exhausted:
		effect = 3
	case a.Changed:
		effect = 1
	}
	t.hit(t.ops, int(op.Op), int(q.state), effect)
	if q.known {
		t.hit(t.gaps, gapOf(in.Start-q.lastEnd-1))
	}
	if a.NoQP {
		return
	}
	if q.expired != 0 && in.Start >= q.expired {
		t.hit(t.races, int(op.Op), gapOf(in.Start-q.expired))
	}
	switch op.Op {
	case hca.RetxTimeout, hca.RetxResume:
		t.hit(t.gens, behind(q.gen-op.Gen))
	}
	if kind := armed(op.Op); kind >= 0 && (a.Changed || op.Code == 0) {
		t.hit(t.codes, kind, int(op.Code))
	}
	t.hit(t.retries, 0, int(a.Retries))
	t.hit(t.retries, 1, int(a.RNRRetries))
	*q = timerTrack{state: a.State, gen: a.Gen, lastEnd: in.End, known: true}
}

// armed is the timer that an operation arms with its code where it has an effect: 0 transport, 1 RNR, -1 none.
func armed(op hca.RetxOpcode) int {
	switch op {
	case hca.RetxWait:
		return 1
	case hca.RetxConfigure, hca.RetxStop:
		return -1
	}
	return 0
}

func behind(generations uint8) int {
	switch {
	case generations < 3:
		return int(generations)
	case generations < 16:
		return 3
	case generations < 128:
		return 4
	}
	return 5
}

func (t *timer) expire(out *sim.Record) {
	e := hca.ParseRetxExpiry(out.Data)
	kind, exhausted := 0, 0
	if e.RNR {
		kind = 1
	}
	if e.Exhausted {
		exhausted = 1
	}
	t.hit(t.expiries, kind, int(e.Left), exhausted)
	t.qp(e.QPN).expired = out.End
}
