package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/falconflow"
	"hcacosim/model/ib"
	"hcacosim/model/wire"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

// The packets of a finding become a vector set, and the RTL plays it.
func TestFindingAsVectorSet(t *testing.T) {
	set := filepath.Join(t.TempDir(), "set")
	path := sharedCapture(t, "err_send_toolong.b.pcap")
	exit, out, errs := cosim("check", "--profile", "spec", "--finding", "5", "--out", set, path)
	require.Equal(t, cocosim.Mismatch, exit, errs)
	require.Contains(t, out, "5 packets up to packet 5")

	in, err := capture.Open(set + ".pcapng")
	require.NoError(t, err)
	defer in.Close()
	var comment string
	for n := 0; ; n++ {
		f, err := in.Next()
		if err != nil {
			require.Equal(t, 5, n)
			break
		}
		comment = string(f.Comment)
	}
	require.Contains(t, comment, "packet 5 of err_send_toolong.b.pcap: RSP-1: ")

	s, err := vectors.OpenSet(set)
	require.NoError(t, err)
	require.EqualValues(t, 5, s.StimulusRecords)
	// as TestBlocksAgree has built it
	exit, out, errs = cosim("run", "--dut", "icrc_check", "--vectors", set, "--flavour", "debug")
	require.Equal(t, cocosim.Agreed, exit, out+errs)
	require.Contains(t, out, "AGREED")
}

// What cannot be written is said in one line.
func TestFindingThatIsNot(t *testing.T) {
	path, dir := sharedCapture(t, "err_send_toolong.b.pcap"), filepath.Join(t.TempDir(), "set")
	for _, x := range []struct {
		args []string
		says string
	}{
		{[]string{"--finding", "4", "--out", dir}, "no finding is about that packet; there are some about 5"},
		{[]string{"--finding", "5"}, "--finding PACKET and --out DIR go together"},
		{[]string{"--finding", "5", "--out", dir, "--dut", "nothing"}, "no such stage"},
	} {
		exit, _, errs := cosim(append(append([]string{"check", "--profile", "spec"}, x.args...), path)...)
		require.Equal(t, cocosim.BadInput, exit)
		require.Contains(t, errs, x.says)
		require.NoDirExists(t, dir)
		_, err := os.Stat(dir + ".pcapng")
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

// What goes with a finding's packet lies between its two hosts, in either direction. A host is told by all of its
// address, in InfiniBand by all 16 bits of its LID.
func TestFindingIsOfTwoHosts(t *testing.T) {
	const a, b = 0x0C35, 0x1A62
	for _, encap := range []wire.Encap{wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6, wire.EncapRoCEv1, wire.EncapIBGlobal,
		wire.EncapIBLocal} {
		link := wire.LinkEthernet
		if encap == wire.EncapIBGlobal || encap == wire.EncapIBLocal {
			link = wire.LinkIB
		}
		address := func(host uint16) [16]byte {
			if encap == wire.EncapRoCEv2IPv4 {
				return wire.FromIPv4(byte(host>>8), 1, 0, byte(host))
			}
			return [16]byte{byte(host >> 8), 15: byte(host)}
		}
		for bit := range 16 {
			c, d := uint16(a^1<<bit), uint16(b^1<<bit)
			var list []vectors.Frame
			for _, hosts := range [][2]uint16{{a, b}, {c, b}, {b, c}, {b, a}, {a, d}, {d, a}, {a, b}} {
				s := wire.Spec{Encap: encap, Opcode: ib.Join(ib.RC, ib.SendOnly), PKey: 0xFFFF, HopLimit: 64,
					Src: address(hosts[0]), Dst: address(hosts[1]), SLID: hosts[0], DLID: hosts[1]}
				frame := s.Append(nil, nil)
				list = append(list, vectors.Frame{Number: uint64(len(list) + 1), Link: link, Data: frame, OrigLen: len(frame)})
			}
			var kept []uint64
			for _, f := range between(list, falconflow.New(falconflow.Options{})) {
				kept = append(kept, f.Number)
			}
			require.Equal(t, []uint64{1, 4, 7}, kept, "encapsulation %v, bit %d", encap, bit)
		}
	}
}
