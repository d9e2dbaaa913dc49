// SPDX-License-Identifier: Apache-2.0
// The stream rules of docs/blocks/icrc_check.md as assertions, for both sides of a block. A failure on an input is the
// bench's fault, on an output the block's. Checked by Verilator under --assert; other tools see nothing of it.
`ifdef VERILATOR
module axis_rules #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned UserWidth = 1,
  parameter bit UserOnLast = 1'b0,  // 0: user is the same on every beat of a packet, 1: it is zero but on the last
  parameter bit UserFree = 1'b0     // it may be anything but on the last: nothing is asserted of it
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic [DataWidth-1:0]   tdata_i,
  input logic [DataWidth/8-1:0] tkeep_i,
  input logic                   tlast_i,
  input logic [UserWidth-1:0]   tuser_i,
  input logic                   tvalid_i,
  input logic                   tready_i
);

  valid_stays: assert property (@(posedge clk_i) disable iff (!rst_ni) tvalid_i && !tready_i |=> tvalid_i)
  else $error("%m: tvalid fell before tready came");

  payload_stable: assert property (@(posedge clk_i) disable iff (!rst_ni)
    tvalid_i && !tready_i |=> $stable({tdata_i, tkeep_i, tlast_i, tuser_i}))
  else $error("%m: the payload changed while tready was low");

  keep_contiguous: assert property (@(posedge clk_i) disable iff (!rst_ni)
    tvalid_i |-> tkeep_i[0] && (tkeep_i & (tkeep_i + 1'b1)) == '0)
  else $error("%m: tkeep is not contiguous from bit 0");

  keep_full: assert property (@(posedge clk_i) disable iff (!rst_ni) tvalid_i && !tlast_i |-> &tkeep_i)
  else $error("%m: a beat that is not the last is not full");

  if (UserOnLast) begin : gen_on_last
    user_on_last: assert property (@(posedge clk_i) disable iff (!rst_ni) tvalid_i && !tlast_i |-> tuser_i == '0)
    else $error("%m: tuser is not zero on a beat that is not the last");
  end else if (!UserFree) begin : gen_steady
    logic first_q;
    logic [UserWidth-1:0] user_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) first_q <= 1'b1;
      else if (tvalid_i && tready_i) first_q <= tlast_i;
    end
    always_ff @(posedge clk_i) begin
      if (tvalid_i && tready_i) user_q <= tuser_i;
    end

    user_steady: assert property (@(posedge clk_i) disable iff (!rst_ni) tvalid_i && !first_q |-> tuser_i == user_q)
    else $error("%m: tuser changed within a packet");
  end

endmodule
`endif
