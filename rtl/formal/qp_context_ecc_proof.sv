// SPDX-License-Identifier: Apache-2.0
// What execute sees in qp_context_ecc is what the latest earlier record of the QP wrote, or zero, whichever bit of a
// piece of the code word was turned in that write; and it is told what was turned. For every order of QPs, with and
// without bubbles, for every reset and every injection.
//
// Words of 6 bits in two pieces: 4 data bits and 4 more, 2 data bits and 4 more. Check selects assertions: bit 0 all
// that induction needs, then one bit a property of qp_context_ecc.go.
module qp_context_ecc_proof #(
  parameter logic [4:0] Check = '1
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [1:0] r_qpn_i,
  input logic [5:0] x_ctx_i,
  input logic       x_we_i,
  input logic       x_flip_i,
  input logic [9:0] x_flip_a_i,
  input logic [9:0] x_flip_b_i,
  input logic [1:0] watch_i
);

  localparam int unsigned L = 2;
  localparam int unsigned CodeBits = 14;  // of both pieces, 8 and 6

  logic ready, x_corrected, x_failed;
  logic [5:0] x_ctx;

  qp_context_ecc #(
    .NumQps(4),
    .Width (6),
    .Piece (4)
  ) dut (
    .clk_i,
    .rst_ni,
    .ready_o      (ready),
    .r_qpn_i,
    .x_ctx_o      (x_ctx),
    .x_corrected_o(x_corrected),
    .x_failed_o   (x_failed),
    .x_ctx_i,
    .x_we_i,
    .x_flip_i,
    .x_flip_a_i,
    .x_flip_b_i
  );

  // Wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [2:0] \dut.scrub_q ;
  (* hierconn *) wire [5:0] \dut.qpn_q ;
  (* hierconn *) wire [7:0] \dut.f_read ;
  (* hierconn *) wire [15:0] \dut.late_q ;
  (* hierconn *) wire [1:0] \dut.late_we_q ;
  (* hierconn *) wire [5:0] \dut.same_q ;
  (* hierconn *) wire \dut.u_ram.we_q ;
  (* hierconn *) wire [1:0] \dut.u_ram.waddr_q ;
  (* hierconn *) wire [13:0] \dut.u_ram.wcode ;
  (* hierconn *) wire [5:0] \dut.u_ram.rdata ;
  (* hierconn *) wire [1:0] \dut.u_ram.corrected ;
  (* hierconn *) wire [1:0] \dut.u_ram.failed ;
  (* hierconn *) wire [13:0] \dut.u_ram.u_ram.mem[0] ;
  (* hierconn *) wire [13:0] \dut.u_ram.u_ram.mem[1] ;
  (* hierconn *) wire [13:0] \dut.u_ram.u_ram.mem[2] ;
  (* hierconn *) wire [13:0] \dut.u_ram.u_ram.mem[3] ;

  // Which QPs are in the stages behind R and which have left X since, the next stage lowest. And of the QP `watch` the
  // word, and the bits that were turned in it.
  localparam int unsigned Stages = 2 * L + 1;  // L + 1 up to X, and L behind it

  logic initial_q = 1'b1;
  logic [1:0] watch_q;
  logic [2*Stages-1:0] qpn_q;
  logic [Stages-1:0] there_q;
  logic [5:0] word_q;
  logic [CodeBits-1:0] turned_q, turned;
  logic [2:0] since_reset_q;  // clocks, up to 7
  logic [1:0] x_qpn;
  logic x_there;

  assign x_qpn   = qpn_q[2*L+:2];
  assign x_there = there_q[L];

  for (genvar i = 0; i < CodeBits; i++) begin : gen_turned
    assign turned[i] = x_flip_i && (x_flip_a_i == 10'(i) || x_flip_b_i == 10'(i));
  end

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= initial_q ? watch_i : watch_q;
    qpn_q     <= {qpn_q[2*Stages-3:0], r_qpn_i};
    if (!rst_ni) begin
      there_q       <= '0;
      word_q        <= '0;
      turned_q      <= '0;
      since_reset_q <= '0;
    end else begin
      if (since_reset_q != 3'd7) since_reset_q <= since_reset_q + 3'd1;
      there_q <= {there_q[Stages-2:0], ready};
      if (x_we_i && x_qpn == watch_q) begin
        word_q   <= x_ctx_i;
        turned_q <= turned;
      end
    end
  end

  // What the code must say, from the bits that were turned: at most two of them.
  logic [1:0] some, two;  // of a piece
  logic failed, corrected;
  assign some      = {turned_q[13:8] != '0, turned_q[7:0] != '0};
  assign two       = {(turned_q[13:8] & (turned_q[13:8] - 6'd1)) != '0, (turned_q[7:0] & (turned_q[7:0] - 8'd1)) != '0};
  assign failed    = two != '0;
  assign corrected = some != '0 && !failed;

  // What must stand in memory, and what will stand there when what is on its way has come.
  logic [CodeBits-1:0] code, mem_code;

  ecc_encode #(
    .Width(4)
  ) low (
    .data_i(word_q[3:0]),
    .code_o(code[7:0])
  );

  ecc_encode #(
    .Width(2)
  ) high (
    .data_i(word_q[5:4]),
    .code_o(code[13:8])
  );

  always_comb begin
    case (watch_q)
      2'd0: mem_code = \dut.u_ram.u_ram.mem[0] ;
      2'd1: mem_code = \dut.u_ram.u_ram.mem[1] ;
      2'd2: mem_code = \dut.u_ram.u_ram.mem[2] ;
      default: mem_code = \dut.u_ram.u_ram.mem[3] ;
    endcase
    if (\dut.u_ram.we_q && \dut.u_ram.waddr_q == watch_q) mem_code = \dut.u_ram.wcode ;
  end

  // The word of the record in stage n + 1 behind R as {failed, corrected, data}, as those that have left X make it:
  // what was read, or the youngest write behind it.
  logic [L*8-1:0] newest;
  always_comb begin
    newest = '0;
    for (int n = 0; n < L; n++) begin
      newest[n*8+:8] = \dut.f_read ;
      if (n == 0) begin
        newest[n*8+:8] = {\dut.u_ram.failed != '0, \dut.u_ram.corrected != '0 && \dut.u_ram.failed == '0,
                          \dut.u_ram.rdata };
      end
      // Of the records before it the one k + 1 before X has left X k clocks ago; it is L - n + k + 1 stages ahead.
      for (int k = L - 1; k >= 0; k--) begin
        if (k <= n && \dut.late_we_q [k] && qpn_q[2*(L+1+k)+:2] == qpn_q[2*n+:2])
          newest[n*8+:8] = \dut.late_q [k*8+:8];
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
        if (ready || {1'b0, watch_q} < \dut.scrub_q ) assert (mem_code == (code ^ turned_q));
        if (!ready) assert (word_q == '0 && turned_q == '0);
        for (int n = 0; n <= L; n++) if (there_q[n]) assert (\dut.qpn_q [2*n+:2] == qpn_q[2*n+:2]);
        for (int n = 0; n < L; n++) begin
          // The flags of the record in stage n + 1: is the one m + 1 before X's place, when it will be in F, of its
          // QP.
          for (int m = 0; m <= L; m++) begin
            if (there_q[n] && there_q[n+1+m])
              assert (\dut.same_q [n*(L+1)+m] == (qpn_q[2*n+:2] == qpn_q[2*(n+1+m)+:2]));
          end
          if (since_reset_q > 3'd2 && !there_q[L+1+n]) assert (! \dut.late_we_q [n]);
          if (there_q[n] && qpn_q[2*n+:2] == watch_q) begin
            assert (newest[n*8+6+:2] == {failed, corrected});
            if (!failed) assert (newest[n*8+:6] == word_q);
          end
        end
        // At most two bits are turned.
        assert ((turned_q & (turned_q - 14'd1) & ((turned_q & (turned_q - 14'd1)) - 14'd1)) == '0);
      end
      if (x_there && x_qpn == watch_q) begin
        if ((Check[0] || Check[1]) && !failed) assert (x_ctx == word_q);
        if (Check[0] || Check[2]) assert (x_failed == failed);
        if (Check[0] || Check[3]) assert (x_corrected == corrected);
      end
      if (Check[4]) assert (ready == (since_reset_q >= 3'd4));
    end
  end

endmodule
