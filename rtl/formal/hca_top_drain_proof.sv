// SPDX-License-Identifier: Apache-2.0
// hca_top_drain says closed when all that had entered by a remove has left, and all answers that were due by then are
// through: not before, and then at once. For every traffic of others meanwhile, and every turn of the counts.
//
// Assumed: fewer frames are under way, and fewer answers due, than half of what the counts can tell.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of hca_top_drain.go.
module hca_top_drain_proof #(
  parameter int unsigned Width = 3,
  parameter logic [3:0] Check = '1
) (
  input logic clk_i,
  input logic rst_ni,
  input logic enters_i,
  input logic leaves_i,
  input logic due_i,
  input logic through_i,
  input logic removed_i
);

  localparam logic [Width-1:0] Most = (Width)'(2 ** (Width - 1) - 1);

  logic closed;

  hca_top_drain #(
    .Width(Width)
  ) dut (
    .clk_i,
    .rst_ni,
    .enters_i,
    .leaves_i,
    .due_i,
    .through_i,
    .removed_i,
    .closed_o(closed)
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire [1:0] \dut.phase_q ;
  (* hierconn *) wire [Width-1:0] \dut.entered_q ;
  (* hierconn *) wire [Width-1:0] \dut.left_q ;
  (* hierconn *) wire [Width-1:0] \dut.due_q ;
  (* hierconn *) wire [Width-1:0] \dut.through_q ;
  (* hierconn *) wire [Width-1:0] \dut.mark_q ;

  // What is under way: frames, and answers that are due. Of a remove: how many frames were in front of it and have not
  // left; then how many answers were due and are not through.
  localparam logic [1:0] Idle = 2'd0;
  localparam logic [1:0] Frames = 2'd1;
  localparam logic [1:0] Answers = 2'd2;

  logic [1:0] wait_q;
  logic [Width-1:0] inside_q, front_q, owed_q, before_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wait_q   <= Idle;
      inside_q <= '0;
      owed_q   <= '0;
      front_q  <= '0;
      before_q <= '0;
    end else begin
      inside_q <= inside_q + Width'(enters_i) - Width'(leaves_i);
      owed_q   <= owed_q + Width'(due_i) - Width'(through_i);
      if (leaves_i && front_q != '0) front_q <= front_q - 1'b1;
      if (through_i && before_q != '0) before_q <= before_q - 1'b1;
      if (wait_q == Idle && removed_i) begin
        wait_q  <= Frames;
        front_q <= inside_q + Width'(enters_i) - Width'(leaves_i);
      end
      if (wait_q == Frames && front_q == '0) begin
        wait_q   <= Answers;
        before_q <= owed_q - Width'(through_i);
      end
      if (wait_q == Answers && before_q == '0) wait_q <= Idle;
    end
  end

  logic initial_q = 1'b1;

  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (!leaves_i || inside_q != '0);
    assume (!enters_i || inside_q < Most);
    assume (!through_i || owed_q != '0);
    assume (!due_i || owed_q < Most);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.phase_q == wait_q && wait_q <= Answers);
        assert (inside_q <= Most && front_q <= inside_q);
        assert (owed_q <= Most && before_q <= owed_q);
        assert (\dut.entered_q - \dut.left_q == inside_q);
        assert (\dut.due_q - \dut.through_q == owed_q);
        if (wait_q == Frames) assert (\dut.mark_q - \dut.left_q == front_q);
        if (wait_q == Answers) assert (\dut.mark_q - \dut.through_q == before_q);
      end
      if (Check[1] && closed) assert (wait_q == Answers && before_q == '0);
      if (Check[2] && wait_q == Answers && before_q == '0) assert (closed);
      if (Check[3] && before_q != '0) assert (!closed);
    end
  end

endmodule
