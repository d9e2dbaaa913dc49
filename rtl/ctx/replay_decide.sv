// SPDX-License-Identifier: Apache-2.0
// What replay_fifo makes of a record by the word of its QP: which slot it is about: docs/blocks/replay_fifo.md.
module replay_decide #(
  parameter int unsigned Slots = 4,  // a power of two from 2 to 16
  localparam int unsigned Width = Slots * replay_pkg::EntryWidth + 13
) (
  input  replay_pkg::query_t    rec_i,
  input  logic                  qp_ok_i,  // there is a QP of the record's number
  input  logic [23:0]           span_i,   // from the record's psn to its last
  input  logic                  lost_i,   // the word was: it is 0
  input  logic [Width-1:0]      ctx_i,    // next 5, depth 5, pmtu 3, the entries with slot 0 lowest
  output logic [Width-1:0]      ctx_o,
  output logic                  looks_o,   // the record uses the word
  output logic                  renews_o,  // and writes it anew, whatever it was
  output replay_pkg::decision_t decision_o
);

  localparam int unsigned W = replay_pkg::EntryWidth;
  localparam int unsigned SlotWidth = $clog2(Slots);

  logic [4:0] next, depth, depth_set;
  logic [2:0] pmtu;
  logic keeps, sets, asks, injects, is_read, hit, unused_rec;
  logic [Slots-1:0] hits;
  logic [Slots*24-1:0] aheads;

  assign {next, depth, pmtu} = ctx_i[Slots*W+:13];
  assign unused_rec = ^rec_i;

  assign is_read = rec_i.kind == replay_pkg::KindRead;
  assign keeps   = qp_ok_i && rec_i.op == replay_pkg::OpKeep && depth != '0;
  assign sets    = qp_ok_i && rec_i.op == replay_pkg::OpSet && rec_i.pmtu != '0 && rec_i.pmtu <= 3'd5;
  assign asks    = qp_ok_i && (rec_i.op == replay_pkg::OpLookUp || (rec_i.op == replay_pkg::OpResult && !is_read));

  // A word that was lost stays as it is until it is written anew (ECC-7).
  assign injects  = qp_ok_i && rec_i.op == replay_pkg::OpInject;
  assign looks_o  = qp_ok_i && rec_i.op <= replay_pkg::OpSet;
  assign renews_o = sets;

  for (genvar i = 0; i < Slots; i++) begin : gen_slots
    logic there;
    logic [1:0] kind;  // replay_pkg::kind_e
    logic [23:0] first, span, ahead;
    assign {there, kind, first, span} = ctx_i[i*W+:W];  // replay_pkg::entry_t
    assign ahead                      = rec_i.psn - first;
    assign aheads[24*i+:24]           = ahead;
    assign hits[i]                    = there && kind == rec_i.kind && (is_read ? ahead <= span : ahead == '0);
  end

  always_comb begin
    decision_o.slot  = '0;
    decision_o.ahead = '0;
    for (int i = Slots - 1; i >= 0; i--) begin
      if (hits[i]) begin
        decision_o.slot  = 5'(i);
        decision_o.ahead = aheads[24*i+:24];
      end
    end
    if (keeps) decision_o.slot = next;
    hit                 = asks && hits != '0;
    if (!hit && !keeps) decision_o.slot = '0;
    if (injects) decision_o.slot = 5'(rec_i.depth[SlotWidth-1:0]);
    decision_o.lost     = looks_o && lost_i && !sets;
    decision_o.injects  = injects;
    decision_o.found    = hit | keeps | sets;
    decision_o.keeps    = keeps;
    decision_o.returns  = hit && rec_i.op == replay_pkg::OpResult;
    decision_o.in_range = hit && is_read;
    decision_o.shows    = hit && !is_read && rec_i.op == replay_pkg::OpLookUp;
    decision_o.pmtu     = pmtu;
  end

  assign depth_set = rec_i.depth > 5'(Slots) ? 5'(Slots) : rec_i.depth;

  always_comb begin
    ctx_o = ctx_i;
    if (keeps) begin
      for (int unsigned i = 0; i < Slots; i++) begin
        if (next == 5'(i)) ctx_o[i*W+:W] = {1'b1, rec_i.kind, rec_i.psn, span_i};
      end
      ctx_o[Slots*W+8+:5] = next + 5'd1 >= depth ? 5'd0 : next + 5'd1;
    end
    if (sets) begin
      ctx_o = '0;
      ctx_o[Slots*W+:8] = {depth_set, rec_i.pmtu};
    end
  end

endmodule
