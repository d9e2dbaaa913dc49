// SPDX-License-Identifier: Apache-2.0
// An operation of qp_ctl, as its block's s_rec has it: docs/blocks/qp_ctl.md, Commands. Only wires.
module qpc_op (
  input  logic [qpc_pkg::Steps-1:0] step_i,  // one bit of it
  input  qpc_pkg::regs_t            regs_i,
  input  qpc_pkg::words_t           words_i,
  output qpc_pkg::op_t              op_o
);

  logic [255:0] arg;
  logic [479:0] cfg;
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
  logic [31:0] qkey;

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

  // Of UD the word with the MSN is the Q_Key: it has no MSN, no RNR NAK, and no operations but SEND.
  assign qkey     = service == classify_pkg::ServiceUd ? cfg[32*2+:32] : '0;
  assign receive  = of_qp ? {qkey, cfg[32*3+10], cfg[32*11+:24], cfg[32*10+24], cfg[32*10+:24]} : '0;
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
  // Those of the transmit side.

  req_pkg::rec_t check;
  retry_pkg::rec_t retry;
  tx_pkg::rec_t packets;
  retire_pkg::query_t queue;
  sched_pkg::query_t turns;
  frame_pkg::way_t way;
  logic [2:0] frame_op;
  logic [23:0] frame_qpn, first;
  rate_pkg::query_t rate;

  assign first = cfg[32*12+:24];

  always_comb begin
    check     = '0;
    check.op  = req_pkg::OpClose;
    check.qpn = qpn;
    if (step_i[qpc_pkg::StepTxCheckSet]) begin
      check.op        = req_pkg::OpConfigure;
      check.psn       = first;
      check.pmtu      = cfg[63:61];
      check.max_reads = cfg[32*13+27+:5];
      check.profile   = cfg[32*14+:6];
    end
  end

  always_comb begin
    retry     = '0;
    retry.op  = retry_pkg::OpClose;
    retry.qpn = qpn;
    if (step_i[qpc_pkg::StepTxRetrySet]) begin
      retry.op         = retry_pkg::OpConfigure;
      retry.una        = first;
      retry.code       = cfg[32*12+24+:5];
      retry.retry_cnt  = cfg[32*12+29+:3];
      retry.rnr_retry  = cfg[32*13+24+:3];
      retry.any_answer = cfg[32*14+5];
    end
  end

  always_comb begin
    packets     = '0;
    packets.op  = tx_pkg::OpClose;
    packets.qpn = qpn;
    if (step_i[qpc_pkg::StepTxDrain]) packets.op = tx_pkg::OpDrain;
    if (step_i[qpc_pkg::StepTxResume]) packets.op = tx_pkg::OpResume;
    if (step_i[qpc_pkg::StepTxPacketsSet]) begin
      packets.op         = tx_pkg::OpConfigure;
      packets.una        = first;
      packets.pmtu       = cfg[63:61];
      packets.service    = cfg[25:24];
      packets.window     = cfg[32*13+:24];
      packets.max_reads  = cfg[32*13+27+:5];
      packets.unlimited  = !cfg[32*14+4];
      packets.whole_read = cfg[32*14+6];
      packets.restart    = cfg[32*14+7];
    end
  end

  always_comb begin
    queue     = '0;
    queue.qpn = qpn;
    queue.op  = retire_pkg::OpClear;
    queue.una = first;
    queue.slot = 6'(cfg[63:61]);  // the PMTU, for read_place
    if (step_i[qpc_pkg::StepTxQueueFail]) begin
      queue.op     = retire_pkg::OpVerdict;
      queue.una    = '0;
      queue.slot   = '0;
      queue.fail   = 1'b1;
      queue.status = retire_pkg::StatusFlushed;
    end
  end

  always_comb begin
    turns     = '0;
    turns.op  = sched_pkg::OpRemove;
    turns.qpn = qpn;
    if (step_i[qpc_pkg::StepTxTurnsSet]) begin
      turns.op     = sched_pkg::OpSet;
      turns.weight = cfg[32*14+8+:4];
    end
  end

  always_comb begin
    way       = '0;
    way.mac   = arg[47:0];
    frame_op  = frame_pkg::OpOwn;
    frame_qpn = '0;
    if (step_i[qpc_pkg::StepTxFrameSet]) begin
      frame_op         = frame_pkg::OpSet;
      frame_qpn        = qpn;
      way.pkey         = arg[15:0];
      way.udp_src_port = arg[31:16];
      way.encap        = arg[34:32];
      way.tags         = arg[36:35];
      way.tclass       = arg[47:40];
      way.sl           = arg[51:48];
      way.vlan0        = arg[95:64];
      way.vlan1        = arg[127:96];
      way.src          = arg[255:128];
      way.dst          = cfg[32*4+:128];
      way.peer_qpn     = cfg[23:0];
      way.mac          = cfg[32*8+:48];
      way.hop_limit    = cfg[32*3+16+:8];
    end
  end

  always_comb begin
    rate     = '0;
    rate.op  = rate_pkg::OpRemove;
    rate.qpn = qpn;
    if (step_i[qpc_pkg::StepTxRateSet]) begin
      rate.op   = rate_pkg::OpSet;
      rate.pace = cfg[32*14+16+:16];
    end
    if (step_i[qpc_pkg::StepTxLaw]) begin
      rate.op     = rate_pkg::OpLaw;
      rate.qpn    = '0;
      rate.period = arg[31:0];
      rate.forget = arg[63:32];
      rate.cut    = arg[71:64];
      rate.raise  = arg[79:72];
      rate.pace   = arg[95:80];
    end
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
    if (step_i[qpc_pkg::StepTxCheckSet] || step_i[qpc_pkg::StepTxCheckClose]) begin
      op_o.target = qpc_pkg::ToCheck;
      op_o.data   = qpc_pkg::DataWidth'(check);
    end
    if (step_i[qpc_pkg::StepTxRetrySet] || step_i[qpc_pkg::StepTxRetryClose]) begin
      op_o.target = qpc_pkg::ToRetry;
      op_o.data   = qpc_pkg::DataWidth'(retry);
    end
    if (step_i[qpc_pkg::StepTxPacketsSet] || step_i[qpc_pkg::StepTxPacketsClose] || step_i[qpc_pkg::StepTxDrain] ||
        step_i[qpc_pkg::StepTxResume]) begin
      op_o.target = qpc_pkg::ToPackets;
      op_o.data   = qpc_pkg::DataWidth'(packets);
    end
    if (step_i[qpc_pkg::StepTxQueueClear] || step_i[qpc_pkg::StepTxQueueFail]) begin
      op_o.target = qpc_pkg::ToQueue;
      op_o.data   = qpc_pkg::DataWidth'(queue);
    end
    if (step_i[qpc_pkg::StepTxTurnsSet] || step_i[qpc_pkg::StepTxTurnsRemove]) begin
      op_o.target = qpc_pkg::ToTurns;
      op_o.data   = qpc_pkg::DataWidth'(turns);
    end
    if (step_i[qpc_pkg::StepTxFrameSet] || step_i[qpc_pkg::StepTxOwn]) begin
      op_o.target = qpc_pkg::ToFrames;
      op_o.data   = qpc_pkg::DataWidth'({way, frame_qpn, frame_op});
    end
    if (step_i[qpc_pkg::StepTxRateSet] || step_i[qpc_pkg::StepTxRateRemove] || step_i[qpc_pkg::StepTxLaw]) begin
      op_o.target = qpc_pkg::ToRate;
      op_o.data   = qpc_pkg::DataWidth'(rate);
    end
  end

endmodule
