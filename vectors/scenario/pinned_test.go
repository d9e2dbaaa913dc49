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
	"atomic-engine":       "3c3311e5546ed523",
	"bit-errors":          "62b00f03e6ee312e",
	"cnp-gen":             "5fde012b1baf04bd",
	"covered-fields":      "3dbfe00dc318274c",
	"falcon-window":       "8210dd121c4567c2",
	"falcon-window-edges": "31b0869219b0e4fb",
	"gate":                "1a3a0359b91fa0da",
	"hca-rx":              "59734e354b08297a",
	"hca-rx-ecc":          "a078ae4a0a84298c",
	"hca-rx-full":         "c476990c4942a363",
	"insert":              "51fe47c131bdb6ed",
	"malformed":           "bb685366a81f5867",
	"hca-tx":              "465a952fe4bec966",
	"hca-rx-many":         "69c5126b6496a9aa",
	"replay-fifo-ecc":     "d095e1f954a2850b",
	"rq-head-ecc":         "df5c3bea7d62cd2a",
	"hca-rx-one":          "a1eff9cf3c58a136",
	"hca-rx-receive":      "a52c701112f8b55a",
	"hca-top":             "f0defc3cef403754",
	"hca-top-sends":       "0997d91fc44fa68c",
	"masked-fields":       "7045a19effb0b74a",
	"minimum":             "06554834cfe16b84",
	"mix":                 "417514f4730668ec",
	"mr-lookup":           "90c8d21a638f593e",
	"mr-lookup-ecc":       "f1d6657f6fd17334",
	"msg-tracker-ecc":     "92deac615dfa6777",
	"req-ack-check-ecc":   "7f7175a15c980f5f",
	"rx-classify-ecc":     "c9b5a2d375148ee4",
	"msg-tracker":         "503fa3036c5b9701",
	"padding":             "ebee1bcfe96d82f5",
	"parse":               "62ed2f6763060732",
	"psn-window":          "b39cbe2bcc8f4d91",
	"read-long":           "d4318518b1147d82",
	"read-place":          "c6ad67006a338cab",
	"replay-fifo":         "4d307342d236cb77",
	"qp-ctl":              "fc3715b2de937ab0",
	"rate-limiter":        "e3dfbda68b8be009",
	"read-engine":         "9bc79545e52fc0dc",
	"qp-ctl-axil":         "3a12864266e491b2",
	"req-ack-check":       "04502631094b526c",
	"resp-psn-check":      "5f2919a93663903c",
	"rq-head":             "b981bb72d693f664",
	"rx-issue":            "f531d0f6dc318d75",
	"rx-classify":         "436da6e4ce0b2a04",
	"rx-dma":              "809ffaa3696e2ca7",
	"resp-long-message":   "23e8ec6ec78a08ef",
	"resp-ecc":            "80878e75a21fe4d9",
	"retx-timer":          "d7f503ce65d4306e",
	"retx-timer-storm":    "a4a3272c2fafbe92",
	"retry-ctl":           "98c7e9a79c1d9284",
	"sq-retire":           "1bdf48ea6ed3b2db",
	"sq-scheduler":        "76ea3a317ac2b524",
	"tx-arbiter":          "296e27f20f551b7c",
	"tx-arbiter-silent":   "82a9393fca6ba624",
	"tx-packetizer":       "8a00bacec91dbcef",
	"tx-frame":            "b5565ae269a41ad8",
	"valid":               "802c39fe44125d70",
	"vcrc":                "73df45fae7c4a39a",
}

// TestBytesOfScenarios: a change of one scenario, or a new one, leaves the bytes of the others. Where a line changes,
// GeneratorVersion rises.
func TestBytesOfScenarios(t *testing.T) {
	require.Equal(t, 14, GeneratorVersion)
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
