// A reflected CRC over whole beats, one beat per clock. Byte 0 of a beat is data_i[7:0].
//
// The register starts at zero on the first beat of a packet and never sees a part of a beat. A caller that wants other
// bounds prepares the data: it zeroes what lies before the first byte and XORs the initial value (low byte first) into
// the bytes from there, and it zeroes what lies behind the last byte and accounts for the k zero bytes itself.
//
// One matrix does it. Data bit i ends up in register bit r where Row[i] of row r is set; an old register bit s acts like
// data bit s, so the same rows serve both. The 32 x DataWidth XORs are cut in stages of two LUT levels:
//   1 partial sums over 64 bits, 2 their sum, 3 the register.
// state_o is the register after the beat that was on data_i three enabled clocks before.
module crc_stream #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned CrcWidth = 32,
  parameter logic [CrcWidth-1:0] Poly = 32'hEDB8_8320  // reflected
) (
  input  logic                 clk_i,
  input  logic                 en_i,
  input  logic                 valid_i,
  input  logic                 first_i,
  input  logic [DataWidth-1:0] data_i,
  output logic [CrcWidth-1:0]  state_o
);

  localparam int unsigned SegWidth = 64;
  localparam int unsigned NumSegs = DataWidth / SegWidth;

  // Which data bits reach register bit r: the last bit of a beat is shifted once, the one before it twice, and so on.
  function automatic logic [DataWidth-1:0] matrix_row(input int unsigned r);
    logic [CrcWidth-1:0] column;
    column = CrcWidth'(1);
    for (int i = DataWidth - 1; i >= 0; i--) begin
      column = (column >> 1) ^ (column[0] ? Poly : '0);
      matrix_row[i] = column[r];
    end
  endfunction

  logic valid1_q, first1_q, valid2_q, first2_q;
  logic [CrcWidth*NumSegs-1:0] part_d, part_q;
  logic [CrcWidth-1:0] sum_d, sum_q, state_d, state_q;

  for (genvar r = 0; r < CrcWidth; r++) begin : gen_row
    localparam logic [DataWidth-1:0] Row = matrix_row(r);
    for (genvar s = 0; s < NumSegs; s++) begin : gen_seg
      assign part_d[r*NumSegs+s] = ^(data_i[s*SegWidth+:SegWidth] & Row[s*SegWidth+:SegWidth]);
    end
    assign sum_d[r]   = ^part_q[r*NumSegs+:NumSegs];
    assign state_d[r] = sum_q[r] ^ (~first2_q & ^(state_q & Row[CrcWidth-1:0]));
  end

  // No reset: the caller's valid bits are reset, and a packet's first beat clears the register.
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      valid1_q <= valid_i;
      first1_q <= first_i;
      part_q   <= part_d;
      valid2_q <= valid1_q;
      first2_q <= first1_q;
      sum_q    <= sum_d;
      if (valid2_q) state_q <= state_d;
    end
  end

  assign state_o = state_q;

endmodule
