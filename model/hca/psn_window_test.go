package hca

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// The bounds of PSN-2 and PSN-3 as a record, with the numbers of the rules worked out by hand.
func TestPSNWindow(t *testing.T) {
	for _, c := range []struct {
		q        PSNQuery
		class    PSNClass
		distance uint32
	}{
		{PSNQuery{PSN: 7, Base: 7}, 0, 0},
		{PSNQuery{PSN: 6, Base: 7}, 1, 0xFFFFFF},
		{PSNQuery{PSN: 0xFFFFFF, Base: 0}, 1, 0xFFFFFF},
		{PSNQuery{PSN: 0x800001, Base: 0}, 1, 0x800001},
		{PSNQuery{PSN: 0x800000, Base: 0}, 1, 0x800000},
		{PSNQuery{PSN: 0x7FFFFF, Base: 0}, 2, 0x7FFFFF},
		{PSNQuery{PSN: 0, Base: 0xFFFFFF}, 2, 1},
		{PSNQuery{PSN: 10, Base: 10, Next: 10, Requester: true}, 6, 0},
		{PSNQuery{PSN: 9, Base: 10, Next: 10, Requester: true}, 5, 0xFFFFFF},
		{PSNQuery{PSN: 10, Base: 10, Next: 12, Requester: true}, 4, 0},
		{PSNQuery{PSN: 11, Base: 10, Next: 12, Requester: true}, 4, 1},
		{PSNQuery{PSN: 12, Base: 10, Next: 12, Requester: true}, 6, 2},
		{PSNQuery{PSN: 0x80000C, Base: 10, Next: 12, Requester: true}, 5, 0x800002},
		{PSNQuery{PSN: 0x80000B, Base: 10, Next: 12, Requester: true}, 6, 0x800001},
	} {
		out := one(t, "psn_window", sim.Record{Start: 100, End: 100, Data: c.q.Append(nil)})
		require.Equal(t, c.distance|uint32(c.class)<<24, binary.LittleEndian.Uint32(out.Data), "%+v", c.q)
		require.Equal(t, c.q, ParsePSNQuery(c.q.Append(nil)))
	}
	require.Equal(t, []PSNClass{0, 1, 2, 4, 5, 6},
		[]PSNClass{ClassExpected, ClassDuplicate, ClassOutOfSequence, ClassUnacked, ClassAcked, ClassGhost})
}

// Answers of a batch stay apart, also when their buffer grows.
func TestPSNWindowBatch(t *testing.T) {
	s := psnWindowSpec.New(nil)
	var in []sim.Record
	for i := range 100 {
		q := PSNQuery{PSN: psn.PSN(i)}
		in = append(in, sim.Record{Data: q.Append(nil)})
	}
	for i, r := range s.Advance(0, in, nil) {
		require.Equal(t, byte(i), r.Data[0])
	}
}
