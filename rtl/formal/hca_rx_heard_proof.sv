// SPDX-License-Identifier: Apache-2.0
// hca_rx_heard hands each response and each CNP to its queue, once and as it is. The queues are taken out: that they
// give out what they take once and in order is sync_fifo's. Check: one bit a property of hca_rx_heard.go, bit 0 is not
// used.
module hca_rx_heard_proof #(
  parameter logic [3:0] Check = '1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input rx_pkg::header_t  hdr_i,
  input logic [23:0]      qpn_i,
  input logic [2:0]       class_i,
  input logic             go_i,
  input logic             m_resp_ready_i,
  input logic             m_cnp_ready_i
);

  logic room, resp_valid, cnp_valid;
  logic [166:0] resp;
  logic [23:0] cnp;

  hca_rx_heard dut (
    .clk_i,
    .rst_ni,
    .hdr_i,
    .qpn_i,
    .class_i,
    .go_i,
    .room_o        (room),
    .m_resp_o      (resp),
    .m_resp_valid_o(resp_valid),
    .m_resp_ready_i,
    .m_cnp_qpn_o   (cnp),
    .m_cnp_valid_o (cnp_valid),
    .m_cnp_ready_i
  );

  // Ports of the queues, joined by name when the design is flattened.
  (* hierconn *) wire [166:0] \dut.u_responses.s_data_i ;
  (* hierconn *) wire \dut.u_responses.s_valid_i ;
  (* hierconn *) wire \dut.u_responses.s_ready_o ;
  (* hierconn *) wire [23:0] \dut.u_cnps.s_data_i ;
  (* hierconn *) wire \dut.u_cnps.s_valid_i ;
  (* hierconn *) wire \dut.u_cnps.s_ready_o ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (!go_i || room);
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        assert (\dut.u_responses.s_valid_i == (go_i && class_i == 3'd2));
        assert (\dut.u_cnps.s_valid_i == (go_i && class_i == 3'd3));
      end
      if (Check[2]) begin
        assert (\dut.u_responses.s_data_i [23:0] == qpn_i && \dut.u_responses.s_data_i [47:24] == hdr_i.psn);
        assert (\dut.u_responses.s_data_i [71:48] == hdr_i.msn);
        assert (\dut.u_responses.s_data_i [84:72] == hdr_i.payload_bytes[12:0]);
        assert (\dut.u_responses.s_data_i [92:85] == hdr_i.opcode);
        assert (\dut.u_responses.s_data_i [100:93] == hdr_i.syndrome);
        assert (\dut.u_responses.s_data_i [102:101] == hdr_i.pad);
        assert (\dut.u_responses.s_data_i [166:103] == hdr_i.original);
        assert (\dut.u_cnps.s_data_i == qpn_i);
      end
      if (Check[3]) begin
        assert (room == (\dut.u_responses.s_ready_o && \dut.u_cnps.s_ready_o ));
        if (\dut.u_responses.s_valid_i ) assert (\dut.u_responses.s_ready_o );
        if (\dut.u_cnps.s_valid_i ) assert (\dut.u_cnps.s_ready_o );
      end
    end
  end

endmodule
