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
	"ack-gen":             "628962c336952f2b",
	"atomic-engine":       "3848680ae9c90047",
	"bit-errors":          "f11bf110b0e55809",
	"cnp-gen":             "9439982104c1f78a",
	"covered-fields":      "3dbfe00dc318274c",
	"falcon-window":       "70618114cc7aecd6",
	"falcon-window-edges": "f6e3be9a4fad7777",
	"gate":                "e6ff03d650cf1cbd",
	"hca-rx":              "2959427539fda4e0",
	"hca-rx-ecc":          "580c2465373be84f",
	"hca-rx-full":         "b422e566ff09dbb8",
	"insert":              "775daa90fa30a88b",
	"malformed":           "c825da001002a72f",
	"hca-tx":              "2eec9ae1606f61c3",
	"hca-rx-many":         "c429c82ec52a9dd2",
	"replay-fifo-ecc":     "1a6e79f8b6bf9ef8",
	"rq-head-ecc":         "87c8b19d9a19597a",
	"hca-rx-one":          "471cc09d60a9eb8f",
	"hca-top":             "2579bd7585605088",
	"hca-top-sends":       "e373bc9a465c12b7",
	"masked-fields":       "7045a19effb0b74a",
	"minimum":             "06554834cfe16b84",
	"mix":                 "0c96213fad66d516",
	"mr-lookup":           "3eb00735fc7b20d1",
	"mr-lookup-ecc":       "c0e9293d46f0bb30",
	"msg-tracker-ecc":     "93845aed1f4f859f",
	"req-ack-check-ecc":   "90d59ca284875699",
	"rx-classify-ecc":     "db104d3b53e1d668",
	"msg-tracker":         "503fa3036c5b9701",
	"padding":             "ebee1bcfe96d82f5",
	"parse":               "f4893d6fe12717af",
	"psn-window":          "c1fcb26805ebc97a",
	"read-long":           "aef824cd0bc89f77",
	"read-place":          "c33239d6cf43697b",
	"replay-fifo":         "1fde56371a926f1b",
	"qp-ctl":              "2d53ba6134da430f",
	"rate-limiter":        "e3dfbda68b8be009",
	"read-engine":         "04d76f835456cb63",
	"qp-ctl-axil":         "908b7bee093ab87a",
	"req-ack-check":       "dd6ee024df8a05e2",
	"resp-psn-check":      "5eb1a0f9f202cf2c",
	"rq-head":             "3ca1ec1a9e1dfc07",
	"rx-issue":            "56c49e5dc4b7d7e3",
	"rx-classify":         "d027d55069db5eac",
	"rx-dma":              "7bd8a5a06eeb2ddd",
	"resp-long-message":   "23e8ec6ec78a08ef",
	"resp-ecc":            "7559259dc92103d6",
	"retx-timer":          "c95673b984fe31c4",
	"retx-timer-storm":    "a4a3272c2fafbe92",
	"retry-ctl":           "98c7e9a79c1d9284",
	"sq-retire":           "49618adba4b37bed",
	"sq-scheduler":        "76ea3a317ac2b524",
	"tx-arbiter":          "296e27f20f551b7c",
	"tx-packetizer":       "08159cc8f70b1c26",
	"tx-frame":            "4207b3903f6809bb",
	"valid":               "802c39fe44125d70",
	"vcrc":                "67232083d04ffb35",
}

// TestBytesOfScenarios: a change of one scenario, or a new one, leaves the bytes of the others. Where a line changes,
// GeneratorVersion rises.
func TestBytesOfScenarios(t *testing.T) {
	require.Equal(t, 9, GeneratorVersion)
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
