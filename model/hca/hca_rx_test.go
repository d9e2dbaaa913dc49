package hca_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// receiver is the stage hca_rx with QPs 1 and 2 that share receive queue 9, and QP 3 with one of its own; protection
// domain 7, path MTU 256. Key 100h is a region of 4096 bytes at 10000h, for the bus at 900000h; 200h is a window on it.
type receiver struct {
	t     *testing.T
	stage sim.Stage
	spec  wire.Spec
	next  map[uint32]psn.PSN
}

func newReceiver(t *testing.T) *receiver {
	spec, ok := hca.Lookup("hca_rx")
	require.True(t, ok)
	r := &receiver{t: t, stage: spec.New(sim.Settings{}), next: map[uint32]psn.PSN{}}
	r.spec = wire.Spec{Encap: wire.EncapRoCEv2IPv4, HopLimit: 64, PKey: 0xFFFF, IPFrag: 0x4000, AckReq: true,
		Src: wire.FromIPv4(10, 0, 0, 9), Dst: wire.FromIPv4(10, 0, 0, 2)}
	own := hca.ClassifyQuery{Op: hca.ClassifyAddress, Src: roce.Address(r.spec.Dst)}
	r.op(hca.ToClassify, own.Append(nil))
	pkey := hca.ClassifyQuery{Op: hca.ClassifyPKey, PKey: 0xFFFF}
	r.op(hca.ToClassify, pkey.Append(nil))
	for qpn := range uint32(4) {
		queue := hca.ReceiveSide{Queue: 9, Shared: true, PD: 7}
		if qpn == 3 {
			queue = hca.ReceiveSide{Queue: 3, PD: 7}
		}
		class := hca.ClassifyQuery{Op: hca.ClassifySet, DestQP: qpn, Live: true, Src: roce.Address(r.spec.Src),
			ReceiveSide: queue}
		r.op(hca.ToClassify, class.Append(nil))
		resp := hca.RespQuery{Op: hca.RespSet, QPN: qpn, PMTU: 1, Enabled: hca.RespEnableWrite, RNRTimer: 5}
		r.op(hca.ToVerdict, resp.Append(nil))
		resp.Op = hca.RespReady
		r.op(hca.ToVerdict, resp.Append(nil))
		ack := hca.AckQuery{Op: hca.AckSet, QPN: qpn}
		r.op(hca.ToAnswers, ack.Append(nil))
	}
	for _, key := range []hca.MRQuery{{RKey: 0x100}, {RKey: 0x200, Window: true}} {
		key.Op, key.PD, key.VA, key.Length, key.Need, key.Base = hca.MRSet, 7, 0x10000, 4096, 1, 0x900000
		r.op(hca.ToKeys, key.Append(nil))
	}
	return r
}

func (r *receiver) op(to hca.HcaRxTarget, record []byte) {
	in := sim.Record{Port: 1, Data: hca.AppendHcaRxOp(nil, to, record)}
	require.Empty(r.t, r.stage.Advance(0, []sim.Record{in}, nil))
}

func (r *receiver) post(queue, wqe uint32) {
	q := hca.RQQuery{Op: hca.RQPost, Queue: queue, ReceiveWQE: hca.ReceiveWQE{Bytes: 4096, WQE: wqe}}
	r.op(hca.ToReceiveQueues, q.Append(nil))
}

// told is what m_rec and the answer say: by docs/blocks/hca_rx.md, its bits.
type told struct {
	why      uint8
	address  uint64
	offset   uint32
	wqe      uint32
	syndrome int // -1: no answer
}

