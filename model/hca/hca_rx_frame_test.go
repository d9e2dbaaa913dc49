package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// frameSpec is a packet of QP 1 that asks for an answer.
func frameSpec(op ib.Operation) wire.Spec {
	return wire.Spec{Encap: wire.EncapRoCEv2IPv4, HopLimit: 64, PKey: 0xFFFF, IPFrag: 0x4000, AckReq: true, DestQP: 1,
		Opcode: ib.Join(ib.RC, op), Src: wire.FromIPv4(10, 0, 0, 9), Dst: wire.FromIPv4(10, 0, 0, 2)}
}

// TestHcaRxOfALongMessage: the packet that ends a message goes behind what came before it, and its completion has the
// bytes of all, 2^31 at most (DMA-4, LEN-1).
func TestHcaRxOfALongMessage(t *testing.T) {
	for bit := 8; bit < 31; bit++ {
		for _, op := range []ib.Operation{ib.SendLast, ib.WriteLastImm} {
			for _, length := range []uint32{1<<bit - 4, 1 << bit, 1<<bit + 100, 2 << bit} {
				var f HcaRxFrame
				spec := frameSpec(op)
				f.Receive(wire.LinkEthernet, spec.Append(nil, make([]byte, 100)))
				f.Class.Class, f.Result = ClassRequest, RespResult{Verdict: roce.RespExecute, Complete: true}
				f.wqe.WQE, f.message.Offset = 0x70, length-100
				c := f.Memory()
				require.True(t, c.Place && c.Complete)
				require.Equal(t, length, c.Length, "%s", op)
				if op == ib.SendLast {
					require.Equal(t, 0x70<<32+uint64(length)-100, c.Address)
				}
			}
		}
	}
}

// TestHcaRxAnswersByTheTable: an answer has the P_Key that its QP's entry of the table has now, whatever the one before
// it had, and whatever the request came with (ADM-5).
func TestHcaRxAnswersByTheTable(t *testing.T) {
	b, spec := NewHcaRxBlocks(nil), frameSpec(ib.WriteOnly)
	op := func(to HcaRxTarget, record []byte) { b.Operate(AppendHcaRxOp(nil, to, record)) }
	op(ToClassify, (&ClassifyQuery{Op: ClassifyAddress, Src: roce.Address(spec.Dst)}).Append(nil))
	op(ToClassify, (&ClassifyQuery{Op: ClassifySet, DestQP: 1, Live: true, Src: roce.Address(spec.Src),
		ReceiveSide: ReceiveSide{Shared: true}}).Append(nil))
	op(ToVerdict, (&RespQuery{Op: RespSet, QPN: 1, PMTU: 1, Enabled: RespEnableWrite}).Append(nil))
	op(ToVerdict, (&RespQuery{Op: RespReady, QPN: 1}).Append(nil))
	op(ToAnswers, (&AckQuery{Op: AckSet, QPN: 1}).Append(nil))
	for i, entry := range []uint16{0x7FFF, 0xFFFF, 0xFFFF, 0x7FFF, 0x8123, 0x0123} {
		op(ToClassify, (&ClassifyQuery{Op: ClassifyPKey, PKey: entry}).Append(nil))
		var f HcaRxFrame
		spec.PKey, spec.PSN = entry|0x8000, psn.PSN(i)
		b.Play(&f, wire.LinkEthernet, spec.Append(nil, nil))
		frame, _, _ := b.AppendAnswer(&f, nil)
		var p wire.Packet
		wire.Decode(wire.LinkEthernet, frame, &p)
		require.Equal(t, ib.Join(ib.RC, ib.Ack), p.BTH().Opcode())
		require.Equal(t, spec.PSN, p.BTH().PSN())
		require.Equal(t, entry, p.BTH().PKey(), "answer %d", i)
	}
}

// TestHcaRxBegins: of all operations of replay_fifo only a set that is done, with a PMTU of 1 to 5, has a QP begin anew
// (RSP-15).
func TestHcaRxBegins(t *testing.T) {
	for op := range ReplayOp(8) {
		for pmtu := range uint8(8) {
			q := ReplayQuery{Op: op, QPN: 0x123456, PMTU: pmtu, Depth: 4}
			qpn, begins := HcaRxBegins(AppendHcaRxOp(nil, ToReplay, q.Append(nil)))
			require.EqualValues(t, 0x123456, qpn)
			require.Equal(t, op == ReplaySet && 1 <= pmtu && pmtu <= 5, begins, "op %d, PMTU %d", op, pmtu)
		}
	}
}
