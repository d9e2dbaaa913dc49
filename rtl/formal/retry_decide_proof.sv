// SPDX-License-Identifier: Apache-2.0
// retry_decide goes back, waits and gives up as docs/blocks/retry_ctl.md says, and keeps of the timer what
// docs/blocks/retx_timer.md says that it has, for all records and states. It has no state: one clock says all.
// Check: one bit a property, bit 0 is not used.
module retry_decide_proof #(
  parameter logic [8:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [91:0] rec_i,     // as docs/blocks/retry_ctl.md lays it out
  input logic        known_i,
  input logic        forever_i,
  input logic [53:0] state_i
);

  logic [53:0] next;
  logic [104:0] out;

  retry_decide dut (
    .rec_i,
    .known_i,
    .retry7_forever_i(forever_i),
    .state_i,
    .state_o         (next),
    .result_o        (out)
  );

  // The record, the word and the answer, bit by bit.
  logic [2:0] op, action;
  logic [4:0] why;
  logic [1:0] region;
  logic [7:0] syndrome;
  logic progress, idle, rnr;
  assign op       = rec_i[26:24];
  assign action   = rec_i[53:51];
  assign why      = rec_i[58:54];
  assign region   = rec_i[60:59];
  assign syndrome = rec_i[68:61];
  assign progress = rec_i[69];
  assign idle     = rec_i[70];
  assign rnr      = rec_i[79];

  logic [7:0] gen;
  logic [1:0] state;
  logic [2:0] retries, rnr_retries, retry_cnt, rnr_retry;
  logic any_answer, retrying, open;
  assign gen         = state_i[7:0];
  assign state       = state_i[9:8];
  assign retries     = state_i[12:10];
  assign rnr_retries = state_i[15:13];
  assign retry_cnt   = state_i[18:16];
  assign rnr_retry   = state_i[21:19];
  assign any_answer  = state_i[27];
  assign retrying    = state_i[28];
  assign open        = state_i[29];

  logic [2:0] order, cause, said, timer_op;
  logic [3:0] status;
  logic [1:0] first, ask;
  logic timer;
  assign order    = out[53:51];
  assign cause    = out[56:54];
  assign status   = out[60:57];
  assign said     = out[63:61];
  assign first    = out[66:65];
  assign timer    = out[67];
  assign timer_op = out[70:68];
  assign ask      = out[96:95];

  // What the document calls them.
  logic live, response, opens, closes, waits, ends, still, same, calls, nak, wants, bad, in_time, expired, over;
  logic [2:0] left, rnr_left;
  assign live     = known_i && open;
  assign response = live && op == 3'd0;
  assign opens    = known_i && !open && op == 3'd2;
  assign closes   = live && op == 3'd3;
  assign waits    = state == 2'd2;
  assign ends     = response && waits && (progress || (any_answer && region == 2'd1));
  assign still    = waits && !ends;
  assign same     = retrying && !(response && progress);
  assign calls    = response && (action == 3'd1 || action == 3'd3);
  assign nak      = calls && !still && !same;
  assign wants    = response && action == 3'd2 && !still;
  assign bad      = response && (action == 3'd4 || action == 3'd7);
  assign in_time  = live && op == 3'd4 && rec_i[78:71] == gen;
  assign expired  = in_time && !rnr && state == 2'd1;
  assign over     = in_time && rnr && waits;
  assign left     = response && progress ? retry_cnt : retries;
  assign rnr_left = response && progress ? rnr_retry : rnr_retries;

  // ---------------------------------------------------------------------------------------------------------------
  // retx_timer: its table of operations, done on what the word has of it. An expiry that came here is out.

  logic [7:0] t_gen, u_gen;
  logic [1:0] t_state, u_state;
  logic [2:0] t_retries, t_rnr, u_retries, u_rnr;
  logic [4:0] code;
  logic spends;
  assign code = out[75:71];

  always_comb begin
    t_gen     = gen;
    t_state   = state;
    t_retries = retries;
    t_rnr     = rnr_retries;
    if (first != 2'd0) t_gen = gen + 8'd1;
    if (first == 2'd1) begin
      t_retries = retry_cnt;
      t_rnr     = rnr_retry;
      t_state   = code == 5'd0 ? 2'd0 : 2'd1;
    end
    if (first == 2'd2) t_state = 2'd0;
  end

  always_comb begin
    u_gen     = t_gen;
    u_state   = t_state;
    u_retries = t_retries;
    u_rnr     = t_rnr;
    spends    = 1'b0;
    if (timer) begin
      case (timer_op)
        3'd0: begin
          u_gen     = t_gen + 8'd1;
          u_state   = 2'd0;
          u_retries = out[91:89];
          u_rnr     = out[94:92];
        end
        3'd1: if (t_state == 2'd0 && code != 5'd0) {u_gen, u_state} = {t_gen + 8'd1, 2'd1};
        3'd3: {u_gen, u_state} = {t_gen + 8'd1, 2'd0};
        3'd4: if (t_state != 2'd2) begin
          u_gen   = t_gen + 8'd1;
          u_state = t_rnr == 3'd0 ? 2'd0 : 2'd2;
          if (t_rnr != 3'd0 && rnr_retry != 3'd7) u_rnr = t_rnr - 3'd1;
        end
        3'd5: spends = t_state != 2'd2;
        3'd6: spends = t_state == 2'd1 && out[88:81] == t_gen;
        3'd7: if (t_state == 2'd2 && out[88:81] == t_gen) {u_gen, u_state} = {t_gen + 8'd1, code == 5'd0 ? 2'd0 : 2'd1};
        default: u_gen = t_gen;
      endcase
    end
    if (spends) begin
      u_gen   = t_gen + 8'd1;
      u_state = t_retries == 3'd0 || code == 5'd0 ? 2'd0 : 2'd1;
      if (t_retries != 3'd0 && !(forever_i && retry_cnt == 3'd7)) u_retries = t_retries - 3'd1;
    end
  end

  logic fails;
  logic [3:0] right_status;
  assign fails = bad || ((nak || expired) && left == 3'd0) || (wants && rnr_left == 3'd0);

  always_comb begin
    right_status = 4'd0;
    if ((nak || expired) && left == 3'd0) right_status = 4'd4;
    if (wants && rnr_left == 3'd0) right_status = 4'd5;
    if (bad && action == 3'd7) right_status = why == 5'd10 ? 4'd9 : 4'd8;
    if (bad && action == 3'd4) right_status = syndrome == 8'h61 ? 4'd1 : syndrome == 8'h62 ? 4'd2 : 4'd3;
  end

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (state != 2'd3);
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        if (!live && !opens) begin
          assert (next == state_i || !known_i);
          assert (out == {41'd0, 3'd1, 34'd0, rec_i[26:0]});
        end
        if (opens) begin
          assert (next[29:28] == 2'b10 && next[53:30] == rec_i[50:27] && next[27] == rec_i[91]);
          assert (next[21:16] == rec_i[90:85] && next[15:10] == rec_i[90:85] && next[26:22] == rec_i[84:80]);
          assert (timer && timer_op == 3'd0 && order == 3'd0 && said == 3'd0);
        end
        if (live && op == 3'd2) assert (next == state_i && said == 3'd5 && order == 3'd0 && !timer);
      end
      if (Check[2] && live && op == 3'd4 && !expired && !over) begin
        assert (next == state_i && order == 3'd0 && said == 3'd2 && first == 2'd0 && !timer && ask == 2'd0);
      end
      if (Check[3]) begin
        if (calls && !nak) assert (order == (ends ? 3'd3 : 3'd0) && said == (still ? 3'd3 : 3'd4));
        if (response && action == 3'd2 && still) assert (next == state_i && order == 3'd0 && said == 3'd3);
        if (calls && still) assert (next == state_i);
        if (nak || expired) assert (next[28] == !fails && cause == (expired ? 3'd5 : action));
        if (wants) assert (!next[28]);
      end
      if (Check[4] && known_i) begin
        assert (next[53:30] == ((response && progress) || opens ? rec_i[50:27] : state_i[53:30]));
        if (live || opens) assert (out[50:27] == next[53:30] && out[64] == (response && progress));
      end
      if (Check[5] && (live || opens)) begin
        assert (next[7:0] == u_gen && next[12:10] == u_retries && next[15:13] == u_rnr);
        if (next[29]) assert (next[9:8] == u_state);
        assert (out[97] == (next[29] && u_state == 2'd2));
        assert (out[88:81] == gen && out[94:89] == next[21:16]);
        assert (next[9:8] != 2'd3);
        if (!opens) assert (next[27:16] == state_i[27:16]);
      end
      if (Check[6] && live) begin
        assert ((order == 3'd4) == fails && status == right_status);
        assert (next[29] == !(fails || closes));
        assert ((ask == 2'd2) == (fails && !bad));
      end
      if (Check[7] && live && !fails) begin
        assert ((order == 3'd1) == (nak || expired) && (order == 3'd2) == wants);
        assert ((order == 3'd3) == (over || (ends && !nak && !wants)));
        assert ((ask == 2'd1) == over && cause == (over ? 3'd6 : expired ? 3'd5 : nak || wants ? action : 3'd0));
        if (wants) assert (out[80:76] == syndrome[4:0] && next[9:8] == 2'd2);
        if (over) assert (next[9:8] == (state_i[26:22] == 5'd0 ? 2'd0 : 2'd1));
        if (op == 3'd1) assert (next[9:8] == (state == 2'd0 && !idle && code != 5'd0 ? 2'd1 : state));
      end
      if (Check[8] && response && next[29] && idle && (progress || ends || nak)) assert (next[9:8] != 2'd1);
    end
  end

endmodule
