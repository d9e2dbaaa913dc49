package txn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/swift"
	. "hcacosim/model/falcon/txn"
	"hcacosim/model/falcon/wire"
)

const (
	pull  = falcon.PullRequest
	reply = falcon.PullData
	push  = falcon.PushData
)

// side is one end of a connection with pools of its own.
type side struct {
	cfg    Config
	pools  Pools
	credit Credits
	*Initiator
	t   *Target
	out Batch
}

func newSide(cfg Config) *side {
	s := &side{cfg: cfg}
	if s.cfg.Mode == nil {
		s.cfg.Mode = &mode.Spec
	}
	if s.cfg.Outstanding == 0 {
		s.cfg.Outstanding = 16
	}
	s.cfg.CellBytes = 64
	for r := range s.pools.Size {
		s.pools.Size[r] = Amount{100, 100}
	}
	s.pools.Green = Amount{80, 80}
	for r := range s.credit.Limit {
		s.credit.Limit[r] = Amount{100, 100}
	}
	s.Initiator, s.t = NewInitiator(&s.cfg, &s.pools, &s.credit), NewTarget(&s.cfg, &s.pools, &s.credit)
	return s
}

// events are what happened since the last call, in words.
func (s *side) events() (list []string) {
	for _, e := range s.out {
		text := e.String()
		switch {
		case e.What == Complete:
			text += ": " + e.Code.Name(&mode.Spec)
		case e.What == Refuse:
			text += ": " + e.Nack.String()
		case e.What == Replace:
			text += ": " + e.Resync.String()
		}
		list = append(list, text)
	}
	s.out = nil
	return list
}

func (s *side) post(t *testing.T, kind falcon.Kind, length uint32) uint32 {
	rsn, p := s.Post(kind, length, &s.out)
	require.Equal(t, Accepted, p)
	return rsn
}

// send posts and sends.
func (s *side) send(t *testing.T, kinds ...falcon.Kind) {
	for _, k := range kinds {
		s.Sent(s.post(t, k, 100))
	}
	s.events()
}

func (s *side) receive(t *testing.T, kind falcon.Kind, rsn uint32) {
	require.Zero(t, s.t.CanTake(wire.Type(kind), rsn, 100))
	s.t.Receive(kind, rsn, 100, &s.out)
}

func list(of ...string) []string { return of }

// FAL-T1: pushes and pulls share the RSNs, over the wrap.
func TestRSNs(t *testing.T) {
	s := newSide(Config{FirstRSN: 0xFFFFFFFF})
	require.Equal(t, uint32(0xFFFFFFFF), s.post(t, push, 1))
	require.Equal(t, uint32(0), s.post(t, pull, 1))
	require.Equal(t, list("queue Push Data, RSN 4294967295", "queue Pull Request, RSN 0"), s.events())
	for _, rsn := range []uint32{0xFFFFFFFF, 0} {
		require.NotEqual(t, NoTransaction, s.State(rsn), "RSN %d", rsn)
	}
	for _, rsn := range []uint32{0xFFFFFFFE, 1} {
		require.Equal(t, NoTransaction, s.State(rsn), "RSN %d", rsn)
	}
	s.receive(t, pull, 0xFFFFFFFF)
	s.receive(t, push, 0)
	require.True(t, s.t.Accept(0xFFFFFFFF, &s.out))
	require.True(t, s.t.Accept(0, &s.out))
	b, n := s.t.RSNs()
	require.Equal(t, [2]uint32{1, 1}, [2]uint32{b, n})
}

// FAL-T1.
func TestModePushDataRSNOfPull(t *testing.T) {
	for _, set := range []bool{false, true} {
		m := mode.Spec
		m.PushDataRSNOfPull = set
		s := newSide(Config{Mode: &m})
		s.post(t, pull, 1)
		s.post(t, push, 1)
		require.Equal(t, map[bool]uint32{false: 1, true: 0}[set], s.out[1].RSN)
	}
}

