// SPDX-License-Identifier: Apache-2.0
// The turns of hca_tx, one after the other: tx_packetizer is asked about the WQEs that it names, sq_retire for them,
// and whom a packet concerns is told before it leaves. docs/blocks/hca_tx.md has the order.
module hca_tx_turn (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  sched_pkg::turn_t    s_turn_i,
  input  logic                s_turn_valid_i,
  output logic                s_turn_ready_o,

  output logic [23:0]         m_done_qpn_o,
  output logic [2:0]          m_done_why_o,
  output logic                m_done_valid_o,
  input  logic                m_done_ready_i,

  output tx_pkg::rec_t        m_ask_o,
  output logic                m_ask_valid_o,
  input  logic                m_ask_ready_i,
  input  tx_pkg::out_t        s_answer_i,
  input  logic                s_answer_valid_i,

  output retire_pkg::query_t  m_look_o,
  output logic                m_look_valid_o,
  input  logic                m_look_ready_i,
  input  retire_pkg::result_t s_look_i,
  input  logic                s_look_valid_i,

  output retire_pkg::query_t  m_begun_o,
  output logic                m_begun_valid_o,
  input  logic                m_begun_ready_i,

  output req_pkg::rec_t       m_sent_o,
  output hca_tx_pkg::note_t   m_note_o,  // with it
  output logic                m_sent_valid_o,
  input  logic                m_sent_ready_i,

  output rate_pkg::query_t    m_pace_o,
  output logic                m_pace_valid_o,
  input  logic                m_pace_ready_i,
  input  logic                s_slow_i,  // the answer to an ask: not yet
  input  logic                s_slow_valid_i,

  output hca_tx_pkg::packet_t m_pkt_o,
  output logic                m_pkt_valid_o,
  input  logic                m_pkt_ready_i,

  output hca_tx_pkg::end_t    m_end_o,  // with each packet that is given
  output logic                m_end_valid_o,
  input  logic                m_end_room_i,

  output hca_tx_pkg::local_t  m_local_o,
  output logic                m_local_valid_o,
  input  logic                m_local_ready_i
);

  typedef enum logic [3:0] {
    Idle,
    Look,      // tx_packetizer is asked which WQE it wants
    Looked,    // its answer is waited for
    Fetch,     // sq_retire is asked for it
    Fetched,
    Ask,       // tx_packetizer is given it
    Asked,
    Begun,     // sq_retire is told its PSNs
    Sent,      // req_ack_check is told of the packet
    Give,      // it leaves
    Local,     // local work is given to who does it
    Done
  } state_e;

  state_e state_q, state_d;
  logic [23:0] qpn_q;
  logic [3:0] left_q;      // packets that the turn has still
  logic [5:0] slot_q;      // of the WQE that is asked for
  logic oldest_q;
  logic [5:0] found_q;     // where it stands
  logic present_q, begun_q;
  logic [23:0] first_q;
  retire_pkg::wqe_t wqe_q;
  tx_pkg::out_t answer_q;  // of tx_packetizer
  logic [2:0] why_q, why;
  logic [4:0] flags;       // of the WQE: solicited, immediate, invalidate, fence, inline
  logic asked_q, paced_q, slow_q;  // rate_limiter was asked about the next packet, has answered, said not yet
  logic pkt_room, local_room, room, given, answered, unused_look, unused_answer;
  logic [3:0] unused_count, unused_local_count;

  assign unused_look   = ^{s_look_i, wqe_q};
  assign unused_answer = ^{answer_q, flags};

  assign room     = pkt_room & local_room & m_end_room_i;
  assign given    = state_q == Give && m_pace_ready_i;
  assign answered = answer_q.packet.opcode[7:5] == 3'd0;  // of RC: UC and UD hear of no response (REQ-13)

  // Why a turn ends: what only tx_packetizer knows is nothing to send.
  always_comb begin
    why = s_answer_i.why[2:0];
    if (s_answer_i.why > tx_pkg::WhyNoQp || s_answer_i.what == tx_pkg::WhatLocal) why = 3'd1;
  end

  // rate_limiter is asked about each packet, once, beside the questions to the other blocks.
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:    if (s_turn_valid_i) state_d = Look;
      Look:    if (m_ask_ready_i) state_d = Looked;
      Looked:  if (s_answer_valid_i) state_d = s_answer_i.why == tx_pkg::WhyNoQp ? Done : Fetch;
      Fetch: begin
        if (slow_q) state_d = Done;
        else if (m_look_ready_i) state_d = Fetched;
      end
      Fetched: if (s_look_valid_i) state_d = Ask;
      Ask: begin
        if (slow_q) state_d = Done;
        else if (paced_q && room && m_ask_ready_i) state_d = Asked;
      end
      Asked: begin
        if (s_answer_valid_i) begin
          unique case (s_answer_i.what)
            tx_pkg::WhatSends:    state_d = s_answer_i.packet.begins ? Begun : Sent;
            tx_pkg::WhatLocal:    state_d = Local;
            tx_pkg::WhatSearches: state_d = Fetch;
            default:              state_d = Done;
          endcase
        end
      end
      Begun:   if (m_begun_ready_i) state_d = Sent;
      Sent:    if (m_sent_ready_i || !answered) state_d = Give;
      Give:    if (given) state_d = left_q == 4'd1 ? Done : Fetch;
      Local:   state_d = Done;
      Done:    if (m_done_valid_o && m_done_ready_i) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      asked_q <= 1'b0;
      paced_q <= 1'b0;
      slow_q  <= 1'b0;
    end else begin
      state_q <= state_d;
      asked_q <= state_q != Idle && state_q != Give && (asked_q || (m_pace_valid_o && m_pace_ready_i));
      paced_q <= state_q != Idle && state_q != Give && (paced_q || s_slow_valid_i);
      slow_q  <= state_q != Idle && (slow_q || (s_slow_valid_i && s_slow_i));
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      qpn_q  <= s_turn_i.qpn;
      left_q <= s_turn_i.packets;
    end
    if (given) left_q <= left_q - 4'd1;
    if (s_answer_valid_i) begin
      slot_q   <= s_answer_i.slot;
      oldest_q <= s_answer_i.oldest;
      answer_q <= s_answer_i;
      why_q    <= why;
    end
    if (s_look_valid_i) begin
      found_q   <= s_look_i.slot;
      present_q <= s_look_i.present;
      begun_q   <= s_look_i.begun;
      first_q   <= s_look_i.first_psn;
      wqe_q     <= s_look_i.wqe;
    end
  end

  assign s_turn_ready_o  = state_q == Idle;
  assign m_ask_valid_o   = state_q == Look || (state_q == Ask && room && paced_q && !slow_q);
  assign m_look_valid_o  = state_q == Fetch && !slow_q;
  assign m_begun_valid_o = state_q == Begun;
  assign m_sent_valid_o  = state_q == Sent && answered;
  assign m_done_valid_o  = state_q == Done && (paced_q || !asked_q);
  assign m_done_qpn_o    = qpn_q;
  assign m_done_why_o    = slow_q ? sched_pkg::WhyRate : why_q;

  // ---------------------------------------------------------------------------------------------------------------
  // What each is told.

  assign flags = wqe_q.more_flags;

  always_comb begin
    m_ask_o     = '0;
    m_ask_o.qpn = qpn_q;
    m_ask_o.op  = tx_pkg::OpLook;
    if (state_q == Ask) begin
      m_ask_o.op         = tx_pkg::OpPacket;
      m_ask_o.slot       = found_q;
      m_ask_o.oldest     = oldest_q;
      m_ask_o.begun      = !present_q ? tx_pkg::BegunNone : begun_q ? tx_pkg::BegunPsns : tx_pkg::BegunNew;
      m_ask_o.verb       = wqe_q.verb;
      m_ask_o.solicited  = flags[0];
      m_ask_o.immediate  = flags[1];
      m_ask_o.invalidate = flags[2];
      m_ask_o.fence      = flags[3];
      m_ask_o.length     = wqe_q.length;
      m_ask_o.first      = first_q;
    end
  end

  always_comb begin
    m_look_o            = '0;
    m_look_o.qpn        = qpn_q;
    m_look_o.op         = retire_pkg::OpLook;
    m_look_o.slot       = slot_q;
    m_look_o.progress   = oldest_q;
    m_begun_o           = '0;
    m_begun_o.qpn       = qpn_q;
    m_begun_o.op        = retire_pkg::OpBegun;
    m_begun_o.slot      = found_q;
    m_begun_o.first_psn = answer_q.first;
    m_begun_o.last_psn  = answer_q.last;
  end

  // The order of its fields is req_pkg's.
  assign m_sent_o = {14'd0, answer_q.packet.kind, 2'd0, req_pkg::OpSent, 16'd0, answer_q.packet.payload,
                     answer_q.packet.number, answer_q.packet.count, answer_q.packet.psn, qpn_q};

  logic reads;
  hca_tx_pkg::packet_t packet;

  // What read_place is to know of it: where what it asks for goes.
  always_comb begin
    m_note_o         = '0;
    m_note_o.psn     = answer_q.packet.psn;
    m_note_o.joins   = answer_q.packet.begins && answer_q.packet.kind[1];
    m_note_o.address = wqe_q.gather;
    m_note_o.kind    = place_pkg::KindNone;
    if (reads) m_note_o.kind = place_pkg::KindRead;
    if (answer_q.packet.kind == req_pkg::KindAtomic) m_note_o.kind = place_pkg::KindAtomic;
  end

  // What leaves is counted when it is given: with its frame it would be too late for the next packet of the turn.
  always_comb begin
    m_pace_o       = '0;
    m_pace_o.qpn   = qpn_q;
    m_pace_o.op    = state_q == Give ? rate_pkg::OpSent : rate_pkg::OpAsk;
    m_pace_o.bytes = hca_tx_pkg::HeadBytes + packet.bytes;
  end

  always_comb begin
    m_pace_valid_o = 1'b0;
    unique case (state_q)
      Look, Looked, Fetch, Fetched, Ask: m_pace_valid_o = !asked_q;
      Give: m_pace_valid_o = 1'b1;
      default: ;
    endcase
  end

  assign reads = wqe_q.verb == tx_pkg::VerbRead;

  always_comb begin
    packet.qpn        = qpn_q;
    packet.opcode     = answer_q.packet.opcode;
    packet.psn        = answer_q.packet.psn;
    packet.ack_req    = answer_q.packet.ack_req;
    packet.solicited  = answer_q.packet.solicited;
    packet.va         = wqe_q.va;
    packet.rkey       = wqe_q.rkey;
    packet.dma_length = reads ? answer_q.packet.bytes : wqe_q.length;
    packet.imm        = wqe_q.imm;
    packet.swap_add   = wqe_q.swap_add;
    packet.compare    = wqe_q.compare;
    packet.qkey       = wqe_q.qkey;
    packet.bytes      = reads ? '0 : answer_q.packet.bytes[12:0];
    packet.address    = wqe_q.gather;
    packet.offset     = answer_q.packet.offset;
    packet.entries    = wqe_q.entries;
  end

  sync_fifo #(
    .Width($bits(packet)),
    .Depth(8)
  ) u_packets (
    .clk_i,
    .rst_ni,
    .s_data_i (packet),
    .s_valid_i(given),
    .s_ready_o(pkt_room),
    .m_data_o (m_pkt_o),
    .m_valid_o(m_pkt_valid_o),
    .m_ready_i(m_pkt_ready_i),
    .count_o  (unused_count)
  );

  assign m_end_valid_o = given;
  assign m_end_o.qpn   = qpn_q;
  assign m_end_o.una   = answer_q.next;
  assign m_end_o.ends  = !answered && answer_q.packet.psn == answer_q.last;

  hca_tx_pkg::local_t work;

  always_comb begin
    work.qpn    = qpn_q;
    work.slot   = found_q;
    work.verb   = wqe_q.verb;
    work.rkey   = wqe_q.rkey;
    work.va     = wqe_q.va;
    work.length = wqe_q.length;
    work.imm    = wqe_q.imm;
    work.qkey   = wqe_q.qkey;
    work.gather = wqe_q.gather;
  end

  sync_fifo #(
    .Width($bits(work)),
    .Depth(8)
  ) u_local (
    .clk_i,
    .rst_ni,
    .s_data_i (work),
    .s_valid_i(state_q == Local),
    .s_ready_o(local_room),
    .m_data_o (m_local_o),
    .m_valid_o(m_local_valid_o),
    .m_ready_i(m_local_ready_i),
    .count_o  (unused_local_count)
  );

endmodule
