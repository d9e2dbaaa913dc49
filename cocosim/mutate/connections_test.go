package mutate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/mutate/fault"
)

const wired = `module child #(parameter int W = 8) (
  input logic clk_i, input logic rst_ni, input logic [W-1:0] a_i, b_i,
  input logic go_i, input logic [7:0] c_i, output logic [7:0] q_o);
  logic [7:0] q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) q <= '0;
    else if (go_i) q <= a_i ^ b_i ^ c_i;
  end
  assign q_o = q;
endmodule
module watch (input logic clk_i, input logic [7:0] v_i);
endmodule
module top (
  input logic clk, input logic rst_ni, input logic [7:0] x_i, y_i, input logic go_i, stop_i,
  output logic [7:0] q_o, output logic [7:0] z_o);
  logic [7:0] inner, other;
  logic [3:0] few [4];
  assign few[0] = x_i[3:0];
  assign other = inner;
  assign z_o = {4'd0, few[0]} & other;
  child #(.W(8)) u_child (
    .clk_i (clk),
    .rst_ni,
    .a_i (x_i),
    .b_i (y_i),
    .go_i,
    .c_i ({x_i[3:0], y_i[7:4]}),
    .q_o (inner)
  );
  assign q_o = inner;
  watch u_watch (.clk_i (clk), .v_i (inner));
endmodule
`

// TestConnections: what is tied and what is swapped; not the clock, nor outputs, nor what a module takes that only
// watches. All come behind the other mutants.
func TestConnections(t *testing.T) {
	d := read(t, wired)
	var got []string
	behind := false
	for _, m := range d.Mutants {
		if !d.files[m.file].sites[m.site].plain && m.Operator != "tied" && m.Operator != "neighbour" {
			require.False(t, behind, "%s", m.Operator)
			continue
		}
		behind = true
		got = append(got, m.Operator+": "+m.Old+" to "+m.New)
	}
	require.Equal(t, []string{
		"tied: q to '0", "tied: q to '1", "neighbour: q to c_i",
		"tied: x_i[3:0] to '0", "tied: x_i[3:0] to '1",
		"tied: inner to '0", "tied: inner to '1", "neighbour: inner to x_i",
		"tied: rst_ni to '0", "tied: rst_ni to '1",
		"tied: x_i to '0", "tied: x_i to '1", "neighbour: x_i to y_i",
		"tied: y_i to '0", "tied: y_i to '1", "neighbour: y_i to x_i",
		"tied: go_i to '0", "tied: go_i to '1", "neighbour: go_i to stop_i",
		"elements swapped: {x_i[3:0], y_i[7:4]} to {y_i[7:4], x_i[3:0]}",
		"constant: {x_i[3:0], y_i[7:4]} to {x_i[4:0], y_i[7:4]}", "constant: {x_i[3:0], y_i[7:4]} to {x_i[2:0], y_i[7:4]}",
		"constant: {x_i[3:0], y_i[7:4]} to {x_i[3:1], y_i[7:4]}", "constant: {x_i[3:0], y_i[7:4]} to {x_i[3:0], y_i[8:4]}",
		"constant: {x_i[3:0], y_i[7:4]} to {x_i[3:0], y_i[6:4]}", "constant: {x_i[3:0], y_i[7:4]} to {x_i[3:0], y_i[7:5]}",
		"constant: {x_i[3:0], y_i[7:4]} to {x_i[3:0], y_i[7:3]}",
		"tied: {x_i[3:0], y_i[7:4]} to '0", "tied: {x_i[3:0], y_i[7:4]} to '1",
		"tied: inner to '0", "tied: inner to '1", "neighbour: inner to other",
	}, got)
}

// TestConnectionsBuild: Verilator reads a design with all of them in it, and what nobody chose is there as before.
func TestConnectionsBuild(t *testing.T) {
	d := read(t, wired)
	s := &d.files[0]
	by := map[int][]Mutant{}
	for _, m := range d.Mutants {
		by[m.site] = append(by[m.site], m)
	}
	text := s.mutated(func(site int) []Mutant { return by[site] })
	require.Contains(t, text, ".rst_ni ((hca_mutant::id")
	require.Contains(t, text, ".clk_i (clk)")
	compiles(t, d)
}

// TestPlantsAtConnections: a fault at an input without an operator can be chosen at run time, also where the source has
// the port's name only; one at an output cannot.
func TestPlantsAtConnections(t *testing.T) {
	d := read(t, wired)
	plant := func(old, text string) fault.Fault {
		return fault.Fault{Name: old, File: d.files[0].path, Old: old, New: text}
	}
	all, leftOut, err := d.Plants([]fault.Fault{plant(".rst_ni,\n    .a_i", ".rst_ni (1'b1),\n    .a_i"),
		plant(".b_i (y_i)", ".b_i (8'h0)"), plant(".q_o (inner)", ".q_o (other)")})
	require.NoError(t, err)
	require.Equal(t, []string{".q_o (inner)"}, leftOut)
	require.Len(t, all, 2)
	require.Equal(t, "1'b1", all[0].New)
	require.Equal(t, "8'h0", all[1].New)
}

// TestPlantsByPath: a list names the source of a foreign design from the directory of its manifest on, or in full.
func TestPlantsByPath(t *testing.T) {
	d := read(t, wired)
	full := d.files[0].path
	for _, file := range []string{full, "top.sv"} {
		all, _, err := d.Plants([]fault.Fault{{Name: "b", File: file, Old: ".b_i (y_i)", New: ".b_i (8'h0)"}})
		require.NoError(t, err, file)
		require.Len(t, all, 1, file)
	}
	for _, file := range []string{"op.sv", "other.sv", "other/top.sv"} {
		_, _, err := d.Plants([]fault.Fault{{Name: "b", File: file, Old: ".b_i (y_i)", New: ".b_i (8'h0)"}})
		require.Error(t, err, file)
	}
}
