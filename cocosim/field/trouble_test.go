package field

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// traffic makes packets between two hosts and shows them to an observer of the wire.
type traffic struct {
	o   *Observer
	num uint64
	now time.Duration
	tos uint8
}

func newTraffic() *traffic { return &traffic{o: New(Options{})} }

var hostGIDs = [2]wire.GID{wire.FromIPv4(10, 0, 0, 1), wire.FromIPv4(10, 0, 0, 2)}

// send is a packet from one of the hosts to the other.
func (x *traffic) send(from int, op ib.Opcode, p uint32, ackReq bool, syndrome ib.Syndrome, payload int) {
	s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, Src: hostGIDs[from], Dst: hostGIDs[1-from], TClass: x.tos, HopLimit: 64,
		PKey: 0xFFFF, Opcode: op,
		DestQP: uint32(0x10 + from), PSN: psn.New(p), AckReq: ackReq, Syndrome: syndrome, DMALen: 256,
		IPID: uint16(x.num + 1)}
	x.frame(s.Append(nil, make([]byte, payload)))
}

func (x *traffic) frame(b []byte) {
	x.num++
	x.now += 10 * time.Microsecond
	f := capture.Frame{Number: x.num, TimeNS: int64(time.Hour + x.now), Data: b, OrigLen: len(b)}
	var p wire.Packet
	wire.Decode(wire.LinkEthernet, b, &p)
	icrc := wire.ICRCNone
	if p.Encap != wire.EncapNone {
		icrc = p.ICRC()
	}
	x.o.Take(&f, &p, icrc, &flow.Verdict{Class: flow.Expected})
}

// kinds are the troubles by their kinds.
func (x *traffic) kinds() map[string]Trouble {
	m := map[string]Trouble{}
	for _, t := range x.o.Troubles() {
		m[t.Kind] = t
	}
	return m
}

const (
	sendOnly  = ib.Opcode(0x04)
	readAsk   = ib.Opcode(0x0C)
	readOnly  = ib.Opcode(0x10)
	ackPacket = ib.Opcode(0x11)
)

// READs one at a time are named, and READs two at a time are not.
func TestShallowReads(t *testing.T) {
	for _, depth := range []int{1, 2} {
		x := newTraffic()
		for i := 0; i < 32; i += depth {
			for k := range depth {
				x.send(0, readAsk, uint32(i+k), true, 0, 0)
			}
			for k := range depth {
				x.send(1, readOnly, uint32(i+k), false, 0, 256)
			}
		}
		read, named := x.kinds()["READ depth"]
		require.Equal(t, depth == 1, named, x.kinds())
		if named {
			require.Equal(t, "10.0.0.1 asks QP 10h for one READ at a time (32): a round trip each", read.Text)
		}
	}
}

// ECN marks and CNPs are counted, and so are the CNPs' distances and both hosts' counters.
func TestCongestion(t *testing.T) {
	x := newTraffic()
	x.tos = 3
	for i := range 5 {
		x.send(0, sendOnly, uint32(i), false, 0, 64)
	}
	x.tos = 2
	for range 3 {
		x.send(1, ib.OpcodeCNP, 0, false, 0, 16)
	}
	require.Equal(t, "congestion: 5 packets marked by ECN, 3 CNPs, 10µs apart (median)", x.kinds()["congestion"].Text)
	want := map[string]map[string]uint64{"10.0.0.1": {"rp_cnp_handled": 3}, "10.0.0.2": {"np_cnp_sent": 3,
		"np_ecn_marked_roce_packets": 5}}
	x.o.Hosts(func(h *Host) {
		for _, c := range h.Counters("mlx5") {
			if want := want[h.IP.String()][c.Name]; want != 0 {
				require.Equal(t, want, c.Value, c.Name)
			}
		}
	})
}

// A fatal NAK ends what is counted, and a new connection of the same queue pairs begins it anew.
func TestCountsGoOnWithANewConnection(t *testing.T) {
	x := newTraffic()
	counted := func() (n uint64) {
		x.o.Hosts(func(h *Host) {
			for _, c := range h.Counters("mlx5") {
				if c.Name == "out_of_sequence" {
					n += c.Value
				}
			}
		})
		return n
	}
	x.send(0, sendOnly, 100, true, 0, 64)
	x.send(1, ackPacket, 100, false, ib.NAKInvalidRequest, 0)
	x.send(0, sendOnly, 102, true, 0, 64)
	require.Zero(t, counted(), "nobody hears of it")
	for _, p := range []uint32{0x500000, 0x500001, 0x500002, 0x500004} {
		x.send(0, sendOnly, p, true, 0, 64)
	}
	require.EqualValues(t, 1, counted())
}

