// SPDX-License-Identifier: Apache-2.0
// What qp_ctl makes of an access by its registers and the words of the QP that is selected: docs/blocks/qp_ctl.md.
// Only wires.
module qpc_decide (
  input  qpc_pkg::access_t access_i,
  input  qpc_pkg::regs_t   regs_i,
  input  qpc_pkg::words_t  words_i,
  input  logic [15:0]      under_way_i,
  input  logic             drained_i,
  input  logic [31:0]      low_i,   // of the counter that the address is of
  input  logic [15:0]      high_i,

  output qpc_pkg::answer_t                 answer_o,
  output qpc_pkg::regs_t                   regs_o,
  output qpc_pkg::words_t                  words_o,
  output logic [qpc_pkg::CfgWords:0]       words_we_o,  // word by word, the state on top
  output logic [qpc_pkg::Steps-1:0]        steps_o      // operations that have to leave
);

  // ---------------------------------------------------------------------------------------------------------------
  // The address.

  logic is_id, is_status, is_command, is_select, is_flow, is_arg, is_cfg, is_state, is_counter, known;
  logic [11:0] at;
  logic [2:0] arg;
  logic [3:0] word;

  assign at         = {access_i.address[11:2], 2'b00};
  assign arg        = at[4:2];
  assign word       = at[5:2];
  assign is_id      = at == qpc_regs_pkg::AtId;
  assign is_status  = at == qpc_regs_pkg::AtStatus;
  assign is_command = at == qpc_regs_pkg::AtCommand;
  assign is_select  = at == qpc_regs_pkg::AtSelect;
  assign is_flow    = at == qpc_regs_pkg::AtFlow;
  assign is_arg     = at[11:5] == qpc_regs_pkg::AtArg[11:5];
  assign is_cfg     = at[11:6] == qpc_regs_pkg::AtCfgPeer[11:6] && word < 4'(qpc_pkg::CfgWords);
  assign is_state   = at == qpc_regs_pkg::AtQpState;
  assign is_counter = at[11:9] == qpc_regs_pkg::AtCounterLow[11:9];
  assign known      = is_id || is_status || is_command || is_select || is_flow || is_arg || is_cfg || is_state ||
      is_counter;

  // ---------------------------------------------------------------------------------------------------------------
  // Reading.

  logic [31:0] old, strobes;

  always_comb begin
    old = '0;
    if (is_id) old = qpc_regs_pkg::ResetId;
    if (is_status) old = {23'h0, regs_i.refused, 4'h0, regs_i.result};
    if (is_select) old = {8'h0, regs_i.qpn};
    if (is_flow) old = {14'h0, drained_i, regs_i.closing, under_way_i};
    if (is_arg) old = regs_i.arg[32*arg+:32];
    if (is_cfg) old = words_i.cfg[32*word+:32];
    if (is_state) old = {words_i.number, 5'h0, words_i.state};
    if (is_counter) old = at[2] ? {16'h0, regs_i.high} : low_i;
  end

  always_comb begin
    for (int i = 0; i < 4; i++) strobes[8*i+:8] = {8{access_i.strobe[i]}};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Writing: the bits that there are, of the bytes that are written.

  logic refuses, writes;
  logic [31:0] there, new_word;

  assign writes  = access_i.write;
  assign refuses = writes && is_cfg && words_i.state != qpc_pkg::StateReset;

  always_comb begin
    there = '1;
    if (is_select) there = qpc_regs_pkg::BitsSelect;
    if (is_cfg) begin
      case (word)
        4'd0: there = qpc_regs_pkg::BitsCfgPeer;
        4'd1: there = qpc_regs_pkg::BitsCfgPsn;
        4'd2: there = qpc_regs_pkg::BitsCfgMsn;
        4'd3: there = qpc_regs_pkg::BitsCfgOptions;
        4'd8: there = qpc_regs_pkg::BitsCfgMacLow;
        4'd9: there = qpc_regs_pkg::BitsCfgMacHigh;
        4'd10: there = qpc_regs_pkg::BitsCfgQueue;
        4'd11: there = qpc_regs_pkg::BitsCfgDomain;
        4'd12: there = qpc_regs_pkg::BitsCfgSend;
        4'd13: there = qpc_regs_pkg::BitsCfgWindow;
        4'd14: there = qpc_regs_pkg::BitsCfgSender;
        default: there = qpc_regs_pkg::BitsCfgAddress;
      endcase
    end
    new_word = ((access_i.data & strobes) | (old & ~strobes)) & there;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Commands.

  logic commands, of_qp, from_here, is_ours, blocked, sends, lives;
  logic [4:0] command;
  logic [3:0] result;
  logic [2:0] state;

  assign commands = writes && is_command && access_i.strobe[0];
  assign command  = access_i.data[4:0];
  assign state    = words_i.state;
  assign of_qp    = command <= qpc_pkg::CommandFree || command == qpc_pkg::CommandRts ||
                    command == qpc_pkg::CommandSqd || command == qpc_pkg::CommandSqe;
  assign sends    = state == qpc_pkg::StateRts || state == qpc_pkg::StateSqd;
  assign lives    = state == qpc_pkg::StateInit || state == qpc_pkg::StateRtr || state == qpc_pkg::StateSqe || sends;
  assign is_ours  = state == qpc_pkg::StateReset || words_i.number == regs_i.qpn;

  always_comb begin
    case (command)
      qpc_pkg::CommandInit: from_here = state == qpc_pkg::StateReset;
      qpc_pkg::CommandRtr: from_here = state == qpc_pkg::StateInit;
      qpc_pkg::CommandError: from_here = lives;
      qpc_pkg::CommandClose: from_here = lives || state == qpc_pkg::StateError;
      qpc_pkg::CommandRts: from_here = state == qpc_pkg::StateRtr || state == qpc_pkg::StateSqd ||
          state == qpc_pkg::StateSqe;
      qpc_pkg::CommandSqd: from_here = state == qpc_pkg::StateRts;
      qpc_pkg::CommandSqe: from_here = sends && words_i.cfg[25:24] != 2'd0;  // RC has no such state
      default: from_here = state == qpc_pkg::StateClosing;
    endcase
    blocked = 1'b0;
    if (command == qpc_pkg::CommandClose) blocked = regs_i.closing;
    if (command == qpc_pkg::CommandFree) blocked = !drained_i;
    result = qpc_pkg::ResultDone;
    if (of_qp && blocked) result = qpc_pkg::ResultBusy;
    if (of_qp && !is_ours) result = qpc_pkg::ResultNumber;
    if (of_qp && !from_here) result = qpc_pkg::ResultState;
    if (command == '0 || command > qpc_pkg::CommandSqe) result = qpc_pkg::ResultUnknown;
  end

  logic does;
  logic [2:0] state_to;
  logic [qpc_pkg::Steps-1:0] steps;

  assign does = commands && result == qpc_pkg::ResultDone;

  always_comb begin
    steps    = '0;
    state_to = qpc_pkg::StateReset;
    case (command)
      qpc_pkg::CommandInit: begin
        steps[qpc_pkg::StepRespSet]   = 1'b1;
        steps[qpc_pkg::StepAckSet]    = 1'b1;
        steps[qpc_pkg::StepCnpSet]    = 1'b1;
        steps[qpc_pkg::StepMsgClear]  = 1'b1;
        steps[qpc_pkg::StepRqRelease] = 1'b1;
        steps[qpc_pkg::StepReplaySet] = 1'b1;
        state_to                      = qpc_pkg::StateInit;
      end
      qpc_pkg::CommandRtr: begin
        steps[qpc_pkg::StepRespReady]    = 1'b1;
        steps[qpc_pkg::StepClassifyLive] = 1'b1;
        state_to                         = qpc_pkg::StateRtr;
      end
      qpc_pkg::CommandError: begin
        steps[qpc_pkg::StepTxQueueFail:qpc_pkg::StepTxCheckClose] = {4{sends}};
        steps[qpc_pkg::StepClassifyDead] = 1'b1;
        steps[qpc_pkg::StepRespError]    = 1'b1;
        state_to                         = qpc_pkg::StateError;
      end
      qpc_pkg::CommandClose: begin
        steps[qpc_pkg::StepTxQueueFail:qpc_pkg::StepTxCheckClose] = {4{sends}};
        steps[qpc_pkg::StepClassifyRemove] = 1'b1;
        state_to                           = qpc_pkg::StateClosing;
      end
      qpc_pkg::CommandFree: begin
        steps[qpc_pkg::StepRespReset]   = 1'b1;
        steps[qpc_pkg::StepMsgClear]    = 1'b1;
        steps[qpc_pkg::StepRqRelease]   = 1'b1;
        steps[qpc_pkg::StepRqClear]     = !words_i.cfg[32*10+24];
        steps[qpc_pkg::StepCnpRemove]   = 1'b1;
        steps[qpc_pkg::StepReplayClear] = 1'b1;
        steps[qpc_pkg::StepDmaClear]    = 1'b1;
        steps[qpc_pkg::StepTxQueueClear] = 1'b1;
        steps[qpc_pkg::StepTxRateRemove:qpc_pkg::StepTxTurnsRemove] = '1;
      end
      qpc_pkg::CommandKeySet: steps[qpc_pkg::StepKeySet] = 1'b1;
      qpc_pkg::CommandKeyRemove: steps[qpc_pkg::StepKeyRemove] = 1'b1;
      qpc_pkg::CommandAddress: steps[qpc_pkg::StepAddress] = 1'b1;
      qpc_pkg::CommandPkey: steps[qpc_pkg::StepPkey] = 1'b1;
      qpc_pkg::CommandRts: begin
        steps[qpc_pkg::StepTxTurnsSet:qpc_pkg::StepTxCheckSet] = {7{state != qpc_pkg::StateSqd}};
        steps[qpc_pkg::StepTxResume] = state == qpc_pkg::StateSqd;
        state_to                     = qpc_pkg::StateRts;
      end
      qpc_pkg::CommandSqd: begin
        steps[qpc_pkg::StepTxDrain] = 1'b1;
        state_to                    = qpc_pkg::StateSqd;
      end
      qpc_pkg::CommandSqe: begin
        steps[qpc_pkg::StepTxQueueFail:qpc_pkg::StepTxCheckClose] = '1;
        state_to = qpc_pkg::StateSqe;
      end
      qpc_pkg::CommandMac: begin
        steps[qpc_pkg::StepMac]   = 1'b1;
        steps[qpc_pkg::StepTxOwn] = 1'b1;
      end
      qpc_pkg::CommandPeriod: steps[qpc_pkg::StepPeriod] = 1'b1;
      qpc_pkg::CommandRate: steps[qpc_pkg::StepTxLaw] = 1'b1;
      default: steps[qpc_pkg::StepRqPost] = 1'b1;
    endcase
  end

  assign steps_o = does ? steps : '0;

  // ---------------------------------------------------------------------------------------------------------------
  // What it leaves.

  always_comb begin
    regs_o = regs_i;
    for (int i = 0; i < 8; i++) if (writes && is_arg && arg == 3'(i)) regs_o.arg[32*i+:32] = new_word;
    if (writes && is_select) regs_o.qpn = new_word[23:0];
    if (writes && is_status && access_i.data[8] && access_i.strobe[1]) regs_o.refused = 1'b0;
    if (refuses) regs_o.refused = 1'b1;
    if (commands) regs_o.result = result;
    if (does && command == qpc_pkg::CommandClose) regs_o.closing = 1'b1;
    if (does && command == qpc_pkg::CommandFree) regs_o.closing = 1'b0;
    if (!writes && is_counter && !at[2]) regs_o.high = high_i;
  end

  always_comb begin
    words_o    = words_i;
    words_we_o = '0;
    for (int i = 0; i < qpc_pkg::CfgWords; i++) begin
      if (writes && is_cfg && !refuses && word == 4'(i)) words_o.cfg[32*i+:32] = new_word;
      if (writes && is_cfg && !refuses && word == 4'(i)) words_we_o[i] = 1'b1;
    end
    if (does && of_qp) begin
      words_o.number                = command == qpc_pkg::CommandFree ? '0 : regs_i.qpn;
      words_o.unused                = '0;
      words_o.state                 = state_to;
      words_we_o[qpc_pkg::CfgWords] = 1'b1;
    end
  end

  always_comb begin
    answer_o.write = writes;
    answer_o.data  = writes ? '0 : old;
    answer_o.resp  = (!known || refuses) ? qpc_pkg::RespSlverr : qpc_pkg::RespOkay;
  end

endmodule
