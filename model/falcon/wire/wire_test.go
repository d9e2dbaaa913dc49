package wire

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
)

// oracleDir is the folder of HCACOSIM_FALCON_ORACLE, or ../shared/falcon-oracle beside the repository.
func oracleDir(t *testing.T) string {
	dir := os.Getenv("HCACOSIM_FALCON_ORACLE")
	if dir == "" {
		dir = "../shared/falcon-oracle"
	}
	if !filepath.IsAbs(dir) {
		root, err := os.Getwd()
		require.NoError(t, err)
		for !exists(filepath.Join(root, "go.mod")) {
			require.NotEqual(t, "/", root, "no go.mod above the test")
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, dir)
	}
	if !exists(dir) {
		t.Skipf("no oracle traces: there is no folder %s; set HCACOSIM_FALCON_ORACLE", dir)
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// vectorPackets are the packets of wire_vectors.txt as its README lists them, line by line.
func vectorPackets() []Packet {
	base := Packet{Version: 1, CID: 0x123456, Function: 0x89ABCD, DataBase: 0x8765309A, RequestBase: 0xFEDCBA98,
		PSN: 0x31425364, RSN: 0xFFEEDDCC}
	pull, data, push, resync := base, base, base, base
	pull.Type, pull.Protocol, pull.AckReq, pull.RequestLength = PullRequest, RDMA, true, 5566
	data.Type, data.Protocol = PullData, NVMe
	push.Type, push.Protocol, push.AckReq, push.RequestLength = PushData, RDMA, true, 8192
	resync.Type, resync.Protocol, resync.AckReq = Resync, NVMe, true
	resync.DataBase, resync.RSN = 0x8765309C, 0xFF11DD22
	resync.ResyncCode, resync.ResyncType, resync.Vendor = ResyncRemoteXlr, NACK, 0x77778888
	back := Packet{Version: 1, CID: 0x654321, Type: BACK, DataBase: 0xCCDDEEFF, RequestBase: 0x12345678,
		T1: 0x99887766, T2: 0x55667788, HopCount: 7, RxOccupancy: 25, ECNCount: 0x2342, RUEInfo: 0x76655,
		OWNRequest: true, OWNData: true}
	eack := back
	eack.Type, eack.CID, eack.RUEInfo = EACK, 0x654323, 2
	eack.DataAck = Bitmap{0x1A2A3A4A12345678, 0x1B2B3B4B87654321}
	eack.DataRx = Bitmap{0xABACADA789ABCDEF, 0xEBECEDECBA987654}
	eack.Request = 0x707172738675309D
	nack := Packet{Version: 1, CID: 0xBEC001, Type: NACK, DataBase: 0xCCDD33FF, RequestBase: 0x12446678,
		T1: 0x99887766, T2: 0x55667788, HopCount: 2, RxOccupancy: 23, ECNCount: 0x1342, RUEInfo: 2,
		NackPSN: 0x55443322, NackCode: NackNRE, RNRTimeout: 29, NackOfRequest: true, ULPNack: 0x37}
	return []Packet{pull, data, push, resync, back, eack, nack}
}

// FAL-W1, FAL-W3 to FAL-W7: every line of the independent codec's vectors is built and parsed, in both modes.
func TestWireVectors(t *testing.T) {
	path := filepath.Join(oracleDir(t), "wire_vectors.txt")
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skipf("no wire vectors: there is no %s", path)
	}
	require.NoError(t, err)
	packets := vectorPackets()
	seen := 0
	for line := range strings.Lines(string(raw)) {
		var n int
		var text string
		if c, err := fmt.Sscanf(line, "%d %s", &n, &text); c != 2 || err != nil {
			continue
		}
		want, err := hex.DecodeString(text)
		require.NoError(t, err)
		require.Less(t, n, len(packets), "vector %d has no description", n)
		for _, m := range []*mode.Mode{&mode.Spec, &mode.Peer} {
			p := packets[n]
			require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(p.Append(nil, m)), "vector %d", n)
			var got Packet
			length := len(want)
			if p.Type == PushData {
				length += int(p.RequestLength)
			}
			require.NoError(t, ParseCut(want, length, m, &got))
			require.Empty(t, got.Payload)
			flaws := got.Flaws
			got.Payload, got.Flaws = nil, 0
			require.Equal(t, p, got, "vector %d", n)
			// The vectors' values are not all sensible: a Resync for a NACK, and bitmaps of any bits.
			switch p.Type {
			case Resync:
				require.Equal(t, Flaws(BadResync), flaws)
			case EACK:
				require.Equal(t, Flaws(BadBitmap), flaws)
			default:
				require.Zero(t, flaws)
			}
		}
		seen++
	}
	if seen == 0 {
		t.Skipf("no wire vectors in %s", path)
	}
}
