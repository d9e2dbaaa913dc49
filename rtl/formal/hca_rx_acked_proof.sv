// SPDX-License-Identifier: Apache-2.0
// hca_rx_acked counts writes as far as all of them are acknowledged. One tag is watched, any, and with it every write
// that has it.
//
// Assumed: memory acknowledges a write once, when it was decided; no more than 256 are under way, so that their tags
// differ.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of hca_rx_acked.go.
module hca_rx_acked_proof #(
  parameter logic [3:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        decides_i,  // a write more
  input logic [7:0]  tag_i,
  input logic        acks_i,
  input logic [7:0]  watch_i  // the tag
);

  logic [23:0] acked, writes_q;

  hca_rx_acked dut (
    .clk_i,
    .rst_ni,
    .writes_i(writes_q),
    .tag_i,
    .acks_i,
    .acked_o (acked)
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire [255:0] \dut.there_q ;

  logic initial_q = 1'b1;
  logic was_up_q = 1'b0;
  logic [7:0] watch_q, place;
  logic [23:0] under_way, acked_q;
  logic acks, there_q, was_there_q;

  assign under_way = writes_q - acked;
  assign place     = watch_q - acked[7:0];  // of the write with the tag, among those under way
  assign acks      = acks_i & tag_i == watch_q;

  always_ff @(posedge clk_i) begin
    initial_q   <= 1'b0;
    watch_q     <= initial_q ? watch_i : watch_q;
    was_up_q    <= rst_ni;
    was_there_q <= there_q;
    acked_q     <= acked;
  end

  // The write with the tag is acknowledged and not counted.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writes_q <= '0;
      there_q  <= 1'b0;
    end else begin
      writes_q <= writes_q + 24'(decides_i);
      if (acks) there_q <= 1'b1;
      else if (acked[7:0] == watch_q && there_q) there_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (rst_ni) begin
      assume (!decides_i || under_way < 24'd256);
      if (acks) assume (!there_q && 24'(place) < under_way);
    end
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (under_way <= 24'd256);
        assert (\dut.there_q [watch_q] == there_q);
        if (there_q) assert (24'(place) < under_way);
      end
      if (Check[1] && was_up_q && acked != acked_q) begin
        assert (acked == acked_q + 24'd1);
        if (acked_q[7:0] == watch_q) assert (was_there_q);
      end
      if (Check[2] && was_up_q && acked_q[7:0] == watch_q && was_there_q) assert (acked != acked_q);
      if (Check[3]) assert (under_way <= 24'd256);
    end
  end

endmodule
