package hca

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// desk is qp_ctl with the two blocks behind it that a packet meets first.
type desk struct {
	t        *testing.T
	ctl      sim.Stage
	classify Classifier
	resp     sim.Stage
	cycle    uint64
	last     []QPCtlTarget // of the last access's operations
}

func newDesk(t *testing.T) *desk {
	return &desk{t: t, ctl: qpCtlSpec.New(nil), classify: Classifier{numQPs: 4096}, resp: respPSNCheckSpec.New(nil)}
}

// do does an access and hands its operations on.
func (d *desk) do(a QPCtlAccess) QPCtlAnswer {
	d.cycle += 100
	out := d.ctl.Advance(d.cycle, []sim.Record{{Start: d.cycle, End: d.cycle, Data: a.Append(nil)}}, nil)
	d.last = nil
	for i, r := range out[1:] {
		require.Equal(d.t, d.cycle+QPCtlOpCycles+uint64(i), r.End)
		to, record := QPCtlTarget(r.Data[0]&15), shiftedBack(r.Data)
		d.last = append(d.last, to)
		switch to {
		case QPCtlToClassify:
			q := ParseClassifyQuery(record[:ClassifyQueryBytes])
			require.Equal(d.t, ClassDone, d.classify.Step(&q).Class)
		case QPCtlToResponder:
			d.answerOf(record[:RespQueryBytes])
		}
	}
	return ParseQPCtlAnswer(out[0].Data)
}

// shiftedBack is the block's record of an operation.
func shiftedBack(data []byte) []byte {
	record := make([]byte, len(data))
	for i := range data {
		record[i] = data[i] >> 4
		if i+1 < len(data) {
			record[i] |= data[i+1] << 4
		}
	}
	return record
}

func (d *desk) answerOf(record []byte) RespResult {
	out := d.resp.Advance(d.cycle, []sim.Record{{Start: d.cycle, End: d.cycle, Data: record}}, nil)
	return ParseRespResult(out[0].Data)
}

func (d *desk) write(at uint16, data uint32) QPCtlResp {
	return d.do(QPCtlAccess{Write: true, Address: at, Data: data, Strobe: 15}).Resp
}

func (d *desk) read(at uint16) uint32 { return d.do(QPCtlAccess{Address: at}).Data }

func (d *desk) happens(e QPCtlEvent) {
	d.cycle += 100
	require.Empty(d.t, d.ctl.Advance(d.cycle, []sim.Record{{Start: d.cycle, End: d.cycle, Port: qpCtlEvent,
		Data: e.Append(nil)}}, nil))
}

// packet is what becomes of a WRITE Only without bytes to QP 11h, with the PSN that it expects first.
func (d *desk) packet() (PacketClass, roce.RespReason) {
	q := ClassifyQuery{Encap: wire.EncapRoCEv2IPv6, Opcode: ib.Join(ib.RC, ib.WriteOnly), DestQP: 0x11, PKey: 0xFFFF,
		Src: roce.Address{0: 0x20, 15: 2}, Dst: roce.Address{0: 0x20, 15: 1}}
	r := d.classify.Step(&q)
	return r.Class, d.answerOf((&RespQuery{QPN: 0x11, PSN: 0x123456, Opcode: q.Opcode, AckReq: true}).Append(nil)).Why
}

