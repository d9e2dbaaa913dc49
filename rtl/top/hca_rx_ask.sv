// SPDX-License-Identifier: Apache-2.0
// What the blocks behind rx_classify are asked about a request, by its header and its QP. Combinational.
module hca_rx_ask (
  input  rx_pkg::header_t        hdr_i,
  input  logic [23:0]            qpn_i,
  input  classify_pkg::receive_t qp_i,

  output logic [15:0]            bytes_o,          // of the payload that the parser has of it
  output logic                   has_immediate_o,
  output hca_rx_pkg::request_t   req_o
);

  localparam logic [4:0] SendOnlyImm = 5'h05;
  localparam logic [4:0] WriteFirst = 5'h06;
  localparam logic [4:0] WriteOnlyImm = 5'h0B;
  localparam logic [4:0] Read = 5'h0C;
  localparam logic [4:0] AtomicWrite = 5'h1D;

  // Rights of a key, as mr_lookup has them.
  localparam logic [4:0] NeedNone = 5'b00000;
  localparam logic [4:0] NeedWrite = 5'b00001;
  localparam logic [4:0] NeedRead = 5'b00010;
  localparam logic [4:0] NeedAtomic = 5'b00100;

  rx_pkg::opcode_t dec;
  logic [4:0] operation;
  logic has_payload;
  logic [2:0] unused_lead;
  logic [3:0] unused_words;

  roce_opcode u_opcode (
    .opcode_i    (hdr_i.opcode),
    .op_o        (dec),
    .lead_words_o(unused_lead),
    .words_o     (unused_words)
  );

  assign operation       = hdr_i.opcode[4:0];
  assign has_payload     = hdr_i.reason == hca_pkg::ReasonNone && dec.known && dec.payload;
  assign bytes_o         = has_payload ? hdr_i.payload_bytes : '0;
  assign has_immediate_o = dec.immdt;

  // ---------------------------------------------------------------------------------------------------------------
  // The message: First, Middle, Last, Last with immediate, Only, Only with immediate, of a SEND, then of a WRITE; the
  // two SENDs with invalidate.

  logic send, write, first, last;

  assign send  = operation <= SendOnlyImm || dec.ieth;
  assign write = operation >= WriteFirst && operation <= WriteOnlyImm;

  always_comb begin
    case (operation)
      5'h00, 5'h06: {first, last} = 2'b10;
      5'h01, 5'h07: {first, last} = 2'b00;
      5'h02, 5'h03, 5'h08, 5'h09, 5'h16: {first, last} = 2'b01;
      default: {first, last} = 2'b11;
    endcase
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The request.

  logic [4:0] need;

  always_comb begin
    need = NeedWrite;
    if (operation == Read) need = NeedRead;
    if (dec.atomic) need = NeedAtomic;
    if (dec.feth) need = {hdr_i.flush_plt[1:0], 3'b000};
    if (dec.ieth) need = NeedNone;
  end

  always_comb begin
    req_o.src_qp      = dec.deth ? hdr_i.src_qp : '0;
    req_o.is_datagram = dec.deth;
    req_o.qkey_ok     = hdr_i.qkey == qp_i.qkey;
    req_o.need        = need;
    req_o.whole       = dec.ieth || (dec.feth && hdr_i.flush_sel == 2'd1);
    req_o.by_key      = ~send | dec.ieth;
    req_o.granted     = send;
    req_o.eight       = dec.atomic || operation == AtomicWrite;
    req_o.whole_write = qp_i.whole_write;
    req_o.pd          = qp_i.pd;
    req_o.is_shared   = qp_i.is_shared;
    req_o.rq          = qp_i.rq;
    req_o.uses_wqe    = send || (write && dec.immdt);
    req_o.needs_wqe   = req_o.uses_wqe | ~qp_i.is_shared;
    req_o.ends        = req_o.uses_wqe & last;
    req_o.invalidates = dec.ieth;
    req_o.last        = last;
    req_o.first       = first;
    req_o.verb        = send ? msg_pkg::VerbSend : write ? msg_pkg::VerbWrite : msg_pkg::VerbNone;
    req_o.flush_sel   = hdr_i.flush_sel;
    req_o.flush_plt   = hdr_i.flush_plt;
    req_o.solicited   = hdr_i.se;
    req_o.ack_req     = hdr_i.ack_req;
    req_o.pad         = hdr_i.pad;
    req_o.va          = hdr_i.va;
    req_o.rkey        = dec.ieth ? hdr_i.inv_rkey : hdr_i.rkey;
    req_o.dma_length  = hdr_i.dma_len;
    req_o.payload     = hdr_i.payload_bytes;
    req_o.opcode      = hdr_i.opcode;
    req_o.psn         = hdr_i.psn;
    req_o.qpn         = qpn_i;
  end

endmodule