// FAL-T2, FAL-T3, FAL-T12: every state in its turn.
func TestStates(t *testing.T) {
	s := newSide(Config{Ordered: true})
	s.post(t, pull, 100)
	require.Equal(t, PullReqUlpRx, s.State(0))
	s.Sent(0)
	require.Equal(t, PullReqTx, s.State(0))
	s.Acked(0, &s.out)
	require.Equal(t, PullReqAckd, s.State(0))
	s.post(t, push, 100)
	require.Equal(t, PushReqUlpRx, s.State(1))
	s.Sent(1)
	require.Equal(t, PushDataTx, s.State(1))
	s.Acked(1, &s.out)
	require.Equal(t, PushDataAckd, s.State(1), "the pull before it is not completed")
	s.events()
	require.Equal(t, DataTaken, s.PullData(0, 100, &s.out))
	require.Equal(t, list("complete Pull Request, RSN 0: kCmplAck", "complete Push Data, RSN 1: kCmplAck"), s.events())
	require.Equal(t, NoTransaction, s.State(0))

	s.receive(t, push, 1)
	require.Equal(t, PushDataRx, s.t.State(1), "RSN 0 has not come")
	s.receive(t, pull, 0)
	require.Equal(t, PullReqUlpTx, s.t.State(0))
	require.Equal(t, PushReqUlpTx, s.t.State(1))
	require.True(t, s.t.Accept(0, &s.out))
	require.Equal(t, PullReqUlpAckd, s.t.State(0))
	s.events()
	require.True(t, s.t.Accept(1, &s.out))
	require.Equal(t, list("acknowledge Push Data, RSN 1"), s.events())
	require.Equal(t, PushReqUlpAckd, s.t.State(1))
	require.Equal(t, Accepted, s.t.Respond(0, 100, &s.out))
	require.Equal(t, PullDataUlpRx, s.t.State(0))
	s.t.Sent(0)
	require.Equal(t, PullDataTx, s.t.State(0))
	s.t.Acked(0)
	require.Equal(t, NotHere, s.t.State(0))
	require.Zero(t, s.pools.Used)
	require.Zero(t, s.credit.Used)
}

// A pull may be answered before the ULP says that it took it: that is the same (FAL-T3).
func TestAnswerTakesRequest(t *testing.T) {
	s := newSide(Config{Ordered: true})
	s.receive(t, pull, 0)
	require.Equal(t, Accepted, s.t.Respond(0, 100, &s.out))
	require.False(t, s.t.Accept(0, &s.out))
	require.Zero(t, s.pools.Used[NetworkRx])
	require.Equal(t, UlpFailed, s.t.Respond(0, 100, &s.out), "twice")
	require.Equal(t, UlpFailed, s.t.Respond(9, 100, &s.out), "never asked")
}

// FAL-T4: completions of an unordered connection come as they do.
func TestUnordered(t *testing.T) {
	s := newSide(Config{})
	s.send(t, pull, push)
	s.Acked(1, &s.out)
	require.Equal(t, list("complete Push Data, RSN 1: kCmplAck"), s.events())
	b, _ := s.Initiator.RSNs()
	require.Zero(t, b)
	s.PullData(0, 100, &s.out)
	require.Equal(t, list("complete Pull Request, RSN 0: kCmplAck"), s.events())
	b, n := s.Initiator.RSNs()
	require.Equal(t, [2]uint32{2, 2}, [2]uint32{b, n})
	s.receive(t, push, 3)
	s.receive(t, pull, 0)
	require.Equal(t, list("deliver Push Data, RSN 3", "deliver Pull Request, RSN 0"), s.events())
}

// FAL-T5, FAL-T6: what a push, a pull and Pull Data of 100 bytes hold, with cells of 64.
func TestNeeds(t *testing.T) {
	c := Config{Mode: &mode.Spec, CellBytes: 64}
	require.Equal(t, Needs{RequestTx: {1, 2}, RequestRx: {1, 0}, NetworkRx: {1, 2}}, c.Needs(push, 100))
	require.Equal(t, Needs{RequestTx: {1, 1}, RequestRx: {1, 2}, NetworkRx: {1, 1}}, c.Needs(pull, 100))
	require.Equal(t, Needs{DataTx: {1, 2}}, c.Needs(reply, 100))
	require.Equal(t, Needs{RequestTx: {1, 0}, RequestRx: {1, 0}, NetworkRx: {1, 0}}, c.Needs(push, 0))
	require.Equal(t, Amount{1, 1}, c.Needs(push, 64)[RequestTx])
}

// FAL-T6.
func TestModeContextInCredits(t *testing.T) {
	m := mode.Spec
	m.ContextInCredits = true
	c := Config{Mode: &m, CellBytes: 64, ContextBytes: 80}
	require.Equal(t, Amount{1, 2}, c.Needs(push, 0)[NetworkRx])
	require.Equal(t, Amount{1, 2}, c.Needs(pull, 0)[NetworkRx])
	m.ContextInCredits = false
	require.Equal(t, Amount{1, 0}, c.Needs(push, 0)[NetworkRx])
	require.Equal(t, Amount{1, 1}, c.Needs(pull, 0)[NetworkRx])
}

