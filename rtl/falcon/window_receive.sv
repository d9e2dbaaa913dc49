// SPDX-License-Identifier: Apache-2.0
// What a record does to the receiving half of a connection: docs/blocks/falcon_window.md, operations packet,
// acknowledge, take. Combinational. The window that the record selects goes through one path; requests are the lower
// half of it.
module window_receive (
  input  window_pkg::record_t   rec_i,
  input  window_pkg::receiver_t ctx_i,

  output window_pkg::receiver_t ctx_o,
  output window_pkg::why_e      why_o,
  output logic                  eack_o,   // of take
  output logic [window_pkg::CountWidth-1:0] moved_o  // of the selected window
);

  localparam int unsigned W = window_pkg::DataBits;

  // The selected window.
  logic [31:0] base, distance;
  logic [7:0] size;
  logic [W-1:0] rx, ack, at;

  assign base = rec_i.select ? ctx_i.data_base : ctx_i.request_base;
  assign size = rec_i.select ? ctx_i.data_size : {1'b0, ctx_i.request_size};
  assign rx   = rec_i.select ? ctx_i.data_rx : {64'd0, ctx_i.request_rx};
  assign ack  = rec_i.select ? ctx_i.data_ack : {64'd0, ctx_i.request_rx};

  assign distance = rec_i.psn_a - base;
  assign at       = {{W - 1{1'b0}}, 1'b1} << distance[6:0];

  logic is_old, is_beyond, is_edge, has_rx, has_ack;
  assign is_old    = distance[31];
  assign is_beyond = distance >= {24'd0, size};
  assign is_edge   = distance == {24'd0, size};
  assign has_rx    = rx[distance[6:0]];
  assign has_ack   = ack[distance[6:0]];

  // ---------------------------------------------------------------------------------------------------------------
  // What the record is, by the first of the document's rows that holds, and which bits it sets.

  logic set_rx, set_ack, set_own;

  always_comb begin
    why_o   = window_pkg::WhyGood;
    set_rx  = 1'b0;
    set_ack = 1'b0;
    set_own = 1'b0;
    if (rec_i.op == window_pkg::OpPacket) begin
      if (is_old) begin
        why_o = window_pkg::WhyOld;
      end else if (is_beyond) begin
        why_o   = window_pkg::WhyBeyond;
        set_own = ~(is_edge & ctx_i.window_inclusive);
      end else if (has_ack | (ctx_i.duplicate_by_rx & has_rx & ~rec_i.resync)) begin
        why_o = window_pkg::WhyDuplicate;
      end else if (rec_i.refuse) begin
        why_o = window_pkg::WhyRefused;
      end else begin
        why_o   = has_rx ? window_pkg::WhyAgain : window_pkg::WhyGood;
        set_rx  = 1'b1;
        set_ack = ~(rec_i.deferred & rec_i.select);
      end
    end else if (rec_i.op == window_pkg::OpAcknowledge) begin
      if (is_beyond | ~has_rx | has_ack) why_o = window_pkg::WhyNotWaited;
      else set_ack = 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The base moves when its own packet is marked: bit 0 is zero until then. How far it goes then, and the bitmaps
  // behind that, are known without the record. The longest path of falcon_window goes through here: leading_ones says
  // the upper bits of ones first.

  logic [W-1:0] passed, rx_blocks, ack_blocks;
  logic [7:0] ones;
  logic over_rx, moves;

  assign over_rx = rec_i.select & ctx_i.base_over_received;
  assign passed  = (over_rx ? rx : ack) | {{W - 1{1'b0}}, 1'b1};
  assign moves   = distance == '0 && (over_rx ? set_rx : set_ack);
  assign moved_o = moves ? ones : 8'd0;

  leading_ones #(
    .Width(W)
  ) u_ones (
    .word_i (passed),
    .count_o(ones)
  );

  logic [W-1:0] rx_next, ack_next;
  logic [31:0] base_next;

  assign rx_blocks  = rx >> {ones[7:4], 4'd0};
  assign ack_blocks = ack >> {ones[7:4], 4'd0};
  assign rx_next    = moves ? rx_blocks >> ones[3:0] : rx | (at & {W{set_rx}});
  assign ack_next   = moves ? ack_blocks >> ones[3:0] : ack | (at & {W{set_ack}});
  assign base_next  = moves ? base + {24'd0, ones} : base;

  // ---------------------------------------------------------------------------------------------------------------
  // An ACK that leaves is an EACK where a bitmap or an OWN has something to say.

  logic hole;
  assign hole   = |((ctx_i.data_rx >> 1) & ~ctx_i.data_rx);
  assign eack_o = rec_i.op == window_pkg::OpTake &&
                  ((|ctx_i.request_rx) | (|ctx_i.data_ack) | ctx_i.request_own | ctx_i.data_own |
                   (ctx_i.eack_on_any_rx ? |ctx_i.data_rx : hole));

  always_comb begin
    ctx_o = ctx_i;
    if ((set_rx | set_ack) & rec_i.select) begin
      ctx_o.data_rx   = rx_next;
      ctx_o.data_ack  = ack_next;
      ctx_o.data_base = base_next;
    end
    if ((set_rx | set_ack) & ~rec_i.select) begin
      ctx_o.request_rx   = ack_next[63:0];
      ctx_o.request_base = base_next;
    end
    if (set_own & rec_i.select) ctx_o.data_own = 1'b1;
    if (set_own & ~rec_i.select) ctx_o.request_own = 1'b1;
    if (eack_o) begin
      ctx_o.data_own    = 1'b0;
      ctx_o.request_own = 1'b0;
    end
  end

endmodule
