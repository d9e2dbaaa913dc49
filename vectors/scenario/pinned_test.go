package scenario

import (
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/require"
)

// pinned are hashes of the first 20,000 cases of each scenario under seed 1: port, start and bytes.
var pinned = map[string]string{
	"ack-gen":             "da7018f35a1044e2",
	"atomic-engine":       "ce3863507348ed9f",
	"bit-errors":          "c0f0a2dda3f4674e",
	"cnp-gen":             "4a38ac0ab4d86f2a",
	"covered-fields":      "ef21e432d8f024f3",
	"falcon-window":       "21c486cfc65d4ede",
	"falcon-window-edges": "a4871c7067a70739",
	"gate":                "6cb7e639af56a154",
	"hca-rx":              "13b4b5a82b24ea03",
	"hca-rx-ecc":          "4bd629a1f8612581",
	"hca-rx-full":         "56c4f1a0b2582d94",
	"insert":              "0463f202c301cb0b",
	"malformed":           "63fda1211441c123",
	"hca-tx":              "1b476b4c71ed3da5",
	"hca-top-closes":      "e079580fb611fd80",
	"hca-rx-long":         "b0b7f87091398443",
	"hca-rx-meets":        "b5f373e128811fa4",
	"rx-issue-one":        "e10677573f319d44",
	"read-place-full":     "313879a6bfa7f440",
	"hca-rx-vast":         "ad1336f534c1e0a3",
	"hca-rx-writes":       "dce9e14f51027049",
	"hca-tx-jams":         "30a696db4993f750",
	"hca-tx-meets":        "5bf6e4f12b066036",
	"hca-tx-far":          "b6029e0098cb04a4",
	"hca-top-streams":     "1866fba462478471",
	"hca-top-meets":       "c9524dcb7b90d9b4",
	"hca-tx-long":         "f1ea8026ada1aa50",
	"hca-rx-many":         "e7fd9f96e3913528",
	"replay-fifo-ecc":     "a029787f0a5aa90c",
	"rq-head-ecc":         "536593149961ea3e",
	"hca-rx-one":          "ee4e63a2d832a71b",
	"hca-rx-receive":      "bd9e3b3701b07583",
	"hca-top":             "edf6d0f55c349ea9",
	"hca-top-sends":       "690c2514719dc2ad",
	"masked-fields":       "ed1abbbcbd9b3d7d",
	"minimum":             "e28e619c73aea31e",
	"mix":                 "e797064250b89354",
	"mr-lookup":           "ccf6bb2778696939",
	"mr-lookup-ecc":       "566d726b6fe41667",
	"msg-tracker-ecc":     "e2e9f451c80d6e92",
	"msg-tracker-long":    "275bf700075556f5",
	"req-ack-check-ecc":   "481f93744c5f0790",
	"rx-classify-ecc":     "da063ba4af3b5c87",
	"msg-tracker":         "d74afb3eecd316b3",
	"padding":             "ba7bd08d261fcb45",
	"parse":               "0a3e17ebf092dca0",
	"psn-window":          "a137dda1bd5bcb6a",
	"read-long":           "db43d21555510ed8",
	"read-place":          "129930cf5de05a0a",
	"replay-fifo":         "bcb9646d25dd1f9a",
	"qp-ctl":              "ff3a2a1cbf9ac7e0",
	"rate-limiter":        "aee681fdd50063a7",
	"read-engine":         "7338ccb98ec167fb",
	"qp-ctl-axil":         "7b9c2f1aa8168b66",
	"qp-ctl-deep":         "b3416b48e18c81d0",
	"req-ack-check":       "0d1556a72f013f91",
	"resp-psn-check":      "dfa723cfc18cc12f",
	"rq-head":             "ca4f8230b27af48c",
	"rx-issue":            "0f305343a8c6e519",
	"rx-classify":         "9af71d7551a0df26",
	"rx-dma":              "5b40dfde7b0dbb7a",
	"resp-long-message":   "ba6e33f9f1f10d4a",
	"resp-ecc":            "1fdca354dc3b3a7a",
	"retx-timer":          "9edf3d615ac7ba0d",
	"retx-timer-storm":    "716a80b036704f49",
	"retry-ctl":           "6946eafeb27375c7",
	"sq-retire":           "c9fa65bc13b7491e",
	"sq-scheduler":        "768d5515c15f3490",
	"sq-scheduler-deep":   "1f54e2907f94701a",
	"tx-arbiter":          "d030d5558081ec18",
	"tx-arbiter-silent":   "4ad65c720212f522",
	"tx-packetizer":       "31d016e6cee0e998",
	"tx-frame":            "e39d1f44640a0fd2",
	"tx-frame-deep":       "1fa2b08b7b0146e8",
	"valid":               "18de26e2f8c5b026",
	"vcrc":                "91eccab0db93796f",
}

// TestBytesOfScenarios: a change of one scenario, or a new one, leaves the bytes of the others. Where a line changes,
// GeneratorVersion rises.
func TestBytesOfScenarios(t *testing.T) {
	require.Equal(t, 34, GeneratorVersion)
	got := map[string]string{}
	for i := range All() {
		s := &All()[i]
		h := fnv.New64a()
		each(t, s, 1, 20_000, func(_ uint64, c *Case) {
			var b [24]byte
			binary.LittleEndian.PutUint64(b[:], uint64(c.Port))
			binary.LittleEndian.PutUint64(b[8:], c.NotBefore)
			binary.LittleEndian.PutUint64(b[16:], uint64(len(c.Frame)))
			h.Write(b[:])
			h.Write(c.Frame)
			if c.HasUser {
				h.Write(binary.LittleEndian.AppendUint32(nil, c.User))
			}
		})
		got[s.Name] = hex.EncodeToString(h.Sum(nil))
	}
	require.Equal(t, pinned, got)
}
