// Appends the ICRC to packets of RoCEv2 over IPv4 that come without it, and drops nothing.
module append8 (
    input            clk,
    input            rst,
    input      [7:0] s_data,
    input            s_last,
    input            s_valid,
    output           s_ready,
    output     [7:0] m_data,
    output           m_last,
    output           m_valid,
    input            m_wait
);
    function [31:0] step(input [31:0] crc, input [7:0] d);
        integer i;
        begin
            step = crc ^ {24'd0, d};
            for (i = 0; i < 8; i = i + 1) step = step[0] ? (step >> 1) ^ 32'hEDB88320 : step >> 1;
        end
    endfunction
    reg [5:0] at;
    reg [31:0] crc;
    reg [2:0] tail;  // bytes of the ICRC that are still to go
    wire varies = at == 15 || at == 22 || at == 24 || at == 25 || at == 40 || at == 41 || at == 46;
    assign m_valid = tail != 0 || s_valid;
    assign m_data = tail != 0 ? ~crc[7:0] : s_data;
    assign m_last = tail == 1;
    assign s_ready = tail == 0 && !m_wait;
    always @(posedge clk) begin
        if (rst) begin
            at <= 0; crc <= 32'hDEBB20E3; tail <= 0;
        end else if (m_valid && !m_wait) begin
            if (tail != 0) begin
                tail <= tail - 1; crc <= tail == 1 ? 32'hDEBB20E3 : crc >> 8;
            end else begin
                at <= s_last ? 0 : at == 63 ? at : at + 1;
                if (at >= 14) crc <= step(crc, varies ? 8'hFF : s_data);
                if (s_last) tail <= 4;
            end
        end
    end
endmodule
