package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/rtl"
)

// So that a block that changes does not leave its proof behind; the proofs themselves are make formal's.
func TestEveryFaultCanBePlanted(t *testing.T) {
	for _, p := range proofs {
		sources, err := rtl.Needed("..", p.block)
		require.NoError(t, err)
		at := map[string]rtl.Source{}
		for _, s := range sources {
			at[s.Path] = s
		}
		for _, prop := range p.properties {
			s, ok := at[filepath.Join("..", prop.fault.file)]
			require.True(t, ok, "%s: %s", p.block, prop.fault.file)
			require.NoError(t, plant(s, filepath.Join(t.TempDir(), "planted.sv"), &prop.fault), "%s: %s", p.block, prop.says)
		}
	}
}

// A trace as the solver prints it: cycle 3 holds what the assertion of line 2 found in cycle 2.
func TestCounterexample(t *testing.T) {
	harness := filepath.Join(t.TempDir(), "x_proof.sv")
	require.NoError(t, os.WriteFile(harness, []byte("wire \\dut.a_q ; logic count;\nassert (count == 0);\n"), 0o644))
	log := "SAT temporal induction proof finished - model found for base case: FAIL!\n\n" +
		"  Time Signal Name Dec Hex Bin\n  ---- ---- --- --- ---\n" +
		"  init \\count 0 0 00000\n  ---- ---- --- --- ---\n" +
		"     1 $formal$" + harness + ":2$1_CHECK 0 0 0\n     1 $formal$" + harness + ":2$1_EN 0 0 0\n" +
		"     1 \\count 1 1 00001\n     1 \\dut.a_q 1 1 1\n     1 \\dut.b_q 1 1 1\n  ---- ---- --- --- ---\n" +
		"     2 $formal$" + harness + ":2$1_CHECK 1 1 1\n     2 $formal$" + harness + ":2$1_EN 1 1 1\n" +
		"     2 \\count 31 1f 11111\n     2 \\dut.a_q 0 0 0\n     2 \\dut.b_q 1 1 1\n  ---- ---- --- --- ---\n" +
		"     3 $formal$" + harness + ":2$1_CHECK 0 0 0\n     3 $formal$" + harness + ":2$1_EN 1 1 1\n" +
		"     3 \\count 0 0 00000\n     3 \\dut.a_q 0 0 0\n     3 \\dut.b_q 0 0 0\n"
	require.Equal(t, "    a run from reset fails:\n"+
		"    "+harness+":2: assert (count == 0);\n"+
		"    count   01 1f\n"+
		"    dut.a_q 1  0\n", tellCounterexample([]byte(log), harness))
}
