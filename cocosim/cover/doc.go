// Package cover counts what a run exercised, by rule and by situation, beside the lines and branches that a simulator
// counts: a declared sheet of bins for every stage, filled from the records that went in and came out.
//
// A bin is a named situation: "syndrome: RNR NAK code 14", "reason x outcome: gap, refused". A bin that cannot be, or
// need not be, is declared ignored with its reason; one that must never be is illegal, and a hit in it is worth a look.
// A sheet is a value: it can be written, read again, and merged over runs, the first hit of every bin kept.
package cover
