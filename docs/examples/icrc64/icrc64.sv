// Checks the ICRC of RoCEv2 over IPv4, eight bytes in a clock. The packet ends here; only the verdict goes on.
module icrc64 (
    input  logic        clk_i,
    input  logic        arst_ni,
    input  logic [63:0] pkt_data_i,
    input  logic [7:0]  pkt_keep_i,
    input  logic        pkt_last_i,
    input  logic        pkt_valid_i,
    output logic        pkt_ready_o,
    output logic        verdict_ok_o,
    output logic        verdict_valid_o,
    input  logic        verdict_ready_i
);
  localparam logic [31:0] Start = 32'hDEBB20E3;

  function automatic logic [31:0] step(logic [31:0] crc, logic [7:0] d);
    step = crc ^ {24'd0, d};
    for (int i = 0; i < 8; i++) step = step[0] ? (step >> 1) ^ 32'hEDB88320 : step >> 1;
  endfunction

  logic [3:0]  beat_q;  // stays at 15
  logic [31:0] crc_q, crc_d;

  always_comb begin
    crc_d = crc_q;
    for (int i = 0; i < 8; i++) begin
      automatic logic [6:0] at = {beat_q, 3'(i)};
      automatic logic varies = at inside {7'd15, 7'd22, 7'd24, 7'd25, 7'd40, 7'd41, 7'd46};
      if (at >= 7'd14 && pkt_keep_i[i]) crc_d = step(crc_d, varies ? 8'hFF : pkt_data_i[8*i+:8]);
    end
  end

  assign pkt_ready_o = !verdict_valid_o || verdict_ready_i;

  always_ff @(posedge clk_i or negedge arst_ni) begin
    if (!arst_ni) begin
      beat_q <= '0;
      crc_q <= Start;
      verdict_valid_o <= 1'b0;
      verdict_ok_o <= 1'b0;
    end else if (pkt_ready_o) begin
      verdict_valid_o <= pkt_valid_i && pkt_last_i;
      verdict_ok_o <= crc_d == Start;
      if (pkt_valid_i) begin
        beat_q <= pkt_last_i ? '0 : beat_q == '1 ? beat_q : beat_q + 4'd1;
        crc_q <= pkt_last_i ? Start : crc_d;
      end
    end
  end
endmodule
