// SPDX-License-Identifier: Apache-2.0
// What can be said about a request without its QP: docs/blocks/resp_psn_check.md.
module resp_facts #(
  parameter int unsigned QpnWidth = 12
) (
  input  resp_pkg::request_t             req_i,
  input  resp_pkg::decoded_t             dec_i,
  input  logic [resp_pkg::Pmtus*24-1:0]  takes_i,  // to the next request's PSN, by path MTU (PSN-4)
  output resp_pkg::facts_t               facts_o
);

  localparam logic [31:0] MaxMessageBytes = 32'h8000_0000;
  localparam logic [15:0] AtomicBytes = 16'd8;
  localparam logic [32:0] GrhBytes = 33'd40;  // in front of a datagram

  resp_pkg::facts_t facts;
  logic remote;  // touches memory that a key guards
  logic [31:0] room;

  assign room   = dec_i.write ? req_i.dma_length : req_i.wqe_bytes;
  assign remote = dec_i.inv | dec_i.atomic | dec_i.awrite | dec_i.flush | dec_i.write & ~dec_i.first |
                  (dec_i.write | dec_i.read) & req_i.dma_length != '0;

  always_comb begin
    facts               = '0;
    facts.in_range      = (req_i.qpn >> QpnWidth) == '0;
    facts.bad_set       = req_i.service == resp_pkg::ServiceNone || req_i.pmtu == 3'd0 || req_i.pmtu > 3'd5;
    facts.no_wqe        = ~req_i.wqe_present & (dec_i.send & dec_i.first | dec_i.write & dec_i.imm);
    facts.no_access     = ~req_i.access_ok & remote;
    facts.misaligned    = req_i.va_low != '0 & (dec_i.atomic | dec_i.awrite);
    facts.padded        = ~dec_i.last & req_i.pad != '0;
    facts.stray_pad     = dec_i.replayed & req_i.pad != '0;
    facts.stray_payload = (dec_i.read | dec_i.atomic | dec_i.flush) & req_i.payload != '0;
    facts.no_such_flush = dec_i.flush & (req_i.flush_plt == '0 | req_i.flush_plt[3:2] != '0 | req_i.flush_sel[1]);
    facts.dma_long      = req_i.dma_length > MaxMessageBytes & (dec_i.read | dec_i.flush | dec_i.write & dec_i.first);
    facts.first_fits    = dec_i.write & dec_i.last ? 32'(req_i.payload) == room : 32'(req_i.payload) <= room;
    facts.ud_fits       = 33'(req_i.payload) + GrhBytes <= 33'(req_i.wqe_bytes);
    facts.first_left    = room - 32'(req_i.payload);

    for (int unsigned i = 0; i < resp_pkg::Pmtus; i++) begin
      facts.next_epsn[24*i+:24] = req_i.psn + takes_i[24*i+:24];
      facts.length_ok[i]        = 1'b1;
      if (dec_i.send | dec_i.write) begin
        if (!dec_i.last) facts.length_ok[i] = req_i.payload == 16'(256 << i);
        else facts.length_ok[i] = req_i.payload <= 16'(256 << i) && (dec_i.first || req_i.payload != '0);
      end
      if (dec_i.awrite) facts.length_ok[i] = req_i.payload == AtomicBytes && req_i.dma_length == 32'(AtomicBytes);
    end
  end

  assign facts_o = facts;

endmodule
