package propose_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/adapt"
	"hcacosim/cocosim/design"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/propose"
	"hcacosim/cocosim/shim"
	"hcacosim/model/stages"
)

// foreign is an interface, what must stand in the proposal, and what must be said. Where fits is set the proposal is a
// manifest that fits the
// design as it is.
type foreign struct {
	name, model, text string
	has, says         []string
	fits              bool
}

var interfaces = []foreign{
	{
		name: "upper case, one word", model: "icrc_check", fits: true,
		text: `module t(input CLK, input RST, input [7:0] RXDATA, input RXLAST, input RXVALID, output RXREADY,
 output reg [7:0] TXDATA, output reg TXLAST, output reg TXUSER, output reg TXVALID, input TXREADY);
 assign RXREADY = TXREADY;
 always @(posedge CLK) if (RST) TXVALID <= 0; else begin TXVALID <= RXVALID; TXDATA <= RXDATA; TXLAST <= RXLAST; TXUSER <= 0; end endmodule`,
		has: []string{"clock: CLK", "reset: {pin: RST, active: high, cycles: 4}", "name: s_axis\n    dir: in",
			"pins: {data: RXDATA, last: RXLAST, valid: RXVALID, ready: RXREADY}",
			"sideband: [{name: bad, width: 1, is: icrc=bad}]"},
		says: []string{"TXUSER has one bit: taken as 1 for a bad CRC", "only Ethernet goes in"},
	},
	{
		name: "i_ and o_ in front", model: "icrc_check", fits: true,
		text: `module t(input i_clk, input i_rst_n, input [63:0] i_data, input [7:0] i_keep, input i_last, input i_valid, output o_ready,
 output [63:0] o_data, output [7:0] o_keep, output o_last, output [11:0] o_user, output reg o_valid, input i_ready);
 assign o_ready = i_ready; assign o_data = i_data; assign o_keep = i_keep; assign o_last = i_last; assign o_user = 0;
 always @(posedge i_clk or negedge i_rst_n) if (!i_rst_n) o_valid <= 0; else o_valid <= i_valid; endmodule`,
		has: []string{"clock: i_clk", "{pin: i_rst_n, active: low, cycles: 4}",
			"pins: {data: i_data, keep: i_keep, last: i_last, valid: i_valid, ready: o_ready}",
			"pins: {data: o_data, keep: o_keep, last: o_last, user: o_user, valid: o_valid, ready: i_ready}"},
	},
	{
		name: "streams side by side in vectors", model: "icrc_check",
		text: `module t(input clk, input rst, input [127:0] s_tdata, input [15:0] s_tkeep, input [1:0] s_tlast, input [1:0] s_tvalid, output [1:0] s_tready,
 output [1:0] m_tvalid, output [127:0] m_tdata, output [1:0] m_tlast, input [1:0] m_tready);
 assign s_tready = m_tready; assign m_tvalid = s_tvalid; assign m_tdata = s_tdata; assign m_tlast = s_tlast; endmodule`,
		has: []string{`data: "s_tdata[63:0]", keep: "s_tkeep[7:0]", ` +
			`last: "s_tlast[0]", valid: "s_tvalid[0]", ready: "s_tready[0]"`},
		says: []string{"valid has 2 bits: taken as 2 streams side by side",
			"s_1: stage icrc_check has no port that it could be",
			"clock: clk only by its name", "no pin looks like the verdict"},
	},
	{
		name: "a clock for each stream", model: "icrc_check", fits: true,
		text: `module t(input s_axis_aclk, input m_axis_aclk, input aresetn, input [63:0] s_axis_tdata, input s_axis_tlast, input s_axis_tvalid,
 output s_axis_tready, output reg [63:0] m_axis_tdata, output reg m_axis_tlast, output reg m_axis_tvalid, output m_axis_tuser, input m_axis_tready);
 reg seen; assign s_axis_tready = m_axis_tready; assign m_axis_tuser = seen;
 always @(posedge s_axis_aclk or negedge aresetn) if (!aresetn) seen <= 0; else seen <= s_axis_tvalid;
 always @(posedge m_axis_aclk or negedge aresetn) if (!aresetn) m_axis_tvalid <= 0; else m_axis_tvalid <= seen;
 always @(posedge m_axis_aclk) begin m_axis_tdata <= s_axis_tdata; m_axis_tlast <= s_axis_tlast; end endmodule`,
		has:  []string{"clock: m_axis_aclk\nclocks:\n  - {pin: s_axis_aclk, times: 1, every: 1}", "    clock: s_axis_aclk\n"},
		says: []string{"port s_axis: it belongs to clock s_axis_aclk by its name alone"},
	},
	{
		name: "two clocks", model: "psn_window",
		text: `module t(input clk_a, input clk_b, input rst, input [23:0] s_psn, input [23:0] s_base, input [23:0] s_next, input s_requester, input s_valid,
 output reg [23:0] m_distance, output reg [2:0] m_class, output reg m_valid, output reg slow);
 always @(posedge clk_a) begin m_valid <= s_valid; m_distance <= s_psn; m_class <= 0; end
 always @(posedge clk_a) if (rst) begin end
 always @(posedge clk_b) slow <= ~slow; endmodule`,
		fits: true,
		has:  []string{"clock: clk_a", "clocks:\n  - {pin: clk_b, times: 1, every: 1}"},
		says: []string{"clk_b is a clock too; its ratio to clk_a is not to be told", "output slow: it belongs to no port",
			"no ready: every beat counts as taken"},
	},
	{
		name: "no last, but a length", model: "icrc_check", fits: true,
		text: `module t(input clk, input rst, input [7:0] rx_data, input [15:0] rx_len, input rx_valid, output rx_ready, output reg res_ok, output reg res_valid);
 assign rx_ready = 1; always @(posedge clk) if (rst) res_valid <= 0; else begin res_valid <= rx_valid; res_ok <= rx_data[0]; end endmodule`,
		has: []string{"length: {in: user}", "user_width: 16", "verdict_of: m_axis",
			"{name: ok, pin: res_ok, width: 1, is: icrc=good}", "without: [m_axis]"},
		says: []string{"there is no last, but rx_len: taken as the length",
			"res_ok is taken as 1 where the CRC is good, by its name"},
	},
	{
		name: "no last and no length", model: "icrc_check",
		text: `module t(input clk, input rst, input [511:0] in_data, input in_valid, output in_ready, output reg out_valid, output reg [511:0] out_data);
 assign in_ready = 1; always @(posedge clk) if (rst) out_valid <= 0; else begin out_valid <= in_valid; out_data <= in_data; end endmodule`,
		fits: true,
		says: []string{"there is no last: how a packet ends is not to be told",
			"there is no keep: only packets of whole beats (64 bytes)"},
	},
	{
		name: "no keep", model: "icrc_check", fits: true,
		text: `module t(input aclk, input areset, input [63:0] sAxisTdata, input sAxisTlast, input sAxisTvalid, output sAxisTready,
 output reg [63:0] mAxisTdata, output reg mAxisTlast, output reg [2:0] mAxisTuser, output reg mAxisTvalid, input mAxisTready);
 assign sAxisTready = mAxisTready;
 always @(posedge aclk or posedge areset) if (areset) mAxisTvalid <= 0; else begin mAxisTvalid <= sAxisTvalid; mAxisTdata <= sAxisTdata; mAxisTlast <= sAxisTlast; mAxisTuser <= 0; end
endmodule`,
		has:  []string{"clock: aclk", "{pin: areset, active: high, cycles: 4}", "compare: {user: 0}"},
		says: []string{"s_axis: there is no keep", "what the 3 bits of mAxisTuser say is not to be told"},
	},
	{
		name: "a name that lies", model: "psn_window", fits: true,
		text: `module t(input clk, input rst_n, input [23:0] s_psn, input [23:0] s_base, input [23:0] s_next, input s_requester, input s_valid, output s_ready,
 output reg [23:0] m_distance, output reg [2:0] m_class, output reg m_valid, input m_ready, input [3:0] mode, input enable);
 assign s_ready = 1; always @(posedge clk) if (rst_n) m_valid <= 0; else begin m_valid <= s_valid; m_distance <= s_psn; m_class <= 0; end endmodule`,
		has: []string{"{pin: rst_n, active: high, cycles: 4}", "{pin: mode, width: 4, value: 0}",
			"{pin: enable, width: 1, value: 1}"},
		says: []string{"rst_n is named like one that is active low, but the design resets while it is high",
			"input mode: what it is for is not to be told: held at 0"},
	},
	{
		name: "reset two levels down, inverted on the way", model: "psn_window", fits: true,
		text: `module u(input c, input rn, input v, output reg q); always @(posedge c or negedge rn) if (!rn) q <= 0; else q <= v; endmodule
module w(input ck, input r, input v, output q); u u0(.c(ck), .rn(~r), .v(v), .q(q)); endmodule
module t(input clk, input nres, input [23:0] s_psn, input [23:0] s_base, input [23:0] s_next, input s_requester, input s_valid,
 output [23:0] m_distance, output [2:0] m_class, output m_valid);
 assign m_distance = 0; assign m_class = 0; wire por = ~nres; w w0(.ck(clk), .r(por), .v(s_valid), .q(m_valid)); endmodule`,
		has: []string{"{pin: nres, active: low, cycles: 4}"},
	},
	{
		name: "AXI4-Lite registers", model: "icrc_check",
		text: `module t(input clk, input rst, input [7:0] s_axil_awaddr, input s_axil_awvalid, output s_axil_awready, input [31:0] s_axil_wdata, input s_axil_wvalid,
 output s_axil_wready, output s_axil_bvalid, input s_axil_bready, input [7:0] s_tdata, input s_tlast, input s_tvalid, output s_tready,
 output m_tvalid, output [7:0] m_tdata, output m_tlast, output [11:0] m_tuser);
 assign {s_axil_awready, s_axil_wready, s_axil_bvalid, s_tready, m_tvalid} = 31; assign m_tdata = 0; assign m_tlast = 0; assign m_tuser = 0; endmodule`,
		fits: true,
		has:  []string{"bus: axi-lite", "address: 8", "awaddr: s_axil_awaddr"},
		says: []string{"s_axil is a register bus (axi-lite); what has to be written before traffic is not to be told"},
	},
	{
		name: "pins that cannot be bound", model: "icrc_check", fits: false,
		text: `module t(input clk, input rst, input [7:0] lane [4], inout sda, input [7:0] s_tdata, input s_tlast, input s_tvalid, output m_tvalid,
 output [7:0] m_tdata, output m_tlast); assign m_tvalid = s_tvalid; assign m_tdata = s_tdata; assign m_tlast = s_tlast; endmodule`,
		says: []string{"pin lane cannot be bound: it is an unpacked array", "pin sda is an inout"},
	},
	{
		name: "parameters and structs", model: "icrc_check", fits: true,
		text: `package p; typedef struct packed { logic [7:0] reason; logic [3:0] rest; } v_t; endpackage
module t #(parameter W = 64) (input clk, input rst, input [W-1:0] s_tdata, input [W/8-1:0] s_tkeep, input s_tlast, input s_tvalid, output s_tready,
 output [W-1:0] m_tdata, output [W/8-1:0] m_tkeep, output m_tlast, output p::v_t m_tuser, output reg m_tvalid, input m_tready);
 assign s_tready = m_tready; assign m_tdata = s_tdata; assign m_tkeep = s_tkeep; assign m_tlast = s_tlast; assign m_tuser = 0;
 always_ff @(posedge clk) if (rst) m_tvalid <= '0; else m_tvalid <= s_tvalid; endmodule`,
		has: []string{"parameters: {W: 64}", "width: W", "user_width: 12"},
	},
}

