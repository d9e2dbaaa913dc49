// SPDX-License-Identifier: Apache-2.0
// Registers of queue pairs, keys, tables and counters: docs/blocks/qp_ctl.md.
//
// One access at a time: A, R, F, X are the clocks behind the one in which it is accepted. In A its counter is looked
// up, and the words of the QP are read; an event that was accepted with the access waits in R for a clock, and none
// comes in. In F the counter is there. X decides (qpc_decide). In Wait the answer and the operations leave.
module qp_ctl #(
  parameter int unsigned NumQps = 4096,    // a power of two, 4 to 65,536
  parameter int unsigned CounterLow = 32,  // bits of a counter in COUNTER_LOW; few let a test reach the others
  parameter int unsigned CounterHigh = 16,  // in COUNTER_HIGH; few let a test reach the last one
  parameter int unsigned FlowWidth = 16,   // packets under way are counted modulo 2 to that; few let a test reach it
  parameter RamStyle = "block"             // of the memory of QPs: ram_1r1w
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          s_bus_write_i,
  input  logic [11:0]                   s_bus_address_i,
  input  logic [31:0]                   s_bus_data_i,
  input  logic [3:0]                    s_bus_strobe_i,
  input  logic                          s_bus_valid_i,
  output logic                          s_bus_ready_o,

  input  logic                          s_event_enters_i,
  input  logic                          s_event_leaves_i,
  input  logic                          s_event_closed_i,
  input  logic                          s_event_counts_i,
  input  logic [5:0]                    s_event_reason_i,
  input  logic                          s_event_valid_i,
  output logic                          s_event_ready_o,

  output logic                          m_bus_write_o,
  output logic [31:0]                   m_bus_data_o,
  output logic [1:0]                    m_bus_resp_o,
  output logic                          m_bus_valid_o,
  input  logic                          m_bus_ready_i,

  output logic [3:0]                    m_op_target_o,
  output logic [qpc_pkg::DataWidth-1:0] m_op_data_o,
  output logic                          m_op_valid_o,
  input  logic                          m_op_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned Lanes = qpc_pkg::CfgWords + 1;
  localparam int unsigned CounterWidth = CounterLow + CounterHigh;

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("qp_ctl: NumQps must be a power of two from 4 to 65536");
  end

  if (CounterLow < 1 || CounterLow > 32) begin : gen_bad_counter_low
    $error("qp_ctl: CounterLow must be 1 to 32");
  end

  if (CounterHigh < 1 || CounterHigh > qpc_pkg::CounterHigh) begin : gen_bad_counter_high
    $error("qp_ctl: CounterHigh must be 1 to 16");
  end

  if (FlowWidth < 2 || FlowWidth > 16) begin : gen_bad_flow_width
    $error("qp_ctl: FlowWidth must be 2 to 16");
  end

  typedef enum logic [2:0] {
    Idle  = 3'd0,
    InA   = 3'd1,
    InR   = 3'd2,
    InF   = 3'd3,
    InX   = 3'd4,
    Wait  = 3'd5,
    Close = 3'd6  // until both memories are zero
  } phase_e;

  phase_e phase_q;
  qpc_pkg::access_t s_access, access_q;
  qpc_pkg::event_t s_event;
  logic accept, comes, enters, scrubbed, counters_ready, done, in_a, in_x;

  assign s_access        = {s_bus_strobe_i, s_bus_data_i, s_bus_address_i, s_bus_write_i};
  assign s_event         = {s_event_reason_i, s_event_counts_i, s_event_closed_i, s_event_leaves_i, s_event_enters_i};
  assign s_bus_ready_o   = phase_q == Idle;
  assign s_event_ready_o = !in_a && phase_q != Close;
  assign accept          = s_bus_valid_i & s_bus_ready_o;
  assign comes           = s_event_valid_i & s_event_ready_o;
  assign enters          = comes & s_event.enters;
  assign in_a            = phase_q == InA;
  assign in_x            = phase_q == InX;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) phase_q <= Close;
    else begin
      case (phase_q)
        Idle: if (accept) phase_q <= InA;
        InA: phase_q <= InR;
        InR: phase_q <= InF;
        InF: phase_q <= InX;
        InX: phase_q <= Wait;
        Wait: if (done) phase_q <= Idle;
        default: if (scrubbed & counters_ready) phase_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept) access_q <= s_access;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What goes on behind. closed_q: the QP that is closing has been removed, when entered_q stood at mark_q.

  logic [FlowWidth-1:0] entered_q, entered_d, left_q, mark_q, under_way_q;
  logic closed_q, drained_q, drained, drained_at_q;
  qpc_pkg::regs_t regs_q, regs_d;

  assign entered_d = entered_q + FlowWidth'(enters);
  assign drained   = drained_q | (closed_q & (left_q == mark_q));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      entered_q <= '0;
      left_q    <= '0;
      mark_q    <= '0;
      closed_q  <= 1'b0;
      drained_q <= 1'b0;
    end else begin
      entered_q <= entered_d;
      if (comes && s_event.leaves) left_q <= left_q + 1'b1;
      drained_q <= drained & regs_q.closing;
      closed_q  <= closed_q & regs_q.closing;
      if (comes && s_event.closed && regs_q.closing && !closed_q) begin
        closed_q <= 1'b1;
        mark_q   <= entered_d;
      end
    end
  end

  // As they are for the access: by what was accepted before it.
  always_ff @(posedge clk_i) begin
    if (accept) begin
      under_way_q  <= entered_q - left_q;
      drained_at_q <= drained & regs_q.closing;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Counters: an event in R looks its counter up, and adds one to it in X. An access has R for itself in A.

  logic r_counts_q, f_counts_q, x_counts_q;
  logic [5:0] r_reason_q, r_counter;
  logic [CounterWidth-1:0] x_counter, counter_q;

  assign r_counter = in_a ? access_q.address[8:3] : r_reason_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {x_counts_q, f_counts_q, r_counts_q} <= '0;
    else begin
      r_counts_q <= in_a ? r_counts_q : comes & s_event.counts;
      f_counts_q <= r_counts_q & ~in_a;
      x_counts_q <= f_counts_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!in_a) r_reason_q <= s_event.reason;
    if (phase_q == InF) counter_q <= x_counter;
  end

  qp_context #(
    .NumQps  (qpc_pkg::Counters),
    .Width   (CounterWidth),
    .RamStyle("auto")
  ) u_counters (
    .clk_i,
    .rst_ni,
    .ready_o(counters_ready),
    .r_qpn_i(r_counter),
    .x_ctx_o(x_counter),
    .x_ctx_i(x_counter + 1'b1),
    .x_we_i (x_counts_q)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The words of QPs: read in A, written in X. After reset all are made zero.

  qpc_pkg::words_t words, words_d;
  logic [Lanes-1:0] words_we;
  logic [QpnWidth:0] scrub_q;  // the top bit says done

  assign scrubbed = scrub_q[QpnWidth];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) scrub_q <= '0;
    else if (!scrubbed) scrub_q <= scrub_q + 1'b1;
  end

  ram_1r1w #(
    .Words(NumQps),
    .Width($bits(words)),
    .Lanes(Lanes),
    .Style(RamStyle)
  ) u_words (
    .clk_i,
    .wlanes_i(scrubbed ? (words_we & {Lanes{in_x}}) : '1),
    .waddr_i (scrubbed ? regs_q.qpn[QpnWidth-1:0] : scrub_q[QpnWidth-1:0]),
    .wdata_i (scrubbed ? words_d : '0),
    .re_i    (in_a),
    .raddr_i (regs_q.qpn[QpnWidth-1:0]),
    .rdata_o (words)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // X, and what leaves.

  qpc_pkg::answer_t x_answer, answer_q;
  logic [qpc_pkg::Steps-1:0] x_steps, steps_q, step;
  logic answer_valid_q, op_valid_q, op_moves;
  qpc_pkg::op_t op, op_q;

  qpc_decide u_decide (
    .access_i   (access_q),
    .regs_i     (regs_q),
    .words_i    (words),
    .under_way_i(16'(under_way_q)),
    .drained_i  (drained_at_q),
    .low_i      (32'(counter_q[CounterLow-1:0])),
    .high_i     (qpc_pkg::CounterHigh'(counter_q[CounterLow+:CounterHigh])),
    .answer_o   (x_answer),
    .regs_o     (regs_d),
    .words_o    (words_d),
    .words_we_o (words_we),
    .steps_o    (x_steps)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '0;
    else if (in_x) regs_q <= regs_d;
  end

  // The lowest of those that are left.
  assign step     = steps_q & (~steps_q + 1'b1);
  assign op_moves = ~op_valid_q | m_op_ready_i;
  assign done     = (~answer_valid_q | m_bus_ready_i) & steps_q == '0 & op_moves;

  qpc_op u_op (
    .step_i (step),
    .regs_i (regs_q),
    .words_i(words),
    .op_o   (op)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      answer_valid_q <= 1'b0;
      steps_q        <= '0;
      op_valid_q     <= 1'b0;
    end else begin
      if (in_x) answer_valid_q <= 1'b1;
      else if (m_bus_ready_i) answer_valid_q <= 1'b0;
      if (in_x) steps_q <= x_steps;
      else if (op_moves) steps_q <= steps_q & ~step;
      if (op_moves) op_valid_q <= steps_q != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_x) answer_q <= x_answer;
    if (op_moves) op_q <= op;
  end

  assign m_bus_valid_o                              = answer_valid_q;
  assign {m_bus_resp_o, m_bus_data_o, m_bus_write_o} = answer_q;
  assign m_op_valid_o                               = op_valid_q;
  assign {m_op_data_o, m_op_target_o}               = op_q;

`ifdef VERILATOR
  record_rules #(
    .Width($bits(s_access))
  ) u_bus_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_access),
    .valid_i(s_bus_valid_i),
    .ready_i(s_bus_ready_o)
  );

  record_rules #(
    .Width($bits(op_q))
  ) u_op_rules (
    .clk_i,
    .rst_ni,
    .data_i (op_q),
    .valid_i(op_valid_q),
    .ready_i(m_op_ready_i)
  );
`endif

endmodule
