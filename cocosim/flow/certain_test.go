package flow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// keyed is what a WRITE or READ of the region at B has, misKeyed the same with a key that there is not.
func keyed(s *wire.Spec)    { s.VA, s.RKey, s.DMALen, s.AckReq = 0x1000, builtKey, 4, true }
func misKeyed(s *wire.Spec) { s.VA, s.RKey, s.DMALen, s.AckReq = 0x1000, 0x99, 4, true }

// begins is a WRITE that is acknowledged.
func (k *talk) begins() {
	k.say('A', ib.WriteOnly, 0, keyed)
	k.say('B', ib.Ack, 0, counts(1))
}

// judgedAt is a whole capture at an end, with its sidecar or by the address.
func judgedAt(t *testing.T, k *talk, at string, profile roce.Profile) *flow.Report {
	opt := flow.Options{Profile: profile, At: at, Complete: true, Scan: flow.ScanFrames(k.list)}
	if at == "A" || at == "B" {
		opt.Sidecar = builtSidecar()
		opt.Sidecar.B.Access = uint16(roce.RemoteRead | roce.RemoteWrite)
	}
	return judge(t, k.list, opt)
}

// oneFinding is the one certain finding that there is.
func oneFinding(t *testing.T, r *flow.Report, packet int, rule roce.Rule, what string) {
	require.Len(t, r.Violations, 1, "%s: %v", what, r.Violations)
	x := r.Violations[0]
	require.True(t, x.Certain(), "%s: %v", what, x)
	require.EqualValues(t, packet, x.Packet, "%s: %v", what, x)
	require.Equal(t, rule, x.Rule, "%s: %v", what, x)
}

// A responder that sent a NAK which ends the connection answers nothing any more, whatever it is (RSP-15).
func TestAnswersBehindTheLastNAK(t *testing.T) {
	for _, x := range []struct {
		what string
		then func(k *talk)
	}{
		{"what was refused", func(k *talk) { k.say('B', ib.Ack, 1, counts(2)) }},
		{"what was acknowledged before", func(k *talk) { k.say('B', ib.Ack, 0, counts(1)) }},
		{"what came behind it", func(k *talk) { k.say('B', ib.Ack, 2, counts(3)) }},
		{"each of several", func(k *talk) {
			k.say('B', ib.Ack, 1, counts(2))
			k.say('B', ib.Ack, 2, counts(3))
		}},
		{"a NAK of what came behind it", func(k *talk) { k.say('B', ib.Ack, 2, refuses(1, ib.NAKRemoteAccess)) }},
	} {
		for _, at := range []string{"B", "10.1.0.2"} {
			var k talk
			k.begins()
			k.say('A', ib.WriteOnly, 1, misKeyed)
			k.say('A', ib.WriteOnly, 2, keyed)
			k.say('B', ib.Ack, 1, refuses(1, ib.NAKRemoteAccess))
			require.Empty(t, judgedAt(t, &k, at, roce.Spec).Violations)
			x.then(&k)
			oneFinding(t, judgedAt(t, &k, at, roce.Spec), 6, "RSP-15", x.what+" at "+at)
		}
	}
}

// A requester that goes on with new requests long behind a sequence NAK, and does not go back, is told of once (REQ-4).
func TestSequenceNAKIsIgnored(t *testing.T) {
	for _, pause := range []time.Duration{time.Millisecond, 50 * time.Millisecond} {
		for _, back := range []bool{false, true} {
			for _, at := range []string{"A", "10.1.0.1"} {
				var k talk
				k.begins()
				k.say('A', ib.WriteOnly, 1, keyed)
				k.say('A', ib.WriteOnly, 2, keyed)
				k.say('B', ib.Ack, 1, refuses(1, ib.NAKSequence))
				if back {
					k.say('A', ib.WriteOnly, 1, keyed)
					k.say('A', ib.WriteOnly, 2, keyed)
				}
				for n := range int32(3) {
					k.at += pause
					k.say('A', ib.WriteOnly, 3+n, keyed)
				}
				if r := judgedAt(t, &k, at, roce.Spec); back || pause < 20*time.Millisecond {
					require.Empty(t, r.Violations)
				} else {
					oneFinding(t, r, 6, "REQ-4", at)
				}
			}
		}
	}
}

