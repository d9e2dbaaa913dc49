package session

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
)

// TestSameViolation: the same in a life that begins in another state is the same; in another life, or with another
// text, it is not.
func TestSameViolation(t *testing.T) {
	in := func(life, seed int, what string) *cocosim.Violation {
		text := fmt.Sprintf("in life %d, which begins in another state (--state-seed %d): %s", life, seed, what)
		return &cocosim.Violation{Verdict: sim.Verdict{Rule: "DATA", Text: text}, Cycle: 5, Life: life}
	}
	require.True(t, sameViolation(in(1, 77, "first difference at byte 0"), in(1, 78, "first difference at byte 0")))
	require.False(t, sameViolation(in(1, 77, "first difference at byte 0"), in(2, 77, "first difference at byte 0")))
	require.False(t, sameViolation(in(1, 77, "first difference at byte 0"), in(1, 77, "first difference at byte 1")))
}
