// SPDX-License-Identifier: Apache-2.0
// place_decide for all records and lists of four, field by field by the words of docs/blocks/read_place.md. It has no
// state: one clock says all. Check: one bit a property, bit 0 is not used.
module place_decide_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [203:0] rec_i,   // as docs/blocks/read_place.md lays it out
  input logic         in_range_i,
  input logic [367:0] word_i,  // of the QP
  input logic [1:0]   place_i  // of the list: one that is followed
);

  logic [367:0] behind;
  logic [225:0] result;

  place_decide dut (
    .rec_i     (rec_i),
    .in_range_i(in_range_i),
    .ctx_i     (word_i),
    .ctx_o     (behind),
    .result_o  (result)
  );

  // Fields.
  logic [1:0] op, kind;
  logic [12:0] bytes;
  logic [4:0] reads, reads_behind;
  logic told, taken, place, is_value;
  logic [89:0] head, at_place, at_next, behind_place;
  assign op           = rec_i[1:0];
  assign bytes        = rec_i[64:52];
  assign reads        = word_i[4:0];
  assign reads_behind = behind[4:0];
  assign head         = word_i[97:8];
  assign kind         = head[89:88];
  assign told         = op == 2'd1;
  assign taken        = told && rec_i[50] && in_range_i && reads != '0;
  assign place        = result[69];
  assign is_value     = result[70];
  assign at_place     = word_i[8+90*place_i+:90];
  assign at_next      = place_i == 2'd3 ? '0 : word_i[8+90*(place_i+2'd1)+:90];
  assign behind_place = behind[8+90*place_i+:90];

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      assume (reads <= 5'd4);
      if (Check[1]) begin
        if (!taken) assert (!place && !is_value);
        if (told && !taken) assert (behind == word_i);
        if (!in_range_i) assert (behind == word_i);
      end
      if (Check[2] && taken && kind == 2'd0) begin
        assert (place && !is_value && result[68:56] == bytes && result[161:98] == head[87:24]);
        assert (24'(head[23:0] + result[97:74]) == rec_i[49:26] && result[73:71] == word_i[7:5]);
      end
      if (Check[3] && taken && kind != 2'd0) begin
        assert (place == (kind == 2'd1 && bytes == '0) && is_value == place);
        if (place) begin
          assert (result[68:56] == 13'd8 && result[161:98] == head[87:24] && result[97:74] == '0);
          assert (result[225:162] == rec_i[203:140]);
        end
      end
      if (Check[4] && op == 2'd0 && in_range_i) begin
        assert (reads_behind == (reads == 5'd4 ? 5'd4 : reads + 5'd1) && behind[7:5] == word_i[7:5]);
        if (reads == {3'd0, place_i}) assert (behind_place == {rec_i[66:65], rec_i[139:76], rec_i[49:26]});
        else assert (behind_place == at_place);
      end
      if (Check[5] && taken) begin
        assert (reads_behind == (rec_i[51] ? reads - 5'd1 : reads) && behind[7:5] == word_i[7:5]);
        if (!rec_i[51]) assert (behind_place == at_place);
        else if (5'(place_i) < reads_behind) assert (behind_place == at_next);
      end
      if (Check[5] && told && !taken) assert (reads_behind == reads);
      if (Check[6] && op == 2'd2 && in_range_i) assert (reads_behind == '0 && behind[7:5] == rec_i[69:67]);
      if (Check[6] && op == 2'd3) assert (behind == word_i);
      if (Check[7]) begin
        assert (result[55:0] == {rec_i[75:70], rec_i[49:26], rec_i[25:2], op == 2'd3, op == 2'd2});
        if (!told) assert (result[68:56] == '0);
      end
    end
  end

endmodule
