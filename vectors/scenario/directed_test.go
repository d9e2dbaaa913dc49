package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/docs"
	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// directedOutcomes are what becomes of the records of each case, by the documents of the blocks: of resp_psn_check the
// why of each packet, "-" before it if it is dropped; of mr_lookup that of each check and invalidate; of replay_fifo
// what each look-up finds: nothing, a request, or its result too; of retry_ctl each order with its cause or status.
var directedOutcomes = map[string]string{
	"write-imm-empty":            "0 0",
	"write-read-empty":           "0 0",
	"send-empty":                 "0 0 0",
	"send-inv-empty-bad-key":     "10",
	"write-imm-empty-rnr":        "9",
	"atomic-misaligned":          "0 11",
	"atomic-misaligned-bad-key":  "10",
	"atomic-bad-key":             "10",
	"message-behind-duplicate":   "0 0 0 0 19 0 20 0 18 0 0",
	"nak-behind-duplicate":       "0 0 0 4 -4 19 4 -4 20 4 -4 18 4 0",
	"rnr-behind-reads":           "0 9 0 9 0 9",
	"psn-turns-over":             "0 0 0 0 18 0 0 0 0 0 18",
	"read-psns":                  "0 0 0 0 0 0",
	"send-too-long":              "14 -2",
	"send-too-long-uc":           "-14 0",
	"foreign-to-ud":              strings.Repeat("-3 ", 14) + "0",
	"foreign-to-rc":              strings.Repeat("-3 ", 10) + "0",
	"foreign-to-uc":              strings.Repeat("-3 ", 13) + "0",
	"stray-payload":              "0 12 0 12 0 12 0 12",
	"not-ready":                  "-2 -2 -2 -2 0",
	"same-again":                 "0 0",
	"another-domain":             "2 0",
	"other-addresses":            "4 0",
	"other-permissions":          "3 0",
	"no-longer-a-window":         "0 1 5 0",
	"two-permissions":            "3 3 3 3 3",
	"address-one-bit-apart":      "4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4",
	"bound-again-by-another-key": "0 1 0",
	"one-bit-apart":              strings.Repeat("1 2 1 2 1 2 1 2 1 2 1 2 1 1 ", 2) + "0",
	"atomic-again":               "request result result",
	"atomic-fallen-out":          "nothing result result result result",
	"atomic-as-read":             "nothing nothing",
	"read-parts":                 strings.TrimSpace(strings.Repeat("request ", 15)),
	"read-beyond":                "nothing nothing nothing request",
	"read-turns-over":            "request nothing nothing",
	"one-bit-apart-kept":         strings.Repeat("nothing ", 16) + "request request",
	"two-bits-apart":             strings.TrimSpace(strings.Repeat("nothing ", 160)),
	"read-far-in":                strings.Repeat("request ", 4) + strings.TrimSpace(strings.Repeat("nothing ", 9)),
	"naks-of-one-loss":           "back:1 back:3",
	"rnr-wait-is-kept":           "wait:2 on:6",
	"rnr-wait-ends-by-progress":  "wait:2 on:0",
	"fatal-statuses":             "fail:1 fail:2 fail:3",
	"expiry-of-closed":           "",
	"resends-run-out":            "back:5 back:5 back:5 fail:4",
}

// outcomeOf names what became of a record of a stage; "" of what does not count.
var outcomeOf = map[string]func(in, out []byte) string{
	"resp_psn_check": func(in, out []byte) string {
		a := hca.ParseRespResult(out)
		switch {
		case a.Op != hca.RespPacket:
			return ""
		case a.Verdict == roce.RespDropped:
			return fmt.Sprintf("-%d", a.Why)
		}
		return fmt.Sprint(a.Why)
	},
	"mr_lookup": func(in, out []byte) string {
		if q := hca.ParseMRQuery(in); q.Op == hca.MRSet || q.Op == hca.MRRemove {
			return ""
		}
		return fmt.Sprint(out[100/8] >> (100 % 8) & 7)
	},
	"replay_fifo": func(in, out []byte) string {
		switch a := hca.ParseReplayAnswer(out); {
		case a.Op != hca.ReplayLookUp:
			return ""
		case !a.Found:
			return "nothing"
		case a.Known:
			return "result"
		}
		return "request"
	},
	"retry_ctl": func(in, out []byte) string {
		a := hca.ParseRetryAnswer(out)
		if a.Order == hca.RetryFail {
			return fmt.Sprintf("fail:%d", a.Status)
		}
		name := [...]string{"", "back", "wait", "on"}[a.Order]
		if name == "" {
			return ""
		}
		return fmt.Sprintf("%s:%d", name, a.Cause)
	},
}

// TestDirectedCases: each is played in every run of its scenario, has a rule that there is, and what becomes of it is,
// mostly, what its sentence says. An episode that ends, or a key's index that another key has, cuts one short.
func TestDirectedCases(t *testing.T) {
	known := map[string]bool{}
	for _, c := range AllDirected() {
		require.False(t, known[c.Name], c.Name)
		known[c.Name] = true
		require.Contains(t, docs.Rules, "| "+c.Rule+" |", c.Name)
		require.NotEmpty(t, c.Says)
		require.Contains(t, directedOutcomes, c.Name)
	}
	require.Len(t, directedOutcomes, len(known))
	for stage, outcome := range outcomeOf {
		s := Default(stage)
		for name, outcomes := range playedOf(t, s, stage, outcome) {
			good := 0
			for _, o := range outcomes {
				if o == directedOutcomes[name] {
					good++
				}
			}
			require.Greater(t, good, len(outcomes)/2, "%s: %v", name, outcomes)
			delete(known, name)
		}
	}
	require.Empty(t, known, "never played")
}

// playedOf plays half of a scenario's records on the stage and returns the outcomes of its directed cases by name.
func playedOf(t *testing.T, s *Scenario, stage string, outcome func(in, out []byte) string) map[string][]string {
	t.Helper()
	spec, ok := stages.Lookup(stage)
	require.True(t, ok)
	model, g := spec.New(nil), NewGenerator(s, 1)
	played := map[string][]string{}
	var c Case // kept: it holds the episode that its records are of
	var last string
	var words []string
	for index := range s.Count / 2 {
		g.Make(index, &c)
		out := model.Advance(1<<40, []sim.Record{{Data: c.Frame}}, nil)[0].Data
		name := DirectedOf(string(c.Why))
		if name != last && last != "" {
			played[last] = append(played[last], strings.Join(words, " "))
			words = words[:0]
		}
		if last = name; name != "" {
			if word := outcome(c.Frame, out); word != "" {
				words = append(words, word)
			}
		}
	}
	return played
}
