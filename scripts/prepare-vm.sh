#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# prepare-vm.sh [TARGET...]: what "make run" and "make run-sensors" need before they boot. Prints what will be fetched, and how large
# it is; installs the packages; then fetches the kernel and builds the driver for it beside the userspace build, of which only
# nnctl, firmware, libraries, the card's programs and the named targets of ninja are made, no tests.
#
# Exit status 3: the network or a mirror failed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT"

targets=(
	tools/nnctl/nnctl firmware/board/nnaccel-slot firmware/board/nnaccel-card firmware/core/libnnaccel-fw.so
	lib/libnnhal/nnhal-firmware.stamp lib/libneuralnetworks/neuralnetworks-nnhal.stamp lib/libnnipc/worker/nnaccel-worker
	"$@"
)

packages=
[ -z "$(scripts/bootstrap.sh --list build vm)" ] || packages=$(scripts/bootstrap.sh --size build vm)
fetch=$packages
kernel=$(scripts/kernel.sh missing image headers busybox)
[ -z "$kernel" ] || fetch+=${fetch:+, }$kernel
[ -z "$fetch" ] || nn_say "to fetch, once: $fetch"
[ -z "$packages" ] || scripts/bootstrap.sh build vm

# Everything of the kernel and the VM; its own limit of time is the network's.
driver()
{
	local release

	scripts/kernel.sh vmlinux headers busybox >/dev/null
	release=$(scripts/kernel.sh release)
	nn_say "driver: kernel/nnaccel against the headers of $release"
	scripts/module.sh
	tests/vm/initrd.sh >/dev/null
	tests/vm/accel.sh >/dev/null
}

(driver) &
driver=$!
trap 'kill "$driver" 2>/dev/null || :' EXIT
nn_say "userspace: libraries, firmware, nnctl; no tests"
scripts/userspace.sh "${targets[@]}"
rc=0
wait "$driver" || rc=$?
trap - EXIT
[ "$rc" -eq 0 ] || exit "$rc"
