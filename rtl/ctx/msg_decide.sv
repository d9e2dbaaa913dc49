// SPDX-License-Identifier: Apache-2.0
// What msg_tracker makes of a record by the word of its QP: docs/blocks/msg_tracker.md.
module msg_decide (
  input  msg_pkg::query_t   rec_i,
  input  logic              in_range_i,  // there is a QP of the record's number
  input  msg_pkg::context_t ctx_i,
  output msg_pkg::context_t ctx_o,
  output msg_pkg::result_t  result_o
);

  logic is_write, has_message, found, commits, clears;
  msg_pkg::place_t here, behind;  // of this packet's first byte, and behind its last one
  logic left_short;               // more bytes than are left

  assign is_write    = rec_i.verb == msg_pkg::VerbWrite;
  assign has_message = rec_i.verb == msg_pkg::VerbSend || is_write;
  assign found       = in_range_i && has_message && (rec_i.first || ctx_i.open == rec_i.verb) &&
                       (rec_i.op == msg_pkg::OpLookUp || rec_i.op == msg_pkg::OpCommit);
  assign commits     = found && rec_i.op == msg_pkg::OpCommit;
  assign clears      = in_range_i && rec_i.op == msg_pkg::OpClear;

  always_comb begin
    here = ctx_i.place;
    if (rec_i.first) begin
      here.left   = is_write ? rec_i.dma_length : '0;
      here.offset = '0;
      here.rkey   = is_write ? rec_i.rkey : '0;
      here.va     = is_write ? rec_i.va : '0;
    end
  end

  always_comb begin
    behind                    = here;
    behind.offset             = here.offset + 32'(rec_i.payload);
    {left_short, behind.left} = {1'b0, here.left} - 33'(rec_i.payload);
    if (left_short) behind.left = '0;
    if (is_write) behind.va = here.va + 64'(rec_i.payload);
  end

  always_comb begin
    ctx_o = ctx_i;
    if (commits) begin
      ctx_o.open  = is_write ? msg_pkg::VerbWrite : msg_pkg::VerbSend;
      ctx_o.place = behind;
    end
    if (clears || (commits && rec_i.last)) ctx_o = '0;
  end

  always_comb begin
    result_o.qpn   = rec_i.qpn;
    result_o.op    = rec_i.op;
    result_o.found = found | clears;
    result_o.place = found ? here : '0;
  end

endmodule
