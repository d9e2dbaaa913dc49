package flow_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

// hosts are two hosts, A and B, with any number of connections between them: a capture made packet by packet.
type hosts struct {
	list []vectors.Frame
	id   [2]uint16
}

// say adds a packet to a queue pair.
func (d *hosts) say(from byte, at time.Duration, qpn uint32, s wire.Spec, payload []byte) {
	to := byte('A' + 'B' - from)
	d.id[from-'A']++
	s.Encap, s.IPID, s.HopLimit, s.SrcPort = wire.EncapRoCEv2IPv4, d.id[from-'A'], 64, 49152
	s.Src, s.Dst = wire.FromIPv4(10, 1, 0, from-'A'+1), wire.FromIPv4(10, 1, 0, to-'A'+1)
	s.SrcMAC, s.DstMAC = [6]byte{2, 5: from}, [6]byte{2, 5: to}
	s.PKey, s.DestQP = 0xFFFF, qpn
	b := s.Append(nil, payload)
	d.list = append(d.list, vectors.Frame{TimeNS: int64(time.Second + at), Link: wire.LinkEthernet, Data: b,
		OrigLen: len(b)})
}

// sorted are the frames in the order of their times.
func (d *hosts) sorted() []vectors.Frame {
	slices.SortStableFunc(d.list, func(a, b vectors.Frame) int { return int(a.TimeNS - b.TimeNS) })
	return numbered(d.list)
}

// mad is a message of the connection manager with a field at each offset, behind the common header.
func mad(kind uint16, words map[int]uint32) []byte {
	b := make([]byte, 256)
	b[0], b[1], b[2], b[3] = 1, 7, 2, 3
	binary.BigEndian.PutUint16(b[16:], kind)
	for at, v := range words {
		binary.BigEndian.PutUint32(b[24+at:], v)
	}
	return b
}

func (d *hosts) manage(from byte, at time.Duration, n int, message []byte) {
	d.say(from, at, 1, wire.Spec{Opcode: ib.Join(ib.UD, ib.SendOnly), PSN: psn.PSN(n), QKey: 0x80010000, SrcQP: 1},
		message)
}

// request is a REQ: the PSN that its sender expects first, retries 7, RNR retries 6, PMTU 1024, timer code 18.
func request(id, qpn, start uint32) []byte {
	return mad(0x10, map[int]uint32{0: id, 32: qpn<<8 | 16, 36: 8, 44: start<<8 | 20<<3 | 7,
		48: 0xFFFF<<16 | 3<<12 | 6<<8 | 0xF0, 92: 18 << 3})
}

func reply(id, remote, qpn, start uint32) []byte {
	return mad(0x13, map[int]uint32{0: id, 4: remote, 12: qpn << 8, 20: start << 8, 24: 16<<24 | 8<<16 | 6<<5})
}

// conversation is one connection: messages of A to qpnB, one at a time, each acknowledged to qpnA.
type conversation struct {
	qpnA, qpnB, psnA uint32
	at, gap          time.Duration
	messages         int
	seed             byte
}

// wrongAt is a message whose retry carries other bytes; -1: none.
func (d *hosts) converse(x conversation, wrongAt int) {
	p := psn.PSN(x.psnA)
	for n := range x.messages {
		at := x.at + time.Duration(n)*x.gap
		s := wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: p.Add(int32(n)), AckReq: true}
		text := []byte{x.seed, byte(n), 3, 4}
		d.say('A', at, x.qpnB, s, text)
		if n == wrongAt {
			d.say('A', at+x.gap/8, x.qpnB, s, []byte("oops"))
		}
		d.say('B', at+x.gap/4, x.qpnA, wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: s.PSN, Syndrome: 31,
			MSN: uint32(n + 1)}, nil)
	}
}

// places are the three places that a capture is judged from without a sidecar.
var places = []string{"", "10.1.0.1", "10.1.0.2"}

func judgeAt(t *testing.T, list []vectors.Frame, at string, complete bool) *flow.Report {
	return judge(t, list, flow.Options{Profile: roce.Spec, At: at, Scan: flow.ScanFrames(list), Complete: complete})
}

// pairs counts the flows with a peer's queue pair, and checks that it is the right one: the peer's number is 0x1000
// lower.
func pairs(t *testing.T, r *flow.Report) (n int) {
	for _, f := range r.Flows {
		if f.Service == "RC" && f.PeerQPN != 0 && f.QPN >= 0x1000 {
			require.Equal(t, f.QPN-0x1000, f.PeerQPN)
			n++
		}
	}
	return n
}

