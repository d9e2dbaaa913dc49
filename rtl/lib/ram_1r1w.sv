// SPDX-License-Identifier: Apache-2.0
// Words words of Width bits with one write and one read port on one clock, written to become block RAM.
//
// The word of an address given with re_i stands at rdata_o ReadLatency clocks later and stays until that many clocks
// behind the next re_i. A read in the clock of a write to the same address gives the OLD word; who needs the new one
// forwards it. wlanes_i writes any of Lanes equal parts of a word, lane 0 lowest. Contents are unknown until written;
// there is no reset.
//
// Style is what synthesis makes of it: "block", "ultra", "distributed" or "auto". A read latency of 2 takes the
// register at the memory's output, which large block memories need for their clock.
module ram_1r1w #(
  parameter int unsigned Words = 512,       // a power of two from 2
  parameter int unsigned Width = 32,
  parameter int unsigned Lanes = 1,         // divides Width
  parameter int unsigned ReadLatency = 1,   // 1 or 2
  parameter Style = "block"
) (
  input  logic                     clk_i,
  input  logic [Lanes-1:0]         wlanes_i,
  input  logic [$clog2(Words)-1:0] waddr_i,
  input  logic [Width-1:0]         wdata_i,
  input  logic                     re_i,
  input  logic [$clog2(Words)-1:0] raddr_i,
  output logic [Width-1:0]         rdata_o
);

  localparam int unsigned LaneWidth = Width / Lanes;

  if (Words < 2 || Words != 2 ** $clog2(Words)) begin : gen_bad_words
    $error("ram_1r1w: Words must be a power of two from 2");
  end
  if (Lanes < 1 || LaneWidth * Lanes != Width) begin : gen_bad_lanes
    $error("ram_1r1w: Lanes must divide Width");
  end
  if (ReadLatency != 1 && ReadLatency != 2) begin : gen_bad_latency
    $error("ram_1r1w: ReadLatency must be 1 or 2");
  end
  if (Style != "block" && Style != "ultra" && Style != "distributed" && Style != "auto") begin : gen_bad_style
    $error("ram_1r1w: Style must be block, ultra, distributed or auto");
  end

  (* ram_style = Style *) logic [Width-1:0] mem[Words];
  logic [Width-1:0] rdata_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      if (wlanes_i[l]) mem[waddr_i][l*LaneWidth+:LaneWidth] <= wdata_i[l*LaneWidth+:LaneWidth];
    end
    if (re_i) rdata_q <= mem[raddr_i];
  end

  if (ReadLatency == 2) begin : gen_output_register
    logic [Width-1:0] rdata2_q;
    always_ff @(posedge clk_i) rdata2_q <= rdata_q;
    assign rdata_o = rdata2_q;
  end else begin : gen_no_output_register
    assign rdata_o = rdata_q;
  end

endmodule
