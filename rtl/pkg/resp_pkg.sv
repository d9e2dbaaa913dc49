// SPDX-License-Identifier: Apache-2.0
// What the responder's check is made of: docs/blocks/resp_psn_check.md. The first field of a record is the last here.
package resp_pkg;

  localparam int unsigned Pmtus = 5;  // 256 << i bytes, i = 0 to 4

  typedef enum logic [2:0] {
    OpPacket = 3'd0,
    OpSet    = 3'd1,
    OpReady  = 3'd2,
    OpError  = 3'd3,
    OpReset  = 3'd4,
    OpFreed  = 3'd5,
    OpInject = 3'd6,  // with Ecc only
    OpCounts = 3'd7
  } op_e;

  typedef enum logic [1:0] {
    StateReset = 2'd0,
    StateInit  = 2'd1,
    StateReady = 2'd2,
    StateError = 2'd3
  } state_e;

  typedef enum logic [1:0] {
    ServiceRc   = 2'd0,
    ServiceUc   = 2'd1,
    ServiceUd   = 2'd2,
    ServiceNone = 2'd3
  } service_e;

  // The message whose Last has not come. One that was lost is not open.
  typedef enum logic [1:0] {
    OpenNone  = 2'd0,
    OpenSend  = 2'd1,
    OpenWrite = 2'd2
  } open_e;

  typedef enum logic [2:0] {
    VerdictExecute   = 3'd0,
    VerdictDuplicate = 3'd1,
    VerdictRefused   = 3'd2,
    VerdictDropped   = 3'd3,
    VerdictDone      = 3'd4,
    VerdictIgnored   = 3'd5
  } verdict_e;

  typedef enum logic [2:0] {
    AnswerNone   = 3'd0,
    AnswerAck    = 3'd1,
    AnswerNak    = 3'd2,
    AnswerRead   = 3'd3,
    AnswerAtomic = 3'd4,
    AnswerEmpty  = 3'd5
  } answer_e;

  typedef enum logic [4:0] {
    WhyGood        = 5'd0,
    WhyNoQp        = 5'd1,
    WhyNotReady    = 5'd2,
    WhyOpcode      = 5'd3,
    WhyGap         = 5'd4,
    WhyRnrPending  = 5'd5,
    WhySequence    = 5'd6,
    WhyUnsupported = 5'd7,
    WhyRoom        = 5'd8,
    WhyNoWqe       = 5'd9,
    WhyAccess      = 5'd10,
    WhyAlignment   = 5'd11,
    WhyLength      = 5'd12,
    WhySum         = 5'd13,
    WhyTooLong     = 5'd14,
    WhyOwnError    = 5'd15,
    WhyQkey        = 5'd16,
    WhyBroken      = 5'd17,
    WhyDupMessage  = 5'd18,
    WhyDupRead     = 5'd19,
    WhyDupAtomic   = 5'd20,
    WhyNoSuch      = 5'd22,
    WhyContext     = 5'd23
  } why_e;

  // Syndromes of an AETH. Of a positive answer and of an RNR NAK only the upper three bits.
  typedef enum logic [7:0] {
    NakSequence    = 8'h60,
    NakInvalid     = 8'h61,
    NakAccess      = 8'h62,
    NakOperational = 8'h63
  } nak_e;
  localparam logic [2:0] SyndromeAck = 3'b000;
  localparam logic [2:0] SyndromeRnr = 3'b001;

  typedef struct packed {
    logic flush_unchecked;
    logic stray_payload_taken;
    logic room_unchecked;
    logic too_long_is_remote_op;
    logic length_before_rkey;
    logic dup_ack_by_ack_req;
    logic nak_while_rnr;
    logic dup_keeps_nak;
  } profile_t;

  // A record of s_rec.
  typedef struct packed {
    logic          lost;  // with Ecc only
    logic [1:0]    flush_enabled;
    logic [1:0]    flush_sel;
    logic [3:0]    flush_plt;
    logic          access_ok;
    logic          wqe_present;
    logic          qkey_ok;
    logic          own_error;
    logic          solicited;
    profile_t      profile;
    logic          ack_req;
    logic [1:0]    pad;
    logic [4:0]    credits;
    logic [2:0]    va_low;
    logic [4:0]    rnr_timer;
    logic [2:0]    enabled;
    logic [4:0]    max_reads;
    logic [2:0]    pmtu;
    service_e      service;
    op_e           op;
    logic [31:0]   wqe_bytes;
    logic [31:0]   dma_length;
    logic [15:0]   payload;
    logic [7:0]    opcode;
    logic [23:0]   psn;
    logic [23:0]   qpn;
  } request_t;

  // A record of m_rec.
  typedef struct packed {
    logic [4:0]  behind;
    logic        to_error;
    logic        solicited;
    logic        complete;
    logic        last;
    logic        first;
    answer_e     answer;
    verdict_e    verdict;
    why_e        why;
    op_e         op;
    logic [7:0]  syndrome;
    logic [23:0] msn;
    logic [23:0] psn;
    logic [23:0] epsn_after;
    logic [23:0] epsn_before;
    logic [23:0] qpn;
  } result_t;

  // The word of a QP. All zero is a QP in reset.
  typedef struct packed {
    state_e      state;
    service_e    service;
    logic [2:0]  pmtu;
    logic [4:0]  max_reads;
    logic [2:0]  enabled;
    logic [1:0]  flush_enabled;
    logic [4:0]  rnr_timer;
    profile_t    profile;
    logic [23:0] epsn;
    logic [23:0] msn;
    logic [4:0]  in_flight;  // READs and atomics that are not answered
    logic        nak_sent;   // a sequence NAK, for the gap at ePSN
    logic        rnr_sent;   // an RNR NAK, for ePSN
    open_e       open;
    logic [31:0] left;       // bytes that the open message may still have: of dma_length, or of the receive WQE
  } context_t;

  // What an opcode says.
  typedef struct packed {
    logic send;
    logic write;
    logic read;
    logic atomic;    // CMP & SWAP, FETCH & ADD
    logic awrite;    // ATOMIC WRITE
    logic flush;
    logic replayed;  // READ, or what is kept like one
    logic first;     // First or Only
    logic last;      // Last or Only
    logic imm;
    logic inv;
    logic rc;        // a request of RC (OPC-1), of UC, of UD
    logic uc;
    logic ud;
  } decoded_t;

  // What can be said about a record without its QP; under each path MTU where it depends on that, lowest first.
  typedef struct packed {
    logic                in_range;       // the number of the QP is one
    logic                bad_set;        // no such service or path MTU
    logic                no_wqe;         // RC and UC: a receive WQE is needed and missing
    logic                no_access;
    logic                misaligned;     // RSP-12
    logic                padded;         // a First or Middle with pad
    logic                stray_pad;      // pad where there is no payload, or one of eight bytes
    logic                stray_payload;
    logic                no_such_flush;  // RSP-16: PLT or SEL
    logic                dma_long;       // above 2^31
    logic                first_fits;     // the first packet of a message fits what it announces, or its WQE
    logic                ud_fits;
    logic [Pmtus-1:0]    length_ok;      // LEN-1
    logic [Pmtus*24-1:0] next_epsn;      // PSN-4: that the request leaves
    logic [31:0]         first_left;     // bytes left behind the first packet
  } facts_t;

endpackage
