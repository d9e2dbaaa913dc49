// SPDX-License-Identifier: Apache-2.0
// A word of each QP of hca_rx that is set and asked for, one of them in a clock. What is set is seen by what is asked
// behind it.
module hca_rx_word #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned Width = 1,
  parameter RamStyle = "block"
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             ready_o,  // low while the words are made zero

  input  logic [23:0]      qpn_i,
  input  logic [Width-1:0] word_i,
  input  logic             set_i,  // not done for a number of NumQps or more
  input  logic             ask_i,

  output logic [Width-1:0] word_o,  // two clocks behind ask_i
  output logic             told_o
);

  localparam int unsigned QpnWidth = $clog2(NumQps);

  logic [1:0] asks_q, sets_q;
  logic [Width-1:0] word1_q, word2_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asks_q <= '0;
      sets_q <= '0;
    end else begin
      asks_q <= {asks_q[0], ask_i};
      sets_q <= {sets_q[0], set_i && qpn_i[23:QpnWidth] == '0};
    end
  end

  always_ff @(posedge clk_i) begin
    word1_q <= word_i;
    word2_q <= word1_q;
  end

  qp_context #(
    .NumQps  (NumQps),
    .Width   (Width),
    .RamStyle(RamStyle)
  ) u_words (
    .clk_i,
    .rst_ni,
    .ready_o,
    .r_qpn_i(qpn_i[QpnWidth-1:0]),
    .x_ctx_o(word_o),
    .x_ctx_i(word2_q),
    .x_we_i (sets_q[1])
  );

  assign told_o = asks_q[1];

endmodule
