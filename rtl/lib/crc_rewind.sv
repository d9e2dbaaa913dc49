// SPDX-License-Identifier: Apache-2.0
// Takes zero bytes back out of a reflected CRC register: state_o is what state_i was before its last count_i + 1 bytes,
// all zero, went in. NumStages clocks after take_i; state_o then keeps its value until the next one.
//
// The register after 2^i zero bytes less is a fixed matrix; bit i of the count chooses whether to apply it. Two bits
// are done per stage; stages beyond the count's bits only delay. The one byte that is always taken back rides along
// with bit 0.
module crc_rewind #(
  parameter int unsigned CrcWidth = 32,
  parameter logic [CrcWidth-1:0] Poly = 32'hEDB8_8320,  // reflected
  parameter int unsigned CountWidth = 6,
  parameter int unsigned NumStages = 4  // at least half of CountWidth
) (
  input  logic                  clk_i,
  input  logic                  take_i,
  input  logic [CrcWidth-1:0]   state_i,
  input  logic [CountWidth-1:0] count_i,
  output logic [CrcWidth-1:0]   state_o
);

  if (2 * NumStages < CountWidth) begin : gen_bad
    $error("crc_rewind: NumStages must be at least half of CountWidth");
  end

  localparam int unsigned MatrixBits = CrcWidth * CrcWidth;

  function automatic logic [CrcWidth-1:0] apply(input logic [MatrixBits-1:0] m, input logic [CrcWidth-1:0] v);
    apply = '0;
    for (int s = 0; s < CrcWidth; s++) apply = apply ^ ({CrcWidth{v[s]}} & m[s*CrcWidth+:CrcWidth]);
  endfunction

  // Column s is register bit s taken back by 2^log zero bytes: one byte bit by bit, then squared.
  function automatic logic [MatrixBits-1:0] back_matrix(input int unsigned log);
    logic [MatrixBits-1:0] m, squared;
    logic [CrcWidth-1:0] column;
    m = '0;
    squared = '0;
    for (int s = 0; s < CrcWidth; s++) begin
      column = CrcWidth'(1) << s;
      // A shift leaves its dropped bit in the top bit, where the polynomial put it.
      for (int i = 0; i < 8; i++) begin
        column = column[CrcWidth-1] ? ((column ^ Poly) << 1) | CrcWidth'(1) : column << 1;
      end
      m[s*CrcWidth+:CrcWidth] = column;
    end
    for (int unsigned n = 0; n < log; n++) begin
      for (int s = 0; s < CrcWidth; s++) squared[s*CrcWidth+:CrcWidth] = apply(m, m[s*CrcWidth+:CrcWidth]);
      m = squared;
    end
    back_matrix = m;
  endfunction

  logic [CrcWidth-1:0] state[NumStages+1];
  logic [CountWidth-1:0] count[NumStages+1];
  logic take[NumStages+1];

  assign state[0] = state_i;
  assign count[0] = count_i;
  assign take[0]  = take_i;

  for (genvar n = 0; n < NumStages; n++) begin : gen_stage
    localparam logic [MatrixBits-1:0] BackLow = back_matrix(2 * n);
    localparam logic [MatrixBits-1:0] BackHigh = back_matrix(2 * n + 1);
    logic [CrcWidth-1:0] low, state_d, state_q;
    logic [CountWidth-1:0] count_q;
    logic take_q;

    // The modulus keeps the index of count legal where the condition before it is false.
    always_comb begin
      low = state[n];
      if (n == 0) low = apply(count[n][0] ? BackHigh : BackLow, state[n]);
      else if (2 * n < CountWidth && count[n][(2*n)%CountWidth]) low = apply(BackLow, state[n]);
      state_d = low;
      if (2 * n + 1 < CountWidth && count[n][(2*n+1)%CountWidth]) state_d = apply(BackHigh, low);
    end

    always_ff @(posedge clk_i) begin
      take_q <= take[n];
      if (take[n]) begin
        state_q <= state_d;
        count_q <= count[n];
      end
    end
    assign state[n+1] = state_q;
    assign count[n+1] = count_q;
    assign take[n+1]  = take_q;
  end

  assign state_o = state[NumStages];

endmodule
