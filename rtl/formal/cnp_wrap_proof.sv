// SPDX-License-Identifier: Apache-2.0
// A time stamp of 5 bits tells the truth for any time: a mark gives a CNP of its QP exactly if the last one is not less
// than the period ago, counted by a counter that does not wrap. One QP is watched, chosen by the solver once. What the
// memory of QPs gives of it is what was last written: qp_context's. Check: bit 0 the invariant, then one bit a
// property.
module cnp_wrap_proof #(
  parameter logic [2:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [2:0]   op_i,
  input logic [2:0]   qpn_i,
  input logic         cnp_i,
  input logic [2:0]   encap_i,
  input logic [1:0]   ecn_i,
  input logic [4:0]   period_i,
  input logic         s_valid_i,
  input logic         m_ready_i,
  input logic [1:0]   watch_i
);

  localparam int unsigned Half = 16;  // of the range of a stamp

  logic s_ready, m_valid;
  logic [426:0] m_rec;
  logic [457:0] s_rec_i;  // what decides nothing is 0

  assign s_rec_i = {27'd0, period_i, 318'd0, ecn_i, 66'd0, encap_i, cnp_i, 6'd0, cnp_i, 2'd0, 21'd0, qpn_i, op_i};

  cnp_gen #(
    .NumQps    (4),
    .StampWidth(5)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i(s_rec_i[2:0]),
    .s_qpn_i(s_rec_i[26:3]),
    .s_service_i(s_rec_i[28:27]),
    .s_opcode_i(s_rec_i[36:29]),
    .s_encap_i(s_rec_i[39:37]),
    .s_tags_i(s_rec_i[41:40]),
    .s_vlan0_i(s_rec_i[73:42]),
    .s_vlan1_i(s_rec_i[105:74]),
    .s_tclass_i(s_rec_i[113:106]),
    .s_udp_src_port_i(s_rec_i[129:114]),
    .s_src_i(s_rec_i[257:130]),
    .s_dst_i(s_rec_i[385:258]),
    .s_pkey_i(s_rec_i[401:386]),
    .s_peer_qpn_i(s_rec_i[425:402]),
    .s_period_i(s_rec_i[457:426]),
    .s_valid_i,
    .s_ready_o(s_ready),
    .m_qpn_o(m_rec[23:0]),
    .m_op_o(m_rec[26:24]),
    .m_why_o(m_rec[29:27]),
    .m_opcode_o(m_rec[37:30]),
    .m_peer_qpn_o(m_rec[61:38]),
    .m_encap_o(m_rec[64:62]),
    .m_tags_o(m_rec[66:65]),
    .m_vlan0_o(m_rec[98:67]),
    .m_vlan1_o(m_rec[130:99]),
    .m_tclass_o(m_rec[138:131]),
    .m_udp_src_port_o(m_rec[154:139]),
    .m_src_o(m_rec[282:155]),
    .m_dst_o(m_rec[410:283]),
    .m_pkey_o(m_rec[426:411]),
    .m_valid_o(m_valid),
    .m_ready_i
  );

  (* hierconn *) wire [4:0] \dut.now ;
  (* hierconn *) wire [3:0] \dut.period_q ;
  (* hierconn *) wire \dut.open ;
  (* hierconn *) wire \dut.r_visit ;
  (* hierconn *) wire \dut.u_visits.f_visit_q ;
  (* hierconn *) wire \dut.x_visit ;
  (* hierconn *) wire \dut.u_pipe.r_valid_q ;
  (* hierconn *) wire \dut.u_pipe.f_valid_q ;
  (* hierconn *) wire \dut.u_pipe.x_valid_q ;
  (* hierconn *) wire [457:0] \dut.u_pipe.r_q ;
  (* hierconn *) wire [457:0] \dut.u_pipe.f_q ;
  (* hierconn *) wire [457:0] \dut.u_pipe.x_q ;
  (* hierconn *) wire \dut.u_context.ready_o ;
  (* hierconn *) wire [1:0] \dut.u_context.r_qpn_i ;
  (* hierconn *) wire [54:0] \dut.u_context.x_ctx_o ;
  (* hierconn *) wire [54:0] \dut.u_context.x_ctx_i ;
  (* hierconn *) wire \dut.u_context.x_we_i ;
  (* hierconn *) wire [426:0] \dut.u_decide.result_o ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  // The word of the QP that is watched, as it was last written; and which word is in F and X.
  logic [1:0] watch_q, f_index_q, x_index_q;
  logic [54:0] word_q;
  logic watched, ready_q;

  assign watched = x_index_q == watch_q;

  always_ff @(posedge clk_i) begin
    if (initial_q) watch_q <= watch_i;
    f_index_q <= \dut.u_context.r_qpn_i ;
    x_index_q <= f_index_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_q <= '0;
    else if (watched && \dut.u_context.x_we_i ) word_q <= \dut.u_context.x_ctx_i ;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ready_q <= 1'b0;
    else ready_q <= \dut.u_context.ready_o ;
  end

  // The truth: has the QP that is watched given a CNP since it was set, and how many clocks ago; 63 is that or more.
  logic [457:0] x_rec;
  logic [2:0] x_op, x_why;
  logic sent_q, x_packet;
  logic [5:0] ago_q;

  assign x_rec    = \dut.u_pipe.x_q ;
  assign x_op     = x_rec[2:0];
  assign x_why    = \dut.u_decide.result_o [29:27];
  assign x_packet = \dut.u_pipe.x_valid_q && watched && x_rec[4:3] == watch_q && x_op == 3'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sent_q <= 1'b0;
      ago_q  <= '0;
    end else begin
      if (ago_q != '1) ago_q <= ago_q + 1'b1;
      if (\dut.u_pipe.x_valid_q && x_rec[4:3] == watch_q) begin
        if (x_op == 3'd0 && x_why == 3'd0) begin
          sent_q <= 1'b1;
          ago_q  <= 6'd1;
        end
        if (x_op == 3'd1 || (x_op == 3'd3 && x_why == 3'd0)) sent_q <= 1'b0;
      end
    end
  end

  // Clocks since the visit before, 1 to Half: QP w is visited in X where the time is 4 w + 3 modulo Half.
  logic [3:0] phase;
  logic [4:0] since;
  logic recent;
  logic [4:0] stamp;
  assign phase  = \dut.now [3:0] - {watch_q, 2'd3} - 4'd1;
  assign since  = {1'b0, phase} + 5'd1;
  assign recent = word_q[53];
  assign stamp  = word_q[4:0];

  logic [4:0] then1, then2;
  assign then1 = \dut.now - 5'd1;
  assign then2 = \dut.now - 5'd2;
  logic [4:0] then3;
  assign then3 = \dut.now - 5'd3;

  // Ready for one clock, two and three.
  logic [2:0] readies_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) readies_q <= '0;
    else readies_q <= {readies_q[1:0], \dut.u_context.ready_o };
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (ready_q && rst_ni) assume (\dut.u_context.ready_o );
    if (watched) assume (\dut.u_context.x_ctx_o == word_q);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (ready_q == readies_q[0] && (readies_q[0] || !readies_q[1]) && (readies_q[1] || !readies_q[2]));
        // Visits, and the words that go with them.
        assert (\dut.r_visit == (readies_q[0] && then1[1:0] == 2'd0));
        assert (\dut.u_visits.f_visit_q == (readies_q[1] && then2[1:0] == 2'd0));
        assert (\dut.x_visit == (readies_q[2] && then3[1:0] == 2'd0));
        if (\dut.u_visits.f_visit_q ) assert (f_index_q == then2[3:2]);
        if (\dut.x_visit ) assert (x_index_q == then3[3:2]);
        assert (\dut.open == (readies_q[0] && \dut.now [1:0] != 2'd0));
        // Records, and theirs.
        if (\dut.u_pipe.r_valid_q ) assert (readies_q[1] && !\dut.r_visit );
        if (\dut.u_pipe.f_valid_q )
          assert (readies_q[2] && !\dut.u_visits.f_visit_q && f_index_q == \dut.u_pipe.f_q [4:3]);
        if (\dut.u_pipe.x_valid_q ) assert (readies_q[2] && !\dut.x_visit && x_index_q == x_rec[4:3]);
        // The word, and the truth.
        if (sent_q || recent) assert (readies_q[2]);
        if (recent) assert (sent_q && ago_q < {1'b0, since} + 6'(Half) && stamp == \dut.now - ago_q[4:0]);
        if (sent_q && !recent) assert (ago_q >= 6'(Half));
        if (sent_q) assert (ago_q != '0 && word_q[54]);
      end
      if (Check[1] && x_packet && (x_why == 3'd0 || x_why == 3'd5)) begin
        assert ((x_why == 3'd5) == (sent_q && ago_q < {2'd0, \dut.period_q }));
      end
      if (Check[2] && recent) assert (ago_q < 6'(2 * Half));
    end
  end

endmodule
