// SPDX-License-Identifier: Apache-2.0
// tx_gather passes on what memory gives for a piece when memory was asked for it, once, and holds it back before. One
// piece is watched, any. What asks, the queue at the port, what takes and what answers may do anything that is not
// assumed below; of read_ask: a piece is asked for again when its frame was taken; of sync_fifo: a beat stays.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of tx_gather.go.
module tx_gather_proof #(
  parameter logic [3:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [76:0] s_cmd_i,
  input logic        s_valid_i,
  input logic        m_mem_ready_i,
  input logic [63:0] s_mem_tdata_i,
  input logic [7:0]  s_mem_tkeep_i,
  input logic [6:0]  s_mem_tuser_i,
  input logic        s_mem_tlast_i,
  input logic        s_mem_tvalid_i,
  input logic        good_ready_i,
  input logic        bad_ready_i,
  input logic        data_ready_i,
  input logic [5:0]  watch_i  // the place of the piece that is looked at
);

  logic mem_valid;
  logic [read_pkg::PieceWidth-1:0] mem;

  tx_gather #(
    .DataWidth(64)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_address_i   (s_cmd_i[63:0]),
    .s_bytes_i     (s_cmd_i[76:64]),
    .s_number_i    ('0),
    .s_valid_i,
    .s_ready_o     (),
    .m_mem_o       (mem),
    .m_mem_valid_o (mem_valid),
    .m_mem_ready_i,
    .s_mem_tdata_i,
    .s_mem_tkeep_i,
    .s_mem_tuser_i,
    .s_mem_tlast_i,
    .s_mem_tvalid_i,
    .s_mem_tready_o(),
    .good_number_o (),
    .good_valid_o  (),
    .good_ready_i,
    .bad_number_o  (),
    .bad_valid_o   (),
    .bad_ready_i,
    .data_o        (),
    .data_valid_o  (),
    .data_ready_i
  );

  // Wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [79:0] \dut.beat ;
  (* hierconn *) wire \dut.beat_there ;
  (* hierconn *) wire \dut.take_ready ;
  (* hierconn *) wire \dut.passes ;
  (* hierconn *) wire \dut.u_mem.m_ready_i ;
  (* hierconn *) wire [63:0] \dut.asked_q ;
  (* hierconn *) wire \dut.inside_q ;

  read_pkg::piece_t piece;
  assign piece = mem;

  logic initial_q = 1'b1;
  logic [5:0] watch_q, place, frame_q;  // frame_q: whose frame is being passed on
  logic asks, takes, last, wanted_q, inside_q;

  assign place = \dut.beat [77:72];
  assign last  = \dut.beat [79];
  assign asks  = mem_valid & m_mem_ready_i & piece.tag[5:0] == watch_q;
  assign takes = \dut.passes & \dut.take_ready ;

  // The cycle before.
  logic stays_q = 1'b0;
  logic [79:0] beat_q;

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= initial_q ? watch_i : watch_q;
    stays_q   <= rst_ni & \dut.beat_there & ~\dut.u_mem.m_ready_i ;
    beat_q    <= \dut.beat ;
    if (takes) frame_q <= place;
  end

  // The watched piece was asked for, and its frame has not ended; a frame has begun and not ended.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wanted_q <= 1'b0;
      inside_q <= 1'b0;
    end else begin
      if (asks) wanted_q <= 1'b1;
      if (takes && last && place == watch_q) wanted_q <= 1'b0;
      if (takes) inside_q <= ~last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (rst_ni) begin
      if (stays_q) assume (\dut.beat_there && \dut.beat == beat_q);
      if (inside_q && \dut.beat_there ) assume (place == frame_q);
      if (asks) assume (!wanted_q);
    end
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.asked_q [watch_q] == wanted_q);
        assert (\dut.inside_q == inside_q);
        if (inside_q && frame_q == watch_q) assert (wanted_q);
      end
      if (Check[1] && takes && place == watch_q) assert (wanted_q);
      if (Check[2] && \dut.beat_there && place == watch_q && wanted_q) assert (\dut.passes );
      if (Check[3]) assert ((\dut.beat_there && \dut.u_mem.m_ready_i ) == takes);
    end
  end

endmodule
