// SPDX-License-Identifier: Apache-2.0
// Types of rx_issue: docs/blocks/rx_issue.md.
package issue_pkg;

  // The first bit of the record is the last one here.
  typedef struct packed {
    logic        invalidates;
    logic        uses_wqe;
    logic        needs_wqe;
    logic        needs_message;
    logic [23:0] rq;  // number of the receive queue
    logic [23:0] qpn;
  } request_t;

endpackage
