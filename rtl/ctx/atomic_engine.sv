// SPDX-License-Identifier: Apache-2.0
// Atomics on host memory, one at a time of an address and of a QP: docs/blocks/atomic_engine.md.
//
// An atomic has a number, modulo 64 its tag and modulo Slots its slot. Three pointers run over the numbers: what begins
// next, what decides next, what is retired next. Each looks at its own place only. What begins is held against all
// slots in one clock.
//
//   B   begins: the read leaves
//   X   its answer is there; operands and answer are looked up
//   Y   the value; the write leaves
//   R   is retired: the result leaves
module atomic_engine #(
  parameter int unsigned Slots = 16  // a power of two from 2 to 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        s_cmd_add_i,
  input  logic [23:0] s_cmd_qpn_i,
  input  logic [23:0] s_cmd_psn_i,
  input  logic [63:0] s_cmd_address_i,
  input  logic [63:0] s_cmd_compare_i,
  input  logic [63:0] s_cmd_swap_add_i,
  input  logic        s_cmd_valid_i,
  output logic        s_cmd_ready_o,

  output logic [5:0]  m_read_tag_o,
  output logic [63:0] m_read_address_o,
  output logic        m_read_valid_o,
  input  logic        m_read_ready_i,

  input  logic [5:0]  s_read_tag_i,
  input  logic        s_read_error_i,
  input  logic [63:0] s_read_data_i,
  input  logic        s_read_valid_i,
  output logic        s_read_ready_o,

  output logic [5:0]  m_write_tag_o,
  output logic [63:0] m_write_address_o,
  output logic [63:0] m_write_data_o,
  output logic        m_write_valid_o,
  input  logic        m_write_ready_i,

  input  logic [5:0]  s_write_tag_i,
  input  logic        s_write_error_i,
  input  logic        s_write_valid_i,
  output logic        s_write_ready_o,

  output logic [23:0] m_res_qpn_o,
  output logic [23:0] m_res_psn_o,
  output logic [1:0]  m_res_status_o,
  output logic [63:0] m_res_original_o,
  output logic        m_res_valid_o,
  input  logic        m_res_ready_i
);

  localparam int unsigned SlotWidth = $clog2(Slots);
  localparam int unsigned CountWidth = SlotWidth + 1;
  localparam int unsigned TagWidth = atomic_pkg::TagWidth;

  if (Slots < 2 || Slots > 64 || Slots != 2 ** SlotWidth) begin : gen_bad_slots
    $error("atomic_engine: Slots must be a power of two from 2 to 64");
  end

  atomic_pkg::op_t s_op, op;  // of the command that comes, and of the one that waits first
  atomic_pkg::id_t s_id, id;
  logic head_valid, begins, decides, retires;
  logic [2:0] unused_waiting, unused_reads, unused_results;

  // Numbers, one bit more than tags: which atomic begins, decides, is decided and is retired next.
  logic [TagWidth:0] begin_q, step_q, decided_q, retire_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begin_q  <= '0;
      step_q   <= '0;
      retire_q <= '0;
    end else begin
      if (begins) begin_q <= begin_q + 1'b1;
      if (decides) step_q <= step_q + 1'b1;
      if (retires) retire_q <= retire_q + 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // B: no other of its eight bytes or its QP is under way, and there is a slot.

  logic [SlotWidth-1:0] b_slot, x_slot, r_slot;
  logic [Slots*61-1:0] words_q;  // address / 8
  logic [Slots*24-1:0] qpns_q;
  logic [Slots-1:0] valid_q, holds;
  logic [CountWidth-1:0] count_q, count_d;
  logic place_q, read_room;

  assign s_op = {s_cmd_swap_add_i, s_cmd_compare_i, s_cmd_address_i, s_cmd_add_i};
  assign s_id = {s_cmd_psn_i, s_cmd_qpn_i};

  sync_fifo #(
    .Width($bits(s_op) + $bits(s_id)),
    .Depth(4)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_op, s_id}),
    .s_valid_i(s_cmd_valid_i),
    .s_ready_o(s_cmd_ready_o),
    .m_data_o ({op, id}),
    .m_valid_o(head_valid),
    .m_ready_i(begins),
    .count_o  (unused_waiting)
  );

  for (genvar i = 0; i < Slots; i++) begin : gen_holds
    assign holds[i] = valid_q[i] &
                      (op.address[63:3] == words_q[61*i+:61] | id.qpn == qpns_q[24*i+:24]);
  end

  assign b_slot  = begin_q[SlotWidth-1:0];
  assign x_slot  = step_q[SlotWidth-1:0];
  assign r_slot  = retire_q[SlotWidth-1:0];
  assign begins  = head_valid & read_room & place_q & holds == '0;
  assign count_d = count_q + CountWidth'(begins) - CountWidth'(retires);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      count_q <= '0;
      place_q <= 1'b0;
    end else begin
      if (retires) valid_q[r_slot] <= 1'b0;
      if (begins) valid_q[b_slot] <= 1'b1;
      count_q <= count_d;
      place_q <= count_d != CountWidth'(Slots);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Slots; i++) begin
      if (begins && b_slot == SlotWidth'(i)) begin
        words_q[61*i+:61] <= op.address[63:3];
        qpns_q[24*i+:24]  <= id.qpn;
      end
    end
  end

  atomic_pkg::read_t b_read;
  assign b_read = {op.address, begin_q[TagWidth-1:0]};

  sync_fifo #(
    .Width($bits(b_read)),
    .Depth(4)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .s_data_i (b_read),
    .s_valid_i(begins),
    .s_ready_o(read_room),
    .m_data_o ({m_read_address_o, m_read_tag_o}),
    .m_valid_o(m_read_valid_o),
    .m_ready_i(m_read_ready_i),
    .count_o  (unused_reads)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // X: its turn, its answer, and room for a write, one in Y counted in. What it needs comes from LUT memory.

  logic [$bits(op)-1:0] ops[Slots];  // atomic_pkg::op_t
  atomic_pkg::op_t y_op_q;
  atomic_pkg::answer_t x_answer, y_answer_q;
  logic x_there, y_valid_q;
  logic [3:0] write_count;

  atomic_notes #(
    .Width($bits(x_answer))
  ) u_answers (
    .clk_i,
    .rst_ni,
    .s_tag_i  (s_read_tag_i),
    .s_data_i ({s_read_data_i, s_read_error_i}),
    .s_valid_i(s_read_valid_i),
    .s_ready_o(s_read_ready_o),
    .tag_i    (step_q[TagWidth-1:0]),
    .use_i    (decides),
    .there_o  (x_there),
    .data_o   (x_answer)
  );

  assign decides = step_q != begin_q & x_there & write_count < 4'd7;

  always_ff @(posedge clk_i) begin
    if (begins) ops[b_slot] <= op;
    y_op_q     <= ops[x_slot];
    y_answer_q <= x_answer;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Y: the value.

  logic unused_write_room;
  atomic_pkg::write_t y_write;
  atomic_pkg::decided_t y_decided;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      y_valid_q <= 1'b0;
      decided_q <= '0;
    end else begin
      y_valid_q <= decides;
      decided_q <= step_q;
    end
  end

  atomic_alu u_alu (
    .is_add_i  (y_op_q.is_add),
    .compare_i (y_op_q.compare),
    .swap_add_i(y_op_q.swap_add),
    .failed_i  (y_answer_q.failed),
    .data_i    (y_answer_q.data),
    .writes_o  (y_decided.writes),
    .value_o   (y_write.data),
    .original_o(y_decided.original)
  );

  assign y_decided.not_read = y_answer_q.failed;
  assign y_write.address    = y_op_q.address;
  assign y_write.tag        = decided_q[TagWidth-1:0];

  sync_fifo #(
    .Width($bits(y_write)),
    .Depth(8)
  ) u_writes (
    .clk_i,
    .rst_ni,
    .s_data_i (y_write),
    .s_valid_i(y_valid_q & y_decided.writes),
    .s_ready_o(unused_write_room),
    .m_data_o ({m_write_data_o, m_write_address_o, m_write_tag_o}),
    .m_valid_o(m_write_valid_o),
    .m_ready_i(m_write_ready_i),
    .count_o  (write_count)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // R: decided, and acknowledged if it wrote.

  logic [$bits(y_decided)-1:0] decisions[Slots];  // atomic_pkg::decided_t
  logic [$bits(id)-1:0] ids[Slots];  // atomic_pkg::id_t
  logic [SlotWidth-1:0] y_slot;
  atomic_pkg::decided_t r_decided;
  atomic_pkg::result_t result;
  logic r_there, r_failed, result_room;

  assign y_slot    = decided_q[SlotWidth-1:0];
  assign r_decided = decisions[r_slot];

  always_ff @(posedge clk_i) begin
    if (begins) ids[b_slot] <= id;
    if (y_valid_q) decisions[y_slot] <= y_decided;
  end

  atomic_notes #(
    .Width(1)
  ) u_acks (
    .clk_i,
    .rst_ni,
    .s_tag_i  (s_write_tag_i),
    .s_data_i (s_write_error_i),
    .s_valid_i(s_write_valid_i),
    .s_ready_o(s_write_ready_o),
    .tag_i    (retire_q[TagWidth-1:0]),
    .use_i    (retires & r_decided.writes),
    .there_o  (r_there),
    .data_o   (r_failed)
  );

  assign retires = retire_q != decided_q & (~r_decided.writes | r_there) & result_room;

  always_comb begin
    result.status = atomic_pkg::StatusDone;
    if (r_decided.not_read) result.status = atomic_pkg::StatusNotRead;
    else if (r_decided.writes & r_failed) result.status = atomic_pkg::StatusNotWritten;
    result.original = r_decided.original;
    result.id       = ids[r_slot];
  end

  sync_fifo #(
    .Width($bits(result)),
    .Depth(4)
  ) u_results (
    .clk_i,
    .rst_ni,
    .s_data_i (result),
    .s_valid_i(retires),
    .s_ready_o(result_room),
    .m_data_o ({m_res_original_o, m_res_status_o, m_res_psn_o, m_res_qpn_o}),
    .m_valid_o(m_res_valid_o),
    .m_ready_i(m_res_ready_i),
    .count_o  (unused_results)
  );

