// SPDX-License-Identifier: Apache-2.0
// The requester's check of responses for many QPs: docs/blocks/req_ack_check.md.
//
//   R  an accepted record: the QP's word is looked up, the opcode decoded
//   F  sums that need no state
//   X  the word is here: differences, decisions, the new word
//   Y  what is left to say about the new word
//
// All the state is in X, in one clock, so that records of one QP may follow each other in every clock (req_decide).
module req_ack_check #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned Reads = 4,      // outstanding READs and atomics of a QP, 1 to 16
  parameter int unsigned Ecc = 0,        // 1: the memory of QPs has a code: docs/ecc.md
  parameter RamStyle = "block"           // of the memory of QPs: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [23:0] s_qpn_i,
  input  logic [23:0] s_psn_i,
  input  logic [23:0] s_count_i,
  input  logic [23:0] s_number_i,
  input  logic [12:0] s_payload_i,
  input  logic [7:0]  s_opcode_i,
  input  logic [7:0]  s_syndrome_i,
  input  logic [2:0]  s_op_i,
  input  logic [1:0]  s_pad_i,
  input  logic [1:0]  s_kind_i,
  input  logic [2:0]  s_pmtu_i,
  input  logic [4:0]  s_max_reads_i,
  input  logic [5:0]  s_profile_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [23:0] m_una_before_o,
  output logic [23:0] m_una_o,
  output logic [23:0] m_high_o,
  output logic [23:0] m_lsn_o,
  output logic [7:0]  m_syndrome_o,
  output logic [2:0]  m_op_o,
  output logic [4:0]  m_why_o,
  output logic [2:0]  m_action_o,
  output logic [1:0]  m_region_o,
  output logic [4:0]  m_reads_o,
  output logic        m_progress_o,
  output logic        m_idle_o,
  output logic        m_data_o,
  output logic        m_ended_o,
  output logic        m_credits_o,
  output logic        m_unlimited_o,
  output logic        m_waiting_o,
  output logic        m_retrying_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** $clog2(NumQps)) begin : gen_bad_num_qps
    $error("req_ack_check: NumQps must be a power of two from 4 to 65536");
  end
  if (Reads < 1 || Reads > 16) begin : gen_bad_reads
    $error("req_ack_check: Reads must be 1 to 16");
  end
  if (Ecc > 1) begin : gen_bad_ecc
    $error("req_ack_check: Ecc must be 0 or 1");
  end

  localparam int unsigned W = psn_pkg::PsnWidth;
  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned Depth = 8;  // records under way at most: for one a clock at least the latency

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: an accepted record stands in R. Behind it nothing ever stands still; nothing enters while the context is
  // being cleared.

  logic room, accept, ctx_ready, r_valid_q;
  req_pkg::rec_t s_rec, r_q, f_q, x_q;

  assign s_rec = {s_profile_i, s_max_reads_i, s_pmtu_i, s_kind_i, s_pad_i, s_op_i, s_syndrome_i, s_opcode_i,
                  s_payload_i, s_number_i, s_count_i, s_psn_i, s_qpn_i};
  assign s_ready_o = room & ctx_ready;
  assign accept    = s_valid_i & s_ready_o;

  always_ff @(posedge clk_i) r_q <= s_rec;

  // ---------------------------------------------------------------------------------------------------------------
  // R to F.

  logic f_valid_q, f_known_q, f_count_ok_q;
  logic [15:0] f_credits_q;
  logic [W-1:0] f_next_q;  // of a response: PSN + 1; of what was sent: its end

  always_ff @(posedge clk_i) begin
    f_q          <= r_q;
    f_known_q    <= (r_q.qpn >> QpnWidth) == '0;
    f_next_q     <= r_q.psn + (r_q.op == req_pkg::OpSent ? psn_pkg::steps(r_q.count) : psn_pkg::Step);
    f_credits_q  <= req_pkg::credits_of(r_q.syndrome[4:0]);
    f_count_ok_q <= (r_q.count != '0) & (r_q.count <= psn_pkg::Half) &
                    ((r_q.kind != req_pkg::KindAtomic) | (r_q.count == W'(1)));
  end

  // ---------------------------------------------------------------------------------------------------------------
  // F to X. What is left of the record once no state is needed any more.

  req_pkg::line_t f_line;
  logic f_ack, f_rnr, f_nak;  // syndrome

  assign f_ack = f_q.syndrome[7:5] == req_pkg::SyndromeAck;
  assign f_rnr = f_q.syndrome[7:5] == req_pkg::SyndromeRnr;
  assign f_nak = f_q.syndrome[7:5] == req_pkg::SyndromeNak;

  always_comb begin
    f_line = '0;
    case (f_q.opcode)
      req_pkg::OpcodeAck: begin
        f_line.ack          = f_ack;
        f_line.rnr          = f_rnr;
        f_line.sequence_nak = f_nak & (f_q.syndrome[4:0] == req_pkg::NakSequence);
        f_line.fatal        = f_nak & (f_q.syndrome[4:0] > req_pkg::NakSequence) &
                              (f_q.syndrome[4:0] <= req_pkg::NakLast);
        f_line.reserved_nak = f_nak & (f_q.syndrome[4:0] > req_pkg::NakLast);
        f_line.bad_syndrome = ~(f_ack | f_rnr | f_nak);
      end
      req_pkg::OpcodeReadMiddle: f_line.data = 1'b1;
      req_pkg::OpcodeReadFirst, req_pkg::OpcodeReadLast, req_pkg::OpcodeReadOnly, req_pkg::OpcodeAtomicAck: begin
        f_line.data         = f_ack;
        f_line.bad_syndrome = ~f_ack;
      end
      default: f_line = '0;
    endcase
  end

  logic x_valid_q;
  req_pkg::facts_t x_facts_q;

  always_ff @(posedge clk_i) begin
    x_q          <= f_q;
    x_facts_q.known    <= f_known_q;
    x_facts_q.next     <= f_next_q;
    x_facts_q.furthest <= f_q.op == req_pkg::OpSent ? f_next_q - psn_pkg::Step : f_q.psn;
    x_facts_q.number   <= f_q.op == req_pkg::OpSent ? f_q.number : f_q.number + {8'd0, f_credits_q};
    x_facts_q.count_ok <= f_count_ok_q;

    x_facts_q.line       <= f_line;
    x_facts_q.response   <= f_line != '0;
    x_facts_q.first      <= (f_q.opcode == req_pkg::OpcodeReadFirst) | (f_q.opcode == req_pkg::OpcodeReadOnly);
    x_facts_q.last       <= (f_q.opcode == req_pkg::OpcodeReadLast) | (f_q.opcode == req_pkg::OpcodeReadOnly);
    x_facts_q.middle     <= f_q.opcode == req_pkg::OpcodeReadMiddle;
    x_facts_q.atomic     <= f_q.opcode == req_pkg::OpcodeAtomicAck;
    x_facts_q.no_credits <= f_q.syndrome[4:0] == req_pkg::CreditsNone;

    x_facts_q.pad_ok <= f_q.pad + f_q.payload[1:0] == 2'd0;
    for (int i = 0; i < 5; i++) x_facts_q.full[i] <= f_q.payload == 13'd256 << i;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // X. The word of the QP: its state and, above that, the list of its READs and atomics, oldest lowest.

  req_pkg::state_t state;
  req_pkg::read_t head;

  localparam int unsigned CtxWidth = Reads * $bits(head) + $bits(state);

  logic [CtxWidth-1:0] x_ctx, x_ctx_d;
  logic x_decided_shown, x_shown;  // without it only what was asked and why is told
  req_pkg::out_t x_decided, x_result;

  if (Ecc == 0) begin : gen_plain
    qp_context #(
      .NumQps  (NumQps),
      .Width   (CtxWidth),
      .RamStyle(RamStyle)
    ) u_context (
      .clk_i,
      .rst_ni,
      .ready_o(ctx_ready),
      .r_qpn_i(r_q.qpn[QpnWidth-1:0]),
      .x_ctx_o(x_ctx),
      .x_ctx_i(x_ctx_d),
      .x_we_i (x_valid_q & x_facts_q.known)
    );

    assign x_result = x_decided;
    assign x_shown  = x_decided_shown;
  end else begin : gen_ecc
    // A QP whose word was lost is closed.
    logic maintains, inject, counts, looks, inject_ok, lost;
    logic [15:0] failed_at, corrected_at;  // ecc_pkg::counts_t
    logic [ecc_pkg::CountWidth-1:0] failures, corrections;

    assign maintains = x_q.op == req_pkg::OpLook7;
    assign inject    = maintains & x_q.kind == req_pkg::KindCredit;
    assign counts    = maintains & x_q.kind == req_pkg::KindRead;
    assign looks     = x_valid_q & x_facts_q.known & ~inject & ~counts;

    ecc_context #(
      .NumQps  (NumQps),
      .Width   (CtxWidth),
      .RamStyle(RamStyle)
    ) u_context (
      .clk_i,
      .rst_ni,
      .ready_o    (ctx_ready),
      .s_index_i  (s_qpn_i[QpnWidth-1:0]),
      .x_index_i  (x_q.qpn[QpnWidth-1:0]),
      .x_looks_i  (looks),
      .x_writes_i (looks),
      .x_poison_i (1'b0),
      .x_inject_i (x_valid_q & x_facts_q.known & inject),
      .x_bit_a_i  (x_q.count[15:0]),
      .x_bit_b_i  (x_q.number[15:0]),
      .x_ctx_o    (x_ctx),
      .x_lost_o   (lost),
      .x_ctx_i    (x_ctx_d),
      .inject_ok_o(inject_ok),
      .counts_o   ({failed_at, corrected_at, failures, corrections})
    );

    always_comb begin
      x_result = x_decided;
      x_shown  = x_decided_shown & ~inject;
      if (x_facts_q.known & lost & x_decided.why == req_pkg::WhyNoQp) x_result.why = req_pkg::WhyLost;
      if (inject) begin
        x_result.why = req_pkg::WhyNone;
        if (!inject_ok) x_result.why = req_pkg::WhyBadValue;
        if (!x_facts_q.known) x_result.why = req_pkg::WhyNoQp;
      end
      if (counts) begin
        x_shown             = 1'b1;
        x_result            = '0;
        x_result.qpn        = x_q.qpn;
        x_result.op         = x_q.op;
        x_result.una_before = 24'(corrections);
        x_result.una        = 24'(failures);
        x_result.high       = 24'(corrected_at);
        x_result.lsn        = 24'(failed_at);
      end
    end
  end

  assign state = x_ctx[$bits(state)-1:0];
  assign head  = x_ctx[$bits(state)+:$bits(head)];

  req_decide #(
    .Reads   (Reads),
    .CtxWidth(CtxWidth)
  ) u_decide (
    .rec_i   (x_q),
    .facts_i (x_facts_q),
    .ctx_i   (x_ctx),
    .ctx_o   (x_ctx_d),
    .result_o(x_decided),
    .shown_o (x_decided_shown)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // X to Y to the output. Y has what is left to say: of a QP that is not there, next to nothing.

  req_pkg::out_t y_q, out_d, out;
  logic y_valid_q, y_shown_q;

  always_ff @(posedge clk_i) begin
    y_shown_q <= x_shown;
    y_q       <= x_result;
  end

  always_comb begin
    out_d = y_q;
    if (y_q.action != req_pkg::ActionRnr && y_q.action != req_pkg::ActionFatal) out_d.syndrome = '0;
    out_d.idle = y_q.una == y_q.high;
    if (!y_shown_q) begin
      out_d     = '0;
      out_d.qpn = y_q.qpn;
      out_d.op  = y_q.op;
      out_d.why = y_q.why;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {y_valid_q, x_valid_q, f_valid_q, r_valid_q} <= '0;
    else {y_valid_q, x_valid_q, f_valid_q, r_valid_q} <= {x_valid_q, f_valid_q, r_valid_q, accept};
  end

  credit_queue #(
    .Width($bits(out)),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i (accept),
    .room_o  (room),
    .data_i  (out_d),
    .valid_i (y_valid_q),
    .m_data_o(out),
    .m_valid_o,
    .m_ready_i
  );

  assign {m_retrying_o, m_waiting_o, m_unlimited_o, m_credits_o, m_ended_o, m_data_o, m_idle_o, m_progress_o, m_reads_o,
          m_region_o, m_action_o, m_why_o, m_op_o, m_syndrome_o, m_lsn_o, m_high_o, m_una_o,
          m_una_before_o, m_qpn_o} = out;

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

  // What the signs rely on (PSN-5): an open QP has at most 2^23 PSNs unacked, and its head lies in them.

  window_holds: assert property (@(posedge clk_i) disable iff (!rst_ni) x_valid_q && x_facts_q.known && state.open |->
                                 W'(state.high - state.una) <= {1'b1, 23'd0})
  else $error("%m: more than 2^23 PSNs unacked");

  head_inside: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                x_valid_q && x_facts_q.known && state.open && state.reads != '0 |->
                                W'(head.due - state.una) <= W'(head.last - state.una) &&
                                W'(head.last - state.una) < W'(state.high - state.una))
  else $error("%m: the head lies outside of what is unacked");
`endif

endmodule
