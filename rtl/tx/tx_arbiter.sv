// SPDX-License-Identifier: Apache-2.0
// One stream of frames from several, whole frames, in turn: docs/blocks/tx_arbiter.md.
//
// A queue an input, one beat of the chosen input a clock into the queue at the output. An input asks while its queue
// has a beat, and from the first beat of a frame of its own to the last one also where it has none.
module tx_arbiter #(
  parameter int unsigned NumInputs = 4,  // 2 to 4: of those from there on nothing is taken
  parameter int unsigned DataWidth = 512,
  parameter int unsigned UserWidth = 1,
  parameter bit UserOnLast = 1'b0,       // 0: user is the same on every beat of a frame, 1: it counts on the last
  parameter int unsigned Depth = 32      // beats of an input that wait: a power of two from 2
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [DataWidth-1:0]   s0_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s0_axis_tkeep_i,
  input  logic                   s0_axis_tlast_i,
  input  logic [UserWidth-1:0]   s0_axis_tuser_i,
  input  logic                   s0_axis_tvalid_i,
  output logic                   s0_axis_tready_o,

  input  logic [DataWidth-1:0]   s1_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s1_axis_tkeep_i,
  input  logic                   s1_axis_tlast_i,
  input  logic [UserWidth-1:0]   s1_axis_tuser_i,
  input  logic                   s1_axis_tvalid_i,
  output logic                   s1_axis_tready_o,

  input  logic [DataWidth-1:0]   s2_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s2_axis_tkeep_i,
  input  logic                   s2_axis_tlast_i,
  input  logic [UserWidth-1:0]   s2_axis_tuser_i,
  input  logic                   s2_axis_tvalid_i,
  output logic                   s2_axis_tready_o,

  input  logic [DataWidth-1:0]   s3_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s3_axis_tkeep_i,
  input  logic                   s3_axis_tlast_i,
  input  logic [UserWidth-1:0]   s3_axis_tuser_i,
  input  logic                   s3_axis_tvalid_i,
  output logic                   s3_axis_tready_o,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic [UserWidth+1:0]   m_axis_tuser_o,  // from above
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i
);

  localparam int unsigned Pins = 4;
  localparam int unsigned BeatWidth = UserWidth + 1 + DataWidth / 8 + DataWidth;  // user, last, keep, data

  if (NumInputs < 2 || NumInputs > Pins) begin : gen_bad_inputs
    $error("tx_arbiter: NumInputs must be 2, 3 or 4");
  end
  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("tx_arbiter: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  logic [BeatWidth-1:0] s_beat0, s_beat1, s_beat2, s_beat3, head0, head1, head2, head3;
  logic [Pins-1:0] s_valid, s_ready, there;

  assign s_beat0 = {s0_axis_tuser_i, s0_axis_tlast_i, s0_axis_tkeep_i, s0_axis_tdata_i};
  assign s_beat1 = {s1_axis_tuser_i, s1_axis_tlast_i, s1_axis_tkeep_i, s1_axis_tdata_i};
  assign s_beat2 = {s2_axis_tuser_i, s2_axis_tlast_i, s2_axis_tkeep_i, s2_axis_tdata_i};
  assign s_beat3 = {s3_axis_tuser_i, s3_axis_tlast_i, s3_axis_tkeep_i, s3_axis_tdata_i};
  assign s_valid = {s3_axis_tvalid_i, s2_axis_tvalid_i, s1_axis_tvalid_i, s0_axis_tvalid_i};
  assign {s3_axis_tready_o, s2_axis_tready_o, s1_axis_tready_o, s0_axis_tready_o} = s_ready;

  // ---------------------------------------------------------------------------------------------------------------
  // Whose turn it is: until the last beat of the frame has moved.

  logic [Pins-1:0] grant;
  logic [NumInputs-1:0] grant_some, busy_q;  // busy_q: begun, and not all of it moved
  logic [BeatWidth-1:0] beat;
  logic [1:0] from;
  logic beat_there, move, last, out_ready;

  assign grant      = Pins'(grant_some);
  assign last       = beat[BeatWidth-UserWidth-1];
  assign beat_there = (grant & there) != '0;
  assign move       = out_ready & beat_there;

  rr_arbiter #(
    .Requests(NumInputs)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .req_i  (there[NumInputs-1:0] | busy_q),
    .ready_i(move & last),
    .grant_o(grant_some)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= '0;
    else if (move) busy_q <= last ? '0 : grant_some;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The queues of the inputs.

  logic [$clog2(Depth+1)-1:0] unused_count0;

  sync_fifo #(
    .Width(BeatWidth),
    .Depth(Depth)
  ) u_queue0 (
    .clk_i,
    .rst_ni,
    .s_data_i (s_beat0),
    .s_valid_i(s_valid[0]),
    .s_ready_o(s_ready[0]),
    .m_data_o (head0),
    .m_valid_o(there[0]),
    .m_ready_i(grant[0] & out_ready),
    .count_o  (unused_count0)
  );

  logic [$clog2(Depth+1)-1:0] unused_count1;

  sync_fifo #(
    .Width(BeatWidth),
    .Depth(Depth)
  ) u_queue1 (
    .clk_i,
    .rst_ni,
    .s_data_i (s_beat1),
    .s_valid_i(s_valid[1]),
    .s_ready_o(s_ready[1]),
    .m_data_o (head1),
    .m_valid_o(there[1]),
    .m_ready_i(grant[1] & out_ready),
    .count_o  (unused_count1)
  );

  if (NumInputs > 2) begin : gen_queue2
    logic [$clog2(Depth+1)-1:0] unused_count2;

    sync_fifo #(
      .Width(BeatWidth),
      .Depth(Depth)
    ) u_queue2 (
      .clk_i,
      .rst_ni,
      .s_data_i (s_beat2),
      .s_valid_i(s_valid[2]),
      .s_ready_o(s_ready[2]),
      .m_data_o (head2),
      .m_valid_o(there[2]),
      .m_ready_i(grant[2] & out_ready),
      .count_o  (unused_count2)
    );
  end else begin : gen_no_queue2
    logic unused_input;

    assign unused_input = ^{s_beat2, s_valid[2]};
    assign s_ready[2] = 1'b0;
    assign there[2] = 1'b0;
    assign head2 = '0;
  end

  if (NumInputs > 3) begin : gen_queue3
    logic [$clog2(Depth+1)-1:0] unused_count3;

    sync_fifo #(
      .Width(BeatWidth),
      .Depth(Depth)
    ) u_queue3 (
      .clk_i,
      .rst_ni,
      .s_data_i (s_beat3),
      .s_valid_i(s_valid[3]),
      .s_ready_o(s_ready[3]),
      .m_data_o (head3),
      .m_valid_o(there[3]),
      .m_ready_i(grant[3] & out_ready),
      .count_o  (unused_count3)
    );
  end else begin : gen_no_queue3
    logic unused_input;

    assign unused_input = ^{s_beat3, s_valid[3]};
    assign s_ready[3] = 1'b0;
    assign there[3] = 1'b0;
    assign head3 = '0;
  end

  always_comb begin
    case (grant)
      4'b0001: {from, beat} = {2'd0, head0};
      4'b0010: {from, beat} = {2'd1, head1};
      4'b0100: {from, beat} = {2'd2, head2};
      4'b1000: {from, beat} = {2'd3, head3};
      default: {from, beat} = '0;
    endcase
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The output.

  logic [1:0] unused_out;

  sync_fifo #(
    .Width(BeatWidth + 2),
    .Depth(2)
  ) u_out (
    .clk_i,
    .rst_ni,
    .s_data_i ({from, beat}),
    .s_valid_i(beat_there),
    .s_ready_o(out_ready),
    .m_data_o ({m_axis_tuser_o, m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o}),
    .m_valid_o(m_axis_tvalid_o),
    .m_ready_i(m_axis_tready_i),
    .count_o  (unused_out)
  );

