#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sanitizers.sh address|thread [--build|VECTORS]: the unit tests built with ASan and UBSan, or those with threads built with TSan, in
# build/<kind>; with ASan also every conformance example of the folder. Prints lines "ROUTE<tab>WHAT<tab>PASSED<tab>FAILED"
# for check.sh. A report of a sanitizer fails its test. --build: only builds them.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

kind=${1:?usage: sanitizers.sh address|thread}
build=$NN_BUILD/$kind
case $kind in
address)
	options=("-Db_sanitize=address,undefined")
	tests=()
	;;
thread)
	options=(-Db_sanitize=thread)
	# Everything that has threads; names of meson tests. Not hal-calibration: it measures time, at length, in
	# processes of one client each.
	tests=(ops_gemm_scalar core core_bounds core_control core_crew core_here core_sched core_stress nativewindow nntrace nnutil_fence
		board_core board_fault board_loop board_mmu board_ring
		hal-buffer hal-burst hal-cache hal-control hal-coupling hal-deadline hal-execute hal-extension hal-fenced
		hal-fences-buffer hal-fences-control hal-fences-fenced hal-fences-promise hal-fences-reusable hal-fences-threads
		hal-fences-user_fences hal-prepare hal-promise hal-recovery hal-request hal-reusable hal-shapes hal-threads hal-threads-4
		hal-trace hal-views
		ipc-connection ipc-connection-limits ipc-device ipc-device-limits ipc-hostile-bursts ipc-kill ipc-left ipc-proxy-burst-proxy
		ipc-proxy-calls ipc-proxy-slot-map ipc-ring ipc-worker ipc-worker-hostile ipc-worker-vendor
		rt-compilation rt-compilation-cache rt-event rt-execution rt-execution-threads rt-memory rt-partition
		rt-extensions rt-hardware-buffer rt-log rt-registry-hotplug rt-run rt-run-fenced rt-run-fenced-user rt-support-library
		sensors-client sensors-client-hostile sensors-core sensors-device sensors-fused sensors-iio-device sensors-looper
		sensors-ndk sensors-queue sensors-ring sensors-service sensors-service-clients sensors-service-hostile
		sensors-service-life sensors-virtual)
	;;
*) nn_die "unknown sanitizer '$kind' (address, thread)" ;;
esac

export ASAN_OPTIONS=halt_on_error=1:detect_leaks=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# A worker forks where TSan's own thread runs already, and ends often.
export TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:atexit_sleep_ms=0
# TSan's own thread does not survive the signal by which a worker drops the privileges of all its threads.
[ "$kind" != thread ] || export NNACCEL_WORKER_SANDBOX=off
if [ ! -f "$build/build.ninja" ]; then
	# b_lundef: the sanitizers' own symbols are resolved at run time.
	nn_logged "meson-setup-$kind" meson setup -Db_lundef=false "${options[@]}" "$build" "$NN_ROOT"
fi
nn_logged "ninja-$kind" ninja -C "$build"
[ "${2:-}" != --build ] || exit 0
rm -f "$build/meson-logs/testlog.json"
nn_slow_now
meson test -C "$build" --no-rebuild --timeout-multiplier $(((4 * NN_SLOW_NOW + 99) / 100)) "${tests[@]}" >"$NN_LOGS/test-$kind.log" 2>&1 </dev/null || :
# count ROUTE WHAT "PASSED FAILED"
count()
{
	local passed failed

	read -r passed failed <<<"${3:-0 1}"
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$passed" "$failed"
}

# verify ROUTE VECTORS OPTION...
verify()
{
	local route=$1 folder=$2 log=$NN_LOGS/verify-$1-$kind.log

	shift 2
	"$build/tools/nnctl/nnctl" verify "$folder" "$@" --jobs "$(nproc)" >"$log" 2>&1 || :
	count "$route" vectors "$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")"
}

count host cases "$("$NN_ROOT/scripts/tally.py" meson "$build/meson-logs/testlog.json")"
if [ -n "${2:-}" ]; then
	verify cpu "$2" --device cpu
	verify runtime "$2" --runtime
fi
