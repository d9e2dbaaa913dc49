package flow_test

import (
	"bytes"
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

// Two ends that built captures run between.
const (
	builtQPN = 0x25
	builtPSN = 0x100000
	builtKey = 0x17
)

// dialog is a capture made packet by packet.
type dialog struct {
	list []vectors.Frame
	id   uint16
}

// say adds a packet of A or of B at a time.
func (d *dialog) say(from byte, at time.Duration, s wire.Spec, payload []byte) {
	to := byte('A' + 'B' - from)
	d.id++
	s.Encap, s.IPID, s.HopLimit, s.SrcPort = wire.EncapRoCEv2IPv4, d.id, 64, 49152
	s.Src, s.Dst = wire.FromIPv4(10, 1, 0, from-'A'+1), wire.FromIPv4(10, 1, 0, to-'A'+1)
	s.SrcMAC, s.DstMAC = [6]byte{2, 5: from}, [6]byte{2, 5: to}
	s.PKey, s.DestQP = 0xFFFF, builtQPN
	b := s.Append(nil, payload)
	d.list = append(d.list, vectors.Frame{Number: uint64(len(d.list) + 1), TimeNS: int64(time.Second + at),
		Link: wire.LinkEthernet, Data: b, OrigLen: len(b)})
}

// builtSidecar describes the two ends, with a region at B.
func builtSidecar() *flow.Sidecar {
	timeout, retries := uint8(12), uint8(7)
	end := func(ip string) flow.End {
		return flow.End{IP: ip, QPN: builtQPN, SQPSN: builtPSN, RQPSN: builtPSN, Timeout: &timeout, RetryCnt: &retries,
			MaxDestRd: 4, MRAddr: 0x1000, MRLen: 0x1000, RKey: builtKey, TargetState: 3}
	}
	return &flow.Sidecar{QPType: "RC", PathMTU: 256, A: end("10.1.0.1"), B: end("10.1.0.2"), Recvs: []flow.Recv{}}
}

// The two permissions of FLUSH in the vocabulary of sidecars: what the region lacks is answered 62h, what the queue
// pair lacks 61h (RSP-16).
func TestFlushPermissions(t *testing.T) {
	const readWrite, global, persistent = 15, 256, 512
	limited := uint16(readWrite | persistent)
	for _, c := range []struct {
		region uint16
		qp     *uint16
		plt    uint8
		nak    ib.Syndrome
	}{
		{readWrite | global, nil, 1, 0},
		{readWrite | persistent, nil, 2, 0},
		{readWrite | global | persistent, nil, 3, 0},
		{readWrite, nil, 1, ib.NAKRemoteAccess},
		{readWrite | persistent, nil, 1, ib.NAKRemoteAccess},
		{readWrite | global, nil, 2, ib.NAKRemoteAccess},
		{readWrite | global, nil, 3, ib.NAKRemoteAccess},
		{readWrite | global | persistent, &limited, 1, ib.NAKInvalidRequest},
		{readWrite | global | persistent, &limited, 2, 0},
	} {
		for _, answer := range []ib.Syndrome{0, ib.NAKRemoteAccess, ib.NAKInvalidRequest} {
			var d dialog
			d.say('A', 0, wire.Spec{Opcode: ib.Join(ib.RC, ib.Flush), PSN: builtPSN, AckReq: true, FlushPLT: c.plt, VA: 0x1000,
				RKey: builtKey, DMALen: 64}, nil)
			s := wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: builtPSN, Syndrome: answer}
			if answer == 0 {
				s.Opcode, s.MSN = ib.Join(ib.RC, ib.ReadResponseOnly), 1
			}
			d.say('B', time.Millisecond, s, nil)
			opt := flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: "B", Complete: true}
			opt.Sidecar.B.Access, opt.Sidecar.B.QPAccess = c.region, c.qp
			r := judge(t, d.list, opt)
			require.Equal(t, answer == c.nak, r.Certain == 0, "%+v answered %v: %v", c, answer, r.Violations)
		}
	}
}