// FAL-T5: what is held when; nothing in the end.
func TestHolds(t *testing.T) {
	s := newSide(Config{Ordered: true, Flow: true})
	s.send(t, pull, push)
	require.Equal(t, [3]Amount{{2, 3}, {2, 2}, {}}, s.credit.Used)
	s.Acked(0, &s.out)
	require.Equal(t, [3]Amount{{1, 2}, {2, 2}, {}}, s.credit.Used, "Tx of the pull is free")
	s.Acked(1, &s.out)
	require.Equal(t, [3]Amount{{}, {2, 2}, {}}, s.credit.Used, "no completion yet")
	s.PullData(0, 100, &s.out)
	require.Zero(t, s.credit.Used)
	s.receive(t, pull, 0)
	require.Equal(t, Amount{1, 1}, s.pools.Used[NetworkRx])
	s.t.Accept(0, &s.out)
	require.Zero(t, s.pools.Used[NetworkRx])
	s.t.Respond(0, 100, &s.out)
	require.Equal(t, Amount{1, 2}, s.credit.Used[DataTx])
	s.t.Sent(0)
	s.t.Acked(0)
	require.Zero(t, s.pools.Used)
}

// FAL-T5: a pull that has its data holds Tx, and its RSN, until its packet is acknowledged: no other takes its place.
func TestOutstandingFromWhatHolds(t *testing.T) {
	s := newSide(Config{Flow: true})
	s.send(t, pull)
	require.Equal(t, DataTaken, s.PullData(0, 100, &s.out))
	for rsn := range uint32(15) {
		require.Equal(t, rsn+1, s.post(t, push, 100))
	}
	_, p := s.Post(push, 100, &s.out)
	require.Equal(t, UlpWaits, p, "RSNs 0 to 15 are outstanding")
	s.Acked(0, &s.out)
	require.Equal(t, Amount{15, 30}, s.credit.Used[RequestTx], "of the pushes")
	require.Equal(t, uint32(16), s.post(t, push, 100))
}

// FAL-T7: without credits the ULP waits, or is refused; a limit of the connection or of the device.
func TestCredits(t *testing.T) {
	for _, device := range []bool{false, true} {
		for _, flow := range []bool{true, false} {
			for r := range NetworkRx {
				s := newSide(Config{Flow: flow})
				limit := &s.credit.Limit[r]
				if device {
					limit = &s.pools.Size[r]
				}
				limit.Packets = 1
				if r == DataTx {
					s.receive(t, pull, 0)
					s.receive(t, pull, 1)
					require.Equal(t, Accepted, s.t.Respond(0, 100, &s.out))
					require.Equal(t, UlpWaits, s.t.Respond(1, 100, &s.out))
					continue
				}
				s.send(t, push)
				used := s.pools.Used
				_, p := s.Post(push, 100, &s.out)
				require.Equal(t, map[bool]Posted{true: UlpWaits, false: UlpFailed}[flow], p)
				require.Equal(t, used, s.pools.Used)
				if flow {
					require.Empty(t, s.events())
				} else {
					require.Equal(t, list("complete Push Data, RSN 1: kCmplLocalRsrc"), s.events())
				}
				s.Acked(0, &s.out)
				require.Equal(t, uint32(1), s.post(t, push, 100), "what is freed can be had again")
			}
		}
	}
}

// FAL-T8: M case 45. Green up to 25 of 60 cells, in the mode peer yellow up to 40.
func TestFalconNetworkRequestPrioritization(t *testing.T) {
	for _, m := range []*mode.Mode{&mode.Spec, &mode.Peer} {
		for _, c := range []struct {
			used                                uint32
			any, headOfPushRequest, headOfOther bool
		}{{24, true, true, true}, {25, true, true, true}, {26, false, true, true}, {40, false, true, true},
			{41, false, m == &mode.Spec, true}} {
			p := Pools{Green: Amount{100, 25}, Yellow: Amount{100, 40}}
			p.Used[NetworkRx].Cells = c.used
			require.Equal(t, c.any, p.Admits(m, wire.PushData, false), "%s %d", m.Name, c.used)
			require.Equal(t, c.any, p.Admits(m, wire.PullRequest, false))
			require.Equal(t, c.headOfPushRequest, p.Admits(m, wire.PeerPushRequest, true), "%s %d", m.Name, c.used)
			require.Equal(t, c.headOfOther, p.Admits(m, wire.PushData, true))
			require.Equal(t, c.headOfOther, p.Admits(m, wire.PullRequest, true))
		}
	}
}

