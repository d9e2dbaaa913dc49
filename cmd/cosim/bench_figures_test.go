package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestCompareFigures: what lies within the spread of before is no news; less is better for ns, more for all else.
func TestCompareFigures(t *testing.T) {
	before := []figure{{"parse", "ns", 10, 9, 12}, {"bridge", "ratio", 0.8, 0.7, 0.9}, {"old", "ns", 1, 1, 1}}
	for _, c := range []struct {
		now    []figure
		slower bool
		text   string
	}{
		{[]figure{{"parse", "ns", 12, 11, 14}, {"bridge", "ratio", 0.65, 0.6, 0.75}, before[2]}, false,
			"3 figures: none is slower or faster by more than the spread\n"},
		{[]figure{{"parse", "ns", 14, 13, 15}, before[1], before[2]}, true,
			"slower  parse: 14 ns (13 to 15), was 10 (9 to 12)\n"},
		{[]figure{before[0], {"bridge", "ratio", 0.5, 0.4, 0.6}, before[2]}, true,
			"slower  bridge: 0.5 ratio (0.4 to 0.6), was 0.8 (0.7 to 0.9)\n"},
		{[]figure{{"parse", "ns", 5, 4, 6}, before[1], {"new", "ns", 3, 3, 3}}, false,
			"faster  parse: 5 ns (4 to 6), was 10 (9 to 12)\nnew     new: 3 ns\ngone    old\n"},
	} {
		text, slower := compareFigures(before, c.now)
		require.Equal(t, c.slower, slower, text)
		require.Equal(t, c.text, text)
	}
	exit, _, errs := cosim("bench", "--against", file(t, "b.json", []byte("{}")))
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "not what `cosim bench --json` writes")
}

// A section that is none is said before half an hour is spent, and what is asked for is measured in its own order.
func TestBenchSections(t *testing.T) {
	exit, _, errs := cosim("bench", "--only", "model", "--only", "nosuch")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "--only nosuch: no such section")
	some, err := benchSections([]string{"vecgen", "bridge"})
	require.NoError(t, err)
	require.Len(t, some, 2)
	require.Equal(t, "bridge", some[0].name)
}
