// Drops packets of RoCEv2 over IPv4 whose ICRC is bad: a packet is stored whole and then sent, or not. Registers: 0 the length of the
// header in front (14), 4 a scratch register.
module drop8 (
    input            clk,
    input            rst_n,
    input      [7:0] reg_addr,
    input            reg_wr,
    input     [15:0] reg_wdata,
    output    [15:0] reg_rdata,
    input      [9:0] s_bus,    // valid, last, data
    input            test_mode, // sends what is bad, too
    output           s_stop,
    output     [7:0] m_data,
    output           m_last,
    output           m_valid,
    input            m_ready
);
    function [31:0] step(input [31:0] crc, input [7:0] d);
        integer i;
        begin
            step = crc ^ {24'd0, d};
            for (i = 0; i < 8; i = i + 1) step = step[0] ? (step >> 1) ^ 32'hEDB88320 : step >> 1;
        end
    endfunction
    reg [15:0] front, scratch;
    assign reg_rdata = reg_addr == 0 ? front : scratch;
    reg [7:0] store [0:16383];
    reg [13:0] fill, read;
    reg sending;
    reg [31:0] crc;
    wire [13:0] at = fill - front[13:0];
    wire varies = at == 1 || at == 8 || at == 10 || at == 11 || at == 26 || at == 27 || at == 32;
    wire take = s_bus[9] && !sending;
    wire [31:0] after = fill >= front[13:0] ? step(crc, varies ? 8'hFF : s_bus[7:0]) : crc;
    assign s_stop = sending;
    assign m_valid = sending;
    assign m_data = store[read];
    assign m_last = read + 1 == fill;
    always @(posedge clk) begin
        if (reg_wr && reg_addr == 0) front <= reg_wdata;
        if (reg_wr && reg_addr == 4) scratch <= reg_wdata;
        if (take) store[fill] <= s_bus[7:0];
        if (!rst_n) begin
            front <= 0; scratch <= 0; fill <= 0; sending <= 0; crc <= 32'hDEBB20E3;
        end else if (take) begin
            fill <= fill + 1;
            crc <= after;
            if (s_bus[8]) begin
                crc <= 32'hDEBB20E3;
                read <= 0;
                if (after == 32'hDEBB20E3 || test_mode) sending <= 1;
                else fill <= 0;
            end
        end else if (sending && m_ready) begin
            read <= read + 1;
            if (m_last) begin sending <= 0; fill <= 0; end
        end
    end
endmodule
