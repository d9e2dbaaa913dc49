#!/bin/sh
# verilator -Wall over every block at every size that its manifest names, and over the cells. lint.vlt holds the
# waivers, each with its reason.
set -eu
cd "$(dirname "$0")"

status=0
lint() { # TOP [-GParameter=value ...]
	top=$1
	shift
	verilator --lint-only --assert -Wall --top-module "$top" "$@" lint.vlt -F hca.f || status=1
}

# sizes_of prints a line of arguments for each size of a manifest: {NumQps: 64, Reads: 16} is -GNumQps=64 -GReads=16.
sizes_of() {
	sed -n 's/^sizes: *\[{\(.*\)}\]$/\1/p' "$1" | sed 's/}, *{/\n/g' | sed 's/\([A-Za-z0-9]*\): */-G\1=/g; s/,//g'
}

# Blocks.
for manifest in */*.yaml; do
	case $manifest in *.faults.yaml) continue ;; esac
	top=$(sed -n 's/^top: *//p' "$manifest")
	lint "$top"
	sizes=$(sizes_of "$manifest")
	if grep -q '^sizes:' "$manifest" && [ -z "$sizes" ]; then
		echo "rtl/lint.sh: cannot read the sizes of $manifest: write them as [{NAME: N}, {NAME: N}] in one line" >&2
		status=1
	fi
	while read -r size; do
		# shellcheck disable=SC2086 # a size is several arguments
		[ -z "$size" ] || lint "$top" $size
	done <<-END
		$sizes
	END
done

# Sizes that no manifest names.
for reads in 1 4 16; do lint req_ack_check -GReads="$reads"; done
lint req_ack_check -GNumQps=65536 -GReads=4
lint falcon_window -GNumConns=4
for qps in 32 65536; do lint retx_timer -GNumQps="$qps"; done

# Cells.
for latency in 1 2; do
	for top in ram_1r1w qp_context; do lint "$top" -GReadLatency="$latency"; done
done
for qps in 4 4096 65536; do lint qp_context -GNumQps="$qps"; done
for top in sync_fifo rr_arbiter credit_queue axis_skid packet_store record_pipe; do lint "$top"; done
exit $status
