// SPDX-License-Identifier: Apache-2.0
// The rules of a block whose stages never stand still behind a credit_queue: a record that goes in comes to the queue
// Latency clocks later, in its place and as it was, and leaves by the rules of a stream. That the queue gives out
// what it takes, once and in order, is credit_queue_proof.sv's. A harness says what goes in and out; Check selects
// assertions: bit 0 what induction needs, then one bit a property of pipe.go.
module pipe_rules #(
  parameter int unsigned Width = 1,     // of what is followed of a record
  parameter int unsigned OutWidth = 8,
  parameter int unsigned Latency = 4,   // clocks from going in to the queue
  parameter int unsigned Depth = 8,     // of the queue
  parameter logic [5:0] Check = '1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       initial_i,  // first cycle of all
  input  logic                       push_i,     // a record is accepted
  input  logic [1:0]                 waiting_i,  // accepted ones before the stages of the fixed latency
  input  logic                       enter_i,    // a record goes into these stages: push_i where nothing waits
  input  logic [Width-1:0]           enter_id_i,

  input  logic                       queue_i,    // a record goes into the queue
  input  logic                       same_i,     // it is the one that due_o says
  output logic [Width-1:0]           due_o,
  input  logic [Latency-1:0]         stages_valid_i,  // the block's stages, the first one lowest: do they hold a record
  input  logic [Latency*Width-1:0]   stages_id_i,     // and which

  input  logic [$clog2(Depth)-1:0]   queued_i,   // in the queue's memory
  input  logic [$clog2(Depth+1)-1:0] count_i,    // the queue's count of what is under way

  input  logic [OutWidth-1:0]        data_i,
  input  logic                       valid_i,
  input  logic                       ready_i
);

  localparam int unsigned CountWidth = $clog2(Depth + 1) + 1;  // it counts further than a block can take

  logic [Latency-1:0] row_valid_q;
  logic [Latency*Width-1:0] row_q;
  logic [CountWidth-1:0] count_q, inside;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) row_valid_q <= '0;
    else row_valid_q <= Latency'({row_valid_q, enter_i});
  end
  always_ff @(posedge clk_i) row_q <= (Latency * Width)'({row_q, enter_id_i});

  assign due_o = row_q[(Latency-1)*Width+:Width];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= count_q + CountWidth'(push_i) - CountWidth'(valid_i & ready_i);
  end

  always_comb begin
    inside = CountWidth'(waiting_i) + CountWidth'(queued_i) + CountWidth'(valid_i);
    for (int unsigned i = 0; i < Latency; i++) inside = inside + CountWidth'(row_valid_q[i]);
  end

  logic was_stalled_q = 1'b0;
  logic [OutWidth-1:0] data_q;

  always_ff @(posedge clk_i) begin
    was_stalled_q <= rst_ni & valid_i & ~ready_i;
    data_q        <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (initial_i) assume (!rst_ni);
    if (!initial_i && rst_ni) begin
      if (Check[0]) begin
        assert (count_q == inside && count_q == CountWidth'(count_i));
        assert (valid_i || queued_i == '0);
        assert (stages_valid_i == row_valid_q);
      end
      if (Check[1] && was_stalled_q) assert (valid_i);
      if (Check[2] && was_stalled_q) assert (data_i == data_q);
      if (Check[3] && count_q == '0) assert (!valid_i);
      if (Check[0] || Check[4]) assert (count_q <= CountWidth'(Depth));
      if (Check[0] || Check[5]) assert (queue_i == row_valid_q[Latency-1]);
      if (Check[5]) begin
        for (int unsigned i = 0; i < Latency; i++) begin
          if (row_valid_q[i]) assert (stages_id_i[i*Width+:Width] == row_q[i*Width+:Width]);
        end
        if (queue_i) assert (same_i);
      end
    end
  end

endmodule
