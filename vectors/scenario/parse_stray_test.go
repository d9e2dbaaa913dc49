package scenario

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParseStrayPayloads: whatever the seed, every opcode without payload comes with one, of each size; such packets
// come back to back, and behind and before packets whose payload leaves, by which a shifted pairing of records and
// payloads shows.
func TestParseStrayPayloads(t *testing.T) {
	var want []string
	for _, opcode := range []int{0x0C, 0x11, 0x12, 0x13, 0x14, 0x1C, 0x4C, 0x51, 0x52, 0x53, 0x54, 0x55, 0x5C, 0xAC, 0xB1,
		0xB2, 0xB3, 0xB4} {
		want = append(want, fmt.Sprintf("%02X", opcode))
	}
	want = append(want, "RC READ request, 4093 and pad 3", "RC FETCH & ADD, 4000 and pad 0", "RC FLUSH, 4000 and pad 0",
		"RC ACK, 64 and pad 0", "RD RESYNC, 1 and pad 3", "RC CMP & SWAP, 4097 and pad 3", "XRC ATOMIC ACK, 4096 and pad 0",
		"stray behind stray", "stray behind good", "good behind stray", "three strays")
	s, err := Lookup("parse")
	require.NoError(t, err)
	for seed := range uint64(4) {
		seen, strays, before := bins{}, 0, ""
		each(t, s, seed, s.Count, func(_ uint64, c *Case) {
			reading := secondReading(c.Link, c.Frame)
			kind := "other"
			switch {
			case len(reading.payload) > 0:
				kind = "good"
			case c.shape.op != nil && reading.fields["payload_bytes"] != "" && reading.fields["tver"] == "":
				kind = "stray"
				seen.add("%02X", c.Frame[c.layout.transport])
				seen.add("%s, %d and pad %d", c.shape.op.Name, c.shape.payload, -c.shape.payload&3)
			}
			if strays++; kind != "stray" {
				strays = 0
			}
			seen.add("%s behind %s", kind, before)
			if strays == 3 {
				seen.add("three strays")
			}
			before = kind
		})
		require.Empty(t, seen.missing(want), "seed %d", seed)
		require.Greater(t, seen["stray behind stray"], 400)
	}
}