`ifdef VERILATOR
  axis_rules #(
    .DataWidth(DataWidth),
    .UserWidth(UserWidth),
    .UserFree (UserOnLast)
  ) u_s0_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (s0_axis_tdata_i),
    .tkeep_i (s0_axis_tkeep_i),
    .tlast_i (s0_axis_tlast_i),
    .tuser_i (s0_axis_tuser_i),
    .tvalid_i(s0_axis_tvalid_i),
    .tready_i(s0_axis_tready_o)
  );

  axis_rules #(
    .DataWidth(DataWidth),
    .UserWidth(UserWidth),
    .UserFree (UserOnLast)
  ) u_s1_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (s1_axis_tdata_i),
    .tkeep_i (s1_axis_tkeep_i),
    .tlast_i (s1_axis_tlast_i),
    .tuser_i (s1_axis_tuser_i),
    .tvalid_i(s1_axis_tvalid_i),
    .tready_i(s1_axis_tready_o)
  );

  axis_rules #(
    .DataWidth(DataWidth),
    .UserWidth(UserWidth),
    .UserFree (UserOnLast)
  ) u_s2_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (s2_axis_tdata_i),
    .tkeep_i (s2_axis_tkeep_i),
    .tlast_i (s2_axis_tlast_i),
    .tuser_i (s2_axis_tuser_i),
    .tvalid_i(s2_axis_tvalid_i),
    .tready_i(s2_axis_tready_o)
  );

  axis_rules #(
    .DataWidth(DataWidth),
    .UserWidth(UserWidth),
    .UserFree (UserOnLast)
  ) u_s3_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (s3_axis_tdata_i),
    .tkeep_i (s3_axis_tkeep_i),
    .tlast_i (s3_axis_tlast_i),
    .tuser_i (s3_axis_tuser_i),
    .tvalid_i(s3_axis_tvalid_i),
    .tready_i(s3_axis_tready_o)
  );

  axis_rules #(
    .DataWidth(DataWidth),
    .UserWidth(UserWidth + 2),
    .UserFree (UserOnLast)
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (m_axis_tdata_o),
    .tkeep_i (m_axis_tkeep_o),
    .tlast_i (m_axis_tlast_o),
    .tuser_i (m_axis_tuser_o),
    .tvalid_i(m_axis_tvalid_o),
    .tready_i(m_axis_tready_i)
  );
`endif

endmodule
