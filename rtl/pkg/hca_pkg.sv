// SPDX-License-Identifier: Apache-2.0
// Encodings that the blocks of the adapter share: the verdict on m_axis_tuser (docs/blocks/icrc_check.md).
package hca_pkg;

  // A CRC's verdict.
  typedef enum logic [1:0] {
    CrcNone = 2'd0,
    CrcGood = 2'd1,
    CrcBad  = 2'd2
  } crc_e;

  typedef enum logic [2:0] {
    EncapNone       = 3'd0,
    EncapRocev1     = 3'd1,
    EncapRocev2Ipv4 = 3'd2,
    EncapRocev2Ipv6 = 3'd3,
    EncapIbLocal    = 3'd4,
    EncapIbGlobal   = 3'd5,
    EncapIbRaw      = 3'd6
  } encap_e;

  // Why a packet is malformed. From ReasonTver on: what is wrong with BTH, extension headers and payload (roce_parse).
  typedef enum logic [3:0] {
    ReasonNone      = 4'd0,
    ReasonRunt      = 4'd1,
    ReasonHeader    = 4'd2,
    ReasonFragment  = 4'd3,
    ReasonShort     = 4'd4,
    ReasonLength    = 4'd5,
    ReasonTruncated = 4'd6,
    ReasonTrailer   = 4'd7,
    ReasonTver      = 4'd9,
    ReasonOpcode    = 4'd10,
    ReasonHeaderCut = 4'd11,
    ReasonPad       = 4'd12,
    ReasonOverlong  = 4'd13,
    ReasonUnaligned = 4'd14
  } reason_e;

  // m_axis_tuser of a packet's last beat.
  typedef struct packed {
    reason_e    reason;  // tuser[11:8]
    logic       zero7;
    encap_e     encap;   // tuser[6:4]
    logic [1:0] zero2;
    crc_e       crc;     // tuser[1:0]
  } verdict_t;

  // What icrc_gate makes of a frame.
  typedef enum logic [2:0] {
    GatePassed    = 3'd0,
    GateTooLong   = 3'd1,
    GateNotRoce   = 3'd2,
    GateMalformed = 3'd3,
    GateBadIcrc   = 3'd4,
    GateVerdict   = 3'd5
  } gate_e;

  // What icrc_locate says of a packet, final on its last beat.
  typedef struct packed {
    logic    covered;   // the packet has an ICRC
    logic    is_short;  // the length field is below the least
    logic    trunc;     // the packet ends behind the frame
    encap_e  encap;
    reason_e reason;
  } found_t;

  // Steps of icrc_locate before UDP: whether they say all that there is to say of the packet, and what.
  typedef struct packed {
    logic    done;
    encap_e  encap;
    reason_e reason;
  } stop_t;

  // Width of m_axis_tuser, and END-1: how many bytes may follow the packet's end.
  localparam int unsigned VerdictWidth = 12;
  localparam int unsigned MaxTrailerBytes = 46;

endpackage
