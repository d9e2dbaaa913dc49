// SPDX-License-Identifier: Apache-2.0
// place_feed gives the payload of records in their order: of each the beats of the next frame, or one with its value.
// One beat of the frames is followed, and one record. Check: one bit a property of place_feed.go.
module place_feed_proof #(
  parameter logic [4:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        s_is_value_i,
  input logic [63:0] s_value_i,
  input logic        s_valid_i,
  input logic [63:0] tdata_i,
  input logic [7:0]  tkeep_i,
  input logic        tlast_i,
  input logic        tvalid_i,
  input logic        tready_i,
  input logic [3:0]  beat_i,    // numbers of those that are followed: the first values count
  input logic [3:0]  record_i
);

  logic s_ready, m_valid, m_last;
  logic [7:0] m_keep;
  logic [63:0] m_data;

  place_feed #(
    .DataWidth(64)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_is_value_i,
    .s_value_i,
    .s_valid_i,
    .s_axis_tdata_i (tdata_i),
    .s_axis_tkeep_i (tkeep_i),
    .s_axis_tlast_i (tlast_i),
    .s_axis_tvalid_i(tvalid_i),
    .s_axis_tready_o(s_ready),
    .m_axis_tdata_o (m_data),
    .m_axis_tkeep_o (m_keep),
    .m_axis_tlast_o (m_last),
    .m_axis_tvalid_o(m_valid),
    .m_axis_tready_i(tready_i)
  );

  (* hierconn *) wire \dut.source_room ;

  logic initial_q = 1'b1;
  logic set_q = 1'b0;
  logic [3:0] beat_q, record_q;
  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    set_q     <= 1'b1;
    if (!set_q) {record_q, beat_q} <= {record_i, beat_i};
  end

  // Records, beats of frames in, frames and values out, counted from 0. What the record is whose turn it is, is known
  // from the numbers of values among those before it: is_value_q has them by their place.
  logic [4:0] records_q, beats_in_q, beats_out_q, done_q;
  logic [15:0] is_value_q;
  logic out, turn_is_value;
  assign out           = m_valid & tready_i;
  assign turn_is_value = is_value_q[done_q[3:0]];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {records_q, beats_in_q, beats_out_q, done_q} <= '0;
    else begin
      records_q   <= records_q + 5'(s_valid_i);
      beats_in_q  <= beats_in_q + 5'(tvalid_i & s_ready);
      beats_out_q <= beats_out_q + 5'(out & ~turn_is_value);
      done_q      <= done_q + 5'(out & m_last);
    end
  end
  always_ff @(posedge clk_i) if (s_valid_i) is_value_q[records_q[3:0]] <= s_is_value_i;

  logic [72:0] followed_q;
  logic [63:0] value_q;
  always_ff @(posedge clk_i) begin
    if (tvalid_i && s_ready && beats_in_q == {1'b0, beat_q}) followed_q <= {tlast_i, tkeep_i, tdata_i};
    if (s_valid_i && records_q == {1'b0, record_q}) value_q <= s_value_i;
  end

  logic was_stalled_q = 1'b0;
  logic [72:0] beat_before_q;
  always_ff @(posedge clk_i) begin
    was_stalled_q <= rst_ni & m_valid & ~tready_i;
    beat_before_q <= {m_last, m_keep, m_data};
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (s_valid_i) assume (\dut.source_room );
      if (Check[1] && m_valid && !turn_is_value && beats_out_q == {1'b0, beat_q}) begin
        assert (beats_in_q > beats_out_q && {m_last, m_keep, m_data} == followed_q);
      end
      if (Check[2] && m_valid && turn_is_value && done_q == {1'b0, record_q} && records_q > done_q) begin
        assert (m_last && m_keep == 8'hFF && m_data == value_q);
      end
      if (Check[3] && m_valid) assert (records_q > done_q);
      if (Check[4] && was_stalled_q) assert (m_valid && {m_last, m_keep, m_data} == beat_before_q);
    end
  end

endmodule
