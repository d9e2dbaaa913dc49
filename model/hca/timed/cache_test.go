package timed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// twoQPs gives WRITEs without bytes to two QPs in turn, and returns how far apart their records leave, the first ones
// left out.
func twoQPs(t *testing.T, host timed.Host, qpns [2]uint32) (gaps []uint64) {
	p := timed.New(timed.Config{NumQPs: 8192, Host: host})
	spec := wire.Spec{Encap: wire.EncapRoCEv2IPv4, HopLimit: 64, PKey: 0xFFFF, IPFrag: 0x4000,
		Src: wire.FromIPv4(10, 0, 0, 9), Dst: wire.FromIPv4(10, 0, 0, 2), Opcode: ib.Join(ib.RC, ib.WriteOnly)}
	var in []timed.Arrival
	op := func(to hca.HcaRxTarget, record []byte) {
		data := hca.AppendHcaRxOp(nil, to, record)
		in = append(in, timed.Arrival{Offer: sim.Offer{Port: timed.Ops, Seq: uint64(len(in)), Data: data}})
	}
	op(hca.ToClassify, (&hca.ClassifyQuery{Op: hca.ClassifyAddress, Src: roce.Address(spec.Dst)}).Append(nil))
	op(hca.ToClassify, (&hca.ClassifyQuery{Op: hca.ClassifyPKey, PKey: 0xFFFF}).Append(nil))
	for _, qpn := range qpns {
		op(hca.ToClassify, (&hca.ClassifyQuery{Op: hca.ClassifySet, DestQP: qpn, Live: true, Src: roce.Address(spec.Src),
			ReceiveSide: hca.ReceiveSide{Shared: true}}).Append(nil))
		op(hca.ToVerdict, (&hca.RespQuery{Op: hca.RespSet, QPN: qpn, PMTU: 5, Enabled: hca.RespEnableWrite}).Append(nil))
		op(hca.ToVerdict, (&hca.RespQuery{Op: hca.RespReady, QPN: qpn}).Append(nil))
	}
	p.Advance(toTheEnd, in, nil)
	in = in[:0]
	for i := range 8 {
		spec.DestQP = qpns[i%2]
		in = append(in, timed.Arrival{Offer: sim.Offer{Port: timed.Frames, User: uint32(wire.LinkEthernet),
			Data: spec.Append(nil, nil)}})
	}
	last := uint64(0)
	for _, r := range p.Advance(toTheEnd, in, nil) {
		if r.Port == timed.Records {
			gaps, last = append(gaps, r.End-last), r.End
		}
	}
	require.Len(t, gaps, 8)
	return gaps[2:]
}

// TestContextsOfAPlace: contexts of QPs whose numbers differ by a multiple of the entries have one place, and each
// packet of the other one is a miss; those of others stay (docs/predict.md, Host and memory).
func TestContextsOfAPlace(t *testing.T) {
	const miss = 200
	for bit := range 13 {
		host := timed.Host{ContextMiss: miss, ContextEntries: 1 << bit}
		for _, gap := range twoQPs(t, host, [2]uint32{0, 1 << bit}) {
			require.GreaterOrEqual(t, gap, uint64(miss), "QPs %d apart", 1<<bit)
		}
		host.ContextEntries *= 2
		for _, gap := range twoQPs(t, host, [2]uint32{0, 1 << bit}) {
			require.Less(t, gap, uint64(miss), "QPs %d apart, two places", 1<<bit)
		}
	}
}
