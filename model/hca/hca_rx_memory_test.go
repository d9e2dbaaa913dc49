package hca_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// written is what hca_rx gives memory and the host: by docs/blocks/hca_rx.md, Host.
type written struct {
	writes []hca.DMAWrite
	data   [][]byte
	told   []hca.DMARecord
}

// give gives the stage a record and adds what memory and host see of it.
func (r *receiver) give(w *written, in sim.Record) (answers int) {
	for _, o := range r.stage.Advance(0, []sim.Record{in}, nil) {
		switch o.Port {
		case 5:
			w.writes = append(w.writes, hca.ParseDMAWrite(o.Data))
		case 6:
			w.data = append(w.data, append([]byte(nil), o.Data...))
		case 7:
			w.told = append(w.told, hca.ParseDMARecord(o.Data))
		case 8:
			answers++
		}
	}
	return answers
}

// frame gives the stage a packet of QP 1 with these bytes.
func (r *receiver) frame(w *written, op ib.Operation, payload []byte, change func(*wire.Spec)) (answers int) {
	s := r.spec
	s.DestQP, s.PSN, s.Opcode = 1, r.next[1], ib.Join(ib.RC, op)
	if change != nil {
		change(&s)
	}
	r.next[1] = r.next[1].Add(1)
	return r.give(w, sim.Record{Data: s.Append(nil, payload), User: uint32(wire.LinkEthernet)})
}

func (r *receiver) acknowledge(w *written, tag uint8, failed bool) {
	a := hca.DMAAck{Tag: tag, Error: failed}
	r.give(w, sim.Record{Port: 2, Data: a.Append(nil)})
}

// TestHcaRxWritesAndCompletes: a SEND goes behind the address that its receive WQE's number stands for, a WRITE where
// its key says, each in aligned beats of 64 bytes; a message completes when all writes up to its own are acknowledged
// (DMA-1, DMA-2, DMA-4). What is not executed is written nowhere (DMA-3).
func TestHcaRxWritesAndCompletes(t *testing.T) {
	r := newReceiver(t)
	r.post(9, 0x70)
	r.post(9, 0x71)
	var w written
	first := make([]byte, 256)
	first[0], first[255] = 1, 2
	r.frame(&w, ib.SendFirst, first, nil)
	at := func(s *wire.Spec) { s.VA, s.RKey, s.DMALen, s.Immediate = 0x10003, 0x100, 2, 0xCAFE }
	again := func(s *wire.Spec) { s.PSN = 0 }
	r.frame(&w, ib.SendLast, []byte{3}, func(s *wire.Spec) { s.SE = true })
	r.frame(&w, ib.SendFirst, first, again)
	r.next[1] = r.next[1].Add(-1)
	r.frame(&w, ib.WriteOnlyImm, []byte{4, 5}, at)
	require.Equal(t, []hca.DMAWrite{{Bytes: 256, Address: 0x70 << 32}, {Tag: 1, Bytes: 1, Address: 0x70<<32 + 256},
		{Tag: 2, Bytes: 2, Address: 0x900003}}, w.writes)
	require.Equal(t, [][]byte{first, {3}, {0, 0, 0, 4, 5}}, w.data)
	r.acknowledge(&w, 2, false)
	r.acknowledge(&w, 1, false)
	require.Empty(t, w.told, "the first write is not in memory")
	r.acknowledge(&w, 0, false)
	require.Equal(t, []hca.DMARecord{
		{Complete: true, DMACompletion: hca.DMACompletion{Solicited: true, QPN: 1, PSN: 1, WQE: 0x70, Length: 257}},
		{Complete: true, DMACompletion: hca.DMACompletion{QPN: 1, PSN: 2, WQE: 0x71, Length: 2, HasImmediate: true,
			Immediate: 0xCAFE}}}, w.told)
}

// TestHcaRxWriteFails: a write that fails behind its ACK takes its QP to error, which then answers nothing; its message
// completes with the error, and so do those behind it until it is cleared (DMA-5, RSP-15).
func TestHcaRxWriteFails(t *testing.T) {
	r := newReceiver(t)
	for wqe := range uint32(3) {
		r.post(9, wqe)
	}
	var w written
	require.Equal(t, 1, r.frame(&w, ib.SendOnly, []byte{1}, nil))
	require.Equal(t, 1, r.frame(&w, ib.SendOnly, []byte{2}, nil), "executed before anyone knew")
	r.acknowledge(&w, 0, true)
	r.acknowledge(&w, 1, false)
	require.Len(t, w.told, 2)
	require.True(t, w.told[0].Failed && w.told[0].Complete && !w.told[1].Failed)
	require.Equal(t, []uint8{hca.DMAMemoryError, hca.DMAFlushed}, []uint8{w.told[0].Status, w.told[1].Status})
	require.Zero(t, r.frame(&w, ib.SendOnly, []byte{3}, nil))
	require.Len(t, w.writes, 2)
	require.Equal(t, 0x1F, r.send(2, ib.SendOnly, 0, nil).syndrome, "another QP goes on")
	clear := hca.DMACommand{Clear: true, DMACompletion: hca.DMACompletion{QPN: 1}}
	in := sim.Record{Port: 1, Data: hca.AppendHcaRxOp(nil, hca.ToMemory, clear.Append(nil))}
	r.give(&w, in)
	require.True(t, w.told[len(w.told)-1].Cleared)
}
