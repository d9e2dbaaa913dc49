// SPDX-License-Identifier: Apache-2.0
// The registers of qp_ctl: made from qp_ctl.regs.yaml by go generate ./rtl.
package qpc_regs_pkg;

  localparam logic [11:0] AtId = 12'h000;
  localparam logic [31:0] BitsId = 32'hFFFFFFFF;
  localparam logic [31:0] ResetId = 32'h51504331;
  localparam logic [11:0] AtStatus = 12'h004;
  localparam logic [31:0] BitsStatus = 32'h0000010F;
  localparam logic [11:0] AtCommand = 12'h008;
  localparam logic [31:0] BitsCommand = 32'h0000001F;
  localparam logic [11:0] AtSelect = 12'h00C;
  localparam logic [31:0] BitsSelect = 32'h00FFFFFF;
  localparam logic [11:0] AtFlow = 12'h010;
  localparam logic [31:0] BitsFlow = 32'h0003FFFF;
  localparam logic [11:0] AtArg = 12'h020;
  localparam logic [31:0] BitsArg = 32'hFFFFFFFF;
  localparam logic [11:0] AtCfgPeer = 12'h100;
  localparam logic [31:0] BitsCfgPeer = 32'h7FFFFFFF;
  localparam logic [11:0] AtCfgPsn = 12'h104;
  localparam logic [31:0] BitsCfgPsn = 32'hFFFFFFFF;
  localparam logic [11:0] AtCfgMsn = 12'h108;
  localparam logic [31:0] BitsCfgMsn = 32'hFFFFFFFF;
  localparam logic [11:0] AtCfgOptions = 12'h10C;
  localparam logic [31:0] BitsCfgOptions = 32'h00FF07FF;
  localparam logic [11:0] AtCfgAddress = 12'h110;
  localparam logic [31:0] BitsCfgAddress = 32'hFFFFFFFF;
  localparam logic [11:0] AtCfgMacLow = 12'h120;
  localparam logic [31:0] BitsCfgMacLow = 32'hFFFFFFFF;
  localparam logic [11:0] AtCfgMacHigh = 12'h124;
  localparam logic [31:0] BitsCfgMacHigh = 32'h0000FFFF;
  localparam logic [11:0] AtCfgQueue = 12'h128;
  localparam logic [31:0] BitsCfgQueue = 32'h01FFFFFF;
  localparam logic [11:0] AtCfgDomain = 12'h12C;
  localparam logic [31:0] BitsCfgDomain = 32'h00FFFFFF;
  localparam logic [11:0] AtCfgSend = 12'h130;
  localparam logic [31:0] BitsCfgSend = 32'hFFFFFFFF;
  localparam logic [11:0] AtCfgWindow = 12'h134;
  localparam logic [31:0] BitsCfgWindow = 32'hFFFFFFFF;
  localparam logic [11:0] AtCfgSender = 12'h138;
  localparam logic [31:0] BitsCfgSender = 32'hFFFF0FFF;
  localparam logic [11:0] AtQpState = 12'h13C;
  localparam logic [31:0] BitsQpState = 32'hFFFFFF07;
  localparam logic [11:0] AtCounterLow = 12'h800;
  localparam logic [31:0] BitsCounterLow = 32'hFFFFFFFF;
  localparam logic [11:0] AtCounterHigh = 12'h804;
  localparam logic [31:0] BitsCounterHigh = 32'h0000FFFF;

endpackage
