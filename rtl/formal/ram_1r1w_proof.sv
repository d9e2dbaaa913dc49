// SPDX-License-Identifier: Apache-2.0
// ram_1r1w gives the word as the writes before the clock of the read left it, and keeps giving it until the next
// read; with both read latencies.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of ram_1r1w.go.
module ram_1r1w_proof #(
  parameter int unsigned ReadLatency = 1,
  parameter logic [3:0] Check = '1
) (
  input logic       clk_i,
  input logic [1:0] wlanes_i,
  input logic [1:0] waddr_i,
  input logic [3:0] wdata_i,
  input logic       re_i,
  input logic [1:0] raddr_i,
  input logic [1:0] watch_i
);

  logic [3:0] rdata;

  ram_1r1w #(
    .Words      (4),
    .Width      (4),
    .Lanes      (2),
    .ReadLatency(ReadLatency)
  ) dut (
    .clk_i,
    .wlanes_i,
    .waddr_i,
    .wdata_i,
    .re_i,
    .raddr_i,
    .rdata_o(rdata)
  );

  // Words of the block, and what the memory read, joined by name when the design is flattened.
  (* hierconn *) wire [3:0] \dut.rdata_q ;
  (* hierconn *) wire [3:0] \dut.mem[0] ;
  (* hierconn *) wire [3:0] \dut.mem[1] ;
  (* hierconn *) wire [3:0] \dut.mem[2] ;
  (* hierconn *) wire [3:0] \dut.mem[3] ;

  // The word of one address, a lane at a time: what was written last, and whether anything was.
  logic initial_q = 1'b1;
  logic [1:0] watch_q;
  logic [1:0] known_q = '0;
  logic [3:0] word_q;

  // What the last read was to give; only of `watch`. The same a clock later, of a read a clock before.
  logic [1:0] due_known_q = '0;
  logic [1:0] due2_known_q = '0;
  logic [1:0] known_now;
  logic [3:0] due_q, due2_q, due_now, rdata_q;
  logic was_read_q = 1'b0;
  logic was_read2_q = 1'b0;

  always_ff @(posedge clk_i) begin
    initial_q  <= 1'b0;
    watch_q    <= initial_q ? watch_i : watch_q;
    was_read_q  <= re_i | initial_q;
    was_read2_q <= was_read_q | initial_q;
    rdata_q    <= rdata;
    for (int unsigned l = 0; l < 2; l++) begin
      if (wlanes_i[l] && waddr_i == watch_q && !initial_q) begin
        known_q[l]     <= 1'b1;
        word_q[2*l+:2] <= wdata_i[2*l+:2];
      end
    end
    if (re_i) begin
      due_known_q <= raddr_i == watch_q && !initial_q ? known_q : '0;
      due_q       <= word_q;
    end
    if (was_read_q) {due2_known_q, due2_q} <= {due_known_q, due_q};
  end

  assign known_now = ReadLatency == 2 ? due2_known_q : due_known_q;
  assign due_now   = ReadLatency == 2 ? due2_q : due_q;

  logic [3:0] word;
  always_comb begin
    case (watch_q)
      2'd0: word = \dut.mem[0] ;
      2'd1: word = \dut.mem[1] ;
      2'd2: word = \dut.mem[2] ;
      default: word = \dut.mem[3] ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q) begin
      for (int unsigned l = 0; l < 2; l++) begin
        if (Check[0] && known_q[l]) assert (word[2*l+:2] == word_q[2*l+:2]);
        if (Check[0] && due_known_q[l]) assert ( \dut.rdata_q [2*l+:2] == due_q[2*l+:2]);
        if ((Check[0] || Check[1]) && known_now[l]) assert (rdata[2*l+:2] == due_now[2*l+:2]);
      end
      if (Check[2] && !(ReadLatency == 2 ? was_read2_q : was_read_q)) assert (rdata == rdata_q);
    end
  end

endmodule