// send gives the stage the next packet of a QP; PSNs count executed packets.
func (r *receiver) send(qpn uint32, op ib.Operation, bytes int, change func(*wire.Spec)) (out told) {
	s := r.spec
	s.DestQP, s.PSN, s.Opcode = qpn, r.next[qpn], ib.Join(ib.RC, op)
	if change != nil {
		change(&s)
	}
	out.syndrome = -1
	in := sim.Record{Data: s.Append(nil, make([]byte, bytes)), User: uint32(wire.LinkEthernet)}
	for _, o := range r.stage.Advance(0, []sim.Record{in}, nil) {
		switch o.Port {
		case 4:
			var word [3]uint64 // bits 68 to 195
			for i := range 16 {
				word[i/8] |= uint64(o.Data[8+i]>>4|o.Data[9+i]<<4) << (i % 8 * 8)
			}
			out.why, out.address = o.Data[7]>>2&31, word[0]
			out.offset, out.wqe = uint32(word[1]), uint32(word[1]>>32)
		case 8:
			out.syndrome = int(binary.BigEndian.Uint32(o.Data[14+20+8+12:]) >> 24)
		}
	}
	if out.why == 0 {
		r.next[qpn] = r.next[qpn].Add(1)
	}
	return out
}

// TestHcaRxWriteGoesOn: the packets of a WRITE go where their message is, each held against its key; those of another
// QP between them change nothing (RSP-1).
func TestHcaRxWriteGoesOn(t *testing.T) {
	r := newReceiver(t)
	at := func(s *wire.Spec) { s.VA, s.RKey, s.DMALen, s.AckReq = 0x10100, 0x100, 600, false }
	other := func(s *wire.Spec) { s.VA, s.RKey, s.DMALen, s.AckReq = 0x10F00, 0x100, 512, false }
	quiet := func(s *wire.Spec) { s.AckReq = false }
	require.Equal(t, told{address: 0x900100, syndrome: -1}, r.send(1, ib.WriteFirst, 256, at))
	require.Equal(t, told{address: 0x900F00, syndrome: -1}, r.send(2, ib.WriteFirst, 256, other))
	require.Equal(t, told{address: 0x900200, offset: 256, syndrome: -1}, r.send(1, ib.WriteMiddle, 256, quiet))
	require.Equal(t, told{address: 0x900300, offset: 512, syndrome: -1}, r.send(1, ib.WriteLast, 88, quiet))
	beyond := told{why: 10, syndrome: 0x62} // its second packet leaves the region
	require.Equal(t, beyond, r.send(2, ib.WriteLast, 256, nil))
}

// TestHcaRxSharedQueue: QPs that share a queue take its WQEs in the order in which their SENDs begin, and keep theirs
// to the end; a QP with a queue of its own tells its credits (RSP-1, RSP-9, CRD-1, CRD-2).
func TestHcaRxSharedQueue(t *testing.T) {
	r := newReceiver(t)
	require.Equal(t, told{why: 9, syndrome: 0x25}, r.send(1, ib.SendOnly, 8, nil), "nothing is posted")
	for wqe := range uint32(3) {
		r.post(9, 70+wqe)
		r.post(3, 80+wqe)
	}
	require.Equal(t, told{wqe: 70, syndrome: 0x1F}, r.send(1, ib.SendFirst, 256, nil))
	require.Equal(t, told{wqe: 71, syndrome: 0x1F}, r.send(2, ib.SendOnly, 8, nil))
	require.Equal(t, told{wqe: 70, offset: 256, syndrome: 0x1F}, r.send(1, ib.SendLast, 4, nil))
	write := func(s *wire.Spec) { s.VA, s.RKey, s.DMALen = 0x10000, 0x100, 4 }
	require.Equal(t, told{address: 0x900000, wqe: 72, syndrome: 0x1F}, r.send(2, ib.WriteOnlyImm, 4, write))
	require.Equal(t, told{wqe: 80, syndrome: 2}, r.send(3, ib.SendOnly, 8, nil), "two are left")
	require.Equal(t, told{address: 0x900000, syndrome: 2}, r.send(3, ib.WriteOnly, 4, write), "and stay")
}

