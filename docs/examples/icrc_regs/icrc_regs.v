// The checker of ../icrc8 with registers. Until it is switched on it calls no packet good.
//   0x0  read   identity, 1C2C0001h
//   0x4  write  bit 0: on
module icrc_regs (
    input             aclk,
    input             aresetn,
    input      [3:0]  s_axil_awaddr,
    input             s_axil_awvalid,
    output            s_axil_awready,
    input      [31:0] s_axil_wdata,
    input             s_axil_wvalid,
    output            s_axil_wready,
    output reg        s_axil_bvalid,
    input             s_axil_bready,
    output     [1:0]  s_axil_bresp,
    input      [3:0]  s_axil_araddr,
    input             s_axil_arvalid,
    output            s_axil_arready,
    output reg        s_axil_rvalid,
    input             s_axil_rready,
    output reg [31:0] s_axil_rdata,
    output     [1:0]  s_axil_rresp,
    input      [7:0]  s_axis_tdata,
    input             s_axis_tlast,
    input             s_axis_tvalid,
    output            s_axis_tready,
    output            verdict_good,
    output            verdict_valid,
    input             verdict_ready
);
    reg on;

    // A write is taken when address and data are both there and the answer before is gone.
    wire write = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
    assign s_axil_awready = write;
    assign s_axil_wready = write;
    assign s_axil_bresp = 2'b00;
    assign s_axil_arready = !s_axil_rvalid;
    assign s_axil_rresp = 2'b00;

    always @(posedge aclk) begin
        if (!aresetn) begin
            on <= 1'b0;
            s_axil_bvalid <= 1'b0;
            s_axil_rvalid <= 1'b0;
        end else begin
            if (write) begin
                s_axil_bvalid <= 1'b1;
                if (s_axil_awaddr == 4'h4) on <= s_axil_wdata[0];
            end else if (s_axil_bready) begin
                s_axil_bvalid <= 1'b0;
            end
            if (s_axil_arvalid && s_axil_arready) begin
                s_axil_rvalid <= 1'b1;
                s_axil_rdata <= s_axil_araddr == 4'h0 ? 32'h1C2C0001 : {31'd0, on};
            end else if (s_axil_rready) begin
                s_axil_rvalid <= 1'b0;
            end
        end
    end

    wire last, bad, valid;
    icrc8 check (
        .CLK(aclk), .RST(!aresetn),
        .RX_DATA(s_axis_tdata), .RX_LAST(s_axis_tlast), .RX_VALID(s_axis_tvalid), .RX_READY(s_axis_tready),
        .TX_DATA(), .TX_LAST(last), .TX_USER(bad), .TX_VALID(valid), .TX_READY(!(valid && last) || verdict_ready)
    );
    assign verdict_valid = valid && last;
    assign verdict_good = on && !bad;
endmodule
