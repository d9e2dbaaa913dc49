// SPDX-License-Identifier: Apache-2.0
// The lengths that frame_size gives are those of a frame: its headers, its payload with its pad, and the ICRC. It has
// no state: one clock says all.
module frame_size_proof #(
  parameter logic [1:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [878:0] rec_i  // frame_pkg::ready_t
);

  logic [45:0] sizes;
  logic right;

  frame_size dut (
    .rec_i,
    .sizes_o(sizes)
  );

  frame_lengths u_lengths (
    .head_i (rec_i[54:0]),
    .bytes_i(rec_i[397:385]),
    .sizes_i(sizes),
    .right_o(right)
  );

  // As they are where the reason is 0: frame_entry's, and that there is a way.
  always_ff @(posedge clk_i) begin
    assume (rec_i[397:385] <= 13'd4096);
    assume (rec_i[62:60] == 3'd0 || rec_i[62:60] == 3'd1 || rec_i[62:60] == 3'd3);  // RC, UC, UD
    if (rst_ni && Check[1]) assert (right);
  end

endmodule
