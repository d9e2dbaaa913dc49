// SPDX-License-Identifier: Apache-2.0
// The payload of read_place in the order of its records: the next frame, or a beat with an atomic's value
// (docs/blocks/read_place.md). Nothing of s_axis goes on before a record says that it may.
module place_feed #(
  parameter int unsigned DataWidth = 512
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Of each record with payload: where it comes from. As many wait as records do behind it, so it is always taken.
  input  logic                   s_is_value_i,
  input  logic [63:0]            s_value_i,
  input  logic                   s_valid_i,

  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i  // from a register
);

  localparam int unsigned BeatBytes = DataWidth / 8;

  logic [63:0] value;
  logic is_value, source_valid, source_ready, source_room, through, in_last, in_valid, in_ready;
  logic [2:0] unused_sources;
  logic [BeatBytes-1:0] in_keep;
  logic [DataWidth-1:0] in_data;

  sync_fifo #(
    .Width(65),
    .Depth(4)
  ) u_sources (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_is_value_i, s_value_i}),
    .s_valid_i,
    .s_ready_o(source_room),
    .m_data_o ({is_value, value}),
    .m_valid_o(source_valid),
    .m_ready_i(source_ready),
    .count_o  (unused_sources)
  );

  axis_skid #(
    .Width(DataWidth + BeatBytes + 1)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_axis_tlast_i, s_axis_tkeep_i, s_axis_tdata_i}),
    .s_valid_i(s_axis_tvalid_i),
    .s_ready_o(s_axis_tready_o),
    .m_data_o ({in_last, in_keep, in_data}),
    .m_valid_o(in_valid),
    .m_ready_i(in_ready)
  );

  assign m_axis_tvalid_o = source_valid & (is_value | in_valid);
  assign m_axis_tlast_o  = is_value | in_last;
  assign m_axis_tkeep_o  = is_value ? BeatBytes'(8'hFF) : in_keep;
  assign m_axis_tdata_o  = is_value ? DataWidth'(value) : in_data;

  assign through      = m_axis_tvalid_o & m_axis_tready_i;
  assign source_ready = through & m_axis_tlast_o;
  assign in_ready     = through & ~is_value;

`ifdef VERILATOR
  source_taken: assert property (@(posedge clk_i) disable iff (!rst_ni) s_valid_i |-> source_room)
  else $error("%m: no room for where a frame comes from");
`else
  logic unused_room;
  assign unused_room = source_room;
`endif

endmodule
