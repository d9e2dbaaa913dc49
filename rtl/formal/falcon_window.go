package main

const (
	falconFile   = "falcon/falcon_window.sv"
	receiveFile  = "falcon/window_receive.sv"
	transmitFile = "falcon/window_transmit.sv"
	missingFile  = "falcon/window_missing.sv"
)

// What the other half of a connection does has no say in the properties of one: it may be anything.
var (
	ofReceiver    = []string{"x_tx_d", "x_stale", "x_ghost", "req_full", "data_full", "y_req_newly_q", "y_data_newly_q"}
	ofTransmitter = []string{"x_rx_d", "x_rx_why", "x_eack", "x_rx_moved"}
)

// falconWindow is proved without its memories: what a record finds is qp_context's.
var _ = register(proof{block: "falcon_window", depth: 26, gone: []string{"u_receivers", "u_transmitters"},
	properties: append(filling(pipeProperties("u_queue", "records", "sixteen",
		fault{"a record comes a second time", falconFile,
			"<= {r_valid_q, in_valid_q, accept}", "<= {r_valid_q | (x_valid_q & ~m_valid_o), in_valid_q, accept}"},
		fault{"resets are not counted", falconFile,
			".claim_i (accept),", ".claim_i (accept & s_op_i != window_pkg::OpReset),"},
		fault{"a stage takes the next record's number", falconFile,
			"    f_q       <= r_q;", "    f_q       <= {r_q[445:24], in_q.conn};"},
	), 17), []property{
		{check: 6, free: ofReceiver,
			skip: 9, says: "a packet is received once: in the window, neither a duplicate nor refused",
			fault: fault{"a refused packet is marked", receiveFile,
				"end else if (rec_i.refuse) begin", "end else if (rec_i.refuse & ~rec_i.select) begin"}},
		{check: 6, free: ofReceiver,
			skip: 9, says: "the same, at the window's end", fault: fault{"one packet too many", receiveFile,
				"distance >= {24'd0, size};", "distance > {24'd0, size};"}},
		{check: 7, free: ofReceiver,
			skip: 9, says: "the receiver's base passes acknowledged packets only", fault: fault{"it passes one more",
				receiveFile,
				"moved_o = moves ? ones : 8'd0;", "moved_o = moves ? ones + 8'd1 : 8'd0;"}},
		{check: 8, free: ofReceiver,
			skip: 10, says: "and all of those that follow it", fault: fault{"it stands when the ULP acknowledges",
				receiveFile,
				"moves   = distance == '0 &&", "moves   = distance == '0 && rec_i.op == window_pkg::OpPacket &&"}},
		{check: 9, free: ofReceiver,
			skip: 11, says: "an EACK has what is received and acknowledged, nothing at or beyond the size",
			fault: fault{"a bitmap shifts by one too many", receiveFile,
				"? rx_blocks >> ones[3:0] :", "? rx_blocks >> 1 >> ones[3:0] :"}},
		{check: 10, free: ofReceiver,
			skip: 10, says: "an OWN is in the next EACK, and in no second one", fault: fault{"it stays", receiveFile,
				"ctx_o.data_own    = 1'b0;", "ctx_o.data_own    = ctx_i.data_own;"}},
		{check: 11, free: ofTransmitter,
			skip: 10, says: "a PSN leaves once, while it is in the window",
			fault: fault{"the window is one packet too large", transmitFile,
				"full_o  = sent == {24'd0, size_i};", "full_o  = sent == {24'd0, size_i} + 32'd1;"}},
		{check: 12, free: ofTransmitter,
			skip: 9, says: "what is acknowledged was sent, and is once; the base passes nothing else",
			fault: fault{"an EACK acknowledges what was not sent", transmitFile,
				"& window_pkg::below(sent[7:0]);", "& window_pkg::below(size_i);"}},
		{check: 12, free: ofTransmitter,
			skip: 6, says: "the same, of ghosts", fault: fault{"the data base passes next", falconFile,
				"x_ghost    = req_ghost | data_ghost;", "x_ghost    = req_ghost;"}},
		{check: 13, free: ofTransmitter,
			skip: 7, says: "what is missing was sent, is not acknowledged and not named",
			fault: fault{"named ones are missing", missingFile,
				"& ~ack_i & ~named_i;", "& ~ack_i;"}},
	}...)})
