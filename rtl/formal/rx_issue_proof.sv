// SPDX-License-Identifier: Apache-2.0
// rx_issue lets a request go when, and only when, no request under way holds it by the table of its document; verdicts
// are always taken. The harness keeps a list of what is under way, oldest first, from what the block lets go and what
// verdicts come. Check: bit 0 ties the list to the block's ring, then one bit a property of rx_issue.go.
module rx_issue_proof #(
  parameter logic [8:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [51:0] s_rec_i,  // as docs/blocks/rx_issue.md lays it out
  input logic        s_valid_i,
  input logic [23:0] s_done_qpn_i,
  input logic        s_done_valid_i,
  input logic        m_ready_i
);

  localparam int unsigned Depth = 4;

  logic s_ready, s_done_ready, m_valid;
  logic [51:0] m_rec;

  rx_issue #(
    .Depth(Depth)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_qpn_i          (s_rec_i[23:0]),
    .s_queue_i        (s_rec_i[47:24]),
    .s_needs_message_i(s_rec_i[48]),
    .s_needs_wqe_i    (s_rec_i[49]),
    .s_uses_wqe_i     (s_rec_i[50]),
    .s_invalidates_i  (s_rec_i[51]),
    .s_valid_i,
    .s_ready_o        (s_ready),
    .s_done_qpn_i,
    .s_done_valid_i,
    .s_done_ready_o   (s_done_ready),
    .m_qpn_o          (m_rec[23:0]),
    .m_queue_o        (m_rec[47:24]),
    .m_needs_message_o(m_rec[48]),
    .m_needs_wqe_o    (m_rec[49]),
    .m_uses_wqe_o     (m_rec[50]),
    .m_invalidates_o  (m_rec[51]),
    .m_valid_o        (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [51:0] \dut.u_in.m_data_o ;
  (* hierconn *) wire \dut.u_in.m_valid_o ;
  (* hierconn *) wire \dut.u_in.m_ready_i ;
  (* hierconn *) wire [51:0] \dut.u_out.s_data_i ;
  (* hierconn *) wire \dut.u_out.s_valid_i ;
  (* hierconn *) wire \dut.u_out.s_ready_o ;
  (* hierconn *) wire [95:0] \dut.qpns_q ;
  (* hierconn *) wire [95:0] \dut.rqs_q ;
  (* hierconn *) wire [3:0] \dut.uses_q ;
  (* hierconn *) wire [3:0] \dut.invalidates_q ;
  (* hierconn *) wire [3:0] \dut.valid_q ;
  (* hierconn *) wire [1:0] \dut.read_ptr_q ;
  (* hierconn *) wire [1:0] \dut.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.count_q ;
  (* hierconn *) wire \dut.place_q ;
  (* hierconn *) wire \dut.some_q ;

  // What waits first, and whether it goes: it leaves the input queue.
  logic [51:0] head;
  logic head_valid, room, goes, ends;
  assign head       = \dut.u_in.m_data_o ;
  assign head_valid = \dut.u_in.m_valid_o ;
  assign room       = \dut.u_out.s_ready_o ;
  assign goes       = head_valid & \dut.u_in.m_ready_i ;

  // ---------------------------------------------------------------------------------------------------------------
  // The list, oldest first.

  logic [2:0] n_q, n_left;
  logic [Depth*52-1:0] list_q, list_left;
  logic first_q;  // the first clock behind a reset: the block has no place yet

  assign ends      = s_done_valid_i & s_done_ready & n_q != '0 & s_done_qpn_i == list_q[23:0];
  assign n_left    = n_q - 3'(ends);
  assign list_left = ends ? list_q >> 52 : list_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      n_q     <= '0;
      first_q <= 1'b1;
    end else begin
      n_q     <= n_left + 3'(goes);
      first_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    list_q <= list_left;
    if (goes) list_q[52*n_left+:52] <= head;
  end

  // The table of the document.
  logic by_qp, by_queue;

  always_comb begin
    by_qp    = 1'b0;
    by_queue = 1'b0;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (3'(i) < n_q) begin
        if (list_q[52*i+:24] == head[23:0] && (head[48] || list_q[52*i+51])) by_qp = 1'b1;
        if (list_q[52*i+24+:24] == head[47:24] && head[49] && list_q[52*i+50]) by_queue = 1'b1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The block's ring holds the list.

  logic tied;
  logic [1:0] at;

  always_comb begin
    tied = \dut.count_q == n_q && 2'(\dut.write_ptr_q - \dut.read_ptr_q ) == n_q[1:0] && n_q <= 3'd4;
    for (int unsigned i = 0; i < Depth; i++) begin
      at = \dut.read_ptr_q + 2'(i);
      if (\dut.valid_q [at] != (3'(i) < n_q)) tied = 1'b0;
      if (3'(i) < n_q && {\dut.invalidates_q [at], \dut.uses_q [at], \dut.rqs_q [24*at+:24], \dut.qpns_q [24*at+:24]} !=
          {list_q[52*i+50+:2], list_q[52*i+:48]}) tied = 1'b0;
    end
  end

  logic initial_q = 1'b1;
  logic stalled_q = 1'b0;
  logic [51:0] m_rec_q;

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    stalled_q <= rst_ni & m_valid & ~m_ready_i;
    m_rec_q   <= m_rec;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[0]) assert (tied && \dut.place_q == (n_q != 3'd4 && !first_q) && \dut.some_q == (n_q != '0));
      if (Check[1] && stalled_q) assert (m_valid);
      if (Check[2] && stalled_q) assert (m_rec == m_rec_q);
      if (Check[3]) begin
        assert (goes == (room & \dut.u_out.s_valid_i ));
        if (goes) assert (\dut.u_out.s_data_i == head);
      end
      if (Check[4] && goes) assert (!by_qp);
      if (Check[5] && goes) assert (!by_queue);
      if (Check[6] && head_valid && room && n_q != 3'd4 && !first_q && !by_qp && !by_queue) assert (goes);
      if (Check[7]) assert (s_done_ready == (n_q != '0));
      if (Check[8]) assert (\dut.count_q == n_q && n_q <= 3'd4);
    end
  end

endmodule
