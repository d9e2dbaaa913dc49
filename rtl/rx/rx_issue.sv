// SPDX-License-Identifier: Apache-2.0
// Holds a request back that depends on one whose verdict is not there: docs/blocks/rx_issue.md.
//
// The head of the input queue is held against all that are under way, in one clock. Those stand in a ring of registers,
// the oldest one at read_ptr_q: verdicts come in their order.
module rx_issue #(
  parameter int unsigned Depth = 32  // requests under way: a power of two from 2 to 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [23:0] s_qpn_i,
  input  logic [23:0] s_queue_i,
  input  logic        s_needs_message_i,
  input  logic        s_needs_wqe_i,
  input  logic        s_uses_wqe_i,
  input  logic        s_invalidates_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  input  logic [23:0] s_done_qpn_i,
  input  logic        s_done_valid_i,
  output logic        s_done_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [23:0] m_queue_o,
  output logic        m_needs_message_o,
  output logic        m_needs_wqe_o,
  output logic        m_uses_wqe_o,
  output logic        m_invalidates_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned PtrWidth = $clog2(Depth);
  localparam int unsigned CountWidth = PtrWidth + 1;

  if (Depth < 2 || Depth > 64 || Depth != 2 ** PtrWidth) begin : gen_bad_depth
    $error("rx_issue: Depth must be a power of two from 2 to 64");
  end

  issue_pkg::request_t s_rec, head, out;
  logic head_valid, room, held, issue, done;
  logic [2:0] unused_in_count, unused_out_count;

  assign s_rec = {s_invalidates_i, s_uses_wqe_i, s_needs_wqe_i, s_needs_message_i, s_queue_i, s_qpn_i};

  sync_fifo #(
    .Width($bits(s_rec)),
    .Depth(4)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i (s_rec),
    .s_valid_i,
    .s_ready_o,
    .m_data_o (head),
    .m_valid_o(head_valid),
    .m_ready_i(issue),
    .count_o  (unused_in_count)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // What is under way.

  logic [Depth*24-1:0] qpns_q, rqs_q;
  logic [Depth-1:0] uses_q, invalidates_q, valid_q, holds;
  logic [PtrWidth-1:0] read_ptr_q, write_ptr_q;
  logic [CountWidth-1:0] count_q, count_d;
  logic place_q, some_q;  // fewer than Depth are under way; one or more

  for (genvar i = 0; i < Depth; i++) begin : gen_holds
    logic same_qp, same_rq;
    assign same_qp  = head.qpn == qpns_q[24*i+:24];
    assign same_rq  = head.rq == rqs_q[24*i+:24];
    assign holds[i] = valid_q[i] & ((same_qp & (head.needs_message | invalidates_q[i])) |
                                    (same_rq & head.needs_wqe & uses_q[i]));
  end

  assign held    = holds != '0;
  assign issue   = head_valid & room & place_q & ~held;
  assign done    = s_done_valid_i & some_q & s_done_qpn_i == qpns_q[24*read_ptr_q+:24];
  assign count_d = count_q + CountWidth'(issue) - CountWidth'(done);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q     <= '0;
      read_ptr_q  <= '0;
      write_ptr_q <= '0;
      count_q     <= '0;
      place_q     <= 1'b0;
      some_q      <= 1'b0;
    end else begin
      if (done) begin
        valid_q[read_ptr_q] <= 1'b0;
        read_ptr_q          <= read_ptr_q + 1'b1;
      end
      if (issue) begin
        valid_q[write_ptr_q] <= 1'b1;
        write_ptr_q          <= write_ptr_q + 1'b1;
      end
      count_q <= count_d;
      place_q <= count_d != CountWidth'(Depth);
      some_q  <= count_d != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Depth; i++) begin
      if (issue && write_ptr_q == PtrWidth'(i)) begin
        qpns_q[24*i+:24] <= head.qpn;
        rqs_q[24*i+:24]  <= head.rq;
        uses_q[i]        <= head.uses_wqe;
        invalidates_q[i] <= head.invalidates;
      end
    end
  end

  assign s_done_ready_o = some_q;

  // ---------------------------------------------------------------------------------------------------------------
  // The output.

  sync_fifo #(
    .Width($bits(out)),
    .Depth(4)
  ) u_out (
    .clk_i,
    .rst_ni,
    .s_data_i (head),
    .s_valid_i(issue),
    .s_ready_o(room),
    .m_data_o (out),
    .m_valid_o,
    .m_ready_i,
    .count_o  (unused_out_count)
  );

  assign {m_invalidates_o, m_uses_wqe_o, m_needs_wqe_o, m_needs_message_o, m_queue_o, m_qpn_o} = out;

`ifdef VERILATOR
  record_rules #(
    .Width($bits(s_rec))
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_rec),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  record_rules #(
    .Width(24)
  ) u_done_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_done_qpn_i),
    .valid_i(s_done_valid_i),
    .ready_i(s_done_ready_o)
  );

  record_rules #(
    .Width($bits(out))
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .data_i (out),
    .valid_i(m_valid_o),
    .ready_i(m_ready_i)
  );
`endif

endmodule
