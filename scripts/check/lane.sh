#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# lane.sh BUILD SUITE [--build]: runs the tests of one of meson's suites (the lanes: tests/meson.build). Prints "PASSED FAILED
# UNSTABLE", failures on stderr. Tests wait half of their time: three run at a time on two processors; those of the lane timing run
# alone. In the suites full and long a program that failed runs again, alone (again.sh). --build: only builds what these tests need.
set -uo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/../lib.sh"

build=$(realpath "$1") suite=$2
log=$NN_LOGS/lane-${build##*/}-$suite.log
processes=$((($(nproc) * 3 + 1) / 2))
[ "$suite" != timing ] || processes=1
if [ "${3:-}" = --build ]; then
	# the lists are those of the last configuration
	ninja -C "$build" build.ninja || exit
	# shellcheck disable=SC2016 # python's
	python3 -c '
import json, sys
info = sys.argv[1] + "/meson-info/intro-"
files = {t["id"]: t["filename"] for t in json.load(open(info + "targets.json"))}
tests = [t for t in json.load(open(info + "tests.json")) if any(s.split(":")[-1] == sys.argv[2] for s in t["suite"])]
print("\n".join(sorted({f for t in tests for d in t["depends"] for f in files[d]})))
' "$build" "$suite" | sed "s,^$build/,," | xargs -d '\n' ninja -C "$build"
	exit
fi
rm -f "$build"/meson-logs/testlog*.json "$build/meson-logs/unstable"
options=(--no-rebuild --print-errorlogs --suite "$suite" --num-processes "$processes")
# A sanitizer sees nothing of scripts. It sees the files of import's cases in fuzz_tflite, which does not start nnctl for each. The
# runtime's tests through a worker are those in process again: with a sanitizer in long.
if [ "$build" != "$(realpath "$NN_BUILD")" ]; then
	options+=(--no-suite house --no-suite import)
	[ "${NN_SUITE:-gate}" = long ] || options+=(--no-suite isolated)
fi
if [ "${NN_SUITE:-gate}" = gate ]; then
	# Only what hangs reaches ten times a limit. limit.py is more exact, and costs a third of these short tests' time.
	meson test -C "$build" "${options[@]}" --timeout-multiplier 10 >"$log" 2>&1 </dev/null
else
	# Limits without the time that a test waited for a processor. A sanitizer makes a program several times slower.
	NN_LIMIT_FACTOR=$([ "$build" = "$(realpath "$NN_BUILD")" ] && echo 1 || echo 4)
	export NN_LIMIT_FACTOR
	meson test -C "$build" "${options[@]}" --timeout-multiplier 0 --wrapper "$NN_ROOT/scripts/check/limit.py $build" >"$log" 2>&1 </dev/null
	# meson names the log after the wrapper, too
	mv -f "$build/meson-logs/testlog-limit.py.json" "$build/meson-logs/testlog.json"
	NN_LANE=$suite "$NN_ROOT/scripts/check/again.sh" meson "$build"
fi
"$NN_ROOT/scripts/tally.py" meson "$build/meson-logs/testlog.json"
