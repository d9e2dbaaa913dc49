// A small design with choices of known kinds: equiv_test.go says of each whether it does what the design does.
module choices (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  input  logic [3:0] a_i,
  input  logic [3:0] b_i,
  input  logic [1:0] we_i,
  output logic [3:0] sum_o,
  output logic       tenth_o,
  output logic       valid_o,
  output logic [3:0] data_o,
  output logic [3:0] word_o,
  output logic       twice_o,
  output logic       once_o,
  output logic [3:0] left_o,
  output logic [3:0] right_o,
  output logic       here_o,
  output logic       there_o,
  output logic       rest_o,
  output logic [1:0] part_o
);

  wire [31:0] hca_mutant_id;

  // 1: the operands the other way round. 2: a sum without an adder. 3: a carry is lost.
  always_comb begin
    case (hca_mutant_id)
      1: sum_o = b_i + a_i;
      2: sum_o = (a_i ^ b_i) + {a_i[2:0] & b_i[2:0], 1'b0};
      3: sum_o = a_i ^ b_i;
      default: sum_o = a_i + b_i;
    endcase
  end

  // Counts from 0 to 9. 4: it also says so at 12. 5: it says so at 8. 6: no reset. 7: a reset to 10, which becomes 0.
  logic [3:0] count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= (hca_mutant_id == 6) ? count_q : (hca_mutant_id == 7) ? 4'd10 : 4'd0;
    else if (valid_i) count_q <= count_q >= 4'd9 ? 4'd0 : count_q + 4'd1;
  end
  assign tenth_o = count_q == ((hca_mutant_id == 5) ? 4'd8 : 4'd9) | (hca_mutant_id == 4) & count_q == 4'd12;

  // 8: data is taken without valid, which nobody sees. 9: the first bit of data is always shown. 10: no reset of valid.
  logic valid_q;
  logic [3:0] data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= (hca_mutant_id == 10) ? valid_q : 1'b0;
    else valid_q <= valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (valid_i | (hca_mutant_id == 8) | (hca_mutant_id == 9)) data_q <= a_i;
  end
  assign valid_o = valid_q;
  assign data_o  = data_q & {{3{valid_q}}, valid_q | (hca_mutant_id == 9)};

  // 16: an assignment is dropped that is made again. 17: one that is not.
  always_comb begin
    if (hca_mutant_id != 16) twice_o = 1'b0;
    twice_o = a_i[0];
  end
  always @* if (hca_mutant_id != 17) once_o = a_i[1];

  // 11: another address where nothing is written. 12: where something is. 13: a wrong bit is written. 14: another word
  // is read where it is not shown. 15: where it is.
  logic [3:0] mem[16];
  logic [3:0] to, from;
  assign to   = ((hca_mutant_id == 11) & ~valid_i | (hca_mutant_id == 12) & valid_i) ? a_i : b_i;
  assign from = ((hca_mutant_id == 14) & ~valid_i | (hca_mutant_id == 15)) ? b_i : a_i;
  always_ff @(posedge clk_i) begin
    if (valid_i) mem[to] <= (hca_mutant_id == 13) ? a_i ^ 4'd4 : a_i;
  end
  assign word_o = mem[from] & {4{valid_i}};

  // A memory whose halves are written apart, and that is read twice. 18: another address where the low half alone is
  // written. 19: where nothing is. 20: the second read has an address without its highest bit. 21: both have another
  // where it is not shown. 22: the first read has no highest bit.
  logic [3:0] two[16];
  logic [3:0] at, left, right;
  assign at    = ((hca_mutant_id == 18) & ~we_i[1] | (hca_mutant_id == 19) & (we_i == 2'b00)) ? ~b_i : b_i;
  assign left  = (hca_mutant_id == 22) ? {1'b0, a_i[2:0]} : ((hca_mutant_id == 21) & ~valid_i) ? ~a_i : a_i;
  assign right = (hca_mutant_id == 20) ? {1'b0, b_i[2:0]} : ((hca_mutant_id == 21) & ~valid_i) ? ~b_i : b_i;
  always_ff @(posedge clk_i) begin
    if (we_i[0]) two[at][1:0] <= a_i[1:0];
    if (we_i[1]) two[at][3:2] <= a_i[3:2];
  end
  assign left_o  = two[left] & {4{valid_i}};
  assign right_o = two[right] & {4{valid_i}};

  // What looks at each other under different numbers is no loop. 23: the other one, where both are the same. 24: the
  // other one. 25: a register whose reset is a register that 26 resets by the first one.
  logic here, there;
  assign here    = (hca_mutant_id == 23) ? there : a_i[2];
  assign there   = (hca_mutant_id == 24) ? here : b_i[2];
  assign here_o  = here & (a_i[2] ~^ b_i[2]);
  assign there_o = there;
  logic first_n, second_n, first_q, second_q;
  assign first_n  = (hca_mutant_id == 25) ? second_q : rst_ni;
  assign second_n = (hca_mutant_id == 26) ? first_q : rst_ni;
  always_ff @(posedge clk_i or negedge first_n) begin
    if (!first_n) first_q <= 1'b0;
    else first_q <= valid_i;
  end
  always_ff @(posedge clk_i or negedge second_n) begin
    if (!second_n) second_q <= 1'b0;
    else second_q <= a_i[3];
  end
  assign rest_o = first_q & second_q;

  // A memory of which the highest bit is never looked at, and the next one only with a flag that is written with it.
  // 27: another highest bit. 28: another next one where the flag is not written. 29: where it is. 30: the highest bit
  // is written elsewhere too. 31: all are.
  logic [3:0] parts[16];
  logic [3:0] part, part_d, part_at;
  assign part_d[3]   = (hca_mutant_id == 27) ^ a_i[3];
  assign part_d[2]   = (hca_mutant_id == 28) & ~a_i[1] ^ (hca_mutant_id == 29) & a_i[1] ^ a_i[2];
  assign part_d[1:0] = a_i[1:0];
  assign part_at     = (hca_mutant_id == 31) ? ~b_i : b_i;
  always_ff @(posedge clk_i) begin
    if (we_i[0] | (hca_mutant_id == 30)) parts[b_i][3] <= part_d[3];
    if (we_i[0]) parts[part_at][2:0] <= part_d[2:0];
  end
  assign part   = parts[~a_i];
  assign part_o = {part[2] & part[1], part[0]};

endmodule
