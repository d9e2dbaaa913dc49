// SPDX-License-Identifier: Apache-2.0
// Time stamps of 5 bits tell the truth for any time: an ask hears that its QP may not send exactly while the time that
// was put down for it is ahead, and a change counts exactly while it is less than forget ago, counted by counters
// that do not wrap. One QP is watched, chosen by the solver once. What the memory of QPs gives of it is what was last
// written: qp_context's; what products are may be anything. Check: bit 0 the invariant, then one bit a property.
module rate_wrap_proof #(
  parameter logic [2:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [2:0]   op_i,
  input logic [2:0]   qpn_i,
  input logic [4:0]   period_i,
  input logic [4:0]   forget_i,
  input logic         s_valid_i,
  input logic         m_ready_i,
  input logic [1:0]   watch_i
);

  localparam int unsigned Half = 16;  // of the range of a stamp

  logic s_ready, m_valid;
  logic [45:0] m_rec;
  logic [135:0] s_rec_i;  // what decides nothing here is 0

  assign s_rec_i = {16'd0, 27'd0, forget_i, 27'd0, period_i, 16'd0, 13'd0, 21'd0, qpn_i, op_i};

  rate_limiter #(
    .NumQps    (4),
    .StampWidth(5)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i(s_rec_i[2:0]),
    .s_qpn_i(s_rec_i[26:3]),
    .s_bytes_i(s_rec_i[39:27]),
    .s_pace_i(s_rec_i[55:40]),
    .s_period_i(s_rec_i[87:56]),
    .s_forget_i(s_rec_i[119:88]),
    .s_cut_i(s_rec_i[127:120]),
    .s_raise_i(s_rec_i[135:128]),
    .s_valid_i,
    .s_ready_o(s_ready),
    .m_qpn_o(m_rec[23:0]),
    .m_op_o(m_rec[26:24]),
    .m_why_o(m_rec[29:27]),
    .m_pace_o(m_rec[45:30]),
    .m_valid_o(m_valid),
    .m_ready_i
  );


  (* hierconn *) wire [4:0] \dut.now ;
  (* hierconn *) wire [3:0] \dut.forget_q ;
  (* hierconn *) wire \dut.open ;
  (* hierconn *) wire \dut.r_visit ;
  (* hierconn *) wire \dut.u_visits.f_visit_q ;
  (* hierconn *) wire \dut.x_visit ;
  (* hierconn *) wire \dut.u_pipe.r_valid_q ;
  (* hierconn *) wire \dut.u_pipe.f_valid_q ;
  (* hierconn *) wire \dut.u_pipe.x_valid_q ;
  (* hierconn *) wire [135:0] \dut.u_pipe.r_q ;
  (* hierconn *) wire [135:0] \dut.u_pipe.f_q ;
  (* hierconn *) wire [135:0] \dut.u_pipe.x_q ;
  (* hierconn *) wire \dut.u_context.ready_o ;
  (* hierconn *) wire [1:0] \dut.u_context.r_qpn_i ;
  (* hierconn *) wire [85:0] \dut.u_context.x_ctx_o ;
  (* hierconn *) wire [85:0] \dut.u_context.x_ctx_i ;
  (* hierconn *) wire \dut.u_context.x_we_i ;
  (* hierconn *) wire [45:0] \dut.u_decide.result_o ;
  (* hierconn *) wire \dut.u_decide.cuts ;
  (* hierconn *) wire \dut.u_decide.steps ;
  (* hierconn *) wire \dut.u_decide.sends ;
  (* hierconn *) wire \dut.u_decide.slow ;
  (* hierconn *) wire [4:0] \dut.u_decide.next_o ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  // The word of the QP that is watched, as it was last written; and which word is in F and X.
  logic [1:0] watch_q, f_index_q, x_index_q;
  logic [85:0] word_q;
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

  // The truth: has the QP that is watched changed since it was set, and how many clocks ago; 63 is that or more.
  // And how many clocks its time is ahead: what was put down, less one a clock, down to 0.
  logic [135:0] x_rec;
  logic [2:0] x_op, x_why;
  logic changed_q, x_ours;
  logic [5:0] ago_q;
  logic [4:0] left_q, put;

  assign x_rec  = \dut.u_pipe.x_q ;
  assign x_op   = x_rec[2:0];
  assign x_why  = \dut.u_decide.result_o [29:27];
  assign x_ours = \dut.u_pipe.x_valid_q && x_rec[4:3] == watch_q;
  assign put    = \dut.u_decide.next_o - \dut.now ;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      changed_q <= 1'b0;
      ago_q     <= '0;
      left_q    <= '0;
    end else begin
      if (ago_q != '1) ago_q <= ago_q + 1'b1;
      if (left_q != '0) left_q <= left_q - 1'b1;
      if (x_ours) begin
        if (\dut.u_decide.cuts || \dut.u_decide.steps ) begin
          changed_q <= 1'b1;
          ago_q     <= 6'd1;
        end
        if (\dut.u_decide.sends ) left_q <= put == '0 ? '0 : put - 1'b1;
        if (x_op == 3'd3 || (x_op == 3'd5 && x_why == 3'd0)) begin
          changed_q <= 1'b0;
          left_q    <= '0;
        end
      end
    end
  end

  // Clocks since the visit before, 1 to Half: QP w is visited in X where the time is 4 w + 3 modulo Half.
  logic [3:0] phase;
  logic [4:0] since;
  logic recent, ahead;
  logic [4:0] stamp, due;
  logic [4:0] lead;
  assign phase  = \dut.now [3:0] - {watch_q, 2'd3} - 4'd1;
  assign since  = {1'b0, phase} + 5'd1;
  assign recent = word_q[83];
  assign ahead  = word_q[84];
  assign stamp  = word_q[4:0];
  assign due    = word_q[9:5];
  assign lead   = due - \dut.now ;

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
        if (changed_q || recent || ahead) assert (readies_q[2]);
        if (recent) assert (changed_q && ago_q < {1'b0, since} + 6'(Half) && stamp == \dut.now - ago_q[4:0]);
        if (changed_q && !recent) assert (ago_q >= 6'(Half));
        if (changed_q) assert (ago_q != '0 && word_q[85]);
        // The time: ahead by less than Half, or passed since the visit before.
        assert (left_q < 5'(Half));
        if (left_q != '0) assert (ahead && lead == left_q);
        if (ahead && left_q == '0) assert (5'd0 - lead < since);
        if (ahead) assert (word_q[85]);
      end
      if (Check[1] && x_ours && x_op == 3'd0 && x_why != 3'd4) assert (x_why == (left_q != '0 ? 3'd1 : 3'd0));
      if (Check[2] && x_ours && word_q[85]) begin
        assert (\dut.u_decide.slow == (changed_q && ago_q < {2'd0, \dut.forget_q }));
      end
    end
  end

endmodule
