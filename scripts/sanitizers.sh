#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sanitizers.sh boundary|address|thread [--build|VECTORS]: unit tests built with sanitizers, in build/<kind>. A report of a
# sanitizer fails its test.
#
#   boundary  ASan and UBSan: parsers and trust boundaries (meson's suite boundary); only they are built. Prints "PASSED FAILED"
#   address   ASan and UBSan: all, and every conformance example of the folder VECTORS; with NN_SUITE=long also operations
#             while a client writes (suite torn)
#   thread    TSan: those with threads (meson's suite threads)
#
# address and thread print lines "ROUTE<tab>WHAT<tab>PASSED<tab>FAILED<tab>UNSTABLE" for check.sh. --build only builds.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

kind=${1:?usage: sanitizers.sh boundary|address|thread [--build|VECTORS]}
build=$NN_BUILD/$kind
case $kind in
# The kernels of instruction sets parse nothing, and are half of the build. Its tests are short: to compile them takes the time,
# and without optimization a third of it.
boundary) options=("-Db_sanitize=address,undefined" -Disa=scalar -Doptimization=0) suites=(boundary) ;;
address)
	options=("-Db_sanitize=address,undefined" -Doptimization=1) suites=(gate full)
	[ "${NN_SUITE:-}" != long ] || suites+=(torn)
	;;
thread) options=(-Db_sanitize=thread -Doptimization=1) suites=(threads) ;;
*) nn_die "unknown kind '$kind' (boundary, address, thread)" ;;
esac

export ASAN_OPTIONS=halt_on_error=1:detect_leaks=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# A worker forks where TSan's own thread runs already, and ends often.
export TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:atexit_sleep_ms=0
# TSan's own thread does not survive the signal by which a worker drops the privileges of all its threads.
[ "$kind" != thread ] || export NNACCEL_WORKER_SANDBOX=off
if [ ! -f "$build/build.ninja" ]; then
	# b_lundef: the sanitizers' own symbols are resolved at run time. Lines are enough for a report, and half of the time to compile.
	nn_logged "meson-setup-$kind" meson setup -Db_lundef=false -Ddebug=false -Dc_args=-g1 "${options[@]}" "$build" \
		"$NN_ROOT"
fi
if [ "$kind" = boundary ]; then
	nn_logged "ninja-$kind" "$NN_ROOT/scripts/check/lane.sh" "$build" boundary --build
else
	nn_logged "ninja-$kind" ninja -C "$build"
fi
[ "${2:-}" != --build ] || exit 0
if [ "$kind" = boundary ]; then
	"$NN_ROOT/scripts/check/lane.sh" "$build" boundary
	exit
fi
# count ROUTE WHAT "PASSED FAILED [UNSTABLE]"
count()
{
	local passed failed unstable

	read -r passed failed unstable <<<"${3:-0 1}"
	printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$passed" "$failed" "${unstable:-0}"
}

# verify ROUTE VECTORS OPTION...
verify()
{
	local route=$1 folder=$2 log=$NN_LOGS/verify-$1-$kind.log

	shift 2
	"$build/tools/nnctl/nnctl" verify "$folder" "$@" --jobs "$(nproc)" >"$log" 2>&1 || :
	count "$route" vectors "$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")"
}

for suite in "${suites[@]}"; do
	count "lane $suite" cases "$("$NN_ROOT/scripts/check/lane.sh" "$build" "$suite")"
done
if [ -n "${2:-}" ]; then
	verify cpu "$2" --device cpu
	verify runtime "$2" --runtime
fi
