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
	require.Equal(t, figures{cost: cost{LUTs: 3, ShiftLUTs: 1, Registers: 2},
		Levels: 2, Cells: 3, Worst: "u_sub.gen_row[1].b2_q",
		Stages: []stage{{"delay lines", 1, 1}, {"the output", 0, 0}, {"u_sub, stage 2", 2, 3}}}, n.measure())
}

// From a_q an inverter leads to the read address of a LUT memory, whose output goes through a LUT into a block memory.
// The LUT on the write data ends at the memory's clock.
const memories = `{"modules": {
 "top": {"attributes": {"top": "1"},
  "ports": {"clk_i": {"direction": "input", "bits": [2]}},
  "cells": {
   "ra": {"type": "FDRE", "port_directions": {"C": "input", "D": "input", "Q": "output"}, "connections": {"C": [2], "D": ["0"], "Q": [3]}},
   "iv": {"type": "INV", "port_directions": {"I": "input", "O": "output"}, "connections": {"I": [3], "O": [4]}},
   "l1": {"type": "LUT1", "port_directions": {"I0": "input", "O": "output"}, "connections": {"I0": [4], "O": [5]}},
   "u_f.mem.0.0": {"type": "RAM32X1D", "port_directions": {"A0": "input", "D": "input", "DPRA0": "input", "DPO": "output"},
    "connections": {"A0": [3], "D": [5], "DPRA0": [4], "DPO": [6]}},
   "l2": {"type": "LUT1", "port_directions": {"I0": "input", "O": "output"}, "connections": {"I0": [6], "O": [7]}},
   "u_c.mem.0.1": {"type": "RAMB18E2", "port_directions": {"ADDRARDADDR": "input", "DOUTADOUT": "output"},
    "connections": {"ADDRARDADDR": [7], "DOUTADOUT": [8]}},
   "u_c.mem.0.2": {"type": "URAM288", "port_directions": {"ADDR_A": "input", "DOUT_A": "output"},
    "connections": {"ADDR_A": ["0"], "DOUT_A": [9]}}
  },
  "netnames": {"a_q": {"hide_name": 0, "bits": [3]}}
 }}}`

func TestMemories(t *testing.T) {
	file := filepath.Join(t.TempDir(), "top-64.json")
	require.NoError(t, os.WriteFile(file, []byte(memories), 0o644))
	n, err := readNetlist(file)
	require.NoError(t, err)
	require.Equal(t, figures{cost: cost{LUTs: 3, RAMLUTs: 2, Registers: 1, RAMB18: 1, URAM: 1},
		Levels: 3, Cells: 3, Worst: "u_c.mem",
		Stages: []stage{{"memories", 3, 3}, {"the output", 0, 0}}}, n.measure())
}
