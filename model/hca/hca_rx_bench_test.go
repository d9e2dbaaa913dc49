package hca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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

// untimed is SEND Only back to back to many QPs: the blocks of hca_rx, or its stage, without a clock.
type untimed struct {
	blocks *HcaRxBlocks
	stage  sim.Stage
	frame  HcaRxFrame
	posts  [][]byte
	frames [][]byte
	next   psn.PSN
	bytes  []byte
	in     []sim.Record
	out    []sim.Record
}

func newUntimed(bytes int) *untimed {
	u := &untimed{blocks: NewHcaRxBlocks(nil), stage: hcaRxSpec.New(nil)}
	spec := wire.Spec{Encap: wire.EncapRoCEv2IPv4, HopLimit: 64, PKey: 0xFFFF, IPFrag: 0x4000, AckReq: true,
		Src: wire.FromIPv4(10, 0, 0, 9), Dst: wire.FromIPv4(10, 0, 0, 2), Opcode: ib.Join(ib.RC, ib.SendOnly)}
	op := func(to HcaRxTarget, record []byte) {
		data := AppendHcaRxOp(nil, to, record)
		u.blocks.Operate(data)
		u.stage.Advance(0, []sim.Record{{Port: hcaRxOps, Data: data}}, nil)
	}
	op(ToClassify, (&ClassifyQuery{Op: ClassifyAddress, Src: roce.Address(spec.Dst)}).Append(nil))
	op(ToClassify, (&ClassifyQuery{Op: ClassifyPKey, PKey: 0xFFFF}).Append(nil))
	for qpn := range uint32(benchQPs) {
		op(ToClassify, (&ClassifyQuery{Op: ClassifySet, DestQP: qpn, Live: true, Src: roce.Address(spec.Src),
			ReceiveSide: ReceiveSide{Queue: qpn}}).Append(nil))
		op(ToVerdict, (&RespQuery{Op: RespSet, QPN: qpn, PMTU: 5}).Append(nil))
		op(ToVerdict, (&RespQuery{Op: RespReady, QPN: qpn}).Append(nil))
		op(ToAnswers, (&AckQuery{Op: AckSet, QPN: qpn, PeerQPN: qpn}).Append(nil))
	}
	for i := range uint32(benchPackets) {
		spec.DestQP = i % benchQPs
		u.frames = append(u.frames, spec.Append(nil, make([]byte, bytes)))
		u.posts = append(u.posts, AppendHcaRxOp(nil, ToReceiveQueues, (&RQQuery{Op: RQPost, Queue: spec.DestQP,
			ReceiveWQE: ReceiveWQE{Bytes: 1 << 20, WQE: i}}).Append(nil)))
	}
	return u
}

// renew gives the frames their next PSN.
func (u *untimed) renew() {
	for i, f := range u.frames {
		n := uint32(u.next.Add(int32(i / benchQPs)))
		f[14+20+8+9], f[14+20+8+10], f[14+20+8+11] = byte(n>>16), byte(n>>8), byte(n)
		loc := wire.Locate(wire.LinkEthernet, f)
		wire.PutICRC(f, &loc)
	}
	u.next = u.next.Add(benchPackets / benchQPs)
}

// askBlocks plays a turn to the blocks one by one, as the timed model asks them, and returns how many answers there
// are.
func (u *untimed) askBlocks() (answers int) {
	b, f := u.blocks, &u.frame
	for i := range u.frames {
		b.Operate(u.posts[i])
		f.Receive(wire.LinkEthernet, u.frames[i])
		u.bytes = f.AppendGate(u.bytes[:0])
		b.Classify(f)
		b.Notify(f, 0)
		b.Request(f)
		u.bytes = f.AppendRecord(u.bytes)
		if f.Answers() {
			u.bytes, _, _ = b.AppendAnswer(f, u.bytes)
			answers++
		}
	}
	return answers
}

// askStage plays a turn to the stage.
func (u *untimed) askStage() (answers int) {
	for i := range u.frames {
		u.in = append(u.in[:0], sim.Record{Port: hcaRxOps, Data: u.posts[i]}, sim.Record{Data: u.frames[i]})
		u.out = u.stage.Advance(0, u.in, u.out[:0])
		for k := range u.out {
			if u.out[k].Port == hcaRxAnswers {
				answers++
			}
		}
		u.in = u.in[:0]
		for k := range u.out {
			if w := &u.out[k]; w.Port == hcaRxWrites {
				u.bytes = (&DMAAck{Tag: ParseDMAWrite(w.Data).Tag}).Append(u.bytes[:0])
				u.in = append(u.in, sim.Record{Port: hcaRxAcks, Data: u.bytes})
			}
		}
		u.out = u.stage.Advance(0, u.in, u.out[:0])
	}
	return answers
}

// BenchmarkHcaRx is hca_rx without a clock: packets in a second of one core, each answered, with the post of the
// receive WQE that it takes. best/s is the turn that took least. What makes the frames is not counted.
func BenchmarkHcaRx(b *testing.B) {
	for _, c := range []struct {
		name  string
		bytes int
		turn  func(*untimed) int
	}{
		{"blocks, SEND of 0", 0, (*untimed).askBlocks}, {"blocks, SEND of 64", 64, (*untimed).askBlocks},
		{"blocks, SEND of 1024", 1024, (*untimed).askBlocks},
		{"stage, SEND of 0", 0, (*untimed).askStage}, {"stage, SEND of 64", 64, (*untimed).askStage},
	} {
		b.Run(c.name, func(b *testing.B) {
			u := newUntimed(c.bytes)
			b.ReportAllocs()
			spent, best, turns := time.Duration(0), time.Hour, 0
			for b.Loop() {
				u.renew()
				began := time.Now()
				n := c.turn(u)
				took := time.Since(began)
				require.Equal(b, benchPackets, n)
				spent, best, turns = spent+took, min(best, took), turns+1
			}
			b.ReportMetric(float64(turns*benchPackets)/spent.Seconds(), "packets/s")
			b.ReportMetric(benchPackets/best.Seconds(), "best/s")
		})
	}
}

// TestBlocksDoNotAllocate: the blocks of hca_rx allocate nothing for a packet.
func TestBlocksDoNotAllocate(t *testing.T) {
	for _, bytes := range []int{0, 64, 4096} {
		u := newUntimed(bytes)
		for range 2 {
			u.renew()
			require.Equal(t, benchPackets, u.askBlocks())
		}
		require.Zero(t, testing.AllocsPerRun(3, func() {
			u.renew()
			u.askBlocks()
		}), "%d bytes", bytes)
	}
}
