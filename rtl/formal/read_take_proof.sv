// SPDX-License-Identifier: Apache-2.0
// read_take takes a frame into a place only for a piece that is under way there, once, and shows pieces in their order,
// whatever order memory answers in. One place is followed, any. Its memory is taken out. Check: bit 0 what induction
// needs, then one bit a property of read_engine.go.
module read_take_proof #(
  parameter logic [5:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [63:0] s_mem_tdata_i,
  input logic [7:0]  s_mem_tkeep_i,
  input logic [6:0]  s_mem_tuser_i,
  input logic        s_mem_tlast_i,
  input logic        s_mem_tvalid_i,
  input logic        asks_i,
  input logic [8:0]  ask_end_i,
  input logic        frees_i,
  input logic [1:0]  watch_i  // the place that is followed
);

  logic s_ready, oldest_there, blocked;
  logic [2:0] ask_q, free_q, seen;
  logic [63:0] data;

  read_take #(
    .DataWidth(64),
    .Places   (4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_mem_tdata_i,
    .s_mem_tkeep_i,
    .s_mem_tuser_i,
    .s_mem_tlast_i,
    .s_mem_tvalid_i,
    .s_mem_tready_o(s_ready),
    .asks_i,
    .ask_end_i,
    .ask_i         (ask_q),
    .frees_i,
    .free_i        (free_q),
    .oldest_there_o(oldest_there),
    .seen_o        (seen),
    .blocked_o     (blocked),
    .read_i        (1'b0),
    .read_beat_i   (7'd0),
    .data_o        (data)
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.valid2_q ;
  (* hierconn *) wire \dut.first_q ;
  (* hierconn *) wire \dut.took_q ;
  (* hierconn *) wire \dut.takes ;
  (* hierconn *) wire \dut.writes ;
  (* hierconn *) wire \dut.ends_frame ;
  (* hierconn *) wire \dut.sees ;
  (* hierconn *) wire [1:0] \dut.place ;
  (* hierconn *) wire [6:0] \dut.user2_q ;
  (* hierconn *) wire [9:0] \dut.bytes ;
  (* hierconn *) wire [3:0] \dut.open_q ;
  (* hierconn *) wire [3:0] \dut.there_q ;
  (* hierconn *) wire [3:0] \dut.bad_q ;
  (* hierconn *) wire [8:0] \dut.ends[0] ;
  (* hierconn *) wire [8:0] \dut.ends[1] ;
  (* hierconn *) wire [8:0] \dut.ends[2] ;
  (* hierconn *) wire [8:0] \dut.ends[3] ;

  logic [35:0] ends;
  assign ends = {\dut.ends[3] , \dut.ends[2] , \dut.ends[1] , \dut.ends[0] };

  // The piece of the place: asked for, there, whether it is an error. Where its number lies.
  logic open_q, there_q, bad_q, began_q, inside, is_seen, asked, freed, mine;
  logic [8:0] end_q;
  logic [1:0] watch_q, from_free;
  logic [2:0] under_way, seen_of;
  logic [6:0] user_q;

  assign under_way = ask_q - free_q;
  assign seen_of   = seen - free_q;
  assign from_free = watch_i - free_q[1:0];
  assign inside    = {1'b0, from_free} < under_way;
  assign is_seen   = {1'b0, from_free} < seen_of;
  assign asked     = asks_i & ask_q[1:0] == watch_i;
  assign freed     = frees_i & free_q[1:0] == watch_i;
  assign mine      = \dut.place == watch_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ask_q   <= '0;
      free_q  <= '0;
      open_q  <= 1'b0;
      there_q <= 1'b0;
    end else begin
      ask_q  <= ask_q + 3'(asks_i);
      free_q <= free_q + 3'(frees_i);
      if (asked) open_q <= 1'b1;
      else if (mine && \dut.valid2_q && \dut.user2_q [5:2] == '0 && began_now && \dut.last2_q ) open_q <= 1'b0;
      if (freed) there_q <= 1'b0;
      else if (mine && \dut.valid2_q && \dut.user2_q [5:2] == '0 && began_now && \dut.last2_q ) there_q <= 1'b1;
    end
  end

  // Whether the frame that goes on was one of an open piece when it began.
  (* hierconn *) wire \dut.last2_q ;
  logic began_now;
  assign began_now = \dut.first_q ? open_q : began_q;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= watch_i;
    if (asked) end_q <= ask_end_i;
    if (\dut.valid2_q ) user_q <= \dut.user2_q ;
    if (\dut.valid2_q ) began_q <= began_now & mine;
    if (mine && \dut.ends_frame ) bad_q <= \dut.user2_q [6] | \dut.bytes < {1'b0, end_q};
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    else assume (watch_i == watch_q);
    // Of the sides: a place is asked for when it is free, and freed when its piece is there; tuser stays in a frame.
    assume (!asks_i || under_way < 3'd4);
    assume (!frees_i || (ask_q != free_q && oldest_there));
    assume (\dut.user2_q [5:2] == '0);
    if (\dut.valid2_q && !\dut.first_q ) assume (\dut.user2_q == user_q);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (under_way <= 3'd4 && seen_of <= under_way);
        assert (\dut.open_q [watch_i] == open_q && \dut.there_q [watch_i] == there_q);
        assert (!(open_q && there_q) && inside == (open_q || there_q));
        if (!\dut.first_q && user_q[1:0] == watch_i) assert (\dut.took_q == began_q && (!began_q || open_q));
        if (is_seen) assert (there_q);
        if (open_q) assert (ends[9*watch_i+:9] == end_q);
        if (there_q) assert (\dut.bad_q [watch_i] == bad_q);
        if (is_seen) assert (!bad_q);
      end
      if (Check[1] && mine && \dut.writes ) assert (open_q && began_now);
      if (Check[2] && mine && \dut.valid2_q && \dut.last2_q ) assert (\dut.ends_frame == began_now);
      if (Check[3] && is_seen) assert (there_q && !bad_q);
      if (Check[4] && freed) assert (there_q && oldest_there);
      if (Check[5] && seen[1:0] == watch_i && seen != ask_q) begin
        assert (blocked == (there_q && bad_q));
        assert (\dut.sees == (there_q && (!bad_q || freed)));
      end
    end
  end

endmodule
