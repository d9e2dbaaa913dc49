// SPDX-License-Identifier: Apache-2.0
// atomic_engine begins, decides and retires atomics in order, each with what is its own, and never two of an address or
// of a QP at once. The harness keeps a list of what is under way, oldest first, from what the block takes and what it
// retires. What comes in, what memory answers, and whether there is room, may be anything in any clock; so may what
// atomic_alu makes of its inputs. Of what stays: the queue of writes. Check: bit 0 ties the list to the block's slots,
// then one bit a property of atomic_engine.go.
module atomic_engine_proof #(
  parameter logic [9:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [240:0] s_cmd_i,  // as docs/blocks/atomic_engine.md lays them out
  input logic         s_cmd_valid_i,
  input logic         m_read_ready_i,
  input logic [70:0]  s_read_i,
  input logic         s_read_valid_i,
  input logic         m_write_ready_i,
  input logic [6:0]   s_write_i,
  input logic         s_write_valid_i,
  input logic         m_res_ready_i
);

  localparam int unsigned Slots = 2;
  localparam int unsigned OpWidth = 193;  // swap_add, compare, address, is_add
  localparam int unsigned DoneWidth = 66; // original, not_read, writes

  logic [2:0] unused_readys, unused_valids;
  logic [69:0] unused_read;
  logic [133:0] unused_write;
  logic [113:0] unused_result;

  atomic_engine #(
    .Slots(Slots)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_cmd_add_i     (s_cmd_i[0]),
    .s_cmd_qpn_i     (s_cmd_i[24:1]),
    .s_cmd_psn_i     (s_cmd_i[48:25]),
    .s_cmd_address_i (s_cmd_i[112:49]),
    .s_cmd_compare_i (s_cmd_i[176:113]),
    .s_cmd_swap_add_i(s_cmd_i[240:177]),
    .s_cmd_valid_i,
    .s_cmd_ready_o   (unused_readys[0]),
    .m_read_tag_o    (unused_read[5:0]),
    .m_read_address_o(unused_read[69:6]),
    .m_read_valid_o  (unused_valids[0]),
    .m_read_ready_i,
    .s_read_tag_i    (s_read_i[5:0]),
    .s_read_error_i  (s_read_i[6]),
    .s_read_data_i   (s_read_i[70:7]),
    .s_read_valid_i,
    .s_read_ready_o  (unused_readys[1]),
    .m_write_tag_o    (unused_write[5:0]),
    .m_write_address_o(unused_write[69:6]),
    .m_write_data_o   (unused_write[133:70]),
    .m_write_valid_o  (unused_valids[1]),
    .m_write_ready_i,
    .s_write_tag_i   (s_write_i[5:0]),
    .s_write_error_i (s_write_i[6]),
    .s_write_valid_i,
    .s_write_ready_o (unused_readys[2]),
    .m_res_qpn_o     (unused_result[23:0]),
    .m_res_psn_o     (unused_result[47:24]),
    .m_res_status_o  (unused_result[49:48]),
    .m_res_original_o(unused_result[113:50]),
    .m_res_valid_o   (unused_valids[2]),
    .m_res_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [192:0] \dut.op ;
  (* hierconn *) wire [47:0] \dut.id ;
  (* hierconn *) wire \dut.head_valid ;
  (* hierconn *) wire \dut.read_room ;
  (* hierconn *) wire \dut.result_room ;
  (* hierconn *) wire \dut.begins ;
  (* hierconn *) wire \dut.decides ;
  (* hierconn *) wire \dut.retires ;
  (* hierconn *) wire [6:0] \dut.begin_q ;
  (* hierconn *) wire [6:0] \dut.step_q ;
  (* hierconn *) wire [6:0] \dut.decided_q ;
  (* hierconn *) wire [6:0] \dut.retire_q ;
  (* hierconn *) wire [69:0] \dut.b_read ;
  (* hierconn *) wire [121:0] \dut.words_q ;
  (* hierconn *) wire [47:0] \dut.qpns_q ;
  (* hierconn *) wire [1:0] \dut.valid_q ;
  (* hierconn *) wire [1:0] \dut.count_q ;
  (* hierconn *) wire \dut.place_q ;
  (* hierconn *) wire \dut.x_there ;
  (* hierconn *) wire [64:0] \dut.x_answer ;
  (* hierconn *) wire [5:0] \dut.u_answers.tag_i ;
  (* hierconn *) wire \dut.u_answers.use_i ;
  (* hierconn *) wire \dut.y_valid_q ;
  (* hierconn *) wire [192:0] \dut.y_op_q ;
  (* hierconn *) wire [64:0] \dut.y_answer_q ;
  (* hierconn *) wire [133:0] \dut.y_write ;
  (* hierconn *) wire [65:0] \dut.y_decided ;
  (* hierconn *) wire \dut.u_alu.is_add_i ;
  (* hierconn *) wire [63:0] \dut.u_alu.compare_i ;
  (* hierconn *) wire [63:0] \dut.u_alu.swap_add_i ;
  (* hierconn *) wire \dut.u_alu.failed_i ;
  (* hierconn *) wire [63:0] \dut.u_alu.data_i ;
  (* hierconn *) wire [63:0] \dut.u_alu.value_o ;
  (* hierconn *) wire \dut.u_writes.s_valid_i ;
  (* hierconn *) wire [133:0] \dut.u_writes.s_data_i ;
  (* hierconn *) wire \dut.u_writes.ready_q ;
  (* hierconn *) wire [3:0] \dut.u_writes.count_q ;
  (* hierconn *) wire \dut.u_writes.out_valid_q ;
  (* hierconn *) wire [2:0] \dut.u_writes.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_writes.read_ptr_q ;
  (* hierconn *) wire \dut.r_there ;
  (* hierconn *) wire \dut.r_failed ;
  (* hierconn *) wire [5:0] \dut.u_acks.tag_i ;
  (* hierconn *) wire \dut.u_acks.use_i ;
  (* hierconn *) wire [113:0] \dut.result ;
  (* hierconn *) wire [192:0] \dut.ops[0] ;
  (* hierconn *) wire [192:0] \dut.ops[1] ;
  (* hierconn *) wire [47:0] \dut.ids[0] ;
  (* hierconn *) wire [47:0] \dut.ids[1] ;
  (* hierconn *) wire [65:0] \dut.decisions[0] ;
  (* hierconn *) wire [65:0] \dut.decisions[1] ;

  logic [2*OpWidth-1:0] slot_ops;
  logic [95:0] slot_ids;
  logic [2*DoneWidth-1:0] slot_dones;
  assign slot_ops   = {\dut.ops[1] , \dut.ops[0] };
  assign slot_ids   = {\dut.ids[1] , \dut.ids[0] };
  assign slot_dones = {\dut.decisions[1] , \dut.decisions[0] };

  // ---------------------------------------------------------------------------------------------------------------
  // The list, oldest first: n_q are under way, the first steps_q of them have been through X, the first dones_q through
  // Y. first_tag_q is the number of the oldest, by counting what was retired.

  logic [1:0] n_q, n_left, steps_q, dones_q;
  logic y_q, y_at_q;  // one is in Y, at this place
  logic [6:0] first_tag_q;
  logic [2*OpWidth-1:0] ops_q, ops_left;
  logic [95:0] ids_q, ids_left;
  logic [2*DoneWidth-1:0] done_q, done_y;
  logic [64:0] answer_q;
  logic first_q;  // the first clock behind a reset
  logic begins, decides, retires;
  assign begins  = \dut.begins ;
  assign decides = \dut.decides ;
  assign retires = \dut.retires ;

  assign n_left   = n_q - 2'(retires);
  assign ops_left = retires ? ops_q >> OpWidth : ops_q;
  assign ids_left = retires ? ids_q >> 48 : ids_q;

  always_comb begin
    done_y = done_q;
    if (y_q) done_y[DoneWidth*y_at_q+:DoneWidth] = \dut.y_decided ;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {n_q, steps_q, dones_q, y_q} <= '0;
      first_tag_q <= '0;
      first_q     <= 1'b1;
    end else begin
      n_q         <= n_left + 2'(begins);
      steps_q     <= steps_q + 2'(decides) - 2'(retires);
      dones_q     <= dones_q + 2'(y_q) - 2'(retires);
      y_q         <= decides;
      first_tag_q <= first_tag_q + 7'(retires);
      first_q     <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    ops_q    <= ops_left;
    ids_q    <= ids_left;
    done_q   <= retires ? done_y >> DoneWidth : done_y;
    y_at_q   <= 1'(steps_q - 2'(retires));
    answer_q <= \dut.x_answer ;
    if (begins) begin
      ops_q[OpWidth*n_left[0]+:OpWidth] <= \dut.op ;
      ids_q[48*n_left[0]+:48]           <= \dut.id ;
    end
  end

  // Who is under way of the same eight bytes and of the same QP as what waits first.
  logic same_word, same_qp;
  always_comb begin
    same_word = 1'b0;
    same_qp   = 1'b0;
    for (int unsigned i = 0; i < Slots; i++) begin
      if (2'(i) < n_q && ops_q[OpWidth*i+4+:61] == \dut.op [64:4]) same_word = 1'b1;
      if (2'(i) < n_q && ids_q[48*i+:24] == \dut.id [23:0]) same_qp = 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The block's slots hold the list.

  logic tied, at;
  always_comb begin
    tied = \dut.count_q == n_q && n_q <= 2'(Slots) && steps_q <= n_q;
    if ({1'b0, dones_q} + {2'b0, y_q} != {1'b0, steps_q}) tied = 1'b0;
    if (\dut.begin_q != first_tag_q + 7'(n_q) || \dut.step_q != first_tag_q + 7'(steps_q) ||
        \dut.decided_q != first_tag_q + 7'(dones_q) || \dut.retire_q != first_tag_q) tied = 1'b0;
    if (\dut.y_valid_q != y_q || (y_q && y_at_q != dones_q[0])) tied = 1'b0;
    for (int unsigned i = 0; i < Slots; i++) begin
      at = first_tag_q[0] ^ 1'(i);
      if (\dut.valid_q [at] != (2'(i) < n_q)) tied = 1'b0;
      if (2'(i) < n_q && {\dut.words_q [61*at+:61], \dut.qpns_q [24*at+:24], slot_ops[OpWidth*at+:OpWidth],
          slot_ids[48*at+:48]} != {ops_q[OpWidth*i+4+:61], ids_q[48*i+:24], ops_q[OpWidth*i+:OpWidth],
          ids_q[48*i+:48]}) tied = 1'b0;
      if (2'(i) < dones_q && slot_dones[DoneWidth*at+:DoneWidth] != done_q[DoneWidth*i+:DoneWidth]) tied = 1'b0;
    end
  end

  // What stands in Y, by the list.
  logic [OpWidth-1:0] y_op;
  assign y_op = ops_q[OpWidth*y_at_q+:OpWidth];

  logic [1:0] status;
  assign status = done_q[1] ? 2'd1 : done_q[0] && \dut.r_failed ? 2'd2 : 2'd0;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (tied && \dut.place_q == (n_q != 2'(Slots) && !first_q));
        if (y_q) assert (\dut.y_op_q == y_op && \dut.y_answer_q == answer_q);
        assert (\dut.u_writes.count_q == 4'(\dut.u_writes.out_valid_q ) +
                4'(3'(\dut.u_writes.write_ptr_q - \dut.u_writes.read_ptr_q )));
        assert (\dut.u_writes.out_valid_q || \dut.u_writes.write_ptr_q == \dut.u_writes.read_ptr_q );
        assert (\dut.u_writes.count_q + 4'(y_q) <= 4'd8);
        assert (\dut.u_writes.ready_q == (\dut.u_writes.count_q != 4'd8 && !first_q));
      end
      if (Check[1] && begins) assert (!same_word);
      if (Check[2] && begins) assert (!same_qp);
      if (Check[3] && \dut.head_valid && \dut.read_room && n_q != 2'(Slots) && !first_q && !same_word && !same_qp)
        assert (begins);
      if (Check[4]) assert (n_q <= 2'(Slots) && (!begins || n_q != 2'(Slots)));
      if (Check[5]) begin
        if (begins) assert (\dut.b_read == {\dut.op [64:1], 6'(first_tag_q + 7'(n_q))});
        assert (\dut.u_answers.use_i == decides && (!decides || \dut.x_there ));
        if (decides) assert (steps_q < n_q && \dut.u_answers.tag_i == 6'(first_tag_q + 7'(steps_q)));
      end
      if (Check[6] && y_q) begin
        assert ({\dut.u_alu.swap_add_i , \dut.u_alu.compare_i , \dut.u_alu.is_add_i } == {y_op[192:65], y_op[0]});
        assert ({\dut.u_alu.data_i , \dut.u_alu.failed_i } == answer_q);
        assert (\dut.u_writes.s_data_i == {\dut.u_alu.value_o , y_op[64:1], 6'(first_tag_q + 7'(y_at_q))});
        assert (\dut.u_writes.s_valid_i == \dut.y_decided [0]);
      end
      if (Check[6] && !y_q) assert (!\dut.u_writes.s_valid_i );
      if (Check[7]) begin
        if (retires) assert (!done_q[0] || \dut.r_there );
        assert (\dut.u_acks.use_i == (retires & done_q[0]) || !retires);
        if (retires) assert (\dut.u_acks.tag_i == first_tag_q[5:0]);
      end
      if (Check[8] && retires) begin
        assert (dones_q != '0);
        assert (\dut.result == {done_q[65:2], status, ids_q[47:0]});
      end
      if (Check[8] && dones_q != '0 && \dut.result_room && (!done_q[0] || \dut.r_there )) assert (retires);
      if (Check[9] && \dut.u_writes.s_valid_i ) assert (\dut.u_writes.ready_q );
    end
  end

endmodule
