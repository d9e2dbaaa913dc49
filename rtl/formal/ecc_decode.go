package main

import "fmt"

const (
	rowsFile  = "lib/ecc_rows.sv"
	decodeECC = "lib/ecc_decode.sv"
)

// ecc_decode is proved behind ecc_encode for the widths of the pieces that memories are cut in, and of a small one.
// It has no state: the induction is over one cycle, and the proof is of every word.
var (
	_ = register(eccProof(64))
	_ = register(eccProof(55))
	_ = register(eccProof(4))
)

func eccProof(width int) proof {
	of := fmt.Sprintf(", %d data bits", width)
	return proof{block: "ecc_decode", modules: []string{"ecc_encode", "ecc_decode"},
		parameters: fmt.Sprintf("-set Width %d", width), depth: 3, properties: []property{
			{check: 1, says: "a word comes back as it went in, and nothing is told of it" + of,
				fault: fault{"the parity is not read", decodeECC,
					"assign wrong = rows ^ code_i[Width+:Checks+1];", "assign wrong = rows ^ {1'b0, code_i[Width+:Checks]};"}},
			{check: 2, says: "one bit is wrong, any: it is corrected and told" + of,
				fault: fault{"the first data bit is not corrected", decodeECC,
					"assign data_o      = code_i[Width-1:0] ^ flip;",
					"assign data_o      = code_i[Width-1:0] ^ {flip[Width-1:1], 1'b0};"}},
			{check: 2, says: "the same, of a check bit and the parity" + of,
				fault: fault{"a wrong parity is taken for two wrong bits", decodeECC,
					"assign failed_o    = odd ? ~known :", "assign failed_o    = odd ? ~known | place == '0 :"}},
			{check: 3, says: "two bits are wrong, any two: told, and nothing is called corrected" + of,
				fault: fault{"two wrong check bits pass", decodeECC,
					": place != '0;", ": (place & (place - 1'b1)) != '0;"}},
			{check: 3, says: "the same, of two data bits" + of, fault: fault{"two bits in the same rows", rowsFile,
				"assign rows_o[r] = ^(data_i & Row);",
				"assign rows_o[r] = ^({data_i[Width-1:4], data_i[3] ^ data_i[2], data_i[2:0]} & Row);"}},
		}}
}
