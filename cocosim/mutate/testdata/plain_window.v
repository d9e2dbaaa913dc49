// A core in plain Verilog-2001, written for the test of `cosim qualify`: where a PSN lies in its window, one register deep.
// Public domain.
module plain_window (clk, rst, i_psn, i_base, i_next, i_req, i_vld, i_rdy, o_dist, o_cls, o_vld, o_rdy);
input         clk, rst;
input  [23:0] i_psn, i_base, i_next;
input         i_req, i_vld;
output        i_rdy;
output [23:0] o_dist;
output [2:0]  o_cls;
output        o_vld;
input         o_rdy;

reg [23:0] far;
reg [2:0]  cls;
reg        full;
reg [7:0]  debug_count;

wire [23:0] d = i_psn - i_base;
wire [23:0] out = i_next - i_base;
wire        take = i_vld && i_rdy;

assign i_rdy  = !full || o_rdy;
assign o_vld  = full;
assign o_dist = far;
assign o_cls  = cls;

always @(posedge clk)
  if (rst) begin
    full <= 1'b0;
  end else begin
    if (take) full <= 1'b1;
    else if (o_rdy) full <= 1'b0;
  end

always @(posedge clk)
  if (take) begin
    far        <= d;
    debug_count <= debug_count + 8'd1;
    if (i_req) begin
      if (d < out) cls <= 3'd4;
      else if (!out[23] && d[23] && (out - d <= 24'h800000)) cls <= 3'd5;
      else cls <= 3'd6;
    end else begin
      if (d == 24'd0) cls <= 3'd0;
      else if (d[23]) cls <= 3'd1;
      else cls <= 3'd2;
    end
  end
endmodule
