package main

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// A frame that ends before its length field says is malformed. Its ICRC is not there, and so not bad.
func TestCheckShortFrames(t *testing.T) {
	whole := cnp(t)
	path := file(t, "x.pcap", pcap(binary.LittleEndian, microseconds, whole, whole[:50], whole[:51]))
	got := checkJSON(t, path)
	require.Equal(t, []uint64{3, 2, 0}, []uint64{got.RoCE, got.Malformed, got.ICRCBad})
	_, out, _ := cosim("check", path)
	require.Contains(t, out, "67 % of the RoCE frames end before their length fields say (2 of 3)")
	require.NotContains(t, out, "have a bad ICRC")
	require.NotContains(t, out, "damaged on the way")
}

// Where the snap length cut every frame nothing says who is there: the end that --at names is not missing.
func TestCheckCutAtAnEnd(t *testing.T) {
	s := wire.Spec{Encap: wire.EncapRoCEv2IPv6, HopLimit: 64, PKey: 0xFFFF, Opcode: ib.Join(ib.RC, ib.SendOnly), DestQP: 5,
		Src: wire.GID{0: 0xFD, 15: 1}, Dst: wire.GID{0: 0xFD, 15: 2}}
	b := pcap(binary.LittleEndian, microseconds, s.Append(nil, make([]byte, 64))[:64])
	binary.LittleEndian.PutUint32(b[24+12:], 142)
	exit, out, errs := cosim("check", "--at", "fd00::1", file(t, "x.pcap", b))
	require.Equal(t, cocosim.Inconclusive, exit, errs)
	require.Contains(t, out, "the snap length cut")
	require.NotContains(t, out, "fd00::1: is --at right")
}
