// SPDX-License-Identifier: Apache-2.0
// What memory answered, by tag, until its turn: docs/blocks/atomic_engine.md. An answer that is the first in the queue
// is noted, unless one of its tag is noted already.
//
// there_o and data_o are of tag_i in the same clock; use_i uses that up.
module atomic_notes #(
  parameter int unsigned Width = 65,    // of an answer, without its tag
  parameter int unsigned TagWidth = atomic_pkg::TagWidth  // fewer in proofs only
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [TagWidth-1:0] s_tag_i,
  input  logic [Width-1:0]    s_data_i,
  input  logic                s_valid_i,
  output logic                s_ready_o,

  input  logic [TagWidth-1:0] tag_i,
  input  logic                use_i,  // only while there_o is high
  output logic                there_o,
  output logic [Width-1:0]    data_o
);

  localparam int unsigned Tags = 2 ** TagWidth;

  if (Width < 1) begin : gen_bad_width
    $error("atomic_notes: Width must be at least 1");
  end

  logic [TagWidth-1:0] head_tag;
  logic [Width-1:0] head;
  logic head_valid, note;
  logic [2:0] unused_count;

  sync_fifo #(
    .Width(TagWidth + Width),
    .Depth(4)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_tag_i, s_data_i}),
    .s_valid_i,
    .s_ready_o,
    .m_data_o ({head_tag, head}),
    .m_valid_o(head_valid),
    .m_ready_i(note),
    .count_o  (unused_count)
  );

  logic [Tags-1:0] there_q;
  logic [Width-1:0] mem[Tags];  // LUT memory

  assign note = head_valid & ~there_q[head_tag];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      there_q <= '0;
    end else begin
      if (use_i) there_q[tag_i] <= 1'b0;
      if (note) there_q[head_tag] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (note) mem[head_tag] <= head;
  end

  assign there_o = there_q[tag_i];
  assign data_o  = mem[tag_i];

endmodule
