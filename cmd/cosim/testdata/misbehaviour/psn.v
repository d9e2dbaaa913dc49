// The function of psn_window as someone else would write it, in Verilog-2001 with one register; fault makes it misbehave in one way. Each
// number is a row of rows.yaml.
module psn (
  input  wire        clk,
  input  wire        rst_n,
  input  wire [7:0]  fault,
  input  wire [23:0] i_psn,
  input  wire [23:0] i_base,
  input  wire [23:0] i_next,
  input  wire        i_requester,
  input  wire        i_valid,
  output wire        i_ready,
  output wire [23:0] o_distance,
  output wire [2:0]  o_class,
  output wire        o_valid,
  input  wire        o_ready
);
  wire [23:0] distance = i_psn - i_base;
  wire [23:0] window = i_next - i_base;
  wire [23:0] behind = i_psn - i_next;
  wire [2:0] responder = distance == 0 ? 3'd0 : distance[23] ? 3'd1 : 3'd2;
  wire [2:0] requester = distance < window ? 3'd4 : behind[23] ? 3'd5 : 3'd6;

  reg [23:0] cycle;
  reg [15:0] taken;
  reg        valid, again;
  reg [26:0] answer;
  reg [26:0] unset;                  // no reset reaches it
  reg [26:0] table_of [0:3];         // fault 30 reads it from a file
  reg        slow;
  reg [16:0] rests;                  // cycles until fault 46 takes the next
  reg        held;
  wire       now = cycle == 500;     // a fault that strikes once
  wire       after = cycle >= 500;   // or from then on

  initial begin
    if (fault == 30) $readmemh("no_such_table.hex", table_of);
    if (fault == 17) while (fault == 17) held = ~held;
    if (fault == 18) $c("exit(0);");
    if (fault == 41) $c("static char* p; for (;;) { p = new char[1 << 20]; memset(p, 1, 1 << 20); }");
    if (fault == 42) $display("hello from the design");
  end

  // Combinational loop: it never settles.
  /* verilator lint_off UNOPTFLAT */
  wire loop = fault == 15 && after && !loop;
  /* verilator lint_on UNOPTFLAT */

  wire stuck = (fault == 2) || (fault == 39 && after) || (fault == 1 && after);
  assign i_ready = rst_n && (fault == 40 ? 1'b1 : !valid || o_ready && !again) && !stuck && !loop && !(fault == 32 && slow) && !(fault == 46 && rests != 0);
  wire take = i_valid && i_ready;
  wire [26:0] right = {i_requester ? requester : responder, distance};

  integer i;
  always @(posedge clk) begin
    cycle <= rst_n ? (&cycle ? cycle : cycle + 1'b1) : 24'd0;
    slow <= cycle[5:0] != 0;
    rests <= !rst_n ? 17'd0 : take ? 17'd99998 : rests - (rests != 0);
    if (!rst_n) begin
      valid <= 1'b0;
      again <= 1'b0;
      taken <= 16'd0;
    end else begin
      if (o_valid && o_ready) begin
        valid <= again;
        again <= 1'b0;
      end
      if (take) begin
        taken <= taken + 1'b1;
        valid <= !(fault == 5 && taken == 300) && fault != 3;
        again <= fault == 6 && taken == 300;
        answer <= right;
        if (fault == 4 && taken == 300) answer <= right ^ 27'h1;
        if (fault == 7 && taken == 300) answer <= answer;
        if (fault == 30) answer <= right ^ table_of[i_psn[1:0]] ^ 27'h55;
        if (fault == 31 && !$test$plusargs("right")) answer <= ~right;
        if (fault == 28 && taken[7:0] == 8'd7) answer <= right ^ {26'd0, unset[3]};
        if (fault == 36 && taken >= 300) answer <= ~right;
        if (fault == 37 && taken >= 300) answer[26:24] <= 3'd7;
      end
      if (fault == 28) unset <= unset;
      if (fault == 29 && cycle == 24'd15200) valid <= 1'b1;
      if (fault == 9 && after && valid && !o_ready) answer <= answer + 1'b1;
    end
  end

  assign {o_class, o_distance} = answer;
  assign o_valid = (fault == 1 && after) || (fault == 10 && !rst_n)
                   || (valid && !(fault == 8 && cycle[2:0] == 0) && !(fault == 33 && taken == 16'd10000) && rst_n);

  always @(posedge clk) if (rst_n) begin
    if (fault == 11 && now) $finish;
    if (fault == 12 && now) $stop;
    if (fault == 13) $display("cycle %0d: taken %0d", cycle, taken);
    if (fault == 14 && cycle < 600) for (i = 0; i < 2000; i = i + 1) $display("%0800d", i);
    if (fault == 16 && now) while (fault == 16) held = ~held;
    if (fault == 19 && now) begin $display("last words"); $c("abort();"); end
    if (fault == 20 && now) $c("*(volatile int*)0 = 0;");
    if (fault == 21 && now) $c("for (;;) fork();");
    if (fault == 22 && now) $system("sleep 1000");
    if (fault == 23 && now) $c("for (;;) if (malloc(1 << 20) == nullptr) abort();");
    if (fault == 24 && now) $c("for (int fd = 0; fd < 100; fd++) close(fd);");
    if (fault == 25 && now) $c("if (write(3, \"what nobody understands, in 40 letters\", 38) < 0) abort();");
    if (fault == 26 && now) $c("for (;;) pause();");
    if (fault == 27 && now) $c("FILE* f = tmpfile(); static char b[1 << 20]; while (fwrite(b, 1, sizeof b, f) == sizeof b) {}");
    if (fault == 34) $error("the design does not like cycle %0d", cycle);
    if (fault == 35 && now) $fatal(1, "the design gives up");
    if (fault == 38 && now) $c("throw 1;");
    if (fault == 43 && now) $c("fprintf(stderr, \"from C\\n\");");
    if (fault == 44 && now) $c("abort();");
    if (fault == 45) $c("for (volatile int k = 0; k < 1000000; k++) {}");
  end
endmodule
