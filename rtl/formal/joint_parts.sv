// SPDX-License-Identifier: Apache-2.0
// What joint_proof.sv is made of beside the blocks: links, and packets as the records that the blocks take.

// A link of two places. What comes takes the first that is free; what is taken or lost leaves its own.
module joint_link #(
  parameter int unsigned Width = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               push_i,  // while a place is free
  input  logic [Width-1:0]   data_i,
  input  logic               slot_i,
  input  logic               take_i,
  input  logic               lose_i,
  output logic [1:0]         valid_o,
  output logic [2*Width-1:0] data_o
);

  logic [1:0] valid_q;
  logic [Width-1:0] data0_q, data1_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else begin
      if ((take_i || lose_i) && !slot_i) valid_q[0] <= 1'b0;
      if ((take_i || lose_i) && slot_i) valid_q[1] <= 1'b0;
      if (push_i && !valid_q[0]) {valid_q[0], data0_q} <= {1'b1, data_i};
      if (push_i && valid_q[0]) {valid_q[1], data1_q} <= {1'b1, data_i};
    end
  end

  assign valid_o = valid_q;
  assign data_o  = {data1_q, data0_q};

endmodule

// A request at the responder: of the READ, from its first PSN or from its second, or one of the two of the SEND. Or, in
// its place, that a READ was answered.
module joint_request (
  input  logic [2:0]                    packet_i,
  input  logic [3:0]                    psn_i,
  input  logic                          ack_req_i,
  input  logic                          wqe_i,
  input  logic                          own_error_i,
  input  logic                          frees_i,
  output resp_pkg::request_t            req_o,
  output logic [resp_pkg::Pmtus*24-1:0] reach_o  // resp_psn_check's, of 256 bytes
);

  resp_pkg::request_t req;

  always_comb begin
    req             = '0;
    req.op          = frees_i ? resp_pkg::OpFreed : resp_pkg::OpPacket;
    req.access_ok   = 1'b1;
    req.wqe_present = wqe_i;
    req.wqe_bytes   = 32'd1000;
    req.own_error   = own_error_i;
    req.ack_req     = ack_req_i;
    req.credits     = req_pkg::CreditsNone;
    req.psn         = {psn_i, 20'd0};
    case (packet_i)
      3'd0: {req.opcode, req.dma_length} = {8'h0C, 32'd300};
      3'd1: {req.opcode, req.dma_length} = {8'h0C, 32'd44};
      3'd2: {req.opcode, req.payload} = {8'h00, 16'd256};
      default: {req.opcode, req.payload} = {8'h02, 16'd44};
    endcase
  end

  assign req_o   = req;
  assign reach_o = {96'd0, packet_i == 3'd0 ? psn_pkg::steps(24'd2) : psn_pkg::Step};

endmodule

// The responder: its word, as narrow as these messages need, what decides, and the answer that it owes.
module joint_responder (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] start_i,
  input  logic [2:0] profile_i,
  input  logic       takes_i,      // a request, while no answer is owed
  input  logic [2:0] packet_i,
  input  logic       ack_req_i,
  input  logic       wqe_i,
  input  logic       own_error_i,
  input  logic       answers_i,    // what is owed leaves, or the next packet of it
  input  logic [2:0] executed_i,
  output logic       executes_o,
  output logic       owed_o,
  output logic [2:0] kind_o,
  output logic [3:0] psn_o,
  output logic [3:0] epsn_o,
  output logic [1:0] msn_o,
  output logic       narrow_o,     // what the registers leave out stays as it is
  output logic       refuses_o,    // a request as one that is bad
  output logic       legal_o       // what induction needs
);

  localparam logic [2:0] KindAck = 3'd0;
  localparam logic [2:0] KindNak = 3'd1;
  localparam logic [2:0] KindRnr = 3'd2;
  localparam logic [2:0] KindFatal = 3'd3;
  localparam logic [2:0] KindFirst = 3'd4;
  localparam logic [2:0] KindLast = 3'd5;
  localparam logic [2:0] KindOnly = 3'd6;

  logic resp_ready_q, nak_sent_q, rnr_sent_q, in_flight_q, fresh_q, owed_q, owed_begun_q;
  logic [1:0] msn_q, resp_open_q, owed_left_q;
  logic [3:0] epsn_q, owed_psn_q;
  logic [2:0] owed_kind_q;
  logic [9:0] left_q;

  logic frees;
  resp_pkg::request_t req;
  resp_pkg::decoded_t dec;
  resp_pkg::facts_t resp_facts;
  resp_pkg::context_t resp_ctx, resp_next;
  resp_pkg::result_t verdict;
  logic [119:0] reach;

  assign frees = answers_i && owed_left_q == 2'd1 && fresh_q;  // the READ is answered

  joint_request u_request (
    .packet_i,
    .psn_i      (start_i + {1'b0, packet_i}),
    .ack_req_i,
    .wqe_i,
    .own_error_i,
    .frees_i    (frees),
    .req_o      (req),
    .reach_o    (reach)
  );

  always_comb begin
    resp_ctx           = '0;
    resp_ctx.state     = resp_ready_q ? resp_pkg::StateReady : resp_pkg::StateError;
    resp_ctx.pmtu      = 3'd1;
    resp_ctx.max_reads = 5'd1;
    resp_ctx.enabled   = '1;
    resp_ctx.profile   = {5'd0, profile_i};
    resp_ctx.epsn      = {epsn_q, 20'd0};
    resp_ctx.msn       = {22'd0, msn_q};
    resp_ctx.in_flight = {4'd0, in_flight_q};
    resp_ctx.nak_sent  = nak_sent_q;
    resp_ctx.rnr_sent  = rnr_sent_q;
    resp_ctx.open      = resp_open_q;
    resp_ctx.left      = {22'd0, left_q};
  end

  resp_opcode u_opcode (.opcode_i(req.opcode), .dec_o(dec));
  resp_facts u_facts (.req_i(req), .dec_i(dec), .takes_i(reach), .facts_o(resp_facts));
  resp_decide u_responder (
    .req_i   (req),
    .dec_i   (dec),
    .facts_i (resp_facts),
    .ctx_i   (resp_ctx),
    .ctx_o   (resp_next),
    .result_o(verdict)
  );

  logic executes, owes;
  logic [2:0] owed_kind;

  assign executes = takes_i && verdict.verdict == resp_pkg::VerdictExecute;
  assign owes     = takes_i && verdict.answer != resp_pkg::AnswerNone;

  always_comb begin
    owed_kind = KindAck;
    if (verdict.answer == resp_pkg::AnswerRead) owed_kind = KindFirst;  // which of them, it says as it leaves
    if (verdict.answer == resp_pkg::AnswerNak) begin
      owed_kind = KindFatal;
      if (verdict.syndrome == resp_pkg::NakSequence) owed_kind = KindNak;
      if (verdict.syndrome[7:5] == resp_pkg::SyndromeRnr) owed_kind = KindRnr;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {resp_ready_q, nak_sent_q, rnr_sent_q, in_flight_q, msn_q, resp_open_q, left_q} <= {1'b1, 17'd0};
      {owed_q, fresh_q} <= '0;
      epsn_q <= start_i;
    end else begin
      if (takes_i || frees) begin
        resp_ready_q <= resp_next.state == resp_pkg::StateReady;
        nak_sent_q   <= resp_next.nak_sent;
        rnr_sent_q   <= resp_next.rnr_sent;
        in_flight_q  <= resp_next.in_flight[0];
        msn_q        <= resp_next.msn[1:0];
        resp_open_q  <= resp_next.open;
        left_q       <= resp_next.left[9:0];
        epsn_q       <= resp_next.epsn[23:20];
      end
      if (owes) begin
        owed_q       <= 1'b1;
        owed_begun_q <= 1'b0;
        owed_kind_q  <= owed_kind;
        owed_psn_q   <= verdict.psn[23:20];
        owed_left_q  <= verdict.answer == resp_pkg::AnswerRead && packet_i == 3'd0 ? 2'd2 : 2'd1;
        fresh_q      <= executes && dec.read;
      end
      if (answers_i) begin
        owed_begun_q <= 1'b1;
        owed_psn_q   <= owed_psn_q + 4'd1;
        owed_left_q  <= owed_left_q - 2'd1;
        if (owed_left_q == 2'd1) {owed_q, fresh_q} <= '0;
      end
    end
  end

  logic [2:0] kind;

  always_comb begin  // of a READ: First, Last, Only
    kind = owed_kind_q;
    if (owed_kind_q == KindFirst) begin
      kind = owed_left_q != 2'd1 ? KindFirst : owed_begun_q ? KindLast : KindOnly;
    end
  end

  assign executes_o = executes;
  assign owed_o     = owed_q;
  assign kind_o     = kind;
  assign psn_o      = owed_psn_q;
  assign epsn_o     = epsn_q;
  assign msn_o      = msn_q;
  assign refuses_o  = owes && owed_kind == KindFatal && !own_error_i;

  always_comb begin
    narrow_o = 1'b1;
    if (takes_i || frees) begin
      if (resp_next.epsn[19:0] != '0 || resp_next.msn[23:2] != '0 || resp_next.left[31:10] != '0) narrow_o = 1'b0;
      if (resp_next.in_flight[4:1] != '0 || resp_next.profile != resp_ctx.profile) narrow_o = 1'b0;
      if (resp_next.state != resp_pkg::StateReady && resp_next.state != resp_pkg::StateError) narrow_o = 1'b0;
      if (frees && verdict.verdict != resp_pkg::VerdictDone) narrow_o = 1'b0;
    end
  end

  always_comb begin
    legal_o = in_flight_q == (owed_q && fresh_q) && msn_q == 2'(executed_i >= 3'd2) + 2'(executed_i == 3'd4);
    if (owed_q && owed_kind_q == KindFirst) begin
      if (4'(owed_psn_q - start_i) + {2'd0, owed_left_q} != 4'd2) legal_o = 1'b0;
      if (owed_left_q != 2'd1 && owed_left_q != 2'd2) legal_o = 1'b0;
    end
    if (owed_q && owed_kind_q != KindFirst && (owed_kind_q > KindFirst || owed_left_q != 2'd1)) legal_o = 1'b0;
    if (fresh_q && !(owed_q && owed_kind_q == KindFirst)) legal_o = 1'b0;
    if (resp_ready_q) begin
      if (resp_open_q != (executed_i == 3'd3 ? resp_pkg::OpenSend : resp_pkg::OpenNone)) legal_o = 1'b0;
      if (executed_i == 3'd3 && left_q != 10'd744) legal_o = 1'b0;
    end
  end

endmodule

// A record at the requester, and what req_ack_check says of it before the word of its QP is there.
module joint_record (
  input  logic            sends_i,
  input  logic            returns_i,
  input  logic            asks_i,
  input  logic            go_on_i,
  input  logic [3:0]      psn_i,
  input  logic [2:0]      count_i,
  input  logic            read_i,
  input  logic [2:0]      kind_i,
  output req_pkg::rec_t   rec_o,
  output req_pkg::facts_t facts_o
);

  localparam logic [2:0] KindAck = 3'd0;
  localparam logic [2:0] KindNak = 3'd1;
  localparam logic [2:0] KindRnr = 3'd2;
  localparam logic [2:0] KindFatal = 3'd3;
  localparam logic [2:0] KindFirst = 3'd4;
  localparam logic [2:0] KindLast = 3'd5;
  localparam logic [2:0] KindOnly = 3'd6;
  localparam logic [12:0] Pmtu = 13'd256;
  localparam logic [12:0] Tail = 13'd44;

  req_pkg::rec_t rec;
  req_pkg::facts_t facts;

  always_comb begin
    rec          = '0;
    rec.op       = req_pkg::OpLook;
    rec.psn      = {psn_i, 20'd0};
    rec.opcode   = req_pkg::OpcodeAck;
    rec.syndrome = {req_pkg::SyndromeAck, req_pkg::CreditsNone};
    if (sends_i) begin
      rec.op      = req_pkg::OpSent;
      rec.count   = {21'd0, count_i};
      rec.kind    = read_i ? req_pkg::KindRead : req_pkg::KindCredit;
      rec.number  = 24'd2;  // of the SEND
      rec.payload = Tail;
    end
    if (asks_i) rec.op = go_on_i ? req_pkg::OpGoOn : req_pkg::OpClose;
    if (returns_i) begin
      rec.op = req_pkg::OpResponse;
      case (kind_i)
        KindNak: rec.syndrome = resp_pkg::NakSequence;
        KindRnr: rec.syndrome = {req_pkg::SyndromeRnr, 5'd1};
        KindFatal: rec.syndrome = resp_pkg::NakOperational;
        KindFirst: {rec.opcode, rec.payload} = {req_pkg::OpcodeReadFirst, Pmtu};
        KindLast: {rec.opcode, rec.payload} = {req_pkg::OpcodeReadLast, Tail};
        KindOnly: {rec.opcode, rec.payload} = {req_pkg::OpcodeReadOnly, Tail};
        default: rec.opcode = req_pkg::OpcodeAck;
      endcase
    end
  end

  always_comb begin
    facts                   = '0;
    facts.known             = 1'b1;
    facts.count_ok          = 1'b1;
    facts.no_credits        = 1'b1;
    facts.pad_ok            = 1'b1;
    facts.response          = 1'b1;
    facts.full              = {4'd0, rec.payload == Pmtu};
    facts.next              = rec.psn + (sends_i ? psn_pkg::steps(rec.count) : psn_pkg::Step);
    facts.furthest          = sends_i ? facts.next - psn_pkg::Step : rec.psn;
    facts.number            = sends_i ? rec.number : '0;
    facts.first             = kind_i == KindFirst || kind_i == KindOnly;
    facts.last              = kind_i == KindLast || kind_i == KindOnly;
    facts.line.ack          = kind_i == KindAck;
    facts.line.sequence_nak = kind_i == KindNak;
    facts.line.rnr          = kind_i == KindRnr;
    facts.line.fatal        = kind_i == KindFatal;
    facts.line.data         = kind_i >= KindFirst;
  end

  assign rec_o   = rec;
  assign facts_o = facts;

endmodule

// What a response can be that is on its way: of what was executed, or a refusal of what was not then.
module joint_back_rules (
  input  logic [3:0] psn_i,
  input  logic [2:0] kind_i,
  input  logic [3:0] executed_i,
  input  logic [3:0] high_i,
  output logic       good_o
);

  always_comb begin
    case (kind_i)
      3'd0: good_o = psn_i >= 4'd2 && psn_i < executed_i;       // ACK
      3'd1, 3'd3: good_o = psn_i != 4'd1 && psn_i <= executed_i && psn_i < high_i;  // a sequence NAK, a fatal one
      3'd2: good_o = psn_i == 4'd2 && executed_i >= 4'd2 && psn_i < high_i;  // RNR NAK
      3'd4: good_o = psn_i == 4'd0 && executed_i >= 4'd2;       // READ First
      3'd5, 3'd6: good_o = psn_i == 4'd1 && executed_i >= 4'd2;   // READ Last, Only
      default: good_o = 1'b0;
    endcase
  end

endmodule