// FAL-T8.
func TestModeYellowZone(t *testing.T) {
	p := Pools{Green: Amount{1, 1}, Yellow: Amount{2, 2}}
	for used, want := range map[uint32][2]Zone{1: {Green, Green}, 2: {Red, Yellow}, 3: {Red, Red}} {
		p.Used[NetworkRx] = Amount{Packets: used}
		require.Equal(t, want, [2]Zone{p.Zone(&mode.Spec), p.Zone(&mode.Peer)})
	}
}

// M case 46: averages with weight 1/2 of (25, 1) and then (50, 2); of 15, 30 and 45 the average reaches two (FAL-C14).
func TestNetworkRegionEMACalculation(t *testing.T) {
	cells, packets := swift.Occupancy{Shift: 1}, swift.Occupancy{Shift: 1}
	cells.Sample(25, &mode.Peer)
	packets.Sample(1, &mode.Peer)
	require.Equal(t, [2]float64{25, 1}, [2]float64{cells.Average, packets.Average})
	cells.Sample(50, &mode.Peer)
	packets.Sample(2, &mode.Peer)
	require.Equal(t, [2]float64{37.5, 1.5}, [2]float64{cells.Average, packets.Average})
	var th swift.Thresholds
	for n := range th {
		th[n] = 15 * float64(n+1)
	}
	require.Equal(t, uint8(2), swift.BufferLevel(&packets, &cells, &th, &th))
}

// FAL-T8: what is refused for resources, at which head of line.
func TestCanTake(t *testing.T) {
	for _, ordered := range []bool{true, false} {
		s := newSide(Config{Ordered: ordered})
		s.pools.Size[NetworkRx], s.pools.Green = Amount{3, 6}, Amount{}
		s.receive(t, push, 1)
		require.Equal(t, wire.NackResources, s.t.CanTake(wire.PushData, 2, 100), "red, and not the head")
		require.Zero(t, s.t.CanTake(wire.PushData, 1, 100), "holds its resources")
		require.Zero(t, s.t.CanTake(wire.PullData, 9, 100))
		require.Zero(t, s.t.CanTake(wire.Resync, 2, 0))
		require.Equal(t, wire.NackResources, s.t.CanTake(wire.Resync, 16, 0), "too far ahead to be counted")
		require.Equal(t, wire.NackResources, s.t.CanTake(wire.PushData, 0, 300), "does not fit")
		s.receive(t, push, 0)
		s.t.Accept(0, &s.out)
		want := wire.NackCode(0)
		if !ordered { // BRSN is 1, which holds its resources
			want = wire.NackResources
		}
		s.t.Receive(pull, 2, 100, &s.out)
		require.Equal(t, want, s.t.CanTake(wire.PushData, 3, 100))
	}
}

// FAL-T9: the least legal pools of requests up to 100 bytes, two cells.
func TestLegal(t *testing.T) {
	s := newSide(Config{})
	s.pools = Pools{Size: [4]Amount{RequestTx: {1, 2}, RequestRx: {1, 2}, DataTx: {1, 2}, NetworkRx: {4, 7}},
		Green: Amount{2, 3}}
	require.True(t, s.pools.Legal(&s.cfg, 100))
	for r := range s.pools.Size {
		for _, less := range []Amount{{1, 0}, {0, 1}} {
			p := s.pools
			p.Size[r].Packets -= less.Packets
			p.Size[r].Cells -= less.Cells
			require.False(t, p.Legal(&s.cfg, 100), "%d %v", r, less)
		}
	}
}

