package txn_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	. "hcacosim/model/falcon/txn"
	"hcacosim/model/falcon/wire"
)

// B case 47, FAL-T13, FAL-T14: RSN 1, 2 and 3 are with the ULP, which sends 2, 1 and 3 back; it gets 1, 2, then 3.
func TestRnrNackTestOrdered(t *testing.T) {
	s := newSide(Config{Ordered: true, FirstRSN: 1})
	s.receive(t, pull, 1)
	s.receive(t, push, 2)
	s.receive(t, push, 3)
	s.events()
	require.True(t, s.t.NotReady(2, 1000, &s.out))
	require.Equal(t, list("refuse Push Data, RSN 3: RNR", "refuse Push Data, RSN 2: RNR", "wait Push Data, RSN 2"),
		s.events())
	require.True(t, s.t.NotReady(1, 1000, &s.out))
	require.Equal(t, list("refuse Push Data, RSN 2: RNR", "refuse Push Data, RSN 3: RNR", "wait Pull Request, RSN 1"),
		s.events())
	require.False(t, s.t.NotReady(3, 1000, &s.out), "the ULP does not have it any more")
	require.False(t, s.t.Accept(3, &s.out))
	s.receive(t, push, 4)
	require.Equal(t, list("refuse Push Data, RSN 4: RNR"), s.events())
	s.t.Expire(2, &s.out)
	require.Empty(t, s.events(), "1 comes first")
	s.t.Receive(push, 3, 100, &s.out)
	require.Equal(t, list("refuse Push Data, RSN 3: RNR"), s.events(), "sent again too soon")
	s.t.Expire(1, &s.out)
	require.Equal(t, list("deliver Pull Request, RSN 1"), s.events(), "2 waits until the ULP has taken 1")
	require.True(t, s.t.Accept(1, &s.out))
	require.Equal(t, list("deliver Push Data, RSN 2", "deliver Push Data, RSN 3", "deliver Push Data, RSN 4"), s.events())
}

// FAL-T14: while RSN 2 is held the ULP takes 1, which came before it: 3 is refused all the same.
func TestRNRHeldBehindWhatIsTaken(t *testing.T) {
	s := newSide(Config{Ordered: true, FirstRSN: 1})
	s.receive(t, pull, 1)
	s.receive(t, push, 2)
	require.True(t, s.t.NotReady(2, 1000, &s.out))
	require.True(t, s.t.Accept(1, &s.out))
	s.events()
	s.receive(t, push, 3)
	require.Equal(t, list("refuse Push Data, RSN 3: RNR"), s.events())
}

// FAL-T13: on an unordered connection a request waits by itself; a push that is sent again ends its wait.
func TestRNRUnordered(t *testing.T) {
	s := newSide(Config{})
	s.receive(t, pull, 0)
	s.receive(t, push, 1)
	s.events()
	s.t.NotReady(0, 1000, &s.out)
	require.Equal(t, list("wait Pull Request, RSN 0"), s.events())
	s.t.NotReady(1, 1000, &s.out)
	require.Equal(t, list("refuse Push Data, RSN 1: RNR", "wait Push Data, RSN 1"), s.events())
	s.receive(t, push, 2)
	s.t.Receive(push, 1, 100, &s.out)
	require.Equal(t, list("deliver Push Data, RSN 2", "deliver Push Data, RSN 1"), s.events())
	s.t.Expire(1, &s.out)
	require.Empty(t, s.events(), "it is with the ULP")
	s.t.Expire(0, &s.out)
	require.Equal(t, list("deliver Pull Request, RSN 0"), s.events())
}

