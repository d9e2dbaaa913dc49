// SPDX-License-Identifier: Apache-2.0
// read_ask keeps READs in their order, each as it came, stops those that it must and no other, and asks for the bytes
// of each once, in pieces. One READ is followed, any. The queues on both sides are taken out: what waits first may be
// anything. Check: bit 0 what induction needs, then one bit a property of read_engine.go.
module read_ask_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         m_mem_ready_i,
  input logic         frees_i,    // a place is freed
  input logic         retires_i,
  input logic         fails_i,
  input logic [23:0]  fails_qpn_i,
  input logic         follow_i    // the READ that begins is followed, if none is
);

  localparam int unsigned Reads = 2;

  logic s_ready, m_valid, asks, head_valid, head_stopped, head_asked;
  logic [8:0] ask_end;
  logic [2:0] ask, free_q, head_end;
  logic [180:0] head;
  logic [78:0] m_mem;

  read_ask #(
    .Reads (Reads),
    .Places(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_cmd_i       (181'd0),
    .s_cmd_valid_i (1'b0),
    .s_cmd_ready_o (s_ready),
    .m_mem_o       (m_mem),
    .m_mem_valid_o (m_valid),
    .m_mem_ready_i,
    .asks_o        (asks),
    .ask_end_o     (ask_end),
    .ask_o         (ask),
    .free_i        (free_q),
    .head_o        (head),
    .head_valid_o  (head_valid),
    .head_stopped_o(head_stopped),
    .head_asked_o  (head_asked),
    .head_end_o    (head_end),
    .retires_i,
    .fails_i,
    .fails_qpn_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [180:0] \dut.next ;
  (* hierconn *) wire \dut.begins ;
  (* hierconn *) wire \dut.passes ;
  (* hierconn *) wire \dut.started_q ;
  (* hierconn *) wire [1:0] \dut.begin_q ;
  (* hierconn *) wire [1:0] \dut.asking_q ;
  (* hierconn *) wire [1:0] \dut.head_q ;
  (* hierconn *) wire [1:0] \dut.stopped_q ;
  (* hierconn *) wire [47:0] \dut.qpns_q ;
  (* hierconn *) wire [180:0] \dut.cmds[0] ;
  (* hierconn *) wire [180:0] \dut.cmds[1] ;
  (* hierconn *) wire [2:0] \dut.ends[0] ;
  (* hierconn *) wire [2:0] \dut.ends[1] ;
  (* hierconn *) wire [63:0] \dut.address_q ;
  (* hierconn *) wire [31:0] \dut.left_q ;
  (* hierconn *) wire [78:0] \dut.piece ;

  // The READ that is followed: its number, what it is, whether it must be stopped, how far it is asked.
  logic on_q, stopped_q, whole_q, mine, slot;
  logic [1:0] number_q, since, under_way, turn;
  logic [180:0] cmd_q, kept;
  logic [31:0] done_q, bytes;
  logic [2:0] end_q, ending, places;
  logic [63:0] address;
  logic [8:0] length;
  logic breaks;

  assign slot      = number_q[0];
  assign kept      = slot ? \dut.cmds[1] : \dut.cmds[0] ;
  assign ending    = slot ? \dut.ends[1] : \dut.ends[0] ;
  assign since     = \dut.begin_q - number_q;
  assign under_way = \dut.begin_q - \dut.head_q ;
  assign turn      = \dut.asking_q - \dut.head_q ;
  assign places    = ask - free_q;
  assign mine      = on_q & \dut.asking_q == number_q;
  assign bytes     = cmd_q[145:114];
  assign address   = \dut.piece [78:15];
  assign length    = \dut.piece [14:6];
  assign breaks    = \dut.begins & (\dut.next [0] | \dut.next [1]) & \dut.next [25:2] == cmd_q[25:2];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      on_q   <= 1'b0;
      free_q <= '0;
    end else begin
      free_q <= free_q + 3'(frees_i);
      if (on_q) on_q <= ~(retires_i & \dut.head_q == number_q);
      else on_q <= \dut.begins & follow_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!on_q) begin
      number_q  <= \dut.begin_q ;
      cmd_q     <= \dut.next ;
      stopped_q <= 1'b0;
      whole_q   <= 1'b0;
      done_q    <= '0;
    end else begin
      if (breaks || (fails_i && fails_qpn_i == cmd_q[25:2])) stopped_q <= 1'b1;
      if (mine && asks) done_q <= done_q + {23'd0, length};
      if (mine && \dut.passes ) whole_q <= 1'b1;
      if (mine && \dut.passes ) end_q <= ask + 3'(asks);
    end
  end

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    // Of the answer side: what is retired is asked whole, what is freed was asked for.
    assume (!retires_i || head_asked);
    assume (!frees_i || free_q != ask);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (under_way <= 2'd2 && turn <= under_way && places <= 3'd4);
        if (on_q) begin
          assert (since >= 2'd1 && since <= under_way);
          assert (kept == cmd_q && \dut.qpns_q [24*slot+:24] == cmd_q[25:2]);
          assert (\dut.stopped_q [slot] == stopped_q);
          assert (whole_q == (2'(\dut.begin_q - \dut.asking_q ) < since));
          if (whole_q) assert (ending == end_q);
          else assert (\dut.asking_q == number_q || done_q == '0);
          if (mine && \dut.started_q ) begin
            assert (\dut.address_q == cmd_q[113:50] + {32'd0, done_q});
            assert (\dut.left_q == bytes - done_q && done_q < bytes && \dut.address_q [7:0] == '0);
          end
          if (mine && !\dut.started_q ) assert (done_q == '0);
        end
        if (\dut.started_q ) assert (\dut.asking_q != \dut.begin_q );
      end
      if (Check[1] && on_q && \dut.head_q == number_q) assert (head_valid && head == cmd_q);
      if (Check[2] && on_q && \dut.head_q == number_q) assert (head_stopped == stopped_q);
      if (Check[3] && asks) assert (places < 3'd4);
      if (Check[4] && mine && asks) begin
        assert (!stopped_q && !cmd_q[0]);
        assert (length >= 9'd1 && {1'b0, address[7:0]} + length <= 9'd256);
      end
      if (Check[5] && mine && asks) begin
        assert (address == cmd_q[113:50] + {32'd0, done_q});
        assert ({23'd0, length} <= bytes - done_q);
        assert (\dut.piece [1:0] == ask[1:0]);
      end
      if (Check[6] && mine && \dut.passes && !stopped_q && !cmd_q[0]) begin
        assert (done_q + (asks ? {23'd0, length} : 32'd0) == bytes);
      end
      if (Check[7] && on_q && \dut.head_q == number_q && head_asked) assert (whole_q && head_end == end_q);
    end
  end

endmodule
