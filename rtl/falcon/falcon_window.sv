// SPDX-License-Identifier: Apache-2.0
// Both windows of many Falcon connections, at the receiver and at the transmitter: docs/blocks/falcon_window.md.
//
// R looks the connection up, F waits for its words, X does the record and writes them back in the same clock; Y lays
// the answer out, and Z adds what an EACK shows to be missing. A record a clock, of one connection or of many.
module falcon_window #(
  parameter int unsigned NumConns = 1024,  // a power of two, 4 to 65,536
  parameter RamStyle = "block"             // of ram_1r1w
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic [23:0]  s_conn_i,
  input  logic [2:0]   s_op_i,
  input  logic         s_select_i,
  input  logic         s_deferred_i,
  input  logic         s_resync_i,
  input  logic         s_refuse_i,
  input  logic         s_request_own_i,
  input  logic         s_data_own_i,
  input  logic [31:0]  s_psn_a_i,
  input  logic [31:0]  s_psn_b_i,
  input  logic [63:0]  s_request_bits_i,
  input  logic [127:0] s_data_ack_bits_i,
  input  logic [127:0] s_data_rx_bits_i,
  input  logic [6:0]   s_request_size_i,
  input  logic [7:0]   s_data_size_i,
  input  logic [7:0]   s_threshold_i,
  input  logic [5:0]   s_profile_i,
  input  logic         s_valid_i,
  output logic         s_ready_o,

  output logic [23:0]  m_conn_o,
  output logic [2:0]   m_op_o,
  output logic [3:0]   m_why_o,
  output logic         m_eack_o,
  output logic [31:0]  m_psn_o,
  output logic [31:0]  m_request_base_o,
  output logic [31:0]  m_data_base_o,
  output logic [6:0]   m_request_moved_o,
  output logic [7:0]   m_data_moved_o,
  output logic         m_idle_o,
  output logic         m_request_own_o,
  output logic         m_data_own_o,
  output logic [63:0]  m_request_bits_o,
  output logic [127:0] m_data_bits_o,
  output logic [127:0] m_more_data_bits_o,
  output logic [63:0]  m_more_request_bits_o,
  output logic         m_valid_o,
  input  logic         m_ready_i
);

  localparam int unsigned ConnWidth = $clog2(NumConns);
  localparam int unsigned Depth = 16;  // records under way at most: for one a clock at least the latency

  if (NumConns < 4 || NumConns > 65536 || NumConns != 2 ** ConnWidth) begin : gen_bad_num_conns
    $error("falcon_window: NumConns must be a power of two from 4 to 65536");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: an accepted record stands in a register. Behind it nothing ever stands still; nothing enters until every word
  // is zero.

  logic room, accept, rx_ready, tx_ready;
  window_pkg::record_t s_rec, in_q, r_q, f_q, x_q;
  logic in_valid_q, r_valid_q, f_valid_q, x_valid_q, y_valid_q, z_valid_q, w_valid_q;

  assign s_rec = {s_profile_i, s_threshold_i, s_data_size_i, s_request_size_i, s_data_rx_bits_i, s_data_ack_bits_i,
                  s_request_bits_i, s_psn_b_i, s_psn_a_i, s_data_own_i, s_request_own_i, s_refuse_i, s_resync_i,
                  s_deferred_i, s_select_i, s_op_i, s_conn_i};

  assign s_ready_o = room & rx_ready & tx_ready;
  assign accept    = s_valid_i & s_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {w_valid_q, z_valid_q, y_valid_q, x_valid_q, f_valid_q, r_valid_q, in_valid_q} <= '0;
    else begin
      {w_valid_q, z_valid_q, y_valid_q, x_valid_q} <= {z_valid_q, y_valid_q, x_valid_q, f_valid_q};
      {f_valid_q, r_valid_q, in_valid_q}           <= {r_valid_q, in_valid_q, accept};
    end
  end

  // What is known of a record without its connection: whether there is one of the number, and whether set may open it.
  logic r_known_q, f_known_q, x_known_q, r_legal_q, f_legal_q, x_legal_q;

  always_ff @(posedge clk_i) begin
    in_q      <= s_rec;
    r_q       <= in_q;
    f_q       <= r_q;
    x_q       <= f_q;
    r_known_q <= {8'd0, in_q.conn} < NumConns;
    r_legal_q <= in_q.request_size >= 7'd1 && in_q.request_size <= 7'd64 &&
                 in_q.data_size >= 8'd1 && in_q.data_size <= 8'd128;
    f_known_q <= r_known_q;
    f_legal_q <= r_legal_q;
    x_known_q <= f_known_q;
    x_legal_q <= f_legal_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // State.

  window_pkg::receiver_t x_rx, x_rx_done, x_rx_d;
  window_pkg::transmitter_t x_tx, x_tx_done, x_tx_d;
  logic x_write;

  assign x_write = x_valid_q & x_known_q;

  qp_context #(
    .NumQps  (NumConns),
    .Width   ($bits(x_rx)),
    .RamStyle(RamStyle)
  ) u_receivers (
    .clk_i,
    .rst_ni,
    .ready_o(rx_ready),
    .r_qpn_i(r_q.conn[ConnWidth-1:0]),
    .x_ctx_o(x_rx),
    .x_ctx_i(x_rx_d),
    .x_we_i (x_write)
  );

  qp_context #(
    .NumQps  (NumConns),
    .Width   ($bits(x_tx)),
    .RamStyle(RamStyle)
  ) u_transmitters (
    .clk_i,
    .rst_ni,
    .ready_o(tx_ready),
    .r_qpn_i(r_q.conn[ConnWidth-1:0]),
    .x_ctx_o(x_tx),
    .x_ctx_i(x_tx_d),
    .x_we_i (x_write)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // X, receiver: packet, acknowledge, take.

  window_pkg::why_e x_rx_why;
  logic x_eack;
  logic [7:0] x_rx_moved;

  window_receive u_receive (
    .rec_i  (x_q),
    .ctx_i  (x_rx),
    .ctx_o  (x_rx_done),
    .why_o  (x_rx_why),
    .eack_o (x_eack),
    .moved_o(x_rx_moved)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // X, transmitter: send, back, eack.

  logic is_ack, x_stale, x_ghost, x_taken;
  logic req_full, req_stale, req_ghost, data_full, data_stale, data_ghost;
  logic [31:0] req_base, req_next, data_base, data_next;
  logic [127:0] req_ack, data_ack, req_newly, data_newly, req_names, data_names;
  logic [7:0] req_moved, data_moved;

  assign is_ack     = x_q.op == window_pkg::OpBack || x_q.op == window_pkg::OpEack;
  assign x_stale    = req_stale | data_stale;
  assign x_ghost    = req_ghost | data_ghost;
  assign x_taken    = is_ack & ~x_stale & ~x_ghost;
  assign req_names  = x_q.op == window_pkg::OpEack && !x_tx.ack_into_rx ? {64'd0, x_q.request_bits} : '0;
  assign data_names = x_q.op == window_pkg::OpEack && !x_tx.ack_into_rx ? x_q.data_ack_bits : '0;

  window_transmit u_requests (
    .base_i (x_tx.request_base),
    .next_i (x_tx.request_next),
    .size_i ({1'b0, x_tx.request_size}),
    .ack_i  ({64'd0, x_tx.request_ack}),
    .send_i (x_q.op == window_pkg::OpSend && !x_q.select),
    .take_i (x_taken),
    .to_i   (x_q.psn_a),
    .names_i(req_names),
    .full_o (req_full),
    .stale_o(req_stale),
    .ghost_o(req_ghost),
    .base_o (req_base),
    .next_o (req_next),
    .ack_o  (req_ack),
    .moved_o(req_moved),
    .newly_o(req_newly)
  );

  window_transmit u_data (
    .base_i (x_tx.data_base),
    .next_i (x_tx.data_next),
    .size_i (x_tx.data_size),
    .ack_i  (x_tx.data_ack),
    .send_i (x_q.op == window_pkg::OpSend && x_q.select),
    .take_i (x_taken),
    .to_i   (x_q.psn_b),
    .names_i(data_names),
    .full_o (data_full),
    .stale_o(data_stale),
    .ghost_o(data_ghost),
    .base_o (data_base),
    .next_o (data_next),
    .ack_o  (data_ack),
    .moved_o(data_moved),
    .newly_o(data_newly)
  );

  always_comb begin
    x_tx_done              = x_tx;
    x_tx_done.request_base = req_base;
    x_tx_done.data_base    = data_base;
    x_tx_done.request_next = req_next;
    x_tx_done.data_next    = data_next;
    x_tx_done.request_ack  = req_ack[63:0];
    x_tx_done.data_ack     = data_ack;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // X: which of both is meant, set and reset, and why.

  logic x_of_tx, x_is_open;
  window_pkg::why_e x_why;

  assign x_of_tx = x_q.op == window_pkg::OpSend || is_ack || (x_q.op == window_pkg::OpSet && x_q.select);

  assign x_is_open = x_of_tx ? x_tx.open : x_rx.open;

  always_comb begin
    x_why = window_pkg::WhyGood;
    if (!x_known_q) begin
      x_why = window_pkg::WhyNoConn;
    end else if (x_q.op == window_pkg::OpReset) begin
      x_why = window_pkg::WhyGood;
    end else if (x_q.op == window_pkg::OpSet) begin
      if (x_is_open) x_why = window_pkg::WhyIsOpen;
      else if (!x_legal_q) x_why = window_pkg::WhyIllegal;
    end else if (!x_is_open) begin
      x_why = window_pkg::WhyNoConn;
    end else if (x_q.op == window_pkg::OpSend) begin
      if (x_q.select ? data_full : req_full) x_why = window_pkg::WhyFull;
    end else if (is_ack) begin
      if (x_stale) x_why = window_pkg::WhyStale;
      else if (x_ghost) x_why = window_pkg::WhyGhost;
    end else begin
      x_why = x_rx_why;
    end
  end

  always_comb begin
    x_rx_d = x_rx;
    x_tx_d = x_tx;
    if (x_q.op == window_pkg::OpReset) begin
      x_rx_d = '0;
      x_tx_d = '0;
    end else if (x_q.op == window_pkg::OpSet) begin
      if (x_why == window_pkg::WhyGood && !x_q.select) begin
        x_rx_d                    = '0;
        x_rx_d.open               = 1'b1;
        x_rx_d.window_inclusive   = x_q.profile.window_inclusive;
        x_rx_d.base_over_received = x_q.profile.base_over_received;
        x_rx_d.eack_on_any_rx     = x_q.profile.eack_on_any_rx;
        x_rx_d.duplicate_by_rx    = x_q.profile.duplicate_by_rx;
        x_rx_d.request_size       = x_q.request_size;
        x_rx_d.data_size          = x_q.data_size;
        x_rx_d.request_base       = x_q.psn_a;
        x_rx_d.data_base          = x_q.psn_b;
      end
      if (x_why == window_pkg::WhyGood && x_q.select) begin
        x_tx_d                    = '0;
        x_tx_d.open               = 1'b1;
        x_tx_d.ack_into_rx        = x_q.profile.ack_into_rx;
        x_tx_d.distance_inclusive = x_q.profile.distance_inclusive;
        x_tx_d.threshold          = x_q.threshold;
        x_tx_d.request_size       = x_q.request_size;
        x_tx_d.data_size          = x_q.data_size;
        x_tx_d.request_base       = x_q.psn_a;
        x_tx_d.data_base          = x_q.psn_b;
        x_tx_d.request_next       = x_q.psn_a;
        x_tx_d.data_next          = x_q.psn_b;
      end
    end else if (x_of_tx) begin
      if (x_tx.open) x_tx_d = x_tx_done;
    end else begin
      if (x_rx.open) x_rx_d = x_rx_done;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Into Y: the record, its halves behind it, and what it did.

  window_pkg::record_t y_q;
  window_pkg::receiver_t y_rx_q;
  window_pkg::transmitter_t y_tx_q;
  window_pkg::why_e y_why_q;
  logic y_of_tx_q, y_eack_q, y_taken_q, y_request_own_q, y_data_own_q;
  logic [7:0] y_request_moved_q, y_data_moved_q;
  logic [31:0] y_psn_q;
  logic [63:0] y_req_newly_q;
  logic [127:0] y_data_newly_q;

  always_ff @(posedge clk_i) begin
    y_q             <= x_q;
    y_rx_q          <= x_rx_d;
    y_tx_q          <= x_tx_d;
    y_why_q         <= x_why;
    y_of_tx_q       <= x_of_tx;
    y_eack_q        <= x_eack;
    y_taken_q       <= x_taken;
    y_request_own_q <= x_rx.request_own;
    y_data_own_q    <= x_rx.data_own;
    y_req_newly_q   <= req_newly[63:0];
    y_data_newly_q  <= data_newly;
    if (is_ack) begin
      y_request_moved_q <= req_moved;
      y_data_moved_q    <= data_moved;
    end else begin
      y_request_moved_q <= x_q.select ? 8'd0 : x_rx_moved;
      y_data_moved_q    <= x_q.select ? x_rx_moved : 8'd0;
    end
    y_psn_q <= x_q.op != window_pkg::OpSend ? x_q.psn_a : x_q.select ? x_tx.data_next : x_tx.request_next;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Y: whether nothing is on its way, and the answer but for what is missing: that is known in Z.

  logic [31:0] y_req_sent, y_data_sent;
  logic [127:0] z_req_missing, z_data_missing;
  logic y_rx_idle, y_tx_idle;

  assign y_req_sent  = y_tx_q.request_next - y_tx_q.request_base;
  assign y_data_sent = y_tx_q.data_next - y_tx_q.data_base;

  window_missing u_req_missing (
    .clk_i,
    .sent_i     (y_req_sent[7:0]),
    .ack_i      ({64'd0, y_tx_q.request_ack}),
    .named_i    ({64'd0, y_q.request_bits}),
    .own_i      (y_q.request_own),
    .threshold_i(y_tx_q.threshold),
    .inclusive_i(y_tx_q.distance_inclusive),
    .missing_o  (z_req_missing)
  );

  window_missing u_data_missing (
    .clk_i,
    .sent_i     (y_data_sent[7:0]),
    .ack_i      (y_tx_q.data_ack),
    .named_i    (y_q.data_rx_bits),
    .own_i      (y_q.data_own),
    .threshold_i(y_tx_q.threshold),
    .inclusive_i(y_tx_q.distance_inclusive),
    .missing_o  (z_data_missing)
  );

  assign y_rx_idle = ~((|y_rx_q.request_rx) | (|y_rx_q.data_rx) | (|y_rx_q.data_ack) |
                       y_rx_q.request_own | y_rx_q.data_own);
  assign y_tx_idle = (window_pkg::below(y_req_sent[7:0]) & ~{64'd0, y_tx_q.request_ack}) == '0 &&
                     (window_pkg::below(y_data_sent[7:0]) & ~y_tx_q.data_ack) == '0;

  window_pkg::result_t y_result, z_result_q, w_result_q, out;
  logic z_missing_q;

  always_comb begin
    y_result      = '0;
    y_result.conn = y_q.conn;
    y_result.op   = y_q.op;
    y_result.why  = y_why_q;
    if (y_why_q != window_pkg::WhyNoConn) begin
      y_result.request_base = y_of_tx_q ? y_tx_q.request_base : y_rx_q.request_base;
      y_result.data_base    = y_of_tx_q ? y_tx_q.data_base : y_rx_q.data_base;
      y_result.idle         = y_of_tx_q ? y_tx_idle : y_rx_idle;
      unique case (y_q.op)
        window_pkg::OpPacket, window_pkg::OpAcknowledge: begin
          y_result.psn           = y_psn_q;
          y_result.request_moved = y_request_moved_q[6:0];
          y_result.data_moved    = y_data_moved_q;
        end
        window_pkg::OpTake: begin
          y_result.eack = y_eack_q;
          if (y_eack_q) begin
            y_result.request_own    = y_request_own_q;
            y_result.data_own       = y_data_own_q;
            y_result.request_bits   = y_rx_q.request_rx;
            y_result.data_bits      = y_rx_q.data_ack;
            y_result.more_data_bits = y_rx_q.data_rx;
          end
        end
        window_pkg::OpSend: begin
          if (y_why_q == window_pkg::WhyGood) y_result.psn = y_psn_q;
        end
        window_pkg::OpBack, window_pkg::OpEack: begin
          y_result.request_moved     = y_request_moved_q[6:0];
          y_result.data_moved        = y_data_moved_q;
          y_result.more_request_bits = y_req_newly_q;
          y_result.more_data_bits    = y_data_newly_q;
        end
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    z_result_q  <= y_result;
    z_missing_q <= y_taken_q && y_q.op == window_pkg::OpEack && y_why_q == window_pkg::WhyGood;
    w_result_q  <= z_result_q;
    if (z_missing_q) begin
      w_result_q.request_bits <= z_req_missing[63:0];
      w_result_q.data_bits    <= z_data_missing;
    end
  end

  credit_queue #(
    .Width($bits(out)),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i (accept),
    .room_o  (room),
    .data_i  (w_result_q),
    .valid_i (w_valid_q),
    .m_data_o(out),
    .m_valid_o,
    .m_ready_i
  );

  assign {m_more_request_bits_o, m_more_data_bits_o, m_data_bits_o, m_request_bits_o, m_data_own_o, m_request_own_o,
          m_idle_o, m_data_moved_o, m_request_moved_o, m_data_base_o, m_request_base_o, m_psn_o, m_eack_o, m_why_o,
          m_op_o, m_conn_o} = out;

`ifdef VERILATOR
  record_rules #(
    .Width($bits(s_rec))
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_rec),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  record_rules #(
    .Width($bits(out))
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .data_i (out),
    .valid_i(m_valid_o),
    .ready_i(m_ready_i)
  );
`endif

endmodule
