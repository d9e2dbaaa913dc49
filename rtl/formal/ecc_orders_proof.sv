// SPDX-License-Identifier: Apache-2.0
// ecc_orders has one order that waits, for the next write of its word, and counts what look-ups find: for every
// sequence of records. Words have numbers of 3 bits, code words 9 bits. Check: bit 0 what induction needs, then one bit
// a property.
module ecc_orders_proof #(
  parameter logic [3:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [2:0]  index_i,
  input logic        looks_i,
  input logic        writes_i,
  input logic        corrected_i,
  input logic        failed_i,
  input logic        inject_i,
  input logic [15:0] bit_a_i,
  input logic [15:0] bit_b_i
);

  localparam int unsigned CodeBits = 9;

  logic inject_ok, flip;
  logic [ecc_pkg::BitWidth-1:0] flip_a, flip_b;
  logic [47:0] counts;

  ecc_orders #(
    .IndexWidth(3),
    .CodeBits  (CodeBits)
  ) dut (
    .clk_i,
    .rst_ni,
    .index_i,
    .looks_i,
    .writes_i,
    .corrected_i,
    .failed_i,
    .inject_i,
    .bit_a_i,
    .bit_b_i,
    .inject_ok_o(inject_ok),
    .flip_o     (flip),
    .flip_a_o   (flip_a),
    .flip_b_o   (flip_b),
    .counts_o   (counts)
  );

  // By the words of the rules: the order that waits, and how many look-ups found what.
  logic good, waits_q, any_corrected_q, any_failed_q;
  logic [2:0] at_q, corrected_at_q, failed_at_q;
  logic [15:0] a_q, b_q;
  logic [7:0] corrected_q, failed_q;
  assign good = inject_i && bit_a_i < 16'd9 && bit_b_i < 16'd9;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q         <= 1'b0;
      any_corrected_q <= 1'b0;
      any_failed_q    <= 1'b0;
      corrected_q     <= '0;
      failed_q        <= '0;
      corrected_at_q  <= '0;
      failed_at_q     <= '0;
    end else begin
      if (writes_i && index_i == at_q) waits_q <= 1'b0;
      if (good) waits_q <= 1'b1;
      if (looks_i && corrected_i) {any_corrected_q, corrected_at_q, corrected_q} <= {1'b1, index_i, corrected_q + 8'd1};
      if (looks_i && failed_i) {any_failed_q, failed_at_q, failed_q} <= {1'b1, index_i, failed_q + 8'd1};
    end
  end

  always_ff @(posedge clk_i) begin
    if (good) {at_q, a_q, b_q} <= {index_i, bit_a_i, bit_b_i};
  end

  (* hierconn *) wire \dut.inject_q ;
  (* hierconn *) wire [2:0] \dut.inject_at_q ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (!(inject_i && (looks_i || writes_i)));  // a record that orders does neither
    if (!initial_q && rst_ni) begin
      if (Check[0] || Check[1]) begin
        assert (\dut.inject_q == waits_q);
        if (waits_q) assert (\dut.inject_at_q == at_q && flip_a == a_q[9:0] && flip_b == b_q[9:0]);
        if (waits_q) assert (a_q < 16'd9 && b_q < 16'd9);
      end
      if (Check[1]) begin
        assert (flip == (writes_i && waits_q && index_i == at_q));
        if (flip) assert (flip_a == a_q[9:0] && flip_b == b_q[9:0]);
      end
      if (Check[2]) begin
        assert (inject_ok == (bit_a_i < 16'd9 && bit_b_i < 16'd9));
        if (flip) assert (flip_a < 10'd9 && flip_b < 10'd9);
      end
      if (Check[0] || Check[3]) begin
        assert (counts[7:0] == corrected_q && counts[15:8] == failed_q);
        assert (counts[31:16] == {13'd0, corrected_at_q} && counts[47:32] == {13'd0, failed_at_q});
      end
    end
  end

endmodule
