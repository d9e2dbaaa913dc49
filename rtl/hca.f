//go:build ignore
// (The line above keeps the go command from taking this folder's .f for Fortran.)
//
// Every source, in levels: a file uses only files of earlier levels, and parts before it in its own. Paths are relative to this file.
// 1. numbers
pkg/ib_pkg.sv
pkg/hca_pkg.sv
pkg/ack_pkg.sv
pkg/classify_pkg.sv
pkg/locate_pkg.sv
pkg/mr_pkg.sv
pkg/psn_pkg.sv
pkg/req_pkg.sv
pkg/resp_pkg.sv
pkg/rx_pkg.sv
pkg/timer_pkg.sv
pkg/window_pkg.sv
// 2. cells
lib/axis_rules.sv
lib/record_rules.sv
lib/axis_skid.sv
lib/credit_queue.sv
lib/delay_line.sv
lib/keep_count.sv
lib/leading_ones.sv
lib/crc_stream.sv
lib/crc_rewind.sv
lib/sync_fifo.sv
lib/rr_arbiter.sv
lib/ram_1r1w.sv
lib/rotate_bytes.sv
lib/packet_store.sv
// 3. parts of blocks
lib/crc_judge.sv
lib/verdict_output.sv
lib/record_pipe.sv
icrc/icrc_mask.sv
icrc/icrc_locate.sv
rx/roce_opcode.sv
rx/roce_fields.sv
rx/roce_headers.sv
rx/roce_payload.sv
rx/rx_admit.sv
rx/ack_frame.sv
ctx/qp_context.sv
ctx/mr_decide.sv
psn/req_decide.sv
psn/resp_opcode.sv
psn/resp_facts.sv
psn/resp_decide.sv
timer/retx_ops.sv
timer/retx_scan.sv
falcon/window_receive.sv
falcon/window_transmit.sv
falcon/window_missing.sv
// 4. blocks
icrc/icrc_check.sv
icrc/icrc_insert.sv
icrc/icrc_gate.sv
vcrc/vcrc_check.sv
psn/psn_window.sv
rx/roce_parse.sv
rx/rx_classify.sv
ctx/mr_lookup.sv
rx/ack_gen.sv
psn/req_ack_check.sv
psn/resp_psn_check.sv
timer/retx_timer.sv
falcon/falcon_window.sv
// 5. joined
top/hca_rx.sv