// 300 connections one after the other, with the same start PSN.
func TestSamePSNsInTurn(t *testing.T) {
	for _, wrong := range []int{-1, 5} {
		var d hosts
		for i := range 300 {
			d.converse(conversation{uint32(0x100 + i), uint32(0x1100 + i), 0, time.Duration(i) * 300 * time.Microsecond,
				20 * time.Microsecond, 12, byte(i)}, wrong)
		}
		list := d.sorted()
		for _, at := range places {
			r := judgeAt(t, list, at, false)
			require.Equal(t, 300, pairs(t, r), at)
			require.EqualValues(t, len(list), r.Judged, "%v", r.NotJudged)
			switch {
			case wrong < 0:
				require.Zero(t, r.Certain+r.Possible, "%s: %v", at, r.Violations)
			case at == "10.1.0.1":
				require.EqualValues(t, 300, r.Certain, at)
			case at == "":
				require.EqualValues(t, 300, r.Possible, at)
			}
		}
	}
}

// Several at once with the same start PSN are told apart as soon as one is ahead of the others; those that go in step
// are not judged.
func TestSamePSNsAtOnce(t *testing.T) {
	var d hosts
	for i := range 8 {
		d.converse(conversation{uint32(0x100 + i), uint32(0x1100 + i), 0, 0, time.Duration(i+5) * 10 * time.Microsecond, 400,
			byte(i)}, -1)
	}
	list := d.sorted()
	for _, at := range places {
		r := judgeAt(t, list, at, false)
		require.Zero(t, r.Certain+r.Possible, "%s: %v", at, r.Violations)
		require.Equal(t, 8, pairs(t, r))
		require.Greater(t, 10*r.Judged, 9*uint64(len(list)), "%v", r.NotJudged)
	}
	d = hosts{}
	for i := range 8 {
		d.converse(conversation{uint32(0x100 + i), uint32(0x1100 + i), 0, time.Duration(i) * 100, 20 * time.Microsecond, 100,
			byte(i)}, -1)
	}
	for _, at := range places {
		r := judgeAt(t, d.sorted(), at, false)
		require.Zero(t, r.Certain+r.Possible, "%s: %v", at, r.Violations)
		pairs(t, r)
		require.NotEmpty(t, r.NotJudged)
	}
}

// What the connection manager says tells them apart whatever they do, and each time that the same queue pairs are
// connected anew.
func TestConnectionManager(t *testing.T) {
	var d hosts
	for round := range 3 {
		at := time.Duration(round) * 40 * time.Millisecond
		for i := range 100 {
			a, b, id := uint32(0x100+i), uint32(0x1100+i), uint32(round*1000+i)
			at := at + time.Duration(i)*time.Microsecond
			d.manage('A', at, 3*i, request(id, a, 77))
			d.manage('B', at+time.Millisecond, 5*i, reply(id+0x10000, id, b, 0))
			d.manage('B', at+2*time.Millisecond, 5*i, reply(id+0x10000, id, b, 0))
			d.manage('A', at+3*time.Millisecond, 3*i, mad(0x14, map[int]uint32{0: id, 4: id + 0x10000}))
			d.converse(conversation{a, b, 0, at + 4*time.Millisecond, 100 * time.Microsecond, 30, byte(i + 100*round)}, -1)
			d.manage('A', at+20*time.Millisecond, 3*i, mad(0x15, map[int]uint32{0: id, 4: id + 0x10000, 8: b << 8}))
		}
	}
	list := d.sorted()
	for _, at := range places {
		r := judgeAt(t, list, at, false)
		require.Zero(t, r.Certain+r.Possible, "%s: %v", at, r.Violations)
		require.EqualValues(t, len(list), r.Judged, "%v", r.NotJudged)
		require.Equal(t, 100, pairs(t, r))
		for _, f := range r.Flows {
			if x := f.Inferred; f.Service == "RC" {
				require.True(t, x.CM && x.PMTUSeen)
				require.EqualValues(t, 1024, x.PMTUBytes)
				require.EqualValues(t, 18, x.Timeout)
				require.EqualValues(t, 7, x.Retries)
				require.Equal(t, f.QPN < 0x1000, x.StartPSN == 77, "%+v", f)
			} else {
				require.Zero(t, f.Losses, "%+v", f)
				require.Zero(t, f.Retransmissions.Total())
			}
		}
	}
}

