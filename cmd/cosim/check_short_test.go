package main

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
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

// An end all of whose frames have a bad ICRC is there: it made them so, with or without a usual mistake.
func TestCheckOwnBadICRCs(t *testing.T) {
	s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, HopLimit: 64, PKey: 0xFFFF, Opcode: ib.Join(ib.RC, ib.SendOnly), DestQP: 5,
		Src: wire.FromIPv4(10, 1, 0, 1), Dst: wire.FromIPv4(10, 1, 0, 2), SrcPort: 49152}
	var list [][]byte
	for n := range 5 {
		s.PSN, s.IPID = psn.New(uint32(n)), uint16(n+1)
		b := s.Append(nil, make([]byte, 8))
		b[len(b)-1] ^= 0x10
		list = append(list, b)
	}
	path := file(t, "x.pcap", pcap(binary.LittleEndian, microseconds, list...))
	exit, out, errs := cosim("check", "--at", "10.1.0.1", path)
	require.Equal(t, cocosim.Mismatch, exit, errs)
	require.Contains(t, out, "5 RoCE")
	require.Contains(t, out, "ICRC-4  sent with a wrong ICRC")
	exit, _, errs = cosim("check", "--at", "10.1.0.3", path)
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "no RoCE packet is from or to 10.1.0.3")
}

// Where few packets were judged the headline says how few: queue pairs that go in step, with the same PSNs, are not.
func TestCheckFewJudged(t *testing.T) {
	for pairs, says := range map[uint32]string{6: "; no rule broken in the 3 of 240 packets that were judged\n",
		1: "; no rule broken\n"} {
		var list [][]byte
		say := func(from byte, op ib.Operation, qpn uint32, n int, payload int) {
			s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, HopLimit: 64, PKey: 0xFFFF, Opcode: ib.Join(ib.RC, op), DestQP: qpn,
				Src: wire.FromIPv4(10, 1, 0, from), Dst: wire.FromIPv4(10, 1, 0, 3-from), SrcPort: 49152, AckReq: from == 1,
				PSN: psn.New(uint32(n)), IPID: uint16(len(list) + 1), Syndrome: 31, MSN: uint32(n/3 + 1)}
			list = append(list, s.Append(nil, make([]byte, payload)))
		}
		for n := range 10 {
			for q := range pairs {
				say(1, ib.SendFirst, 0x80+q, 3*n, 256)
				say(1, ib.SendMiddle, 0x80+q, 3*n+1, 256)
				say(1, ib.SendLast, 0x80+q, 3*n+2, 8)
			}
			for q := range pairs {
				say(2, ib.Ack, 0x40+q, 3*n+2, 0)
			}
		}
		exit, out, errs := cosim("check", file(t, "x.pcap", pcap(binary.LittleEndian, microseconds, list...)))
		require.Equal(t, cocosim.Agreed, exit, errs)
		require.Contains(t, out, says)
		require.NotContains(t, out, " 0 responses")
	}
}
