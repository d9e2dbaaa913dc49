#!/bin/sh
# The proofs of this folder, as a table. Exit 1 when one fails or does not reject its planted fault.
set -eu
cd "$(dirname "$0")/../.."
exec go run ./rtl/formal
