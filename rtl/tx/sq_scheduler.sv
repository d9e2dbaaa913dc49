// SPDX-License-Identifier: Apache-2.0
// Whose turn it is to send: docs/blocks/sq_scheduler.md.
//
//   R        the head of the records that came: a done waits here until a turn has left
//   F, X     the word of its QP; X decides whether the QP comes to stand in the queue (sched_decide)
//   Q, D     the queue's head is read, if a turn may leave, and comes to the output
module sq_scheduler #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned Turns = 8,      // under way at most: a power of two from 2 to 64
  parameter RamStyle = "block"           // of the memories: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [23:0] s_qpn_i,
  input  logic [2:0]  s_op_i,
  input  logic [2:0]  s_why_i,
  input  logic [3:0]  s_weight_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [3:0]  m_packets_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned TurnsWidth = $clog2(Turns + 1);

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("sq_scheduler: NumQps must be a power of two from 4 to 65536");
  end
  if (Turns < 2 || Turns > 64 || Turns != 2 ** $clog2(Turns)) begin : gen_bad_turns
    $error("sq_scheduler: Turns must be a power of two from 2 to 64");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // R: the oldest record. A done is held against the oldest turn that left.

  sched_pkg::query_t s_rec, r_rec, f_q, x_q;
  logic in_ready, ctx_ready, r_valid, r_go, r_is_done, r_ends, out_valid, idle;
  logic [23:0] out_qpn;
  logic [2:0] unused_in_count;

  assign s_rec     = {s_weight_i, s_why_i, s_op_i, s_qpn_i};
  assign s_ready_o = in_ready & ctx_ready;

  sync_fifo #(
    .Width($bits(s_rec)),
    .Depth(4)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i (s_rec),
    .s_valid_i(s_valid_i & ctx_ready),
    .s_ready_o(in_ready),
    .m_data_o (r_rec),
    .m_valid_o(r_valid),
    .m_ready_i(r_go),
    .count_o  (unused_in_count)
  );

  assign r_is_done = r_rec.op == sched_pkg::OpDone;
  assign r_go      = ~r_is_done | out_valid | idle;
  assign r_ends    = r_valid & r_is_done & out_valid & (out_qpn == r_rec.qpn);

  // ---------------------------------------------------------------------------------------------------------------
  // F, X: the word of the QP.

  logic [1:0] valid_q;  // of F, X, F lowest
  logic f_known_q, x_known_q, f_ends_q, x_ends_q, x_push, push;
  logic [3:0] x_packets;
  sched_pkg::state_t x_state, x_state_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[0], r_valid & r_go};
  end

  always_ff @(posedge clk_i) begin
    f_q       <= r_rec;
    x_q       <= f_q;
    f_known_q <= (r_rec.qpn >> QpnWidth) == '0;
    x_known_q <= f_known_q;
    f_ends_q  <= r_ends;
    x_ends_q  <= f_ends_q;
  end

  qp_context #(
    .NumQps  (NumQps),
    .Width   ($bits(x_state)),
    .RamStyle(RamStyle)
  ) u_context (
    .clk_i,
    .rst_ni,
    .ready_o(ctx_ready),
    .r_qpn_i(r_rec.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_state),
    .x_ctx_i(x_state_d),
    .x_we_i (valid_q[1] & x_known_q)
  );

  sched_decide u_decide (
    .rec_i    (x_q),
    .known_i  (x_known_q),
    .ends_i   (x_ends_q),
    .state_i  (x_state),
    .state_o  (x_state_d),
    .push_o   (x_push),
    .packets_o(x_packets)
  );

  assign push = valid_q[1] & x_push;

  // ---------------------------------------------------------------------------------------------------------------
  // The queue: as many places as QPs.

  logic [QpnWidth-1:0] write_ptr_q, read_ptr_q;
  logic [QpnWidth:0] count_q, count_d;
  logic [TurnsWidth-1:0] under_way_q, under_way_d;
  logic some_q, place_q, room, leave, d_valid_q, unused_x;
  logic [QpnWidth+3:0] d_data;

  assign unused_x    = ^x_q;
  assign leave       = some_q & place_q & room;
  assign count_d     = count_q + (QpnWidth + 1)'(push) - (QpnWidth + 1)'(leave);
  assign under_way_d = under_way_q + TurnsWidth'(leave) - TurnsWidth'(r_ends);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_ptr_q <= '0;
      read_ptr_q  <= '0;
      count_q     <= '0;
      some_q      <= 1'b0;
      under_way_q <= '0;
      place_q     <= 1'b0;
      d_valid_q   <= 1'b0;
    end else begin
      if (push) write_ptr_q <= write_ptr_q + 1'b1;
      if (leave) read_ptr_q <= read_ptr_q + 1'b1;
      count_q     <= count_d;
      some_q      <= count_d != '0;
      under_way_q <= under_way_d;
      place_q     <= under_way_d != TurnsWidth'(Turns);
      d_valid_q   <= leave;
    end
  end

  ram_1r1w #(
    .Words      (NumQps),
    .Width      (QpnWidth + 4),
    .ReadLatency(1),
    .Style      (RamStyle)
  ) u_queue (
    .clk_i,
    .wlanes_i(push),
    .waddr_i (write_ptr_q),
    .wdata_i ({x_packets, x_q.qpn[QpnWidth-1:0]}),
    .re_i    (leave),
    .raddr_i (read_ptr_q),
    .rdata_o (d_data)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The output, and the turns that left by it.

  sched_pkg::turn_t d_turn, out;
  logic unused_ready;
  logic [TurnsWidth-1:0] unused_out_count;

  assign d_turn.packets = d_data[QpnWidth+:4];
  assign d_turn.qpn     = 24'(d_data[QpnWidth-1:0]);

  credit_queue #(
    .Width($bits(out)),
    .Depth(Turns)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .claim_i  (leave),
    .room_o   (room),
    .data_i   (d_turn),
    .valid_i  (d_valid_q),
    .m_data_o (out),
    .m_valid_o,
    .m_ready_i
  );

  sync_fifo #(
    .Width(24),
    .Depth(Turns)
  ) u_left (
    .clk_i,
    .rst_ni,
    .s_data_i (out.qpn),
    .s_valid_i(m_valid_o & m_ready_i),
    .s_ready_o(unused_ready),  // no more turns than places
    .m_data_o (out_qpn),
    .m_valid_o(out_valid),
    .m_ready_i(r_ends),
    .count_o  (unused_out_count)
  );

  assign {m_packets_o, m_qpn_o} = out;

  // Nothing stands in the queue, nor will it by what is in F and X, and no turn is under way.
  assign idle = (valid_q == '0) & ~some_q & (under_way_q == '0);

`ifdef VERILATOR
  record_rules #(
    .Width($bits(s_rec))
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_rec),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  record_rules #(
    .Width($bits(out))
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .data_i (out),
    .valid_i(m_valid_o),
    .ready_i(m_ready_i)
  );
`endif

endmodule
