// The state of many QPs, one word each, for a pipeline that reads, changes and writes a word in every clock:
// docs/blocks/qp_context.md.
//
//   stage R   r_qpn_i names the QP of the record that is being looked up; the word is read at the end of this clock
//   stage F   the word leaves the memory, newer words are put in its place
//   stage X   two enabled clocks after R: x_ctx_o is the word as every earlier record left it, x_ctx_i what this record
//             makes of it, written if x_we_i is high
//
// The whole pipeline stands still while en_i is low. Records of one QP may follow each other in every clock: nothing stalls. A
// bubble is a record that does not write; its r_qpn_i may be anything.
//
// After reset every word is zero. To make it so takes NumQps clocks, in which ready_o is low and the caller neither looks up
// nor writes. ready_o is a register and stays high once it is.
module qp_context #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned Width = 64      // bits of a word
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      ready_o,

  input  logic                      en_i,
  input  logic [$clog2(NumQps)-1:0] r_qpn_i,
  output logic [Width-1:0]          x_ctx_o,
  input  logic [Width-1:0]          x_ctx_i,
  input  logic                      x_we_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("qp_context: NumQps must be a power of two from 4 to 65536");
  end
  if (Width < 1) begin : gen_bad_width
    $error("qp_context: Width must be at least 1");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The scrub after reset: one zero a clock.

  logic [QpnWidth:0] scrub_q;  // the top bit says done

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) scrub_q <= '0;
    else if (!scrub_q[QpnWidth]) scrub_q <= scrub_q + 1'b1;
  end

  assign ready_o = scrub_q[QpnWidth];

  // ---------------------------------------------------------------------------------------------------------------
  // Memory. A read in the clock of a write to the same word gives the old one: the newer is taken from late_q.

  logic [QpnWidth-1:0] f_qpn_q, x_qpn_q;
  logic [Width-1:0] f_read, x_ctx_q;

  ram_1r1w #(
    .Words(NumQps),
    .Width(Width)
  ) u_ram (
    .clk_i,
    .wlanes_i(ready_o ? en_i & x_we_i : 1'b1),
    .waddr_i (ready_o ? x_qpn_q : scrub_q[QpnWidth-1:0]),
    .wdata_i (ready_o ? x_ctx_i : '0),
    .re_i    (en_i),
    .raddr_i (r_qpn_i),
    .rdata_o (f_read)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Forwarding. When a word is in F, the record one before it is in X and the one two before it wrote while this one read.
  // Which of them are of its QP is known a stage earlier; the younger one wins.

  logic [Width-1:0] late_q;  // what X wrote in the last enabled clock
  logic late_we_q, f_same_x_q, f_same_late_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      f_qpn_q       <= r_qpn_i;
      x_qpn_q       <= f_qpn_q;
      f_same_x_q    <= r_qpn_i == f_qpn_q;
      f_same_late_q <= r_qpn_i == x_qpn_q;
      late_q        <= x_ctx_i;
      late_we_q     <= x_we_i;
      if (f_same_x_q & x_we_i) x_ctx_q <= x_ctx_i;
      else if (f_same_late_q & late_we_q) x_ctx_q <= late_q;
      else x_ctx_q <= f_read;
    end
  end

  assign x_ctx_o = x_ctx_q;

endmodule
