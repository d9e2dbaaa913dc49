// SPDX-License-Identifier: Apache-2.0
// The code that protects a word in memory, and what is told of it: docs/ecc.md.
//
// A piece of k data bits has a Hamming code of r check bits and a parity over all. Its bits have the numbers 1 to k +
// r: those that are a power of two are the check bits, the others the data bits from bit 0 up. Check bit j is the
// parity of the data bits with bit j in their number.
//
//   data bits 0, 1, 2, 3, 4, ... have the numbers 3, 5, 6, 7, 9, ...
package ecc_pkg;

  localparam int unsigned PieceBits = 64;  // data bits of a piece, at most
  localparam int unsigned BitWidth = 10;   // of the number of a bit of a code word
  localparam int unsigned CountWidth = 8;

  // Look-ups that were corrected and that found two wrong bits, and the word of the latest of either: ECC-5.
  typedef struct packed {
    logic [15:0]           failed_at;
    logic [15:0]           corrected_at;
    logic [CountWidth-1:0] failed;
    logic [CountWidth-1:0] corrected;
  } counts_t;

  // The check bits of the Hamming code of a piece of k data bits, 1 to 64.
  function automatic int unsigned checks(input int unsigned k);
    checks = 2;
    for (int unsigned r = 2; r < 8; r++) begin
      if (2 ** r < k + r + 1) checks = r + 1;
    end
  endfunction

  // The bits of a piece in memory: its data, above them the check bits, on top the parity.
  function automatic int unsigned code_bits(input int unsigned k);
    code_bits = k + checks(k) + 1;
  endfunction

  // The number of data bit i.
  function automatic int unsigned number(input int unsigned i);
    number = i + 1;
    for (int unsigned r = 0; r < 8; r++) begin
      if (number >= 2 ** r) number = number + 1;
    end
  endfunction

  // The bits of a whole word of width data bits in memory, cut in pieces of piece data bits and a last one of the
  // rest.
  function automatic int unsigned word_bits(input int unsigned width, input int unsigned piece);
    word_bits = (width / piece) * code_bits(piece);
    if (width % piece != 0) word_bits = word_bits + code_bits(width % piece);
  endfunction

endpackage
