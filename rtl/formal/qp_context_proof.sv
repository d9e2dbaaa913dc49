// SPDX-License-Identifier: Apache-2.0
// What execute sees in qp_context is what the latest earlier record of the QP wrote, or zero: for every order of QPs,
// with and without bubbles, and for every reset; with both read latencies of the memory.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of qp_context.go.
module qp_context_proof #(
  parameter int unsigned Width = 3,
  parameter int unsigned ReadLatency = 1,
  parameter logic [4:0] Check = '1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [1:0]       r_qpn_i,
  input logic [Width-1:0] x_ctx_i,
  input logic             x_we_i,
  input logic [1:0]       watch_i
);

  localparam int unsigned L = ReadLatency;

  logic ready;
  logic [Width-1:0] x_ctx;

  qp_context #(
    .NumQps     (4),
    .Width      (Width),
    .ReadLatency(ReadLatency)
  ) dut (
    .clk_i,
    .rst_ni,
    .ready_o(ready),
    .r_qpn_i,
    .x_ctx_o(x_ctx),
    .x_ctx_i,
    .x_we_i
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire [2:0] \dut.scrub_q ;
  (* hierconn *) wire [2*L+1:0] \dut.qpn_q ;
  (* hierconn *) wire [Width-1:0] \dut.f_read ;
  (* hierconn *) wire [Width-1:0] \dut.u_ram.rdata_q ;
  (* hierconn *) wire [L*Width-1:0] \dut.late_q ;
  (* hierconn *) wire [L-1:0] \dut.late_we_q ;
  (* hierconn *) wire [L*L+L-1:0] \dut.same_q ;
  (* hierconn *) wire [Width-1:0] \dut.u_ram.mem[0] ;
  (* hierconn *) wire [Width-1:0] \dut.u_ram.mem[1] ;
  (* hierconn *) wire [Width-1:0] \dut.u_ram.mem[2] ;
  (* hierconn *) wire [Width-1:0] \dut.u_ram.mem[3] ;

  // Which QPs are in the stages behind R and which have left X since, the next stage lowest: as many behind X as can
  // still be forwarded. And the word of the QP `watch`.
  localparam int unsigned Stages = 2 * L + 1;  // L + 1 up to X, and L behind it

  logic initial_q = 1'b1;
  logic [1:0] watch_q;
  logic [2*Stages-1:0] qpn_q;
  logic [Stages-1:0] there_q;
  logic [Width-1:0] word_q;
  logic [2:0] since_reset_q;  // clocks, up to 7
  logic [1:0] x_qpn;
  logic x_there;

  assign x_qpn   = qpn_q[2*L+:2];
  assign x_there = there_q[L];

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= initial_q ? watch_i : watch_q;
    qpn_q     <= {qpn_q[2*Stages-3:0], r_qpn_i};
    if (!rst_ni) begin
      there_q       <= '0;
      word_q        <= '0;
      since_reset_q <= '0;
    end else begin
      if (since_reset_q != 3'd7) since_reset_q <= since_reset_q + 3'd1;
      there_q <= {there_q[Stages-2:0], ready};
      if (x_we_i && x_qpn == watch_q) word_q <= x_ctx_i;
    end
  end

  logic [Width-1:0] mem_word;
  always_comb begin
    case (watch_q)
      2'd0: mem_word = \dut.u_ram.mem[0] ;
      2'd1: mem_word = \dut.u_ram.mem[1] ;
      2'd2: mem_word = \dut.u_ram.mem[2] ;
      default: mem_word = \dut.u_ram.mem[3] ;
    endcase
  end

  // The word of the record in stage n + 1 behind R, as those that have left X make it: what was read, or the youngest
  // write behind it.
  logic [L*Width-1:0] newest;
  always_comb begin
    newest = '0;
    for (int n = 0; n < L; n++) begin
      newest[n*Width+:Width] = n == 0 ? \dut.u_ram.rdata_q : \dut.f_read ;
      // Of the records before it the one k + 1 before X has left X k clocks ago; it is L - n + k + 1 stages ahead.
      for (int k = L - 1; k >= 0; k--) begin
        if (k <= n && \dut.late_we_q [k] && qpn_q[2*(L+1+k)+:2] == qpn_q[2*n+:2])
          newest[n*Width+:Width] = \dut.late_q [k*Width+:Width];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      // A record that is not there does not write.
      assume (!x_we_i || x_there);
      if (Check[0]) begin
        assert (there_q != '0 ? ready : 1'b1);
        assert (\dut.scrub_q == (since_reset_q < 3'd4 ? since_reset_q : 3'd4));
        if (ready || {1'b0, watch_q} < \dut.scrub_q ) assert (mem_word == word_q);
        if (!ready) assert (word_q == '0);
        for (int n = 0; n <= L; n++) if (there_q[n]) assert (\dut.qpn_q [2*n+:2] == qpn_q[2*n+:2]);
        for (int n = 0; n < L; n++) begin
          // The flags of the record in stage n + 1: is the one m + 1 before X's place, when it will be in F, of its QP.
          for (int m = 0; m <= L; m++) begin
            if (there_q[n] && there_q[n+1+m])
              assert (\dut.same_q [n*(L+1)+m] == (qpn_q[2*n+:2] == qpn_q[2*(n+1+m)+:2]));
          end
          if (since_reset_q > 3'd2 && !there_q[L+1+n]) assert (! \dut.late_we_q [n]);
          if (there_q[n] && qpn_q[2*n+:2] == watch_q) assert (newest[n*Width+:Width] == word_q);
        end
      end
      if ((Check[0] || Check[1]) && x_there && x_qpn == watch_q) assert (x_ctx == word_q);
      if (Check[2]) assert (ready == (since_reset_q >= 3'd4));
    end
  end

endmodule
