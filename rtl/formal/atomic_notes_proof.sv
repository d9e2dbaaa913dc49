// SPDX-License-Identifier: Apache-2.0
// atomic_notes keeps an answer of each tag until it is used up, and no other can take its place. The harness follows
// one tag, any. Its queue is taken out: what stands at its head may be anything; that it is what came is sync_fifo's.
// Check: bit 0 what induction needs, then one bit a property of atomic_engine.go.
module atomic_notes_proof #(
  parameter logic [3:0] Check = '1
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [1:0] s_tag_i,
  input logic [1:0] s_data_i,
  input logic       s_valid_i,
  input logic [1:0] tag_i,
  input logic       use_i,
  input logic [1:0] watch_i  // the tag that is followed
);

  logic s_ready, there;
  logic [1:0] data;

  atomic_notes #(
    .Width   (2),
    .TagWidth(2)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_tag_i,
    .s_data_i,
    .s_valid_i,
    .s_ready_o(s_ready),
    .tag_i,
    .use_i,
    .there_o  (there),
    .data_o   (data)
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [3:0] \dut.there_q ;
  (* hierconn *) wire [1:0] \dut.mem[0] ;
  (* hierconn *) wire [1:0] \dut.mem[1] ;
  (* hierconn *) wire [1:0] \dut.mem[2] ;
  (* hierconn *) wire [1:0] \dut.mem[3] ;
  (* hierconn *) wire [1:0] \dut.head_tag ;
  (* hierconn *) wire [1:0] \dut.head ;
  (* hierconn *) wire \dut.head_valid ;
  (* hierconn *) wire \dut.note ;

  logic [7:0] mem;
  assign mem = {\dut.mem[3] , \dut.mem[2] , \dut.mem[1] , \dut.mem[0] };

  // What was the first of the tag since it was used up.
  logic there_q, mine, used;
  logic [1:0] data_q, watch_q;
  assign mine = \dut.head_valid & \dut.head_tag == watch_i;
  assign used = use_i & tag_i == watch_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) there_q <= 1'b0;
    else there_q <= there_q ? ~used : mine;
  end

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= watch_i;
    if (!there_q && mine) data_q <= \dut.head ;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    else assume (watch_i == watch_q);
    assume (!use_i || there);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.there_q [watch_i] == there_q);
        if (there_q) assert (mem[2*watch_i+:2] == data_q);
      end
      if (Check[1] && tag_i == watch_i) assert (there == there_q);
      if (Check[2] && tag_i == watch_i && there) assert (data == data_q);
      if (Check[3] && mine) assert (\dut.note == !there_q);
    end
  end

endmodule