// The kernel's transport timer runs on when everything is acknowledged, and what is outstanding when it runs out goes
// out again, however short ago it went (TMR-2). With no timer pending, or one that has not run its time, that is a
// violation still.
func TestTimerThatRunsOut(t *testing.T) {
	for _, c := range []struct {
		what          string
		second, again time.Duration
		rxe, spec     roce.Rule
	}{
		{"as a kernel 6.1 did", 18200 * time.Microsecond, 18692 * time.Microsecond, "", "TMR-1"},
		{"the pending timer has not run its time", 10200 * time.Microsecond, 10692 * time.Microsecond, "TMR-1", "TMR-1"},
		{"the timer ran out long before", 60 * time.Millisecond, 60492 * time.Microsecond, "TMR-1", "TMR-1"},
		{"a timer of its own", 60 * time.Millisecond, 78 * time.Millisecond, "", ""},
	} {
		for _, p := range []roce.Profile{roce.Rxe, roce.Spec} {
			var d dialog
			send := func(at time.Duration, n int32) {
				s := wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: psn.PSN(builtPSN).Add(n), AckReq: true}
				d.say('A', at, s, []byte("1234"))
			}
			send(0, 0)
			d.say('B', time.Millisecond, wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: builtPSN, Syndrome: 31, MSN: 1}, nil)
			send(c.second, 1)
			send(c.again, 1)
			r := judge(t, d.list, flow.Options{Profile: p, Sidecar: builtSidecar(), At: "A", Complete: true})
			want := c.spec
			if p.Name == "rxe" {
				want = c.rxe
			}
			if want == "" {
				require.Empty(t, r.Violations, "%s, %s", c.what, p.Name)
				continue
			}
			require.Len(t, r.Violations, 1, "%s, %s", c.what, p.Name)
			require.Equal(t, want, r.Violations[0].Rule)
			require.True(t, r.Violations[0].Certain())
		}
	}
}

// A response that its request cannot have acknowledges what lies before it; a device that drops it may release that, or
// not (REQ-12). Both may go on as they believe, and neither may go back to somewhere else.
func TestDroppedBadResponse(t *testing.T) {
	for again, wrong := range map[int32]bool{0: false, 1: true, 2: false} {
		var d dialog
		send := func(at time.Duration, n int32) {
			s := wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: psn.PSN(builtPSN).Add(n), AckReq: true}
			payload := []byte("1234")
			if n == 2 {
				s.Opcode, s.VA, s.RKey, s.DMALen, s.AckReq, payload = ib.Join(ib.RC, ib.ReadRequest), 0x1000, builtKey, 64, true,
					nil
			}
			d.say('A', at, s, payload)
		}
		for n := range int32(3) {
			send(time.Duration(n)*time.Microsecond, n)
		}
		d.say('B', time.Millisecond, wire.Spec{Opcode: ib.Join(ib.RC, ib.ReadResponseOnly), PSN: psn.PSN(builtPSN).Add(2),
			Syndrome: 31, MSN: 3}, make([]byte, 60))
		for n := again; n < 3; n++ {
			send(60*time.Millisecond+time.Duration(n)*time.Microsecond, n)
		}
		r := judge(t, d.list, flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: "A", Complete: true})
		require.Equal(t, wrong, r.Certain > 0, "again from %d: %v", again, r.Violations)
		if wrong {
			require.EqualValues(t, "REQ-5", r.Violations[0].Rule)
		}
	}
}

// A responder with a pipeline says RNR when more has come behind the request. What was there twice by then is judged
// again: a request that the link doubled is refused twice, the first one of a connection too, and with none between
// them a second RNR NAK is wrong (RSP-9).
func TestRefusedTwice(t *testing.T) {
	for _, c := range []struct {
		first   int32 // messages of before
		doubled bool
	}{{0, true}, {2, true}, {0, false}, {2, false}} {
		var d dialog
		at := time.Duration(0)
		say := func(from byte, s wire.Spec, payload []byte) { at += time.Microsecond; d.say(from, at, s, payload) }
		send := func(n int32) {
			say('A', wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: psn.PSN(builtPSN).Add(n), AckReq: true}, []byte("1234"))
		}
		refuse := func() {
			say('B', wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: psn.PSN(builtPSN).Add(c.first), Syndrome: 0x21,
				MSN: uint32(c.first)}, nil)
		}
		for n := range c.first {
			send(n)
			say('B', wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: psn.PSN(builtPSN).Add(n), Syndrome: 31, MSN: uint32(n + 1)},
				nil)
		}
		send(c.first)
		send(c.first + 1)
		if c.doubled {
			send(c.first)
		}
		refuse()
		refuse()
		r := judge(t, d.list, flow.Options{Profile: roce.Spec, At: "10.1.0.2", Complete: true, PMTUBytes: 256})
		require.Equal(t, c.doubled, r.Certain == 0, "%+v: %v", c, r.Violations)
	}
}

