package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/docs"
	"hcacosim/model/roce"
)

func TestExplain(t *testing.T) {
	exit, out, _ := cosim("explain", "rsp-2")
	require.Equal(t, cocosim.Agreed, exit)
	require.Contains(t, out, "one sequence NAK with ePSN")
	require.Contains(t, out, "resp_one_nak")
	exit, _, errs := cosim("explain", "RSP-99")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "no rule RSP-99")
}

// Whatever a violation can cite is explained.
func TestEveryRuleIsExplained(t *testing.T) {
	rules := rulesOf(docs.Rules)
	for id := range lookAt {
		if id != "SIDECAR" {
			require.Contains(t, rules.text, id)
		}
	}
	for _, d := range roce.Deviations {
		require.Contains(t, rules.text, string(d.Rule))
	}
	require.Greater(t, len(rules.ids), 40)
	for _, id := range rules.ids {
		require.Contains(t, lookAt, id)
		exit, out, _ := cosim("explain", id)
		require.Equal(t, cocosim.Agreed, exit)
		require.Contains(t, out, "Look at")
	}
}
