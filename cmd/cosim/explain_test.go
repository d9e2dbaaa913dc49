package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
		require.Contains(t, rules.text, id)
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
	require.Contains(t, errs, "no check, syndrome, opcode or field of that name")
}

// namedCheck is a check as the sources name it.
var namedCheck = regexp.MustCompile(`Rule(?:: *|(?:, v\.\w+)* = )"([A-Z]+(?:-[A-Z]+)?)"|[0-9]: "((?:AXIS-)?[A-Z]+)"`)

// TestEveryCheckIsExplained: whatever the judges and the bridge can name in place of a rule is explained.
func TestEveryCheckIsExplained(t *testing.T) {
	named := map[string]bool{}
	for _, dir := range []string{"../../cocosim", "../../cocosim/verilated", "../../model/hca"} {
		files, err := filepath.Glob(dir + "/*.go")
		require.NoError(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			for _, m := range namedCheck.FindAllStringSubmatch(string(text), -1) {
				named[m[1]+m[2]] = true
			}
		}
	}
	for _, name := range []string{"DATA", "RATE", "HUNG", "TURN", "STALE", "AXIS-STABLE", "STOP"} {
		require.Contains(t, named, name, "the sources were read")
	}
	for name := range named {
		exit, out, errs := cosim("explain", strings.ToLower(name))
		require.Equal(t, cocosim.Agreed, exit, errs)
		require.Contains(t, out, name+"\n")
		require.Contains(t, out, "Look at")
	}
	for arg, want := range map[string]string{"AXIS-2": "AXIS-STABLE", "axis-n": "AXIS-RESET", "axis": "AXIS-VALID"} {
		exit, out, errs := cosim("explain", arg)
		require.Equal(t, cocosim.Agreed, exit, errs)
		require.Contains(t, out, want)
	}
	for _, arg := range []string{"AXIS-6", "AXIS-12"} {
		exit, _, _ := cosim("explain", arg)
		require.Equal(t, cocosim.BadInput, exit, arg)
	}
}

// TestExplainSuggests: a name that is not known leads to those that it is most like.
func TestExplainSuggests(t *testing.T) {
	for arg, want := range map[string]string{"RATEE": "RATE", "MISING": "MISSING", "RPS-2": "RSP-2",
		"wqe_presnt": "wqe_present", "RC READ reqest": "RC READ request", "FAL-D99": "FAL-D9"} {
		exit, _, errs := cosim("explain", arg)
		require.Equal(t, cocosim.BadInput, exit)
		require.Contains(t, errs, want)
		require.Equal(t, 1, strings.Count(errs, "\n"))
		require.Less(t, len(errs), 300)
	}
}