// Memory is known where a fill or a WRITE told what lies there, in each page by itself. Bytes that nobody told of are
// equal to anything: a READ response is held against memory only where all of its bytes are known (RSP-7).
func TestMemoryKnownInPart(t *testing.T) {
	const half, page = 64, 0x2000
	inMemory := bytes.Repeat([]byte{0x11}, 2*half)
	for _, c := range []struct{ before, behind, wrong bool }{ // what is written: the last of a page, the first of the next
		{true, true, false}, {true, false, false}, {false, true, false}, {false, false, false}, {true, true, true},
	} {
		var d dialog
		at, p, msn := time.Duration(0), psn.PSN(builtPSN), uint32(0)
		ask := func(op ib.Operation, va uint64, n uint32, payload []byte) {
			at += time.Microsecond
			d.say('A', at, wire.Spec{Opcode: ib.Join(ib.RC, op), PSN: p, AckReq: true, VA: va, RKey: builtKey, DMALen: n},
				payload)
		}
		answer := func(op ib.Operation, payload []byte) {
			at, msn = at+time.Microsecond, msn+1
			d.say('B', at, wire.Spec{Opcode: ib.Join(ib.RC, op), PSN: p, Syndrome: 31, MSN: msn}, payload)
			p = p.Add(1)
		}
		for va, told := range map[uint64]bool{page - half: c.before, page: c.behind} {
			if told {
				ask(ib.WriteOnly, va, half, inMemory[:half])
				answer(ib.Ack, nil)
			}
		}
		ask(ib.ReadRequest, page-half, 2*half, nil)
		response := slices.Clone(inMemory)
		if c.wrong {
			response[0]++
		}
		answer(ib.ReadResponseOnly, response)
		opt := flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: "B", Complete: true}
		opt.Sidecar.B.Access, opt.Sidecar.B.MRLen = 15, 0x2000
		r := judge(t, d.list, opt)
		if !c.wrong {
			require.Empty(t, r.Violations, "%+v", c)
			continue
		}
		require.Len(t, r.Violations, 1)
		require.Equal(t, roce.Rule("RSP-7"), r.Violations[0].Rule)
	}
}

// An atomic on memory that nobody told of has a value that is not known, and so has its replay (RSP-8): it stays so
// while the atomic is kept, one of 16, whatever known ones come behind it.
func TestReplayOfUnknownAtomic(t *testing.T) {
	var d dialog
	at := time.Duration(0)
	say := func(from byte, s wire.Spec, payload []byte) { at += time.Microsecond; d.say(from, at, s, payload) }
	add := func(n int32, va, was uint64, msn uint32) {
		p := psn.PSN(builtPSN).Add(n)
		say('A', wire.Spec{Opcode: ib.Join(ib.RC, ib.FetchAdd), PSN: p, AckReq: true, VA: va, RKey: builtKey, SwapAdd: 1},
			nil)
		say('B', wire.Spec{Opcode: ib.Join(ib.RC, ib.AtomicAck), PSN: p, Syndrome: 31, MSN: msn, Original: was}, nil)
	}
	say('A', wire.Spec{Opcode: ib.Join(ib.RC, ib.WriteOnly), PSN: builtPSN, AckReq: true, VA: 0x1008, RKey: builtKey,
		DMALen: 8}, make([]byte, 8))
	say('B', wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: builtPSN, Syndrome: 31, MSN: 1}, nil)
	add(1, 0x1000, 7, 2)
	for n := range int32(15) {
		add(2+n, 0x1008, uint64(n), uint32(3+n))
	}
	add(1, 0x1000, 7, 17) // again
	opt := flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: "B", Complete: true}
	opt.Sidecar.B.Access, opt.Sidecar.B.MaxDestRd = 15, 16
	require.Empty(t, judge(t, d.list, opt).Violations)
}