// And with frames missing, begun late or filed in another order nothing is certain.
func TestConnectionsOfImperfectCaptures(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	for _, managed := range []bool{false, true} {
		var d hosts
		for i := range 24 {
			a, b := uint32(0x100+i), uint32(0x1100+i)
			at := time.Duration(rng.IntN(2000)) * time.Microsecond
			if managed {
				d.manage('A', at, 0, request(uint32(i), a, 0))
				d.manage('B', at+time.Millisecond, 0, reply(uint32(i), uint32(i), b, 0))
			}
			d.converse(conversation{a, b, 0, at + 2*time.Millisecond, time.Duration(10+rng.IntN(40)) * time.Microsecond, 60,
				byte(i)}, -1)
		}
		list := d.sorted()
		for _, x := range imperfections {
			for range 4 {
				bad := numbered(x.do(rng, list))
				for _, at := range places {
					r := judgeAt(t, bad, at, false)
					require.Zero(t, r.Certain, "%s at %q, %v: %v", x.name, at, managed, r.Violations)
				}
			}
		}
	}
}

// The fields of the exchange are where tshark has them.
func TestConnectionManagerByTshark(t *testing.T) {
	program, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed: apt-get install tshark")
	}
	var d hosts
	d.manage('A', 0, 0, request(0x11223344, 0xABCDE, 0x123456))
	d.manage('B', 1000, 0, reply(0x55667788, 0x11223344, 0xEDCBA, 0x654321))
	path := filepath.Join(t.TempDir(), "cm.pcapng")
	file, err := os.Create(path)
	require.NoError(t, err)
	w := capture.NewWriter(file, "test")
	w.Interface("a", capture.LinkTypeEthernet)
	for _, f := range d.list {
		w.Packet(0, f.TimeNS, f.Data, nil)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, file.Close())
	for i, fields := range []map[string]string{
		{"infiniband.cm.req.localqpn": "0x0abcde", "infiniband.cm.req.startpsn": "0x123456",
			"infiniband.cm.req.retrcount": "0x07", "infiniband.cm.req.pppmtu": "0x03", "infiniband.cm.req.rnrretrcount": "0x06",
			"infiniband.cm.req.prim_localacktout": "0x12"},
		{"infiniband.cm.rep.remotecommid": "0x11223344", "infiniband.cm.rep.localqpn": "0x0edcba",
			"infiniband.cm.rep.startpsn": "0x654321", "infiniband.cm.rep.rnrretrcount": "0x06"},
	} {
		for field, want := range fields {
			out, err := exec.Command(program, "-n", "-r", path, "-T", "fields", "-e", field).Output()
			require.NoError(t, err, field)
			got := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
			require.Equal(t, want, got[min(i, len(got)-1)], field)
		}
	}
}

// A queue pair that sends datagrams counts them in one, whoever they are for.
func TestDatagramsToMany(t *testing.T) {
	for _, skip := range []int{0, 7} {
		var d hosts
		for n := range 60 {
			s := wire.Spec{Opcode: ib.Join(ib.UD, ib.SendOnly), PSN: psn.PSN(n), QKey: 5, SrcQP: 0x77}
			if n >= 40 {
				s.PSN = s.PSN.Add(int32(skip))
			}
			d.say('A', time.Duration(n)*time.Millisecond, uint32(0x1100+n*n%3), s, []byte("1234"))
		}
		for _, at := range places {
			r := judgeAt(t, d.sorted(), at, false)
			losses := uint64(0)
			for _, f := range r.Flows {
				losses += f.Losses
				require.Zero(t, f.Retransmissions.Total())
			}
			require.Zero(t, r.Certain)
			// who receives them does not look
			require.Equal(t, skip > 0 && at != places[2], r.Possible+losses > 0, "%q: %v, %d losses", at, r.Violations, losses)
		}
	}
}

// A queue pair has one service: a packet of another to it is seen without a sidecar.
func TestAnotherService(t *testing.T) {
	for _, service := range []ib.Transport{ib.RC, ib.UC, ib.UD} {
		var d hosts
		d.converse(conversation{0x100, 0x1100, 0, 0, time.Millisecond, 20, 1}, -1)
		s := wire.Spec{Opcode: ib.Join(service, ib.SendOnly), PSN: 20, AckReq: service == ib.RC, SrcQP: 0x100}
		d.say('A', 20*time.Millisecond, 0x1100, s, []byte("1234"))
		for _, at := range places {
			r := judgeAt(t, d.sorted(), at, false)
			require.Zero(t, r.Certain)
			require.Equal(t, service != ib.RC, r.Possible > 0, "%v at %q: %v", service, at, r.Violations)
			if service != ib.RC {
				require.EqualValues(t, "OPC-1", r.Violations[0].Rule)
			}
		}
	}
}