// FAL-T15, FAL-T16: what the ULP of the target may refuse, and how.
func TestDecline(t *testing.T) {
	for _, c := range []struct {
		kind falcon.Kind
		code wire.NackCode
		may  bool
		ends wire.Completion
	}{{push, wire.NackCIE, true, wire.CompletionTargetCIE}, {push, wire.NackNRE, true, wire.CompletionTargetNRE},
		{push, wire.NackInvalidCID, true, wire.CompletionTargetCID}, {push, wire.NackRNR, false, 0},
		{push, wire.NackResources, false, 0},
		{pull, wire.NackInvalidCID, true, 0}, {pull, wire.NackCIE, false, 0}, {pull, wire.NackNRE, false, 0}} {
		s := newSide(Config{Ordered: true})
		s.receive(t, c.kind, 0)
		s.receive(t, push, 1)
		s.events()
		require.Equal(t, c.may, s.t.Decline(0, c.code, 77, &s.out), "%v %v", wire.Type(c.kind), c.code)
		if !c.may {
			continue
		}
		require.Equal(t, uint32(1), s.pools.Used[NetworkRx].Packets)
		if c.kind == pull {
			require.Empty(t, s.events())
			continue
		}
		require.Equal(t, uint8(77), s.out[0].ULPCode)
		require.Equal(t, list("refuse Push Data, RSN 0: "+c.code.String()), s.events())
		s.t.Receive(push, 0, 100, &s.out)
		require.Equal(t, list("refuse Push Data, RSN 0: "+c.code.String()), s.events(), "said again")
		s.t.Resync(0, &s.out)
		require.Equal(t, NotHere, s.t.State(0))
		i := newSide(Config{Ordered: true})
		i.send(t, pull, push)
		i.Nacked(1, c.code, 77, &i.out)
		require.Empty(t, i.out, "in order")
		i.PullData(0, 100, &i.out)
		require.Equal(t, Event{What: Complete, Kind: push, RSN: 1, Code: c.ends, ULPCode: 77}, i.out[1])
		i.Acked(0, &i.out)
		require.NotZero(t, i.credit.Used, "its Resync is not acknowledged")
		i.Acked(1, &i.out)
		require.Zero(t, i.credit.Used)
		require.Len(t, i.out, 2, "once")
	}
}

// FAL-T15: NACKs that end nothing, and one that ends with a remote error.
func TestNacked(t *testing.T) {
	s := newSide(Config{})
	s.send(t, push)
	for _, c := range []wire.NackCode{wire.NackResources, wire.NackRNR, wire.NackPeerWindow} {
		s.Nacked(0, c, 0, &s.out)
		require.Empty(t, s.out)
	}
	s.Nacked(0, wire.NackXlr, 0, &s.out)
	require.Equal(t, list("complete Push Data, RSN 0: kCmplRemoteErr"), s.events())
}

// FAL-T17: a Resync of a request that never came, that waits, and that the ULP has.
func TestResyncAtTarget(t *testing.T) {
	s := newSide(Config{Ordered: true})
	s.receive(t, push, 1)
	s.receive(t, push, 3)
	s.receive(t, push, 4)
	s.t.Resync(0, &s.out)
	require.Equal(t, list("deliver Push Data, RSN 1"), s.events(), "what never came is passed over")
	s.t.Resync(3, &s.out)
	require.Equal(t, uint32(2), s.pools.Used[NetworkRx].Packets)
	s.t.Resync(1, &s.out)
	require.Empty(t, s.events())
	require.False(t, s.t.Accept(1, &s.out), "the ULP's answer goes nowhere")
	s.receive(t, push, 2)
	require.Equal(t, list("deliver Push Data, RSN 2", "deliver Push Data, RSN 4"), s.events())
	s.t.Accept(2, &s.out)
	s.t.Resync(2, &s.out)
	s.t.Accept(4, &s.out)
	require.Zero(t, s.pools.Used)
	b, n := s.t.RSNs()
	require.Equal(t, [2]uint32{5, 5}, [2]uint32{b, n})

	held := newSide(Config{Ordered: true})
	held.receive(t, push, 0)
	held.receive(t, pull, 1)
	held.t.NotReady(0, 1000, &held.out)
	held.events()
	held.t.Resync(0, &held.out)
	require.Equal(t, list("deliver Pull Request, RSN 1"), held.events(), "nothing waits for it any more")
}

