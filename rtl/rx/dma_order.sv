// SPDX-License-Identifier: Apache-2.0
// Entries in their order, each until its write was handed over and acknowledged (docs/blocks/rx_dma.md). Writes have
// their numbers in turn, so nothing is searched: the oldest entry that writes has the oldest number.
module dma_order #(
  parameter int unsigned Depth = 128,  // entries: a power of two, at most Tags
  parameter int unsigned Tags = 256    // a power of two; fewer than 256 in proofs only
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic [dma_pkg::RecordWidth-1:0] s_entry_i,  // dma_pkg::entry_t
  input  logic                            s_entry_valid_i,
  output logic                            s_entry_ready_o,

  input  logic                            mem_left_i,  // the address of a write was handed over
  input  logic                            data_left_i,  // the last beat of one was

  input  logic [dma_pkg::AckWidth-1:0]    s_mem_i,  // dma_pkg::ack_t
  input  logic                            s_mem_valid_i,
  output logic                            s_mem_ready_o,

  output logic [dma_pkg::RecordWidth-1:0] m_record_o,  // dma_pkg::record_t; status as it came
  output logic                            m_record_valid_o,
  input  logic                            m_record_ready_i
);

  localparam int unsigned TagWidth = $clog2(Tags);

  if (Depth < 2 || Depth > Tags || Depth != 2 ** $clog2(Depth)) begin : gen_bad_depth
    $error("dma_order: Depth must be a power of two from 2 to Tags");
  end
  if (Tags < 2 || Tags > 256 || Tags != 2 ** TagWidth) begin : gen_bad_tags
    $error("dma_order: Tags must be a power of two from 2 to 256");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Acknowledgements, by tag. One more of a tag waits until its write is retired.

  dma_pkg::ack_t ack;
  logic ack_valid, note;
  logic [Tags-1:0] came_q, failed_q;
  logic [TagWidth-1:0] ack_tag, tag;
  logic [2:0] unused_acks;
  logic unused_ack;

  assign ack_tag    = ack.tag[TagWidth-1:0];
  assign unused_ack = ^ack.tag;
  assign note       = ack_valid & ~came_q[ack_tag];

  sync_fifo #(
    .Width($bits(ack)),
    .Depth(4)
  ) u_acks (
    .clk_i,
    .rst_ni,
    .s_data_i (s_mem_i),
    .s_valid_i(s_mem_valid_i),
    .s_ready_o(s_mem_ready_o),
    .m_data_o (ack),
    .m_valid_o(ack_valid),
    .m_ready_i(note),
    .count_o  (unused_acks)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The oldest entry.

  dma_pkg::entry_t entry;
  dma_pkg::record_t record;
  logic entry_valid, retires, is_there, is_handed, fails, gives;
  logic [TagWidth:0] done_q, mem_left_q, data_left_q;  // writes retired, and handed over
  logic [$clog2(Depth+1)-1:0] unused_entries;

  sync_fifo #(
    .Width($bits(entry)),
    .Depth(Depth)
  ) u_entries (
    .clk_i,
    .rst_ni,
    .s_data_i (s_entry_i),
    .s_valid_i(s_entry_valid_i),
    .s_ready_o(s_entry_ready_o),
    .m_data_o (entry),
    .m_valid_o(entry_valid),
    .m_ready_i(retires),
    .count_o  (unused_entries)
  );

  assign tag       = done_q[TagWidth-1:0];
  assign is_handed = mem_left_q != done_q && data_left_q != done_q;
  assign is_there  = entry_valid & (~entry.writes | (is_handed & came_q[tag]));
  assign fails     = entry.writes & failed_q[tag];
  assign gives     = entry.clear | entry.complete | fails;
  assign retires   = is_there & (~gives | m_record_ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      came_q <= '0;
      {done_q, mem_left_q, data_left_q} <= '0;
    end else begin
      if (note) came_q[ack_tag] <= 1'b1;
      if (retires && entry.writes) came_q[tag] <= 1'b0;
      if (retires && entry.writes) done_q <= done_q + 1'b1;
      if (mem_left_i) mem_left_q <= mem_left_q + 1'b1;
      if (data_left_i) data_left_q <= data_left_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (note) failed_q[ack_tag] <= ack.failed;
  end

  always_comb begin
    record.clear    = entry.clear;
    record.complete = entry.complete;
    record.failed   = fails;
    record.cqe      = entry.cqe;
  end

  assign m_record_o       = record;
  assign m_record_valid_o = is_there & gives;

endmodule