// New requests behind a NAK that ended the connection are one finding, however many pauses lie between them.
func TestPausesAreOneFinding(t *testing.T) {
	for _, at := range []string{"A", "10.1.0.1"} {
		var k talk
		k.begins()
		k.say('A', ib.WriteOnly, 1, misKeyed)
		k.say('B', ib.Ack, 1, refuses(1, ib.NAKRemoteAccess))
		for n := range int32(4) {
			k.at += 30 * time.Millisecond
			k.say('A', ib.WriteOnly, 2+n, keyed)
		}
		oneFinding(t, judgedAt(t, &k, at, roce.Spec), 5, "REQ-4", at)
	}
}

// A sequence NAK with a wrong PSN, or before the answer to a READ, is one finding: what follows from it is none.
func TestWrongSequenceNAKIsOneFinding(t *testing.T) {
	for _, x := range []struct {
		what string
		rule roce.Rule
		at   int
		talk func(k *talk)
	}{
		{"names a PSN behind the one that is missing", "RSP-2", 4, func(k *talk) {
			k.say('A', ib.WriteOnly, 2, keyed)
			k.say('B', ib.Ack, 2, refuses(1, ib.NAKSequence))
			k.say('A', ib.WriteOnly, 1, keyed)
			k.say('B', ib.Ack, 1, counts(2))
		}},
		{"names a PSN before the one that is missing", "RSP-2", 4, func(k *talk) {
			k.say('A', ib.WriteOnly, 2, keyed)
			k.say('B', ib.Ack, 0, refuses(1, ib.NAKSequence))
			k.say('A', ib.WriteOnly, 1, keyed)
			k.say('B', ib.Ack, 1, counts(2))
		}},
		{"names a READ that is answered behind it", "RSP-2", 5, func(k *talk) {
			k.say('A', ib.ReadRequest, 1, keyed)
			k.say('A', ib.WriteOnly, 3, keyed)
			k.say('B', ib.Ack, 1, refuses(1, ib.NAKSequence))
			k.say('B', ib.ReadResponseOnly, 1, counts(2))
			k.say('A', ib.WriteOnly, 2, keyed)
			k.say('B', ib.Ack, 2, counts(3))
		}},
		{"passes a READ that is answered behind it", "RSP-13", 5, func(k *talk) {
			k.say('A', ib.ReadRequest, 1, keyed)
			k.say('A', ib.WriteOnly, 3, keyed)
			k.say('B', ib.Ack, 2, refuses(1, ib.NAKSequence))
			k.say('B', ib.ReadResponseOnly, 1, counts(2))
			k.say('A', ib.WriteOnly, 2, keyed)
			k.say('B', ib.Ack, 2, counts(3))
		}},
	} {
		for _, at := range []string{"B", "10.1.0.2"} {
			for _, p := range []roce.Profile{roce.Spec, roce.Rxe} {
				var k talk
				k.begins()
				x.talk(&k)
				r := judgedAt(t, &k, at, p)
				oneFinding(t, r, x.at, x.rule, x.what+" at "+at+", "+p.Name)
				require.NotContains(t, r.Violations[0].Text, "nothing is missing")
			}
		}
	}
}

// An RNR NAK of a request that takes no receive WQE (RSP-9): certain where the sidecar tells of the memory, possible
// where nobody did, and right where it is paged on demand.
func TestRNRWithoutReceive(t *testing.T) {
	for _, op := range []ib.Operation{ib.WriteOnly, ib.ReadRequest} {
		for _, x := range []struct {
			what, at          string
			certain, possible uint64
			change            func(s *flow.Sidecar)
		}{
			{"all told", "B", 1, 0, func(*flow.Sidecar) {}},
			{"receive WQEs and memory not told", "B", 0, 1, func(s *flow.Sidecar) { s.Recvs = nil }},
			{"told, and more READs than are kept", "B", 1, 0, func(s *flow.Sidecar) { s.B.MaxDestRd = 32 }},
			{"paged on demand", "B", 0, 0, func(s *flow.Sidecar) { s.B.Access |= uint16(roce.OnDemand) }},
			{"by the address", "10.1.0.2", 0, 1, nil},
		} {
			var k talk
			k.begins()
			for n := range int32(3) {
				for _, answer := range []func(*wire.Spec){refuses(uint32(n)+1, 0x21), counts(uint32(n) + 2)} {
					k.say('A', op, n+1, keyed)
					k.say('B', ib.Ack, n+1, answer)
				}
				if op == ib.ReadRequest { // the READ response takes the place of the ACK
					k.list = k.list[:len(k.list)-1]
					k.say('B', ib.ReadResponseOnly, n+1, counts(uint32(n)+2))
				}
				k.at += time.Second
			}
			opt := flow.Options{Profile: roce.Spec, At: x.at, Complete: true, Scan: flow.ScanFrames(k.list)}
			if x.change != nil {
				opt.Sidecar = builtSidecar()
				opt.Sidecar.B.Access = uint16(roce.RemoteRead | roce.RemoteWrite)
				x.change(opt.Sidecar)
			}
			r := judge(t, k.list, opt)
			require.Equal(t, x.certain > 0, r.Certain > 0, "%v, %s: %v", op, x.what, r.Violations)
			require.Equal(t, x.possible, r.Possible, "%v, %s: %v", op, x.what, r.Violations)
			for _, v := range r.Violations {
				require.EqualValues(t, "RSP-9", v.Rule, "%v, %s: %v", op, x.what, v)
			}
		}
	}
}

