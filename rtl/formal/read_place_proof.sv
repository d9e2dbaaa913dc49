// SPDX-License-Identifier: Apache-2.0
// read_place decides on every record that it takes, in order, by the list of its QP, and gives dma_place what was
// decided, each once; what dma_order retires becomes the record of the document. What the list is, what is decided,
// placed and retired may be anything: that it is right is qp_context's, place_decide's, place_feed's, dma_place's and
// dma_order's. Check: bits 0 to 5 as pipe_rules has them, then one bit a property of read_place.go.
module read_place_proof #(
  parameter logic [10:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [203:0] s_rec_i,  // as docs/blocks/read_place.md lays it out
  input logic         s_valid_i
);

  logic s_ready;

  read_place #(
    .DataWidth(64),
    .Depth    (2),
    .NumQps   (4),
    .Reads    (1)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i          (s_rec_i[1:0]),
    .s_qpn_i         (s_rec_i[25:2]),
    .s_psn_i         (s_rec_i[49:26]),
    .s_data_i        (s_rec_i[50]),
    .s_ended_i       (s_rec_i[51]),
    .s_bytes_i       (s_rec_i[64:52]),
    .s_kind_i        (s_rec_i[66:65]),
    .s_pmtu_i        (s_rec_i[69:67]),
    .s_progress_i    (s_rec_i[70]),
    .s_fail_i        (s_rec_i[71]),
    .s_status_i      (s_rec_i[75:72]),
    .s_address_i     (s_rec_i[139:76]),
    .s_value_i       (s_rec_i[203:140]),
    .s_valid_i,
    .s_ready_o       (s_ready),
    .s_axis_tdata_i  ('0),
    .s_axis_tkeep_i  ('0),
    .s_axis_tlast_i  (1'b0),
    .s_axis_tvalid_i (1'b0),
    .s_axis_tready_o (),
    .s_mem_tag_i     ('0),
    .s_mem_error_i   (1'b0),
    .s_mem_valid_i   (1'b0),
    .s_mem_ready_o   (),
    .m_mem_tag_o     (),
    .m_mem_bytes_o   (),
    .m_mem_address_o (),
    .m_mem_valid_o   (),
    .m_mem_ready_i   (1'b1),
    .m_axis_tdata_o  (),
    .m_axis_tkeep_o  (),
    .m_axis_tlast_o  (),
    .m_axis_tvalid_o (),
    .m_axis_tready_i (1'b1),
    .m_rec_qpn_o     (),
    .m_rec_op_o      (),
    .m_rec_una_o     (),
    .m_rec_progress_o(),
    .m_rec_fail_o    (),
    .m_rec_status_o  (),
    .m_rec_valid_o   (),
    .m_rec_ready_i   (1'b1)
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.u_pipe.r_valid_q ;
  (* hierconn *) wire \dut.u_pipe.f_valid_q ;
  (* hierconn *) wire \dut.u_pipe.x_valid_q ;
  (* hierconn *) wire [203:0] \dut.u_pipe.r_q ;
  (* hierconn *) wire [203:0] \dut.u_pipe.f_q ;
  (* hierconn *) wire [203:0] \dut.u_pipe.x_q ;
  (* hierconn *) wire \dut.f_in_range_q ;
  (* hierconn *) wire [1:0] \dut.u_context.r_qpn_i ;
  (* hierconn *) wire [97:0] \dut.u_context.x_ctx_o ;
  (* hierconn *) wire [97:0] \dut.u_context.x_ctx_i ;
  (* hierconn *) wire \dut.u_context.x_we_i ;
  (* hierconn *) wire [203:0] \dut.u_decide.rec_i ;
  (* hierconn *) wire \dut.u_decide.in_range_i ;
  (* hierconn *) wire [97:0] \dut.u_decide.ctx_i ;
  (* hierconn *) wire [97:0] \dut.u_decide.ctx_o ;
  (* hierconn *) wire [225:0] \dut.u_decide.result_o ;
  (* hierconn *) wire [2:0] \dut.u_pipe.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_pipe.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_pipe.u_queue.count_q ;
  (* hierconn *) wire \dut.u_pipe.u_queue.valid_i ;
  (* hierconn *) wire [225:0] \dut.u_pipe.u_queue.data_i ;
  (* hierconn *) wire [225:0] \dut.u_pipe.u_queue.m_data_o ;
  (* hierconn *) wire \dut.u_pipe.u_queue.m_valid_o ;
  (* hierconn *) wire \dut.u_pipe.u_queue.m_ready_i ;
  (* hierconn *) wire [232:0] \dut.u_place.s_cmd_i ;
  (* hierconn *) wire \dut.u_place.s_cmd_valid_i ;
  (* hierconn *) wire \dut.u_place.s_cmd_ready_o ;
  (* hierconn *) wire \dut.u_feed.s_is_value_i ;
  (* hierconn *) wire [63:0] \dut.u_feed.s_value_i ;
  (* hierconn *) wire \dut.u_feed.s_valid_i ;
  (* hierconn *) wire [152:0] \dut.u_order.m_record_o ;
  (* hierconn *) wire [55:0] \dut.u_results.s_data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  logic [203:0] due;
  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (204),
    .OutWidth(226),
    .Latency (3),
    .Depth   (8),
    .Check   (Check[5:0])
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i     (initial_q),
    .push_i        (push),
    .waiting_i     (2'd0),
    .enter_i       (push),
    .enter_id_i    (s_rec_i),
    .queue_i       (\dut.u_pipe.u_queue.valid_i ),
    .same_i        (\dut.u_decide.rec_i == due && \dut.u_pipe.u_queue.data_i == \dut.u_decide.result_o ),
    .due_o         (due),
    .stages_valid_i({\dut.u_pipe.x_valid_q , \dut.u_pipe.f_valid_q , \dut.u_pipe.r_valid_q }),
    .stages_id_i   ({\dut.u_pipe.x_q , \dut.u_pipe.f_q , \dut.u_pipe.r_q }),
    .queued_i      (3'(\dut.u_pipe.u_queue.write_ptr_q - \dut.u_pipe.u_queue.read_ptr_q )),
    .count_i       (\dut.u_pipe.u_queue.count_q ),
    .data_i        (\dut.u_pipe.u_queue.m_data_o ),
    .valid_i       (\dut.u_pipe.u_queue.m_valid_o ),
    .ready_i       (\dut.u_pipe.u_queue.m_ready_i )
  );

  // The QP of the record that was accepted a clock before, two and three.
  logic [2:0] entered_q;
  logic [23:0] one_q, two_q, three_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) entered_q <= '0;
    else entered_q <= {entered_q[1:0], push};
  end
  always_ff @(posedge clk_i) begin
    one_q   <= s_rec_i[25:2];
    two_q   <= one_q;
    three_q <= two_q;
  end

  // What was decided, what goes to dma_place, what was retired, what is told of it.
  logic [225:0] decided;
  logic [232:0] cmd;
  logic [152:0] retired;
  logic [55:0] told;
  logic goes, failed, cleared;
  logic [63:0] apart;
  assign decided = \dut.u_pipe.u_queue.m_data_o ;
  assign cmd     = \dut.u_place.s_cmd_i ;
  assign retired = \dut.u_order.m_record_o ;
  assign told    = \dut.u_results.s_data_i ;
  assign goes    = \dut.u_pipe.u_queue.m_valid_o & \dut.u_place.s_cmd_ready_o ;
  assign failed  = retired[2];
  assign cleared = retired[0];
  assign apart   = cmd[135:72] - decided[161:98];

  // So many PSNs of a PMTU of 128 x 2^n bytes.
  logic [63:0] bytes_apart;
  always_comb begin
    bytes_apart = '0;
    for (int n = 0; n < 8; n++) if (decided[73:71] == 3'(n)) bytes_apart = 64'(decided[97:74]) * (64'd128 << n);
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (entered_q == {\dut.u_pipe.x_valid_q , \dut.u_pipe.f_valid_q , \dut.u_pipe.r_valid_q });
        if (entered_q[0]) assert (\dut.u_pipe.r_q [25:2] == one_q);
        if (entered_q[1]) assert (\dut.f_in_range_q == (two_q < 24'd4));
      end
      if (Check[6] && entered_q[0]) assert (\dut.u_context.r_qpn_i == one_q[1:0]);
      if (Check[7]) begin
        assert (\dut.u_context.x_we_i == entered_q[2]);
        if (entered_q[2]) begin
          assert (\dut.u_decide.in_range_i == (three_q < 24'd4));
          assert (\dut.u_decide.ctx_i == \dut.u_context.x_ctx_o && \dut.u_context.x_ctx_i == \dut.u_decide.ctx_o );
        end
      end
      if (Check[8]) begin
        assert (\dut.u_place.s_cmd_valid_i == \dut.u_pipe.u_queue.m_valid_o );
        assert (\dut.u_pipe.u_queue.m_ready_i == \dut.u_place.s_cmd_ready_o );
        assert (cmd[71:0] == {3'd0, decided[68:56], decided[49:26], decided[25:2], decided[55:52], decided[50],
                              decided[1], decided[69], decided[0]});
        assert (cmd[200] == decided[51] && apart == bytes_apart);
      end
      if (Check[9]) begin
        assert (\dut.u_feed.s_valid_i == (goes && decided[68:56] != '0));
        assert (\dut.u_feed.s_is_value_i == decided[70] && \dut.u_feed.s_value_i == decided[225:162]);
      end
      if (Check[10]) begin
        assert (told[23:0] == retired[31:8] && told[49:26] == retired[55:32]);
        if (failed) assert (told[25:24] == 2'd1 && told[55:50] == {4'd10, 1'b1, 1'b1});
        else assert (told[25:24] == (cleared ? 2'd2 : 2'd3) && told[55:50] == {retired[7:4], retired[120], retired[3]});
      end
    end
  end

endmodule
