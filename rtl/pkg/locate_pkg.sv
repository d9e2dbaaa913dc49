// SPDX-License-Identifier: Apache-2.0
// What icrc_locate hands from stage to stage: docs/blocks/icrc_check.md.
package locate_pkg;

  // Frame positions have 17 bits: E is at most 22 + 40 + 65535. A position counted from a beat has a sign more.
  localparam int unsigned PosWidth = 17;
  localparam int unsigned RelWidth = 18;

  // Which network header a frame has. None of the flags: no RoCE.
  typedef struct packed {
    logic       ib;      // the frame starts with an LRH
    logic       ipv4;
    logic       ipv6;
    logic       rocev1;
    logic [2:0] tags;    // one-hot: 0, 1, 2 VLAN tags
    logic [1:0] lnh;     // of the LRH
  } kind_t;

endpackage
