// SPDX-License-Identifier: Apache-2.0
// What cnp_gen makes of a record, or of a visit, by the word of its QP and the time: docs/blocks/cnp_gen.md.
module cnp_decide #(
  parameter int unsigned StampWidth = 24
) (
  input  cnp_pkg::query_t       rec_i,
  input  logic                  valid_i,     // there is a record
  input  logic                  visit_i,     // there is none, and the QP's stamp is looked at
  input  cnp_pkg::context_t     ctx_i,
  input  logic [StampWidth-1:0] stamp_i,
  input  logic [StampWidth-1:0] now_i,
  input  logic [StampWidth-2:0] period_i,

  output cnp_pkg::context_t     ctx_o,
  output logic [StampWidth-1:0] stamp_o,
  output logic                  we_o,        // write the two
  output logic                  period_we_o,
  output cnp_pkg::result_t      result_o
);

  logic is_ours, soon, fits, sends, sets, removes, forgets;
  logic [StampWidth-1:0] age;
  cnp_pkg::why_e why;

  assign is_ours = ctx_i.there && ctx_i.number == rec_i.qpn;
  assign age     = now_i - stamp_i;
  assign soon    = ctx_i.recent && age < {1'b0, period_i};
  assign fits    = rec_i.period >> (StampWidth - 1) == '0;

  always_comb begin
    why = cnp_pkg::WhyNoSuch;
    case (rec_i.op)
      cnp_pkg::OpPacket: begin
        why = cnp_pkg::WhyGood;
        if (soon) why = cnp_pkg::WhySoon;
        if (!is_ours) why = cnp_pkg::WhyNoQp;
        if (rec_i.opcode == cnp_pkg::Cnp) why = cnp_pkg::WhyIsCnp;
        if (rec_i.way.encap != hca_pkg::EncapRocev2Ipv4 && rec_i.way.encap != hca_pkg::EncapRocev2Ipv6) begin
          why = cnp_pkg::WhyEncap;
        end
        if (rec_i.way.tclass[1:0] != cnp_pkg::Congestion) why = cnp_pkg::WhyNotMarked;
      end
      cnp_pkg::OpSet:    why = cnp_pkg::WhyGood;
      cnp_pkg::OpPeriod: why = fits ? cnp_pkg::WhyGood : cnp_pkg::WhyPeriod;
      cnp_pkg::OpRemove: why = is_ours ? cnp_pkg::WhyGood : cnp_pkg::WhyNoQp;
      default: ;
    endcase
  end

  assign sends       = rec_i.op == cnp_pkg::OpPacket && why == cnp_pkg::WhyGood;
  assign sets        = rec_i.op == cnp_pkg::OpSet;
  assign removes     = rec_i.op == cnp_pkg::OpRemove && is_ours;
  assign period_we_o = valid_i && rec_i.op == cnp_pkg::OpPeriod && fits;
  assign forgets     = visit_i && age[StampWidth-1];
  assign we_o        = forgets || (valid_i && (sends || sets || removes));

  always_comb begin
    ctx_o   = ctx_i;
    stamp_o = stamp_i;
    if (valid_i && sends) begin
      ctx_o.recent = 1'b1;
      stamp_o      = now_i;
    end
    if (valid_i && sets) begin
      ctx_o.there    = 1'b1;
      ctx_o.recent   = 1'b0;
      ctx_o.number   = rec_i.qpn;
      ctx_o.peer_qpn = rec_i.peer_qpn;
    end
    if (valid_i && removes) ctx_o = '0;
    if (forgets) ctx_o.recent = 1'b0;
  end

  always_comb begin
    result_o.qpn      = rec_i.qpn;
    result_o.op       = rec_i.op;
    result_o.why      = why;
    result_o.way      = rec_i.way;
    result_o.opcode   = '0;
    result_o.peer_qpn = '0;
    if (sends) begin
      result_o.opcode   = cnp_pkg::Cnp;
      result_o.peer_qpn = rec_i.service == cnp_pkg::ServiceUd ? rec_i.peer_qpn : ctx_i.peer_qpn;
    end
  end

endmodule
