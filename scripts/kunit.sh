#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# kunit.sh: runs the driver's KUnit tests (kernel/nnaccel/tests) in user-mode Linux, against its mock device. Prints TAP with one
# line for each case, then the coverage of the driver. Time in there passes only while something runs: limits of minutes cost
# nothing. Results are in build/kunit.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT"

cache=${NNACCEL_UML_CACHE:-$(scripts/own-kernel.sh uml)}
read -r release version <"$cache/kernel/current-${NNACCEL_KERNEL_SERIES:-6.12}"
store=$cache/kernel/${release}_${version//[:\/]/_}
out=$NN_BUILD/kunit
rm -rf "$out"
mkdir -p "$out/gcda"
KDIR=$store/headers/usr/src/linux-headers-$release scripts/module.sh --out "$out/module" ARCH=um NNACCEL_KUNIT=y >&2

# A test that hangs spins or waits for the host: its own waits take no time.
timeout 300 "$store/image/linux" mem=512M time-travel=inf-cpu rootfstype=hostfs root=/dev/root init="$NN_ROOT/tests/kunit/init.sh" \
	con=none con0=null,fd:1 rw kunit.enable=1 NN_OUT="$out" NN_MODULE="$out/module/kernel/nnaccel/nnaccel.ko" \
	NN_BUSYBOX="$(scripts/kernel.sh busybox)" >"$out/console" 2>&1 </dev/null || nn_say "user-mode Linux ended with $?"
exec scripts/kunit.py "$out"
