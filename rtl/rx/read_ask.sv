// SPDX-License-Identifier: Apache-2.0
// READs under way, and the pieces that memory is asked for (docs/blocks/read_engine.md). READs have numbers modulo
// twice their places, and so have pieces. Three pointers run over the READs: which begins next, which is asked, which
// is answered.
module read_ask #(
  parameter int unsigned Reads = 8,    // a power of two; fewer than 8 in proofs only
  parameter int unsigned Places = 64,  // a power of two, 64 at most; fewer in proofs only
  localparam int unsigned PlaceWidth = $clog2(Places)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic [read_pkg::CmdWidth-1:0]   s_cmd_i,  // read_pkg::cmd_t
  input  logic                            s_cmd_valid_i,
  output logic                            s_cmd_ready_o,

  output logic [read_pkg::PieceWidth-1:0] m_mem_o,  // read_pkg::piece_t
  output logic                            m_mem_valid_o,
  input  logic                            m_mem_ready_i,

  // A piece is asked for.
  output logic                            asks_o,
  output logic [8:0]                      ask_end_o,  // of its last byte in its frame
  output logic [PlaceWidth:0]             ask_o,  // number of the next piece
  input  logic [PlaceWidth:0]             free_i,  // number of the oldest that is not free

  // The oldest READ.
  output logic [read_pkg::CmdWidth-1:0]   head_o,  // read_pkg::cmd_t
  output logic                            head_valid_o,
  output logic                            head_stopped_o,
  output logic                            head_asked_o,  // whole
  output logic [PlaceWidth:0]             head_end_o,  // then: number of the piece behind its last one
  input  logic                            retires_i,
  input  logic                            fails_i,  // the READs of its QP are stopped
  input  logic [23:0]                     fails_qpn_i
);

  localparam int unsigned ReadWidth = $clog2(Reads);

  if (Reads < 2 || Reads != 2 ** ReadWidth) begin : gen_bad_reads
    $error("read_ask: Reads must be a power of two from 2");
  end
  if (Places < 2 || Places > 64 || Places != 2 ** PlaceWidth) begin : gen_bad_places
    $error("read_ask: Places must be a power of two from 2 to 64");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Begin: a command goes among the READs under way, and stops those of its QP.

  read_pkg::cmd_t next, asked, head;
  logic next_valid, begins, breaks, passes;
  logic [2:0] unused_waiting;
  logic [ReadWidth:0] begin_q, asking_q, head_q;
  logic [ReadWidth-1:0] begin_slot, ask_slot, head_slot;
  logic [read_pkg::CmdWidth-1:0] cmds[Reads];
  logic [PlaceWidth:0] ends[Reads];
  logic [Reads*24-1:0] qpns_q;
  logic [Reads-1:0] stopped_q;

  sync_fifo #(
    .Width($bits(next)),
    .Depth(4)
  ) u_cmds (
    .clk_i,
    .rst_ni,
    .s_data_i (s_cmd_i),
    .s_valid_i(s_cmd_valid_i),
    .s_ready_o(s_cmd_ready_o),
    .m_data_o (next),
    .m_valid_o(next_valid),
    .m_ready_i(begins),
    .count_o  (unused_waiting)
  );

  assign begin_slot = begin_q[ReadWidth-1:0];
  assign ask_slot   = asking_q[ReadWidth-1:0];
  assign head_slot  = head_q[ReadWidth-1:0];
  assign begins     = next_valid & begin_q != {~head_q[ReadWidth], head_slot};
  assign breaks     = begins & (next.resumed | next.clear);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begin_q  <= '0;
      asking_q <= '0;
      head_q   <= '0;
    end else begin
      if (begins) begin_q <= begin_q + 1'b1;
      if (passes) asking_q <= asking_q + 1'b1;
      if (retires_i) head_q <= head_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Reads; i++) begin
      if (breaks && qpns_q[24*i+:24] == next.qpn) stopped_q[i] <= 1'b1;
      if (fails_i && qpns_q[24*i+:24] == fails_qpn_i) stopped_q[i] <= 1'b1;
      if (begins && begin_slot == ReadWidth'(i)) qpns_q[24*i+:24] <= next.qpn;
    end
    if (begins) begin
      cmds[begin_slot]      <= next;
      stopped_q[begin_slot] <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Ask: a piece ends where an address is a multiple of 256, or the READ does.

  read_pkg::piece_t piece;
  logic started_q, closed, is_last, has_turn, mem_room;
  logic [PlaceWidth:0] ask_q;
  logic [63:0] address, address_q;
  logic [31:0] left, left_q;
  logic [8:0] to_edge;
  logic [2:0] unused_pieces;

  assign asked    = cmds[ask_slot];
  assign address  = started_q ? address_q : asked.address;
  assign left     = started_q ? left_q : asked.bytes;
  assign to_edge  = 9'd256 - {1'b0, address[7:0]};
  assign is_last  = left <= {23'd0, to_edge};
  assign has_turn = asking_q != begin_q;
  assign closed   = stopped_q[ask_slot] | asked.clear | left == '0;
  assign asks_o   = has_turn & ~closed & mem_room & ask_q != {~free_i[PlaceWidth], free_i[PlaceWidth-1:0]};
  assign passes   = has_turn & (closed | (asks_o & is_last));

  assign piece.tag     = 6'(ask_q[PlaceWidth-1:0]);
  assign piece.bytes   = is_last ? left[8:0] : to_edge;
  assign piece.address = address;
  assign ask_end_o     = {2'b0, address[6:0]} + piece.bytes;
  assign ask_o         = ask_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      ask_q     <= '0;
    end else begin
      if (passes) started_q <= 1'b0;
      else if (asks_o) started_q <= 1'b1;
      if (asks_o) ask_q <= ask_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (asks_o) begin
      address_q <= {address[63:8] + 1'b1, 8'd0};
      left_q    <= left - {23'd0, piece.bytes};
    end
    if (passes) ends[ask_slot] <= ask_q + (PlaceWidth + 1)'(asks_o);
  end

  sync_fifo #(
    .Width($bits(piece)),
    .Depth(4)
  ) u_pieces (
    .clk_i,
    .rst_ni,
    .s_data_i (piece),
    .s_valid_i(asks_o),
    .s_ready_o(mem_room),
    .m_data_o (m_mem_o),
    .m_valid_o(m_mem_valid_o),
    .m_ready_i(m_mem_ready_i),
    .count_o  (unused_pieces)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The oldest READ.

  assign head           = cmds[head_slot];
  assign head_o         = head;
  assign head_valid_o   = head_q != begin_q;
  assign head_stopped_o = stopped_q[head_slot];
  assign head_asked_o   = head_q != asking_q;
  assign head_end_o     = ends[head_slot];

endmodule
