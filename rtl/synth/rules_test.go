package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/rtl"
)

// good keeps every rule; bad modules are made of it by one replacement each.
const good = `module top (input logic clk_i, input logic clk2_i, input logic rst_ni, input logic [3:0] d_i, input logic ready_i, output logic [3:0] y_o);
  logic [3:0] a_q, b_q;
  logic wide;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) a_q <= '0;
    else a_q <= a_q + d_i;
  end
  always_ff @(posedge clk_i) if (ready_i) b_q <= a_q;
  assign wide = 1'b0;
  assign y_o = b_q;
endmodule
`

var bad = []struct{ why, old, new, says string }{
	{"a second clock", "@(posedge clk_i) if", "@(posedge clk2_i) if", "2 clocks"},
	{"a clock out of a register", "@(posedge clk_i) if", "@(posedge a_q[0]) if", "a clock that is no pin, of b_q"},
	{"a falling edge", "@(posedge clk_i) if", "@(negedge clk_i) if", "a falling clock edge, of b_q"},
	{"a register as reset", "@(posedge clk_i) if (ready_i)",
		"@(posedge clk_i or posedge a_q[3]) if (a_q[3]) b_q <= '0; else if (ready_i)",
		"a register as asynchronous reset: a_q resets b_q"},
	{"a second reset", "@(posedge clk_i) if (ready_i)",
		"@(posedge clk_i or posedge d_i[3]) if (d_i[3]) b_q <= '0; else if (ready_i)", "2 resets"},
	{"a latch", "always_ff @(posedge clk_i) if (ready_i) b_q <= a_q;", "always_latch if (ready_i) b_q = a_q;",
		"a latch: b_q"},
	{"an output that follows an input", "assign y_o = b_q;", "assign y_o = b_q ^ {4{ready_i}};",
		"the output y_o follows the input ready_i without a register between"},
	{"data out of the reset", "b_q <= a_q;", "b_q <= a_q & {4{rst_ni}};", "data out of the reset rst_ni, of b_q"},
	{"an enable that moves everything", "assign wide = 1'b0;",
		"logic [299:0] w_q; always_ff @(posedge clk_i) if (ready_i) w_q <= {w_q[295:0], d_i} ^ {w_q[0], w_q[299:1]}; " +
			"assign wide = ^w_q;",
		"an input reaches 30"},
}

// netlistOf has Yosys make a netlist of files.
func netlistOf(t *testing.T, top string, files ...string) *netlist {
	n, err := readNetlist(synthesized(t, top, "-flatten", files...))
	require.NoError(t, err)
	return n
}

// synthesized is the file that Yosys writes.
func synthesized(t *testing.T, top, how string, files ...string) (out string) {
	out = filepath.Join(t.TempDir(), "netlist.json")
	script := fmt.Sprintf("read_verilog -sv %s; hierarchy -check -top %s; rename -top %[2]s; proc; "+
		"synth_xilinx -family xcup %[4]s -noiopad -noclkbuf -top %[2]s; write_json %[3]s", strings.Join(files, " "), top,
		out, how)
	log, err := exec.Command("yosys", "-q", "-p", script).CombinedOutput()
	require.NoError(t, err, string(log))
	return out
}

// netlistsOf has Yosys make netlists of modules with the ports of good, all at once: most of its time for one is that
// it reads its library. They are held apart by a module around them.
func netlistsOf(t *testing.T, modules []string) (all []*netlist) {
	var text, around strings.Builder
	for i, m := range modules {
		require.Equal(t, 1, strings.Count(m, "module top ("))
		text.WriteString(strings.Replace(m, "module top (", fmt.Sprintf("module top%d (", i), 1))
		fmt.Fprintf(&around, "  top%d u%[1]d (.clk_i, .clk2_i, .rst_ni, .d_i, .ready_i, .y_o(y_o[%d+:4]));\n", i, 4*i)
	}
	fmt.Fprintf(&text, "module around (input logic clk_i, input logic clk2_i, input logic rst_ni, input logic [3:0] d_i,"+
		" input logic ready_i, output logic [%d:0] y_o);\n%sendmodule\n", 4*len(modules)-1, &around)
	raw, err := os.ReadFile(synthesized(t, "around", "", textFile(t, text.String())))
	require.NoError(t, err)
	var whole map[string]any
	require.NoError(t, json.Unmarshal(raw, &whole))
	found := whole["modules"].(map[string]any)
	for i := range modules {
		alone := found[fmt.Sprintf("top%d", i)].(map[string]any)
		alone["attributes"] = map[string]any{"top": "1"}
		raw, err := json.Marshal(map[string]any{"modules": map[string]any{"top": alone}})
		require.NoError(t, err)
		n, err := readNetlist(textFile(t, string(raw)))
		require.NoError(t, err)
		all = append(all, n)
	}
	return all
}

func textFile(t *testing.T, text string) string {
	file := filepath.Join(t.TempDir(), "top.sv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

func TestGoodNetlistsBreakNoRule(t *testing.T) {
	sources, err := rtl.Needed("..", "psn_window")
	require.NoError(t, err)
	var files []string
	for _, s := range sources {
		files = append(files, s.Path)
	}
	require.Empty(t, netlistOf(t, "psn_window", files...).broken())
}

// Each module of bad breaks the rule that it is to break, and good, which they are made of, none.
func TestEveryRuleIsBroken(t *testing.T) {
	modules := []string{good}
	for _, b := range bad {
		require.Equal(t, 1, strings.Count(good, b.old))
		text := strings.Replace(good, b.old, b.new, 1)
		if strings.Contains(b.new, "wide") {
			text = strings.Replace(text, "assign y_o = b_q;",
				"logic w2_q; always_ff @(posedge clk_i) w2_q <= wide; assign y_o = b_q ^ {4{w2_q}};", 1)
		}
		modules = append(modules, text)
	}
	all := netlistsOf(t, modules)
	require.Empty(t, all[0].broken())
	for i, b := range bad {
		t.Run(b.why, func(t *testing.T) {
			require.Contains(t, strings.Join(all[i+1].broken(), "\n"), b.says)
		})
	}
}
