// SPDX-License-Identifier: Apache-2.0
// What rx_classify makes of a record, by the word of its QP and the port's tables: docs/blocks/rx_classify.md.
module rx_admit (
  input  classify_pkg::query_t                 rec_i,
  input  classify_pkg::context_t               ctx_i,
  input  logic [classify_pkg::Addresses*128-1:0] own_i,
  input  logic [classify_pkg::Pkeys*16-1:0]    pkeys_i,

  output classify_pkg::context_t               ctx_o,
  output logic                                 own_we_o,
  output logic                                 pkey_we_o,
  output classify_pkg::result_t                result_o
);

  localparam logic [2:0] Rc = 3'd0;
  localparam logic [2:0] Uc = 3'd1;
  localparam logic [2:0] Ud = 3'd3;
  localparam logic [7:0] Cnp = 8'h81;

  // ---------------------------------------------------------------------------------------------------------------
  // The packet's addresses, in one form.

  logic [127:0] src, dst;

  always_comb begin
    src = rec_i.src;
    dst = rec_i.dst;
    if (rec_i.encap == hca_pkg::EncapRocev2Ipv4) begin
      src = {80'h0, 16'hFFFF, rec_i.src[31:0]};
      dst = {80'h0, 16'hFFFF, rec_i.dst[31:0]};
    end
    if (rec_i.encap == hca_pkg::EncapIbLocal) begin
      src = {112'h0, rec_i.slid};
      dst = {112'h0, rec_i.dlid};
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // ADM-1 and ADM-3 to ADM-5, each for itself.

  logic [classify_pkg::Addresses-1:0] is_own;
  logic addressed, ours, serves, is_cnp, is_response, connected, pkey_ok;
  logic [2:0] transport;
  logic [15:0] pkey;
  rx_pkg::opcode_t dec;
  logic [2:0] unused_lead;
  logic [3:0] unused_words;

  roce_opcode u_opcode (
    .opcode_i    (rec_i.opcode),
    .op_o        (dec),
    .lead_words_o(unused_lead),
    .words_o     (unused_words)
  );

  for (genvar i = 0; i < classify_pkg::Addresses; i++) begin : gen_own
    assign is_own[i] = dst == own_i[128*i+:128];
  end

  assign addressed   = dst != '0 && is_own != '0;
  assign ours        = ctx_i.there && ctx_i.number == rec_i.dest_qp;
  assign is_cnp      = rec_i.opcode == Cnp;
  assign is_response = rec_i.opcode[4:0] >= 5'h0D && rec_i.opcode[4:0] <= 5'h12;
  assign connected   = ctx_i.service != classify_pkg::ServiceUd;

  always_comb begin
    transport = Rc;
    if (ctx_i.service == classify_pkg::ServiceUc) transport = Uc;
    if (ctx_i.service == classify_pkg::ServiceUd) transport = Ud;
  end

  assign serves = is_cnp || (dec.known && rec_i.opcode[7:5] == transport);

  assign pkey    = pkeys_i[16*ctx_i.entry+:16];
  assign pkey_ok = pkey[14:0] != '0 && pkey[14:0] == rec_i.pkey[14:0] && (pkey[15] || rec_i.pkey[15]);

  // ---------------------------------------------------------------------------------------------------------------
  // The first of them that drops a packet.

  classify_pkg::why_e drop;

  always_comb begin
    drop = classify_pkg::WhyGood;
    if (rec_i.encap == hca_pkg::EncapNone || rec_i.encap == 3'd7) drop = classify_pkg::WhyNotRoce;
    else if (rec_i.encap == hca_pkg::EncapIbRaw) drop = classify_pkg::WhyRaw;
    else if (!addressed) drop = classify_pkg::WhyAddress;
    else if (rec_i.reason != hca_pkg::ReasonNone) drop = classify_pkg::WhyMalformed;
    else if (!ours) drop = classify_pkg::WhyNoQp;
    else if (!serves) drop = classify_pkg::WhyService;
    else if (!ctx_i.live) drop = classify_pkg::WhyNotLive;
    else if (connected && src != ctx_i.peer) drop = classify_pkg::WhyPeer;
    else if (connected && ctx_i.is_global && rec_i.encap == hca_pkg::EncapIbLocal) drop = classify_pkg::WhyNoGrh;
    else if (!pkey_ok) drop = classify_pkg::WhyPkey;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Operations.

  classify_pkg::why_e refused;

  always_comb begin
    refused = classify_pkg::WhyGood;
    case (rec_i.op)
      classify_pkg::OpSet: begin
        if (rec_i.service == classify_pkg::ServiceNone) refused = classify_pkg::WhyNoSuch;
        else if (ctx_i.there && !ours) refused = classify_pkg::WhyTaken;
      end
      classify_pkg::OpRemove: if (!ours) refused = classify_pkg::WhyNoQp;
      classify_pkg::OpAddress: if (rec_i.entry >= 4'(classify_pkg::Addresses)) refused = classify_pkg::WhyNoSuch;
      classify_pkg::OpPkey: refused = classify_pkg::WhyGood;
      default: refused = classify_pkg::WhyNoSuch;
    endcase
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Both together.

  logic is_packet, done;

  assign is_packet = rec_i.op == classify_pkg::OpPacket;
  assign done      = ~is_packet & (refused == classify_pkg::WhyGood);
  assign own_we_o  = done & (rec_i.op == classify_pkg::OpAddress);
  assign pkey_we_o = done & (rec_i.op == classify_pkg::OpPkey);

  always_comb begin
    ctx_o = ctx_i;
    if (done && rec_i.op == classify_pkg::OpRemove) ctx_o = '0;
    if (done && rec_i.op == classify_pkg::OpSet) begin
      ctx_o = {1'b1, rec_i.dest_qp, rec_i.service, rec_i.live, rec_i.is_global, rec_i.entry, rec_i.src,
               rec_i.receive};
    end
  end

  always_comb begin
    result_o.qpn     = rec_i.dest_qp;
    result_o.op      = rec_i.op;
    result_o.pkey    = '0;
    result_o.service = classify_pkg::ServiceRc;
    result_o.receive = '0;
    result_o.why     = is_packet ? drop : refused;
    result_o.what    = done ? classify_pkg::ClassDone : classify_pkg::ClassIgnored;
    if (is_packet) begin
      result_o.what = classify_pkg::ClassDropped;
      if (drop == classify_pkg::WhyGood) begin
        result_o.what    = is_cnp ? classify_pkg::ClassCnp : is_response ? classify_pkg::ClassResponse
                                                                          : classify_pkg::ClassRequest;
        result_o.pkey    = pkey;
        result_o.service = ctx_i.service;
        result_o.receive = ctx_i.receive;
      end
    end
  end

endmodule
