#!/bin/sh
# verilator -Wall over every block at every width. lint.vlt holds the waivers, each with its reason.
set -eu
cd "$(dirname "$0")"

status=0
for top in icrc_check icrc_insert icrc_gate vcrc_check roce_parse ack_gen hca_rx; do
	for width in 64 128 256 512 1024; do
		verilator --lint-only --assert -Wall --top-module "$top" -GDataWidth="$width" lint.vlt -F hca.f || status=1
	done
done
for top in psn_window; do
	verilator --lint-only --assert -Wall --top-module "$top" lint.vlt -F hca.f || status=1
done
for reads in 1 4 16; do
	verilator --lint-only --assert -Wall --top-module req_ack_check -GReads="$reads" lint.vlt -F hca.f || status=1
done
verilator --lint-only --assert -Wall --top-module req_ack_check -GNumQps=65536 -GReads=4 lint.vlt -F hca.f || status=1
for latency in 1 2; do
	for top in ram_1r1w qp_context; do
		verilator --lint-only --assert -Wall --top-module "$top" -GReadLatency="$latency" lint.vlt -F hca.f || status=1
	done
done
for top in sync_fifo rr_arbiter credit_queue axis_skid packet_store; do
	verilator --lint-only --assert -Wall --top-module "$top" lint.vlt -F hca.f || status=1
done
for conns in 4 1024 16384; do
	verilator --lint-only --assert -Wall --top-module falcon_window -GNumConns="$conns" lint.vlt -F hca.f || status=1
done
for top in qp_context resp_psn_check rx_classify mr_lookup; do
	for qps in 4 4096 65536; do
		verilator --lint-only --assert -Wall --top-module "$top" -GNumQps="$qps" lint.vlt -F hca.f || status=1
	done
done
for top in retx_timer; do
	for qps in 32 64 65536; do
		verilator --lint-only --assert -Wall --top-module "$top" -GNumQps="$qps" lint.vlt -F hca.f || status=1
	done
done
exit $status
