#!/bin/sh
# make live: a Linux guest with Soft-RoCE in QEMU against the model. docs/live.md walks through it.
#
#   live.sh COSIM [END]   runs; without QEMU and its packages it says that it was skipped. END: model, or hca_rx+hca_tx,
#                         which is RTL
#
# Packages are downloaded and unpacked into build/live, none is installed. HCACOSIM_LIVE is another place for them.
set -eu
cosim=$(realpath "$1")
end=${2:-model}
here=$(cd "$(dirname "$0")" && pwd)
dir=${HCACOSIM_LIVE:-$here/../../../build/live}
mkdir -p "$dir/debs"
dir=$(cd "$dir" && pwd)
root=$dir/root
timeout=${HCACOSIM_LIVE_TIMEOUT:-21} # code of both transport timers: 8.6 s, for the guest may be emulated
lib=$root/usr/lib/x86_64-linux-gnu
model_ip=10.9.0.1 guest_ip=10.9.0.2 net=24
[ "${HCACOSIM_LIVE_IP:-4}" = 4 ] || model_ip=fd00::a:1 guest_ip=fd00::b:2 net=64
began=$(date +%s)
if [ "$end" = model ]; then
  set --
  judged="--profile rxe"
else # a simulator is slow: it decides a packet some time before that leaves
  set -- --a "$end" --set profile=spec
  judged="--profile spec --behind 100ms"
fi

skip() { echo "make live: skipped: $*"; exit 0; }
say() { echo "$(($(date +%s) - began)) s: $*"; }

