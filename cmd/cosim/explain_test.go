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
		if id != "SIDECAR" && id != "FORM" {
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

// TestExplainTerms: a number is shown as whatever it can be; names are found without regard to case.
func TestExplainTerms(t *testing.T) {
	for arg, want := range map[string][]string{
		"61h":          {"syndrome 61h", "NAK invalid request", "opcode 61h", "unknown"},
		"0x0C":         {"opcode 0Ch", "RC READ request", "RETH", "VA"},
		"read request": {"RC READ request", "XRC READ request"},
		"2Eh":          {"RNR NAK"},
		"wqe_present":  {"resp_psn_check", "s_rec", "there is a receive WQE"},
		"DMALen":       {"RETH", "bytes 12 to 15"},
	} {
		exit, out, errs := cosim("explain", arg)
		require.Equal(t, cocosim.Agreed, exit, errs)
		for _, text := range want {
			require.Contains(t, out, text, arg)
		}
	}
	exit, _, errs := cosim("explain", "nonsense")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "no syndrome, opcode or field of that name")
}
