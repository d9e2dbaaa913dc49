// SPDX-License-Identifier: Apache-2.0
// Does a duplicate READ ask for a part of its original, at the place that this part had (RSP-7):
// docs/blocks/replay_fifo.md. One clock for the sums, one for what they are held against.
module replay_range (
  input  logic               clk_i,
  input  replay_pkg::range_t asked_i,
  input  replay_pkg::range_t kept_i,
  input  logic [23:0]        ahead_i,  // from the original's PSN to the record's
  input  logic [2:0]         pmtu_i,
  output logic               within_o  // two clocks later
);

  logic [35:0] skipped;  // bytes of the PSNs between both
  psn_pkg::psn_t count;

  assign count = psn_pkg::count_of(ahead_i);

  always_comb begin
    case (pmtu_i)
      3'd1: skipped = 36'(count) << 8;
      3'd2: skipped = 36'(count) << 9;
      3'd3: skipped = 36'(count) << 10;
      3'd4: skipped = 36'(count) << 11;
      default: skipped = 36'(count) << 12;
    endcase
  end

  logic [63:0] va_q, place_q;
  logic [36:0] end_q;
  logic [31:0] bytes_q;
  logic same_key_q, within_q;

  always_ff @(posedge clk_i) begin
    va_q       <= asked_i.va;
    place_q    <= kept_i.va + 64'(skipped);
    end_q      <= 37'(skipped) + 37'(asked_i.bytes);
    bytes_q    <= kept_i.bytes;
    same_key_q <= asked_i.rkey == kept_i.rkey;
    within_q   <= same_key_q && va_q == place_q && end_q <= 37'(bytes_q);
  end

  assign within_o = within_q;

endmodule
