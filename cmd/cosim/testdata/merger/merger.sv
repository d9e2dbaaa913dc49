// SPDX-License-Identifier: Apache-2.0
// An arbiter of another make: whole frames of four inputs, in an order of its own, which order_i chooses.
module merger #(
  parameter int unsigned DataWidth = 256,
  parameter int unsigned Depth = 32  // beats of an input that wait
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [1:0]             order_i,  // 0: in turn, downwards; 1: whose first beat waits longest; 2: two of each in turn
  // 1: input 3 only every 4,096 clocks, 2: of input 2 every eighth frame is left out, 3: frames of input 1 say 0,
  // 4: a bit of the last beat, 5: an input may come in between a frame of another, 6: every eighth frame of input 0 twice
  input  logic [2:0]             fault_i,

  input  logic [DataWidth-1:0]   s0_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s0_axis_tkeep_i,
  input  logic                   s0_axis_tlast_i,
  input  logic                   s0_axis_tuser_i,
  input  logic                   s0_axis_tvalid_i,
  output logic                   s0_axis_tready_o,

  input  logic [DataWidth-1:0]   s1_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s1_axis_tkeep_i,
  input  logic                   s1_axis_tlast_i,
  input  logic                   s1_axis_tuser_i,
  input  logic                   s1_axis_tvalid_i,
  output logic                   s1_axis_tready_o,

  input  logic [DataWidth-1:0]   s2_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s2_axis_tkeep_i,
  input  logic                   s2_axis_tlast_i,
  input  logic                   s2_axis_tuser_i,
  input  logic                   s2_axis_tvalid_i,
  output logic                   s2_axis_tready_o,

  input  logic [DataWidth-1:0]   s3_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s3_axis_tkeep_i,
  input  logic                   s3_axis_tlast_i,
  input  logic                   s3_axis_tuser_i,
  input  logic                   s3_axis_tvalid_i,
  output logic                   s3_axis_tready_o,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic [2:0]             m_axis_tuser_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i
);

  localparam int unsigned Inputs = 4;
  localparam int unsigned BeatWidth = DataWidth + DataWidth / 8 + 2;  // link, last, keep, data

  logic [Inputs*BeatWidth-1:0] s_beats, heads;
  logic [Inputs-1:0] s_valid, s_ready, there, take;

  assign s_beats = {s3_axis_tuser_i, s3_axis_tlast_i, s3_axis_tkeep_i, s3_axis_tdata_i,
                    s2_axis_tuser_i, s2_axis_tlast_i, s2_axis_tkeep_i, s2_axis_tdata_i,
                    s1_axis_tuser_i, s1_axis_tlast_i, s1_axis_tkeep_i, s1_axis_tdata_i,
                    s0_axis_tuser_i, s0_axis_tlast_i, s0_axis_tkeep_i, s0_axis_tdata_i};
  assign s_valid = {s3_axis_tvalid_i, s2_axis_tvalid_i, s1_axis_tvalid_i, s0_axis_tvalid_i};
  assign {s3_axis_tready_o, s2_axis_tready_o, s1_axis_tready_o, s0_axis_tready_o} = s_ready;

  for (genvar i = 0; i < Inputs; i++) begin : gen_queue
    /* verilator lint_off PINMISSING */
    sync_fifo #(
      .Width(BeatWidth),
      .Depth(Depth)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .s_data_i (s_beats[i*BeatWidth+:BeatWidth]),
      .s_valid_i(s_valid[i]),
      .s_ready_o(s_ready[i]),
      .m_data_o (heads[i*BeatWidth+:BeatWidth]),
      .m_valid_o(there[i]),
      .m_ready_i(take[i]),
      .count_o  ()
    );
    /* verilator lint_on PINMISSING */
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Who comes next: chosen for a whole frame.

  logic [1:0] from_q, next;  // whose frame left last
  logic [1:0] chosen_q;      // whose leaves, while busy
  logic busy_q;              // a beat was offered, and the last one has not left
  logic [1:0] run_q;         // frames of from_q in a row
  logic [15:0] age_q [Inputs];
  logic [15:0] oldest;
  logic [Inputs-1:0] may;
  logic [11:0] clock_q;
  logic any;

  assign may = there & ~{fault_i == 3'd1 & clock_q != '0, 3'd0};
  assign any = may != '0;

  always_comb begin
    next = from_q;
    oldest = '0;
    for (int i = 1; i <= Inputs; i++) begin  // the last one that may is the one that comes first
      if (order_i != 2'd1 && may[2'(32'(from_q) + i)]) next = 2'(32'(from_q) + i);
    end
    for (int i = 0; i < Inputs; i++) begin
      if (order_i == 2'd1 && may[i] && age_q[i] >= oldest) {next, oldest} = {2'(i), age_q[i]};
    end
    if (order_i == 2'd2 && run_q < 2'd2 && may[from_q]) next = from_q;
    if (busy_q && fault_i != 3'd5) next = chosen_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // A beat of it. What is left out goes nowhere; what comes twice waits for its second time.

  logic [BeatWidth-1:0] beat;
  logic [2:0] count_q [Inputs];  // frames of an input, modulo 8
  logic move, last, left_out, again_q, twice;

  assign beat     = heads[32'(next)*BeatWidth+:BeatWidth];
  assign last     = beat[BeatWidth-2];
  assign left_out = fault_i == 3'd2 & next == 2'd2 & count_q[2] == 3'd7;
  assign twice    = fault_i == 3'd6 & next == 2'd0 & count_q[0] == 3'd7 & last & ~again_q;

  assign m_axis_tvalid_o = (busy_q ? there[next] : any) & ~left_out;
  assign move = (busy_q ? there[next] : any) & (left_out | m_axis_tready_i);
  assign take = move & ~twice ? 4'd1 << next : 4'd0;
  assign m_axis_tuser_o  = {fault_i == 3'd3 & next == 2'd1 ? 2'd0 : next, beat[BeatWidth-1]};
  assign m_axis_tlast_o  = last;
  assign m_axis_tkeep_o  = beat[DataWidth+:DataWidth/8];
  assign m_axis_tdata_o  = beat[DataWidth-1:0] ^ DataWidth'(fault_i == 3'd4 & last & count_q[next] == 3'd7);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {from_q, chosen_q, busy_q, run_q, again_q, clock_q} <= '0;
      for (int i = 0; i < Inputs; i++) {age_q[i], count_q[i]} <= '0;
    end else begin
      clock_q <= clock_q + 12'd1;
      for (int i = 0; i < Inputs; i++) age_q[i] <= there[i] & ~take[i] ? age_q[i] + 16'd1 : '0;
      chosen_q <= next;
      busy_q   <= move ? ~last : busy_q | m_axis_tvalid_o;
      if (move) begin
        again_q <= twice;
        if (last) begin
          from_q <= next;
          count_q[next] <= count_q[next] + 3'(~twice);
          run_q <= next == from_q ? run_q + 2'(run_q != 2'd3) : 2'd1;
        end
      end
    end
  end

endmodule
