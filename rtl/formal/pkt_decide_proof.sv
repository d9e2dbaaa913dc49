// SPDX-License-Identifier: Apache-2.0
// pkt_decide sends, holds back and goes back as docs/blocks/tx_packetizer.md says, for all records and states; what its
// invariants need of a state it leaves behind itself. How a WQE is cut is pkt_shape's. It has no state: one clock says
// all. Check: one bit a property, bit 0 is not used.
module pkt_decide_proof #(
  parameter logic [10:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [190:0] rec_i,    // as docs/blocks/tx_packetizer.md lays it out
  input logic         known_i,
  input logic [179:0] state_i
);

  logic [179:0] state;
  logic [329:0] out;

  pkt_decide dut (
    .rec_i,
    .known_i,
    .state_i,
    .state_o (state),
    .result_o(out)
  );

  // The record, the word before and behind, and the answer, bit by bit.
  logic [2:0] op, order;
  logic [23:0] r_una, r_lsn, r_first;
  logic progress, told, ended, r_oldest, immediate, fence;
  logic [1:0] begun;
  logic [3:0] verb;
  logic [5:0] r_slot;
  assign op        = rec_i[26:24];
  assign r_una     = rec_i[50:27];
  assign order     = rec_i[53:51];
  assign progress  = rec_i[54];
  assign r_lsn     = rec_i[78:55];
  assign ended     = rec_i[80];
  assign r_slot    = rec_i[122:117];
  assign r_oldest  = rec_i[123];
  assign begun     = rec_i[125:124];
  assign verb      = rec_i[129:126];
  assign immediate = rec_i[130];
  assign fence     = rec_i[133];
  assign r_first   = rec_i[189:166];
  assign told      = rec_i[190];

  logic [23:0] una, next, high, lsn, ssn, window, una_d, next_d, high_d, lsn_d, ssn_d;
  logic [5:0] top, slot, top_d, slot_d;
  logic [4:0] reads, max_reads, reads_d;
  logic [1:0] service;
  logic whole, restart, unlimited, probed, back, oldest, drained, waiting, open;
  assign {una, una_d}         = {state_i[23:0], state[23:0]};
  assign {next, next_d}       = {state_i[47:24], state[47:24]};
  assign {high, high_d}       = {state_i[71:48], state[71:48]};
  assign {lsn, lsn_d}         = {state_i[95:72], state[95:72]};
  assign {ssn, ssn_d}         = {state_i[119:96], state[119:96]};
  assign window               = state_i[143:120];
  assign {top, top_d}         = {state_i[149:144], state[149:144]};
  assign {slot, slot_d}       = {state_i[155:150], state[155:150]};
  assign {reads, reads_d}     = {state_i[160:156], state[160:156]};
  assign max_reads            = state_i[165:161];
  assign service              = state_i[170:169];
  assign whole                = state_i[171];
  assign restart              = state_i[172];
  assign unlimited            = state_i[173];
  assign probed               = state_i[174];
  assign back                 = state_i[175];
  assign oldest               = state_i[176];
  assign drained              = state_i[177];
  assign waiting              = state_i[178];
  assign open                 = state_i[179];

  logic [3:0] why;
  logic [1:0] what, kind;
  logic begins, again, ack_req;
  logic [23:0] psn, count, first, last, number;
  assign why     = out[30:27];
  assign what    = out[32:31];
  assign begins  = out[40];
  assign again   = out[41];
  assign psn     = out[73:50];
  assign count   = out[97:74];
  assign kind    = out[176:175];
  assign number  = out[200:177];
  assign ack_req = out[201];
  assign first   = out[226:203];
  assign last    = out[250:227];

  // What the document calls them.
  logic live, opens, turn, verdict, sends, new_one, local_work, goes_back, limited, rc, half_ok;
  logic [24:0] outstanding;
  logic [23:0] ssn_ahead;
  assign live        = known_i && open;
  assign opens       = known_i && !open && op == 3'd2 && rec_i[83:81] != 3'd0 && rec_i[83:81] < 3'd6 &&
                       rec_i[114:113] != 2'd3;
  assign turn        = live && op == 3'd0;
  assign verdict     = live && op == 3'd1;
  assign goes_back   = verdict && (order == 3'd1 || order == 3'd2);
  assign sends       = what == 2'd1;
  assign local_work  = what == 2'd2;
  assign new_one     = sends && !again;
  assign limited     = verb == 4'd1 || (verb == 4'd2 && immediate);
  assign rc          = service == 2'd0;
  assign outstanding = {1'b0, psn - una} + {1'b0, count};
  assign ssn_ahead   = ssn - lsn;

  // Distances behind high, before and after.
  logic [23:0] una_behind, next_behind, r_una_behind;
  assign una_behind   = high - una;
  assign next_behind  = high - next;
  assign r_una_behind = high - r_una;

  // What holds of every word: una to high is 2^23 at most, and where high is next the WQE is known.
  logic sane, sane_d, ordered;
  assign sane    = una_behind <= 24'h80_0000 && reads <= max_reads && (next != high || (!oldest && slot == top));
  assign sane_d  = high_d - una_d <= 24'h80_0000 && reads_d <= state[165:161] &&
                   (next_d != high_d || (!state[176] && slot_d == top_d));
  assign ordered = high_d - next_d <= high_d - una_d;
  // A verdict's una lies where verdicts can have it: una or behind it, not behind high.
  assign half_ok = r_una_behind <= una_behind;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (state_i[168:166] != 3'd0 && state_i[168:166] < 3'd6 && service != 2'd3);
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        if (!live && !opens) begin
          assert (state == state_i || !known_i);
          assert (out[329:31] == 299'd0 && out[26:0] == rec_i[26:0] && why == (known_i && op == 3'd2 ? 4'd9 : 4'd7));
        end
        if (opens) begin
          assert (una_d == r_una && next_d == r_una && high_d == r_una && lsn_d == r_lsn && ssn_d == r_lsn + 24'd1);
          assert (state[179:174] == 6'b100000 && reads_d == 5'd0 && slot_d == 6'd0 && top_d == 6'd0);
        end
        if (live && op >= 3'd2) assert ({una_d, next_d, high_d, lsn_d, ssn_d, reads_d, top_d, slot_d} ==
                                        {una, next, high, lsn, ssn, reads, top, slot} && what == 2'd0);
      end
      // PSN-5: no more than the window, and no more than 2^23, is unacknowledged.
      if (Check[2] && sends && rc && !again) begin
        assert (outstanding <= 25'h080_0000);
        if (window != 24'd0) assert (outstanding <= {1'b0, window});
      end
      // REQ-9: reads counts what went out for the first time and has not ended, and stays within max_reads.
      if (Check[3]) begin
        if (live && !verdict) assert (reads_d == reads + ((new_one && kind[1]) ? 5'd1 : 5'd0));
        if (verdict) assert (reads_d == reads - ((ended && reads != 5'd0) ? 5'd1 : 5'd0));
        if (new_one && kind[1] && rc) assert (reads < max_reads);
        if (turn && begun == 2'd1 && fence && reads != 5'd0) assert (!begins);
      end
      // The invariants: what they need they leave. A READ that has its PSNs has them before high.
      if (Check[4] && live && sane && (!verdict || half_ok) && !(again && high - psn < count)) begin
        if (!(sends && again && !rc)) assert (sane_d);
        if (!restart && !whole && next_behind <= una_behind && rc) assert (ordered);
      end
      // PSN-7: what goes out again keeps its place, what is new stands at high.
      if (Check[5] && turn) begin
        if (sends) begin
          assert (again == (psn != high) && next_d == psn + count);
          assert (high_d == (again ? high : psn + count));
          if (!(back && (restart || whole))) assert (psn == next);
        end else assert ({una_d, next_d, high_d} == {una, next, high});
        if (again) assert ({ssn_d, reads_d, top_d, state[174]} == {ssn, reads, top, probed} && number == 24'd0);
        if (new_one) assert (number == ssn && ssn_d == ssn + (next_d == last + 24'd1 ? 24'd1 : 24'd0));
      end
      // PSN-4: a packet lies in its WQE, which has its PSNs from its first packet on.
      if (Check[6] && sends) begin
        assert (begins == (begun == 2'd1) && first == (begins ? next : r_first));
        assert (psn - first <= last - first && psn + count - 24'd1 - first <= last - first && count != 24'd0);
        if (begins) assert (psn == first && next == high);
        if (verb == 4'd3) assert (psn + count == last + 24'd1);
        else assert (count == 24'd1);
      end
      // REQ-5, REQ-6: a verdict moves next where retry_ctl says, or over what was acknowledged, and nowhere else.
      if (Check[7] && verdict) begin
        assert (next_d == (goes_back || (progress && next_behind > r_una_behind) ? r_una : next));
        assert (una_d == (progress ? r_una : una) && high_d == high && top_d == top);
        if (next_d != next || goes_back) assert (next_d == high ? slot_d == top && !state[176] : state[176]);
        assert (state[179] == (order != 3'd4) && state[175] == (back || goes_back));
        assert (state[178] == (order == 3'd2 || (waiting && order != 3'd1 && order != 3'd3)));
        assert (state[174] == (probed && !(told && r_lsn != lsn)) && lsn_d == (told ? r_lsn : lsn));
      end
      // CRD-2: with a credit, or as the one probe, or behind one that was answered.
      if (Check[8] && new_one && rc) begin
        if (limited && !unlimited && !ssn_ahead[23] && ssn_ahead != 24'd0) begin
          assert ((ssn_ahead == 24'd1 && !probed && state[174]) || (begun == 2'd2 && (!probed || una == high)));
          assert (ack_req);
        end else assert (state[174] == probed);
      end
      // A turn that nothing may come of: waiting, another WQE, drained.
      if (Check[9] && turn) begin
        if (waiting) assert (state == state_i && why == 4'd2 && what == 2'd0);
        if (!waiting && (r_oldest != oldest || (!oldest && r_slot != slot))) begin
          assert (state == state_i && why == 4'd0 && what == 2'd3);
        end
        if (begun == 2'd1 && (drained || next != high)) assert (!begins && !sends);
        if (begun == 2'd0 || begun == 2'd3) assert (!sends && !local_work);
        if (!sends && !local_work && what != 2'd3) assert (why != 4'd0 && state == state_i);
        if (sends || local_work || what == 2'd3) assert (why == 4'd0);
      end
      // AckReq: what ends a WQE, what has responses of its own, what fills the window (RC alone).
      if (Check[10] && sends) begin
        if (!rc) assert (!ack_req);
        else if (psn + count == last + 24'd1 || kind[1]) assert (ack_req);
        else if (window != 24'd0 && {1'b0, psn - una} + 25'd1 == {1'b0, window}) assert (ack_req);
        else if (!limited || unlimited) begin
          assert (ack_req == (window == 24'd0 && psn - una == 24'h7F_FFFF));
        end
      end
    end
  end

endmodule
