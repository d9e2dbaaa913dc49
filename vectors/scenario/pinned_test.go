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
	"ack-gen":             "7b4e6b03f66eaebc",
	"atomic-engine":       "d185493d2129ebc2",
	"bit-errors":          "4c05febc6debe329",
	"cnp-gen":             "672201985f25dd74",
	"covered-fields":      "3dbfe00dc318274c",
	"falcon-window":       "1c282798361c62e3",
	"falcon-window-edges": "bb08c8b8bba93a53",
	"gate":                "8705f597e62dafb2",
	"hca-rx":              "60895a8e5410627c",
	"hca-rx-ecc":          "98e5fa225c81b45b",
	"hca-rx-full":         "ab5a51f53c990201",
	"insert":              "1328f3b3445a2708",
	"malformed":           "fb11c30bc35f6b57",
	"hca-tx":              "90a379175658b3a0",
	"hca-top-closes":      "20dafa74879b4500",
	"hca-rx-long":         "89708fbd32526887",
	"hca-rx-meets":        "3fd2d3f582b96cb4",
	"rx-issue-one":        "ea19e59706f68828",
	"read-place-full":     "0127e906ce4a4583",
	"hca-rx-writes":       "dc395f4c01ac70a1",
	"hca-tx-jams":         "a5fbaf4359b6e28f",
	"hca-top-meets":       "61db2aa58ec3e17d",
	"hca-tx-long":         "c6463e51fd2e9e13",
	"hca-rx-many":         "320121e1baded4e4",
	"replay-fifo-ecc":     "d410d827f82961dc",
	"rq-head-ecc":         "01f901ce5b31d86d",
	"hca-rx-one":          "2cb060286063696b",
	"hca-rx-receive":      "f9dd0711a0b32e47",
	"hca-top":             "248b6220d320136d",
	"hca-top-sends":       "b22c3cf77b51f3ed",
	"masked-fields":       "7045a19effb0b74a",
	"minimum":             "06554834cfe16b84",
	"mix":                 "ea2798fa3156fc47",
	"mr-lookup":           "944d4e7bd23b6e3c",
	"mr-lookup-ecc":       "818d9abaa982e7c1",
	"msg-tracker-ecc":     "4bd0682df01e4c7d",
	"msg-tracker-long":    "d58158c95c71a2ad",
	"req-ack-check-ecc":   "d97bc0a9bb3f1ae6",
	"rx-classify-ecc":     "9c76abf08df55ed4",
	"msg-tracker":         "3ca65c7e4e0f31ea",
	"padding":             "ebee1bcfe96d82f5",
	"parse":               "953f58d39023f67d",
	"psn-window":          "b39cbe2bcc8f4d91",
	"read-long":           "feb3d5a3eee19887",
	"read-place":          "0332e5138a81345e",
	"replay-fifo":         "3a29a09e6661e993",
	"qp-ctl":              "f577b755480d0ef1",
	"rate-limiter":        "2bd1516374dd493c",
	"read-engine":         "65ae87837eeafdd5",
	"qp-ctl-axil":         "8187318e04ebb4cd",
	"req-ack-check":       "919e4f8cf1599adf",
	"resp-psn-check":      "c58d7416b9715dcd",
	"rq-head":             "5bfdb4594c01172d",
	"rx-issue":            "e7334dc6c2ec9306",
	"rx-classify":         "e2540f2b40733b60",
	"rx-dma":              "7a6733d07c032335",
	"resp-long-message":   "0fbcb3532b22a8c0",
	"resp-ecc":            "b9f07cd5398dd34c",
	"retx-timer":          "dd1e89125dccf574",
	"retx-timer-storm":    "a4a3272c2fafbe92",
	"retry-ctl":           "e45e4a78b389f921",
	"sq-retire":           "8a457b4a7149644f",
	"sq-scheduler":        "9ccc07bfc1684358",
	"tx-arbiter":          "1c39176737243c63",
	"tx-arbiter-silent":   "9796e0c45771d9d4",
	"tx-packetizer":       "ab3b00a86af3b20d",
	"tx-frame":            "594cb6587bf7a4b7",
	"valid":               "802c39fe44125d70",
	"vcrc":                "cfe971ebedd56f16",
}

// TestBytesOfScenarios: a change of one scenario, or a new one, leaves the bytes of the others. Where a line changes,
// GeneratorVersion rises.
func TestBytesOfScenarios(t *testing.T) {
	require.Equal(t, 28, GeneratorVersion)
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
