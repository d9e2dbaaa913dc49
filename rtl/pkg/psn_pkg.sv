// SPDX-License-Identifier: Apache-2.0
// PSN arithmetic, modulo 2^24, as all blocks use it: docs/blocks/psn_window.md. Proved with that block.
package psn_pkg;

  localparam int unsigned PsnWidth = 24;

  // How many bits of a PSN count. Fewer than 24 are the upper ones: 4 of them are carried as multiples of 2^20, so that
  // all comparisons and the wrap stay those of 24 bits, and only the step from a PSN to the next one is another.
  // The small worlds of the model are replayed in a build of 4, its macro HCA_PSN_BITS; a device has 24.
`ifdef HCA_PSN_BITS
  localparam int unsigned PsnBits = `HCA_PSN_BITS;
`else
  localparam int unsigned PsnBits = 24;
`endif
  localparam int unsigned StepShift = PsnWidth - PsnBits;

  typedef logic [PsnWidth-1:0] psn_t;

  localparam psn_t Step = 24'd1 << StepShift;      // PSN + 1 is psn + Step
  localparam psn_t Half = 24'd1 << (PsnBits - 1);  // PSNs that may be unacked (PSN-5)

  // Bit 2 says whose class it is: 0 the responder's (PSN-2), 1 the requester's (PSN-3).
  typedef enum logic [2:0] {
    ClassExpected      = 3'd0,
    ClassDuplicate     = 3'd1,
    ClassOutOfSequence = 3'd2,
    ClassUnacked       = 3'd4,
    ClassAcked         = 3'd5,
    ClassGhost         = 3'd6
  } class_e;

  // How far so many PSNs reach.
  function automatic psn_t steps(input psn_t count);
    steps = count << StepShift;
  endfunction

  // How many PSNs lie so far apart.
  function automatic psn_t count_of(input psn_t reach);
    count_of = reach >> StepShift;
  endfunction

  // PSN-1: from base to psn, upwards 0 to 2^24 - 1, or the same bits as a signed number.
  function automatic psn_t distance(input psn_t psn, input psn_t base);
    distance = psn - base;
  endfunction

  // PSN-1: psn lies 1 to 2^23 behind base.
  function automatic logic is_behind(input psn_t psn, input psn_t base);
    psn_t from_base;
    from_base = psn_pkg::distance(psn, base);
    is_behind = from_base[PsnWidth-1];
  endfunction

  // PSN-2: a request at the responder. The comparison does not wait for the difference.
  function automatic class_e arrive(input psn_t psn, input psn_t expected);
    arrive = psn_pkg::ClassOutOfSequence;
    if (psn_pkg::is_behind(psn, expected)) arrive = psn_pkg::ClassDuplicate;
    if (psn == expected) arrive = psn_pkg::ClassExpected;
  endfunction

  // PSN-3: an answer at the requester; una is the oldest unacknowledged PSN, next the first one not yet sent.
  function automatic class_e respond(input psn_t psn, input psn_t una, input psn_t next);
    respond = psn_pkg::ClassGhost;
    if (psn_pkg::is_behind(psn, next)) respond = psn_pkg::ClassAcked;
    if (psn_pkg::distance(psn, una) < psn_pkg::distance(next, una)) respond = psn_pkg::ClassUnacked;
  endfunction

endpackage
