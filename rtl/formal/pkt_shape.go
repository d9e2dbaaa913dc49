package main

const shapeFile = "tx/pkt_shape.sv"

// pktShape is what a WQE is as packets.
var _ = register(proof{block: "pkt_shape", depth: 4, properties: []property{
	{check: 1, plain: true, says: "as many packets as the bytes fill, at least one; local work has none (PSN-4, LEN-1)",
		fault: fault{"one more where the bytes fill the last", shapeFile,
			"33'(2 ** (8 + i) - 1);", "33'(2 ** (8 + i));"}},
	{check: 2, plain: true, says: "a WQE cannot be where its service has none such (OPC-1, LEN-1)",
		fault: fault{"UD sends more than a packet", shapeFile,
			"(~send | (length_i > pmtu_bytes))) bad", "~send) bad"}},
	{check: 3, plain: true, says: "the opcode is that of verb and place (OPC-1)", fault: fault{"a Last for an Only",
		shapeFile,
		"first ? tx_pkg::OperationOnlyInv : tx_pkg::OperationLastInv;", "tx_pkg::OperationLastInv;"}},
	{check: 4, plain: true, says: "packets hold the message without gap or overlap, PMTU each but the last (LEN-1, REQ-7)",
		fault: fault{"the last is as long as the others", shapeFile,
			"if (cut & ~last) bytes_o = pmtu_bytes;", "if (cut & ~(last & first)) bytes_o = pmtu_bytes;"}},
	{check: 5, plain: true, says: "SEND and WRITE with immediate need a credit; kinds are req_ack_check's (CRD-2)",
		fault: fault{"a WRITE with immediate needs none", shapeFile,
			"shape_o.limited    = send | (write & immediate_i);", "shape_o.limited    = send;"}},
}})
