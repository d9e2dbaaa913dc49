package vectors

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/wire"
	"hcacosim/vectors/scenario"
)

// TestDescribeTakesAnything: every packet of every scenario and every cut of it, none of which may panic.
func TestDescribeTakesAnything(t *testing.T) {
	for _, s := range scenario.All() {
		g := scenario.NewGenerator(&s, 2)
		var c scenario.Case
		for i := range uint64(400) {
			g.Make(i, &c)
			var out bytes.Buffer
			Describe(&out, "", c.Link, c.Frame, len(c.Frame))
			require.True(t, strings.Count(out.String(), "  verdict  ") == 1, out.String())
			for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
				require.Regexp(t, `^ *[0-9]+  .{12}  .{17}  `, line)
			}
			n := int(i) % (len(c.Frame) + 1)
			Describe(&out, "", c.Link, c.Frame[:n], len(c.Frame))
			Describe(&out, "", c.Link, c.Frame[:n], n)
			var p wire.Packet
			wire.Decode(c.Link, c.Frame[:n], &p)
			require.NotEmpty(t, Summary(&p))
		}
	}
}

// TestDescribeNamesEveryByte: a packet with every kind of header, read by hand.
func TestDescribeNamesEveryByte(t *testing.T) {
	frame, err := hex.DecodeString(strings.Join(strings.Fields(`
		020000000002 020000000001 88a8 6005 8100 0007 0800
		46c2 0044 0001 4000 40 11 0000 0a000001 0a000002 01010100
		c000 12b7 002c 0000
		6540ffff 40 000011 80 123456
		11111111 00000022
		44444444
		aabbccdd
		00000000
		00000000`), ""))
	require.NoError(t, err)
	var out bytes.Buffer
	Describe(&out, "  ", wire.LinkEthernet, frame, len(frame))
	for _, want := range []string{
		"12  VLAN tag      TPID               88A8h", "PCP, DEI, VID      3, 0, 5",
		"16  VLAN tag      TPID               8100h",
		"type               0800h", "22  IPv4          version, IHL       4, 6 words", "TOS                C2h",
		"total length       68", "options            01010100", "46  UDP           source port        49152",
		"54  BTH           opcode             65h, UD SEND Only with immediate", "FECN, BECN, resv   0, 1, 00h",
		"DestQP             000011h",
		"AckReq, resv       1, 00h", "PSN                1193046, 123456h",
		"66  DETH          Q_Key              11111111h", "SrcQP              000022h",
		"74  ImmDt         immediate          44444444h", "78  payload       8 bytes            aabbccdd00000000",
	} {
		require.Contains(t, out.String(), want)
	}
	require.Contains(t, out.String(), "ICRC          bad")
}

// TestDescribeRDFlush: the opcode with the most headers (OPC-1, OPC-2), over IB local, read by hand: RDETH, DETH, FETH,
// RETH.
func TestDescribeRDFlush(t *testing.T) {
	frame, err := hex.DecodeString(strings.Join(strings.Fields(`
		a0c2 1234 000e 5678
		5c80ffff 00 000011 80 123456
		00e1e2e3
		80010203 00d1d2d3
		00000013
		a0a1a2a3a4a5a6a7 b0b1b2b3 00001000
		00000000`), ""))
	require.NoError(t, err)
	var out bytes.Buffer
	Describe(&out, "", wire.LinkIB, frame, len(frame))
	for _, want := range []string{
		"    8  BTH           opcode             5Ch, RD FLUSH",
		"   21  RDETH         EE context         E1E2E3h",
		"   24  DETH          Q_Key              80010203h", "   29                SrcQP              D1D2D3h",
		"   35  FETH          SEL                1", "   35                PLT                3",
		"   36  RETH          VA                 A0A1A2A3A4A5A6A7h", "   44                R_Key              B0B1B2B3h",
		"   48                DMALen             4096",
		"   52  ICRC          bad                00000000, computed 967af06e",
	} {
		require.Contains(t, out.String(), want+"\n", want)
	}
	require.NotContains(t, out.String(), "payload")
}
