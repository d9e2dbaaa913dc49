#!/bin/sh
# Yosys on every block at every width: LUTs, registers and the longest path between registers, beside the figures that
# docs/synth.md has. With -w that file is written anew. Takes minutes; two blocks at a time.
set -eu
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

sources=$(sed -e 's#//.*##' -e '/^ *$/d' -e 's#^#rtl/#' rtl/hca.f | tr '\n' ' ')
# One block at one width, as $1-$2.
cat >"$work/one.sh" <<SCRIPT
set -eu
if ! yosys -q -p "read_verilog -sv $sources; chparam -set DataWidth \$2 \$1; \
	synth_xilinx -family xcup -flatten -noiopad -noclkbuf -top \$1; write_json $work/\$1-\$2.json" >$work/\$1-\$2.log 2>&1; then
	echo "yosys failed on \$1 at \$2 bits:" >&2
	grep -v 'Detected loop' $work/\$1-\$2.log | tail -5 >&2
	exit 1
fi
SCRIPT

# Wide ones first: the last to end decides.
for width in 1024 512 256 128 64; do
	for top in icrc_insert icrc_check vcrc_check; do
		echo "$top $width"
	done
done | xargs -P 2 -L 1 sh "$work/one.sh"

go run ./rtl/synth "$@" "$work"/*.json
