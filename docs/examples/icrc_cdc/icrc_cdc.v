// An ICRC checker for RoCEv2 over IPv4 between two clocks: packets come with rx_clk, and go on with clk. Verilog-2001;
// no VLAN, no IP options. A FIFO with Gray pointers carries the bytes over; each byte of the packet leaves with clk, and
// err stands with the last.
module icrc_cdc (
    input            rx_clk,
    input            rx_rst,
    input      [7:0] rx_data,
    input            rx_last,
    input            rx_valid,
    output           rx_ready,

    input            clk,
    input            rst,
    output reg [7:0] tx_data,
    output reg       tx_last,
    output reg       tx_user,   // with the last byte: the ICRC is bad
    output reg       tx_valid,
    input            tx_ready
);
    wire       in_valid, in_ready, in_last;
    wire [7:0] in_data;

    async_fifo #(.WIDTH(9), .DEPTH_LOG2(3)) fifo (
        .w_clk(rx_clk), .w_rst(rx_rst), .w_data({rx_last, rx_data}), .w_valid(rx_valid), .w_ready(rx_ready),
        .r_clk(clk), .r_rst(rst), .r_data({in_last, in_data}), .r_valid(in_valid), .r_ready(in_ready));

    localparam [31:0] START = 32'hDEBB20E3;  // behind the eight bytes of ones that stand for an LRH
    localparam [31:0] GOOD  = 32'hDEBB20E3;  // behind a packet with its ICRC

    function [31:0] step(input [31:0] crc, input [7:0] d);
        integer i;
        begin
            step = crc ^ {24'd0, d};
            for (i = 0; i < 8; i = i + 1)
                step = step[0] ? (step >> 1) ^ 32'hEDB88320 : step >> 1;
        end
    endfunction

    reg [5:0] at;  // byte of the frame; stays at 63
    reg [31:0] crc;

    wire covered = at >= 6'd14;
    wire varies = at == 6'd15 || at == 6'd22 || at == 6'd24 || at == 6'd25  // TOS, TTL, IP checksum
               || at == 6'd40 || at == 6'd41 || at == 6'd46;                // UDP checksum, FECN, BECN and reserved bits
    wire [31:0] after = covered ? step(crc, varies ? 8'hFF : in_data) : crc;

    assign in_ready = !tx_valid || tx_ready;

    always @(posedge clk) begin
        if (rst) begin
            tx_valid <= 1'b0;
            at <= 6'd0;
            crc <= START;
        end else if (in_ready) begin
            tx_valid <= in_valid;
            tx_data <= in_data;
            tx_last <= in_last;
            tx_user <= in_last && after != GOOD;
            if (in_valid) begin
                at <= in_last ? 6'd0 : at == 6'd63 ? at : at + 6'd1;
                crc <= in_last ? START : after;
            end
        end
    end
endmodule

// A FIFO between two clocks. Each side sees the other's pointer in Gray code, two clocks late.
module async_fifo #(parameter WIDTH = 9, DEPTH_LOG2 = 3) (
    input                  w_clk,
    input                  w_rst,
    input      [WIDTH-1:0] w_data,
    input                  w_valid,
    output                 w_ready,
    input                  r_clk,
    input                  r_rst,
    output     [WIDTH-1:0] r_data,
    output                 r_valid,
    input                  r_ready
);
    reg [WIDTH-1:0] mem [0:(1 << DEPTH_LOG2) - 1];
    reg [DEPTH_LOG2:0] w_bin, w_gray, w_gray_1, w_gray_2;  // the last two in the clock of the reader
    reg [DEPTH_LOG2:0] r_bin, r_gray, r_gray_1, r_gray_2;  // the last two in the clock of the writer

    wire [DEPTH_LOG2:0] w_next = w_bin + 1'b1;
    wire [DEPTH_LOG2:0] r_next = r_bin + 1'b1;

    assign w_ready = w_gray != {~r_gray_2[DEPTH_LOG2:DEPTH_LOG2-1], r_gray_2[DEPTH_LOG2-2:0]};
    assign r_valid = r_gray != w_gray_2;
    assign r_data = mem[r_bin[DEPTH_LOG2-1:0]];

    always @(posedge w_clk) begin
        {r_gray_2, r_gray_1} <= {r_gray_1, r_gray};
        if (w_valid && w_ready) begin
            mem[w_bin[DEPTH_LOG2-1:0]] <= w_data;
            w_bin <= w_next;
            w_gray <= w_next ^ (w_next >> 1);
        end
        if (w_rst) begin
            w_bin <= 0;
            w_gray <= 0;
            r_gray_1 <= 0;
            r_gray_2 <= 0;
        end
    end

    always @(posedge r_clk) begin
        {w_gray_2, w_gray_1} <= {w_gray_1, w_gray};
        if (r_valid && r_ready) begin
            r_bin <= r_next;
            r_gray <= r_next ^ (r_next >> 1);
        end
        if (r_rst) begin
            r_bin <= 0;
            r_gray <= 0;
            w_gray_1 <= 0;
            w_gray_2 <= 0;
        end
    end
endmodule
