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
	"ack-gen":             "9255375095241945",
	"bit-errors":          "f11bf110b0e55809",
	"covered-fields":      "3dbfe00dc318274c",
	"falcon-window":       "43d25ab9bed00eb2",
	"falcon-window-edges": "db868c0b3c2e444d",
	"gate":                "38f001cad2b4937c",
	"hca-rx":              "5060a9aa7d6536f3",
	"insert":              "9712f5e4137b3dae",
	"malformed":           "750574eeddba8c64",
	"masked-fields":       "7045a19effb0b74a",
	"minimum":             "06554834cfe16b84",
	"mix":                 "0c6d7ab7f651b514",
	"mr-lookup":           "db5802f60973df5d",
	"padding":             "ebee1bcfe96d82f5",
	"parse":               "2aa57b5e34f2b4f0",
	"psn-window":          "370a737d384072bf",
	"req-ack-check":       "8865feb53222036e",
	"resp-psn-check":      "7813dbfd5829f005",
	"rx-classify":         "da23942cad8d6100",
	"retx-timer":          "1419fe346089da6c",
	"retx-timer-storm":    "d927049f9ff7ba75",
	"valid":               "802c39fe44125d70",
	"vcrc":                "936dcca4693e3d52",
}

// TestBytesOfScenarios: a change of one scenario, or a new one, leaves the bytes of the others. Where a line changes,
// GeneratorVersion rises.
func TestBytesOfScenarios(t *testing.T) {
	require.Equal(t, 5, GeneratorVersion)
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
