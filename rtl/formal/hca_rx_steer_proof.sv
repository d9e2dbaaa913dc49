// SPDX-License-Identifier: Apache-2.0
// hca_rx_steer sends every frame where the word about it says, each beat once. Words come out of its queue as they went
// in, once and in order: that is sync_fifo's, and assumed here of one word, any.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of hca_rx_steer.go.
module hca_rx_steer_proof #(
  parameter logic [4:0] Check = '1
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       s_heard_i,
  input logic       s_heard_valid_i,
  input logic       s_axis_tlast_i,
  input logic       s_axis_tvalid_i,
  input logic       m_memory_tready_i,
  input logic       m_heard_tready_i,
  input logic [7:0] watch_i  // the frame that is looked at, by its number; they come round
);

  logic heard_ready, ready, memory_valid, heard_valid;

  hca_rx_steer dut (
    .clk_i,
    .rst_ni,
    .s_heard_i,
    .s_heard_valid_i,
    .s_heard_ready_o  (heard_ready),
    .s_axis_tlast_i,
    .s_axis_tvalid_i,
    .s_axis_tready_o  (ready),
    .m_memory_tvalid_o(memory_valid),
    .m_memory_tready_i,
    .m_heard_tvalid_o (heard_valid),
    .m_heard_tready_i
  );

  // Ports of the queue of words, joined by name when the design is flattened.
  (* hierconn *) wire \dut.u_heard.m_data_o ;
  (* hierconn *) wire \dut.u_heard.m_valid_o ;
  (* hierconn *) wire \dut.u_heard.m_ready_i ;

  logic initial_q = 1'b1;
  logic known, pushes, pops, takes, to_memory, to_heard;
  logic [7:0] watch_q, words_q, used_q, frames_q;  // words that came, that were taken out; frames that ended
  logic word_q;  // about the watched frame

  assign known     = \dut.u_heard.m_valid_o ;
  assign pushes    = s_heard_valid_i & heard_ready;
  assign pops      = known & \dut.u_heard.m_ready_i ;
  assign takes     = s_axis_tvalid_i & ready;
  assign to_memory = memory_valid & m_memory_tready_i;
  assign to_heard  = heard_valid & m_heard_tready_i;

  // The cycle before.
  logic stalled_q = 1'b0;
  logic word_stays_q = 1'b0;
  logic last_q, data_q, memory_q, heard_q;

  always_ff @(posedge clk_i) begin
    initial_q    <= 1'b0;
    watch_q      <= initial_q ? watch_i : watch_q;
    stalled_q    <= rst_ni & s_axis_tvalid_i & ~ready;
    word_stays_q <= rst_ni & known & ~pops;
    last_q       <= s_axis_tlast_i;
    data_q       <= \dut.u_heard.m_data_o ;
    memory_q     <= rst_ni & memory_valid & ~m_memory_tready_i;
    heard_q      <= rst_ni & heard_valid & ~m_heard_tready_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q  <= '0;
      used_q   <= '0;
      frames_q <= '0;
    end else begin
      words_q  <= words_q + 8'(pushes);
      used_q   <= used_q + 8'(pops);
      frames_q <= frames_q + 8'(takes & s_axis_tlast_i);
    end
  end
  always_ff @(posedge clk_i) if (pushes && words_q == watch_q) word_q <= s_heard_i;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (rst_ni) begin
      // The queue of words: sync_fifo's.
      assume (!known || used_q != words_q);
      assume (8'(words_q - used_q) < 8'd64 || !heard_ready);
      if (word_stays_q) assume (known && \dut.u_heard.m_data_o == data_q);
      if (known && used_q == watch_q) assume (\dut.u_heard.m_data_o == word_q);
      // The frames.
      if (stalled_q) assume (s_axis_tvalid_i && s_axis_tlast_i == last_q);
    end
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (8'(words_q - used_q) <= 8'd64);
        assert (frames_q == used_q);
      end
      if (Check[1]) begin
        assert (takes == (to_memory | to_heard));
        assert (!to_memory || !to_heard);
      end
      if (Check[2] && frames_q == watch_q) begin
        if (to_memory) assert (!word_q);
        if (to_heard) assert (word_q);
      end
      if (Check[3] && takes) assert (frames_q != words_q);
      if (Check[4]) begin
        if (memory_q) assert (memory_valid);
        if (heard_q) assert (heard_valid);
      end
    end
  end

endmodule
