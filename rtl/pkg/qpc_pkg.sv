// SPDX-License-Identifier: Apache-2.0
// Types and codes of qp_ctl: docs/blocks/qp_ctl.md. Its registers are those of qpc_regs_pkg.
package qpc_pkg;

  localparam int unsigned CfgWords = 15;          // of a QP; one more word has its state
  localparam int unsigned Counters = 64;
  localparam int unsigned CounterHigh = 16;       // bits of COUNTER_HIGH
  localparam int unsigned DataWidth = 564;        // of an operation: that of ack_gen is the longest

  localparam logic [1:0] RespOkay = 2'd0;
  localparam logic [1:0] RespSlverr = 2'd2;

  typedef enum logic [2:0] {
    StateReset   = 3'd0,
    StateInit    = 3'd1,
    StateRtr     = 3'd2,
    StateError   = 3'd3,
    StateClosing = 3'd4,
    StateRts     = 3'd5,
    StateSqd     = 3'd6,
    StateSqe     = 3'd7
  } state_e;

  typedef enum logic [4:0] {
    CommandInit      = 5'd1,
    CommandRtr       = 5'd2,
    CommandError     = 5'd3,
    CommandClose     = 5'd4,
    CommandFree      = 5'd5,
    CommandKeySet    = 5'd6,
    CommandKeyRemove = 5'd7,
    CommandAddress   = 5'd8,
    CommandPkey      = 5'd9,
    CommandMac       = 5'd10,
    CommandPeriod    = 5'd11,
    CommandPost      = 5'd12,
    CommandRts       = 5'd13,
    CommandSqd       = 5'd14,
    CommandRate      = 5'd15,
    CommandSqe       = 5'd16
  } command_e;

  typedef enum logic [3:0] {
    ResultDone    = 4'd0,
    ResultState   = 4'd1,
    ResultNumber  = 4'd2,
    ResultBusy    = 4'd3,
    ResultUnknown = 4'd4
  } result_e;

  // The operations, by bit of a set; those of a command leave from bit 0 on.
  localparam int unsigned StepClassifyRemove = 0;
  localparam int unsigned StepClassifyDead = 1;
  localparam int unsigned StepRespError = 2;
  localparam int unsigned StepRespReset = 3;
  localparam int unsigned StepRespSet = 4;
  localparam int unsigned StepAckSet = 5;
  localparam int unsigned StepCnpSet = 6;
  localparam int unsigned StepMsgClear = 7;
  localparam int unsigned StepRqRelease = 8;
  localparam int unsigned StepRqClear = 9;
  localparam int unsigned StepCnpRemove = 10;
  localparam int unsigned StepReplaySet = 11;
  localparam int unsigned StepReplayClear = 12;
  localparam int unsigned StepRespReady = 13;
  localparam int unsigned StepClassifyLive = 14;
  localparam int unsigned StepKeySet = 15;
  localparam int unsigned StepKeyRemove = 16;
  localparam int unsigned StepAddress = 17;
  localparam int unsigned StepPkey = 18;
  localparam int unsigned StepMac = 19;
  localparam int unsigned StepPeriod = 20;
  localparam int unsigned StepDmaClear = 21;
  localparam int unsigned StepRqPost = 22;
  localparam int unsigned StepTxCheckSet = 23;
  localparam int unsigned StepTxRetrySet = 24;
  localparam int unsigned StepTxPacketsSet = 25;
  localparam int unsigned StepTxQueueClear = 26;
  localparam int unsigned StepTxFrameSet = 27;
  localparam int unsigned StepTxRateSet = 28;
  localparam int unsigned StepTxTurnsSet = 29;
  localparam int unsigned StepTxCheckClose = 30;
  localparam int unsigned StepTxRetryClose = 31;
  localparam int unsigned StepTxPacketsClose = 32;
  localparam int unsigned StepTxQueueFail = 33;
  localparam int unsigned StepTxDrain = 34;
  localparam int unsigned StepTxResume = 35;
  localparam int unsigned StepTxTurnsRemove = 36;
  localparam int unsigned StepTxRateRemove = 37;
  localparam int unsigned StepTxOwn = 38;
  localparam int unsigned StepTxLaw = 39;
  localparam int unsigned Steps = 40;

  // As hca_rx numbers its blocks; from 9 on are those of hca_tx.
  typedef enum logic [3:0] {
    ToClassify = 4'd0,
    ToResp     = 4'd1,
    ToMr       = 4'd2,
    ToAck      = 4'd3,
    ToMsg      = 4'd4,
    ToRq       = 4'd5,
    ToDma      = 4'd6,
    ToCnp      = 4'd7,
    ToReplay   = 4'd8,
    ToCheck    = 4'd9,
    ToRetry    = 4'd10,
    ToQueue    = 4'd11,
    ToPackets  = 4'd12,
    ToTurns    = 4'd13,
    ToFrames   = 4'd14,
    ToRate     = 4'd15
  } target_e;

  // An access. The first bit of the record is the last one here.
  typedef struct packed {
    logic [3:0]  strobe;
    logic [31:0] data;
    logic [11:0] address;
    logic        write;
  } access_t;

  typedef struct packed {
    logic [1:0]  resp;
    logic [31:0] data;
    logic        write;
  } answer_t;

  typedef struct packed {
    logic [5:0] reason;
    logic       counts;
    logic       closed;
    logic       leaves;
    logic       enters;
  } event_t;

  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [3:0]           target;
  } op_t;

  // Registers that belong to no QP.
  typedef struct packed {
    logic [255:0] arg;  // ARG0 lowest
    logic [23:0]  qpn;
    logic         refused;
    logic [3:0]   result;
    logic         closing;
    logic [15:0]  high;  // of the counter that was read last
  } regs_t;

  // The words of a QP.
  typedef struct packed {
    logic [23:0]  number;
    logic [4:0]   unused;
    logic [2:0]   state;  // state_e
    logic [479:0] cfg;    // CFG_PEER lowest
  } words_t;

endpackage
