// SPDX-License-Identifier: Apache-2.0
// The decision of resp_psn_check, one record of one QP, in one clock, by PSN-2, PSN-4, RSP-2 to RSP-5, RSP-9, RSP-11
// and RSP-15: from any word that records can leave, of any record, of which is known without the word what
// resp_psn_check_proof.sv has of its stages. Of the word is assumed what is proved of what every record leaves
// (Check[1]); what the words before say of the QP is tied to what records say and are answered by Check[2] and
// Check[3]. 
// Check: one bit a property of resp_decide.go.
module resp_decide_proof #(
  parameter logic [15:0] Check = '1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [118:0]     word_i,   // of the QP
  input logic [189:0]     rec_i,    // as docs/blocks/resp_psn_check.md lays it out
  input resp_pkg::facts_t facts_i
);

  resp_pkg::context_t found, left;
  resp_pkg::decoded_t dec;
  resp_pkg::facts_t facts;
  logic [189:0] rec;
  logic [118:0] word_d;
  logic [151:0] y;

  assign rec   = rec_i;
  assign found = word_i;
  assign left  = word_d;

  resp_opcode u_opcode (.opcode_i(rec[55:48]), .dec_o(dec));

  resp_decide dut (
    .req_i   (rec),
    .dec_i   (dec),
    .facts_i (facts),
    .ctx_i   (word_i),
    .ctx_o   (word_d),
    .result_o(y)
  );

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic [23:0] psn, epsn_before, epsn_after, answer_psn, msn;
  logic [7:0] opcode, syndrome;
  logic [2:0] op, verdict, answer;
  logic [4:0] behind;
  logic to_error;

  assign psn         = rec[47:24];
  assign opcode      = rec[55:48];
  assign op          = rec[138:136];
  assign epsn_before = y[47:24];
  assign epsn_after  = y[71:48];
  assign answer_psn  = y[95:72];
  assign msn         = y[119:96];
  assign syndrome    = y[127:120];
  assign verdict     = y[138:136];
  assign answer      = y[141:139];
  assign to_error    = y[146];
  assign behind      = y[151:147];

  localparam logic [2:0] Executed = 3'd0;
  localparam logic [2:0] Duplicate = 3'd1;
  localparam logic [2:0] Dropped = 3'd3;
  localparam logic [2:0] Nak = 3'd2;

  // OPC-1. One bit an operation, from 00h up.
  localparam logic [31:0] Firsts = 32'h3098_1C71;  // First or Only
  localparam logic [31:0] Lasts = 32'h30D8_1F3C;   // Last or Only
  localparam logic [31:0] Kept = 32'h3018_1000;    // READ, atomics, ATOMIC WRITE, FLUSH
  localparam logic [31:0] OfRc = 32'h30D8_1FFF;
  localparam logic [31:0] OfUc = 32'h0000_0FFF;
  localparam logic [31:0] OfUd = 32'h0000_0030;
  localparam logic [31:0] Sends = 32'h00C0_003F;

  logic first, last, kept, send;
  assign first = Firsts[opcode[4:0]];
  assign last  = Lasts[opcode[4:0]];
  assign kept  = Kept[opcode[4:0]];
  assign send  = Sends[opcode[4:0]];

  // PSN-4: how many PSNs a request takes when a packet holds 2^bits bytes.
  function automatic logic [23:0] takes(input logic [189:0] rec, input int unsigned bits);
    logic [31:0] whole;
    whole = rec[103:72] >> bits;
    takes = 24'd1;
    if (rec[52:48] == 5'h0C && rec[103:72] != '0) takes = 24'(whole) + 24'((whole << bits) != rec[103:72]);
  endfunction

  // What is said of the record without its word; the rest of it may be anything.
  always_comb begin
    facts          = facts_i;
    facts.in_range = rec[23:2] == '0;
    facts.bad_set  = rec[140:139] == 2'd3 || rec[143:141] == 3'd0 || rec[143:141] > 3'd5;
    if (rec[52:48] == 5'h0C) facts.dma_long = rec[103:72] > 32'h8000_0000;
    if (rec[52:48] != 5'h0C || rec[103:72] <= 32'h8000_0000)
      facts.next_epsn = {psn + takes(rec, 12), psn + takes(rec, 11), psn + takes(rec, 10), psn + takes(rec, 9),
                         psn + takes(rec, 8)};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The QP as its word has it, and as the record and its verdict leave it.

  typedef struct packed {
    logic [1:0]  state;    // 0 reset, 1 init, 2 ready, 3 error
    logic [1:0]  service;  // 0 RC, 1 UC, 2 UD
    logic [2:0]  pmtu;     // 1 to 5: 256 to 4096 bytes
    logic [2:0]  profile;  // dup_ack_by_ack_req, nak_while_rnr, dup_keeps_nak
    logic [23:0] epsn;
    logic [23:0] msn;
    logic [4:0]  in_flight;
    logic        told;     // a sequence NAK, and neither an expected request nor an answered duplicate since
    logic        waiting;  // the same of an RNR NAK
    logic [1:0]  open;     // 1 a SEND, 2 a WRITE
  } qp_t;

  qp_t was, is;
  logic here, packet, working, rc, uc, ud, sequence_nak, rnr_nak;
  logic [23:0] ahead;  // of ePSN

  assign was          = {found.state, found.service, found.pmtu, found.profile[2:0], found.epsn, found.msn,
                         found.in_flight, found.nak_sent, found.rnr_sent, found.open};
  assign here         = facts.in_range;
  assign packet       = here && op == 3'd0;
  assign working      = packet && was.state == 2'd2;
  assign rc           = working && was.service == 2'd0 && opcode[7:5] == 3'd0 && OfRc[opcode[4:0]];
  assign uc           = working && was.service == 2'd1 && opcode[7:5] == 3'd1 && OfUc[opcode[4:0]];
  assign ud           = working && was.service == 2'd2 && opcode[7:5] == 3'd3 && OfUd[opcode[4:0]];
  assign ahead        = psn - was.epsn;
  assign sequence_nak = answer == Nak && syndrome == 8'h60;
  assign rnr_nak      = answer == Nak && syndrome[7:5] == 3'b001;

  logic settable, executed;
  assign settable = was.state[1] == 1'b0 && rec[140:139] != 2'd3 &&
                    rec[143:141] != 3'd0 && rec[143:141] <= 3'd5;
  assign executed = (rc || uc) && verdict == Executed;

  always_comb begin
    is = was;
    if (packet) begin
      is.epsn = epsn_after;
      is.msn  = msn;
      if (answer == Nak && syndrome[7:5] == 3'b011 && syndrome != 8'h60) is.state = 2'd3;
      if (rc && (psn == was.epsn || verdict == Duplicate && !was.profile[0])) {is.told, is.waiting} = '0;
      if (sequence_nak) is.told = 1'b1;
      if (rnr_nak) is.waiting = 1'b1;
      if (rc && executed && kept && was.in_flight != 5'd31) is.in_flight = was.in_flight + 5'd1;
      if (executed) is.open = last ? 2'd0 : send ? 2'd1 : 2'd2;
      else if (uc || is.state == 2'd3) is.open = 2'd0;
      if (was.state == 2'd3) is.open = was.open;
    end
    case (op)
      3'd1: if (settable) is = {2'd1, rec[140:139], rec[143:141], rec[170:168], psn, rec[95:72],
                          5'd0, 1'b0, 1'b0, 2'd0};
      3'd2: if (was.state == 2'd1) is.state = 2'd2;
      3'd3: if (was.state != 2'd0) is.state = 2'd3;
      3'd4: is = '0;
      3'd5: if (was.state != 2'd0 && was.in_flight != '0) is.in_flight = was.in_flight - 5'd1;
      default: ;
    endcase
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The properties.

  // Of a QP in reset zero, of others a service and a path MTU that there are.
  logic found_legal, left_legal;
  assign found_legal = found.state == 2'd0 ? word_i == '0 :
                       found.service != 2'd3 && found.pmtu != '0 && found.pmtu <= 3'd5;
  assign left_legal  = left.state == 2'd0 ? word_d == '0 :
                       left.service != 2'd3 && left.pmtu != '0 && left.pmtu <= 3'd5;

  logic changes, in_order, taken;
  logic [23:0] takes_here;
  assign changes  = epsn_after != was.epsn || msn != was.msn;
  assign in_order = psn == was.epsn && was.open == (send ? 2'd1 : 2'd2);  // UC: a Middle or Last that goes on
  assign taken    = first || in_order;

  always_comb begin
    case (was.pmtu)
      3'd1: takes_here = takes(rec, 8);
      3'd2: takes_here = takes(rec, 9);
      3'd3: takes_here = takes(rec, 10);
      3'd4: takes_here = takes(rec, 11);
      default: takes_here = takes(rec, 12);
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (found_legal);
    if (!initial_q && rst_ni) begin
      if (Check[1] && here) assert (left_legal);
      if (Check[2] && here) begin
        assert ({left.state, left.service, left.pmtu, left.profile[2:0], left.epsn, left.msn, left.in_flight} ==
                {is.state, is.service, is.pmtu, is.profile, is.epsn, is.msn, is.in_flight});
        assert (left.open == is.open && epsn_before == was.epsn && epsn_after == left.epsn && msn == left.msn);
      end
      if (Check[3] && here) assert (left.nak_sent == is.told && left.rnr_sent == is.waiting);
      if (here && was.service == 2'd0) begin
        if (Check[6] && packet && verdict == Executed) assert (rc && psn == was.epsn);
        if (Check[7] && changes) assert (packet ? verdict == Executed : op == 3'd1 || op == 3'd4);
        if (Check[8] && packet && verdict == Executed)
          assert (msn == was.msn + 24'(last) && epsn_after == psn + takes_here);
        if (Check[9] && packet && sequence_nak) begin
          assert (rc && !was.told && ahead != '0 && !ahead[23]);
          assert (answer_psn == was.epsn && (!was.waiting || was.profile[1]));
        end
      end
      if (Check[10] && rc && !ahead[23] && ahead != '0 && !was.told && (!was.waiting || was.profile[1]))
        assert (sequence_nak);
      if (Check[11] && rc && ahead[23]) begin
        assert (answer != Nak);
        if (kept || rec[167] || !was.profile[2]) assert (verdict == Duplicate && answer != 3'd0);
        else assert (verdict == Dropped);
        if (answer == 3'd1) assert (answer_psn == was.epsn - 24'd1);
      end
      if (Check[12] && packet && was.service == 2'd1) begin
        assert (epsn_after == (uc && taken ? psn + 24'd1 : was.epsn) && answer == 3'd0 && !to_error);
        assert (msn == was.msn + 24'(last && verdict == Executed));
        if (verdict == Executed) assert (uc && taken);
      end
      if (Check[13] && packet && was.service == 2'd2) assert (!changes && answer == 3'd0 && !to_error);
      if (Check[14] && packet && !working)
        assert (verdict == Dropped && answer == 3'd0 && !changes && !to_error);
      if (Check[15] && here)
        assert (behind == (answer == 3'd0 || (verdict == Duplicate && kept) ? 5'd0 : was.in_flight));
    end
  end

endmodule
