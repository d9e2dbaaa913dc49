// SPDX-License-Identifier: Apache-2.0
// Header records and payloads of roce_parse stay paired: of a packet whose record has a payload that leaves, that
// payload is kept, whole and with one TLAST at its end; of every other packet nothing is. What is kept comes out once
// and in order: packet_store's proof. So the k-th such record and the k-th packet of m_axis are of the same frame.
//
// icrc_locate, roce_headers and the store are taken out: what they say of a beat may be anything that is assumed
// below. A ghost reads the beats where they enter stage 7, works out how many beats of payload each makes and those
// before it made, and sends that along.
module roce_parse_pairs_proof #(
  parameter logic [5:0] Check = '1
) (
  input logic clk_i,
  input logic rst_ni,
  input logic m_hdr_ready_i
);

  localparam int unsigned IdxWidth = 14;
  localparam int unsigned RelWidth = 18;
  localparam int unsigned RecWidth = 1031;

  roce_parse #(
    .DataWidth (64),
    .StoreBytes(256)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i ('0),
    .s_axis_tkeep_i ('0),
    .s_axis_tlast_i (1'b0),
    .s_axis_tuser_i (1'b0),
    .s_axis_tvalid_i(1'b0),
    .m_hdr_ready_i,
    .m_axis_tready_i(1'b1)
  );

  // Wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.valid6 ;
  (* hierconn *) wire \dut.last6 ;
  (* hierconn *) wire [9:0] \dut.found6 ;
  (* hierconn *) wire [IdxWidth-1:0] \dut.idx6 ;
  (* hierconn *) wire [7:0] \dut.bth_end6 ;
  (* hierconn *) wire [95:0] \dut.bth6 ;
  (* hierconn *) wire [RelWidth-1:0] \dut.icrc_rel6 ;
  (* hierconn *) wire [11:0] \dut.u_fields.op6 ;
  (* hierconn *) wire [3:0] \dut.u_fields.words6 ;
  (* hierconn *) wire \dut.packet_end ;
  (* hierconn *) wire \dut.u_store.push_i ;
  (* hierconn *) wire \dut.u_store.keep_i ;
  (* hierconn *) wire \dut.u_store.drop_i ;
  (* hierconn *) wire [4:0] \dut.valid_q ;
  (* hierconn *) wire [4:0] \dut.last_q ;
  (* hierconn *) wire [RecWidth-1:0] \dut.u_fields.rec7_q ;
  (* hierconn *) wire [RelWidth-1:0] \dut.u_fields.icrc_at7_q ;
  (* hierconn *) wire [7:0] \dut.u_fields.bth_end7_q ;
  (* hierconn *) wire [3:0] \dut.u_fields.words7_q ;
  (* hierconn *) wire [95:0] \dut.u_payload.u_until8.gen_stage[0].data_q ;
  (* hierconn *) wire [RecWidth-1:0] \dut.u_fields.rec8_q ;
  (* hierconn *) wire [RelWidth-1:0] \dut.u_fields.icrc_at8_q ;
  (* hierconn *) wire [7:0] \dut.u_fields.payload_at8_q ;
  (* hierconn *) wire [95:0] \dut.u_payload.u_until8.gen_stage[1].data_q ;
  (* hierconn *) wire [RecWidth-1:0] \dut.u_fields.rec9_q ;
  (* hierconn *) wire [RelWidth-1:0] \dut.u_fields.space9_q ;
  (* hierconn *) wire [90:0] \dut.u_payload.turn9_q ;
  (* hierconn *) wire [RecWidth-1:0] \dut.u_fields.rec10_q ;
  (* hierconn *) wire [RelWidth-1:0] \dut.u_fields.length10_q ;
  (* hierconn *) wire \dut.u_fields.header_cut10_q ;
  (* hierconn *) wire \dut.u_fields.unaligned10_q ;
  (* hierconn *) wire [90:0] \dut.u_payload.turn10_q ;
  (* hierconn *) wire [1015:0] \dut.u_fields.hdr11_q ;
  (* hierconn *) wire \dut.u_fields.good11_q ;
  (* hierconn *) wire [81:0] \dut.u_payload.pay11_q ;
  (* hierconn *) wire \dut.valid12_q ;
  (* hierconn *) wire \dut.last12_q ;
  (* hierconn *) wire [1015:0] \dut.hdr12_q ;
  (* hierconn *) wire \dut.good12_q ;
  (* hierconn *) wire [81:0] \dut.u_payload.pay12_q ;

  // By the names that the proof has for their fields.
  logic covered6, valid7, valid8, valid9, valid10, valid11, last7, last8, last9, last10, last11;
  logic [3:0] reason6;
  rx_pkg::record_t rec7, rec8, rec9, rec10;
  logic [IdxWidth-1:0] idx7, idx8;
  logic [RelWidth-1:0] icrc_rel7, icrc_rel8, left9, left10;
  logic has9, has10, started9, started10, store11, ends11, store12, ends12;

  assign covered6 = \dut.found6 [9];
  assign reason6  = \dut.found6 [3:0];
  assign {valid11, valid10, valid9, valid8, valid7} = \dut.valid_q ;
  assign {last11, last10, last9, last8, last7} = \dut.last_q ;
  assign rec7  = \dut.u_fields.rec7_q ;
  assign rec8  = \dut.u_fields.rec8_q ;
  assign rec9  = \dut.u_fields.rec9_q ;
  assign rec10 = \dut.u_fields.rec10_q ;
  assign {idx7, icrc_rel7} = \dut.u_payload.u_until8.gen_stage[0].data_q [95:64];
  assign {idx8, icrc_rel8} = \dut.u_payload.u_until8.gen_stage[1].data_q [95:64];
  assign {has9, started9}   = \dut.u_payload.turn9_q [90:89];
  assign {has10, started10} = \dut.u_payload.turn10_q [90:89];
  assign left9  = \dut.u_payload.turn9_q [81:64];
  assign left10 = \dut.u_payload.turn10_q [81:64];
  assign {store11, ends11} = \dut.u_payload.pay11_q [81:80];
  assign {store12, ends12} = \dut.u_payload.pay12_q [81:80];

  // OPC-2: the operations without payload. (The CNP's low bits are those of one that has.)
  function automatic logic is_bare(input logic [7:0] opcode);
    case (opcode[4:0])
      5'h0C, 5'h11, 5'h12, 5'h13, 5'h14, 5'h15, 5'h1C: is_bare = 1'b1;
      default: is_bare = 1'b0;
    endcase
  endfunction

  // ---------------------------------------------------------------------------------------------------------------
  // What is assumed of the beats that enter stage 7.

  logic take;
  logic initial_q = 1'b1;
  logic fresh_q, seen_q;  // the next beat is a packet's first; the whole BTH was in the beats before
  logic [IdxWidth-1:0] idx_q;
  logic [95:0] bth_q;
  logic [7:0] bth_end_q;
  logic signed [RelWidth-1:0] start, bth_end, icrc, icrc_q;  // icrc: E - 4 from the packet's first byte
  logic seen;

  assign take    = \dut.valid6 ;
  assign start   = {1'b0, \dut.idx6 , 3'b000};
  assign bth_end = {10'b0, \dut.bth_end6 };
  assign icrc    = \dut.icrc_rel6 + start;
  assign seen    = bth_end <= start + 18'sd8;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fresh_q <= 1'b1;
      seen_q  <= 1'b0;
    end else if (take) begin
      fresh_q <= \dut.last6 ;
      seen_q  <= seen & ~ \dut.last6 ;
    end
  end
  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    if (take) begin
      idx_q     <= \dut.idx6 ;
      bth_q     <= \dut.bth6 ;
      bth_end_q <= \dut.bth_end6 ;
      icrc_q    <= icrc;
    end
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (rst_ni && take) begin
      // The index counts. It stops beyond every packet's end: no frame of this proof is as long.
      assume (\dut.idx6 == (fresh_q ? '0 : idx_q + 1'b1));
      assume (\dut.idx6 [IdxWidth-1-:2] != 2'b11);
      // A BTH starts at 90 at the latest, and E is where a length field can put it.
      assume (\dut.bth_end6 <= 8'd102);
      assume (icrc >= -18'sd4 && icrc < 18'sd66000);
      // What has arrived stays; what had not arrived with the beat before does not lie in it.
      if (seen_q) assume (\dut.bth6 == bth_q && \dut.bth_end6 == bth_end_q && icrc == icrc_q);
      else if (!fresh_q) assume (bth_end > start);
      // Reason 0 on the last beat: BTH and ICRC lie within E, and E within the frame.
      if (\dut.last6 && covered6 && reason6 == 4'd0) begin
        assume (bth_end <= icrc);
        assume (icrc + 18'sd4 <= start + 18'sd8);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The ghost.

  typedef struct packed {
    logic [7:0]          opcode;
    logic [3:0]          tver;
    logic [1:0]          pad;
    logic                there;       // the BTH can be trusted
    logic                known;
    logic                has;         // the opcode has a payload
    logic [IdxWidth-1:0] idx;
    logic [7:0]          payload_at;
    logic [RelWidth-1:0] icrc;
    logic                stores;      // the beat makes one of payload, and the last one
    logic                ends;
    logic [9:0]          before;      // beats of payload that the beats before made, and those with this one
    logic [9:0]          count;
    logic                was_ended;
    logic                ended;
  } beat_t;

  beat_t b6, b7_q, b8_q, b9_q, b10_q, b11_q, b12_q;
  logic [9:0] count_q;
  logic ended_q;

  beat_facts u_facts6 (
    .idx_i       (b6.idx),
    .payload_at_i(b6.payload_at),
    .pad_i       (b6.pad),
    .icrc_i      (b6.icrc),
    .has_i       (b6.has),
    .stores_o    (b6.stores),
    .ends_o      (b6.ends)
  );

  assign b6.opcode     = \dut.bth6 [95:88];
  assign b6.tver       = \dut.bth6 [83:80];
  assign b6.pad        = \dut.bth6 [85:84];
  assign b6.there      = covered6 & (reason6 == 4'd0);
  assign b6.known      = \dut.u_fields.op6 [11];
  assign b6.has        = \dut.u_fields.op6 [11] & ~is_bare(\dut.bth6 [95:88]);
  assign b6.idx        = \dut.idx6 ;
  assign b6.payload_at = \dut.bth_end6 + {2'b00, \dut.u_fields.words6 , 2'b00};
  assign b6.icrc       = icrc;
  assign b6.before     = count_q;
  assign b6.count      = count_q + {9'b0, b6.stores};
  assign b6.was_ended  = ended_q;
  assign b6.ended      = ended_q | (b6.stores & b6.ends);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      ended_q <= 1'b0;
    end else if (take) begin
      count_q <= \dut.last6 ? '0 : b6.count;
      ended_q <= b6.ended & ~ \dut.last6 ;
    end
  end

  always_ff @(posedge clk_i) begin
    b7_q  <= b6;
    b8_q  <= b7_q;
    b9_q  <= b8_q;
    b10_q <= b9_q;
    b11_q <= b10_q;
    if (valid11) b12_q <= b11_q;
  end

  // Of a packet that has come in part: what was counted is what lies in its beats so far.
  logic [11:0] op_before;
  logic [3:0] words_before;
  logic signed [RelWidth-1:0] length_before, payload_before, got_before;
  logic [IdxWidth-1:0] beats_before;

  roce_opcode u_before (
    .opcode_i(bth_q[95:88]),
    .op_o    (op_before),
    .words_o (words_before)
  );

  assign payload_before = {10'b0, bth_end_q} + {12'b0, words_before, 2'b00};
  assign length_before  = icrc_q - payload_before - {16'b0, bth_q[85:84]};
  assign beats_before   = idx_q + 1'b1 - payload_before[IdxWidth+2:3];
  assign got_before     = {5'b0, count_q, 3'b000};

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[0]) begin
      if (fresh_q) begin
        assert (!seen_q);
      end else begin
        assert (bth_end_q <= 8'd102 && idx_q[IdxWidth-1-:2] != 2'b11 && icrc_q >= -18'sd4 && icrc_q < 18'sd66000);
        if (!seen_q) assert ({10'b0, bth_end_q} > {1'b0, idx_q, 3'b000} + 18'sd8);
      end
      if (!seen_q || !op_before[11] || is_bare(bth_q[95:88]) || length_before <= 0 || length_before > 18'sd4096 ||
          idx_q < payload_before[IdxWidth+2:3]) begin
        assert (count_q == '0 && !ended_q);
      end else if (ended_q) begin
        assert ({4'b0, count_q} <= beats_before && got_before >= length_before && got_before < length_before + 18'sd8);
      end else begin
        assert ({4'b0, count_q} == beats_before && got_before < length_before);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The block's registers against the ghost's, stage by stage.

  logic [RelWidth-1:0] rel7, rel8, rel9, space9, rel10, space10, length10, length11, length12;
  logic there11, whole11, there12, whole12;

  assign rel7     = b7_q.icrc - {1'b0, b7_q.idx, 3'b000};
  assign rel8     = b8_q.icrc - {1'b0, b8_q.idx, 3'b000};
  assign rel9     = b9_q.icrc - {1'b0, b9_q.idx, 3'b000};
  assign rel10    = b10_q.icrc - {1'b0, b10_q.idx, 3'b000};
  assign space9   = b9_q.icrc - {10'b0, b9_q.payload_at};
  assign space10  = b10_q.icrc - {10'b0, b10_q.payload_at};
  assign length10 = space10 - {16'b0, b10_q.pad};
  assign length11 = b11_q.icrc - {10'b0, b11_q.payload_at} - {16'b0, b11_q.pad};
  assign there11  = b11_q.there & b11_q.known & ~b11_q.icrc[17] & (b11_q.icrc >= {10'b0, b11_q.payload_at});
  assign whole11  = there11 & (b11_q.tver == '0) & (length11 <= 18'd4096) & (b11_q.icrc[1:0] == b11_q.payload_at[1:0]);
  assign length12 = b12_q.icrc - {10'b0, b12_q.payload_at} - {16'b0, b12_q.pad};
  assign there12  = b12_q.there & b12_q.known & ~b12_q.icrc[17] & (b12_q.icrc >= {10'b0, b12_q.payload_at});
  assign whole12  = there12 & (b12_q.tver == '0) & (length12 <= 18'd4096) & (b12_q.icrc[1:0] == b12_q.payload_at[1:0]);

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[0]) begin
      if (valid7) begin
        assert (rec7.hdr.opcode == (b7_q.there ? b7_q.opcode : 8'h00));
        assert (rec7.hdr.tver == (b7_q.there ? b7_q.tver : 4'h0));
        assert (rec7.bth_there == b7_q.there && rec7.hdr.payload_bytes == '0);
        if (b7_q.there) assert (rec7.hdr.reason == '0);
        assert (rec7.op.known == b7_q.known && rec7.op.payload == b7_q.has && rec7.pad == b7_q.pad);
        assert (idx7 == b7_q.idx && icrc_rel7 == rel7 && \dut.u_fields.icrc_at7_q == b7_q.icrc);
        assert (8'(\dut.u_fields.bth_end7_q + {2'b00, \dut.u_fields.words7_q , 2'b00}) == b7_q.payload_at);
      end
      if (valid8) begin
        assert (rec8.hdr.opcode == (b8_q.there ? b8_q.opcode : 8'h00));
        assert (rec8.hdr.tver == (b8_q.there ? b8_q.tver : 4'h0));
        assert (rec8.bth_there == b8_q.there && rec8.hdr.payload_bytes == '0);
        if (b8_q.there) assert (rec8.hdr.reason == '0);
        assert (rec8.op.known == b8_q.known && rec8.op.payload == b8_q.has && rec8.pad == b8_q.pad);
        assert (idx8 == b8_q.idx && icrc_rel8 == rel8 && \dut.u_fields.icrc_at8_q == b8_q.icrc);
        assert (\dut.u_fields.payload_at8_q == b8_q.payload_at);
      end
      if (valid9) begin
        assert (rec9.hdr.opcode == (b9_q.there ? b9_q.opcode : 8'h00));
        assert (rec9.hdr.tver == (b9_q.there ? b9_q.tver : 4'h0));
        assert (rec9.bth_there == b9_q.there && rec9.hdr.payload_bytes == '0);
        if (b9_q.there) assert (rec9.hdr.reason == '0);
        assert (rec9.op.known == b9_q.known && has9 == b9_q.has);
        assert (started9 == (b9_q.idx >= {9'b0, b9_q.payload_at[7:3]}));
        assert (rec9.pad == b9_q.pad && \dut.u_fields.space9_q == space9);
        assert (left9 == RelWidth'(rel9 - {15'b0, b9_q.payload_at[2:0]}));
      end
      if (valid10) begin
        assert (rec10.hdr.opcode == (b10_q.there ? b10_q.opcode : 8'h00));
        assert (rec10.hdr.tver == (b10_q.there ? b10_q.tver : 4'h0));
        assert (rec10.bth_there == b10_q.there && rec10.hdr.payload_bytes == '0);
        if (b10_q.there) assert (rec10.hdr.reason == '0);
        assert (rec10.op.known == b10_q.known && has10 == b10_q.has);
        assert (started10 == (b10_q.idx >= {9'b0, b10_q.payload_at[7:3]}));
        assert (left10 == RelWidth'(rel10 - {15'b0, b10_q.payload_at[2:0]} - {16'b0, b10_q.pad}));
        assert (\dut.u_fields.length10_q == length10 && \dut.u_fields.header_cut10_q == space10[17] &&
                \dut.u_fields.unaligned10_q == (space10[1:0] != 2'b00));
      end
      if (valid11) begin
        assert (\dut.u_fields.hdr11_q [23:16] == (b11_q.there ? b11_q.opcode : 8'h00));
        assert (\dut.u_fields.hdr11_q [29:26] == (b11_q.there ? b11_q.tver : 4'h0));
        assert (\dut.u_fields.good11_q == whole11 && store11 == b11_q.stores);
        if (b11_q.stores) assert ( ends11 == b11_q.ends);
        if (b11_q.there) assert ((\dut.u_fields.hdr11_q [3:0] == '0) == whole11);
        assert (\dut.u_fields.hdr11_q [119:104] == (there11 && !length11[17] ? length11[15:0] : 16'd0));
      end
      if (\dut.valid12_q ) begin
        assert (\dut.hdr12_q [23:16] == (b12_q.there ? b12_q.opcode : 8'h00));
        assert (\dut.hdr12_q [29:26] == (b12_q.there ? b12_q.tver : 4'h0));
        assert (\dut.good12_q == whole12 && store12 == b12_q.stores);
        if (b12_q.stores) assert ( ends12 == b12_q.ends);
        if (b12_q.there) assert ((\dut.hdr12_q [3:0] == '0) == whole12);
        assert (\dut.hdr12_q [119:104] == (there12 && !length12[17] ? length12[15:0] : 16'd0));
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What is stored of a packet: beats since the end of the packet before, the one of now included; whether the last
  // of them ends a payload; whether one that does is followed by another.

  logic [9:0] stored_q, stored;
  logic closed_q, closed, open_q, open;

  always_comb begin
    stored = stored_q;
    closed = closed_q;
    open   = open_q;
    if (\dut.u_store.push_i ) begin
      stored = stored_q + 10'd1;
      closed = ends12 ;
      open   = open_q | closed_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stored_q <= '0;
      closed_q <= 1'b0;
      open_q   <= 1'b0;
    end else begin
      stored_q <= \dut.packet_end ? '0 : stored;
      closed_q <= closed & ~ \dut.packet_end ;
      open_q   <= open & ~ \dut.packet_end ;
    end
  end

  // From what is stored on, through the stages, to the ghost: every beat goes on where the one before it stopped.
  // Stage 7 is bit 0.
  logic [5:0] valids, lasts, theres, stores, ends, was_ended, ended, has, known, in_range, facts_store, facts_end;
  logic [47:0] opcodes;
  logic [59:0] before, counts, beats;
  logic [69:0] chain_count;
  logic [6*42-1:0] numbers;
  logic [6:0] chain_ended;

  assign valids    = {\dut.valid12_q , valid11 , valid10 , valid9 , valid8 , valid7 };
  assign lasts     = {\dut.last12_q , last11 , last10 , last9 , last8 , last7 };
  assign theres    = {b12_q.there, b11_q.there, b10_q.there, b9_q.there, b8_q.there, b7_q.there};
  assign stores    = {b12_q.stores, b11_q.stores, b10_q.stores, b9_q.stores, b8_q.stores, b7_q.stores};
  assign ends      = {b12_q.ends, b11_q.ends, b10_q.ends, b9_q.ends, b8_q.ends, b7_q.ends};
  assign was_ended = {b12_q.was_ended, b11_q.was_ended, b10_q.was_ended,
                      b9_q.was_ended, b8_q.was_ended, b7_q.was_ended};
  assign ended     = {b12_q.ended, b11_q.ended, b10_q.ended, b9_q.ended, b8_q.ended, b7_q.ended};
  assign has       = {b12_q.has, b11_q.has, b10_q.has, b9_q.has, b8_q.has, b7_q.has};
  assign known     = {b12_q.known, b11_q.known, b10_q.known, b9_q.known, b8_q.known, b7_q.known};
  assign opcodes   = {b12_q.opcode, b11_q.opcode, b10_q.opcode, b9_q.opcode, b8_q.opcode, b7_q.opcode};
  assign before    = {b12_q.before, b11_q.before, b10_q.before, b9_q.before, b8_q.before, b7_q.before};
  assign counts    = {b12_q.count, b11_q.count, b10_q.count, b9_q.count, b8_q.count, b7_q.count};
  assign numbers   = {b12_q.idx, b12_q.payload_at, b12_q.pad, b12_q.icrc,
                      b11_q.idx, b11_q.payload_at, b11_q.pad, b11_q.icrc,
                      b10_q.idx, b10_q.payload_at, b10_q.pad, b10_q.icrc,
                      b9_q.idx, b9_q.payload_at, b9_q.pad, b9_q.icrc,
                      b8_q.idx, b8_q.payload_at, b8_q.pad, b8_q.icrc,
                      b7_q.idx, b7_q.payload_at, b7_q.pad, b7_q.icrc};

  for (genvar k = 0; k < 6; k++) begin : gen_facts
    beat_facts u_facts (
      .idx_i       (numbers[42*k+28+:14]),
      .payload_at_i(numbers[42*k+20+:8]),
      .pad_i       (numbers[42*k+18+:2]),
      .icrc_i      (numbers[42*k+:18]),
      .has_i       (has[k]),
      .in_range_o  (in_range[k]),
      .stores_o    (facts_store[k]),
      .ends_o      (facts_end[k]),
      .beats_o     (beats[10*k+:10])
    );
  end

  always_comb begin
    chain_count = '0;
    chain_ended = '0;
    chain_count[69:60] = stored_q;
    chain_ended[6]     = closed_q;
    for (int k = 5; k >= 0; k--) begin
      chain_count[10*k+:10] = chain_count[10*k+10+:10];
      chain_ended[k]        = chain_ended[k+1];
      if (valids[k]) begin
        chain_count[10*k+:10] = lasts[k] ? '0 : counts[10*k+:10];
        chain_ended[k]        = ended[k] & ~lasts[k];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[0]) begin
      for (int k = 0; k < 6; k++) begin
        if (valids[k]) begin
          assert (before[10*k+:10] == chain_count[10*k+10+:10] && was_ended[k] == chain_ended[k+1]);
          assert (counts[10*k+:10] == before[10*k+:10] + {9'b0, stores[k]});
          assert (ended[k] == (was_ended[k] | (stores[k] & ends[k])) && !(stores[k] && was_ended[k]));
          assert (has[k] == (known[k] & ~is_bare(opcodes[8*k+:8])));
          assert (in_range[k] && stores[k] == facts_store[k] && (!stores[k] || ends[k] == facts_end[k]));
          if (lasts[k] & theres[k]) assert (counts[10*k+:10] == beats[10*k+:10] && ended[k] == (beats[10*k+:10] != '0));
        end
      end
      assert (chain_count[9:0] == count_q && chain_ended[0] == ended_q && !open_q);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The properties: at the end of a packet.

  logic passes;
  logic [7:0] opcode;
  logic [15:0] payload_bytes;
  assign {payload_bytes, opcode} = {\dut.hdr12_q [119:104], \dut.hdr12_q [23:16]};
  assign passes = (\dut.hdr12_q [3:0] == 4'd0) & ~is_bare(opcode) & (payload_bytes != '0);

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && \dut.packet_end ) begin
      if (Check[1] && is_bare(opcode)) assert (! \dut.u_store.keep_i || stored == '0);
      if (Check[2] && !passes) assert (! \dut.u_store.keep_i || stored == '0);
      if (Check[3] && passes) assert (\dut.u_store.keep_i && {6'b0, stored} == (payload_bytes + 16'd7) >> 3);
      if (Check[4] && passes) assert (closed && !open);
    end
    if (!initial_q && rst_ni && Check[5]) assert (\dut.u_store.drop_i == (\dut.packet_end & ~ \dut.u_store.keep_i ));
  end

endmodule

// What a beat makes of the payload, from the numbers that belong to it.
module beat_facts (
  input  logic [13:0]        idx_i,
  input  logic [7:0]         payload_at_i,
  input  logic [1:0]         pad_i,
  input  logic signed [17:0] icrc_i,
  input  logic               has_i,
  output logic               in_range_o,
  output logic               stores_o,
  output logic               ends_o,
  output logic [9:0]         beats_o  // of the whole payload
);

  logic carries;
  logic signed [17:0] length, left;
  assign length     = icrc_i - {10'b0, payload_at_i} - {16'b0, pad_i};
  assign left       = length - {1'b0, idx_i - {9'b0, payload_at_i[7:3]}, 3'b000};
  assign carries    = has_i && length > 0 && length <= 18'sd4096;
  assign in_range_o = icrc_i >= -18'sd4 && icrc_i < 18'sd66000 && idx_i[13:12] != 2'b11;
  assign stores_o   = carries && idx_i >= {9'b0, payload_at_i[7:3]} && left > 0;
  assign ends_o     = left <= 18'sd8;
  assign beats_o    = carries ? 10'((length + 18'sd7) >> 3) : '0;

endmodule