// Pause frames are counted by priority. The time to pause is two bytes: only where both are 0 may the priority go on
// (IEEE 802.1Qbb).
func TestPauseFrames(t *testing.T) {
	x := newTraffic()
	pause := append([]byte{1, 0x80, 0xC2, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0x88, 0x08, 1, 1, 0, 1 << 3}, make([]byte, 42)...)
	for _, quanta := range []uint16{0xFF00, 0x00FF, 0} {
		binary.BigEndian.PutUint16(pause[18+2*3:], quanta)
		x.frame(pause)
	}
	require.Equal(t, "3 PFC frames: priority 3 2 times paused", x.kinds()["PFC"].Text)
	require.Equal(t, PFC{Pauses: 2, Resumes: 1}, x.o.PFC[3])
}

// ACKs without credits are named.
func TestCreditStall(t *testing.T) {
	x := newTraffic()
	for i := range 3 {
		x.send(0, sendOnly, uint32(i), true, 0, 64)
		x.send(1, ackPacket, uint32(i), false, ib.AckSyndrome(0), 0)
	}
	require.Equal(t, "10.0.0.2 gives 10.0.0.1 no credits in 3 ACKs: SENDs to QP 10h wait", x.kinds()["credits"].Text)
	require.EqualValues(t, 3, x.o.Latency[AckTurn].Count)
	require.EqualValues(t, 10_000, x.o.Latency[AckTurn].At(0.5))
}

// Clean traffic has no trouble, and says what there was.
func TestNothingStandsOut(t *testing.T) {
	x := newTraffic()
	for i := range 20 {
		x.send(0, sendOnly, uint32(i), true, 0, 64)
		x.send(1, ackPacket, uint32(i), false, ib.AckSyndrome(31), 0)
	}
	require.Empty(t, x.o.Troubles())
	require.Equal(t, []string{"nothing is sent again: 20 requests to 1 queue pair, 20 responses, 3.3 MB/s for 390µs; no " +
		"rule broken"},
		x.o.Headline("no rule broken"))
}

// Queue pairs whose PSNs are the same are told apart by nobody: nothing is said of either that the other may have done.
func TestSamePSNsArePairedWithNobody(t *testing.T) {
	x := newTraffic()
	for qp := range uint32(3) {
		s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, Src: hostGIDs[0], Dst: hostGIDs[1], HopLimit: 64, PKey: 0xFFFF,
			Opcode: sendOnly,
			DestQP: 0x100 + qp, AckReq: true}
		x.frame(s.Append(nil, make([]byte, 8)))
	}
	x.send(1, ackPacket, 0, false, ib.NAKSequence, 0)
	for qp := range uint32(3) {
		s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, Src: hostGIDs[0], Dst: hostGIDs[1], HopLimit: 64, PKey: 0xFFFF,
			Opcode: sendOnly,
			DestQP: 0x100 + qp, AckReq: true}
		x.frame(s.Append(nil, make([]byte, 8)))
	}
	_, deaf := x.kinds()["no answer"]
	require.False(t, deaf, "the NAK is of one of them")
	x.o.each(func(c *Conn) { require.Equal(t, c.Again, c.Cause[Unexplained].Packets) })
	x.o.each(func(c *Conn) { require.Zero(t, c.SequenceNAKs) })
	n := uint64(0)
	x.o.Hosts(func(h *Host) { n += h.SequenceNAKsReceived })
	require.EqualValues(t, 1, n)
	require.True(t, x.o.Seen(netip.MustParseAddr("10.0.0.1")))
}

// A response of which cannot be told what it answers is one all the same.
func TestUnmatchedResponsesAreCounted(t *testing.T) {
	x := newTraffic()
	for qp := range uint32(2) {
		s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, Src: hostGIDs[0], Dst: hostGIDs[1], HopLimit: 64, PKey: 0xFFFF,
			Opcode: sendOnly, DestQP: 0x100 + qp, AckReq: true}
		x.frame(s.Append(nil, make([]byte, 8)))
	}
	x.send(1, ackPacket, 0, false, ib.AckSyndrome(31), 0)
	require.Contains(t, x.o.Headline("")[0], "2 requests to 2 queue pairs, 1 response,")
}

