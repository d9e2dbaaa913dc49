// SPDX-License-Identifier: Apache-2.0
// Types and codes of roce_parse: docs/blocks/roce_parse.md.
package rx_pkg;

  // The header record of a packet. The first bit of the record is the last one here.
  typedef struct packed {
    logic [31:0]  immediate;
    logic [31:0]  inv_rkey;
    logic [63:0]  original;
    logic [23:0]  msn;
    logic [7:0]   syndrome;
    logic [63:0]  compare;
    logic [63:0]  swap_add;
    logic [31:0]  dma_len;
    logic [31:0]  rkey;
    logic [63:0]  va;
    logic [23:0]  xrcsrq;
    logic [23:0]  src_qp;
    logic [31:0]  qkey;
    logic [23:0]  ee_context;
    logic [127:0] dst;
    logic [127:0] src;
    logic [31:0]  vlan1;
    logic [31:0]  vlan0;
    logic [15:0]  dlid;
    logic [15:0]  slid;
    logic [7:0]   tclass;
    logic [15:0]  udp_src_port;
    logic [15:0]  payload_bytes;
    logic [23:0]  psn;
    logic [23:0]  dest_qp;
    logic [15:0]  pkey;
    logic [3:0]   sl;
    logic [3:0]   flush_plt;
    logic [1:0]   flush_sel;
    logic [3:0]   tver;
    logic [1:0]   pad;
    logic [7:0]   opcode;
    logic         ack_req;
    logic         becn;
    logic         fecn;
    logic         mig_req;
    logic         se;
    logic [1:0]   tags;
    logic         is_short;
    logic         cut;
    logic [2:0]   encap;   // hca_pkg::encap_e: Yosys 0.23 takes no type of another package here
    logic [3:0]   reason;  // hca_pkg::reason_e
  } header_t;

  // What an opcode brings: roce_opcode.
  typedef struct packed {
    logic known;
    logic rdeth;
    logic deth;
    logic xrceth;
    logic feth;
    logic reth;
    logic atomic;
    logic aeth;
    logic atomic_ack;
    logic ieth;
    logic immdt;
    logic payload;  // it may have one; what another carries belongs to nobody
  } opcode_t;

  // A packet on its way through roce_fields.
  typedef struct packed {
    logic       bth_there;
    opcode_t    op;
    logic [1:0] pad;
    header_t    hdr;
  } record_t;

  // LEN-1: the greatest path MTU.
  localparam int unsigned MaxPayloadBytes = 4096;

  // The network header's fields, where there is such a header.
  typedef struct packed {
    logic [1:0]   tags;
    logic [31:0]  vlan0;
    logic [31:0]  vlan1;
    logic [3:0]   sl;
    logic [15:0]  dlid;
    logic [15:0]  slid;
    logic [7:0]   tclass;
    logic [127:0] src;
    logic [127:0] dst;
  } net_t;

  // The BTH, first byte highest.
  typedef struct packed {
    logic [7:0]  opcode;
    logic        se;
    logic        mig_req;
    logic [1:0]  pad;
    logic [3:0]  tver;
    logic [15:0] pkey;
    logic        fecn;
    logic        becn;
    logic [5:0]  reserved6;
    logic [23:0] dest_qp;
    logic        ack_req;
    logic [6:0]  reserved7;
    logic [23:0] psn;
  } bth_t;

endpackage
