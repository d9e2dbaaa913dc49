package mutate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/report"
)

// What a design without a mutant does wrong is said in a line: the earliest.
func TestFirstMismatchInALine(t *testing.T) {
	require.Empty(t, firstOf(nil))
	all := []report.MissJSON{{Rule: "DATA", Port: "m_rec", Cycle: 276, Text: "byte 6"}, {Rule: "EXTRA"}}
	require.Equal(t, "DATA on m_rec at cycle 276: byte 6", firstOf(all))
}
