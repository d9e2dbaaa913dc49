// SPDX-License-Identifier: Apache-2.0
// Types and codes of retry_ctl: docs/blocks/retry_ctl.md. Actions, reasons and regions are req_pkg's, operations of the
// timer timer_pkg's.
package retry_pkg;

  typedef enum logic [2:0] {
    OpResponse  = 3'd0,
    OpSent      = 3'd1,
    OpConfigure = 3'd2,
    OpClose     = 3'd3,
    OpExpiry    = 3'd4,
    OpLook      = 3'd5,
    OpLook6     = 3'd6,
    OpLook7     = 3'd7
  } op_e;

  typedef enum logic [2:0] {
    OrderNone   = 3'd0,
    OrderGoBack = 3'd1,
    OrderWait   = 3'd2,
    OrderGoOn   = 3'd3,
    OrderFail   = 3'd4
  } order_e;

  typedef enum logic [2:0] {
    WhyNone     = 3'd0,
    WhyNoQp     = 3'd1,
    WhyStale    = 3'd2,
    WhyWaiting  = 3'd3,
    WhyRetrying = 3'd4,
    WhyOpen     = 3'd5
  } why_e;

  typedef enum logic [1:0] {
    FirstNone     = 2'd0,
    FirstProgress = 2'd1,
    FirstStop     = 2'd2
  } first_e;

  typedef enum logic [1:0] {
    AskNone  = 2'd0,
    AskGoOn  = 2'd1,
    AskClose = 2'd2
  } ask_e;

  // How a WQE ends.
  typedef enum logic [3:0] {
    StatusSuccess         = 4'd0,
    StatusInvalidRequest  = 4'd1,
    StatusRemoteAccess    = 4'd2,
    StatusRemoteOperation = 4'd3,
    StatusRetryExceeded   = 4'd4,
    StatusRnrExceeded     = 4'd5,
    StatusBadResponse     = 4'd8,
    StatusLocalLength     = 4'd9
  } status_e;

  localparam logic [7:0] NakInvalidRequest = 8'h61;
  localparam logic [7:0] NakRemoteAccess = 8'h62;

  // s_rec. The first bit of a record is the last one here.
  typedef struct packed {
    logic        any_answer;
    logic [2:0]  rnr_retry;
    logic [2:0]  retry_cnt;
    logic [4:0]  code;
    logic        rnr;
    logic [7:0]  gen;
    logic        idle;
    logic        progress;
    logic [7:0]  syndrome;
    logic [1:0]  region;
    logic [4:0]  why;
    logic [2:0]  action;
    logic [23:0] una;
    logic [2:0]  op;
    logic [23:0] qpn;
  } rec_t;

  // A QP. Closed ones have their generation.
  typedef struct packed {
    logic [23:0] una;
    logic        open;
    logic        retrying;
    logic        any_answer;
    logic [4:0]  code;
    logic [2:0]  rnr_retry;
    logic [2:0]  retry_cnt;
    logic [2:0]  rnr_retries;
    logic [2:0]  retries;
    logic [1:0]  state;  // timer_pkg: which timer is armed
    logic [7:0]  gen;
  } state_t;

  // m_rec.
  typedef struct packed {
    logic [2:0]  rnr_retries;
    logic [2:0]  retries;
    logic        retrying;
    logic        waiting;
    logic [1:0]  ask;
    logic [2:0]  rnr_retry;
    logic [2:0]  retry_cnt;
    logic [7:0]  gen;
    logic [4:0]  wait_code;
    logic [4:0]  code;
    logic [2:0]  timer_op;
    logic        timer;
    logic [1:0]  first;
    logic        progress;
    logic [2:0]  why;
    logic [3:0]  status;
    logic [2:0]  cause;
    logic [2:0]  order;
    logic [23:0] una;
    logic [2:0]  op;
    logic [23:0] qpn;
  } out_t;

endpackage
