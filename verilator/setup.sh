#!/bin/sh
# Installs what is missing from Debian's packages. Usage: setup.sh TOOL..., by command name; quick when all is there.
set -eu

package_of() {
  case "$1" in
    scapy) echo python3-scapy ;;
    *) echo "$1" ;;
  esac
}

present() {
  case "$1" in
    scapy) /usr/bin/python3 -c 'import scapy' >/dev/null 2>&1 ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

missing=""
for tool in "$@"; do
  present "$tool" || missing="$missing $(package_of "$tool")"
done
[ -n "$missing" ] || exit 0

fail() {
  echo "setup: $1: install by hand, as root: apt-get install$missing" >&2
  exit 3
}

command -v apt-get >/dev/null 2>&1 || fail "missing$missing, and this system has no apt-get"
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 || fail "missing$missing, and neither root nor sudo is here"
  as_root="sudo"
fi

echo "setup: installing$missing" >&2
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # the list is meant to be split
if ! { $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1; then
  tail -5 "$log" >&2
  fail "apt-get could not install$missing (whole log: $log)"
fi
rm -f "$log"