// A device that keeps 32 answers the 20th atomic before this one again; one that agreed on 16 has forgotten it (RSP-8).
// Of one whose depth is not known nothing is said.
func TestReplayOfAnAtomicLongAgo(t *testing.T) {
	var d dialog
	at := time.Duration(0)
	add := func(n int32, msn uint32) {
		p := psn.PSN(builtPSN).Add(n)
		at += time.Microsecond
		d.say('A', at, wire.Spec{Opcode: ib.Join(ib.RC, ib.FetchAdd), PSN: p, AckReq: true, VA: 0x1000, RKey: builtKey,
			SwapAdd: 1}, nil)
		d.say('B', at, wire.Spec{Opcode: ib.Join(ib.RC, ib.AtomicAck), PSN: p, Syndrome: 31, MSN: msn,
			Original: uint64(n)}, nil)
	}
	for n := range int32(20) {
		add(n, uint32(n+1))
	}
	add(0, 20)
	for depth, rule := range map[uint8]roce.Rule{16: "RSP-8", 17: "", 32: "", 128: ""} {
		opt := flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: "B", Complete: true}
		opt.Sidecar.B.Access, opt.Sidecar.B.MaxDestRd = 15, depth
		requireRule(t, rule, judge(t, d.list, opt), "depth %d", depth)
	}
	requireRule(t, "", judge(t, d.list, flow.Options{Profile: roce.Spec, At: "10.1.0.2", Complete: true,
		PMTUBytes: 256}), "no sidecar")
}

// requireRule: the first finding is of that rule, or there is none.
func requireRule(t *testing.T, rule roce.Rule, r *flow.Report, message string, args ...any) {
	t.Helper()
	got := roce.Rule("")
	if len(r.Violations) > 0 {
		got = r.Violations[0].Rule
	}
	require.Equal(t, rule, got, append([]any{message}, args...)...)
}

// A capture is whole where the sidecar counts as many frames as it has at this end, and says that none was dropped at
// this end. What was dropped at the other end is of another capture.
func TestDroppedAtThisEnd(t *testing.T) {
	var d dialog
	send := wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: builtPSN, AckReq: true}
	answer := wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: builtPSN, Syndrome: 31, MSN: 1}
	d.say('A', 0, send, []byte("1234"))
	d.say('B', time.Microsecond, answer, nil)
	send.PSN = send.PSN.Add(2) // one is left out (PSN-4)
	d.say('A', 2*time.Microsecond, send, []byte("1234"))
	answer.PSN, answer.Syndrome = answer.PSN.Add(1), ib.NAKSequence
	d.say('B', 3*time.Microsecond, answer, nil)
	d.say('B', 4*time.Microsecond, answer, nil) // a second NAK of one gap (RSP-2)
	for side, rule := range map[string]roce.Rule{"A": "PSN-4", "B": "RSP-2"} {
		for _, dropped := range [][2]uint64{{0, 0}, {3, 0}, {0, 3}} {
			s := builtSidecar()
			s.Recvs = nil
			s.A.MAC, s.B.MAC = "02:00:00:00:00:41", "02:00:00:00:00:42"
			s.Stats.A, s.Stats.B = &flow.FrameCount{Tx: 2, Rx: 3}, &flow.FrameCount{Tx: 3, Rx: 2}
			s.Env.DroppedA, s.Env.DroppedB = &dropped[0], &dropped[1]
			r := judge(t, d.list, flow.Options{Profile: roce.Spec, Sidecar: s, At: side})
			require.Len(t, r.Violations, 1, "%s: %v", side, r.Violations)
			require.Equal(t, rule, r.Violations[0].Rule)
			whole := dropped[side[0]-'A'] == 0
			require.Equal(t, whole, r.Violations[0].Certain(), "%s, dropped %v: %s", side, dropped, r.Violations[0].Evidence)
		}
	}
}