# packages downloads what the machine does not have, and unpacks it.
packages() {
  [ -e "$dir/unpacked" ] && return
  command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
    skip "it needs Debian's packages, and there is no apt-get"
  kernel=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-/ {print $2; exit}')
  [ -n "$kernel" ] || skip "apt knows no linux-image-amd64: run apt-get update"
  needed=$(apt-get -s install --no-install-recommends qemu-system-x86 iproute2 busybox-static libibverbs-dev \
    ibverbs-providers 2>/dev/null | awk '/^Inst/ {print $2}')
  # shellcheck disable=SC2086 # they are words
  (cd "$dir/debs" && apt-get -q download $(printf '%s\n' "$kernel" $needed qemu-system-x86 qemu-system-data seabios \
    iproute2 busybox-static libibverbs1 libibverbs-dev ibverbs-providers | sort -u) >"$dir/apt.log" 2>&1) ||
    skip "the packages cannot be downloaded: $dir/apt.log"
  for deb in "$dir"/debs/*.deb; do dpkg -x "$deb" "$root"; done
  touch "$dir/unpacked"
}

# simulators builds those of the end before the guest waits for it.
simulators() {
  [ "$end" != model ] || return 0
  command -v verilator >/dev/null || skip "$end needs Verilator"
  for dut in $(echo "$end" | tr + ' '); do
    "$cosim" run --flavour fast --dut "$dut" --count 100 >"$dir/$dut.log" 2>&1 || { cat "$dir/$dut.log"; exit 4; }
  done
}

# with puts programs and the libraries that they need into the guest.
with() {
  for program; do
    install -D "$program" "$guest/bin/$(basename "$program")"
    ldd "$program" 2>/dev/null | awk '$3 ~ /^\// {print $3} $1 ~ /^\// {print $1}' | while read -r so; do
      install -D "$so" "$guest/lib/$(basename "$so")"
    done
  done
}

# modules puts the kernel modules that the guest loads into it, and says which need which.
modules() {
  from=$root/lib/modules/$version/kernel
  to=$guest/lib/modules/$version/kernel
  for part in crypto arch/x86/crypto lib drivers/infiniband/core drivers/infiniband/sw/rxe net/ipv4/udp_tunnel.ko \
    net/ipv6/ip6_udp_tunnel.ko drivers/net/ethernet/intel/e1000 drivers/dma-buf; do
    [ -e "$from/$part" ] || continue
    mkdir -p "$to/$(dirname $part)"
    cp -r "$from/$part" "$to/$(dirname $part)/"
  done
  cp "$root/lib/modules/$version"/modules.builtin* "$root/lib/modules/$version/modules.order" "${to%/*}/"
  "$root/bin/busybox" depmod -b "$guest" "$version"
}

# initramfs makes the guest's file system.
initramfs() {
  guest=$dir/guest
  rm -rf "$guest"
  mkdir -p "$guest/bin" "$guest/lib" "$guest/proc" "$guest/sys" "$guest/dev" "$guest/etc/libibverbs.d" "$guest/sbin"
  ln -s lib "$guest/lib64"
  with "$root/bin/busybox" "$root/bin/ip" "$root/usr/bin/rdma" "$dir/verbs"
  ln -s /bin/busybox "$guest/sbin/modprobe"
  install "$here/init" "$guest/init"
  echo "driver rxe" >"$guest/etc/libibverbs.d/rxe.driver"
  install -D "$lib"/libibverbs/librxe-rdmav*.so -t "$guest/usr/lib/x86_64-linux-gnu/libibverbs"
  modules
  (cd "$guest" && find . | "$root/bin/busybox" cpio -o -H newc 2>/dev/null | gzip -1) >"$dir/initrd.gz"
}

# boot starts the guest; its link is a socket, and filter-dump captures it.
boot() {
  accel=$1
  rm -f "$dir/socket" "$dir/console"
  qemu=$(command -v qemu-system-x86_64 || echo "$root/usr/bin/qemu-system-x86_64")
  timeout 1500 "$qemu" -L "$root/usr/share/qemu" -L "$root/usr/share/seabios" -accel "$accel" -m 384 -smp 1 \
    -display none -vga none -no-reboot -monitor none -serial "file:$dir/console" \
    -kernel "$root/boot/vmlinuz-$version" -initrd "$dir/initrd.gz" \
    -append "console=ttyS0 quiet panic=-1 no_timer_check guest=$guest_ip model=$model_ip net=$net" \
    -netdev "stream,id=n,server=on,addr.type=unix,addr.path=$dir/socket" \
    -device e1000,netdev=n,mac=02:00:00:00:00:0b,romfile= \
    -object "filter-dump,id=d,netdev=n,file=$dir/live.b.pcap,maxlen=65536" >"$dir/qemu.log" 2>&1 &
  pid=$!
  trap 'kill $pid 2>/dev/null || true' EXIT
  trap 'exit 6' INT TERM
}

# boots waits until the guest's kernel has come up.
boots() {
  for _ in $(seq "$1"); do
    grep -aq '^GUEST boots' "$dir/console" 2>/dev/null && return
    kill -0 $pid 2>/dev/null || return
    sleep 1
  done
  return 1
}

# start boots the guest with KVM, and where that is not there or does not work, without.
start() {
  if [ -w /dev/kvm ] && [ "${HCACOSIM_ACCEL:-kvm}" = kvm ]; then
    boot kvm
    if boots 30 && kill -0 $pid 2>/dev/null; then return; fi
    kill $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    say "no guest comes up with KVM; without it"
  fi
  boot tcg
}

# told waits until the guest says a word, and has the line in $line. Not for $(..): only the shell that began the guest
# learns that it has ended.
told() {
  while ! grep -aq "^GUEST.*$1" "$dir/console" 2>/dev/null; do
    kill -0 $pid 2>/dev/null || { echo "make live: the guest ended: $dir/console, $dir/qemu.log" >&2; exit 4; }
    ! grep -aq '^GUEST failed' "$dir/console" 2>/dev/null || { grep -a '^GUEST' "$dir/console" >&2; exit 1; }
    sleep 1
  done
  line=$(grep -a "^GUEST.*$1" "$dir/console" | tr -d '\r')
}

# sidecar tells `cosim check` what both sides know, so that it judges timers, keys and every PSN.
sidecar() {
  both='"timeout": '$timeout', "retry_cnt": 7, "rnr_retry": 7, "min_rnr_timer": 12, "max_rd_atomic": 8,
    "max_dest_rd_atomic": 8, "mr_len": 2621440, "access": 15'
  cat >"$dir/live.json" <<END
{"qp_type": "RC", "path_mtu": 1024,
 "a": {"ip": "$model_ip", "mac": "02:00:00:00:00:0a", "qpn": 17, "dest_qpn": $(($(value qpn))), "sq_psn": 256,
    "rq_psn": 16777200, "mr_iova": 268435456, "rkey": 4097, $both},
 "b": {"ip": "$guest_ip", "mac": "02:00:00:00:00:0b", "qpn": $(($(value qpn))), "dest_qpn": 17, "sq_psn": 16777200,
    "rq_psn": 256, "mr_iova": $((va)), "rkey": $(($(value key))), $both}}
END
}

# value is what a line says about a name.
value() { echo "$line" | sed "s/.*$1=\([0-9a-fx]*\).*/\1/"; }

command -v cc >/dev/null || skip "the guest's program needs a C compiler"
packages
simulators
LD_LIBRARY_PATH=$(find "$root" -name '*.so.*' -printf '%h\n' | sort -u | tr '\n' ':')
export LD_LIBRARY_PATH
version=$(basename "$root"/lib/modules/*)
# shellcheck disable=SC2086 # they are words
cc -O2 -Wall -Wextra -Werror -DTIMEOUT="$timeout" ${HCACOSIM_LIVE_CFLAGS:-} -o "$dir/verbs" "$here/verbs.c" \
  -I"$root/usr/include" -L"$lib" -libverbs -Wl,--allow-shlib-undefined
initramfs
cp "$here/model.yaml" "$dir/"
"$dir/verbs" fill model >"$dir/model.in"
"$dir/verbs" image model >"$dir/model.want"
start
say "a guest with kernel $version boots ($accel)"
told 'qpn='
say "$line"
va=$(value va)
sidecar
at() { printf '0x%x' $((va + $1)); }
"$cosim" link "$@" --b "socket:$dir/socket" --session "$dir/model.yaml" --pcap "$dir/live" \
  --set "qps.0.peer=$(value qpn)" \
  --set "qps.0.posts.1.key=$(value key)" --set "qps.0.posts.1.remote=$(at 0x80000)" \
  --set "qps.0.posts.2.key=$(value key)" --set "qps.0.posts.2.remote=$(at 0)" \
  --set "qps.0.posts.3.key=$(value key)" --set "qps.0.posts.3.remote=$(at 0x200000)" \
  --set "address=$model_ip" --set "peer.address=$guest_ip" \
  --set "loss={percent: ${HCACOSIM_LIVE_LOSS:-0}, seed: ${HCACOSIM_LIVE_SEED:-1}}" --set "qps.0.timeout=$timeout"
say "$end is done"
told 'memory agrees'
echo "$line"
told 'done'
echo "$line"
wait $pid || true
trap - EXIT
cmp "$dir/model.out" "$dir/model.want"
echo "$end: memory agrees"
clean() {
  "$cosim" check "$@" "$dir/live.$at.pcap" >"$dir/check.$at" || { cat "$dir/check.$at"; exit 1; }
  grep -E '^/| packets, |no violation|violations:' "$dir/check.$at"
}
# shellcheck disable=SC2086 # they are words
at=a && clean $judged
at=b && clean --profile rxe
say "make live: $end: both memories agree, both captures are clean"
