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

// timerEvents are the operations that the answers of retry_ctl give retx_timer, in order; an expiry is waited for. With
// late, so is one before whatever else ends a timer, which it crosses: the answer to it comes behind and must do
// nothing.
func timerEvents(records []vector, late bool) (all []timed) {
	control := hca.NewRetryControl(4, false)
	var before hca.RetryAnswer
	armed := hca.RetxIdle
	for i := range records {
		r := hca.ParseRetryRecord(records[i].in)
		a := control.Step(&r)
		gen, known := a.Gen, records[i].want != nil
		if known {
			a = hca.ParseRetryAnswer(records[i].want)
		}
		first := a.First != hca.RetryFirstNone
		a.TimerOps(func(op hca.RetxOp) {
			w := timerAnswer(&a, &before, &op, first)
			all = append(all, crossed(op, w, armed, gen, late, known)...)
			armed, first = w.State, false
			gen++
		})
		if a.Why != hca.RetryNoQP {
			before = a
		}
	}
	return all
}

// crossed is an operation that meets a timer of a state and generation, and, with late, an answer behind it to the
// expiry that it crossed. known: the explorer's machine says what is answered.
func crossed(op hca.RetxOp, w hca.RetxAnswer, armed hca.RetxState, gen uint8, late, known bool) []timed {
	w.QPN, w.Changed = replayQPN, true
	answers := op.Op == hca.RetxTimeout || op.Op == hca.RetxResume
	stale := late && !answers && armed != hca.RetxIdle
	all := []timed{{op: op, want: &w}}
	if answers || stale {
		all[0].wait, all[0].expires = timerWait, true
	}
	if stale {
		behind := w
		behind.Exhausted, behind.Changed = false, false
		op.Gen, op.Op = gen, hca.RetxTimeout
		if armed == hca.RetxRNR {
			op.Op = hca.RetxResume
		}
		all = append(all, timed{op: op, want: &behind})
	}
	for i := range all {
		if !known {
			all[i].want = nil
		}
	}
	return all
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
	for name, late := range map[string]bool{"expiries that are answered": false, "expiries that are crossed": true} {
		t.Run(name, func(t *testing.T) {
			events := timerEvents(records, late)
			require.NoError(t, onTimer(t, "retx_timer", *replayOn, events))
			t.Logf("%d operations", len(events))
		})
	}
}
