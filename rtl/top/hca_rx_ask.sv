// SPDX-License-Identifier: Apache-2.0
// What a request is put to its key and to the verdict with, by its header. Combinational.
module hca_rx_ask (
  input  logic [23:0]      pd_i,
  input  rx_pkg::header_t  hdr_i,
  input  logic [23:0]      qpn_i,

  output logic             payload_o,  // the parser has a payload of it
  output mr_pkg::query_t   key_o,
  output hca_rx_pkg::ask_t ask_o
);

  localparam logic [4:0] Read = 5'h0C;
  localparam logic [4:0] AtomicWrite = 5'h1D;
  localparam logic [31:0] AtomicBytes = 32'd8;

  // Rights of a key, as mr_lookup has them.
  localparam logic [4:0] NeedWrite = 5'b00001;
  localparam logic [4:0] NeedRead = 5'b00010;
  localparam logic [4:0] NeedAtomic = 5'b00100;

  rx_pkg::opcode_t dec;
  logic [4:0] operation;
  logic [2:0] unused_lead;
  logic [3:0] unused_words;

  roce_opcode u_opcode (
    .opcode_i    (hdr_i.opcode),
    .op_o        (dec),
    .lead_words_o(unused_lead),
    .words_o     (unused_words)
  );

  assign operation = hdr_i.opcode[4:0];
  assign payload_o = hdr_i.reason == hca_pkg::ReasonNone && dec.known && dec.payload && hdr_i.payload_bytes != '0;

  // The key of a WRITE Middle or Last was asked for with its First; none of SEND is, and no window can be given back.
  always_comb begin
    ask_o.by_key     = dec.reth | dec.atomic;
    ask_o.granted    = ~dec.ieth;
    ask_o.flush_sel  = hdr_i.flush_sel;
    ask_o.flush_plt  = hdr_i.flush_plt;
    ask_o.solicited  = hdr_i.se;
    ask_o.ack_req    = hdr_i.ack_req;
    ask_o.pad        = hdr_i.pad;
    ask_o.va_low     = hdr_i.va[2:0];
    ask_o.dma_length = hdr_i.dma_len;
    ask_o.payload    = hdr_i.payload_bytes;
    ask_o.opcode     = hdr_i.opcode;
    ask_o.psn        = hdr_i.psn;
    ask_o.qpn        = qpn_i;
  end

  always_comb begin
    key_o       = '0;
    key_o.op    = mr_pkg::OpCheck;
    key_o.rkey  = hdr_i.rkey;
    key_o.pd    = pd_i;
    key_o.va    = hdr_i.va;
    key_o.len   = {32'h0, hdr_i.dma_len};
    key_o.need  = NeedWrite;
    key_o.whole = dec.feth && hdr_i.flush_sel == 2'd1;
    if (operation == Read) key_o.need = NeedRead;
    if (dec.atomic) key_o.need = NeedAtomic;
    if (dec.atomic || operation == AtomicWrite) key_o.len = {32'h0, AtomicBytes};
    if (dec.feth) key_o.need = {hdr_i.flush_plt[1:0], 3'b000};
  end

endmodule
