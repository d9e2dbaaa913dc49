// SPDX-License-Identifier: Apache-2.0
// What READs and atomics of hca_rx are asked for, one behind the other, in the order of the commits: replay_fifo, then
// the engine that does them. An atomic holds what is behind it until its result is kept.
module hca_rx_engines #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned Ecc = 0,  // of the context memories: docs/ecc.md
  parameter RamStyle = "block"
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  hca_rx_pkg::work_t                 s_work_i,
  input  logic                              s_work_valid_i,
  output logic                              s_work_ready_o,
  input  logic [hca_rx_pkg::CountWidth-1:0] acked_i,  // so many of the first writes are acknowledged

  input  logic [hca_rx_pkg::OpWidth-1:0]    op_i,
  input  logic                              op_valid_i,  // goes before what is asked
  output logic                              op_ready_o,
  output logic                              op_sets_o,   // the QP begins anew

  output read_pkg::cmd_t                    m_read_o,
  output logic                              m_read_valid_o,
  input  logic                              m_read_ready_i,

  output atomic_pkg::read_t                 m_ard_o,
  output logic                              m_ard_valid_o,
  input  logic                              m_ard_ready_i,

  input  logic [5:0]                        s_ard_tag_i,
  input  logic                              s_ard_error_i,
  input  logic [63:0]                       s_ard_data_i,
  input  logic                              s_ard_valid_i,
  output logic                              s_ard_ready_o,

  output atomic_pkg::write_t                m_awr_o,
  output logic                              m_awr_valid_o,
  input  logic                              m_awr_ready_i,

  input  logic [5:0]                        s_awr_tag_i,
  input  logic                              s_awr_error_i,
  input  logic                              s_awr_valid_i,
  output logic                              s_awr_ready_o,

  output hca_rx_pkg::turn_t                 m_turn_o,
  output logic                              m_turn_valid_o,
  input  logic                              m_turn_ready_i
);

  typedef enum logic [2:0] {
    StateIdle   = 3'd0,
    StateKnow   = 3'd1,  // replay_fifo and the PMTU are awaited
    StateBegin  = 3'd2,  // the writes before it, and the engine
    StateResult = 3'd3,  // of an atomic
    StateKeep   = 3'd4,  // it goes to replay_fifo
    StateTurn   = 3'd5   // its turn goes on
  } state_e;

  hca_rx_pkg::work_t work;
  state_e state_q, state_d;
  logic work_valid, work_pop, unused_work;
  logic [6:0] unused_work_count;

  sync_fifo #(
    .Width($bits(work)),
    .Depth(64)
  ) u_works (
    .clk_i,
    .rst_ni,
    .s_data_i (s_work_i),
    .s_valid_i(s_work_valid_i),
    .s_ready_o(s_work_ready_o),
    .m_data_o (work),
    .m_valid_o(work_valid),
    .m_ready_i(work_pop),
    .count_o  (unused_work_count)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // replay_fifo, and the path MTU of each QP.

  replay_pkg::query_t op, ask, result, replay_in;
  replay_pkg::result_t replay;
  logic asks, keeps, replay_push, replay_ready, replay_valid, replay_in_valid, replay_in_ready, unused_replay;
  logic [2:0] pmtu, unused_replay_count;
  logic pmtu_ready, pmtu_told, is_atomic, good_pmtu;

  assign op         = op_i[$bits(op)-1:0];
  assign op_ready_o = replay_ready & pmtu_ready;
  assign good_pmtu  = op.pmtu != 3'd0 && op.pmtu < 3'd6;
  assign op_sets_o  = op_valid_i & op_ready_o & (op.op == replay_pkg::OpSet) & good_pmtu;
  assign is_atomic  = work.kind == replay_pkg::KindAtomic;
  assign asks       = (state_q == StateIdle) & work_valid & ~work.passes & op_ready_o & ~op_valid_i;
  assign keeps      = (state_q == StateKeep) & op_ready_o & ~op_valid_i;
  assign replay_push = (op_valid_i & op_ready_o) | asks | keeps;

  always_comb begin
    ask          = '0;
    ask.op       = work.duplicate ? replay_pkg::OpLookUp : replay_pkg::OpKeep;
    ask.qpn      = work.answer.qpn;
    ask.psn      = work.answer.psn;
    ask.kind     = replay_pkg::KindRead;
    if (work.kind == replay_pkg::KindAtomic) ask.kind = replay_pkg::KindAtomic;
    if (work.kind == replay_pkg::KindAtomicWrite) ask.kind = replay_pkg::KindAtomicWrite;
    if (work.kind == replay_pkg::KindFlush) ask.kind = replay_pkg::KindFlush;
    ask.last_psn = work.last_psn;
    ask.asked    = {work.bytes, work.rkey, work.va};
  end

  sync_fifo #(
    .Width($bits(replay_in)),
    .Depth(4)
  ) u_replay_in (
    .clk_i,
    .rst_ni,
    .s_data_i (op_valid_i ? op : asks ? ask : result),
    .s_valid_i(replay_push),
    .s_ready_o(replay_ready),
    .m_data_o (replay_in),
    .m_valid_o(replay_in_valid),
    .m_ready_i(replay_in_ready),
    .count_o  (unused_replay_count)
  );

  replay_fifo #(
    .NumQps  (NumQps),
    .Slots   (hca_rx_pkg::ReplaySlots),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_replay (
    .clk_i,
    .rst_ni,
    .s_op_i      (replay_in.op),
    .s_qpn_i     (replay_in.qpn),
    .s_psn_i     (replay_in.psn),
    .s_kind_i    (replay_in.kind),
    .s_last_i    (replay_in.last_psn),
    .s_va_i      (replay_in.asked.va),
    .s_rkey_i    (replay_in.asked.rkey),
    .s_bytes_i   (replay_in.asked.bytes),
    .s_original_i(replay_in.original),
    .s_pmtu_i    (replay_in.pmtu),
    .s_depth_i   (replay_in.depth),
    .s_valid_i   (replay_in_valid),
    .s_ready_o   (replay_in_ready),
    .m_qpn_o     (replay.qpn),
    .m_op_o      (replay.op),
    .m_found_o   (replay.found),
    .m_slot_o    (replay.slot),
    .m_known_o   (replay.known),
    .m_original_o(replay.original),
    .m_valid_o   (replay_valid),
    .m_ready_i   (1'b1)
  );

  hca_rx_word #(
    .NumQps  (NumQps),
    .Width   (3),
    .RamStyle(RamStyle)
  ) u_pmtu (
    .clk_i,
    .rst_ni,
    .ready_o(pmtu_ready),
    .qpn_i  (op_valid_i ? op.qpn : work.answer.qpn),
    .word_i (op.pmtu),
    .set_i  (op_sets_o),
    .ask_i  (asks),
    .word_o (pmtu),
    .told_o (pmtu_told)
  );

  // What was said of the head.
  logic sized_q, looked_q, found_q, lost_q, known, lost, silent, looked;
  logic [2:0] pmtu_q;
  logic [63:0] original_q;
  atomic_pkg::result_t res;
  atomic_pkg::status_e status_q;
  logic res_valid, res_ready;

  // With Ecc a keep is awaited too: of a QP whose word was lost nothing is done.
  assign looked    = replay_valid && (replay.op == replay_pkg::OpLookUp ||
                                      (Ecc != 0 && replay.op == replay_pkg::OpKeep));
  assign known     = sized_q & (looked_q | (Ecc == 0 & ~work.duplicate));
  assign lost      = Ecc != 0 & lost_q;
  assign silent    = lost | (work.duplicate & (~found_q | ~work.allowed));
  assign res_ready = state_q == StateResult;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sized_q  <= 1'b0;
      looked_q <= 1'b0;
    end else if (asks) begin
      sized_q  <= 1'b0;
      looked_q <= 1'b0;
    end else begin
      if (pmtu_told) sized_q <= 1'b1;
      if (looked) looked_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (asks) status_q <= atomic_pkg::StatusDone;
    if (pmtu_told) pmtu_q <= pmtu;
    if (looked) begin
      found_q    <= replay.found;
      lost_q     <= ~replay.found & replay.known;
      original_q <= replay.original;
    end
    if (res_valid & res_ready) begin
      original_q <= res.original;
      status_q   <= res.status;
    end
  end

  always_comb begin
    result          = '0;
    result.op       = replay_pkg::OpResult;
    result.qpn      = work.answer.qpn;
    result.psn      = work.answer.psn;
    result.kind     = replay_pkg::KindAtomic;
    result.original = original_q;
  end

  assign unused_replay = ^{replay.qpn, replay.slot, op};

  // ---------------------------------------------------------------------------------------------------------------
  // The engines. What they do stands behind every write of a packet before it.

  logic [hca_rx_pkg::CountWidth-1:0] ahead;
  logic written, begins, atomic_valid, atomic_ready, unused_id;

  assign ahead          = acked_i - work.writes;
  assign written        = ~ahead[hca_rx_pkg::CountWidth-1];
  assign begins         = (state_q == StateBegin) & written;
  assign m_read_valid_o = begins & ~is_atomic;
  assign atomic_valid   = begins & is_atomic;

  always_comb begin
    m_read_o          = '0;
    m_read_o.qpn      = work.answer.qpn;
    m_read_o.psn      = work.answer.psn;
    m_read_o.address  = work.address;
    m_read_o.bytes    = work.bytes;
    m_read_o.pmtu     = pmtu_q;
    m_read_o.msn      = work.answer.msn;
    m_read_o.syndrome = work.answer.syndrome;
  end

  atomic_engine u_atomic (
    .clk_i,
    .rst_ni,
    .s_cmd_add_i     (work.is_add),
    .s_cmd_qpn_i     (work.answer.qpn),
    .s_cmd_psn_i     (work.answer.psn),
    .s_cmd_address_i (work.address),
    .s_cmd_compare_i (work.compare),
    .s_cmd_swap_add_i(work.swap_add),
    .s_cmd_valid_i   (atomic_valid),
    .s_cmd_ready_o   (atomic_ready),
    .m_read_tag_o    (m_ard_o.tag),
    .m_read_address_o(m_ard_o.address),
    .m_read_valid_o  (m_ard_valid_o),
    .m_read_ready_i  (m_ard_ready_i),
    .s_read_tag_i    (s_ard_tag_i),
    .s_read_error_i  (s_ard_error_i),
    .s_read_data_i   (s_ard_data_i),
    .s_read_valid_i  (s_ard_valid_i),
    .s_read_ready_o  (s_ard_ready_o),
    .m_write_tag_o    (m_awr_o.tag),
    .m_write_address_o(m_awr_o.address),
    .m_write_data_o   (m_awr_o.data),
    .m_write_valid_o  (m_awr_valid_o),
    .m_write_ready_i  (m_awr_ready_i),
    .s_write_tag_i   (s_awr_tag_i),
    .s_write_error_i (s_awr_error_i),
    .s_write_valid_i (s_awr_valid_i),
    .s_write_ready_o (s_awr_ready_o),
    .m_res_qpn_o     (res.id.qpn),
    .m_res_psn_o     (res.id.psn),
    .m_res_status_o  (res.status),
    .m_res_original_o(res.original),
    .m_res_valid_o   (res_valid),
    .m_res_ready_i   (res_ready)
  );

  assign unused_id = ^res.id;

  // ---------------------------------------------------------------------------------------------------------------
  // One behind the other.

  always_comb begin
    state_d = state_q;
    case (state_q)
      StateIdle: if (asks) state_d = StateKnow;
      StateKnow: if (known) state_d = silent || (work.duplicate && is_atomic) ? StateTurn : StateBegin;
      StateBegin: begin
        if (m_read_valid_o & m_read_ready_i) state_d = StateTurn;
        if (atomic_valid & atomic_ready) state_d = StateResult;
      end
      StateResult: if (res_valid) state_d = StateKeep;
      StateKeep: if (keeps) state_d = StateTurn;
      StateTurn: if (m_turn_ready_i) state_d = StateIdle;
      default: state_d = StateIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StateIdle;
    else state_q <= state_d;
  end

  assign m_turn_valid_o = work_valid & ((state_q == StateTurn) | ((state_q == StateIdle) & work.passes));
  assign work_pop       = m_turn_valid_o & m_turn_ready_i;
  assign unused_work    = ^work;

  always_comb begin
    m_turn_o          = '0;
    m_turn_o.answer   = work.answer;
    m_turn_o.original = original_q;
    m_turn_o.frees    = ~work.duplicate;
    m_turn_o.what     = work.passes ? hca_rx_pkg::TurnPass : is_atomic ? hca_rx_pkg::TurnAtomic : hca_rx_pkg::TurnRead;
    m_turn_o.status   = hca_rx_pkg::EndAnswered;
    if (is_atomic && status_q != atomic_pkg::StatusDone) m_turn_o.status = hca_rx_pkg::EndFailed;
    if (silent && !work.passes) begin
      m_turn_o.what   = hca_rx_pkg::TurnSilent;
      m_turn_o.status = lost ? hca_rx_pkg::EndLost : found_q ? hca_rx_pkg::EndNoAccess : hca_rx_pkg::EndNotKept;
    end
  end


endmodule
