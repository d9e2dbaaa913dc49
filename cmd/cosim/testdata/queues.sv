// How far each queue of a design was filled: a line each time that it holds more than ever. The bridge plays noise to a
// design before the reset that a run begins with (docs/bridge.md): of that life nothing is told.
module queue_watch #(
  parameter int unsigned Depth = 2
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic [$clog2(Depth+1)-1:0] count_i
);

  string file;
  int fd;
  int unsigned most;
  int unsigned resets;
  logic in_reset;

  initial begin
    in_reset = 1'b0;
    resets   = 0;
    most     = 0;
    fd       = 0;
    if ($value$plusargs("queues=%s", file)) fd = $fopen(file, "a");
  end

  always_ff @(posedge clk_i) begin
    in_reset <= !rst_ni;
    if (!rst_ni && !in_reset) resets <= resets + 1;
    if (resets >= 2 && rst_ni && 32'(count_i) > most) begin
      most <= 32'(count_i);
      if (fd != 0) begin
        $fdisplay(fd, "%m %0d %0d", count_i, Depth);
        $fflush(fd);
      end
    end
  end

endmodule

bind sync_fifo queue_watch #(.Depth(Depth)) u_watch (.clk_i(clk_i), .rst_ni(rst_ni), .count_i(count_o));
bind credit_queue queue_watch #(.Depth(Depth)) u_watch (.clk_i(clk_i), .rst_ni(rst_ni), .count_i(count_q));
