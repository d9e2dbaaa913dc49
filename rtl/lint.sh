#!/bin/sh
# Lints every top with every legal width: verilator --lint-only -Wall; lint.vlt holds the waivers with their reasons.
set -eu
cd "$(dirname "$0")"
for manifest in */*.yaml; do
  top=$(sed -n 's/^top: *//p' "$manifest")
  for width in 64 128 256 512 1024; do
    verilator --lint-only -Wall --top-module "$top" "-GDataWidth=$width" lint.vlt -f hca.f ||
      { echo "lint: $top at $width bits" >&2; exit 1; }
  done
done
