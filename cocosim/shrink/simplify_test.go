package shrink

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/session"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// TestFieldsOfRecords: a field is read and written at its bits and nowhere else, wherever it lies.
func TestFieldsOfRecords(t *testing.T) {
	r := sim.Offer{Data: []byte{0xFF, 0xFF, 0xFF, 0xFF}}
	f := place{"f", 0, 5, 13}
	f.put(&r, 0x1A2B)
	require.EqualValues(t, 0x1A2B&0x1FFF, f.get(&r))
	f.put(&r, 0)
	require.Equal(t, []byte{0x1F, 0, 0xFC, 0xFF}, r.Data)
	place{"f", 1, 0, 8}.put(&r, 0)
	require.EqualValues(t, 0x1F, r.Data[0], "a field of another port")
}

// TestSmaller: the values to try are smaller ones, simplest first; of a code only 0.
func TestSmaller(t *testing.T) {
	require.Equal(t, []uint64{0, 1, 0xFE, 0xABCF, 0x55E7F}, smaller(0xABCFE))
	require.Equal(t, []uint64{0}, smaller(9))
	require.Empty(t, smaller(0))
}

// TestTogether: PSNs move by queue pair, each to begin at 0 and the ring kept; queue pairs are numbered as they come.
func TestTogether(t *testing.T) {
	m, err := manifest.Find("resp_psn_check")
	require.NoError(t, err)
	p := plainer{m: m}
	var qp, psn place
	for _, f := range p.places() {
		switch {
		case f.isQP() && f.port == 0:
			qp = f
		case f.isPSN() && f.port == 0:
			psn = f
		}
	}
	for _, x := range [][2]uint64{{9, 0xFFFFFE}, {4, 100}, {9, 1}, {4, 99}} {
		r := sim.Offer{Data: make([]byte, 32)}
		qp.put(&r, x[0])
		psn.put(&r, x[1])
		p.records = append(p.records, r)
	}
	values := func(list []sim.Offer, f place) (all []uint64) {
		for i := range list {
			all = append(all, f.get(&list[i]))
		}
		return all
	}
	require.Equal(t, []uint64{0, 0, 3, 0xFFFFFF}, values(p.moved([]place{qp}, []place{psn}), psn))
	numbered := p.renumbered([]place{qp}, func(nth int) uint64 { return uint64(nth) })
	require.Equal(t, []uint64{0, 1, 0, 1}, values(numbered, qp))
	require.Equal(t, []uint64{9, 4, 9, 4}, values(p.records, qp), "the records themselves stay")
}

// TestDescribed: a packet that is taken apart and built anew is the same packet.
func TestDescribed(t *testing.T) {
	checked := 0
	require.NoError(t, session.Each(session.Spec{Dut: "icrc_check", Scenario: "valid", Seed: 1}, 2000, func(r *sim.Offer) {
		var w wire.Packet
		wire.Decode(wire.Link(r.User&1), r.Data, &w)
		if w.Op == nil || w.ICRC() != wire.ICRCGood {
			return
		}
		spec := described(&w)
		var again wire.Packet
		wire.Decode(wire.Link(r.User&1), spec.Append(nil, w.Payload), &again)
		require.Equal(t, wire.ICRCGood, again.ICRC())
		require.Equal(t, w.BTH(), again.BTH())
		require.Equal(t, w.VLANs, again.VLANs)
		require.Equal(t, w.Payload, again.Payload)
		checked++
	}))
	require.Greater(t, checked, 100)
}

// TestNothingToShrink: a run that agrees is said to, and a limit that is over ends the search.
func TestNothingToShrink(t *testing.T) {
	spec := session.Spec{Dut: "psn_window", Device: session.Model, Seed: 1}
	records, err := session.Records(spec, 20)
	require.NoError(t, err)
	_, err = Run(context.Background(), spec, records, Options{Limit: time.Second})
	require.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
}
