package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPartOfACell(t *testing.T) {
	for name, want := range map[string]string{
		`$flatten\u_front.\u_gate.$auto$ff.cc:266:slice$7`: "u_front.u_gate",
		`$flatten\u_front.\u_gate.\u_store.$abc$1$lut$2`:   "u_front.u_gate",
		`$flatten\u_front.$abc$1$lut$2`:                    "u_front",
		`$flatten\u_tx.\gen_in[0].u_skid.$abc$1$lut$2`:     "u_tx.u_skid",
		"u_front.u_gate.u_store.mem.0.1":                   "u_front.u_gate",
		"u_front.mem.0.1":                                  "u_front",
		"$abc$12$lut$3":                                    "the rest",
		"mem.0.0":                                          "the rest",
	} {
		require.Equal(t, want, partOf(name), name)
	}
}

func TestParts(t *testing.T) {
	n := netlist{cells: []cell{{name: `$flatten\u_b.$abc$1`, kind: "LUT6"},
		{name: `$flatten\u_a.\u_c.$abc$1`, kind: "FDRE"},
		{name: `$flatten\u_b.\gen_x.$abc$2`, kind: "LUT2"}, {name: "u_b.mem.0.0", kind: "RAM32M"}, {name: "$x", kind: "INV"}}}
	require.Equal(t, []part{{"the rest", cost{LUTs: 1}}, {"u_a.u_c", cost{Registers: 1}},
		{"u_b", cost{LUTs: 2, RAMLUTs: 4}}},
		n.parts())
}