// FAL-T18, FAL-T17: every error of the initiator, for pushes and pulls, before and behind their departure and in order.
func TestInitiatorErrors(t *testing.T) {
	for _, c := range []struct {
		kind    falcon.Kind
		why     Error
		ends    string
		replace string
	}{{push, TimedOut, "kCmplLocalTO", "transaction timed out"}, {pull, TimedOut, "kCmplLocalTO", "transaction timed out"},
		{push, LocalXlr, "kCmplLocalXlr", "local xLR"}, {pull, LocalXlr, "kCmplLocalXlr", "local xLR"},
		{push, Exhausted, "kCmplLocalTO", ""},
		{pull, Exhausted, "kCmplLocalTO", ""}, {pull, RemoteEnd, "kCmplRemoteErr", ""}, {push, RemoteEnd, "", ""}} {
		s := newSide(Config{Ordered: true})
		s.post(t, c.kind, 100)
		s.events()
		require.False(t, s.Fail(0, c.why, &s.out), "it has not left")
		s.Sent(0)
		require.Equal(t, c.ends != "", s.Fail(0, c.why, &s.out))
		if c.ends == "" {
			continue
		}
		name := map[falcon.Kind]string{push: "Push Data, RSN 0", pull: "Pull Request, RSN 0"}[c.kind]
		want := list("complete " + name + ": " + c.ends)
		if c.replace != "" {
			want = append(want, "replace "+name+": "+c.replace)
		}
		require.Equal(t, want, s.events())
		require.False(t, s.Fail(0, c.why, &s.out), "once")
		s.PullData(0, 100, &s.out)
		s.Acked(0, &s.out)
		require.Empty(t, s.out)
		require.Zero(t, s.credit.Used)
	}
	s := newSide(Config{})
	s.send(t, pull)
	s.Acked(0, &s.out)
	s.Fail(0, TimedOut, &s.out)
	require.Equal(t, list("complete Pull Request, RSN 0: kCmplLocalTO"), s.events(),
		"its packet is acknowledged: nothing to replace")
}

// FAL-T19.
func TestKill(t *testing.T) {
	s := newSide(Config{Ordered: true})
	s.send(t, pull, push, pull)
	s.post(t, push, 100)
	s.Acked(1, &s.out)
	s.PullData(2, 100, &s.out)
	s.receive(t, pull, 0)
	s.receive(t, push, 1)
	s.receive(t, push, 3)
	s.t.Respond(0, 100, &s.out)
	s.events()
	s.t.Kill()
	s.Kill(&s.out)
	require.Equal(t, list("complete Pull Request, RSN 0: kCmplDeadConn", "complete Push Data, RSN 1: kCmplAck",
		"complete Pull Request, RSN 2: kCmplAck",
		"complete Push Data, RSN 3: kCmplDeadConn"), s.events())
	require.Zero(t, s.pools.Used)
	require.Zero(t, s.credit.Used)
	_, p := s.Post(push, 1, &s.out)
	require.Equal(t, UlpFailed, p)
	require.Equal(t, list("complete Push Data, RSN 4: kCmplDeadConn"), s.events())
	s.t.Receive(push, 5, 100, &s.out)
	s.t.Resync(5, &s.out)
	require.Empty(t, s.out)
}

// order is how the scheduler sends what is queued, as connection and RSN; held packets may not leave.
func order(s *Scheduler, held map[Item]bool) (sent [][2]uint32) {
	for {
		c, it, ok := s.Next(func(_ int, it Item) bool { return !held[it] })
		if !ok {
			return sent
		}
		sent = append(sent, [2]uint32{uint32(c), it.RSN})
	}
}

// FAL-T10: two queues, connections in turn; what is held blocks its queue only.
func TestModeThreeQueues(t *testing.T) {
	items := []Item{{Kind: pull, RSN: 1}, {Kind: push, RSN: 2}, {Kind: reply, RSN: 3}, {Kind: pull, RSN: 4}}
	for _, c := range []struct {
		m          *mode.Mode
		all, freed [][2]uint32
	}{
		{&mode.Spec, [][2]uint32{{0, 1}, {1, 1}, {0, 3}, {1, 3}, {0, 2}, {1, 2}, {0, 4}, {1, 4}}, [][2]uint32{{0, 3},
			{1, 3}}},
		{&mode.Peer, [][2]uint32{{0, 1}, {0, 3}, {0, 2}, {1, 1}, {1, 3}, {1, 2}, {0, 4}, {1, 4}}, [][2]uint32{{0, 3}, {0, 2},
			{1, 3}, {1, 2}}},
	} {
		s := NewScheduler(&Config{Mode: c.m}, 2)
		for n := range 2 {
			for _, it := range items {
				s.Add(n, it)
			}
		}
		blocked := s.Clone()
		require.Equal(t, c.all, order(s, nil), c.m.Name)
		require.Equal(t, c.freed, order(blocked, map[Item]bool{items[0]: true}), c.m.Name)
		require.Equal(t, 4-len(c.freed)/2, blocked.Waiting(0))
		blocked.Drop(0)
		require.Zero(t, blocked.Waiting(0))
		require.False(t, slices.ContainsFunc(order(blocked, nil), func(p [2]uint32) bool { return p[0] == 0 }))
	}
}
