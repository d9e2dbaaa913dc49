package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Between a_q and b2_q lie a LUT, a carry cell and another LUT; c_q hangs on an inverter; the output on a_q itself.
const small = `{"modules": {
 "LUT1": {"attributes": {}},
 "top": {"attributes": {"top": "1"},
  "ports": {"clk_i": {"direction": "input", "bits": [2]}, "y_o": {"direction": "output", "bits": [3]}},
  "cells": {
   "ra": {"type": "FDRE", "port_directions": {"C": "input", "D": "input", "Q": "output"}, "connections": {"C": [2], "D": ["0"], "Q": [3]}},
   "l1": {"type": "LUT1", "port_directions": {"I0": "input", "O": "output"}, "connections": {"I0": [3], "O": [4]}},
   "cc": {"type": "CARRY4", "port_directions": {"S": "input", "O": "output"}, "connections": {"S": [4, "0"], "O": [5, 6]}},
   "l2": {"type": "LUT1", "port_directions": {"I0": "input", "O": "output"}, "connections": {"I0": [6], "O": [7]}},
   "rb": {"type": "FDRE", "port_directions": {"C": "input", "D": "input", "Q": "output"}, "connections": {"C": [2], "D": [7], "Q": [8]}},
   "iv": {"type": "INV", "port_directions": {"I": "input", "O": "output"}, "connections": {"I": [8], "O": [9]}},
   "sr": {"type": "SRL16E", "port_directions": {"CLK": "input", "D": "input", "Q": "output"}, "connections": {"CLK": [2], "D": [9], "Q": [10]}}
  },
  "netnames": {
   "a_q": {"hide_name": 0, "bits": [3]}, "y_o": {"hide_name": 0, "bits": [3]},
   "u_sub.gen_row[1].b2_q": {"hide_name": 0, "bits": [8]},
   "$hidden": {"hide_name": 1, "bits": [10]}
  }
 }}}`

func TestMeasure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "top-64.json")
	require.NoError(t, os.WriteFile(file, []byte(small), 0o644))
	n, err := readNetlist(file)
	require.NoError(t, err)
	f, stages := n.measure()
	require.Equal(t, figures{luts: 3, shiftLUTs: 1, registers: 2, levels: 2, cells: 3, worst: "u_sub.gen_row[1].b2_q"}, f)
	require.Equal(t, []stage{{"delay lines", 1, 1}, {"the output", 0, 0}, {"u_sub, stage 2", 2, 3}}, stages)
}
