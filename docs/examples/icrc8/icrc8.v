// Checks the ICRC of RoCEv2 over IPv4, a byte in a clock, and passes the packet on. err is valid with the last byte.
// Verilog-2001; no VLAN, no IP options.
module icrc8 (
    input            CLK,
    input            RST,
    input      [7:0] RX_DATA,
    input            RX_LAST,
    input            RX_VALID,
    output           RX_READY,
    output reg [7:0] TX_DATA,
    output reg       TX_LAST,
    output reg       TX_USER,   // with the last byte: the ICRC is bad
    output reg       TX_VALID,
    input            TX_READY
);
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
    wire [31:0] after = covered ? step(crc, varies ? 8'hFF : RX_DATA) : crc;

    assign RX_READY = !TX_VALID || TX_READY;

    always @(posedge CLK) begin
        if (RST) begin
            TX_VALID <= 1'b0;
            at <= 6'd0;
            crc <= START;
        end else if (RX_READY) begin
            TX_VALID <= RX_VALID;
            TX_DATA <= RX_DATA;
            TX_LAST <= RX_LAST;
            TX_USER <= RX_LAST && after != GOOD;
            if (RX_VALID) begin
                at <= RX_LAST ? 6'd0 : at == 6'd63 ? at : at + 6'd1;
                crc <= RX_LAST ? START : after;
            end
        end
    end
endmodule
