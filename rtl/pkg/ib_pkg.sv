// SPDX-License-Identifier: Apache-2.0
// Numbers of the wire formats: InfiniBand, and the Ethernet and IP that carry RoCE.
package ib_pkg;

  // Ethernet types.
  localparam logic [15:0] EthTypeIpv4 = 16'h0800;
  localparam logic [15:0] EthTypeIpv6 = 16'h86DD;
  localparam logic [15:0] EthTypeRocev1 = 16'h8915;
  localparam logic [15:0] EthTypeCtag = 16'h8100;
  localparam logic [15:0] EthTypeStag = 16'h88A8;

  // Next protocols.
  localparam logic [7:0] ProtoUdp = 8'd17;
  localparam logic [7:0] ProtoIbTransport = 8'h1B;
  localparam logic [15:0] UdpPortRocev2 = 16'd4791;

  // LRH.LNH: what follows the LRH.
  localparam logic [1:0] LnhLocal = 2'd2;
  localparam logic [1:0] LnhGlobal = 2'd3;

  // CRC polynomials, reflected: the coefficient of x^(width-1) is bit 0.
  localparam logic [31:0] IcrcPoly = 32'hEDB8_8320;
  localparam logic [15:0] VcrcPoly = 16'hD008;

  // The ICRC register after the 8 x FF that stand for the LRH (ICRC-2 to ICRC-5), and before a real LRH (ICRC-1).
  localparam logic [31:0] IcrcAfterOnes = 32'hDEBB_20E3;
  localparam logic [31:0] IcrcInit = 32'hFFFF_FFFF;

endpackage
