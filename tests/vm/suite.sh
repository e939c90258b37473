#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# suite.sh: inside the guest, runs the tests of the plan one after another. The plan (NN_PLAN) has a line
# "name <tab> seconds <tab> program" for each; the result of a test is a line in results.tsv, its output a file in
# tests/. The host counts (scripts/tally.py): a test in the plan without a result has failed.
#
# After each test every card must be online. A card that is not gets one reload of the driver; if that does not help, the suite
# ends, and the file "ended" names the test and the reason: the tests that follow would only wait for a dead card.
set -uo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

mkdir -p "$NN_OUT/tests" /run/nnaccel
export NN_TEST_TMP=/run/nnaccel/tmp
failed=0
while IFS=$'\t' read -r name limit program; do
	rm -rf "$NN_TEST_TMP"
	mkdir -p "$NN_TEST_TMP"
	log_mark "$name"
	# Limits follow the current speed: a busy machine is not a failure.
	NN_SLOW=$(slowness)
	export NN_SLOW
	limit=$((limit * NN_SLOW))
	t0=${EPOCHREALTIME/[.,]/}
	! driver_loaded || fresh_nodes
	case $program in
	*.sh) command=(bash "$program") ;;
	*)
		command=("$program")
		# Load the driver for a kselftest, in case the previous test has unloaded it.
		driver_loaded || load_driver
		;;
	esac
	timeout -k 15 "$limit" "${command[@]}" >"$NN_OUT/tests/$name.log" 2>&1 </dev/null &
	pid=$!
	# A test that cannot be killed hangs in the kernel: print where, and stop the suite.
	stuck=0
	end=$((SECONDS + limit + 30 * NN_SLOW))
	while kill -0 "$pid" 2>/dev/null; do
		if [ "$SECONDS" -ge "$end" ]; then
			echo w >/proc/sysrq-trigger
			stuck=1
			break
		fi
		sleep 0.05
	done
	rc=stuck
	if [ "$stuck" = 0 ]; then
		rc=0
		wait "$pid" || rc=$?
	fi
	ms=$(((${EPOCHREALTIME/[.,]/} - t0) / 1000))
	faults=0
	log_clean "$name" >"$NN_OUT/tests/$name.faults" || faults=1
	log_since "$name" >"$NN_OUT/tests/$name.dmesg"
	printf '%s\t%s\t%s\t%s\n' "$name" "$rc" "$ms" "$faults" >>"$NN_OUT/results.tsv"
	if [ "$rc" = 0 ] && [ "$faults" = 0 ]; then
		echo "ok - $name ($ms ms)"
	else
		echo "not ok - $name (exit $rc, kernel log $([ "$faults" = 0 ] && echo clean || echo faulty))"
		failed=1
	fi
	[ "$stuck" = 0 ] || break
	if ! cards_usable; then
		printf '%s\t%s\n' "$name" "$(cards_states)" >"$NN_OUT/ended"
		echo "not ok - the card is dead after $name ($(cards_states)), and a reload does not help: no further test runs"
		failed=1
		break
	fi
done <"$NN_PLAN"
exit "$failed"