// TestHcaRxInvalidate: a SEND takes a window away, and nothing else; behind it the key opens nothing (RSP-1).
func TestHcaRxInvalidate(t *testing.T) {
	r := newReceiver(t)
	r.post(9, 70)
	r.post(9, 71)
	window := func(s *wire.Spec) { s.VA, s.RKey, s.DMALen = 0x10000, 0x200, 4 }
	require.Equal(t, told{address: 0x900000, syndrome: 0x1F}, r.send(1, ib.WriteOnly, 4, window))
	gives := func(s *wire.Spec) { s.InvRKey = 0x200 }
	region := func(s *wire.Spec) { s.InvRKey = 0x100 }
	require.Equal(t, told{wqe: 70, syndrome: 0x1F}, r.send(1, ib.SendOnlyInv, 4, gives))
	require.Equal(t, told{why: 10, syndrome: 0x62}, r.send(1, ib.WriteOnly, 4, window))
	require.Equal(t, told{why: 10, syndrome: 0x62}, r.send(2, ib.SendOnlyInv, 4, region))
}

// marked gives the stage a packet of a QP in a clock, its ECN bits and what change says in it, and returns the frames
// that leave.
func (r *receiver) marked(clock uint64, qpn uint32, ecn uint8, change func(*wire.Spec)) (frames [][]byte) {
	s := r.spec
	s.DestQP, s.PSN, s.Opcode, s.TClass = qpn, r.next[qpn], ib.Join(ib.RC, ib.SendOnly), 0x60|ecn
	if change != nil {
		change(&s)
	}
	in := sim.Record{Start: clock, End: clock, Data: s.Append(nil, make([]byte, 16)), User: uint32(wire.LinkEthernet)}
	for _, o := range r.stage.Advance(clock, []sim.Record{in}, nil) {
		if o.Port == 8 {
			frames = append(frames, append([]byte(nil), o.Data...))
		}
	}
	return frames
}

// TestHcaRxCNPBeforeAnswer: a marked packet gives a CNP, then its answer; within the period, unmarked, itself a CNP, or
// of a QP that cnp_gen does not know, it gives none; a duplicate gives one (CNP-1 to CNP-4).
func TestHcaRxCNPBeforeAnswer(t *testing.T) {
	const ce, period = 3, 100
	r := newReceiver(t)
	for _, q := range []hca.CNPQuery{{Op: hca.CNPPeriod, Period: period}, {Op: hca.CNPSet, QPN: 1, PeerQPN: 0xABCDE}} {
		r.op(hca.ToNotify, q.Append(nil))
	}
	for wqe := range uint32(7) {
		r.post(9, wqe+1)
	}
	opcodes := func(frames [][]byte) (list []byte) {
		for _, f := range frames {
			list = append(list, f[14+20+8])
		}
		return list
	}
	next := func(qpn uint32) { r.next[qpn] = r.next[qpn].Add(1) }
	frames := r.marked(1000, 1, ce, nil)
	next(1)
	require.Equal(t, []byte{0x81, 0x11}, opcodes(frames), "CNP, ACK")
	cnp := frames[0]
	require.Len(t, cnp, 14+20+8+12+16+4)
	require.Equal(t, byte(0x60), cnp[14+1], "TOS: not ECN-capable")
	require.Equal(t, []byte{10, 0, 0, 2, 10, 0, 0, 9}, cnp[14+12:14+20], "back to the sender")
	bth := []byte{0x81, 0, 0xFF, 0xFF, 0x40, 0x0A, 0xBC, 0xDE, 0, 0, 0, 0}
	require.Equal(t, append(bth, make([]byte, 16)...), cnp[42:70], "BECN, QP of the sender, no AckReq, PSN 0")
	require.Equal(t, []byte{0x11}, opcodes(r.marked(1000+period-1, 1, ce, nil)), "too soon")
	next(1)
	require.Equal(t, []byte{0x11}, opcodes(r.marked(2000, 1, 2, nil)), "ECT(0)")
	next(1)
	require.Empty(t, r.marked(2000, 1, ce, func(s *wire.Spec) { s.Opcode = ib.OpcodeCNP }), "a CNP")
	require.Equal(t, []byte{0x11}, opcodes(r.marked(2000, 2, ce, nil)), "QP 2 is not set in cnp_gen")
	next(2)
	again := func(s *wire.Spec) { s.PSN = 0 }
	require.Equal(t, []byte{0x81, 0x11}, opcodes(r.marked(2000, 1, ce, again)), "a duplicate")
	require.Equal(t, []byte{0x11}, opcodes(r.marked(2001, 1, ce, nil)), "the duplicate's CNP counts")
	next(1)
	gone := func(s *wire.Spec) { s.PKey = 0x1234 }
	require.Empty(t, r.marked(3000, 1, ce, gone), "not admitted")
	silent := func(s *wire.Spec) { s.AckReq = false }
	require.Equal(t, []byte{0x81}, opcodes(r.marked(3000, 1, ce, silent)), "asks for no answer")
}

