package cover

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A broken rule and a possibly broken one have a row, in the order of the rules, also where nothing was counted for
// them.
func TestCardOfFindings(t *testing.T) {
	c := NewCaptured().Card(map[string]uint64{"REQ-12": 2, "PSN-2": 1, "nonsense": 4})
	c.Possibly(map[string]uint64{"REQ-8": 3})
	row := map[string]RuleCount{}
	for i, r := range c.Rules {
		row[r.Rule] = r
		if i > 0 {
			require.Less(t, indexOf(c.Rules[i-1].Rule), indexOf(r.Rule))
		}
	}
	require.EqualValues(t, 2, row["REQ-12"].Broken)
	require.EqualValues(t, 1, row["PSN-2"].Broken)
	require.EqualValues(t, 3, row["REQ-8"].Possible)
	require.EqualValues(t, 4, c.Other)
	require.NotContains(t, c.Unseen, "REQ-8")
	require.NotContains(t, c.Unseen, "REQ-12")
}

func indexOf(rule string) int {
	for i, r := range allRules() {
		if r == rule {
			return i
		}
	}
	return -1
}

// TestRulesAreRows: a line of prose that begins with a name like CRC-32 is no rule.
func TestRulesAreRows(t *testing.T) {
	ids := allRules()
	require.Contains(t, ids, "PSN-1")
	require.Contains(t, ids, "FAL-C7")
	require.NotContains(t, ids, "CRC-32")
}
