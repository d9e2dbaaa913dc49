// PSN arithmetic as blocks share it: docs/blocks/psn_window.md.
package psn_pkg;

  localparam int unsigned PsnWidth = 24;

  // Verdicts. Bit 2 says whose: 0 the responder's (PSN-2), 1 the requester's (PSN-3).
  localparam logic [2:0] ClassExpected = 3'd0;
  localparam logic [2:0] ClassDuplicate = 3'd1;
  localparam logic [2:0] ClassOutOfSequence = 3'd2;
  localparam logic [2:0] ClassUnacked = 3'd4;
  localparam logic [2:0] ClassAcked = 3'd5;
  localparam logic [2:0] ClassGhost = 3'd6;

endpackage
