// SPDX-License-Identifier: Apache-2.0
// pkt_shape cuts a WQE as docs/blocks/tx_packetizer.md says, for all WQEs, services and PMTUs, and every packet of one.
// It has no state: one clock says all. Check: one bit a property, bit 0 is not used.
module pkt_shape_proof #(
  parameter logic [5:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [3:0]  verb_i,
  input logic        immediate_i,
  input logic        invalidate_i,
  input logic [31:0] length_i,
  input logic [1:0]  service_i,
  input logic [2:0]  pmtu_i,
  input logic [23:0] index_i
);

  logic [29:0] shape;
  logic [7:0] opcode;
  logic [31:0] offset, bytes;
  logic [12:0] payload;

  pkt_shape dut (
    .verb_i,
    .immediate_i,
    .invalidate_i,
    .length_i,
    .service_i,
    .pmtu_i,
    .index_i,
    .shape_o  (shape),
    .opcode_o (opcode),
    .offset_o (offset),
    .bytes_o  (bytes),
    .payload_o(payload)
  );

  logic [24:0] packets;
  logic [1:0] kind;
  logic limited, local_work, bad;
  assign packets    = shape[24:0];
  assign kind       = shape[26:25];
  assign limited    = shape[27];
  assign local_work = shape[28];
  assign bad        = shape[29];

  logic cut, read, last, first;
  assign cut   = verb_i == 4'd1 || verb_i == 4'd2;
  assign read  = verb_i == 4'd3;
  assign first = index_i == 24'd0;
  assign last  = {1'b0, index_i} == packets - 25'd1;

  // The PMTU, and what lies before and behind a packet, by the table of PMTUs.
  logic [12:0] pmtu;
  logic [37:0] all, before, behind;
  always_comb begin
    case (pmtu_i)
      3'd1: pmtu = 13'd256;
      3'd2: pmtu = 13'd512;
      3'd3: pmtu = 13'd1024;
      3'd4: pmtu = 13'd2048;
      default: pmtu = 13'd4096;
    endcase
    case (pmtu_i)
      3'd1: {all, before, behind} = {5'd0, packets, 8'd0, 6'd0, index_i, 8'd0, 6'd0, index_i + 24'd1, 8'd0};
      3'd2: {all, before, behind} = {4'd0, packets, 9'd0, 5'd0, index_i, 9'd0, 5'd0, index_i + 24'd1, 9'd0};
      3'd3: {all, before, behind} = {3'd0, packets, 10'd0, 4'd0, index_i, 10'd0, 4'd0, index_i + 24'd1, 10'd0};
      3'd4: {all, before, behind} = {2'd0, packets, 11'd0, 3'd0, index_i, 11'd0, 3'd0, index_i + 24'd1, 11'd0};
      default: {all, before, behind} = {1'd0, packets, 12'd0, 2'd0, index_i, 12'd0, 2'd0, index_i + 24'd1, 12'd0};
    endcase
  end

  // OPC-1, as a table of all requests.
  logic [7:0] base, operation;
  always_comb begin
    base = service_i == 2'd1 ? 8'h20 : service_i == 2'd2 ? 8'h60 : 8'h00;
    case (verb_i)
      4'd1: case ({first, last})
        2'b10: operation = 8'h00;
        2'b00: operation = 8'h01;
        2'b01: operation = invalidate_i ? 8'h16 : immediate_i ? 8'h03 : 8'h02;
        default: operation = invalidate_i ? 8'h17 : immediate_i ? 8'h05 : 8'h04;
      endcase
      4'd2: case ({first, last})
        2'b10: operation = 8'h06;
        2'b00: operation = 8'h07;
        2'b01: operation = immediate_i ? 8'h09 : 8'h08;
        default: operation = immediate_i ? 8'h0B : 8'h0A;
      endcase
      4'd3: operation = 8'h0C;
      4'd4: operation = 8'h13;
      4'd5: operation = 8'h14;
      4'd6: operation = 8'h1D;
      default: operation = 8'h1C;
    endcase
  end

  logic can;  // what the service has, by the table of the document
  always_comb begin
    case (service_i)
      2'd1: can = cut && !invalidate_i;
      2'd2: can = verb_i == 4'd1 && !invalidate_i && length_i <= {19'd0, pmtu};
      default: can = verb_i >= 4'd1 && verb_i <= 4'd9 &&
                     (!(invalidate_i && cut) || (verb_i == 4'd1 && !immediate_i));
    endcase
    if (length_i > 32'h8000_0000 || (verb_i == 4'd6 && length_i != 32'd8)) can = 1'b0;
  end

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (pmtu_i >= 3'd1 && pmtu_i <= 3'd5 && service_i != 2'd3);
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        if (local_work) assert (packets == 25'd0);
        else assert (packets != 25'd0);
        if (cut || read) begin
          assert (all >= {6'd0, length_i});
          if (length_i != 32'd0) assert (all - {25'd0, pmtu} < {6'd0, length_i});
          else assert (packets == 25'd1);
        end else assert (packets <= 25'd1);
      end
      if (Check[2]) begin
        assert (bad == !can);
        assert (local_work == (verb_i == 4'd8 || verb_i == 4'd9));
      end
      if (Check[3] && !bad && {1'b0, index_i} < packets) assert (opcode == base + operation);
      if (Check[4] && !bad && {1'b0, index_i} < packets) begin
        if (cut || read) assert ({6'd0, offset} == before);
        if (cut && !last) assert (bytes == {19'd0, pmtu} && behind <= {6'd0, length_i});
        if (cut && last) assert ({6'd0, bytes} == {6'd0, length_i} - before && bytes <= {19'd0, pmtu});
        if (cut) assert ({19'd0, payload} == bytes);
        if (read) assert ({6'd0, bytes} == {6'd0, length_i} - before);
        if (read && last) assert ({19'd0, payload} == bytes);
        if (!cut && !read) assert (offset == 32'd0 && payload == 13'd0 && bytes == (verb_i == 4'd6 ? 32'd8 : 32'd0));
      end
      if (Check[5]) begin
        assert (limited == (verb_i == 4'd1 || (verb_i == 4'd2 && immediate_i)));
        if (!local_work && !bad) begin
          case (verb_i)
            4'd1: assert (kind == 2'd1);
            4'd2: assert (kind == (immediate_i ? 2'd1 : 2'd0));
            4'd4, 4'd5: assert (kind == 2'd3);
            default: assert (kind == 2'd2);
          endcase
        end
      end
    end
  end

endmodule
