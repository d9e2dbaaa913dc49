// SPDX-License-Identifier: Apache-2.0
// A slave of AXI4-Lite that gives one access after the other to registers: docs/blocks/qp_ctl_axil.md, Order and Time.
//
// turn_q says whom a free clock is for, writes or reads, so no two accesses are there at once, and both come in turn.
module axil_bus #(
  parameter int unsigned AddressWidth = 12
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic [AddressWidth-1:0] s_axil_awaddr_i,
  input  logic                    s_axil_awvalid_i,
  output logic                    s_axil_awready_o,
  input  logic [31:0]             s_axil_wdata_i,
  input  logic [3:0]              s_axil_wstrb_i,
  input  logic                    s_axil_wvalid_i,
  output logic                    s_axil_wready_o,
  output logic [1:0]              s_axil_bresp_o,
  output logic                    s_axil_bvalid_o,
  input  logic                    s_axil_bready_i,
  input  logic [AddressWidth-1:0] s_axil_araddr_i,
  input  logic                    s_axil_arvalid_i,
  output logic                    s_axil_arready_o,
  output logic [31:0]             s_axil_rdata_o,
  output logic [1:0]              s_axil_rresp_o,
  output logic                    s_axil_rvalid_o,
  input  logic                    s_axil_rready_i,

  output logic                    m_bus_write_o,
  output logic [AddressWidth-1:0] m_bus_address_o,
  output logic [31:0]             m_bus_data_o,
  output logic [3:0]              m_bus_strobe_o,
  output logic                    m_bus_valid_o,
  input  logic                    m_bus_ready_i,  // from a register; low from an access on until all of it is done

  input  logic                    s_bus_write_i,
  input  logic [31:0]             s_bus_data_i,
  input  logic [1:0]              s_bus_resp_i,
  input  logic                    s_bus_valid_i,
  output logic                    s_bus_ready_o
);

  logic aw_valid_q, w_valid_q, ar_valid_q, turn_q, there, is_free, takes_aw, takes_w, takes_ar, done;
  logic [AddressWidth-1:0] aw_q, ar_q;
  logic [31:0] data_q;
  logic [3:0] strobe_q;

  assign there            = (aw_valid_q & w_valid_q) | ar_valid_q;
  assign is_free          = m_bus_ready_i & ~there;
  assign s_axil_awready_o = is_free & ~turn_q & ~aw_valid_q;
  assign s_axil_wready_o  = is_free & ~turn_q & ~w_valid_q;
  assign s_axil_arready_o = is_free & turn_q;
  assign takes_aw         = s_axil_awvalid_i & s_axil_awready_o;
  assign takes_w          = s_axil_wvalid_i & s_axil_wready_o;
  assign takes_ar         = s_axil_arvalid_i & s_axil_arready_o;
  assign done             = m_bus_valid_o & m_bus_ready_i;

  // A read that is there goes alone: half a write beside it stays.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_valid_q <= 1'b0;
      w_valid_q  <= 1'b0;
      ar_valid_q <= 1'b0;
      turn_q     <= 1'b0;
    end else begin
      aw_valid_q <= takes_aw | (aw_valid_q & ~(done & ~ar_valid_q));
      w_valid_q  <= takes_w | (w_valid_q & ~(done & ~ar_valid_q));
      ar_valid_q <= takes_ar | (ar_valid_q & ~done);
      turn_q     <= turn_q ^ is_free;
    end
  end

  always_ff @(posedge clk_i) begin
    if (takes_aw) aw_q <= s_axil_awaddr_i;
    if (takes_w) {strobe_q, data_q} <= {s_axil_wstrb_i, s_axil_wdata_i};
    if (takes_ar) ar_q <= s_axil_araddr_i;
  end

  assign m_bus_write_o   = ~ar_valid_q;
  assign m_bus_address_o = ar_valid_q ? ar_q : aw_q;
  assign m_bus_data_o    = data_q;
  assign m_bus_strobe_o  = strobe_q;
  assign m_bus_valid_o   = there;

  assign s_axil_bresp_o  = s_bus_resp_i;
  assign s_axil_bvalid_o = s_bus_valid_i & s_bus_write_i;
  assign s_axil_rdata_o  = s_bus_data_i;
  assign s_axil_rresp_o  = s_bus_resp_i;
  assign s_axil_rvalid_o = s_bus_valid_i & ~s_bus_write_i;
  assign s_bus_ready_o   = s_bus_write_i ? s_axil_bready_i : s_axil_rready_i;

`ifdef VERILATOR
  record_rules #(
    .Width(AddressWidth)
  ) u_aw_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_axil_awaddr_i),
    .valid_i(s_axil_awvalid_i),
    .ready_i(s_axil_awready_o)
  );

  record_rules #(
    .Width(36)
  ) u_w_rules (
    .clk_i,
    .rst_ni,
    .data_i ({s_axil_wstrb_i, s_axil_wdata_i}),
    .valid_i(s_axil_wvalid_i),
    .ready_i(s_axil_wready_o)
  );

  record_rules #(
    .Width(AddressWidth)
  ) u_ar_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_axil_araddr_i),
    .valid_i(s_axil_arvalid_i),
    .ready_i(s_axil_arready_o)
  );

  record_rules #(
    .Width(2)
  ) u_b_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_axil_bresp_o),
    .valid_i(s_axil_bvalid_o),
    .ready_i(s_axil_bready_i)
  );

  record_rules #(
    .Width(34)
  ) u_r_rules (
    .clk_i,
    .rst_ni,
    .data_i ({s_axil_rresp_o, s_axil_rdata_o}),
    .valid_i(s_axil_rvalid_o),
    .ready_i(s_axil_rready_i)
  );
`endif

endmodule