// A READ before the first First or Middle: how many PSNs it has is told by the first look, or not known. Neither is a
// loss; a request that is missing is one where it is.
func TestReadBeforeThePMTU(t *testing.T) {
	for _, c := range []struct {
		look    bool
		missing uint32
		lost    uint64
	}{{true, 0, 0}, {false, 0, 0}, {true, 2, 1}} {
		var list []capture.Frame
		say := func(from int, op ib.Operation, p uint32, payload int) {
			s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, Src: hostGIDs[from], Dst: hostGIDs[1-from], HopLimit: 64,
				PKey: 0xFFFF, Opcode: ib.Join(ib.RC, op), DestQP: uint32(0x10 + from), PSN: psn.New(p), DMALen: 2500,
				IPID: uint16(len(list) + 1)}
			b := s.Append(nil, make([]byte, payload))
			list = append(list, capture.Frame{Number: uint64(len(list) + 1), TimeNS: int64(time.Hour) + int64(len(list))*1000,
				Data: b, OrigLen: len(b), Link: wire.LinkEthernet})
		}
		say(0, ib.ReadRequest, 10, 0)
		say(0, ib.ReadRequest, 13, 0)
		say(0, ib.SendFirst, 16+c.missing, 1024)
		say(0, ib.SendLast, 17+c.missing, 4)
		opt := Options{}
		if c.look {
			opt.Scan = flow.ScanFrames(list)
		}
		x := &traffic{o: New(opt)}
		for i := range list {
			x.frame(list[i].Data)
		}
		require.Equal(t, c.lost, x.o.newest.Holes.Missing, "%+v", c)
	}
}

// Queue pairs that are connected anew with a lower PSN, as the checker finds, send nothing again, and lose nothing
// between the two. The second has a path MTU of its own.
func TestConnectedAnewIsNotSentAgain(t *testing.T) {
	for _, start := range []uint32{100, 441, 900} {
		var list []capture.Frame
		say := func(from int, at time.Duration, s wire.Spec, payload []byte) {
			s.Encap, s.Src, s.Dst, s.HopLimit = wire.EncapRoCEv2IPv4, hostGIDs[from], hostGIDs[1-from], 64
			s.PKey, s.DestQP, s.IPID = 0xFFFF, uint32(0x10+from), uint16(len(list)+1)
			b := s.Append(nil, payload)
			list = append(list, capture.Frame{Number: uint64(len(list) + 1), TimeNS: int64(time.Hour + at), Data: b,
				OrigLen: len(b), Link: wire.LinkEthernet})
		}
		for life, from := range []uint32{500, start} {
			pmtu := 256 << (2 * life) // of 1024 bytes a READ asks for
			at, p := time.Duration(life)*100*time.Millisecond, psn.New(from)
			ask := func(op ib.Operation, p psn.PSN, payload int) {
				at += 100 * time.Microsecond
				say(0, at, wire.Spec{Opcode: ib.Join(ib.RC, op), PSN: p, AckReq: true, DMALen: 1024}, make([]byte, payload))
			}
			answer := func(op ib.Operation, p psn.PSN, msn uint32, payload int) {
				at += time.Microsecond
				say(1, at, wire.Spec{Opcode: ib.Join(ib.RC, op), PSN: p, Syndrome: 31, MSN: msn}, make([]byte, payload))
			}
			for n := range uint32(20) {
				ask(ib.SendFirst, p, pmtu)
				ask(ib.SendLast, p.Add(1), 4)
				answer(ib.Ack, p.Add(1), 2*n+1, 0)
				ask(ib.ReadRequest, p.Add(2), 0)
				if life == 1 {
					answer(ib.ReadResponseOnly, p.Add(2), 2*n+2, 1024)
					p = p.Add(3)
					continue
				}
				answer(ib.ReadResponseFirst, p.Add(2), 2*n+2, pmtu)
				answer(ib.ReadResponseMid, p.Add(3), 0, pmtu)
				answer(ib.ReadResponseMid, p.Add(4), 0, pmtu)
				answer(ib.ReadResponseLast, p.Add(5), 2*n+2, pmtu)
				p = p.Add(6)
			}
		}
		scan := flow.ScanFrames(list)
		checker, err := flow.New(flow.Options{Scan: scan})
		require.NoError(t, err)
		o, renewed := New(Options{Scan: scan}), 0
		for i := range list {
			var p wire.Packet
			wire.Decode(list[i].Link, list[i].Data, &p)
			v := checker.Take(&list[i], &p, p.ICRC())
			if v.Renewed {
				renewed++
			}
			o.Take(&list[i], &p, p.ICRC(), &v)
		}
		require.Equal(t, 1, renewed, "from %d", start)
		c := o.oldest
		require.Equal(t, []uint64{120, 0, 1, 0}, []uint64{c.Requests, c.Again, c.Renewed, c.Holes.Missing}, "from %d", start)
		require.NotContains(t, o.Headline("no rule broken")[0], "sent again")
	}
}