// The other end's capture is not taken for this end's where the sidecar counts frames, and said so where little fits.
func TestOtherEnd(t *testing.T) {
	said := 0
	for _, path := range captureFiles(t) {
		list := frames(t, path)
		if len(list) == 0 {
			continue
		}
		opt := options(t, path, roce.Rxe, false)
		r := judge(t, list, opt)
		require.False(t, slices.ContainsFunc(r.NotJudged, func(s string) bool { return strings.Contains(s, "--at") }),
			"%s: %v", path, r.NotJudged)
		opt.At = map[string]string{"A": "B", "B": "A"}[opt.At]
		r = judge(t, list, opt)
		doubted := slices.ContainsFunc(r.NotJudged, func(s string) bool { return strings.Contains(s, "--at") })
		if doubted {
			said++
		}
		if !doubted && r.Certain > 0 && len(list) >= 20 {
			t.Logf("%s: %d certain of %d", name(path), r.Certain, len(list))
		}
	}
	require.Greater(t, said, 130)
	t.Logf("suspected in %d", said)
}

// The First of the first message was lost, and what the responder said of that is not seen: the capture cannot tell
// what it knew of the message, so a NAK of a later gap in it is no NAK of a message that has no First.
func TestFirstNeverSeen(t *testing.T) {
	var d dialog
	at := time.Duration(0)
	say := func(from byte, s wire.Spec, payload []byte) { at += time.Microsecond; d.say(from, at, s, payload) }
	write := func(n int32, op ib.Operation) {
		s := wire.Spec{Opcode: ib.Join(ib.RC, op), PSN: psn.PSN(builtPSN).Add(n)}
		if op == ib.WriteFirst {
			s.VA, s.RKey, s.DMALen = 0x1000, builtKey, 1024
		}
		say('A', s, make([]byte, 256))
	}
	write(1, ib.WriteMiddle)
	write(0, ib.WriteFirst)
	write(2, ib.WriteMiddle)
	say('B', wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: psn.PSN(builtPSN).Add(1), Syndrome: ib.NAKSequence}, nil)
	r := judge(t, d.list, flow.Options{Profile: roce.Spec, At: "10.1.0.2", Complete: true, PMTUBytes: 256})
	require.Empty(t, r.Violations)
}

// A connection between the same queue pairs has nothing of the one before: a request that came past out of its place is
// held against what this one sent under its PSN, and not against what the other did (REQ-5).
func TestAnewWithOtherBytes(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		var d hosts
		d.converse(conversation{0x100, 0x1100, 100, 0, time.Millisecond, 4, 1}, -1)
		send := func(at time.Duration, p psn.PSN, text string) {
			d.say('A', at, 0x1100, wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: p, AckReq: true}, []byte(text))
		}
		anew := 10 * time.Second
		d.converse(conversation{0x100, 0x1100, 100, anew, time.Millisecond, 1, 2}, -1)
		send(anew+2*time.Millisecond, 102, "here") // 101 was lost before it came past
		d.say('B', anew+3*time.Millisecond, 0x100, wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: 101,
			Syndrome: ib.NAKSequence, MSN: 1}, nil)
		send(anew+4*time.Millisecond, 101, "lost")
		text := "here"
		if wrong {
			text = "oops"
		}
		send(anew+5*time.Millisecond, 102, text)
		r := judgeAt(t, d.sorted(), "", false)
		if !wrong {
			require.Empty(t, r.Violations)
			continue
		}
		require.Len(t, r.Violations, 1)
		require.Equal(t, roce.Rule("REQ-5"), r.Violations[0].Rule)
	}
}