// What a host sends itself is sent and received by one end: it is not judged at the end, and that is said; on the wire
// it is.
func TestHostThatTalksToItself(t *testing.T) {
	var k talk
	k.begins()
	k.list = rewritten(k.list, everyFrame, func(w *wire.Packet) {
		copy(w.IPv4().Src(), []byte{10, 1, 0, 1})
		copy(w.IPv4().Dst(), []byte{10, 1, 0, 1})
	})
	r := judge(t, k.list, flow.Options{Profile: roce.Spec, At: "10.1.0.1", Complete: true, Scan: flow.ScanFrames(k.list)})
	require.Empty(t, r.Violations)
	require.Empty(t, r.Doubts)
	require.Zero(t, r.Judged)
	require.Equal(t, []string{"2 packets of 10.1.0.1 to itself, which it both sent and received (--at wire judges them)"},
		r.NotJudged)
	r = judge(t, k.list, flow.Options{Profile: roce.Spec, Scan: flow.ScanFrames(k.list)})
	require.Empty(t, r.Violations)
	require.NotZero(t, r.Judged)
}

// The first request has the start PSN that the connection manager agreed on (PSN-5); where the peer takes another the
// two may have agreed on that.
func TestStartPSNOfTheManager(t *testing.T) {
	for _, x := range []struct {
		what     string
		start    uint32
		answer   func(n uint32) wire.Spec
		certain  uint64
		possible uint64
	}{
		{"as agreed", 77, func(n uint32) wire.Spec { return wire.Spec{Syndrome: 31, MSN: n + 1} }, 0, 0},
		{"another, refused", 80, func(uint32) wire.Spec { return wire.Spec{Syndrome: ib.NAKSequence} }, 1, 0},
		{"another, taken", 80, func(n uint32) wire.Spec { return wire.Spec{Syndrome: 31, MSN: n + 1} }, 0, 1},
		{"one before, refused", 70, func(uint32) wire.Spec { return wire.Spec{Syndrome: ib.NAKSequence} }, 1, 0},
		{"far away", 0x800000, func(uint32) wire.Spec { return wire.Spec{Syndrome: ib.NAKSequence} }, 1, 0},
	} {
		var d hosts
		d.manage('A', 0, 0, request(1, 0x100, 5))
		d.manage('B', time.Millisecond, 0, reply(2, 1, 0x1100, 77))
		d.manage('A', 2*time.Millisecond, 1, mad(0x14, map[int]uint32{0: 1, 4: 2}))
		for n := range uint32(2) {
			at := time.Duration(3+n) * time.Millisecond
			s := wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), AckReq: true}
			s.PSN = s.PSN.Add(int32(x.start + n))
			d.say('A', at, 0x1100, s, []byte("1234"))
			a := x.answer(n)
			if a.Opcode, a.PSN = ib.Join(ib.RC, ib.Ack), s.PSN; a.Syndrome == ib.NAKSequence {
				a.PSN = a.PSN.Add(77 - int32(x.start+n))
			}
			if n == 0 || a.Syndrome != ib.NAKSequence {
				d.say('B', at+time.Microsecond, 0x100, a, nil)
			}
		}
		r := judgeAt(t, d.sorted(), "10.1.0.1", true)
		require.Equal(t, x.certain, r.Certain, "%s: %v", x.what, r.Violations)
		require.Equal(t, x.possible, r.Possible, "%s: %v", x.what, r.Violations)
		if len(r.Violations) > 0 {
			require.EqualValues(t, "PSN-5", r.Violations[0].Rule, x.what)
		}
		if r = judgeAt(t, d.sorted(), "10.1.0.2", true); x.possible > 0 { // it answers by what it takes for the first
			require.Empty(t, r.Violations, x.what)
		}
	}
}
