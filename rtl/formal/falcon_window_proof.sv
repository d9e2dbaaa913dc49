// SPDX-License-Identifier: Apache-2.0
// falcon_window keeps the stream rules and, connection by connection, what docs/blocks/falcon_window.md says under
// "What holds".
//
// One connection and, in one of its windows, one PSN are watched, chosen by the solver once. What has become of the PSN
// is kept here from what went in and what the block says of it; induction ties it to the connection's words. That a
// record finds the words as the latest one of its connection left them is qp_context_proof.sv's: the memories are taken
// out, and it is assumed. Check selects assertions: bit 0 what induction needs for the others, then one bit a property
// of falcon_window.go.
module falcon_window_proof #(
  parameter int unsigned MostRequests = 4,  // sizes of windows that are set are at most these
  parameter int unsigned MostData = 8,
  parameter logic [13:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [445:0] s_rec_i,  // as docs/blocks/falcon_window.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i,
  input logic [1:0]   watch_i,  // the connection
  input logic         data_i,   // the window
  input logic [31:0]  psn_i     // the PSN
);

  logic s_ready, m_valid;
  logic [529:0] m_rec;

  falcon_window #(
    .NumConns(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_conn_i             (s_rec_i[23:0]),
    .s_op_i               (s_rec_i[26:24]),
    .s_select_i           (s_rec_i[27]),
    .s_deferred_i         (s_rec_i[28]),
    .s_resync_i           (s_rec_i[29]),
    .s_refuse_i           (s_rec_i[30]),
    .s_request_own_i      (s_rec_i[31]),
    .s_data_own_i         (s_rec_i[32]),
    .s_psn_a_i            (s_rec_i[64:33]),
    .s_psn_b_i            (s_rec_i[96:65]),
    .s_request_bits_i     (s_rec_i[160:97]),
    .s_data_ack_bits_i    (s_rec_i[288:161]),
    .s_data_rx_bits_i     (s_rec_i[416:289]),
    .s_request_size_i     (s_rec_i[423:417]),
    .s_data_size_i        (s_rec_i[431:424]),
    .s_threshold_i        (s_rec_i[439:432]),
    .s_profile_i          (s_rec_i[445:440]),
    .s_valid_i,
    .s_ready_o            (s_ready),
    .m_conn_o             (m_rec[23:0]),
    .m_op_o               (m_rec[26:24]),
    .m_why_o              (m_rec[30:27]),
    .m_eack_o             (m_rec[31]),
    .m_psn_o              (m_rec[63:32]),
    .m_request_base_o     (m_rec[95:64]),
    .m_data_base_o        (m_rec[127:96]),
    .m_request_moved_o    (m_rec[134:128]),
    .m_data_moved_o       (m_rec[142:135]),
    .m_idle_o             (m_rec[143]),
    .m_request_own_o      (m_rec[144]),
    .m_data_own_o         (m_rec[145]),
    .m_request_bits_o     (m_rec[209:146]),
    .m_data_bits_o        (m_rec[337:210]),
    .m_more_data_bits_o   (m_rec[465:338]),
    .m_more_request_bits_o(m_rec[529:466]),
    .m_valid_o            (m_valid),
    .m_ready_i
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.in_valid_q ;
  (* hierconn *) wire \dut.r_valid_q ;
  (* hierconn *) wire \dut.f_valid_q ;
  (* hierconn *) wire \dut.x_valid_q ;
  (* hierconn *) wire \dut.y_valid_q ;
  (* hierconn *) wire \dut.z_valid_q ;
  (* hierconn *) wire \dut.w_valid_q ;
  (* hierconn *) wire [445:0] \dut.in_q ;
  (* hierconn *) wire [445:0] \dut.r_q ;
  (* hierconn *) wire [445:0] \dut.f_q ;
  (* hierconn *) wire [445:0] \dut.x_q ;
  (* hierconn *) wire [445:0] \dut.y_q ;
  (* hierconn *) wire \dut.r_known_q ;
  (* hierconn *) wire \dut.f_known_q ;
  (* hierconn *) wire \dut.x_known_q ;
  (* hierconn *) wire \dut.r_legal_q ;
  (* hierconn *) wire \dut.f_legal_q ;
  (* hierconn *) wire \dut.x_legal_q ;
  (* hierconn *) wire \dut.x_write ;
  (* hierconn *) wire [405:0] \dut.x_rx ;
  (* hierconn *) wire [405:0] \dut.x_rx_d ;
  (* hierconn *) wire [345:0] \dut.x_tx ;
  (* hierconn *) wire [345:0] \dut.x_tx_d ;
  (* hierconn *) wire [529:0] \dut.y_result ;
  (* hierconn *) wire [529:0] \dut.z_result_q ;
  (* hierconn *) wire [529:0] \dut.w_result_q ;
  (* hierconn *) wire [127:0] \dut.z_req_missing ;
  (* hierconn *) wire [127:0] \dut.z_data_missing ;
  (* hierconn *) wire \dut.z_missing_q ;
  (* hierconn *) wire [3:0] \dut.u_queue.write_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_queue.read_ptr_q ;
  (* hierconn *) wire [4:0] \dut.u_queue.count_q ;
  (* hierconn *) wire \dut.u_queue.valid_i ;

  // Each half of a connection is looked at for its own properties only.
  localparam logic Rx = Check[10:6] != '0;
  localparam logic Tx = Check[13:11] != '0;

  logic initial_q = 1'b1;
  logic [1:0] watch_q;
  logic data_q;
  logic [31:0] psn_q;

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    if (initial_q) {watch_q, data_q, psn_q} <= {watch_i, data_i, psn_i};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The words of the connection, changed by its own records only, and found by them.

  window_pkg::record_t x_rec;
  window_pkg::receiver_t rx_q;
  window_pkg::transmitter_t tx_q;
  logic x_own;

  assign x_rec = \dut.x_q ;
  assign x_own = \dut.x_valid_q && x_rec.conn == {22'd0, watch_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {rx_q, tx_q} <= '0;
    else if (x_own && \dut.x_write ) {rx_q, tx_q} <= {\dut.x_rx_d , \dut.x_tx_d };
  end

  always_ff @(posedge clk_i) begin
    if (x_own) begin
      if (Rx) assume (\dut.x_rx == rx_q);
      if (Tx) assume (\dut.x_tx == tx_q);
      if ((Rx || Tx) && x_rec.op == window_pkg::OpSet)
        assume ((x_rec.request_size <= MostRequests || x_rec.request_size > 7'd64) &&
                (x_rec.data_size <= MostData || x_rec.data_size > 8'd128));
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The record in Y and what the block says of it, of the window that is watched.

  window_pkg::record_t rec;
  window_pkg::result_t res;
  logic here, good, of_window;
  logic [7:0] moved;
  logic [127:0] acked_bits, rx_bits, newly_bits, named_bits;

  assign rec        = \dut.y_q ;
  assign res        = \dut.y_result ;
  assign here       = \dut.y_valid_q && rec.conn == {22'd0, watch_q};
  assign good       = res.why == window_pkg::WhyGood;
  assign of_window  = rec.select == data_q && rec.psn_a == psn_q;
  assign moved      = data_q ? res.data_moved : {1'b0, res.request_moved};
  assign acked_bits = data_q ? res.data_bits : {64'd0, res.request_bits};
  assign rx_bits    = data_q ? res.more_data_bits : {64'd0, res.request_bits};
  assign newly_bits = data_q ? res.more_data_bits : {64'd0, res.more_request_bits};
  assign named_bits = data_q ? rec.data_rx_bits : {64'd0, rec.request_bits};

  // far: how many PSNs the watched one is ahead of the base, below 0 behind it. Nothing is said of a PSN that was
  // behind it from the start, and PSNs do not come round.
  typedef struct packed {
    logic               open;
    logic               live;      // the PSN was not behind the base when the half was set
    logic signed [32:0] far;
    logic               received;
    logic               acked;
    logic [1:0]         own;       // data, request
    logic               over_rx;   // the base of the watched window moves over what is received
    logic               dup_by_rx;
    logic               inclusive;
    logic [7:0]         size;
  } rx_t;

  typedef struct packed {
    logic               open;
    logic               live;
    logic signed [32:0] far;
    logic               sent;
    logic               acked;
    logic [7:0]         size;
  } tx_t;

  rx_t rx_was_q, rx_now;  // before and behind the record in Y
  tx_t tx_was_q, tx_now;
  logic [31:0] start;  // of the watched PSN, from the base that a set has
  // Its bit. Yosys 0.23 takes a piece of a signed field for signed, also as an index.
  logic [6:0] rx_was_at, rx_at, tx_was_at, tx_at;

  assign rx_was_at = rx_was_q.far[6:0];
  assign rx_at     = rx_now.far[6:0];
  assign tx_was_at = tx_was_q.far[6:0];
  assign tx_at     = tx_now.far[6:0];

  assign start = psn_q - (data_q ? rec.psn_b : rec.psn_a);

  always_comb begin
    rx_now = rx_was_q;
    if (here && rec.op == window_pkg::OpReset) rx_now = '0;
    if (here && good && rec.op == window_pkg::OpSet && !rec.select) begin
      rx_now           = '0;
      rx_now.open      = 1'b1;
      rx_now.live      = ~start[31];
      rx_now.far       = {1'b0, start};
      rx_now.over_rx   = rec.profile.base_over_received && data_q;
      rx_now.dup_by_rx = rec.profile.duplicate_by_rx;
      rx_now.inclusive = rec.profile.window_inclusive;
      rx_now.size      = data_q ? rec.data_size : {1'b0, rec.request_size};
    end
    if (here && rx_was_q.open && rec.op == window_pkg::OpPacket) begin
      if (of_window && (good || res.why == window_pkg::WhyAgain)) begin
        rx_now.received = 1'b1;
        if (!data_q || !rec.deferred) rx_now.acked = 1'b1;
      end
      rx_now.far = rx_was_q.far - $signed({25'd0, moved});
      if (of_window && rx_was_q.live && res.why == window_pkg::WhyBeyond) begin
        if (rx_was_q.far != $signed({25'd0, rx_was_q.size}) || !rx_was_q.inclusive) rx_now.own[data_q] = 1'b1;
      end
    end
    if (here && rx_was_q.open && rec.op == window_pkg::OpAcknowledge) begin
      if (of_window && good) rx_now.acked = 1'b1;
      rx_now.far = rx_was_q.far - $signed({25'd0, moved});
    end
    if (here && rx_was_q.open && rec.op == window_pkg::OpTake && res.eack) rx_now.own = '0;
  end

  always_comb begin
    tx_now = tx_was_q;
    if (here && rec.op == window_pkg::OpReset) tx_now = '0;
    if (here && good && rec.op == window_pkg::OpSet && rec.select) begin
      tx_now      = '0;
      tx_now.open = 1'b1;
      tx_now.live = ~start[31];
      tx_now.far  = {1'b0, start};
      tx_now.size = data_q ? rec.data_size : {1'b0, rec.request_size};
    end
    if (here && tx_was_q.open && good && rec.op == window_pkg::OpSend) begin
      if (rec.select == data_q && res.psn == psn_q) tx_now.sent = 1'b1;
    end
    if (here && tx_was_q.open && good && (rec.op == window_pkg::OpBack || rec.op == window_pkg::OpEack)) begin
      if (tx_was_q.far >= 0 && tx_was_q.far < 128 && newly_bits[tx_was_at]) tx_now.acked = 1'b1;
      tx_now.far = tx_was_q.far - $signed({25'd0, moved});
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {rx_was_q, tx_was_q} <= '0;
    else {rx_was_q, tx_was_q} <= {rx_now, tx_now};
  end

  always_ff @(posedge clk_i) begin
    if (Rx) assume (rx_now.far >= -33'sd2147483000);
    if (Tx) assume (tx_now.far >= -33'sd2147483000);
  end

  // What is missing is known a clock later.
  logic z_own_q, z_named_q;

  always_ff @(posedge clk_i) begin
    z_own_q   <= here && good && rec.op == window_pkg::OpEack && tx_was_q.live;
    z_named_q <= named_bits[tx_at];
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What ties this to the words.

  function automatic logic [127:0] below(input logic [7:0] n);
    below = ~({128{1'b1}} << n);
  endfunction

  logic [127:0] w_rx, w_ack, w_tx_ack;
  logic [31:0] w_rx_base, w_tx_base, w_req_sent, w_data_sent, w_sent;
  logic [7:0] w_rx_size, w_tx_size;
  logic rx_inside, tx_inside, rx_passed;

  assign w_rx        = data_q ? rx_q.data_rx : {64'd0, rx_q.request_rx};
  assign w_ack       = data_q ? rx_q.data_ack : {64'd0, rx_q.request_rx};
  assign w_rx_base   = data_q ? rx_q.data_base : rx_q.request_base;
  assign w_rx_size   = data_q ? rx_q.data_size : {1'b0, rx_q.request_size};
  assign w_tx_ack    = data_q ? tx_q.data_ack : {64'd0, tx_q.request_ack};
  assign w_tx_base   = data_q ? tx_q.data_base : tx_q.request_base;
  assign w_tx_size   = data_q ? tx_q.data_size : {1'b0, tx_q.request_size};
  assign w_req_sent  = tx_q.request_next - tx_q.request_base;
  assign w_data_sent = tx_q.data_next - tx_q.data_base;
  assign w_sent      = data_q ? w_data_sent : w_req_sent;
  assign rx_inside   = rx_now.far >= 0 && rx_now.far < $signed({25'd0, rx_now.size});
  assign tx_inside   = tx_now.far >= 0 && tx_now.far < $signed({25'd0, tx_now.size});
  assign rx_passed   = rx_now.over_rx ? rx_now.received : rx_now.acked;

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[0] && (Rx || Tx)) begin
      if (\dut.r_valid_q ) assert (\dut.r_known_q == (\dut.r_q [23:2] == '0) && \dut.r_legal_q == legal(\dut.r_q ));
      if (\dut.f_valid_q ) assert (\dut.f_known_q == (\dut.f_q [23:2] == '0) && \dut.f_legal_q == legal(\dut.f_q ));
      if (\dut.x_valid_q ) assert (\dut.x_known_q == (\dut.x_q [23:2] == '0) && \dut.x_legal_q == legal(\dut.x_q ));
    end
    if (!initial_q && rst_ni && Check[0] && Rx) begin  // the receiver's word
      assert (rx_q.open == rx_now.open && w_rx_size == rx_now.size);
      if (!rx_q.open) assert (rx_q == '0 && rx_now == '0);
      else begin
        assert (rx_q.request_size != '0 && rx_q.request_size <= MostRequests);
        assert (rx_q.data_size != '0 && rx_q.data_size <= MostData);
        assert (rx_q.duplicate_by_rx == rx_now.dup_by_rx && rx_q.window_inclusive == rx_now.inclusive);
        assert ((rx_q.base_over_received && data_q) == rx_now.over_rx);
        assert ((rx_q.data_ack & ~rx_q.data_rx) == '0 && !rx_q.data_ack[0] && !rx_q.request_rx[0]);
        if (rx_q.base_over_received) assert (!rx_q.data_rx[0]);
        assert ((rx_q.data_rx & ~below(rx_q.data_size)) == '0);
        assert (({64'd0, rx_q.request_rx} & ~below({1'b0, rx_q.request_size})) == '0);
        assert (rx_q.data_rx >> MostData == '0 && rx_q.request_rx >> MostRequests == '0);
      end
      assert ((rx_now.own & ~{rx_q.data_own, rx_q.request_own}) == '0);
      if (rx_now.live) begin
        assert (rx_now.open && rx_now.far[31:0] == psn_q - w_rx_base && rx_now.far[32] == rx_now.far[31]);
        if (rx_inside) assert (w_rx[rx_at] == rx_now.received && w_ack[rx_at] == rx_now.acked);
        if (rx_now.far < 0) assert (rx_passed);
        if (rx_now.far >= $signed({25'd0, rx_now.size})) assert (!rx_now.received && !rx_now.acked);
        assert (!rx_now.acked || rx_now.received);
      end
    end
    if (!initial_q && rst_ni && Check[0] && Tx) begin  // the transmitter's
      assert (tx_q.open == tx_now.open && w_tx_size == tx_now.size);
      if (!tx_q.open) assert (tx_q == '0 && tx_now == '0);
      else begin
        assert (tx_q.request_size != '0 && tx_q.request_size <= MostRequests &&
                w_req_sent <= {25'd0, tx_q.request_size});
        assert (tx_q.data_size != '0 && tx_q.data_size <= MostData && w_data_sent <= {24'd0, tx_q.data_size});
        assert ((tx_q.data_ack & ~below(w_data_sent[7:0])) == '0);
        assert (({64'd0, tx_q.request_ack} & ~below(w_req_sent[7:0])) == '0);
        assert (tx_q.data_ack >> MostData == '0 && tx_q.request_ack >> MostRequests == '0);
      end
      if (tx_now.live) begin
        assert (tx_now.open && tx_now.far[31:0] == psn_q - w_tx_base && tx_now.far[32] == tx_now.far[31]);
        if (tx_now.far >= 0) assert (tx_now.sent == (tx_now.far[31:0] < w_sent));
        else assert (tx_now.sent && tx_now.acked);
        if (tx_inside) assert (w_tx_ack[tx_at] == tx_now.acked);
        assert (!tx_now.acked || tx_now.sent);
      end
    end
  end

  function automatic logic legal(input logic [445:0] r);
    legal = r[423:417] != '0 && r[423:417] <= 7'd64 && r[431:424] != '0 && r[431:424] <= 8'd128;
  endfunction

  // ---------------------------------------------------------------------------------------------------------------
  // The properties.

  logic in_window, taken, waits;
  assign in_window = rx_was_q.far >= 0 && rx_was_q.far < $signed({25'd0, rx_was_q.size});
  assign taken     = in_window && !rx_was_q.acked &&
                     !(rx_was_q.dup_by_rx && rx_was_q.received && !rec.resync) && !rec.refuse;
  assign waits     = tx_was_q.far >= 0 && tx_was_q.far < $signed({25'd0, tx_was_q.size});  // the PSN is in the window

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (here && rx_was_q.live && rec.op == window_pkg::OpPacket && of_window && Check[6])
        assert (good == (taken && !rx_was_q.received) &&
                (res.why == window_pkg::WhyAgain) == (taken && rx_was_q.received));
      if (rx_now.live && Check[7] && rx_now.far < 0) assert (rx_passed);
      if (rx_now.live && Check[8] && rx_now.far == 0) assert (!rx_passed);
      if (here && rx_was_q.live && rec.op == window_pkg::OpTake && Check[9]) begin
        if (in_window && rx_was_q.acked) assert (res.eack);
        if (in_window && res.eack)
          assert (rx_bits[rx_was_at] == rx_was_q.received && acked_bits[rx_was_at] == rx_was_q.acked);
        if (!in_window && rx_was_q.far >= 0 && rx_was_q.far < 128)
          assert (!rx_bits[rx_was_at] && !acked_bits[rx_was_at]);
      end
      if (here && rec.op == window_pkg::OpTake && Check[10]) begin
        if (rx_was_q.own != '0) assert (res.eack && ({res.data_own, res.request_own} & rx_was_q.own) == rx_was_q.own);
        if (res.eack) assert ({rx_q.data_own, rx_q.request_own} == '0);
      end
      if (here && tx_was_q.live && good && rec.op == window_pkg::OpSend && rec.select == data_q &&
          res.psn == psn_q && Check[11])
        assert (waits && !tx_was_q.sent);
      if (tx_was_q.live && Check[12]) begin
        if (tx_now.acked && !tx_was_q.acked) assert (tx_was_q.sent);
        if (here && good && (rec.op == window_pkg::OpBack || rec.op == window_pkg::OpEack) && waits && tx_was_q.acked)
          assert (!newly_bits[tx_was_at]);
        if (tx_now.live && tx_now.far < 0) assert (tx_now.acked && tx_now.sent);
      end
      if (z_own_q && \dut.z_missing_q && tx_was_q.far >= 0 && tx_was_q.far < 128 && Check[13] &&
          (data_q ? \dut.z_data_missing [tx_was_at] : \dut.z_req_missing [tx_was_at]))
        assert (tx_was_q.sent && !tx_was_q.acked && !z_named_q);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Records by number and operation, from stage to stage.

  logic [26:0] due;

  pipe_rules #(
    .Width   (27),
    .OutWidth(530),
    .Latency (7),
    .Depth   (16),
    .Check   (Check[5:0])
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i (initial_q),
    .push_i    (s_valid_i & s_ready),
    .waiting_i (2'd0),
    .enter_i   (s_valid_i & s_ready),
    .enter_id_i(s_rec_i[26:0]),
    .queue_i   (\dut.u_queue.valid_i ),
    .same_i    (\dut.w_result_q [26:0] == due),
    .due_o     (due),
    .stages_valid_i({\dut.w_valid_q , \dut.z_valid_q , \dut.y_valid_q , \dut.x_valid_q , \dut.f_valid_q ,
                       \dut.r_valid_q , \dut.in_valid_q }),
    .stages_id_i   ({\dut.w_result_q [26:0], \dut.z_result_q [26:0], \dut.y_q [26:0], \dut.x_q [26:0],
                     \dut.f_q [26:0], \dut.r_q [26:0], \dut.in_q [26:0]}),
    .queued_i  (4'(\dut.u_queue.write_ptr_q - \dut.u_queue.read_ptr_q )),
    .count_i   (\dut.u_queue.count_q ),
    .data_i    (m_rec),
    .valid_i   (m_valid),
    .ready_i   (m_ready_i)
  );

endmodule
