// SPDX-License-Identifier: Apache-2.0
// axil_bus gives each access of its channels to the registers once, in the order in which they are there, and each
// response to its channel. The registers behind it are any that do one access at a time: ready until one is given, then
// not until its response was taken. Check: bit 0 the invariant, then one bit a property of axil_bus.go.
module axil_bus_proof #(
  parameter logic [4:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [11:0] awaddr_i,
  input logic        awvalid_i,
  input logic [35:0] wdata_i,
  input logic        wvalid_i,
  input logic        bready_i,
  input logic [11:0] araddr_i,
  input logic        arvalid_i,
  input logic        rready_i,
  input logic        ready_i,   // the registers open, if nothing is under way
  input logic        answer_i,  // they answer, if an access is
  input logic [33:0] data_i     // resp, data
);

  logic awready, wready, bvalid, arready, rvalid, bus_write, bus_valid, answer_ready;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata, bus_data;
  logic [11:0] bus_address;
  logic [3:0] bus_strobe;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  // The registers: closed, open, or with an access that is answered or not.
  logic open_q, busy_q, write_q, answered_q, given;
  logic [33:0] answer_q;
  assign given = bus_valid & open_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q     <= 1'b0;
      busy_q     <= 1'b0;
      answered_q <= 1'b0;
    end else begin
      if (given) begin
        open_q <= 1'b0;
        busy_q <= 1'b1;
      end else if (!busy_q && ready_i) open_q <= 1'b1;
      if (busy_q && !answered_q && answer_i) answered_q <= 1'b1;
      if (answered_q && answer_ready) begin
        answered_q <= 1'b0;
        busy_q     <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (given) write_q <= bus_write;
    if (!answered_q) answer_q <= data_i;
  end

  axil_bus dut (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr_i (awaddr_i),
    .s_axil_awvalid_i(awvalid_i),
    .s_axil_awready_o(awready),
    .s_axil_wdata_i  (wdata_i[31:0]),
    .s_axil_wstrb_i  (wdata_i[35:32]),
    .s_axil_wvalid_i (wvalid_i),
    .s_axil_wready_o (wready),
    .s_axil_bresp_o  (bresp),
    .s_axil_bvalid_o (bvalid),
    .s_axil_bready_i (bready_i),
    .s_axil_araddr_i (araddr_i),
    .s_axil_arvalid_i(arvalid_i),
    .s_axil_arready_o(arready),
    .s_axil_rdata_o  (rdata),
    .s_axil_rresp_o  (rresp),
    .s_axil_rvalid_o (rvalid),
    .s_axil_rready_i (rready_i),
    .m_bus_write_o   (bus_write),
    .m_bus_address_o (bus_address),
    .m_bus_data_o    (bus_data),
    .m_bus_strobe_o  (bus_strobe),
    .m_bus_valid_o   (bus_valid),
    .m_bus_ready_i   (open_q),
    .s_bus_write_i   (write_q),
    .s_bus_data_i    (answer_q[31:0]),
    .s_bus_resp_i    (answer_q[33:32]),
    .s_bus_valid_i   (answered_q),
    .s_bus_ready_o   (answer_ready)
  );

  (* hierconn *) wire \dut.aw_valid_q ;
  (* hierconn *) wire \dut.w_valid_q ;
  (* hierconn *) wire \dut.ar_valid_q ;
  (* hierconn *) wire \dut.turn_q ;
  (* hierconn *) wire [11:0] \dut.aw_q ;
  (* hierconn *) wire [11:0] \dut.ar_q ;
  (* hierconn *) wire [31:0] \dut.data_q ;
  (* hierconn *) wire [3:0] \dut.strobe_q ;

  // What was accepted and not given: of each channel one at most.
  logic aw_q, w_q, ar_q, takes_aw, takes_w, takes_ar;
  logic [11:0] awaddr_q, araddr_q;
  logic [35:0] wdata_q;
  logic [1:0] write_owed_q, read_owed_q;  // responses
  assign takes_aw = awvalid_i & awready;
  assign takes_w  = wvalid_i & wready;
  assign takes_ar = arvalid_i & arready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_q         <= 1'b0;
      w_q          <= 1'b0;
      ar_q         <= 1'b0;
      write_owed_q <= '0;
      read_owed_q  <= '0;
    end else begin
      aw_q         <= takes_aw | (aw_q & ~(given & bus_write));
      w_q          <= takes_w | (w_q & ~(given & bus_write));
      ar_q         <= takes_ar | (ar_q & ~(given & ~bus_write));
      write_owed_q <= write_owed_q + 2'(given & bus_write) - 2'(bvalid & bready_i);
      read_owed_q  <= read_owed_q + 2'(given & ~bus_write) - 2'(rvalid & rready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (takes_aw) awaddr_q <= awaddr_i;
    if (takes_w) wdata_q <= wdata_i;
    if (takes_ar) araddr_q <= araddr_i;
  end

  // How long the slave has been free without a turn for reads, and for writes.
  logic [1:0] no_read_q, no_write_q;
  logic free;
  assign free = open_q & ~bus_valid;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      no_read_q  <= '0;
      no_write_q <= '0;
    end else begin
      if (arready) no_read_q <= '0;
      else if (free && no_read_q != '1) no_read_q <= no_read_q + 1'b1;
      if ((awready || aw_q) && (wready || w_q)) no_write_q <= '0;
      else if (free && no_write_q != '1) no_write_q <= no_write_q + 1'b1;
    end
  end

  logic b_stalled_q = 1'b0;
  logic r_stalled_q = 1'b0;
  logic [1:0] bresp_q;
  logic [33:0] r_q;
  always_ff @(posedge clk_i) begin
    b_stalled_q <= rst_ni & bvalid & ~bready_i;
    r_stalled_q <= rst_ni & rvalid & ~rready_i;
    bresp_q     <= bresp;
    r_q         <= {rresp, rdata};
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.aw_valid_q == aw_q && \dut.w_valid_q == w_q && \dut.ar_valid_q == ar_q);
        assert (!(open_q && busy_q) && (!answered_q || busy_q));
        assert (write_owed_q == 2'(busy_q && write_q) && read_owed_q == 2'(busy_q && !write_q));
        assert (!bus_valid || open_q);
        assert (!(aw_q && w_q && ar_q));
        if (aw_q) assert (\dut.aw_q == awaddr_q);
        if (w_q) assert ({\dut.strobe_q , \dut.data_q } == wdata_q);
        if (ar_q) assert (\dut.ar_q == araddr_q);
        assert (no_read_q <= 2'd1 && no_write_q <= 2'd1);
        if (no_read_q == 2'd1) assert (\dut.turn_q );
        if (no_write_q == 2'd1) assert (!\dut.turn_q );
      end
      if (Check[1]) begin
        assert (bus_valid == (ar_q || (aw_q && w_q)));
        if (bus_valid && !bus_write) assert (ar_q && bus_address == araddr_q);
        if (bus_valid && bus_write) begin
          assert (aw_q && w_q && bus_address == awaddr_q && {bus_strobe, bus_data} == wdata_q);
        end
        if (takes_aw) assert (!aw_q || (given && bus_write));
        if (takes_w) assert (!w_q || (given && bus_write));
        if (takes_ar) assert (!ar_q);
      end
      if (Check[2]) begin
        assert (!(ar_q && aw_q && w_q));
        assert (!(takes_ar && ((takes_aw || aw_q) && (takes_w || w_q))));
        if (ar_q || (aw_q && w_q) || busy_q) assert (!awready && !wready && !arready);
      end
      if (Check[3]) begin
        assert (!(bvalid && rvalid));
        if (bvalid) assert (write_owed_q == 2'd1 && bresp == answer_q[33:32]);
        if (rvalid) assert (read_owed_q == 2'd1 && {rresp, rdata} == answer_q);
        if (answered_q) assert (bvalid == write_q && rvalid == !write_q);
        if (b_stalled_q) assert (bvalid && bresp == bresp_q);
        if (r_stalled_q) assert (rvalid && {rresp, rdata} == r_q);
      end
      if (Check[4]) assert (no_read_q <= 2'd1 && no_write_q <= 2'd1);
    end
  end

endmodule
