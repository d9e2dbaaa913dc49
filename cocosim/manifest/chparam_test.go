package manifest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChparamSetsAllAtOnce: rq_head at Depth 64 has no more than 1,024 QPs; Yosys must not see it with the default of
// 4,096 on the way.
func TestChparamSetsAllAtOnce(t *testing.T) {
	m := &Manifest{Top: "rq_head", Parameters: map[string]int{"NumQps": 1024, "Depth": 64}}
	require.Equal(t, "chparam -set Depth 64 -set NumQps 1024 rq_head; ", m.Chparam())
	require.Empty(t, (&Manifest{Top: "psn_window"}).Chparam())
}
