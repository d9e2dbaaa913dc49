// SPDX-License-Identifier: Apache-2.0
// dma_order retires entries in their order, each as it came, and one that writes not before its write was handed over
// and acknowledged by its number: with the error bit of that acknowledgement. One entry is followed, the write that it
// is, and the acknowledgements of that number. Check: one bit a property of dma_order.go.
module dma_order_proof #(
  parameter logic [6:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [152:0] s_entry_i,  // dma_pkg::entry_t
  input logic         s_entry_valid_i,
  input logic         mem_left_i,
  input logic         data_left_i,
  input logic [8:0]   s_mem_i,
  input logic         s_mem_valid_i,
  input logic         m_ready_i,
  input logic [3:0]   watched_i   // number of the entry that is followed: the first value counts
);

  localparam int unsigned Tags = 4;

  logic s_entry_ready, s_mem_ready, m_valid;
  logic [152:0] m_record;

  dma_order #(
    .Depth(2),
    .Tags (Tags)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_entry_i,
    .s_entry_valid_i,
    .s_entry_ready_o (s_entry_ready),
    .mem_left_i,
    .data_left_i,
    .s_mem_i,
    .s_mem_valid_i,
    .s_mem_ready_o   (s_mem_ready),
    .m_record_o      (m_record),
    .m_record_valid_o(m_valid),
    .m_record_ready_i(m_ready_i)
  );

  // Wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.retires ;
  (* hierconn *) wire \dut.ack_valid ;
  (* hierconn *) wire \dut.note ;

  logic initial_q = 1'b1;
  logic set_q = 1'b0;
  logic [3:0] watched_q;
  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    set_q     <= 1'b1;
    if (!set_q) watched_q <= watched_i;
  end

  logic push, writes;
  assign push   = s_entry_valid_i & s_entry_ready;
  assign writes = push & s_entry_i[2];

  // Entries, writes and what was handed over, counted from 0.
  logic [4:0] pushed_q, retired_q, writes_q, mem_left_q, data_left_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {pushed_q, retired_q, writes_q, mem_left_q, data_left_q} <= '0;
    else begin
      pushed_q    <= pushed_q + 5'(push);
      retired_q   <= retired_q + 5'(\dut.retires );
      writes_q    <= writes_q + 5'(writes);
      mem_left_q  <= mem_left_q + 5'(mem_left_i);
      data_left_q <= data_left_q + 5'(data_left_i);
    end
  end

  // The entry, and which write it is.
  logic seen_q;
  logic [152:0] entry_q;
  logic [4:0] write_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) seen_q <= 1'b0;
    else if (push && pushed_q == {1'b0, watched_q}) seen_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (push && pushed_q == {1'b0, watched_q}) begin
      entry_q <= s_entry_i;
      write_q <= writes_q;
    end
  end

  // Acknowledgements by number: how many, and the error bits of the first four of each.
  logic [2:0] acks_q[Tags];
  logic [3:0] errors_q[Tags];
  logic ack;
  assign ack = s_mem_valid_i & s_mem_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int t = 0; t < Tags; t++) acks_q[t] <= '0;
    end else begin
      for (int t = 0; t < Tags; t++) if (ack && s_mem_i[1:0] == t[1:0]) acks_q[t] <= acks_q[t] + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int t = 0; t < Tags; t++) begin
      for (int n = 0; n < 4; n++) begin
        if (ack && s_mem_i[1:0] == t[1:0] && acks_q[t] == n[2:0]) errors_q[t][n] <= s_mem_i[8];
      end
    end
  end

  logic now, is_acked, is_error;
  logic [1:0] tag, lap;
  assign now      = \dut.retires && retired_q == {1'b0, watched_q};
  assign tag      = write_q[1:0];
  assign lap      = write_q[3:2];
  assign is_acked = acks_q[tag] > {1'b0, lap};
  assign is_error = errors_q[tag][lap];

  // Memory that knows what it was given: for each number, is a write of it handed over and not acknowledged.
  logic [Tags-1:0] due_q;
  logic [4:0] given;
  assign given = mem_left_q < data_left_q ? mem_left_q : data_left_q;
  logic [4:0] given_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      due_q   <= '0;
      given_q <= '0;
    end else begin
      given_q <= given;
      for (int t = 0; t < Tags; t++) begin
        if (ack && s_mem_i[1:0] == t[1:0]) due_q[t] <= 1'b0;
        else if (given != given_q && given_q[1:0] == t[1:0]) due_q[t] <= 1'b1;
      end
    end
  end
  logic was_stalled_q = 1'b0;
  logic [152:0] record_q;
  always_ff @(posedge clk_i) begin
    was_stalled_q <= rst_ni & m_valid & ~m_ready_i;
    record_q      <= m_record;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      // A write is handed over once it has begun.
      if (mem_left_i) assume (mem_left_q != writes_q);
      if (data_left_i) assume (data_left_q != writes_q);
      assume (s_mem_i[7:2] == '0);
      if (Check[5]) if (s_mem_valid_i) assume (due_q[s_mem_i[1:0]]);

      if (Check[1] && now) begin
        assert (seen_q);
        if (m_valid) assert (m_record[152:3] == entry_q[152:3] && m_record[1:0] == entry_q[1:0]);
        assert (m_valid == (entry_q[1:0] != 2'b00 || m_record[2]));
      end
      if (Check[2] && now && entry_q[2]) assert (mem_left_q > write_q && data_left_q > write_q);
      if (Check[3] && now && entry_q[2]) assert (is_acked);
      if (Check[4] && now && m_valid) assert (m_record[2] == (entry_q[2] & is_error));
      if (Check[5]) assert (\dut.note == \dut.ack_valid );
      if (Check[6] && was_stalled_q) assert (m_valid && m_record == record_q);
    end
  end

endmodule
