// What execute sees in qp_context is what the latest earlier record of the QP wrote, or zero: for every order of QPs, stalls and resets.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of qp_context.go.
module qp_context_proof #(
  parameter int unsigned Width = 3,
  parameter logic [4:0] Check = '1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             en_i,
  input logic [1:0]       r_qpn_i,
  input logic [Width-1:0] x_ctx_i,
  input logic             x_we_i,
  input logic [1:0]       watch_i
);

  logic ready;
  logic [Width-1:0] x_ctx;

  qp_context #(
    .NumQps(4),
    .Width (Width)
  ) dut (
    .clk_i,
    .rst_ni,
    .ready_o(ready),
    .en_i,
    .r_qpn_i,
    .x_ctx_o(x_ctx),
    .x_ctx_i,
    .x_we_i
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire [2:0] \dut.scrub_q ;
  (* hierconn *) wire [1:0] \dut.f_qpn_q ;
  (* hierconn *) wire [1:0] \dut.x_qpn_q ;
  (* hierconn *) wire [Width-1:0] \dut.f_read ;
  (* hierconn *) wire [Width-1:0] \dut.late_q ;
  (* hierconn *) wire \dut.late_we_q ;
  (* hierconn *) wire \dut.f_same_x_q ;
  (* hierconn *) wire \dut.f_same_late_q ;
  (* hierconn *) wire [Width-1:0] \dut.u_ram.mem[0] ;
  (* hierconn *) wire [Width-1:0] \dut.u_ram.mem[1] ;
  (* hierconn *) wire [Width-1:0] \dut.u_ram.mem[2] ;
  (* hierconn *) wire [Width-1:0] \dut.u_ram.mem[3] ;

  // Which QPs are in F and X, whether one is there, and the word of the QP `watch`.
  logic initial_q = 1'b1;
  logic [1:0] watch_q, f_qpn_q, x_qpn_q, late_qpn_q;
  logic f_there_q, x_there_q, late_there_q;
  logic [Width-1:0] word_q;
  logic [2:0] since_reset_q;  // clocks, up to 7

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= initial_q ? watch_i : watch_q;
    if (!rst_ni) begin
      {f_there_q, x_there_q, late_there_q} <= '0;
      word_q        <= '0;
      since_reset_q <= '0;
    end else begin
      if (since_reset_q != 3'd7) since_reset_q <= since_reset_q + 3'd1;
      if (en_i) begin
        {f_there_q, x_there_q, late_there_q} <= {ready, f_there_q, x_there_q};
        if (x_we_i && x_qpn_q == watch_q) word_q <= x_ctx_i;
      end
    end
    if (en_i) {f_qpn_q, x_qpn_q, late_qpn_q} <= {r_qpn_i, f_qpn_q, x_qpn_q};
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

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      // A record that is not there does not write.
      assume (!x_we_i || x_there_q);
      if (Check[0]) begin
        assert (f_there_q || x_there_q ? ready : 1'b1);
        assert (\dut.scrub_q == (since_reset_q < 3'd4 ? since_reset_q : 3'd4));
        if (ready || {1'b0, watch_q} < \dut.scrub_q ) assert (mem_word == word_q);
        if (!ready) assert (word_q == '0);
        if (f_there_q) assert (\dut.f_qpn_q == f_qpn_q);
        if (x_there_q) assert (\dut.x_qpn_q == x_qpn_q);
        if (f_there_q && x_there_q) assert (\dut.f_same_x_q == (f_qpn_q == x_qpn_q));
        if (f_there_q && late_there_q) assert (\dut.f_same_late_q == (f_qpn_q == late_qpn_q));
        if (f_there_q && !late_there_q) assert (! \dut.late_we_q );
        if (f_there_q && f_qpn_q == watch_q)
          assert ((\dut.f_same_late_q && \dut.late_we_q ? \dut.late_q : \dut.f_read ) == word_q);
      end
      if ((Check[0] || Check[1]) && x_there_q && x_qpn_q == watch_q) assert (x_ctx == word_q);
      if (Check[2]) assert (ready == (since_reset_q >= 3'd4));
    end
  end

endmodule
