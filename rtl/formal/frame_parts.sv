// SPDX-License-Identifier: Apache-2.0
// What the lengths of a record of tx_frame have to be: frame_size is held to it, and tx_frame_proof builds on it.
module frame_lengths (
  input  logic [54:0] head_i,
  input  logic [12:0] bytes_i,
  input  logic [45:0] sizes_i,
  output logic        right_o
);

  logic is_frame, gathers;
  logic [13:0] head, transport, total, padded;

  assign {head, transport, total} = sizes_i[41:0];
  assign is_frame = head_i[2:0] == 3'd0 && head_i[53:51] == 3'd0;
  assign gathers  = head_i[54];
  assign padded   = ({1'b0, bytes_i} + 14'd3) & 14'h3FFC;

  always_comb begin
    right_o = sizes_i[45] == is_frame && sizes_i[44] == gathers && sizes_i[43:42] == 2'd0 - bytes_i[1:0];
    if (is_frame) begin
      right_o = right_o && head >= 14'd20 && head <= 14'd110 && !head[0] && total == head + padded + 14'd4;
    end else begin
      right_o = right_o && head == '0 && total == (gathers ? {1'b0, bytes_i} : 14'd0);
    end
  end

endmodule
