package hca

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

func TestICRCInsert(t *testing.T) {
	trailer := []byte{0xAA, 0xBB, 0xCC}
	for encap := wire.EncapRoCEv1; encap <= wire.EncapIBGlobal; encap++ {
		t.Run(encap.String(), func(t *testing.T) {
			spec := example(encap)
			spec.Trailer = trailer
			spec.NoVCRC = true
			want := spec.Append(nil, []byte("payload"))
			spec.NoICRC = true
			in := spec.Append(nil, []byte("payload"))
			require.NotEqual(t, want, in)
			before := bytes.Clone(in)
			out := one(t, "icrc_insert", input(encap.Link(), in))
			require.Equal(t, want, out.Data)
			require.Equal(t, uint32(encap)<<4|1, out.User)
			require.Equal(t, before, in, "the input is not written to")
		})
	}
}

func TestICRCInsertLeavesUnchanged(t *testing.T) {
	raw, ip := example(wire.EncapRaw), example(wire.EncapRoCEv2IPv4)
	whole := ip.Append(nil, make([]byte, 64))
	short := bytes.Clone(whole)
	short[16], short[17] = 0, 43 // IP total length one below 4 IHL + 24
	for name, c := range map[string]struct {
		in   sim.Record
		user uint32
	}{
		"raw":       {input(wire.LinkIB, raw.Append(nil, []byte("payload"))), 0x060},
		"not RoCE":  {input(wire.LinkEthernet, make([]byte, 60)), 0},
		"truncated": {input(wire.LinkEthernet, whole[:len(whole)-1]), 0x620},
		"short":     {input(wire.LinkEthernet, short), 0x420},
	} {
		t.Run(name, func(t *testing.T) {
			out := one(t, "icrc_insert", c.in)
			require.Equal(t, &c.in.Data[0], &out.Data[0])
			require.Equal(t, c.user, out.User)
		})
	}
}

// The buffer of written packets grows in the middle of a batch, and what was given before stays.
func TestICRCInsertBatch(t *testing.T) {
	s := NewICRCInsert(1)
	spec := example(wire.EncapRoCEv2IPv4)
	var in []sim.Record
	var want [][]byte
	for n := range 64 {
		spec.NoICRC = false
		want = append(want, spec.Append(nil, make([]byte, n*16)))
		spec.NoICRC = true
		in = append(in, input(wire.LinkEthernet, spec.Append(nil, make([]byte, n*16))))
	}
	for range 2 {
		for i, r := range s.Advance(0, in, nil) {
			require.Equal(t, want[i], r.Data)
		}
	}
}
