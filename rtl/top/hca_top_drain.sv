// SPDX-License-Identifier: Apache-2.0
// When a QP that rx_classify has removed is closed: docs/blocks/hca_top.md, Events.
//
// First what had entered has to leave; then the answers that were due by then have to be through. Frames of other QPs
// go on meanwhile: both are counted, neither is waited for to be nothing.
module hca_top_drain #(
  parameter int unsigned Width = 10  // of the counts: 250 frames can be under way, which is less than half
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic enters_i,   // a frame passed the gate
  input  logic leaves_i,   // a record of m_rec was taken
  input  logic due_i,      // an answer is due
  input  logic through_i,  // one is through: they keep their order
  input  logic removed_i,
  output logic closed_o    // for one clock
);

  typedef enum logic [1:0] {
    Idle    = 2'd0,
    Packets = 2'd1,
    Answers = 2'd2
  } phase_e;

  phase_e phase_q;
  logic [Width-1:0] entered_q, entered_d, left_q, due_q, through_q, mark_q, past;
  logic there;

  assign entered_d = entered_q + Width'(enters_i);
  assign past      = (phase_q == Packets ? left_q : through_q) - mark_q;
  assign there     = ~past[Width-1];
  assign closed_o  = phase_q == Answers && there;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q   <= Idle;
      entered_q <= '0;
      left_q    <= '0;
      due_q     <= '0;
      through_q <= '0;
      mark_q    <= '0;
    end else begin
      entered_q <= entered_d;
      left_q    <= left_q + Width'(leaves_i);
      due_q     <= due_q + Width'(due_i);
      through_q <= through_q + Width'(through_i);
      case (phase_q)
        Packets: begin
          if (there) begin
            phase_q <= Answers;
            mark_q  <= due_q;
          end
        end
        Answers: if (there) phase_q <= Idle;
        default: begin
          if (removed_i) begin
            phase_q <= Packets;
            mark_q  <= entered_d;
          end
        end
      endcase
    end
  end

endmodule
