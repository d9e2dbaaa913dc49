// icrc_insert gives a beat for every one that it takes, by the stream rules, whatever the packets hold.
module icrc_insert_proof #(
  parameter logic [4:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [63:0] s_data_i,
  input logic [7:0]  s_keep_i,
  input logic        s_last_i,
  input logic        s_ib_i,
  input logic        s_valid_i,
  input logic        m_ready_i
);

  logic s_ready, m_valid, m_last;
  logic [63:0] m_data;
  logic [7:0] m_keep;
  logic [11:0] m_user;

  icrc_insert #(
    .DataWidth(64)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i (s_data_i),
    .s_axis_tkeep_i (s_keep_i),
    .s_axis_tlast_i (s_last_i),
    .s_axis_tuser_i (s_ib_i),
    .s_axis_tvalid_i(s_valid_i),
    .s_axis_tready_o(s_ready),
    .m_axis_tdata_o (m_data),
    .m_axis_tkeep_o (m_keep),
    .m_axis_tlast_o (m_last),
    .m_axis_tuser_o (m_user),
    .m_axis_tvalid_o(m_valid),
    .m_axis_tready_i(m_ready_i)
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.u_skid.head_valid_q ;
  (* hierconn *) wire \dut.u_skid.spare_valid_q ;
  (* hierconn *) wire \dut.u_lookahead.valid_q ;
  (* hierconn *) wire \dut.u_locate.valid1_q ;
  (* hierconn *) wire \dut.u_locate.valid2_q ;
  (* hierconn *) wire \dut.u_locate.valid3_q ;
  (* hierconn *) wire \dut.u_locate.valid4_q ;
  (* hierconn *) wire \dut.u_locate.valid5_q ;
  (* hierconn *) wire \dut.u_locate.valid6_q ;
  (* hierconn *) wire [6:0] \dut.valid_q ;

  // Which stages hold a beat.
  logic [16:0] stages;
  logic [4:0] inside;
  assign stages = {m_valid,
                   \dut.u_skid.head_valid_q ,
                   \dut.u_skid.spare_valid_q ,
                   \dut.u_lookahead.valid_q ,
                   \dut.u_locate.valid1_q ,
                   \dut.u_locate.valid2_q ,
                   \dut.u_locate.valid3_q ,
                   \dut.u_locate.valid4_q ,
                   \dut.u_locate.valid5_q ,
                   \dut.u_locate.valid6_q ,
                   \dut.valid_q };
  always_comb begin
    inside = '0;
    for (int unsigned i = 0; i < 17; i++) inside = inside + 5'(stages[i]);
  end

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  // The skid's own invariants.
  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[0]) begin
      assert (\dut.u_skid.head_valid_q || ! \dut.u_skid.spare_valid_q );
      if (s_ready) assert (! \dut.u_skid.spare_valid_q );
    end
  end

  stream_rules #(
    .Width(85),
    .Most (17),
    .Check(Check)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i(initial_q),
    .push_i   (s_valid_i & s_ready),
    .inside_i (inside),
    .data_i   ({m_user, m_last, m_keep, m_data}),
    .valid_i  (m_valid),
    .ready_i  (m_ready_i)
  );

endmodule
