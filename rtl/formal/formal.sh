#!/bin/sh
# The proofs of this folder, as a table. Exit 1 when one fails or does not reject its planted fault. -run PATTERN: only
# blocks and properties that match; -w: write the rows of docs/formal.md.
set -eu
cd "$(dirname "$0")/../.."
exec go run ./rtl/formal "$@"
