// SPDX-License-Identifier: Apache-2.0
// qp_ctl behind a slave of AXI4-Lite: docs/blocks/qp_ctl_axil.md.
module qp_ctl_axil #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned CounterLow = 32,
  parameter int unsigned CounterHigh = 16,
  parameter int unsigned FlowWidth = 16,
  parameter RamStyle = "block"
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          s_event_enters_i,
  input  logic                          s_event_leaves_i,
  input  logic                          s_event_closed_i,
  input  logic                          s_event_counts_i,
  input  logic [5:0]                    s_event_reason_i,
  input  logic                          s_event_valid_i,
  output logic                          s_event_ready_o,

  input  logic [11:0]                   s_axil_awaddr_i,
  input  logic                          s_axil_awvalid_i,
  output logic                          s_axil_awready_o,
  input  logic [31:0]                   s_axil_wdata_i,
  input  logic [3:0]                    s_axil_wstrb_i,
  input  logic                          s_axil_wvalid_i,
  output logic                          s_axil_wready_o,
  output logic [1:0]                    s_axil_bresp_o,
  output logic                          s_axil_bvalid_o,
  input  logic                          s_axil_bready_i,
  input  logic [11:0]                   s_axil_araddr_i,
  input  logic                          s_axil_arvalid_i,
  output logic                          s_axil_arready_o,
  output logic [31:0]                   s_axil_rdata_o,
  output logic [1:0]                    s_axil_rresp_o,
  output logic                          s_axil_rvalid_o,
  input  logic                          s_axil_rready_i,

  output logic [3:0]                    m_op_target_o,
  output logic [qpc_pkg::DataWidth-1:0] m_op_data_o,
  output logic                          m_op_valid_o,
  input  logic                          m_op_ready_i
);

  qpc_pkg::access_t access;
  qpc_pkg::answer_t answer;
  logic access_valid, access_ready, answer_valid, answer_ready;

  axil_bus #(
    .AddressWidth(12)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr_i,
    .s_axil_awvalid_i,
    .s_axil_awready_o,
    .s_axil_wdata_i,
    .s_axil_wstrb_i,
    .s_axil_wvalid_i,
    .s_axil_wready_o,
    .s_axil_bresp_o,
    .s_axil_bvalid_o,
    .s_axil_bready_i,
    .s_axil_araddr_i,
    .s_axil_arvalid_i,
    .s_axil_arready_o,
    .s_axil_rdata_o,
    .s_axil_rresp_o,
    .s_axil_rvalid_o,
    .s_axil_rready_i,
    .m_bus_write_o  (access.write),
    .m_bus_address_o(access.address),
    .m_bus_data_o   (access.data),
    .m_bus_strobe_o (access.strobe),
    .m_bus_valid_o  (access_valid),
    .m_bus_ready_i  (access_ready),
    .s_bus_write_i  (answer.write),
    .s_bus_data_i   (answer.data),
    .s_bus_resp_i   (answer.resp),
    .s_bus_valid_i  (answer_valid),
    .s_bus_ready_o  (answer_ready)
  );

  qp_ctl #(
    .NumQps     (NumQps),
    .CounterLow (CounterLow),
    .CounterHigh(CounterHigh),
    .FlowWidth  (FlowWidth),
    .RamStyle   (RamStyle)
  ) u_ctl (
    .clk_i,
    .rst_ni,
    .s_bus_write_i  (access.write),
    .s_bus_address_i(access.address),
    .s_bus_data_i   (access.data),
    .s_bus_strobe_i (access.strobe),
    .s_bus_valid_i  (access_valid),
    .s_bus_ready_o  (access_ready),
    .s_event_enters_i,
    .s_event_leaves_i,
    .s_event_closed_i,
    .s_event_counts_i,
    .s_event_reason_i,
    .s_event_valid_i,
    .s_event_ready_o,
    .m_bus_write_o  (answer.write),
    .m_bus_data_o   (answer.data),
    .m_bus_resp_o   (answer.resp),
    .m_bus_valid_o  (answer_valid),
    .m_bus_ready_i  (answer_ready),
    .m_op_target_o,
    .m_op_data_o,
    .m_op_valid_o,
    .m_op_ready_i
  );

endmodule