// A READ of 2^31 bytes, the most that there is, has 2,097,152 PSNs at a PMTU of 1024 (PSN-4). What is sent behind it is
// of the same connection, and its responses are held against it (RSP-7): the READ may be the first that is seen.
func TestBehindTheLongestRead(t *testing.T) {
	const all, pmtu = 1 << 31, 1024
	for _, c := range []struct{ first, wrong bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		var d hosts
		start := psn.PSN(1)
		if !c.first {
			d.converse(conversation{0x100, 0x1100, 0, 0, time.Millisecond, 1, 1}, -1)
			start = 0
		}
		at := 2 * time.Millisecond
		say := func(from byte, qpn uint32, s wire.Spec, payload []byte) {
			at += time.Microsecond
			d.say(from, at, qpn, s, payload)
		}
		say('A', 0x1100, wire.Spec{Opcode: ib.Join(ib.RC, ib.ReadRequest), PSN: 1, DMALen: all}, nil)
		say('A', 0x1100, wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: 1 + all/pmtu, AckReq: true}, []byte("1234"))
		say('B', 0x100, wire.Spec{Opcode: ib.Join(ib.RC, ib.ReadResponseFirst), PSN: 1, Syndrome: 31, MSN: 2},
			make([]byte, pmtu))
		second := wire.Spec{Opcode: ib.Join(ib.RC, ib.ReadResponseMid), PSN: 2}
		if c.wrong {
			second = wire.Spec{Opcode: ib.Join(ib.RC, ib.ReadResponseLast), PSN: 2, Syndrome: 31, MSN: 2}
		}
		say('B', 0x100, second, make([]byte, pmtu))
		r := judgeAt(t, d.sorted(), "", false)
		for _, f := range r.Flows {
			require.True(t, f.QPN < 0x1000 || f.Inferred.StartPSN == start && f.Losses == 0, "%+v", f)
		}
		if !c.wrong {
			require.Empty(t, r.Violations)
			continue
		}
		require.Len(t, r.Violations, 1)
		require.Equal(t, roce.Rule("RSP-7"), r.Violations[0].Rule)
	}
}

// Both communication IDs name an exchange: one with another ID at either end is another connection between the same
// queue pairs, also where a host that restarted counts its own from 1 again. It starts where the exchange says; where
// both hosts restarted, that alone is another.
func TestAnotherExchangeWithTheSameIDs(t *testing.T) {
	for _, second := range [][2]uint32{{1, 10}, {2, 9}, {1, 9}} {
		var d hosts
		for round, ids := range [][2]uint32{{1, 9}, second} {
			at, start := time.Duration(round)*40*time.Millisecond, uint32(round)*1000
			d.manage('A', at, 2*round, request(ids[0], 0x100, start+77))
			d.manage('B', at+time.Millisecond, round, reply(ids[1], ids[0], 0x1100, start))
			d.manage('A', at+2*time.Millisecond, 2*round+1, mad(0x14, map[int]uint32{0: ids[0], 4: ids[1]}))
			d.converse(conversation{0x100, 0x1100, start, at + 4*time.Millisecond, 100 * time.Microsecond, 30, byte(round)}, -1)
		}
		list := d.sorted()
		for _, at := range places {
			r := judgeAt(t, list, at, false)
			require.Empty(t, r.Violations, "%v at %q", second, at)
			require.Equal(t, 1, pairs(t, r))
			for _, f := range r.Flows {
				if f.Service == "RC" {
					require.EqualValues(t, map[uint32]uint32{0x100: 1077, 0x1100: 1000}[f.QPN], f.Inferred.StartPSN, at)
					require.Zero(t, f.Losses, at)
				}
			}
		}
	}
}

// The pair of a response is found by a request whose PSN is near, also in the 1,024 PSNs before or behind its own, and
// where the PSNs wrap between the two (PSN-1): a READ's first responses, or the first requests, may not have been seen.
func TestPairByAPSNThatIsNear(t *testing.T) {
	for _, c := range [][2]psn.PSN{{0xFFFC80, 0x000010}, {0x000480, 0x000810}, {0x7FFC80, 0x800010}, {0x000010, 0xFFFFF0},
		{0x000410, 0x0003F0}} {
		var d hosts
		d.say('A', 0, 0x1100, wire.Spec{Opcode: ib.Join(ib.RC, ib.ReadRequest), PSN: c[0], DMALen: 1000 * 256}, nil)
		for n := range int32(4) {
			d.say('B', time.Duration(n+1)*time.Microsecond, 0x100, wire.Spec{Opcode: ib.Join(ib.RC, ib.ReadResponseMid),
				PSN: c[1].Add(n)}, make([]byte, 256))
		}
		require.Equal(t, 1, pairs(t, judgeAt(t, d.sorted(), "", false)), "asked for %v, answered %v", c[0], c[1])
	}
}
