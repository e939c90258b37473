#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock two-cards
# timeout: 180
#
# A trace of a model on the card shows application, runtime, HAL, kernel and device, and taking it leaves nothing
# behind.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

model=$NN_ROOT/models/shapes_int8/model.tflite
input=$NN_ROOT/models/pictures/star.png
instances=/sys/kernel/tracing/instances
trace=$NN_OUT/trace-$NN_CARDS.txt
runs=5

# lines NUMBER PATTERN: so many lines of the trace match
lines()
{
	local found

	found=$(grep -cE -- "$2" "$trace")
	[ "$found" -eq "$1" ] || vm_fail "$found lines match '$2', not $1"
}

# status NUMBER COMMAND...
status()
{
	local want=$1 rc=0

	shift
	"$@" >/dev/null 2>&1 || rc=$?
	[ "$rc" -eq "$want" ] || vm_fail "exit $rc, not $want: $*"
}

nothing_left()
{
	[ -z "$(ls "$instances")" ] || vm_fail "instances are left: $(ls "$instances")"
}

# Every card, a bound, and the same offset twice within both bounds.
clocks_agree()
{
	local first second

	first=$(nnctl trace clock-sync --json) && second=$(nnctl trace clock-sync --json) || return 1
	python3 - "$NN_CARDS" "$first" "$second" <<-'END' || vm_fail "$first $second"
		import json, sys
		first, second = json.loads(sys.argv[2]), json.loads(sys.argv[3])
		assert len(first) == len(second) == int(sys.argv[1])
		for a, b in zip(first, second):
		    assert 0 < a["bound_ns"] < 5e7 and a["generation"] == b["generation"] > 0
		    for clock, bound in (("monotonic", "bound_ns"), ("boottime", "boottime_bound_ns")):
		        difference = abs(int(a[clock + "_minus_card_ns"]) - int(b[clock + "_minus_card_ns"]))
		        assert difference <= a[bound] + b[bound] + 1e5, (clock, difference)
	END
}

record_run()
{
	nnctl trace record -o "$trace" -- nnctl run "$model" --input "$input" --device accel0 --repeat "$runs" &&
		nothing_left
}

application_runtime_hal()
{
	lines 1 'TASK-PID +TGID +CPU#' && lines 1 '\|\[NN_LA_PO\]run shapes_int8$' &&
		lines "$runs" '\|\[NN_LA_PE\]' && lines "$runs" '\|\[NN_LR_PE\]' && lines "$runs" '\|\[NN_LI_PE\]' &&
		lines "$runs" 'IPreparedModel::execute::server$' &&
		lines "$runs" 'IExecutionCallback::notify::client$' && lines "$runs" '\|\[NN_LD_PCO\]wait$'
}

kernel_and_device()
{
	local card done=' nnaccel_job_done: device=0 .* status=0x0 error=0'

	lines "$runs" ' nnaccel_job_queued: device=0 ' && lines "$runs" ' nnaccel_job_started: device=0 ' &&
		lines "$runs" "$done device_start=[1-9][0-9]* device_end=[1-9][0-9]* " || return 1
	for ((card = 0; card < NN_CARDS; card++)); do
		lines 32 " nnaccel_clock: device=$card " || return 1
	done
}

# The next recorder removes what a killed one left.
killed_recorder()
{
	local recorder sleeper

	nnctl trace record -o "$NN_TEST_TMP/killed.txt" -- sleep 30 &
	recorder=$!
	wait_until 10 grep -q . "/proc/$recorder/task/$recorder/children" || vm_fail "no command" || return 1
	[ -e "$instances/nnctl-$recorder" ] || vm_fail "no instance nnctl-$recorder" || return 1
	read -r sleeper _ <"/proc/$recorder/task/$recorder/children"
	kill -KILL "$recorder"
	wait "$recorder"
	kill "$sleeper"
	nnctl trace record -o "$NN_TEST_TMP/next.txt" -- true && nothing_left
}

# Said, and the status stays the command's.
small_buffer()
{
	local said

	said=$(nnctl trace record --buffer-kb 64 -o "$NN_TEST_TMP/small.txt" -- \
		nnctl bench "$model" --device accel0 --runs 100 2>&1 >/dev/null) || vm_fail "$said" || return 1
	[[ $said == *"events were lost"* ]] || vm_fail "not told: $said"
}

asked_for_events()
{
	local trace=$NN_TEST_TMP/events.txt

	nnctl trace record -o "$trace" --event dma_fence:dma_fence_signaled -- \
		nnctl run "$model" --input "$input" --device accel0 >/dev/null &&
		grep -q ' dma_fence_signaled: ' "$trace" &&
		status 1 nnctl trace record -o "$trace" --event no:such -- true && nothing_left
}

files_only()
{
	local trace=$NN_TEST_TMP/files.txt

	nnctl trace record --files -o "$trace" -- nnctl run "$model" --input "$input" --device accel0 >/dev/null &&
		lines 1 '\|\[NN_LA_PO\]run shapes_int8$' && lines 1 'IPreparedModel::execute::server$' &&
		lines 0 ' nnaccel_' && nothing_left
}

check "loaded" load_driver
check "clocks agree with themselves" clocks_agree
check "no such card" status 1 nnctl trace clock-sync --device nothing
check "record of a run" record_run
check "shows application, runtime and HAL" application_runtime_hal
check "shows kernel and device" kernel_and_device
check "exits as the command" status 42 nnctl trace record -o "$NN_TEST_TMP/t" -- sh -c 'exit 42'
check "127 without a command" status 127 nnctl trace record -o "$NN_TEST_TMP/t" -- /nonexistent
check "137 for a killed one" status 137 nnctl trace record -o "$NN_TEST_TMP/t" -- sh -c 'kill -KILL $$'
check "a killed recorder is cleaned up after" killed_recorder
check "a small buffer is told" small_buffer
check "events that were asked for" asked_for_events
check "files, without ftrace" files_only
tap_done
