package roce_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// timed is an operation of retx_timer: how many clocks behind the one before it comes, what must be answered but for
// the generation, and whether an expiry must have been given meanwhile.
type timed struct {
	wait    uint64
	op      hca.RetxOp
	want    *hca.RetxAnswer
	expires bool
}

const (
	timerQPs = 64 // retx_timer with the fewest of its sizes: a round of its scan takes 8 clocks
	// timerWait is longer than either timer of the worlds takes: code 1 of both, 8 and 10 ticks of 4 clocks and the one
	// that has begun, a round of the scan, and a few clocks.
	timerWait = 4*(10+2) + 8 + 12
)

// lateness is which expiries are answered too late.
type lateness int

const (
	inTime lateness = iota
	// behindOne: an expiry before whatever else ends a timer, which it crosses. Its answer comes behind that and must do
	// nothing.
	behindOne
	// behindTwo: the timer that was armed meanwhile has run out too when that answer comes.
	behindTwo
)

// timing is a QP of retx_timer, as operations follow each other.
type timing struct {
	late  lateness
	armed hca.RetxState
	given bool // the timer has run out
	gen   uint8
	all   []timed
}

// timerEvents are the operations that the answers of retry_ctl give retx_timer, in order; an expiry is waited for.
func timerEvents(records []vector, late lateness) []timed {
	control := hca.NewRetryControl(4, false)
	var before hca.RetryAnswer
	q := timing{late: late}
	for i := range records {
		r := hca.ParseRetryRecord(records[i].in)
		a := control.Step(&r)
		known := records[i].want != nil
		q.gen = a.Gen
		if known {
			a = hca.ParseRetryAnswer(records[i].want)
		}
		first := a.First != hca.RetryFirstNone
		a.TimerOps(func(op hca.RetxOp) {
			w := timerAnswer(&a, &before, &op, first)
			q.do(op, w, known)
			first = false
		})
		if a.Why != hca.RetryNoQP {
			before = a
		}
	}
	return q.all
}

// do adds an operation, and, late, an answer behind it to the expiry that it crossed. known: the explorer's machine
// says what is answered.
func (q *timing) do(op hca.RetxOp, w hca.RetxAnswer, known bool) {
	answers := op.Op == hca.RetxTimeout || op.Op == hca.RetxResume
	stale := q.late != inTime && !answers && q.armed != hca.RetxIdle
	behind := hca.RetxOp{QPN: op.QPN, Op: hca.RetxTimeout, Code: op.Code, Gen: q.gen}
	if q.armed == hca.RetxRNR {
		behind.Op = hca.RetxResume
	}
	w.QPN, w.Changed = replayQPN, true
	q.give(op, w, known, answers || stale)
	q.armed, q.given, q.gen = w.State, false, q.gen+1
	if stale {
		w.Exhausted, w.Changed = false, false
		q.give(behind, w, known, q.late == behindTwo && q.armed != hca.RetxIdle)
	}
}

// give adds an operation, behind the expiry of the timer that runs if that is to come first.
func (q *timing) give(op hca.RetxOp, w hca.RetxAnswer, known, expired bool) {
	e := timed{op: op}
	if known {
		e.want = &w
	}
	if expired && !q.given {
		e.wait, e.expires, q.given = timerWait, true, true
	}
	q.all = append(q.all, e)
}

// timerAnswer is what the timer shows behind an operation (docs/blocks/retx_timer.md, Operations).
func timerAnswer(a, before *hca.RetryAnswer, op *hca.RetxOp, isFirst bool) (w hca.RetxAnswer) {
	w.Retries, w.RNRRetries = a.Retries, a.RNRRetries
	running := hca.RetxTransport
	if op.Code == 0 {
		running = hca.RetxIdle
	}
	fails := a.Order == hca.RetryFail
	switch op.Op {
	case hca.RetxConfigure, hca.RetxStop:
	case hca.RetxWait:
		if w.State = hca.RetxRNR; fails {
			w.State, w.Exhausted = hca.RetxIdle, true
		}
	case hca.RetxNAK, hca.RetxTimeout:
		if w.State = running; fails {
			w.State, w.Exhausted = hca.RetxIdle, true
		}
	default:
		w.State = running
	}
	switch {
	case isFirst && op.Op == hca.RetxProgress:
		w.Retries, w.RNRRetries = a.RetryCnt, a.RNRRetry
	case isFirst:
		w.Retries, w.RNRRetries = before.Retries, before.RNRRetries
	}
	return w
}

// onTimer gives operations to retx_timer. Besides the golden stage, which knows every clock, the explorer's machine has
// a word: what is left of the counts, which timer runs, and that it ran out.
func onTimer(t *testing.T, dut, device string, events []timed) error {
	offers := make([]sim.Offer, len(events))
	at := uint64(100)
	for i := range events {
		at += 1 + events[i].wait
		offers[i] = sim.Offer{NotBefore: at, Data: events[i].op.Append(nil)}
	}
	n, wrong, expiries, expected := 0, "", 0, 0
	for i := range events {
		if events[i].expires {
			expected++
		}
	}
	spec := session.Spec{Dut: dut, Device: device, Flavour: verilated.Debug,
		Params: map[string]int{"NumQps": timerQPs}}
	err := played(t, spec, offers, func(r *sim.Record) {
		if r.Port == 2 {
			expiries++
		}
		if r.Port != 1 {
			return
		}
		a := hca.ParseRetxAnswer(r.Data)
		if a.Gen = 0; n < len(events) && events[n].want != nil && wrong == "" && a != *events[n].want {
			wrong = fmt.Sprintf("operation %d, %+v: %+v, the explorer's machine %+v", n, events[n].op, a, *events[n].want)
		}
		n++
	})
	switch {
	case wrong != "":
		return fmt.Errorf("%s", wrong)
	case err != nil:
		return err
	case n != len(events):
		return fmt.Errorf("%d answers to %d operations", n, len(events))
	case expiries != expected:
		return fmt.Errorf("%d expiries, not %d", expiries, expected)
	}
	return nil
}

// Every edge of the requesters of the small worlds, as operations of retx_timer: once with the expiries that they
// answer, once with one before everything else that ends a timer. TMR-2, TMR-3, TMR-4, TMR-5.
func TestTimersOfWorldsOnRTL(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	records := retriesOfWorlds(t)
	shortWaits(records)
	records = withGenerations(t, records)
	for name, late := range map[string]lateness{"expiries that are answered": inTime,
		"expiries that are crossed": behindOne, "crossed, and another behind": behindTwo} {
		t.Run(name, func(t *testing.T) {
			events := timerEvents(records, late)
			require.NoError(t, onTimer(t, "retx_timer", *replayOn, events))
			t.Logf("%d operations", len(events))
		})
	}
}