// TestHcaRxDatagram: a datagram comes from anybody and has any PSN. With the QP's Q_Key it goes behind the first 40
// bytes of its WQE, which has to have room for both; its completion counts those too, and says who sent it. A marked
// one gives a CNP to that QP (RSP-4, CNP-3).
func TestHcaRxDatagram(t *testing.T) {
	const port = 7 // m_cqe
	r := newReceiver(t)
	class := hca.ClassifyQuery{Op: hca.ClassifySet, DestQP: 5, Live: true, Service: hca.RespUD,
		ReceiveSide: hca.ReceiveSide{Queue: 3, QKey: 0x81112222}}
	r.op(hca.ToClassify, class.Append(nil))
	resp := hca.RespQuery{Op: hca.RespSet, QPN: 5, PMTU: 1, Service: hca.RespUD}
	r.op(hca.ToVerdict, resp.Append(nil))
	resp.Op = hca.RespReady
	r.op(hca.ToVerdict, resp.Append(nil))
	r.op(hca.ToAnswers, (&hca.AckQuery{Op: hca.AckSet, QPN: 5}).Append(nil))
	r.op(hca.ToNotify, (&hca.CNPQuery{Op: hca.CNPSet, QPN: 5, PeerQPN: 9}).Append(nil))
	datagram := func(key uint32) func(*wire.Spec) {
		return func(s *wire.Spec) {
			s.Opcode, s.QKey, s.SrcQP, s.PSN = ib.Join(ib.UD, ib.SendOnly), key, 0xABCDEF, 0x777777
			s.Src = wire.FromIPv4(10, 9, 9, 9)
		}
	}
	r.post(3, 70)
	require.Equal(t, told{why: 16, syndrome: -1}, r.send(5, ib.SendOnly, 8, datagram(0x01112222)), "another Q_Key")
	require.Equal(t, told{wqe: 70, offset: 40, syndrome: -1}, r.send(5, ib.SendOnly, 8, datagram(0x81112222)))
	require.Equal(t, told{why: 9, syndrome: -1}, r.send(5, ib.SendOnly, 8, datagram(0x81112222)), "no WQE is left")
	short := hca.RQQuery{Op: hca.RQPost, Queue: 3, ReceiveWQE: hca.ReceiveWQE{Bytes: 47, WQE: 71}}
	r.op(hca.ToReceiveQueues, short.Append(nil))
	require.Equal(t, told{why: 14, syndrome: -1}, r.send(5, ib.SendOnly, 8, datagram(0x81112222)), "47 bytes")
	frames := r.marked(1000, 5, 3, func(s *wire.Spec) { datagram(0x81112222)(s); s.QKey = 1 })
	require.Len(t, frames, 1, "admitted, so marked")
	require.Equal(t, []byte{0xAB, 0xCD, 0xEF}, frames[0][14+20+8+5:][:3], "to who sent it")

	for tag := range byte(1) { // what was written is acknowledged
		for _, o := range r.stage.Advance(0, []sim.Record{{Port: 2, Data: []byte{tag, 0}}}, nil) {
			if o.Port != port {
				continue
			}
			c := hca.ParseDMARecord(o.Data)
			require.True(t, c.Complete)
			require.EqualValues(t, []uint32{5, 0xABCDEF, 70, 48}, []uint32{c.QPN, c.PSN, c.WQE, c.Length})
			return
		}
	}
	t.Fatal("no completion")
}
