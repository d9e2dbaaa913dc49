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
	"ack-gen":             "15120334c74ff6f3",
	"atomic-engine":       "474871ffb838ce02",
	"bit-errors":          "6d9e2d784ec5eb28",
	"cnp-gen":             "751d5a58a79d2d85",
	"covered-fields":      "3dbfe00dc318274c",
	"falcon-window":       "8210dd121c4567c2",
	"falcon-window-edges": "13f3748a376af35b",
	"gate":                "9633ad2daaa40d36",
	"hca-rx":              "59734e354b08297a",
	"hca-rx-ecc":          "a751938937fd48d6",
	"hca-rx-full":         "c476990c4942a363",
	"insert":              "55fe66a9e5f2685c",
	"malformed":           "ebd312a5b9a9c48f",
	"hca-tx":              "386ab7ebd68cdb1b",
	"hca-rx-many":         "69c5126b6496a9aa",
	"replay-fifo-ecc":     "1a6e79f8b6bf9ef8",
	"rq-head-ecc":         "87c8b19d9a19597a",
	"hca-rx-one":          "a1eff9cf3c58a136",
	"hca-rx-receive":      "8a66d2f9e107e23f",
	"hca-top":             "f20c60ae8c350af1",
	"hca-top-sends":       "e373bc9a465c12b7",
	"masked-fields":       "7045a19effb0b74a",
	"minimum":             "06554834cfe16b84",
	"mix":                 "9d0d73c858e64c53",
	"mr-lookup":           "90c8d21a638f593e",
	"mr-lookup-ecc":       "fbd1310f67498d96",
	"msg-tracker-ecc":     "93845aed1f4f859f",
	"req-ack-check-ecc":   "90d59ca284875699",
	"rx-classify-ecc":     "e01273807c31c21d",
	"msg-tracker":         "503fa3036c5b9701",
	"padding":             "ebee1bcfe96d82f5",
	"parse":               "20f176ea9234e435",
	"psn-window":          "c1fcb26805ebc97a",
	"read-long":           "aef824cd0bc89f77",
	"read-place":          "c6ad67006a338cab",
	"replay-fifo":         "4d307342d236cb77",
	"qp-ctl":              "dd7eae86cb36bf54",
	"rate-limiter":        "e3dfbda68b8be009",
	"read-engine":         "9bc79545e52fc0dc",
	"qp-ctl-axil":         "282da1e8040bca85",
	"req-ack-check":       "04502631094b526c",
	"resp-psn-check":      "5f2919a93663903c",
	"rq-head":             "b981bb72d693f664",
	"rx-issue":            "f531d0f6dc318d75",
	"rx-classify":         "436da6e4ce0b2a04",
	"rx-dma":              "809ffaa3696e2ca7",
	"resp-long-message":   "23e8ec6ec78a08ef",
	"resp-ecc":            "4ee13000e576460c",
	"retx-timer":          "7a9166dca2f011b8",
	"retx-timer-storm":    "a4a3272c2fafbe92",
	"retry-ctl":           "98c7e9a79c1d9284",
	"sq-retire":           "7845f8a04b6f546a",
	"sq-scheduler":        "76ea3a317ac2b524",
	"tx-arbiter":          "296e27f20f551b7c",
	"tx-arbiter-silent":   "82a9393fca6ba624",
	"tx-packetizer":       "adad0f4eca8fcf4b",
	"tx-frame":            "b5565ae269a41ad8",
	"valid":               "802c39fe44125d70",
	"vcrc":                "7f851e19da7a1dc0",
}

// TestBytesOfScenarios: a change of one scenario, or a new one, leaves the bytes of the others. Where a line changes,
// GeneratorVersion rises.
func TestBytesOfScenarios(t *testing.T) {
	require.Equal(t, 13, GeneratorVersion)
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
