// SPDX-License-Identifier: Apache-2.0
// frame_entry reads host memory for packets that carry a payload and have nothing wrong, whatever a record holds. It
// has no state: one clock says all.
module frame_entry_proof #(
  parameter logic [2:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [975:0] rec_i  // as docs/blocks/tx_frame.md lays it out
);

  logic [535:0] inside;
  logic [63:0] address;
  logic [2:0] why;
  logic [12:0] bytes;
  logic is_packet, gathers;

  frame_entry dut (
    .rec_i,
    .inside_o (inside),
    .address_o(address)
  );

  assign is_packet = rec_i[2:0] == 3'd0;
  assign gathers   = inside[54];
  assign why       = inside[53:51];
  assign bytes     = inside[397:385];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (Check[1]) begin
        if (gathers) assert (is_packet && bytes != '0 && bytes <= 13'd4096 && why == 3'd0);
        if (is_packet && why == 3'd0) assert (gathers == (bytes != '0));
      end
      if (Check[2]) begin
        assert (inside[50:0] == {rec_i[58:35], rec_i[26:0]});
        if (gathers) assert (address == rec_i[457:394] + 64'(rec_i[489:458]));
        if (!is_packet) assert (inside[535:55] == rec_i[975:495]);
      end
    end
  end

endmodule
