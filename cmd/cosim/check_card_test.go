package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/cover"
)

// The card of captures says what their packets exercise, and which rules no capture shows.
func TestCheckCard(t *testing.T) {
	code, out, _ := cosim("check", "--card", "../../vectors/known/rnr_t01.a.pcap",
		"../../vectors/known/rc_v6_loss5.a.pcap")
	require.Zero(t, code)
	require.Regexp(t, `(?m)^  RSP-9 +\d+ +0 .* held$`, out)
	require.Regexp(t, `(?m)^  ICRC-1 +0 +0 .* not exercised$`, out)
	require.Regexp(t, `(?m)^  no packet of Falcon: its \d+ rules are not exercised$`, out)
	require.NotContains(t, out, "FAL-W1 ")
	require.Regexp(t, `cannot be seen here: .*REQ-11.*DMA-1`, out)

	_, out, _ = cosim("check", "--card", "--json", "../../vectors/known/rnr_t01.a.pcap")
	var all struct{ Card cover.Card }
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	require.NotEmpty(t, all.Card.Rules)
	for _, r := range all.Card.Rules {
		require.Zero(t, r.Broken, r.Rule)
		if r.Rule == "TMR-4" {
			require.NotZero(t, r.Exercised)
		}
	}
}
