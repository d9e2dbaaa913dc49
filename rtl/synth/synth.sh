#!/bin/sh
# Yosys on every block and variant: what each costs, beside the figures of docs/synth.md. Exit 1 when a path is longer
# than 12 LUT levels. -w: write that file anew; -run PATTERN: only variants that match;
# -at-once N: N Yosys side by side.
set -eu
cd "$(dirname "$0")/../.."
exec go run ./rtl/synth "$@"
