package vectors

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/vectors/scenario"
)

// rulesOfSet are the rules that a set's lines name, with how often.
func rulesOfSet(t *testing.T, set *Set) map[string]int {
	t.Helper()
	found := map[string]int{}
	for line := range strings.Lines(string(fileOf(t, set, recordsFile))) {
		var l struct{ Rules []string }
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		for _, r := range l.Rules {
			found[r]++
		}
	}
	return found
}

// TestVectorsNameTheirRules: the rules that the document of each stage is about occur in its set, and are rules.
func TestVectorsNameTheirRules(t *testing.T) {
	text, err := os.ReadFile("../docs/rules.md")
	require.NoError(t, err)
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([A-Z]+-[A-Z]?\d+) \|`).FindAllStringSubmatch(string(text), -1) {
		known[m[1]] = true
	}
	require.Greater(t, len(known), 60)
	for dut, rules := range map[string]string{
		"icrc_check":  "ICRC-1 ICRC-2 ICRC-3 ICRC-4 ICRC-5 END-1",
		"icrc_insert": "ICRC-1 ICRC-2 ICRC-3 ICRC-4 ICRC-5 END-1",
		"psn_window":  "PSN-1 PSN-2 PSN-3",
		"roce_parse":  "OPC-1 OPC-2 END-1 LEN-1 ADM-2",
		"resp_psn_check": "OPC-1 PSN-2 PSN-4 PSN-5 LEN-1 RSP-1 RSP-2 RSP-3 RSP-4 RSP-5 RSP-7 RSP-8 " +
			"RSP-9 RSP-10 RSP-11 RSP-12 RSP-13 RSP-15",
		"req_ack_check": "OPC-1 PSN-3 PSN-4 PSN-5 PSN-7 LEN-1 REQ-1 REQ-2 REQ-3 " +
			"REQ-4 REQ-9 REQ-12 CRD-2 CRD-4 RSP-15 TMR-3 TMR-5",
		"retx_timer": "TMR-1 TMR-2 TMR-3 TMR-4 TMR-5 TMR-6",
	} {
		set := generate(t, scenario.Default(dut).Name, dut, 1, 20000, SetOptions{})
		require.NoError(t, set.Check())
		found := rulesOfSet(t, set)
		for _, rule := range strings.Fields(rules) {
			require.Positive(t, found[rule], "%s: %s", dut, rule)
		}
		require.Len(t, found, len(strings.Fields(rules)), "%s: %v", dut, found)
		for rule := range found {
			require.True(t, known[rule], rule)
		}
	}
}

// TestCheckFindsAWrongRule: what a line names is held against the model.
func TestCheckFindsAWrongRule(t *testing.T) {
	set := generate(t, "psn-window", "psn_window", 1, 50, SetOptions{})
	path := set.Dir + "/" + recordsFile
	before := string(fileOf(t, set, recordsFile))
	for old, new := range map[string]string{`"PSN-3"`: `"PSN-2"`, `,"rules":["PSN-1","PSN-2"]`: ``,
		`["PSN-1","PSN-2"]`: `["PSN-1" , "PSN-3"]`} {
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(before, old, new, 1)), 0o666))
		sum, size, err := hashFile(path)
		require.NoError(t, err)
		f := set.Files[recordsFile]
		set.Files[recordsFile] = FileInfo{sum, size, f.Records, f.Lines}
		require.ErrorContains(t, set.Check(), "the set names rules [")
	}
}
