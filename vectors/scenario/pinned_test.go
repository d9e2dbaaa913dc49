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
	"ack-gen":             "44b19186b0d4583a",
	"atomic-engine":       "01b630752d8137ce",
	"bit-errors":          "4c05febc6debe329",
	"cnp-gen":             "5adc1176d40d0510",
	"covered-fields":      "3dbfe00dc318274c",
	"falcon-window":       "1c282798361c62e3",
	"falcon-window-edges": "bb08c8b8bba93a53",
	"gate":                "8705f597e62dafb2",
	"hca-rx":              "e0c566c6202b3e60",
	"hca-rx-ecc":          "83de280221adaa81",
	"hca-rx-full":         "ab5a51f53c990201",
	"insert":              "1328f3b3445a2708",
	"malformed":           "fb11c30bc35f6b57",
	"hca-tx":              "90a379175658b3a0",
	"hca-top-closes":      "20dafa74879b4500",
	"hca-rx-long":         "36edc23a87442d9c",
	"hca-rx-meets":        "3fd2d3f582b96cb4",
	"rx-issue-one":        "91254b052027923f",
	"read-place-full":     "0127e906ce4a4583",
	"hca-rx-writes":       "dc395f4c01ac70a1",
	"hca-tx-jams":         "a5fbaf4359b6e28f",
	"hca-top-meets":       "61db2aa58ec3e17d",
	"hca-tx-long":         "c6463e51fd2e9e13",
	"hca-rx-many":         "320121e1baded4e4",
	"replay-fifo-ecc":     "f970d130b9d6a3ef",
	"rq-head-ecc":         "3412ceb86ee538b1",
	"hca-rx-one":          "bbbb2a90257ee301",
	"hca-rx-receive":      "f9dd0711a0b32e47",
	"hca-top":             "a47c58d11c3fd2aa",
	"hca-top-sends":       "b22c3cf77b51f3ed",
	"masked-fields":       "7045a19effb0b74a",
	"minimum":             "06554834cfe16b84",
	"mix":                 "ea2798fa3156fc47",
	"mr-lookup":           "e995772f07ed0007",
	"mr-lookup-ecc":       "4bc407ea0c153013",
	"msg-tracker-ecc":     "92deac615dfa6777",
	"msg-tracker-long":    "d58158c95c71a2ad",
	"req-ack-check-ecc":   "d97bc0a9bb3f1ae6",
	"rx-classify-ecc":     "08aaaffef9720736",
	"msg-tracker":         "503fa3036c5b9701",
	"padding":             "ebee1bcfe96d82f5",
	"parse":               "953f58d39023f67d",
	"psn-window":          "b39cbe2bcc8f4d91",
	"read-long":           "feb3d5a3eee19887",
	"read-place":          "0332e5138a81345e",
	"replay-fifo":         "8e063f6094dfaa48",
	"qp-ctl":              "f577b755480d0ef1",
	"rate-limiter":        "3bf3919e4d6ffa09",
	"read-engine":         "f12050da7cc31213",
	"qp-ctl-axil":         "8187318e04ebb4cd",
	"req-ack-check":       "3003031d01a499cb",
	"resp-psn-check":      "4cb626c79d16012b",
	"rq-head":             "f9d5ea762dc9b4af",
	"rx-issue":            "f897b0bed9dabd5b",
	"rx-classify":         "0341e4ff78c6b767",
	"rx-dma":              "7a6733d07c032335",
	"resp-long-message":   "459279c91a563338",
	"resp-ecc":            "829c04f2cca182ea",
	"retx-timer":          "dd1e89125dccf574",
	"retx-timer-storm":    "a4a3272c2fafbe92",
	"retry-ctl":           "e45e4a78b389f921",
	"sq-retire":           "89f0a054f03f7fcb",
	"sq-scheduler":        "76ea3a317ac2b524",
	"tx-arbiter":          "1c39176737243c63",
	"tx-arbiter-silent":   "9796e0c45771d9d4",
	"tx-packetizer":       "a4839d5ddc30610e",
	"tx-frame":            "b13f653f2fc74adc",
	"valid":               "802c39fe44125d70",
	"vcrc":                "cfe971ebedd56f16",
}

// TestBytesOfScenarios: a change of one scenario, or a new one, leaves the bytes of the others. Where a line changes,
// GeneratorVersion rises.
func TestBytesOfScenarios(t *testing.T) {
	require.Equal(t, 27, GeneratorVersion)
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
