// SPDX-License-Identifier: Apache-2.0
// An operation of qp_ctl, as its block's s_rec has it: docs/blocks/qp_ctl.md, Commands. Only wires.
module qpc_op (
  input  logic [qpc_pkg::Steps-1:0] step_i,  // one bit of it
  input  qpc_pkg::regs_t            regs_i,
  input  qpc_pkg::words_t           words_i,
  output qpc_pkg::op_t              op_o
);

  logic [255:0] arg;
  logic [383:0] cfg;
  logic [23:0] qpn;
  logic unused;

  assign arg    = regs_i.arg;
  assign cfg    = words_i.cfg;
  assign qpn    = regs_i.qpn;
  assign unused = ^{regs_i, words_i, arg, cfg};

  // ---------------------------------------------------------------------------------------------------------------
  // One record a block.

  classify_pkg::query_t classify;
  classify_pkg::receive_t receive;
  logic of_qp, live, global_bit;
  logic [1:0] service;
  logic [2:0] classify_op;
  logic [3:0] entry;
  logic [15:0] pkey;
  logic [23:0] dest_qp;
  logic [127:0] src;

  assign live = step_i[qpc_pkg::StepClassifyLive];

  always_comb begin
    classify_op = classify_pkg::OpSet;
    if (step_i[qpc_pkg::StepClassifyRemove]) classify_op = classify_pkg::OpRemove;
    if (step_i[qpc_pkg::StepAddress]) classify_op = classify_pkg::OpAddress;
    if (step_i[qpc_pkg::StepPkey]) classify_op = classify_pkg::OpPkey;
    of_qp      = live || step_i[qpc_pkg::StepClassifyDead];
    dest_qp    = (of_qp || step_i[qpc_pkg::StepClassifyRemove]) ? qpn : '0;
    service    = of_qp ? cfg[25:24] : '0;
    global_bit = of_qp && cfg[26];
    pkey       = step_i[qpc_pkg::StepPkey] ? arg[47:32] : '0;
    entry      = '0;
    src        = '0;
    if (of_qp) begin
      entry = cfg[30:27];
      src   = cfg[32*4+:128];
    end
    if (step_i[qpc_pkg::StepAddress] || step_i[qpc_pkg::StepPkey]) entry = arg[3:0];
    if (step_i[qpc_pkg::StepAddress]) src = arg[32*4+:128];
  end

  assign receive  = of_qp ? {cfg[32*3+10], cfg[32*11+:24], cfg[32*10+24], cfg[32*10+:24]} : '0;
  assign classify = {receive, 128'd0, src, global_bit, live, service, entry, 32'd0, pkey, dest_qp, 15'd0, classify_op};

  logic [188:0] resp;
  logic sets;
  logic [2:0] resp_op;

  assign sets = step_i[qpc_pkg::StepRespSet];

  always_comb begin
    resp_op = resp_pkg::OpSet;
    if (step_i[qpc_pkg::StepRespReady]) resp_op = resp_pkg::OpReady;
    if (step_i[qpc_pkg::StepRespError]) resp_op = resp_pkg::OpError;
    if (step_i[qpc_pkg::StepRespReset]) resp_op = resp_pkg::OpReset;
    resp = '0;
    // Flush, profile; RNR timer, operations, READs, PMTU, service; op; start MSN; start PSN.
    if (sets) begin
      resp = {cfg[105:104], 11'd0, cfg[103:96], 11'd0, cfg[92:88], cfg[95:93], cfg[60:56], cfg[63:61], cfg[25:24],
              3'd0, 40'd0, cfg[87:64], 24'd0, cfg[55:32], 24'd0};
    end
    resp[23:0]    = qpn;
    resp[138:136] = resp_op;
  end

  mr_pkg::query_t key;

  always_comb begin
    key      = '0;
    key.op   = mr_pkg::OpRemove;
    key.rkey = arg[31:0];
    if (step_i[qpc_pkg::StepKeySet]) begin
      key.op        = mr_pkg::OpSet;
      key.pd        = arg[55:32];
      key.need      = arg[60:56];
      key.window = arg[61];
      key.va        = arg[127:64];
      key.len    = arg[191:128];
      key.base      = arg[255:192];
    end
  end

  ack_pkg::query_t ack;

  always_comb begin
    ack     = '0;
    ack.op  = ack_pkg::OpOwn;
    ack.mac = arg[47:0];
    if (step_i[qpc_pkg::StepAckSet]) begin
      ack.op        = ack_pkg::OpSet;
      ack.qpn       = qpn;
      ack.peer_qpn  = cfg[23:0];
      ack.mac       = cfg[32*8+:48];
      ack.hop_limit = cfg[32*3+16+:8];
    end
  end

  msg_pkg::query_t msg;

  always_comb begin
    msg     = '0;
    msg.op  = msg_pkg::OpClear;
    msg.qpn = qpn;
  end

  rq_pkg::query_t rq;

  always_comb begin
    rq     = '0;
    rq.op  = rq_pkg::OpRelease;
    rq.qpn = qpn;
    if (step_i[qpc_pkg::StepRqClear]) begin
      rq.op  = rq_pkg::OpClear;
      rq.qpn = '0;
      rq.rq  = cfg[32*10+:24];
    end
    if (step_i[qpc_pkg::StepRqPost]) begin
      rq.op        = rq_pkg::OpPost;
      rq.qpn       = '0;
      rq.rq        = arg[23:0];
      rq.wqe.bytes = arg[63:32];
      rq.wqe.wqe   = arg[95:64];
    end
  end

  dma_pkg::cmd_t dma;

  always_comb begin
    dma       = '0;
    dma.clear = 1'b1;
    dma.qpn   = qpn;
  end

  cnp_pkg::query_t cnp;

  always_comb begin
    cnp    = '0;
    cnp.op = cnp_pkg::OpRemove;
    if (step_i[qpc_pkg::StepCnpSet]) begin
      cnp.op       = cnp_pkg::OpSet;
      cnp.peer_qpn = cfg[23:0];
    end
    cnp.qpn = qpn;
    if (step_i[qpc_pkg::StepPeriod]) begin
      cnp.op     = cnp_pkg::OpPeriod;
      cnp.qpn    = '0;
      cnp.period = arg[31:0];
    end
  end

  replay_pkg::query_t replay;

  always_comb begin
    replay      = '0;
    replay.op   = replay_pkg::OpSet;
    replay.qpn  = qpn;
    replay.pmtu = cfg[63:61];
    if (step_i[qpc_pkg::StepReplaySet]) replay.depth = cfg[60:56];
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The one that it is.

  always_comb begin
    op_o.target = qpc_pkg::ToClassify;
    op_o.data   = qpc_pkg::DataWidth'(classify);
    if (|step_i[qpc_pkg::StepRespSet:qpc_pkg::StepRespError] || step_i[qpc_pkg::StepRespReady]) begin
      op_o.target = qpc_pkg::ToResp;
      op_o.data   = qpc_pkg::DataWidth'(resp);
    end
    if (step_i[qpc_pkg::StepKeySet] || step_i[qpc_pkg::StepKeyRemove]) begin
      op_o.target = qpc_pkg::ToMr;
      op_o.data   = qpc_pkg::DataWidth'(key);
    end
    if (step_i[qpc_pkg::StepAckSet] || step_i[qpc_pkg::StepMac]) begin
      op_o.target = qpc_pkg::ToAck;
      op_o.data   = qpc_pkg::DataWidth'(ack);
    end
    if (step_i[qpc_pkg::StepMsgClear]) begin
      op_o.target = qpc_pkg::ToMsg;
      op_o.data   = qpc_pkg::DataWidth'(msg);
    end
    if (step_i[qpc_pkg::StepRqRelease] || step_i[qpc_pkg::StepRqClear] || step_i[qpc_pkg::StepRqPost]) begin
      op_o.target = qpc_pkg::ToRq;
      op_o.data   = qpc_pkg::DataWidth'(rq);
    end
    if (step_i[qpc_pkg::StepDmaClear]) begin
      op_o.target = qpc_pkg::ToDma;
      op_o.data   = qpc_pkg::DataWidth'(dma);
    end
    if (step_i[qpc_pkg::StepCnpSet] || step_i[qpc_pkg::StepCnpRemove] || step_i[qpc_pkg::StepPeriod]) begin
      op_o.target = qpc_pkg::ToCnp;
      op_o.data   = qpc_pkg::DataWidth'(cnp);
    end
    if (step_i[qpc_pkg::StepReplaySet] || step_i[qpc_pkg::StepReplayClear]) begin
      op_o.target = qpc_pkg::ToReplay;
      op_o.data   = qpc_pkg::DataWidth'(replay);
    end
  end

endmodule
