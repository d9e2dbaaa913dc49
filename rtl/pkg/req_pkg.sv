// SPDX-License-Identifier: Apache-2.0
// Records, encodings and state of the requester's check of responses: docs/blocks/req_ack_check.md. The first bit of a
// record is the last one here.
package req_pkg;

  typedef enum logic [2:0] {
    OpResponse  = 3'd0,
    OpSent      = 3'd1,
    OpConfigure = 3'd2,
    OpClose     = 3'd3,
    OpRetry     = 3'd4,
    OpGoOn      = 3'd5,
    OpLook      = 3'd6,
    OpLook7     = 3'd7
  } op_e;

  // What a message that was sent asks for.
  typedef enum logic [1:0] {
    KindFree   = 2'd0,  // no credit
    KindCredit = 2'd1,
    KindRead   = 2'd2,
    KindAtomic = 2'd3
  } kind_e;

  typedef enum logic [2:0] {
    ActionNone     = 3'd0,
    ActionSequence = 3'd1,
    ActionRnr      = 3'd2,
    ActionImplied  = 3'd3,
    ActionFatal    = 3'd4,
    ActionTimer    = 3'd5,
    ActionGoOn     = 3'd6,
    ActionBad      = 3'd7
  } action_e;

  // PSN-3.
  typedef enum logic [1:0] {
    RegionNone    = 2'd0,
    RegionUnacked = 2'd1,
    RegionAcked   = 2'd2,
    RegionGhost   = 2'd3
  } region_e;

  typedef enum logic [4:0] {
    WhyNone        = 5'd0,
    WhyNoQp        = 5'd1,
    WhyOpcode      = 5'd2,
    WhyGhost       = 5'd3,
    WhyAcked       = 5'd4,
    WhyUnsolicited = 5'd5,
    WhyInsideRead  = 5'd6,
    WhySyndrome    = 5'd7,
    WhyRequest     = 5'd8,   // data for a request that has none, or another
    WhyPlace       = 5'd9,
    WhyLength      = 5'd10,
    WhyGap         = 5'd11,
    WhyWaiting     = 5'd12,
    WhyRetrying    = 5'd13,
    WhyReservedNak = 5'd14,
    WhyHole        = 5'd15,
    WhyWindow      = 5'd16,
    WhyReads       = 5'd17,
    WhyResend      = 5'd18,
    WhyNoCredit    = 5'd19,
    WhyProbe       = 5'd20,
    WhyOpen        = 5'd21,
    WhyBadValue    = 5'd22,
    WhyNotNow      = 5'd23,
    WhyLost        = 5'd24   // with Ecc only
  } why_e;

  typedef struct packed {
    logic any_answer_ends_rnr;
    logic limited;
    logic gap_waits;
    logic credits_last_only;
    logic credits_ignored;
    logic reserved_nak_ignored;
  } profile_t;

  // s_rec.
  typedef struct packed {
    profile_t    profile;
    logic [4:0]  max_reads;
    logic [2:0]  pmtu;
    kind_e       kind;
    logic [1:0]  pad;
    op_e         op;
    logic [7:0]  syndrome;
    logic [7:0]  opcode;
    logic [12:0] payload;
    logic [23:0] number;
    logic [23:0] count;
    logic [23:0] psn;
    logic [23:0] qpn;
  } rec_t;

  // m_rec.
  typedef struct packed {
    logic        retrying;
    logic        waiting;
    logic        unlimited;
    logic        credits;
    logic        ended;
    logic        data;
    logic        idle;
    logic        progress;
    logic [4:0]  reads;
    region_e     region;
    action_e     action;
    why_e        why;
    op_e         op;
    logic [7:0]  syndrome;
    logic [23:0] lsn;
    logic [23:0] high;
    logic [23:0] una;
    logic [23:0] una_before;
    logic [23:0] qpn;
  } out_t;

  // Opcodes of responses (OPC-1).
  localparam logic [7:0] OpcodeReadFirst = 8'h0D;
  localparam logic [7:0] OpcodeReadMiddle = 8'h0E;
  localparam logic [7:0] OpcodeReadLast = 8'h0F;
  localparam logic [7:0] OpcodeReadOnly = 8'h10;
  localparam logic [7:0] OpcodeAck = 8'h11;
  localparam logic [7:0] OpcodeAtomicAck = 8'h12;

  // Bits 7 to 5 of a syndrome, NAK codes, and the credit code that says that credits are not used.
  localparam logic [2:0] SyndromeAck = 3'b000;
  localparam logic [2:0] SyndromeRnr = 3'b001;
  localparam logic [2:0] SyndromeNak = 3'b011;
  localparam logic [4:0] NakSequence = 5'd0;
  localparam logic [4:0] NakLast = 5'd4;  // the others are reserved
  localparam logic [4:0] CreditsNone = 5'd31;

  // Which line of the table of responses it is: one of them, none of a record that is no response.
  typedef struct packed {
    logic ack;
    logic rnr;
    logic sequence_nak;
    logic fatal;
    logic reserved_nak;
    logic bad_syndrome;
    logic data;
  } line_t;

  // What can be said of a record without its QP.
  typedef struct packed {
    logic        known;       // there is such a QP
    logic        count_ok;
    line_t       line;
    logic        response;    // its opcode is one
    logic        first;       // of what brings data
    logic        last;
    logic        middle;
    logic        atomic;
    logic        no_credits;  // code 31
    logic        pad_ok;
    logic [4:0]  full;        // payload is 256, 512, ...
    logic [23:0] next;        // of a response PSN + 1, of what was sent its end
    logic [23:0] furthest;    // the PSN that una is compared with: the response's, or the last one sent
    logic [23:0] number;      // SSN, or MSN + credits
  } facts_t;

  // A READ or atomic that is outstanding.
  typedef struct packed {
    logic [12:0] tail;  // bytes in the last response
    logic        atomic;
    logic [23:0] last;
    logic [23:0] due;
  } read_t;

  // State of a QP, without the list of its READs and atomics.
  typedef struct packed {
    logic [4:0]  reads;
    logic [4:0]  max_reads;
    logic [2:0]  pmtu;
    profile_t    profile;
    logic        begun;      // the head has had a response
    logic        waiting;
    logic        retrying;
    logic        probed;
    logic        unlimited;
    logic        counted;    // a credit code but 31 has come
    logic [23:0] lsn;
    logic [23:0] high;
    logic [23:0] una;
    logic        open;
  } state_t;

  // Credits of a code (CRD-1): twice a power of two or three times one, from code 4 up.
  function automatic logic [15:0] credits_of(input logic [4:0] code);
    logic [3:0] power;
    power = code[4:1] - 4'd1;
    if (code < 5'd4) credits_of = {14'd0, code[1:0]};
    else if (code[0]) credits_of = 16'd3 << power;
    else credits_of = 16'd2 << power;
  endfunction

endpackage