// FAL-T11, by mode ShortPullData.
func TestModeShortPullData(t *testing.T) {
	for _, c := range []struct {
		length  uint32
		verdict DataVerdict
		short   DataVerdict
		code    wire.Completion
	}{{100, DataTaken, DataTaken, wire.CompletionAck}, {99, DataWrongLength, DataTaken, wire.CompletionAck},
		{0, DataTaken, DataTaken, wire.CompletionAck},
		{101, DataTooLong, DataTooLong, wire.CompletionOperationError}} {
		for _, short := range []bool{false, true} {
			m := mode.Spec
			m.ShortPullData = short
			s := newSide(Config{Mode: &m})
			s.send(t, pull)
			want := map[bool]DataVerdict{false: c.verdict, true: c.short}[short]
			require.Equal(t, want, s.PullData(0, c.length, &s.out), "%d", c.length)
			if want == DataWrongLength {
				require.Empty(t, s.out)
				continue
			}
			require.Equal(t, c.code, s.out[0].Code)
			require.Equal(t, DataUnasked, s.PullData(0, c.length, &s.out), "twice")
		}
	}
	s := newSide(Config{})
	s.send(t, push)
	s.post(t, pull, 100)
	require.Equal(t, DataUnasked, s.PullData(0, 100, &s.out), "a push")
	require.Equal(t, DataUnasked, s.PullData(1, 100, &s.out), "not sent yet")
	require.Equal(t, DataUnasked, s.PullData(2, 100, &s.out), "never asked")
}

// FAL-T12.
func TestModePullDataAcks(t *testing.T) {
	for _, set := range []bool{false, true} {
		m := mode.Spec
		m.PullDataAcks = set
		s := newSide(Config{Mode: &m})
		s.send(t, pull)
		s.PullData(0, 100, &s.out)
		require.Equal(t, set, s.credit.Used[RequestTx] == Amount{})
		s.Acked(0, &s.out)
		require.Zero(t, s.credit.Used)
	}
}

// FAL-T12.
func TestModePullReqAckKeepsState(t *testing.T) {
	for set, want := range map[bool]InitiatorState{false: PullReqAckd, true: PullReqTx} {
		m := mode.Spec
		m.PullReqAckKeepsState = set
		s := newSide(Config{Mode: &m})
		s.send(t, pull)
		s.Acked(0, &s.out)
		require.Equal(t, want, s.State(0))
		require.Equal(t, DataTaken, s.PullData(0, 100, &s.out))
	}
}

// B case 48, FAL-T4: 1, then 3 and 4, which are held, then 2: 1, 2, 3, 4.
func TestTargetRsnOrder(t *testing.T) {
	s := newSide(Config{Ordered: true, FirstRSN: 1})
	s.receive(t, push, 1)
	require.Equal(t, list("deliver Push Data, RSN 1"), s.events())
	s.receive(t, pull, 3)
	s.receive(t, push, 4)
	require.Empty(t, s.events())
	s.receive(t, push, 2)
	require.Equal(t, list("deliver Push Data, RSN 2", "deliver Pull Request, RSN 3", "deliver Push Data, RSN 4"),
		s.events())
}

// FAL-T20: worked examples and the ends of the lengths.
func TestRDMA(t *testing.T) {
	for _, c := range []struct {
		v       Verb
		bytes   uint32
		kind    falcon.Kind
		lengths []uint32
	}{{Write, 10000, push, []uint32{4096, 4096, 1808}}, {Write, 0, push, []uint32{0}}, {Send, 4096, push, []uint32{4096}},
		{Read, 8192, pull, []uint32{4096, 4096}}, {Read, 1, pull, []uint32{1}}, {Atomic, 8, pull, []uint32{8}}} {
		kind, n := c.v.Transaction(c.bytes, 4096)
		var lengths []uint32
		for i := range n {
			lengths = append(lengths, c.v.Length(c.bytes, 4096, i))
		}
		require.Equal(t, c.kind, kind)
		require.Equal(t, c.lengths, lengths)
	}
	_, n := Write.Transaction(1<<32-1, 4096)
	require.Equal(t, uint32(1<<20), n)
	o := Operation{FirstRSN: 0xFFFFFFFF, Number: 4}
	require.True(t, o.Has(2) && !o.Has(3) && !o.Has(0xFFFFFFFE))
	require.False(t, o.Completed(&Event{RSN: 1, Code: wire.CompletionRemoteError}))
	require.False(t, o.Completed(&Event{RSN: 0xFFFFFFFF, Code: wire.CompletionTargetCIE, ULPCode: 9}))
	require.False(t, o.Completed(&Event{RSN: 2, Code: wire.CompletionTargetNRE}))
	require.True(t, o.Completed(&Event{RSN: 0}))
	require.Equal(t, fmt.Sprint(wire.CompletionTargetCIE, 9), fmt.Sprint(o.Code, o.ULPCode))
}