// A few frames sent more than the sidecar counts do not hurt. What is few is told by what was sent, however much was
// received.
func TestAFewMoreThanCounted(t *testing.T) {
	var d dialog
	at := time.Duration(0)
	say := func(from byte, s wire.Spec) { at += time.Microsecond; d.say(from, at, s, nil) }
	const received, sent = 200, 10
	for n := range int32(received) {
		p := psn.PSN(builtPSN).Add(n)
		say('A', wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: p, AckReq: n%20 == 19})
		if n%20 == 19 {
			s := wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: p, Syndrome: 31, MSN: uint32(n + 1)}
			if n == received-1 {
				s.MSN++ // wrong (RSP-11)
			}
			say('B', s)
		}
	}
	for counted, whole := range map[uint64]bool{sent: true, sent - 1: true, sent + 1: false, 4: false, 2: false} {
		s, none := builtSidecar(), uint64(0)
		s.Recvs, s.A.MAC, s.B.MAC = nil, "02:00:00:00:00:41", "02:00:00:00:00:42"
		s.Stats.B, s.Env.DroppedB = &flow.FrameCount{Tx: counted, Rx: received}, &none
		r := judge(t, d.list, flow.Options{Profile: roce.Spec, Sidecar: s, At: "B"})
		require.Len(t, r.Violations, 1, "%v", r.Violations)
		require.Equal(t, roce.Rule("RSP-11"), r.Violations[0].Rule)
		require.Equal(t, whole, r.Violations[0].Certain(), "%d sent by the sidecar: %s", counted, r.Violations[0].Evidence)
	}
}

// A response too many may answer a copy that the way made and the capture misses, which no identification tells: it is
// possible. Where another is wrong in itself identifications without a gap make it certain.
func TestOneTooManyBehindIdentifications(t *testing.T) {
	nak := wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: builtPSN + 2, Syndrome: ib.NAKSequence, MSN: 2}
	wrong := nak
	wrong.MSN++
	ack := func(n psn.PSN) wire.Spec {
		return wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: builtPSN + n, Syndrome: 31, MSN: uint32(n + 1)}
	}
	for _, c := range []struct {
		what    string
		said    []wire.Spec // of B behind the gap
		profile roce.Profile
		rule    roce.Rule
		certain bool
	}{
		{"as it must", []wire.Spec{nak}, roce.Rxe, "", false},
		{"a second NAK", []wire.Spec{nak, nak}, roce.Spec, "RSP-2", false},
		{"an ACK again", []wire.Spec{ack(1), nak}, roce.Rxe, "RSP-13", false},
		{"another MSN", []wire.Spec{wrong}, roce.Spec, "RSP-11", true},
	} {
		var d hosts
		at := time.Duration(0)
		say := func(from byte, s wire.Spec) { at += time.Microsecond; d.say(from, at, builtQPN, s, nil) }
		send := func(n psn.PSN) {
			say('A', wire.Spec{Opcode: ib.Join(ib.RC, ib.WriteOnly), PSN: builtPSN + n, AckReq: true, VA: 0x1000,
				RKey: builtKey})
		}
		for n := range psn.PSN(4) {
			if n == 2 {
				send(3)
				for _, s := range c.said {
					say('B', s)
				}
			}
			send(n)
			say('B', ack(n))
		}
		opt := flow.Options{Profile: c.profile, Sidecar: builtSidecar(), At: "B"}
		opt.Sidecar.B.Access = 15
		r := judge(t, d.sorted(), opt)
		if c.rule == "" {
			require.Empty(t, r.Violations, c.what)
			continue
		}
		require.Len(t, r.Violations, 1, "%s: %v", c.what, r.Violations)
		require.Equal(t, c.rule, r.Violations[0].Rule, c.what)
		require.Equal(t, c.certain, r.Violations[0].Certain(), "%s: %s", c.what, r.Violations[0].Evidence)
	}
}
