package main

import (
	"hash/crc32"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/rtl"
)

// So that a block that changes does not leave its proof behind; the proofs themselves are make formal's.
func TestEveryFaultCanBePlanted(t *testing.T) {
	for _, p := range proofs {
		sources, err := p.sources("..")
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

// A property that is proved in a run of its own shares it with no other: its harness assumes more, or it is claimed of
// fewer cycles.
func TestAloneIsAlone(t *testing.T) {
	all := regexp.MustCompile("")
	for _, p := range proofs {
		for _, g := range groups(p, "..", "", all) {
			for _, task := range g {
				if task.covered || task.bounded || task.exam != nil {
					require.Len(t, g, 1, "%s: %s", p.block, task.property.says)
				}
			}
		}
	}
}

// The document's table has a row for every property that is registered, in that order, and no other.
func TestDocumentHasEveryProperty(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("../..", docPath))
	require.NoError(t, err)
	require.True(t, string(document(text, nil)) == string(text),
		"%s is not what its rows and the proofs make of it: go run ./rtl/formal -w with -run for what changed", docPath)
}

// The serial LFSR and its polynomials, which crc_stream is held against, themselves: by Ethernet's CRC of the standard
// library, and by what the RTL names.
func TestSerialLFSR(t *testing.T) {
	text := []byte("123456789")
	state := ^uint32(0)
	for _, octet := range text {
		for i := range 8 {
			state = crcs[1].shift(state, uint32(octet>>i)&1)
		}
	}
	require.Equal(t, crc32.ChecksumIEEE(text), ^state)

	sources, err := os.ReadFile("../pkg/ib_pkg.sv")
	require.NoError(t, err)
	require.Contains(t, string(sources), "IcrcPoly = 32'hEDB8_8320;")
	require.Contains(t, string(sources), "VcrcPoly = 16'hD008;")
	// 0x100B of the specification without its first bit, lowest power first.
	require.Equal(t, bits.Reverse16(0x100B), uint16(crcs[0].poly))
}

func TestStreamWidths(t *testing.T) {
	widths, err := streamWidths("..")
	require.NoError(t, err)
	require.Equal(t, []int{64, 128, 256, 512, 1024}, widths)
}

// A gate that is not linear, one that is but meets a control, and one that a control gates.
func TestLinear(t *testing.T) {
	const data, control, out = 2, 3, 4
	for _, c := range []struct {
		kind   string
		a, b   int
		linear bool
	}{
		{"$_XOR_", data, data, true},
		{"$_XOR_", data, 0, true},
		{"$_XOR_", data, 1, false},
		{"$_XOR_", data, control, false},
		{"$_AND_", data, data, false},
		{"$_AND_", data, control, true},
		{"$_OR_", data, control, false},
	} {
		n := gates{inputs: map[string][]int{"data_i": {data}, "first_i": {control}},
			comb: []gate{{c.kind, map[string]int{"A": c.a, "B": c.b, "Y": out}}}}
		err := isLinear(&stream{gates: &n})
		require.Equal(t, c.linear, err == nil, "%s of %d and %d: %v", c.kind, c.a, c.b, err)
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
