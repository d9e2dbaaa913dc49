// SPDX-License-Identifier: Apache-2.0
// qpc_decide keeps to docs/blocks/qp_ctl.md for all accesses, registers and words. It has no state: one clock says all.
// Check: one bit a property, bit 0 is not used.
module qpc_decide_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [48:0]  access_i,
  input logic [301:0] regs_i,
  input logic [511:0] words_i,
  input logic [15:0]  under_way_i,
  input logic         drained_i,
  input logic [31:0]  low_i,
  input logic [15:0]  high_i,
  input logic [4:0]   place_i  // any bit of a word
);

  logic [34:0] answer;
  logic [301:0] regs;
  logic [511:0] words;
  logic [15:0] we;
  logic [38:0] steps;

  qpc_decide dut (
    .access_i,
    .regs_i,
    .words_i,
    .under_way_i,
    .drained_i,
    .low_i,
    .high_i,
    .answer_o  (answer),
    .regs_o    (regs),
    .words_o   (words),
    .words_we_o(we),
    .steps_o   (steps)
  );

  // By the words of the document.
  logic write, arg, cfg, select, command, status, low, there, lane, done;
  logic [11:0] at;
  logic [31:0] data;
  logic [3:0] strobe, word;
  logic [4:0] code;
  logic [2:0] state;
  logic [31:0] old_cfg, new_cfg, mask;
  assign write   = access_i[0];
  assign at      = {access_i[12:3], 2'b00};
  assign data    = access_i[44:13];
  assign strobe  = access_i[48:45];
  assign word    = at[5:2];
  assign code    = data[4:0];
  assign state   = words_i[482:480];
  assign arg     = at >= 12'h020 && at <= 12'h03C;
  assign cfg     = at >= 12'h100 && at <= 12'h138;
  assign select  = at == 12'h00C;
  assign status  = at == 12'h004;
  assign command = write && at == 12'h008 && strobe[0];
  assign low     = at >= 12'h800 && at <= 12'h9F8 && !at[2];
  assign there   = at <= 12'h010 || arg || cfg || at == 12'h13C || (at >= 12'h800 && at <= 12'h9FC);
  assign lane    = strobe[place_i[4:3]];
  assign old_cfg = words_i[32*word+:32];
  assign new_cfg = words[32*word+:32];
  assign done    = command && regs[20:17] == 4'd0;

  // The registers one by one: args, qpn, refused, result, closing, high.
  logic [255:0] arg_before, arg_after;
  logic [23:0] qpn_before, qpn_after;
  logic [31:0] old_arg, new_arg;
  assign {arg_before, qpn_before} = regs_i[301:22];
  assign {arg_after, qpn_after}   = regs[301:22];
  assign old_arg = arg_before[32*at[4:2]+:32];
  assign new_arg = arg_after[32*at[4:2]+:32];

  always_comb begin
    case (word)
      4'd0: mask = 32'h7FFFFFFF;
      4'd3: mask = 32'h00FF07FF;
      4'd9: mask = 32'h0000FFFF;
      4'd10: mask = 32'h01FFFFFF;
      4'd11: mask = 32'h00FFFFFF;
      4'd14: mask = 32'hFFFF0FFF;
      default: mask = 32'hFFFFFFFF;
    endcase
  end

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (cfg) assume ((old_cfg & ~mask) == '0);
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        if (write && arg) assert (new_arg[place_i] == (lane ? data[place_i] : old_arg[place_i]));
        else assert (arg_after == arg_before);
        if (write && select && place_i < 5'd24) begin
          assert (qpn_after[place_i] == (lane ? data[place_i] : qpn_before[place_i]));
        end
        if (!(write && select)) assert (qpn_after == qpn_before);
        if (write && cfg && state == 3'd0) begin
          assert (we == 16'd1 << word);
          assert (new_cfg[place_i] == (mask[place_i] && (lane ? data[place_i] : old_cfg[place_i])));
        end else assert (we[14:0] == '0);
      end
      if (Check[2] && cfg && state != 3'd0) begin
        assert (we == '0 && (!write || (regs[21] && answer[34:33] == 2'd2)));
      end
      if (Check[2] && regs_i[21] && !regs[21]) assert (write && status && data[8] && strobe[1]);
      if (Check[3] && !write) begin
        assert (we == '0 && steps == '0 && regs[301:16] == regs_i[301:16]);
        assert (regs[15:0] == (low ? high_i : regs_i[15:0]));
      end
      if (Check[4] && (!command || !done)) assert (steps == '0 && !we[15] && regs[16] == regs_i[16]);
      if (Check[5]) begin
        if (steps[14]) assert (state == 3'd1 && code == 5'd2 && words[482:480] == 3'd2);
        if (done && code == 5'd5) assert (state == 3'd4 && drained_i && words[511:480] == '0);
        if (steps[3]) assert (done && code == 5'd5);
        if (steps[29]) assert (steps[29:23] == '1 && (state == 3'd2 || state == 3'd7));
        if (steps[29]) assert (code == 5'd13 && words[482:480] == 3'd5);
        if (done && (code == 5'd3 || code == 5'd4)) begin
          assert ((steps[33:30] == '1) == (state == 3'd5 || state == 3'd6));
        end
        if (done && code == 5'd16) begin
          assert (steps[33:30] == '1 && words_i[25:24] != '0 && (state == 3'd5 || state == 3'd6));
          assert (words[482:480] == 3'd7);
        end
        if (steps[0]) assert (code == 5'd4 && !regs_i[16] && regs[16] && words[482:480] == 3'd4);
      end
      if (Check[6] && !there) assert (answer == {2'd2, 32'd0, write} && we == '0 && regs == regs_i && steps == '0);
      if (Check[6] && there && !(cfg && write)) assert (answer[34:33] == 2'd0);
      if (Check[7] && done && ((code >= 5'd2 && code <= 5'd5) || code == 5'd13 || code == 5'd14 || code == 5'd16)) begin
        assert (words_i[511:488] == qpn_before);
      end
    end
  end

endmodule
