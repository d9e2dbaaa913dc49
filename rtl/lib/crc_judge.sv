// SPDX-License-Identifier: Apache-2.0
// Judges packets that end in their own CRC, low byte first. data_i is prepared as for crc_stream, and covers the CRC.
//
// After a good packet the register holds a constant, and the k zero bytes behind it in its last beat turn that into
// another constant, Residue[k]. So there is no CRC over a part of a beat and no barrel shifter.
//
// end_i marks the beat with the last covered byte, zeros_i the number of bytes behind it in the beat. good_o is three
// clocks behind the input, and holds from the beat of end_i to the packet's last beat.
module crc_judge #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned CrcWidth = 32,
  parameter logic [CrcWidth-1:0] Poly = 32'hEDB8_8320,  // reflected
  localparam int unsigned BeatBytes = DataWidth / 8,
  localparam int unsigned BeatShift = $clog2(BeatBytes)
) (
  input  logic                 clk_i,
  input  logic                 valid_i,
  input  logic                 first_i,
  input  logic                 end_i,
  input  logic [BeatShift-1:0] zeros_i,
  input  logic [DataWidth-1:0] data_i,
  output logic                 good_o
);

  // A CRC that is the complement of the register leaves all ones, shifted once for each of its bits.
  function automatic logic [BeatBytes*CrcWidth-1:0] residues();
    logic [CrcWidth-1:0] state;
    state = {CrcWidth{1'b1}};  // Yosys 0.23 takes '1 for 1 in a constant function
    for (int i = 0; i < CrcWidth; i++) state = (state >> 1) ^ (state[0] ? Poly : '0);
    for (int k = 0; k < BeatBytes; k++) begin
      residues[k*CrcWidth+:CrcWidth] = state;
      for (int i = 0; i < 8; i++) state = (state >> 1) ^ (state[0] ? Poly : '0);
    end
  endfunction
  localparam logic [BeatBytes*CrcWidth-1:0] Residue = residues();

  logic valid1_q, valid2_q, valid3_q, end1_q, end2_q, end3_q, good_q;
  logic [BeatShift-1:0] zeros1_q, zeros2_q;
  logic [CrcWidth-1:0] state, residue3_q;

  crc_stream #(
    .DataWidth(DataWidth),
    .CrcWidth (CrcWidth),
    .Poly     (Poly)
  ) u_crc (
    .clk_i,
    .valid_i,
    .first_i,
    .data_i,
    .state_o(state)
  );

  // No reset: good_q is written before it counts, by the beat of end_i.
  always_ff @(posedge clk_i) begin
    {valid3_q, valid2_q, valid1_q} <= {valid2_q, valid1_q, valid_i};
    {end3_q, end2_q, end1_q}       <= {end2_q, end1_q, end_i};
    zeros1_q   <= zeros_i;
    zeros2_q   <= zeros1_q;
    residue3_q <= Residue[zeros2_q*CrcWidth+:CrcWidth];
    if (valid3_q) good_q <= good_o;
  end

  assign good_o = end3_q ? state == residue3_q : good_q;

endmodule
