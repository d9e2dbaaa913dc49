package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// exchangeOf adds a message of a kind and its answer, which counts so many.
func (k *talk) exchangeOf(kind ib.Operation, n *int32, msn uint32) {
	switch kind {
	case ib.SendFirst:
		k.say('A', ib.SendFirst, *n, nil)
		*n++
		k.say('A', ib.SendLast, *n, asks)
		k.say('B', ib.Ack, *n, counts(msn))
	case ib.ReadRequest:
		k.say('A', ib.ReadRequest, *n, func(s *wire.Spec) { s.DMALen, s.AckReq = 4, true })
		k.say('B', ib.ReadResponseOnly, *n, counts(msn))
	case ib.FetchAdd:
		k.say('A', ib.FetchAdd, *n, asks)
		k.say('B', ib.AtomicAck, *n, counts(msn))
	default:
		k.say('A', ib.SendOnly, *n, asks)
		k.say('B', ib.Ack, *n, counts(msn))
	}
	*n++
}

// The same queue pairs are connected anew, soon or late, with the next PSN or others: the count of messages begins
// again, and nobody is accused. Only the addresses are known, and the capture is whole.
func TestConnectedAnewWithoutManager(t *testing.T) {
	for _, pause := range []time.Duration{100 * time.Microsecond, 100 * time.Millisecond, 100 * time.Second} {
		for _, jump := range []int32{0, 1, 5000, -3} {
			for _, kind := range []ib.Operation{ib.SendOnly, ib.SendFirst, ib.ReadRequest, ib.FetchAdd} {
				for _, messages := range []uint32{2, 4, 70} {
					var k talk
					n := int32(0)
					for range 2 {
						for msn := uint32(1); msn <= messages; msn++ {
							k.exchangeOf(kind, &n, msn)
						}
						k.at += pause
						n += jump
					}
					for _, at := range places {
						r := judgeAt(t, k.list, at, true)
						require.Empty(t, r.Violations, "%v, %v, %v, %v at %q", pause, jump, kind, messages, at)
					}
				}
			}
		}
	}
}

// A connection that goes on is not taken for a new one: what breaks its order is certain.
func TestGoesOnIsNotAnew(t *testing.T) {
	for _, x := range []struct {
		what, at string
		rule     roce.Rule
		then     func(k *talk, n int32)
	}{
		{"PSNs are left out, and asked for", "10.1.0.1", "PSN-4", func(k *talk, n int32) {
			k.say('A', ib.SendOnly, n+5, asks)
			k.say('B', ib.Ack, n, refuses(4, ib.NAKSequence))
		}},
		{"PSNs are left out, and messages counted on", "10.1.0.1", "PSN-4", func(k *talk, n int32) {
			n += 5
			k.exchangeOf(ib.SendOnly, &n, 5)
			k.exchangeOf(ib.SendOnly, &n, 6)
		}},
		{"out of sequence, and taken", "10.1.0.2", "RSP-2", func(k *talk, n int32) {
			n += 5
			k.exchangeOf(ib.SendOnly, &n, 5)
			k.exchangeOf(ib.SendOnly, &n, 6)
		}},
		{"one count is wrong", "10.1.0.2", "RSP-11", func(k *talk, n int32) {
			k.exchangeOf(ib.SendOnly, &n, 1)
			k.exchangeOf(ib.SendOnly, &n, 6)
		}},
		{"a count that stays", "10.1.0.2", "RSP-11", func(k *talk, n int32) {
			k.exchangeOf(ib.SendOnly, &n, 4)
			k.exchangeOf(ib.SendOnly, &n, 4)
		}},
	} {
		var k talk
		n := int32(0)
		for msn := uint32(1); msn <= 4; msn++ {
			k.exchangeOf(ib.SendOnly, &n, msn)
		}
		x.then(&k, n)
		r := judgeAt(t, k.list, x.at, true)
		require.NotZero(t, r.Certain, "%s: %v", x.what, r.Violations)
		require.Equal(t, x.rule, r.Violations[0].Rule, x.what)
	}
}

// Nobody answers in UC: what is left out between two messages tells nothing for certain, what is left out within one
// does.
func TestAnewInUC(t *testing.T) {
	for _, within := range []bool{false, true} {
		var k talk
		say := func(op ib.Operation, n int32) {
			k.say('A', op, n, func(s *wire.Spec) { s.Opcode = ib.Join(ib.UC, op) })
		}
		say(ib.SendOnly, 0)
		say(ib.SendFirst, 1)
		if within {
			say(ib.SendLast, 7)
		} else {
			say(ib.SendLast, 2)
			say(ib.SendOnly, 7)
		}
		r := judgeAt(t, k.list, "10.1.0.1", true)
		require.Len(t, r.Violations, 1, "%v", within)
		require.Equal(t, within, r.Certain == 1, "%v", r.Violations)
	}
}

// Where nothing comes back nobody knows: the queue pairs may have been connected anew.
func TestNothingTellsOfAnew(t *testing.T) {
	var k talk
	n := int32(0)
	for msn := uint32(1); msn <= 4; msn++ {
		k.exchangeOf(ib.SendOnly, &n, msn)
	}
	k.say('A', ib.SendOnly, n+5, asks)
	r := judge(t, k.list, flow.Options{Profile: roce.Spec, At: "10.1.0.1", Complete: true, Scan: flow.ScanFrames(k.list)})
	require.Zero(t, r.Certain, fmt.Sprint(r.Violations))
	require.NotZero(t, r.Possible)
}

// The queue pairs that the sidecar describes are connected anew, behind silence or an error: the sidecar says nothing
// about what follows, and nobody is accused. A PSN far away in the midst of traffic is no new connection.
func TestConnectedAnewBesideASidecar(t *testing.T) {
	for _, x := range []struct {
		pause  time.Duration
		jump   int32
		fatal  bool
		broken bool
	}{
		{pause: 5 * time.Millisecond, jump: 698982},
		{pause: 2 * time.Second, jump: 698982},
		{pause: 5 * time.Millisecond, jump: -700000},
		{pause: 5 * time.Millisecond, jump: 698982, fatal: true},
		{pause: 10 * time.Microsecond, jump: 698982, broken: true},
	} {
		var k talk
		n := int32(0)
		for msn := uint32(1); msn <= 5; msn++ {
			k.exchangeOf(ib.SendOnly, &n, msn)
		}
		if x.fatal {
			k.say('A', ib.SendOnly, n, asks)
			k.say('B', ib.Ack, n, refuses(5, ib.NAKRemoteAccess))
			n++
		}
		k.at += x.pause
		n += x.jump
		for msn := uint32(1); msn <= 5; msn++ {
			k.say('A', ib.SendOnlyImm, n, func(s *wire.Spec) { s.AckReq, s.Immediate = true, uint32(n) })
			k.say('B', ib.Ack, n, counts(msn))
			n++
		}
		for _, at := range []string{"A", "B"} {
			s := builtSidecar()
			s.Recvs = nil
			r := judge(t, k.list, flow.Options{Profile: roce.Spec, Sidecar: s, At: at, Complete: true,
				Scan: flow.ScanFrames(k.list)})
			require.Equal(t, x.broken, len(r.Violations) > 0, "%+v at %s: %v", x, at, r.Violations)
			require.Equal(t, !x.broken, strings.Contains(fmt.Sprint(r.NotJudged), "1 connections by the sidecar"), x)
		}
	}
}