`ifdef VERILATOR
  record_rules #(
    .Width($bits(s_op) + $bits(s_id))
  ) u_cmd_rules (
    .clk_i,
    .rst_ni,
    .data_i ({s_op, s_id}),
    .valid_i(s_cmd_valid_i),
    .ready_i(s_cmd_ready_o)
  );

  record_rules #(
    .Width(70)
  ) u_m_read_rules (
    .clk_i,
    .rst_ni,
    .data_i ({m_read_address_o, m_read_tag_o}),
    .valid_i(m_read_valid_o),
    .ready_i(m_read_ready_i)
  );

  record_rules #(
    .Width(71)
  ) u_s_read_rules (
    .clk_i,
    .rst_ni,
    .data_i ({s_read_data_i, s_read_error_i, s_read_tag_i}),
    .valid_i(s_read_valid_i),
    .ready_i(s_read_ready_o)
  );

  record_rules #(
    .Width(134)
  ) u_m_write_rules (
    .clk_i,
    .rst_ni,
    .data_i ({m_write_data_o, m_write_address_o, m_write_tag_o}),
    .valid_i(m_write_valid_o),
    .ready_i(m_write_ready_i)
  );

  record_rules #(
    .Width(7)
  ) u_s_write_rules (
    .clk_i,
    .rst_ni,
    .data_i ({s_write_error_i, s_write_tag_i}),
    .valid_i(s_write_valid_i),
    .ready_i(s_write_ready_o)
  );

  record_rules #(
    .Width($bits(result))
  ) u_m_res_rules (
    .clk_i,
    .rst_ni,
    .data_i ({m_res_original_o, m_res_status_o, m_res_psn_o, m_res_qpn_o}),
    .valid_i(m_res_valid_o),
    .ready_i(m_res_ready_i)
  );
`endif

endmodule
