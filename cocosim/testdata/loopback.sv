// A device for tests of the bridge: packets go through a FIFO of four beats, records of three fields come back with
// their fields in another order. fault_i makes it misbehave in one way.
module loopback #(
  parameter int DataWidth = 64
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [3:0]             fault_i,

  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic [3:0]             s_axis_tuser_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic [3:0]             m_axis_tuser_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,

  input  logic [6:0]             rec_psn_i,
  input  logic [61:0]            rec_time_i,
  input  logic [94:0]            rec_wide_i,
  input  logic                   rec_valid_i,
  output logic                   rec_ready_o,

  output logic [61:0]            out_time_o,
  output logic [94:0]            out_wide_o,
  output logic [6:0]             out_psn_o,
  output logic                   out_valid_o,
  input  logic                   out_ready_i
);
  localparam logic [3:0] ValidDropped = 1, DataChanged = 2, KeepHole = 3, NeverReady = 4, Finish = 5, Loop = 6,
                         Endless = 7, Abort = 8, Assertion = 9, NoLast = 10, ValidInReset = 11, Silent = 12, Peek = 13,
                         Withdrawn = 14;
  localparam int BeatWidth = DataWidth + DataWidth / 8 + 5;

  // Faults strike now and then, not from the start.
  logic [7:0] cycle_q;
  always_ff @(posedge clk_i) cycle_q <= rst_ni ? cycle_q + 1'b1 : '0;
  wire now = cycle_q[5:0] == 6'd40;

  // The FIFO.
  logic [BeatWidth-1:0] beat_q [4];
  logic [1:0] head_q, tail_q;
  logic [2:0] count_q;
  // Peek takes a beat that nobody offers, and gives every byte lane.
  wire push = (s_axis_tvalid_i || (fault_i == Peek && now)) && s_axis_tready_o;
  wire pop = count_q != 0 && m_axis_tready_i && m_axis_tvalid_o;

  always_ff @(posedge clk_i) begin
    if (push) beat_q[tail_q] <= {s_axis_tuser_i, s_axis_tlast_i, s_axis_tkeep_i, s_axis_tdata_i};
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      if (push) tail_q <= tail_q + 1'b1;
      if (pop) head_q <= head_q + 1'b1;
      count_q <= count_q + 3'(push) - 3'(pop);
    end
  end

  logic stuck_q;
  always_ff @(posedge clk_i) stuck_q <= rst_ni && (stuck_q || cycle_q >= 100);
  assign s_axis_tready_o = rst_ni && count_q < 4 && !(fault_i == NeverReady && stuck_q);

  always_comb begin
    {m_axis_tuser_o, m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o} = beat_q[head_q];
    if (fault_i == Peek) m_axis_tkeep_o = '1;
    if (fault_i == NoLast) m_axis_tlast_o = 1'b0;
    if (fault_i == DataChanged && now) m_axis_tdata_o[0] = ~m_axis_tdata_o[0];
    if (fault_i == KeepHole && now) m_axis_tkeep_o = m_axis_tkeep_o & ~(DataWidth / 8)'(2);
  end
  assign m_axis_tvalid_o = (rst_ni && count_q != 0 && !(fault_i == ValidDropped && now) && fault_i != Silent)
                           || (!rst_ni && fault_i == ValidInReset);

  wire loop;

  // The record comes back in the cycle in which it is taken: ready follows ready.
  assign out_psn_o   = rec_psn_i;
  assign out_time_o  = rec_time_i;
  assign out_wide_o  = rec_wide_i;
  wire withdrawn = fault_i == Withdrawn && now;
  assign out_valid_o = rec_valid_i && rst_ni && !withdrawn;
  assign rec_ready_o = out_ready_i && rst_ni && !loop && !withdrawn;

  // What ends a simulator.
  /* verilator lint_off UNOPTFLAT */
  assign loop = fault_i == Loop && stuck_q && !loop;
  /* verilator lint_on UNOPTFLAT */
  always_ff @(posedge clk_i) begin
    if (fault_i == Finish && now) begin
      $display("finishing");
      $finish;
    end
    if (fault_i == Endless && now) $c("for (;;) pause();");
    if (fault_i == Abort && now) begin
      $display("last words");
      $c("abort();");
    end
    if (rst_ni) begin
      calm: assert (!(fault_i == Assertion && now)) else $error("not calm in cycle %0d", cycle_q);
    end
  end
endmodule
