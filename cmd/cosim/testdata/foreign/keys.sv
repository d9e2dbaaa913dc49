// A responder's PSN window that needs a define, a table on disk, a function in C, a plus argument, and three clocks: the class is right only where all are.
module keys (
    input  logic        clk, clk_fast, clk_slow,
    input  logic        rst_n, rst_fast, rst_slow_n,
    input  logic [23:0] psn, base,
    input  logic        vld,
    output logic [23:0] distance,
    output logic [4:0]  code,
    output logic        code_vld
);
  import "DPI-C" function int minus(input int a, input int b);
  logic [4:0] codes [4];
  initial $readmemh("tables/codes.hex", codes);
  logic [15:0] n, fast, slow;
  always_ff @(posedge clk_fast) fast <= rst_fast ? '0 : fast + 1'b1;
  always_ff @(posedge clk_slow or negedge rst_slow_n) if (!rst_slow_n) slow <= '0; else slow <= slow + 1'b1;
  wire [15:0] whole = 3 * slow;
  logic told;
  initial told = $test$plusargs("told") != 0;
  wire in_step = told && fast == 2 * n + 1 && whole <= n && n < whole + 3;
  wire [23:0] d = 24'(minus({8'd0, psn}, {8'd0, base}));
  always_ff @(posedge clk) begin
    n <= rst_n ? n + 1'b1 : '0;
    code_vld <= vld && rst_n;
    distance <= d;
    code <= !in_step ? codes[3] : codes[d == 0 ? `SAME : d[23] ? 2'd1 : 2'd2];
  end
endmodule
