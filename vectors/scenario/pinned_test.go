package scenario

import (
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/require"
)

// pinned are hashes of the first 1,500 cases of each scenario under seed 1: port, start and bytes.
var pinned = map[string]string{
	"ack-gen":             "c52ef65c3f7643e1",
	"atomic-engine":       "dd8f2492fc15f31e",
	"bit-errors":          "4c05febc6debe329",
	"cnp-gen":             "8cc5377203f74af9",
	"covered-fields":      "3dbfe00dc318274c",
	"falcon-window":       "1c282798361c62e3",
	"falcon-window-edges": "bb08c8b8bba93a53",
	"gate":                "6a0c6a00aef03932",
	"hca-rx":              "c9a0be2f3ab06c69",
	"hca-rx-ecc":          "72998f725d1c0160",
	"hca-rx-full":         "0c59eb249ae57295",
	"insert":              "751d2646973bd96e",
	"malformed":           "909d0474ea49eb9f",
	"hca-tx":              "90a379175658b3a0",
	"hca-top-closes":      "35e9c01426501f3a",
	"hca-rx-long":         "3b8addb4c62181e1",
	"hca-rx-meets":        "b73c7e276da4fbb0",
	"rx-issue-one":        "e526e2629772b766",
	"read-place-full":     "0127e906ce4a4583",
	"hca-rx-writes":       "dc395f4c01ac70a1",
	"hca-tx-jams":         "a5fbaf4359b6e28f",
	"hca-tx-meets":        "701b549b03bd4ccb",
	"hca-tx-far":          "6f6ce40a3fc699ed",
	"hca-top-streams":     "cfa46e165eb25c7e",
	"hca-top-meets":       "4301c1dd35ff9dc5",
	"hca-tx-long":         "c6463e51fd2e9e13",
	"hca-rx-many":         "320121e1baded4e4",
	"replay-fifo-ecc":     "9d799650cf81f2e9",
	"rq-head-ecc":         "078cf0b694fcfd9a",
	"hca-rx-one":          "0ba0df54112b0083",
	"hca-rx-receive":      "df95ee969b974efc",
	"hca-top":             "86d11f10d85cef24",
	"hca-top-sends":       "b22c3cf77b51f3ed",
	"masked-fields":       "7045a19effb0b74a",
	"minimum":             "06554834cfe16b84",
	"mix":                 "2bf84df6f44ce906",
	"mr-lookup":           "df2a434fc864d5ec",
	"mr-lookup-ecc":       "ddb4ea593457f3b7",
	"msg-tracker-ecc":     "3e3bd176e9f37528",
	"msg-tracker-long":    "d58158c95c71a2ad",
	"req-ack-check-ecc":   "d97bc0a9bb3f1ae6",
	"rx-classify-ecc":     "3d10c48470ae8026",
	"msg-tracker":         "1da309c505f0dbe8",
	"padding":             "ebee1bcfe96d82f5",
	"parse":               "f9f105ed194eae15",
	"psn-window":          "b39cbe2bcc8f4d91",
	"read-long":           "feb3d5a3eee19887",
	"read-place":          "0332e5138a81345e",
	"replay-fifo":         "3c397714ba67e5d9",
	"qp-ctl":              "e6f747658745aa81",
	"rate-limiter":        "46a1232c6a1b4c4d",
	"read-engine":         "f12050da7cc31213",
	"qp-ctl-axil":         "34357b960bfc7d36",
	"req-ack-check":       "8383aeb988e165ff",
	"resp-psn-check":      "2a98b583196b749a",
	"rq-head":             "2e074356ae9a5f99",
	"rx-issue":            "bd19c65f99a7f094",
	"rx-classify":         "b56663f27dde8c4a",
	"rx-dma":              "7a6733d07c032335",
	"resp-long-message":   "4b6ada5c8cc56ecd",
	"resp-ecc":            "e35cd3adeacbb415",
	"retx-timer":          "dd1e89125dccf574",
	"retx-timer-storm":    "a4a3272c2fafbe92",
	"retry-ctl":           "e45e4a78b389f921",
	"sq-retire":           "74566aa489576fe3",
	"sq-scheduler":        "ae949ba9149ee313",
	"tx-arbiter":          "1c39176737243c63",
	"tx-arbiter-silent":   "9796e0c45771d9d4",
	"tx-packetizer":       "ab3b00a86af3b20d",
	"tx-frame":            "1732e1fc5334136b",
	"valid":               "802c39fe44125d70",
	"vcrc":                "cfe971ebedd56f16",
}

// TestBytesOfScenarios: a change of one scenario, or a new one, leaves the bytes of the others. Where a line changes,
// GeneratorVersion rises.
func TestBytesOfScenarios(t *testing.T) {
	require.Equal(t, 30, GeneratorVersion)
	got := map[string]string{}
	for i := range All() {
		s := &All()[i]
		h := fnv.New64a()
		each(t, s, 1, 1500, func(_ uint64, c *Case) {
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
