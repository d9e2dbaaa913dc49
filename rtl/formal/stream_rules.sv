// The rules of an output stream of a block that gives a record for every one that it takes. A harness says what goes in and out; Check
// selects assertions: bit 0 what induction needs, then one bit a property of stream.go.
module stream_rules #(
  parameter int unsigned Width = 8,
  parameter int unsigned Most = 4,     // records inside at most
  parameter logic [4:0] Check = '1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             initial_i,   // first cycle of all
  input logic             push_i,      // a record goes in
  input logic [4:0]       inside_i,    // how many are inside, by the block's own registers; looked at for bit 0 only
  input logic [Width-1:0] data_i,
  input logic             valid_i,
  input logic             ready_i
);

  // It counts further than a block can take.
  logic [4:0] count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= count_q + 5'(push_i) - 5'(valid_i & ready_i);
  end

  logic was_stalled_q = 1'b0;
  logic [Width-1:0] data_q;

  always_ff @(posedge clk_i) begin
    was_stalled_q <= rst_ni & valid_i & ~ready_i;
    data_q        <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (initial_i) assume (!rst_ni);
    if (!initial_i && rst_ni) begin
      if (Check[0]) assert (count_q == inside_i);
      if (Check[1] && was_stalled_q) assert (valid_i);
      if (Check[2] && was_stalled_q) assert (data_i == data_q);
      if (Check[3] && count_q == '0) assert (!valid_i);
      if (Check[4]) assert (count_q <= 5'(Most));
    end
  end

endmodule
