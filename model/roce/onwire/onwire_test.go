package onwire_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
)

// RSP-14: addressed as Reply says, with what Put fills in, every response of captures comes out byte for byte; its IPv4
// ID and UDP source port are the sender's own choice.
func TestRepliesOfCaptures(t *testing.T) {
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "captures")
	}
	n := 0
	for _, name := range []string{"rc_mix_loss10_both", "rc_v6_loss5", "rc_atomics", "rc_v4_tos_ttl"} {
		f, err := os.Open(filepath.Join(dir, name+".b.pcap"))
		if err != nil {
			t.Skip("no captures: set HCACOSIM_CAPTURES")
		}
		defer f.Close()
		c, err := pcapgo.NewReader(bufio.NewReader(f))
		require.NoError(t, err)
		var request, response wire.Packet
		for {
			frame, _, err := c.ReadPacketData()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			wire.Decode(wire.LinkEthernet, frame, &response)
			if response.Op == nil || !response.Op.Response || !bytes.Equal(response.Ethernet().Src(), []byte{2, 0, 0, 0, 0,
				0x0b}) {
				if response.Op != nil && !response.Op.Response {
					request = response
				}
				continue
			}
			var p roce.Packet
			require.True(t, onwire.Take(&response, &p))
			s := onwire.Reply(&request, response.BTH().DestQP())
			onwire.Put(&p, &s)
			s.SrcPort, s.HopLimit = response.UDP().SrcPort(), 64
			if ip := response.IPv4(); ip != nil {
				s.IPID, s.IPFrag = ip.ID(), 0x4000
			}
			require.Equal(t, frame, s.Append(nil, response.Payload), "%s", response.Op.Name)
			n++
		}
	}
	require.NotZero(t, n)
}

// RSP-14 on IB: LIDs change places, the service level stays.
func TestReplyOnIB(t *testing.T) {
	s := wire.Spec{Encap: wire.EncapIBGlobal, SL: 3, DLID: 7, SLID: 9, Src: wire.GID{1}, Dst: wire.GID{2}, TClass: 4,
		Opcode: 4, PKey: 0xFFFF}
	var w wire.Packet
	wire.Decode(wire.LinkIB, s.Append(nil, nil), &w)
	r := onwire.Reply(&w, 5)
	require.Equal(t, [5]uint16{9, 7, 3, 4, 5}, [5]uint16{r.DLID, r.SLID, uint16(r.SL), uint16(r.TClass), uint16(r.DestQP)})
	require.Equal(t, [2]wire.GID{{2}, {1}}, [2]wire.GID{r.Src, r.Dst})
}

// RSP-14: a response has the VLAN tags of its request, each with its type and its number, in every encapsulation that
// has any.
func TestReplyKeepsTags(t *testing.T) {
	customer := func(tci uint16) wire.VLANTag { return wire.VLANTag{TPID: 0x8100, TCI: tci} }
	provider := func(tci uint16) wire.VLANTag { return wire.VLANTag{TPID: 0x88A8, TCI: tci} }
	for _, encap := range []wire.Encap{wire.EncapRoCEv1, wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6} {
		for _, tags := range [][]wire.VLANTag{nil, {customer(0x6123)}, {provider(0x6123)},
			{provider(0x0FFF), customer(0xF001)}, {customer(1), customer(2)}} {
			s := wire.Spec{Encap: encap, VLANs: tags, Opcode: ib.Join(ib.RC, ib.SendOnly), PKey: 0xFFFF}
			var w wire.Packet
			wire.Decode(wire.LinkEthernet, s.Append(nil, nil), &w)
			require.Equal(t, tags, onwire.Reply(&w, 5).VLANs, "%v", encap)
		}
	}
}

// OPC-2: Put and Take are each other's inverse for every opcode of RC, XRC, UC and UD.
func TestPutAndTake(t *testing.T) {
	for op := range 0x100 {
		info := ib.Lookup(ib.Opcode(op))
		if info == nil || info.Transport == ib.RD || info.Transport == ib.CNP {
			continue
		}
		p := roce.Packet{Op: info.Opcode, PSN: 0x123456, AckReq: true, SE: true, Len: 256}
		switch info.Length {
		case ib.NoPayload:
			p.Len = 0
		case ib.EightBytes:
			p.Len = 8
		}
		set := func(h ib.Header, f func()) {
			if info.Headers.Has(h) {
				f()
			}
		}
		set(ib.RETH, func() { p.VA, p.RKey, p.DMALen = 1<<63+5, 6, 7 })
		set(ib.AtomicETH, func() { p.VA, p.RKey, p.SwapAdd, p.Compare = 1<<62+5, 6, 8, 9 })
		set(ib.AETH, func() { p.Syndrome, p.MSN = 0x61, 0xABCDEF })
		set(ib.AtomicAckETH, func() { p.Original = 10 })
		set(ib.ImmDt, func() { p.Imm = 11 })
		set(ib.IETH, func() { p.RKey = 12 })
		set(ib.FETH, func() { p.FETH = 0x12 })
		set(ib.XRCETH, func() { p.XRCSRQ = 0x654321 })
		set(ib.DETH, func() { p.QKey, p.SrcQP = 13, 14 })
		s := wire.Spec{Encap: wire.EncapRoCEv2IPv4}
		onwire.Put(&p, &s)
		var w wire.Packet
		wire.Decode(wire.LinkEthernet, s.Append(nil, make([]byte, p.Len)), &w)
		var got roce.Packet
		require.True(t, onwire.Take(&w, &got), info.Name)
		require.Equal(t, p, got, info.Name)
	}
}
