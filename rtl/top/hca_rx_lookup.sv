// SPDX-License-Identifier: Apache-2.0
// Where a request's bytes go in hca_rx: msg_tracker says where its message goes on, and mr_lookup, asked with that,
// whether it may go there. The request waits beside each of them.
module hca_rx_lookup #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned Ecc = 0,  // of the context memories: docs/ecc.md
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  hca_rx_pkg::request_t           s_req_i,
  input  logic                           s_req_valid_i,  // with s_req_ready_o only
  output logic                           s_req_ready_o,

  input  msg_pkg::query_t                message_i,  // a commit: goes before requests
  input  logic                           message_valid_i,
  output logic                           message_ready_o,

  input  mr_pkg::query_t                 key_i,  // one that a SEND invalidates: goes before requests
  input  logic                           key_valid_i,
  output logic                           key_ready_o,

  input  logic [hca_rx_pkg::OpWidth-1:0] op_i,
  input  logic                           message_op_valid_i,  // goes before all
  output logic                           message_op_ready_o,
  input  logic                           key_op_valid_i,
  output logic                           key_op_ready_o,

  output hca_rx_pkg::located_t           m_req_o,
  output logic                           m_req_valid_o,
  input  logic                           m_req_ready_i
);

  // ---------------------------------------------------------------------------------------------------------------
  // The message.

  msg_pkg::query_t ask, msg_in;
  msg_pkg::result_t place;
  hca_rx_pkg::request_t req;
  logic ask_ready, reqs_ready, req_valid, msg_in_valid, msg_in_ready, place_valid, place_ready, is_ask, to_key;
  logic unused_place;
  logic [4:0] unused_req_count, unused_loc_count;

  assign s_req_ready_o = ask_ready & reqs_ready;
  assign unused_place  = ^place.qpn;

  always_comb begin
    ask            = '0;
    ask.op         = msg_pkg::OpLookUp;
    ask.qpn        = s_req_i.qpn;
    ask.verb       = s_req_i.verb;
    ask.first      = s_req_i.first;
    ask.va         = s_req_i.va;
    ask.rkey       = s_req_i.rkey;
    ask.dma_length = s_req_i.dma_length;
  end

  hca_rx_input #(
    .Width($bits(msg_in))
  ) u_msg_in (
    .clk_i,
    .rst_ni,
    .op_i          (op_i[$bits(msg_in)-1:0]),
    .op_valid_i    (message_op_valid_i),
    .op_ready_o    (message_op_ready_o),
    .commit_i      (message_i),
    .commit_valid_i(message_valid_i),
    .commit_ready_o(message_ready_o),
    .ask_i         (ask),
    .ask_valid_i   (s_req_valid_i),
    .ask_ready_o   (ask_ready),
    .m_data_o      (msg_in),
    .m_valid_o     (msg_in_valid),
    .m_ready_i     (msg_in_ready)
  );

  sync_fifo #(
    .Width($bits(req)),
    .Depth(16)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .s_data_i (s_req_i),
    .s_valid_i(s_req_valid_i),
    .s_ready_o(reqs_ready),
    .m_data_o (req),
    .m_valid_o(req_valid),
    .m_ready_i(to_key),
    .count_o  (unused_req_count)
  );

  msg_tracker #(
    .NumQps  (NumQps),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_messages (
    .clk_i,
    .rst_ni,
    .s_op_i        (msg_in.op),
    .s_qpn_i       (msg_in.qpn),
    .s_verb_i      (msg_in.verb),
    .s_first_i     (msg_in.first),
    .s_last_i      (msg_in.last),
    .s_payload_i   (msg_in.payload),
    .s_va_i        (msg_in.va),
    .s_rkey_i      (msg_in.rkey),
    .s_dma_length_i(msg_in.dma_length),
    .s_valid_i     (msg_in_valid),
    .s_ready_o     (msg_in_ready),
    .m_qpn_o       (place.qpn),
    .m_op_o        (place.op),
    .m_found_o     (place.found),
    .m_va_o        (place.place.va),
    .m_rkey_o      (place.place.rkey),
    .m_offset_o    (place.place.offset),
    .m_left_o      (place.place.left),
    .m_valid_o     (place_valid),
    .m_ready_i     (place_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The key.

  localparam logic [63:0] EightBytes = 64'd8;

  mr_pkg::query_t check, mr_in;
  mr_pkg::result_t allowed;
  hca_rx_pkg::located_t beside, loc;
  logic check_ready, locs_ready, loc_valid, mr_in_valid, mr_in_ready, allowed_valid, allowed_ready, is_check, is_write;
  logic unused_allowed;

  assign is_ask      = place.op == msg_pkg::OpLookUp;
  assign to_key      = place_valid & is_ask & req_valid & check_ready & locs_ready;
  assign place_ready = ~is_ask | to_key;
  assign is_write    = req.verb == msg_pkg::VerbWrite;

  always_comb begin
    check        = '0;
    check.op     = mr_pkg::OpCheck;
    check.rkey   = req.rkey;
    check.pd     = req.pd;
    check.va     = req.va;
    check.len    = req.eight ? EightBytes : {32'h0, req.dma_length};
    check.need   = req.need;
    check.whole  = req.whole;
    check.window = req.invalidates;
    if (is_write) begin
      check.rkey = place.place.rkey;
      check.va   = place.place.va;
      check.len  = req.whole_write ? {32'h0, place.place.left} : {48'h0, req.payload};
    end
  end

  // A WRITE whose message nobody knows goes nowhere.
  always_comb begin
    beside            = '0;
    beside.req        = req;
    beside.req.by_key = req.by_key & (~is_write | place.found);
    beside.offset     = place.place.offset;
    beside.lost       = Ecc != 0 & ~place.found & place.place.left[0];
  end

  hca_rx_input #(
    .Width($bits(mr_in))
  ) u_mr_in (
    .clk_i,
    .rst_ni,
    .op_i          (op_i[$bits(mr_in)-1:0]),
    .op_valid_i    (key_op_valid_i),
    .op_ready_o    (key_op_ready_o),
    .commit_i      (key_i),
    .commit_valid_i(key_valid_i),
    .commit_ready_o(key_ready_o),
    .ask_i         (check),
    .ask_valid_i   (to_key),
    .ask_ready_o   (check_ready),
    .m_data_o      (mr_in),
    .m_valid_o     (mr_in_valid),
    .m_ready_i     (mr_in_ready)
  );

  sync_fifo #(
    .Width($bits(loc)),
    .Depth(16)
  ) u_located (
    .clk_i,
    .rst_ni,
    .s_data_i (beside),
    .s_valid_i(to_key),
    .s_ready_o(locs_ready),
    .m_data_o (loc),
    .m_valid_o(loc_valid),
    .m_ready_i(m_req_valid_o & m_req_ready_i),
    .count_o  (unused_loc_count)
  );

  mr_lookup #(
    .NumQps  (NumQps),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .s_op_i     (mr_in.op),
    .s_rkey_i   (mr_in.rkey),
    .s_pd_i     (mr_in.pd),
    .s_va_i     (mr_in.va),
    .s_length_i (mr_in.len),
    .s_need_i   (mr_in.need),
    .s_whole_i  (mr_in.whole),
    .s_window_i (mr_in.window),
    .s_base_i   (mr_in.base),
    .s_valid_i  (mr_in_valid),
    .s_ready_o  (mr_in_ready),
    .m_address_o(allowed.address),
    .m_rkey_o   (allowed.rkey),
    .m_op_o     (allowed.op),
    .m_ok_o     (allowed.ok),
    .m_why_o    (allowed.why),
    .m_valid_o  (allowed_valid),
    .m_ready_i  (allowed_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Both together. A SEND has no address: its receive WQE says where it goes.

  assign is_check       = allowed.op == mr_pkg::OpCheck;
  assign unused_allowed = ^{allowed.rkey, allowed.why, loc.address, loc.access_ok};
  assign m_req_valid_o  = allowed_valid & is_check & loc_valid;
  assign allowed_ready  = ~is_check | (loc_valid & m_req_ready_i);

  always_comb begin
    m_req_o           = loc;
    m_req_o.access_ok = loc.req.by_key ? allowed.ok : loc.req.granted;
    m_req_o.address   = loc.req.by_key && !loc.req.invalidates ? allowed.address : '0;
  end

endmodule