// TestQPCtlLife takes a QP through its life by registers, as docs/blocks/qp_ctl.md tells it, and sends it a packet in
// each state (RSP-15): taken in RTR only. It is freed when what entered before it was closed has left.
func TestQPCtlLife(t *testing.T) {
	d := newDesk(t)
	d.write(0x030, 0x00000001) // ARG4: the address's last word
	d.write(0x03C, 0x20000000) // ARG7: its first
	d.write(0x008, 8)          // ADDRESS, entry 0
	d.write(0x024, 0xFFFF)
	d.write(0x008, 9) // P_KEY, entry 0
	d.write(0x00C, 0x11)
	d.write(0x100, 0x22|1<<26)
	d.write(0x104, 0x123456|16<<24|3<<29)
	d.write(0x108, 1<<29) // WRITE
	d.write(0x110, 2)
	d.write(0x11C, 0x20000000)
	steps := []struct {
		command, result, state uint32
		to                     []QPCtlTarget
		class                  PacketClass
	}{
		{2, 1, 0, nil, ClassDropped},
		{1, 0, 1, []QPCtlTarget{QPCtlToResponder, QPCtlToAnswers, QPCtlToCNPs, QPCtlToMessages, QPCtlToQueues,
			QPCtlToReplays}, ClassDropped},
		{2, 0, 2, []QPCtlTarget{QPCtlToResponder, QPCtlToClassify}, ClassRequest},
		{1, 1, 2, nil, ClassRequest},
		{3, 0, 3, []QPCtlTarget{QPCtlToClassify, QPCtlToResponder}, ClassDropped},
		{4, 0, 4, []QPCtlTarget{QPCtlToClassify}, ClassDropped},
		{5, 3, 4, nil, ClassDropped},
	}
	for _, s := range steps {
		d.write(0x008, s.command)
		require.Equal(t, s.to, d.last, s.command)
		require.Equal(t, s.result, d.read(0x004), s.command)
		require.Equal(t, s.state, d.read(0x13C)&7, s.command)
		class, _ := d.packet()
		require.Equal(t, s.class, class, s.command)
	}
	d.happens(QPCtlEvent{Enters: true})
	d.happens(QPCtlEvent{Enters: true, Closed: true})
	d.happens(QPCtlEvent{Enters: true, Leaves: true})
	require.Equal(t, uint32(2|1<<16), d.read(0x010), "two under way, one of them entered before the mark")
	d.write(0x008, 5)
	require.Equal(t, uint32(QPCtlBusy), d.read(0x004))
	d.happens(QPCtlEvent{Leaves: true})
	require.Equal(t, uint32(1|3<<16), d.read(0x010))
	d.write(0x008, 5)
	require.Equal(t, []QPCtlTarget{QPCtlToResponder, QPCtlToMessages, QPCtlToQueues, QPCtlToQueues, QPCtlToCNPs,
		QPCtlToReplays, QPCtlToMemory, QPCtlToSendQueues, QPCtlToTurns, QPCtlToRate}, d.last)
	require.Zero(t, d.read(0x004))
	require.Zero(t, d.read(0x13C))
	_, why := d.packet()
	require.Equal(t, roce.RespReason(1), why, "no QP")
}

// TestEveryBitOfAnOperation: with every register and argument all ones, each bit of data is 1 in some operation, so
// coverage leaves none out.
func TestEveryBitOfAnOperation(t *testing.T) {
	s, w := &QPRegisters{qpn: 0xFFFFFF}, &qpWords{}
	for i := range w.cfg {
		w.cfg[i] = ^uint32(0)
	}
	for i := range s.arg {
		s.arg[i] = ^uint32(0)
	}
	var any [QPCtlOpBytes]byte
	for c := QPCommandInit; c <= QPCommandSQE; c++ {
		for _, shared := range []uint32{0, 1} { // a queue of its own is cleared
			w.cfg[10] = 0xFFFFFF | shared<<24
			ops := []QPCtlOp{}
			if _, ofQP := qpMoves[c]; ofQP {
				for _, from := range []QPState{QPRTR, QPRTS, QPSQD} {
					ops = slices.Concat(ops, s.qpOps(c, w), s.senderOps(c, w, from))
				}
			} else {
				ops = s.tableOps(c)
			}
			for _, o := range ops {
				for i, b := range o.Append(nil) {
					any[i] |= b
				}
			}
		}
	}
	for bit := range 564 {
		require.NotZero(t, any[(bit+4)/8]>>((bit+4)%8)&1, "data[%d]", bit)
	}
}
