#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Process 1 of the guest: runs the command that vm.sh wrote to the results share, writes its results (rc,
# dmesg.txt, tainted) and stops QEMU. The host relies on the file rc only: a guest that panics or is killed
# leaves none.
out=/run/nnaccel/out
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LANG=C.UTF-8 TERM=dumb

# There is no udev here: name the virtio ports as udev would.
mkdir -p /dev/virtio-ports
for port in /sys/class/virtio-ports/*; do
	[ -s "$port/name" ] && ln -sf "../${port##*/}" "/dev/virtio-ports/$(<"$port/name")"
done

# The kernel's /dev has none of these links; bash needs the first one for <(COMMAND).
ln -sfn /proc/self/fd /dev/fd
ln -sfn fd/0 /dev/stdin
ln -sfn fd/1 /dev/stdout
ln -sfn fd/2 /dev/stderr

exec </dev/null
[ -e /dev/virtio-ports/nnaccel.out ] && exec >/dev/virtio-ports/nnaccel.out 2>&1

set -a
# shellcheck disable=SC1091
. "$out/env"
set +a
cd "$NN_ROOT" || exit 1
setsid -w bash "$out/cmd"
rc=$?

dmesg >"$out/dmesg.txt"
cp /proc/sys/kernel/tainted "$out/tainted"
echo "$rc" >"$out/rc.new"
mv "$out/rc.new" "$out/rc"
sync
# The exit port, which an amd64 machine has.
[ ! -c /dev/port ] || printf '\001' | dd of=/dev/port bs=1 seek=244 conv=notrunc status=none
# Elsewhere, and without the port: power off.
echo o >/proc/sysrq-trigger
sleep 60
