// SPDX-License-Identifier: Apache-2.0
// The decision of req_ack_check, one record of one QP, in one clock: from any word that records can leave, of any
// record, of which is known without the word what req_ack_check_proof.sv has of its stages. Of the word is assumed what
// is proved of what every record leaves (Check[5]); of a retry that was called for the same (Check[10]).
//
// Check: one bit a property of req_decide.go.
module req_decide_proof #(
  parameter logic [15:0] Check = '1
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic [159:0]       word_i,   // of the QP, and whether a retry was called for since una moved
  input logic               spent_i,
  input req_pkg::rec_t      rec_i,
  input req_pkg::facts_t    facts_i
);

  req_pkg::rec_t x;
  req_pkg::facts_t facts;
  req_pkg::line_t line;
  req_pkg::state_t found, next;
  req_pkg::read_t head;
  req_pkg::out_t result;
  req_pkg::action_e action;

  localparam int unsigned StateWidth = $bits(found);
  localparam int unsigned WordWidth = StateWidth + $bits(head);  // Reads 1
  localparam logic [23:0] Half = 24'h80_0000;                    // 2^23

  logic [WordWidth-1:0] word_d;
  logic shown, is_ack, is_data;

  // What is said of a record: known, atomic, where its data lies and how long it is may be anything.
  assign x       = rec_i;
  assign is_ack  = x.opcode == 8'h11;
  assign is_data = x.opcode >= 8'h0D && x.opcode <= 8'h12 && !is_ack;

  always_comb begin
    facts          = facts_i;
    facts.next     = 24'(x.psn + (x.op == req_pkg::OpSent ? x.count : 24'd1));
    facts.furthest = x.op == req_pkg::OpSent ? 24'(facts.next - 24'd1) : x.psn;
    facts.count_ok = x.count != '0 && x.count <= Half && (x.kind != req_pkg::KindAtomic || x.count == 24'd1);
    facts.response = is_ack || is_data;
    facts.line     = line;
  end

  always_comb begin
    line.ack          = is_ack && x.syndrome < 8'h20;
    line.rnr          = is_ack && x.syndrome >= 8'h20 && x.syndrome < 8'h40;
    line.sequence_nak = is_ack && x.syndrome == 8'h60;
    line.fatal        = is_ack && x.syndrome >= 8'h61 && x.syndrome <= 8'h64;
    line.reserved_nak = is_ack && x.syndrome >= 8'h65 && x.syndrome < 8'h80;
    line.data         = is_data && (x.opcode == 8'h0E || x.syndrome < 8'h20);
    line.bad_syndrome = is_data ? x.opcode != 8'h0E && x.syndrome >= 8'h20 :
                        is_ack && x.syndrome >= 8'h40 && (x.syndrome < 8'h60 || x.syndrome >= 8'h80);
  end

  req_decide #(
    .Reads   (1),
    .CtxWidth(WordWidth)
  ) dut (
    .rec_i   (x),
    .facts_i (facts),
    .ctx_i   (word_i),
    .ctx_o   (word_d),
    .result_o(result),
    .shown_o (shown)
  );

  // Wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [StateWidth-1:0] \dut.next ;
  (* hierconn *) wire \dut.response ;
  (* hierconn *) wire \dut.unacked ;
  (* hierconn *) wire \dut.acked ;
  (* hierconn *) wire \dut.outstanding ;
  (* hierconn *) wire \dut.fits ;
  (* hierconn *) wire \dut.taken ;

  assign {head, found} = word_i;
  assign next   = \dut.next ;
  assign action = result.action;

  // ---------------------------------------------------------------------------------------------------------------
  // What the record leaves.

  logic initial_q = 1'b1;
  logic spent_d, moves, calls, left_open;

  assign moves     = next.una != found.una;
  assign calls     = action == req_pkg::ActionSequence || action == req_pkg::ActionImplied;
  assign left_open = word_d[0];
  assign spent_d   = calls || (spent_i && !moves && action != req_pkg::ActionRnr && left_open && found.open);

  logic found_legal, left_legal;
  req_word_rules u_found (.word_i, .legal_o(found_legal));
  req_word_rules u_left (.word_i(word_d), .legal_o(left_legal));

  // ---------------------------------------------------------------------------------------------------------------
  // Properties of a record of that QP.

  logic is_response, answer, freed;
  logic [23:0] outstanding, distance, moved, left;
  logic [24:0] would_be;
  psn_pkg::class_e place;

  assign outstanding = found.high - found.una;
  assign place       = psn_pkg::respond(x.psn, found.una, found.high);
  assign distance    = x.psn - found.una;
  assign moved       = next.una - found.una;
  assign left        = next.high - next.una;
  assign would_be    = {1'b0, outstanding} + {1'b0, x.count};
  assign is_response = found.open && x.op == req_pkg::OpResponse && x.opcode >= 8'h0D && x.opcode <= 8'h12;
  assign answer      = is_response && distance < outstanding;  // to something unacked
  assign freed       = found.profile.any_answer_ends_rnr && answer;

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    if (initial_q) assume (!rst_ni);
    assume (found_legal && (!spent_i || found.retrying));
    if (!initial_q && rst_ni && facts.known) begin
      if (Check[5]) assert (left_legal);

      // PSN-3 as runs of PSNs, without a sign.
      if (Check[6]) begin
        assert ( \dut.response == is_response);
        if (is_response) begin
          assert ( \dut.unacked == (distance < outstanding));
          assert ( \dut.acked == (24'(found.una - 24'd1 - x.psn) < Half - outstanding));
          assert ( \dut.unacked == (place == psn_pkg::ClassUnacked) && \dut.acked == (place == psn_pkg::ClassAcked));
        end
      end

      if (Check[7] && found.open) begin
        assert (moved <= outstanding);
        if (!answer) assert (!moves);
      end

      // The word opens and closes.
      if (Check[8]) begin
        if (!found.open && left_open) assert (x.op == req_pkg::OpConfigure);
        if (!found.open && x.op != req_pkg::OpConfigure) assert (word_d == '0);
        if (found.open) begin
          assert (!left_open == (x.op == req_pkg::OpClose || action == req_pkg::ActionFatal ||
                                 action == req_pkg::ActionBad));
          if (x.op != req_pkg::OpClose && !left_open) assert (answer);
        end
      end

      // The wait (TMR-5).
      if (Check[9] && found.open) begin
        if (next.waiting && !found.waiting) assert (action == req_pkg::ActionRnr);
        if (action == req_pkg::ActionRnr) assert (next.waiting && !next.retrying && answer);
        if (found.waiting && !next.waiting) assert (moves || freed || x.op == req_pkg::OpGoOn);
        if (found.waiting && (moves || freed || x.op == req_pkg::OpGoOn))
          assert (next.waiting == (action == req_pkg::ActionRnr));
        if (found.waiting && !moves && !freed)
          assert (!calls && action != req_pkg::ActionRnr && action != req_pkg::ActionTimer);
        // What comes with progress acts, whatever was under way before.
        if (answer && moves && line.rnr) assert (action == req_pkg::ActionRnr || action == req_pkg::ActionImplied);
        if (answer && moves && line.sequence_nak) assert (calls);
      end

      // One gap burns one retry (TMR-3).
      if (Check[10] && calls) assert (!spent_i || moves);
      if (Check[10] && spent_d) assert (next.retrying && left_open);

      // What is bad (REQ-12): no data, nothing from its own PSN on acknowledged, no ACK and no NAK.
      if (Check[11] && action == req_pkg::ActionBad) begin
        assert (! \dut.taken && answer && moved <= distance);
        assert (next.reads == found.reads && next.lsn == found.lsn);
        assert (x.opcode != 8'h11 || x.syndrome[7:5] == 3'b010 || x.syndrome[7]);
        if (found.profile.reserved_nak_ignored && x.opcode != 8'h0E)
          assert (x.opcode != 8'h11 && x.syndrome[7:5] == '0);
      end

      // Exactly 2^23 PSNs may be unacked, and are: in integers.
      if (Check[13] && found.open) begin
        assert ( \dut.outstanding == (outstanding != '0));
        if (x.op == req_pkg::OpSent && x.psn == found.high && facts.count_ok )
          assert ( \dut.fits == (would_be <= {1'b0, Half}));
        if (x.op == req_pkg::OpSent && x.psn == found.high && x.kind == req_pkg::KindFree && x.count != '0 &&
            would_be <= {1'b0, Half}) assert (left == would_be[23:0]);
        if (outstanding == Half && is_response) begin
          assert ( \dut.unacked == !distance[23] && ! \dut.acked );
          if (x.psn == found.high - 24'd1) assert ( \dut.unacked );
        end
        if (outstanding == Half && x.op == req_pkg::OpRetry && !found.waiting) assert (action == req_pkg::ActionTimer);
      end

      // What is answered is what is left.
      if (Check[14] && shown && left_open) begin
        assert (result.una_before == found.una && result.una == word_d[24:1] && result.high == word_d[48:25]);
        assert (result.lsn == word_d[72:49] && result.op == x.op && result.qpn == x.qpn);
        assert (result.progress == (moves && found.open));
      end
    end
  end

endmodule

// What the word of a QP is in every state: of a closed one zero; of an open one at most 2^23 PSNs unacked, the head
// of the list among them, and a wait or a retry, not both, only with something unacked.
module req_word_rules (
  input  logic [159:0] word_i,
  output logic         legal_o
);

  req_pkg::state_t state;
  req_pkg::read_t head;
  logic [23:0] unacked, due, last;

  assign {head, state} = word_i;
  assign unacked       = state.high - state.una;
  assign due           = head.due - state.una;
  assign last          = head.last - state.una;

  always_comb begin
    legal_o = word_i == '0;
    if (state.open) begin
      legal_o = unacked <= 24'h80_0000 && state.reads <= 5'd1 && state.max_reads <= 5'd1;
      if (state.reads != '0 && (due > last || last >= unacked)) legal_o = 1'b0;
      if (state.waiting && state.retrying) legal_o = 1'b0;
      if ((state.waiting || state.retrying) && unacked == '0) legal_o = 1'b0;
    end
  end

endmodule
