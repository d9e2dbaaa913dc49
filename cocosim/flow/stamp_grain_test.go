package flow_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// grainOf is what the first look learns of frames with these stamps.
func grainOf(stamps ...time.Duration) time.Duration {
	var list []vectors.Frame
	for _, at := range stamps {
		list = append(list, vectors.Frame{TimeNS: int64(time.Hour + at), Link: wire.LinkEthernet})
	}
	return time.Duration(flow.ScanFrames(list).StampGrainNS())
}

// How coarse stamps are shows in many that are the same and in steps that are multiples of one; single frames that are
// the same, or lie far apart, show nothing.
func TestStampGrain(t *testing.T) {
	const ms, us = time.Millisecond, time.Microsecond
	require.Equal(t, 10*ms, grainOf(0, 0, 0, 10*ms, 10*ms, 40*ms, 60*ms, 60*ms))
	require.Equal(t, 10*ms, grainOf(0, 0, 0, 20*ms, 20*ms, 50*ms, 70*ms, 70*ms), "no two neighbours are a step apart")
	require.InDelta(t, 16667*us, grainOf(0, 0, 0, 16667*us, 16667*us, 50000*us, 66667*us, 66667*us), float64(2*us))
	require.Zero(t, grainOf(0, 10*ms, 20*ms, 30*ms, 50*ms), "nothing has the same")
	require.Zero(t, grainOf(0, 0, 0, 0, 10*ms, 20*ms), "few steps")
	require.Less(t, grainOf(0, 0, 0, 0, 10*ms, 23*ms, 40*ms+37*us, 50*ms), 50*us)
	require.Zero(t, (*flow.Scan)(nil).StampGrainNS())
}

// By stamps of a coarse clock no wait is too short that may have been long enough (TMR-5, TMR-1), and one that was not
// is: 640 us are less than a step, and 50 ms, less than 655 ms, are more.
func TestCoarseStampsShortenNoWait(t *testing.T) {
	for _, c := range []struct {
		code  uint8 // of the RNR NAK
		waits time.Duration
		step  time.Duration
		wrong bool
	}{{12, 20 * time.Microsecond, time.Microsecond, true}, {12, 20 * time.Microsecond, 15625 * time.Microsecond, false},
		{0, 50 * time.Millisecond, 15625 * time.Microsecond, true}} {
		var d dialog
		at := time.Duration(0)
		say := func(from byte, s wire.Spec, payload []byte) {
			at += 20 * time.Microsecond
			d.say(from, at/c.step*c.step, s, payload)
		}
		send := func(n int32) {
			say('A', wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: psn.PSN(builtPSN).Add(n), AckReq: true}, []byte("1234"))
		}
		answer := func(n int32, with ib.Syndrome, msn int32) {
			say('B', wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: psn.PSN(builtPSN).Add(n), Syndrome: with,
				MSN: uint32(msn)}, nil)
		}
		for n := int32(0); n < 8; n++ {
			send(n)
			answer(n, 0x20|ib.Syndrome(c.code), n)
			at += c.waits
			send(n)
			answer(n, 31, n+1)
			at += 20 * time.Millisecond
		}
		for _, place := range slices.Concat(places, []string{"A"}) {
			opt := flow.Options{Profile: roce.Spec, At: place, Scan: flow.ScanFrames(d.list)}
			if place == "A" {
				opt.Sidecar = builtSidecar()
			}
			r := judge(t, d.list, opt)
			rules := map[roce.Rule]bool{}
			for _, x := range r.Violations {
				rules[x.Rule] = true
			}
			require.Equal(t, c.wrong && place != "10.1.0.2", rules["TMR-5"], "%+v at %q: %v", c, place, r.Violations)
			require.False(t, rules["TMR-1"], "%+v at %q: %v", c, place, r.Violations)
		}
	}
}
