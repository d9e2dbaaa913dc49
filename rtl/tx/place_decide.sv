// SPDX-License-Identifier: Apache-2.0
// What read_place makes of a record by the list of its QP: docs/blocks/read_place.md. No state, no clock.
module place_decide #(
  parameter int unsigned Reads = 4,       // outstanding READs and atomics of a QP, 1 to 16
  parameter int unsigned CtxWidth = 368   // a state_t and as many read_t
) (
  input  place_pkg::rec_t     rec_i,
  input  logic                in_range_i,  // there is a QP of the record's number
  input  logic [CtxWidth-1:0] ctx_i,       // the state and, above that, the list, oldest lowest
  output logic [CtxWidth-1:0] ctx_o,
  output place_pkg::decided_t result_o
);

  localparam int unsigned W = place_pkg::ReadWidth;
  localparam int unsigned S = place_pkg::StateWidth;

  if (Reads < 1 || Reads > 16) begin : gen_bad_reads
    $error("place_decide: Reads must be 1 to 16");
  end
  if (CtxWidth != Reads * W + S) begin : gen_bad_width
    $error("place_decide: CtxWidth must be that of a state_t and Reads read_t");
  end

  place_pkg::state_t state, next;
  place_pkg::read_t head, joining;
  logic [Reads*W-1:0] list, next_list;
  logic told, taken, joins, ends, clears, of_read, is_value;

  assign state = ctx_i[S-1:0];
  assign list  = ctx_i[CtxWidth-1:S];
  assign head  = list[W-1:0];

  assign told     = rec_i.op == place_pkg::OpTold;
  assign taken    = in_range_i & told & rec_i.data & (state.reads != '0);
  assign ends     = taken & rec_i.ended;
  assign joins    = in_range_i & (rec_i.op == place_pkg::OpSent) & (state.reads < 5'(Reads));
  assign clears   = in_range_i & (rec_i.op == place_pkg::OpClear);
  assign of_read  = head.kind == place_pkg::KindRead;
  assign is_value = taken & (head.kind == place_pkg::KindAtomic) & (rec_i.bytes == '0);

  assign joining.first   = rec_i.psn;
  assign joining.address = rec_i.address;
  assign joining.kind    = rec_i.kind;

  always_comb begin
    next      = state;
    next_list = list;
    if (joins) next.reads = state.reads + 5'd1;
    if (ends) next.reads = state.reads - 5'd1;
    for (int i = 0; i < Reads; i++) begin
      if (joins & (state.reads == 5'(i))) next_list[i*W+:W] = joining;
      if (ends) next_list[i*W+:W] = W'(list >> ((i + 1) * W));
    end
    if (clears) begin
      next.reads = '0;
      next.pmtu  = rec_i.pmtu;
    end
  end

  assign ctx_o = {next_list, next};

  always_comb begin
    result_o.clear    = rec_i.op == place_pkg::OpClear;
    result_o.verdict  = rec_i.op == place_pkg::OpVerdict;
    result_o.qpn      = rec_i.qpn;
    result_o.psn      = rec_i.psn;
    result_o.progress = rec_i.progress;
    result_o.fail     = rec_i.fail;
    result_o.status   = rec_i.status;
    result_o.place    = (taken & of_read) | is_value;
    result_o.is_value = is_value;
    result_o.bytes    = told ? rec_i.bytes : '0;
    result_o.reach    = '0;
    if (is_value) result_o.bytes = 13'd8;
    else result_o.reach = psn_pkg::count_of(psn_pkg::distance(rec_i.psn, head.first));
    result_o.pmtu     = state.pmtu;
    result_o.base     = head.address;
    result_o.value    = rec_i.value;
  end

endmodule