func TestForeignInterfaces(t *testing.T) {
	if _, err := exec.LookPath("verilator"); err != nil {
		t.Skip("skipped: verilator is not installed")
	}
	for _, f := range interfaces {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "t.sv")
			require.NoError(t, os.WriteFile(file, []byte(f.text), 0o666))
			made := proposal(t, file, f.model)
			notes := strings.Join(made.Notes, "\n")
			for _, want := range f.has {
				require.Contains(t, made.Text, want)
			}
			for _, want := range f.says {
				require.Contains(t, notes, want)
			}
			for _, n := range made.Notes {
				require.Contains(t, made.Text, n, "what is said stands in the manifest too")
				require.NotContains(t, n, "\n")
			}
			require.Equal(t, f.fits, fits(t, file, made.Text) == nil, "%v\n%s", fits(t, file, made.Text), made.Text)
		})
	}
}

func proposal(t *testing.T, file, model string) *propose.Proposal {
	files := design.Files{Verilog: []string{file}, Top: "t"}
	top, err := design.Read(t.Context(), files)
	require.NoError(t, err)
	made, err := propose.Propose(propose.Input{Top: top, Name: "t", Model: model, Sources: []string{"t.sv"},
		Other: func(params map[string]int) (*design.Top, error) {
			f := files
			f.Parameters = params
			return design.Read(t.Context(), f)
		}})
	require.NoError(t, err)
	return made
}

