// SPDX-License-Identifier: Apache-2.0
// Types and codes of tx_frame: docs/blocks/tx_frame.md.
package frame_pkg;

  localparam int unsigned Transport = 40;     // bytes of BTH and an AtomicETH
  localparam int unsigned MaxHead = 110;      // bytes of headers: those over RoCEv2, IPv6, two tags
  localparam int unsigned SizeWidth = 14;     // of a frame's bytes
  localparam int unsigned Records = 32;       // inside at most
  localparam int unsigned NumberWidth = 6;    // of a record with payload: twice as many as there are inside

  // Bits of the structs below, as ports have them.
  localparam int unsigned RecordWidth = 976;
  localparam int unsigned InsideWidth = 536;
  localparam int unsigned ReadyWidth = 879;
  localparam int unsigned SizesWidth = 46;

  typedef enum logic [2:0] {
    OpPacket = 3'd0,
    OpSet    = 3'd1,
    OpOwn    = 3'd2
  } op_e;

  typedef enum logic [2:0] {
    WhyGood   = 3'd0,
    WhyNoWay  = 3'd1,
    WhyEncap  = 3'd2,
    WhyNoSuch = 3'd3,
    WhyList   = 3'd4,
    WhyMemory = 3'd5,
    WhyFailed = 3'd6
  } why_e;

  // The way of a QP. Its first bit is the last one here.
  typedef struct packed {
    logic [7:0]   hop_limit;
    logic [47:0]  mac;
    logic [23:0]  peer_qpn;
    logic [15:0]  pkey;
    logic [127:0] dst;
    logic [127:0] src;
    logic [15:0]  udp_src_port;
    logic [7:0]   tclass;
    logic [15:0]  dlid;
    logic [15:0]  slid;
    logic [3:0]   sl;
    logic [31:0]  vlan1;
    logic [31:0]  vlan0;
    logic [1:0]   tags;
    logic [2:0]   encap;  // hca_pkg::encap_e
  } way_t;

  // A record as it comes. Its first bit is the last one here.
  typedef struct packed {
    way_t way;
    logic [4:0]  entries;
    logic [31:0] offset;
    logic [63:0] address;
    logic [12:0] bytes;
    logic [31:0] qkey;
    logic [63:0] compare;
    logic [63:0] swap_add;
    logic [31:0] imm;
    logic [31:0] dma_length;
    logic [31:0] rkey;
    logic [63:0] va;
    logic        solicited;
    logic        ack_req;
    logic [23:0] psn;
    logic [7:0]  opcode;
    logic [23:0] qpn;
    logic [2:0]  op;
  } record_t;

  // What a packet's headers say.
  typedef struct packed {
    logic [12:0] bytes;  // of payload; of one without 0
    logic [31:0] qkey;
    logic [63:0] compare;
    logic [63:0] swap_add;
    logic [31:0] imm;
    logic [31:0] dma_length;
    logic [31:0] rkey;
    logic [63:0] va;     // of what the packet is about
    logic        solicited;
    logic        ack_req;
    logic [7:0]  opcode;
  } packet_t;

  // All records have it.
  typedef struct packed {
    logic        gathers;  // host memory is read
    why_e        why;
    logic [23:0] psn;
    logic [23:0] qpn;
    logic [2:0]  op;       // op_e, and five codes that are none
  } head_t;

  // A record on its way to its QP's word; an operation has a way, a packet what its headers say.
  typedef struct packed {
    logic [480:0] body;  // way_t, or packet_t in the lower bits
    head_t        head;
  } inside_t;

  // A record with its way.
  typedef struct packed {
    way_t    way;
    packet_t packet;
    head_t   head;
  } ready_t;

  // The word of a QP. All zero is none.
  typedef struct packed {
    logic        there;
    logic [23:0] number;
    way_t        way;
  } context_t;

  // What becomes of a record.
  typedef struct packed {
    logic                 is_frame;
    logic                 takes_payload;
    logic [1:0]           pad;
    logic [SizeWidth-1:0] head;       // bytes of headers; of a payload without a frame 0
    logic [SizeWidth-1:0] transport;  // bytes from BTH to ICRC
    logic [SizeWidth-1:0] total;      // of the frame; of a payload without one its own
  } sizes_t;

endpackage
