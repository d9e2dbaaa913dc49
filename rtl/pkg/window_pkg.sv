// SPDX-License-Identifier: Apache-2.0
// What falcon_window is made of: docs/blocks/falcon_window.md. The first field of a record is the last here.
package window_pkg;

  localparam int unsigned PsnWidth = 32;
  localparam int unsigned RequestBits = 64;  // the largest request window
  localparam int unsigned DataBits = 128;    // the largest data window
  localparam int unsigned CountWidth = 8;    // 0 to 128

  typedef enum logic [2:0] {
    OpPacket      = 3'd0,
    OpAcknowledge = 3'd1,
    OpTake        = 3'd2,
    OpSend        = 3'd3,
    OpBack        = 3'd4,
    OpEack        = 3'd5,
    OpSet         = 3'd6,
    OpReset       = 3'd7
  } op_e;

  typedef enum logic [3:0] {
    WhyGood      = 4'd0,
    WhyAgain     = 4'd1,
    WhyOld       = 4'd2,
    WhyDuplicate = 4'd3,
    WhyBeyond    = 4'd4,
    WhyNoConn    = 4'd5,
    WhyNotWaited = 4'd6,
    WhyFull      = 4'd7,
    WhyStale     = 4'd8,
    WhyGhost     = 4'd9,
    WhyIllegal   = 4'd10,
    WhyIsOpen    = 4'd11,
    WhyRefused   = 4'd12
  } why_e;

  // Profile: readings of FAL-D rules, by the names of the model's fields.
  typedef struct packed {
    logic window_inclusive;
    logic ack_into_rx;
    logic base_over_received;
    logic eack_on_any_rx;
    logic duplicate_by_rx;
    logic distance_inclusive;
  } profile_t;

  // s_rec
  typedef struct packed {
    profile_t                profile;
    logic [7:0]              threshold;
    logic [CountWidth-1:0]   data_size;
    logic [CountWidth-2:0]   request_size;
    logic [DataBits-1:0]     data_rx_bits;
    logic [DataBits-1:0]     data_ack_bits;
    logic [RequestBits-1:0]  request_bits;
    logic [PsnWidth-1:0]     psn_b;
    logic [PsnWidth-1:0]     psn_a;
    logic                    data_own;
    logic                    request_own;
    logic                    refuse;
    logic                    resync;
    logic                    deferred;
    logic                    select;
    op_e                     op;
    logic [23:0]             conn;
  } record_t;

  // m_rec
  typedef struct packed {
    logic [RequestBits-1:0]  more_request_bits;
    logic [DataBits-1:0]     more_data_bits;
    logic [DataBits-1:0]     data_bits;
    logic [RequestBits-1:0]  request_bits;
    logic                    data_own;
    logic                    request_own;
    logic                    idle;
    logic [CountWidth-1:0]   data_moved;
    logic [CountWidth-2:0]   request_moved;
    logic [PsnWidth-1:0]     data_base;
    logic [PsnWidth-1:0]     request_base;
    logic [PsnWidth-1:0]     psn;
    logic                    eack;
    why_e                    why;
    op_e                     op;
    logic [23:0]             conn;
  } result_t;

  // A receiver. Bit n of a bitmap is the PSN base + n. A request that is received is acknowledged: one bitmap does.
  typedef struct packed {
    logic                    open;
    logic                    window_inclusive;
    logic                    base_over_received;
    logic                    eack_on_any_rx;
    logic                    duplicate_by_rx;
    logic [CountWidth-1:0]   data_size;
    logic [CountWidth-2:0]   request_size;
    logic [PsnWidth-1:0]     data_base;
    logic [PsnWidth-1:0]     request_base;
    logic [DataBits-1:0]     data_ack;
    logic [DataBits-1:0]     data_rx;
    logic [RequestBits-1:0]  request_rx;
    logic                    data_own;
    logic                    request_own;
  } receiver_t;

  // A transmitter.
  typedef struct packed {
    logic                    open;
    logic                    ack_into_rx;
    logic                    distance_inclusive;
    logic [7:0]              threshold;
    logic [CountWidth-1:0]   data_size;
    logic [CountWidth-2:0]   request_size;
    logic [PsnWidth-1:0]     data_base;
    logic [PsnWidth-1:0]     request_base;
    logic [PsnWidth-1:0]     data_next;
    logic [PsnWidth-1:0]     request_next;
    logic [DataBits-1:0]     data_ack;
    logic [RequestBits-1:0]  request_ack;
  } transmitter_t;

  // The bits below n.
  function automatic logic [DataBits-1:0] below(logic [CountWidth-1:0] n);
    below = ~({DataBits{1'b1}} << n);
  endfunction

endpackage
