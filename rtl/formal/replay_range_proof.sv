// SPDX-License-Identifier: Apache-2.0
// replay_range lets a duplicate READ through that asks for a part of its original, and no other, for all numbers. The
// harness holds what went in two clocks ago against the answer. Check: bit 0 what induction needs, then one bit a
// property of replay_decide.go.
module replay_range_proof #(
  parameter logic [3:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [127:0] asked_i,  // bytes, rkey, va
  input logic [127:0] kept_i,
  input logic [23:0]  ahead_i,
  input logic [2:0]   pmtu_i,
  input logic [31:0]  byte_i    // any byte of what is asked for
);

  logic within;

  replay_range dut (
    .clk_i,
    .asked_i,
    .kept_i,
    .ahead_i,
    .pmtu_i,
    .within_o(within)
  );

  // What went in, one and two clocks ago.
  logic [127:0] asked1_q, asked2_q, kept1_q, kept2_q;
  logic [23:0] ahead1_q, ahead2_q;
  logic [2:0] pmtu1_q, pmtu2_q;
  always_ff @(posedge clk_i) begin
    {asked2_q, asked1_q} <= {asked1_q, asked_i};
    {kept2_q, kept1_q}   <= {kept1_q, kept_i};
    {ahead2_q, ahead1_q} <= {ahead1_q, ahead_i};
    {pmtu2_q, pmtu1_q}   <= {pmtu1_q, pmtu_i};
  end

  // PSNs times the path MTU.
  logic [63:0] skipped1, skipped2;
  assign skipped1 = 64'(ahead1_q) << (7 + pmtu1_q);
  assign skipped2 = 64'(ahead2_q) << (7 + pmtu2_q);

  // The byte's place in the original: how far it is from its start.
  logic [63:0] at;
  assign at = asked2_q[63:0] + 64'(byte_i) - kept2_q[63:0];

  (* hierconn *) wire [63:0] \dut.va_q ;
  (* hierconn *) wire [63:0] \dut.place_q ;
  (* hierconn *) wire [36:0] \dut.end_q ;
  (* hierconn *) wire [31:0] \dut.bytes_q ;
  (* hierconn *) wire \dut.same_key_q ;

  logic [1:0] age_q;  // clocks behind the reset, 3 at most
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) age_q <= '0;
    else if (age_q != '1) age_q <= age_q + 2'd1;
  end

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (pmtu_i != '0 && pmtu_i <= 3'd5);
    if (!initial_q && rst_ni) begin
      if (Check[0] && age_q >= 2'd1) begin
        assert (\dut.va_q == asked1_q[63:0] && \dut.place_q == kept1_q[63:0] + skipped1);
        assert (64'(\dut.end_q ) == skipped1 + 64'(asked1_q[127:96]) && \dut.bytes_q == kept1_q[127:96]);
        assert (\dut.same_key_q == (asked1_q[95:64] == kept1_q[95:64]));
        assert (pmtu1_q != '0 && pmtu1_q <= 3'd5);
      end
      if (age_q >= 2'd2) begin
        if (Check[1] && within) begin
          assert (asked2_q[95:64] == kept2_q[95:64]);
          if (byte_i < asked2_q[127:96]) assert (at < 64'(kept2_q[127:96]));
        end
        if (Check[2] && within) assert (at == skipped2 + 64'(byte_i));
        if (Check[3] && asked2_q[95:64] == kept2_q[95:64] && asked2_q[63:0] == kept2_q[63:0] + skipped2 &&
            skipped2 + 64'(asked2_q[127:96]) <= 64'(kept2_q[127:96])) assert (within);
      end
    end
  end

endmodule
