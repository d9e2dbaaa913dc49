// SPDX-License-Identifier: Apache-2.0
// Encodings and times of the retransmit timer block: docs/blocks/retx_timer.md.
package timer_pkg;

  localparam int unsigned QpnPins = 24;  // width of a QPN on the pins

  localparam logic [2:0] OpConfigure = 3'd0;
  localparam logic [2:0] OpStart = 3'd1;
  localparam logic [2:0] OpProgress = 3'd2;
  localparam logic [2:0] OpStop = 3'd3;
  localparam logic [2:0] OpWait = 3'd4;
  localparam logic [2:0] OpNak = 3'd5;
  localparam logic [2:0] OpTimeout = 3'd6;
  localparam logic [2:0] OpResume = 3'd7;

  // Which timer of a QP is armed: one at most (TMR-2, TMR-5).
  localparam logic [1:0] StateIdle = 2'd0;
  localparam logic [1:0] StateTransport = 2'd1;
  localparam logic [1:0] StateRnr = 2'd2;

  localparam logic [2:0] Forever = 3'd7;

  // TMR-1: 4.096 us x 2^code in ticks of 1.024 us. Code 0 is off: the caller looks at it.
  function automatic logic [33:0] transport_ticks(input logic [4:0] code);
    transport_ticks = 34'd4 << code;
  endfunction

  // The RNR timer in ticks, rounded up (TMR-6).
  function automatic logic [19:0] rnr_ticks(input logic [4:0] code);
    case (code)
      5'd0: rnr_ticks = 20'd640000;   // 655.36 ms
      5'd1: rnr_ticks = 20'd10;       // 0.01 ms
      5'd2: rnr_ticks = 20'd20;       // 0.02 ms
      5'd3: rnr_ticks = 20'd30;       // 0.03 ms
      5'd4: rnr_ticks = 20'd40;       // 0.04 ms
      5'd5: rnr_ticks = 20'd59;       // 0.06 ms
      5'd6: rnr_ticks = 20'd79;       // 0.08 ms
      5'd7: rnr_ticks = 20'd118;      // 0.12 ms
      5'd8: rnr_ticks = 20'd157;      // 0.16 ms
      5'd9: rnr_ticks = 20'd235;      // 0.24 ms
      5'd10: rnr_ticks = 20'd313;     // 0.32 ms
      5'd11: rnr_ticks = 20'd469;     // 0.48 ms
      5'd12: rnr_ticks = 20'd625;     // 0.64 ms
      5'd13: rnr_ticks = 20'd938;     // 0.96 ms
      5'd14: rnr_ticks = 20'd1250;    // 1.28 ms
      5'd15: rnr_ticks = 20'd1875;    // 1.92 ms
      5'd16: rnr_ticks = 20'd2500;    // 2.56 ms
      5'd17: rnr_ticks = 20'd3750;    // 3.84 ms
      5'd18: rnr_ticks = 20'd5000;    // 5.12 ms
      5'd19: rnr_ticks = 20'd7500;    // 7.68 ms
      5'd20: rnr_ticks = 20'd10000;   // 10.24 ms
      5'd21: rnr_ticks = 20'd15000;   // 15.36 ms
      5'd22: rnr_ticks = 20'd20000;   // 20.48 ms
      5'd23: rnr_ticks = 20'd30000;   // 30.72 ms
      5'd24: rnr_ticks = 20'd40000;   // 40.96 ms
      5'd25: rnr_ticks = 20'd60000;   // 61.44 ms
      5'd26: rnr_ticks = 20'd80000;   // 81.92 ms
      5'd27: rnr_ticks = 20'd120000;  // 122.88 ms
      5'd28: rnr_ticks = 20'd160000;  // 163.84 ms
      5'd29: rnr_ticks = 20'd240000;  // 245.76 ms
      5'd30: rnr_ticks = 20'd320000;  // 327.68 ms
      default: rnr_ticks = 20'd480000;  // 491.52 ms
    endcase
  endfunction

  // Whether an operation ends a timer whose expiry was not given: what the operation would make of its QP, seen from
  // the timer. An answer to an expiry never does.
  function automatic logic ends(input logic [2:0] op, input logic rnr);
    case (op)
      OpConfigure, OpProgress, OpStop: ends = 1'b1;
      OpWait, OpNak: ends = ~rnr;
      default: ends = 1'b0;
    endcase
  endfunction

endpackage
