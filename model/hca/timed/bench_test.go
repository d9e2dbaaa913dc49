package timed_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

const (
	benchQPs     = 256
	benchPackets = 8 * benchQPs // of a turn
)

// stream is SEND Only, or READ, back to back to many QPs, each answered; frames are made once and their PSNs written
// anew.
type stream struct {
	p      *timed.Pipeline
	frames []timed.Arrival // of a turn: QP by QP, again and again
	posts  []timed.Arrival // as many receive WQEs
	acks   []timed.Arrival // of as many writes
	gives  []timed.Arrival // what memory gives for READs
	next   psn.PSN
	out    []sim.Record
}

func newStream(t testing.TB, read bool, bytes int) *stream {
	s := &stream{p: timed.New(timed.Config{})}
	spec := wire.Spec{Encap: wire.EncapRoCEv2IPv4, HopLimit: 64, PKey: 0xFFFF, IPFrag: 0x4000, AckReq: true,
		Src: wire.FromIPv4(10, 0, 0, 9), Dst: wire.FromIPv4(10, 0, 0, 2), Opcode: ib.Join(ib.RC, ib.SendOnly)}
	var ops []timed.Arrival
	op := func(target hca.HcaRxTarget, record []byte) {
		data := hca.AppendHcaRxOp(nil, target, record)
		ops = append(ops, timed.Arrival{Offer: sim.Offer{Port: timed.Ops, Seq: uint64(len(ops)), Data: data}})
	}
	own := hca.ClassifyQuery{Op: hca.ClassifyAddress, Src: roce.Address(spec.Dst)}
	op(hca.ToClassify, own.Append(nil))
	pkey := hca.ClassifyQuery{Op: hca.ClassifyPKey, PKey: 0xFFFF}
	op(hca.ToClassify, pkey.Append(nil))
	for qpn := range uint32(benchQPs) {
		class := hca.ClassifyQuery{Op: hca.ClassifySet, DestQP: qpn, Live: true, Src: roce.Address(spec.Src),
			ReceiveSide: hca.ReceiveSide{Queue: qpn}}
		op(hca.ToClassify, class.Append(nil))
		resp := hca.RespQuery{Op: hca.RespSet, QPN: qpn, PMTU: 5, Enabled: hca.RespEnableRead, MaxReads: 8}
		op(hca.ToVerdict, resp.Append(nil))
		resp.Op = hca.RespReady
		op(hca.ToVerdict, resp.Append(nil))
		ack := hca.AckQuery{Op: hca.AckSet, QPN: qpn, PeerQPN: qpn}
		op(hca.ToAnswers, ack.Append(nil))
		kept := hca.ReplayQuery{Op: hca.ReplaySet, QPN: qpn, PMTU: 5, Depth: 8}
		op(hca.ToReplay, kept.Append(nil))
		key := hca.MRQuery{Op: hca.MRSet, RKey: qpn << 8, Length: 1 << 20, Need: 2}
		op(hca.ToKeys, key.Append(nil))
	}
	for i := range uint32(benchPackets) {
		spec.DestQP = i % benchQPs
		if read {
			spec.Opcode, spec.RKey, spec.DMALen = ib.Join(ib.RC, ib.ReadRequest), spec.DestQP<<8, uint32(bytes)
			s.frames = append(s.frames, timed.Arrival{Offer: sim.Offer{Port: timed.Frames, User: uint32(wire.LinkEthernet),
				Data: spec.Append(nil, nil)}})
			for range (bytes + hca.ReadPieceBytes - 1) / hca.ReadPieceBytes {
				s.gives = append(s.gives, timed.Arrival{Offer: sim.Offer{Port: timed.ReadData,
					User: hca.ReadUser(uint8(len(s.gives)), false), Data: make([]byte, min(bytes, hca.ReadPieceBytes))}})
			}
			continue
		}
		s.frames = append(s.frames, timed.Arrival{Offer: sim.Offer{Port: timed.Frames, User: uint32(wire.LinkEthernet),
			Data: spec.Append(nil, make([]byte, bytes))}})
		post := hca.RQQuery{Op: hca.RQPost, Queue: i % benchQPs, ReceiveWQE: hca.ReceiveWQE{Bytes: 1 << 20, WQE: i}}
		if ack := (hca.DMAAck{Tag: uint8(i)}); bytes > 0 {
			s.acks = append(s.acks, timed.Arrival{Offer: sim.Offer{Port: timed.Acks, Data: ack.Append(nil)}})
		}
		s.posts = append(s.posts, timed.Arrival{Offer: sim.Offer{Port: timed.Ops,
			Data: hca.AppendHcaRxOp(nil, hca.ToReceiveQueues, post.Append(nil))}})
	}
	for range s.p.Advance(toTheEnd, ops, nil) {
		continue
	}
	return s
}

// renew gives the frames their next PSN.
func (s *stream) renew() {
	for i := range s.frames {
		f := s.frames[i].Data
		n := uint32(s.next.Add(int32(i / benchQPs)))
		f[14+20+8+9], f[14+20+8+10], f[14+20+8+11] = byte(n>>16), byte(n>>8), byte(n)
		loc := wire.Locate(wire.LinkEthernet, f)
		wire.PutICRC(f, &loc)
	}
	s.next = s.next.Add(benchPackets / benchQPs)
}

// turn plays the packets of a turn and returns how many left with an answer.
func (s *stream) turn() (answers int) {
	s.out = s.p.Advance(toTheEnd, s.posts, s.out[:0])
	s.p.Advance(s.p.Clock(), s.acks, nil)
	s.p.Advance(s.p.Clock(), s.gives, nil)
	s.out = s.p.Advance(toTheEnd, s.frames, s.out[:0])
	for i := range s.out {
		if s.out[i].Port == timed.Answers {
			answers++
		}
	}
	return answers
}

// threadTime is the processor time of this thread.
func threadTime(b *testing.B) time.Duration {
	var t unix.Timespec
	require.NoError(b, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t))
	return time.Duration(t.Nano())
}

// BenchmarkPipeline is the model alone: packets in a second of one core's time, each one answered. What makes the
// frames is not counted in packets/s; best/s is the turn that took least, which other processes disturbed least.
func BenchmarkPipeline(b *testing.B) {
	for i, bytes := range []int{0, 64, 256, 1024, 4096, 64, 1024} {
		name := fmt.Sprintf("SEND of %d", bytes)
		if i >= 5 {
			name = fmt.Sprintf("READ of %d", bytes)
		}
		b.Run(name, func(b *testing.B) {
			s := newStream(b, i >= 5, bytes)
			s.renew()
			require.Equal(b, benchPackets, s.turn())
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			b.ReportAllocs()
			n, spent, best := 0, time.Duration(0), time.Hour
			for b.Loop() {
				s.renew()
				began := threadTime(b)
				n += s.turn()
				took := threadTime(b) - began
				spent, best = spent+took, min(best, took)
			}
			b.ReportMetric(float64(n)/spent.Seconds(), "packets/s")
			b.ReportMetric(benchPackets/best.Seconds(), "best/s")
		})
	}
}

// TestNoAllocation: once its queues have their size, the model allocates nothing for a packet.
func TestNoAllocation(t *testing.T) {
	for i, bytes := range []int{0, 64, 4096, 64, 1024} {
		s := newStream(t, i >= 3, bytes)
		for range 4 {
			s.renew()
			require.Equal(t, benchPackets, s.turn())
		}
		once := func() {
			s.renew()
			s.turn()
		}
		require.Zero(t, testing.AllocsPerRun(10, once), "%d packets of %d bytes", benchPackets, bytes)
	}
}
