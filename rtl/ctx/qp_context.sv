// SPDX-License-Identifier: Apache-2.0
// The state of many QPs, one word each, for a pipeline that reads, changes and writes a word in every clock:
// docs/blocks/qp_context.md.
//
//   stage R   r_qpn_i names the QP of the record that is being looked up; the word is read at the end of this clock
//   stage F   the word leaves the memory, newer words are put in its place. With ReadLatency 2 there is a stage more
//             before F
//   stage X   ReadLatency + 1 clocks after R: x_ctx_o is the word as every earlier record left it, x_ctx_i what this
//             record makes of it, written if x_we_i is high
//
// The pipeline never stands still. Records of one QP may follow each other in every clock: nothing stalls. A bubble
// is a record that does not write; its r_qpn_i may be anything.
//
// After reset every word is zero. To make it so takes NumQps clocks, in which ready_o is low and the caller neither
// looks up nor writes. ready_o is a register and stays high once it is.
module qp_context #(
  parameter int unsigned NumQps = 4096,    // a power of two, 4 to 65,536
  parameter int unsigned Width = 64,       // bits of a word
  parameter int unsigned ReadLatency = 1,  // of the memory: 1 or 2
  parameter RamStyle = "block"             // of ram_1r1w
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      ready_o,

  input  logic [$clog2(NumQps)-1:0] r_qpn_i,
  output logic [Width-1:0]          x_ctx_o,
  input  logic [Width-1:0]          x_ctx_i,
  input  logic                      x_we_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned L = ReadLatency;

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("qp_context: NumQps must be a power of two from 4 to 65536");
  end
  if (Width < 1) begin : gen_bad_width
    $error("qp_context: Width must be at least 1");
  end
  if (ReadLatency != 1 && ReadLatency != 2) begin : gen_bad_latency
    $error("qp_context: ReadLatency must be 1 or 2");
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
  // Memory. A read in the clock of a write to the same word gives the old one: newer ones are taken from late_q.

  logic [(L+1)*QpnWidth-1:0] qpn_q;  // of the stages behind R, the next one lowest, X on top
  logic [QpnWidth-1:0] x_qpn;
  logic [Width-1:0] f_read, x_ctx_q;

  assign x_qpn = qpn_q[L*QpnWidth+:QpnWidth];

  ram_1r1w #(
    .Words      (NumQps),
    .Width      (Width),
    .ReadLatency(ReadLatency),
    .Style      (RamStyle)
  ) u_ram (
    .clk_i,
    .wlanes_i(ready_o ? x_we_i : 1'b1),
    .waddr_i (ready_o ? x_qpn : scrub_q[QpnWidth-1:0]),
    .wdata_i (ready_o ? x_ctx_i : '0),
    .re_i    (1'b1),
    .raddr_i (r_qpn_i),
    .rdata_o (f_read)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Forwarding. When a word is in F, the record one before it is in X; the L records before that one wrote while this
  // one read or waited. Which of them are of its QP is known while it is in R; the youngest one wins.
  //
  // Bit 0 and word 0 are of the record one before, bit and word n of the one n + 1 before: what X writes now, and
  // what it wrote in the L clocks before.

  localparam int unsigned N = L + 1;

  logic [L:0] r_same, f_same;
  logic [L*N-1:0] same_q;  // N flags of each of the stages behind R, F's on top
  logic [L*Width-1:0] late_q;
  logic [L-1:0] late_we_q;
  logic [Width-1:0] x_ctx_d;

  for (genvar n = 0; n <= L; n++) begin : gen_same
    assign r_same[n] = r_qpn_i == qpn_q[n*QpnWidth+:QpnWidth];
  end

  assign f_same = same_q[(L-1)*N+:N];

  always_comb begin
    x_ctx_d = f_read;
    for (int n = L - 1; n >= 0; n--) begin
      if (f_same[n+1] & late_we_q[n]) x_ctx_d = late_q[n*Width+:Width];
    end
    if (f_same[0] & x_we_i) x_ctx_d = x_ctx_i;
  end

  always_ff @(posedge clk_i) begin
    qpn_q     <= {qpn_q[L*QpnWidth-1:0], r_qpn_i};
    same_q    <= (L * N)'({same_q, r_same});
    late_q    <= (L * Width)'({late_q, x_ctx_i});
    late_we_q <= L'({late_we_q, x_we_i});
    x_ctx_q   <= x_ctx_d;
  end

  assign x_ctx_o = x_ctx_q;

endmodule