// fits holds a manifest against the design and against its stage.
func fits(t *testing.T, file, text string) error {
	name := filepath.Join(filepath.Dir(file), "t.yaml")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	m, err := manifest.Load(name)
	if err != nil {
		return err
	}
	if m, err = m.Resolve(nil); err != nil {
		return err
	}
	stage, ok := stages.Lookup(m.Model)
	require.True(t, ok)
	if _, err := adapt.New(m, stage); err != nil {
		return err
	}
	top, err := design.Read(t.Context(), design.Files{Verilog: []string{file}, Top: "t"})
	require.NoError(t, err)
	return shim.Check(m, top)
}

// TestInterfacesAreRefused: a port that is an interface, alone or in an array, is one line.
func TestInterfacesAreRefused(t *testing.T) {
	if _, err := exec.LookPath("verilator"); err != nil {
		t.Skip("skipped: verilator is not installed")
	}
	for _, port := range []string{"axis_if.slave s", "axis_if.slave s [4]"} {
		file := filepath.Join(t.TempDir(), "t.sv")
		text := "interface axis_if; logic v; modport slave(input v); endinterface\nmodule t(input clk, " + port +
			"); endmodule\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		_, err := design.Read(t.Context(), design.Files{Verilog: []string{file}, Top: "t"})
		require.Error(t, err)
		require.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
		require.Contains(t, err.Error(), file+":2: t has a port that is an interface, or an array of them")
		require.NotContains(t, err.Error(), "\n")
	}
}
