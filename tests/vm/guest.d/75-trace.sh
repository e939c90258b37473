#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock two-cards smoke
# timeout: 180
#
# A trace of a model on the card shows application, runtime, HAL, kernel and device, and recording it leaves no
# state behind.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

model=$NN_ROOT/models/shapes_int8/model.tflite
input=$NN_ROOT/models/pictures/star.png
instances=/sys/kernel/tracing/instances
trace=$NN_OUT/trace-$NN_CARDS.txt
runs=5

# lines NUMBER PATTERN: exactly NUMBER lines of the trace match
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

# Every card has an offset with a bound, and two measurements agree within their bounds.
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

# The tables of the trace, and the device's beside them.
report()
{
	local tables row

	tables=$(nnctl trace report --device "$1") || return 1
	for row in Application Runtime IPC Driver Total; do
		grep -q "^$row .*[0-9]" <<<"$tables" || vm_fail "no $row in: $tables" || return 1
	done
	grep -q "^Device: $runs jobs, 0 failed, 0 without an end, 0 resets$" <<<"$tables" ||
		vm_fail "no jobs in: $tables" || return 1
	echo "$tables" >"$NN_OUT/report-$NN_CARDS.txt"
}

# Self times add up to the time from begin to end of [NN_LA_PO], within 2 %; none of the execution's is negative;
# the driver's is between the device's time and the application's.
sums()
{
	nnctl trace report --strict --json "$1" >"$NN_TEST_TMP/report.json" || return 1
	python3 - "$1" "$NN_TEST_TMP/report.json" "$runs" <<-'END'
		import json, os, re, sys
		mark = re.compile(r'-(\d+)\s+\([^)]*\).* ([0-9.]+): tracing_mark_write: ([BE].*)')
		job = re.compile(r'nnaccel_job_done: .*device_start=(\d+) device_end=(\d+)')
		thread = None
		device = 0
		for line in open(sys.argv[1]):
		    m = job.search(line)
		    if m:
		        device += (int(m[2]) - int(m[1])) / 1e6
		    m = mark.search(line)
		    if not m:
		        continue
		    if '[NN_LA_PO]' in m[3]:
		        thread, begin, depth = m[1], float(m[2]), 0
		    if m[1] == thread:
		        depth += 1 if m[3][0] == 'B' else -1
		        if not depth:
		            span = (float(m[2]) - begin) * 1000
		run, = json.load(open(sys.argv[2]))
		total, own = run['times'], run['self_times']
		together = sum(own['PO'][layer] or 0 for layer in ('LA', 'LR', 'LI', 'LD', 'LC'))
		print(f"application {span:.3f} ms, self times {together:.3f}, device {device:.3f}", total['PE'])
		# 2 %, plus the delay of a busy machine between the marks of two layers
		assert abs(together - span) <= 0.02 * (1 + int(os.environ.get('NN_SLOW', 1))) * span
		assert run['execution_counts']['PO'] == int(sys.argv[3])
		assert all(own['PE'][layer] >= 0 for layer in ('LA', 'LR', 'LI', 'LD'))
		assert 0 < device <= total['PE']['LD'] <= total['PE']['LI'] <= total['PE']['LR'] <= total['PE']['LA'] <= span
	END
}

# often RECORD: sums, of up to five records. Preemption between the marks of two layers is random; wrong marks are
# wrong in each record.
often()
{
	local try

	for try in 1 2 3 4 5; do
		sums "$trace" && return 0
		[ "$try" = 5 ] || "$1" >/dev/null || return 1
	done
	vm_fail "in none of $try records"
}

# A track for each thread and for the card; each job has a flow from submitter to waiter.
perfetto()
{
	nnctl trace export "$1" -o "$NN_OUT/trace-$NN_CARDS.json" || return 1
	python3 - "$NN_OUT/trace-$NN_CARDS.json" "$runs" <<-'END'
		import collections, json, sys
		events = json.load(open(sys.argv[1]))['traceEvents']
		runs = int(sys.argv[2])
		count = collections.Counter((e['ph'], e.get('cat')) for e in events)
		for category in ('LA_PE', 'LI_PE', 'LD_PCO'):
		    assert count['B', category] == runs, count
		assert count['B', 'LR_PE'] >= runs and count['B', 'LD_PE'] >= runs, count
		assert sum(n for (ph, _), n in count.items() if ph == 'B') == sum(n for (ph, _), n in count.items() if ph == 'E')
		for phase, category in (('X', 'device'), ('s', 'job'), ('t', 'job'), ('f', 'job')):
		    assert count[phase, category] == runs, count
		assert count['b', 'driver'] == count['e', 'driver'] >= runs, count
		flows = collections.defaultdict(dict)
		for e in events:
		    if e['ph'] in 'stf':
		        flows[e['id']][e['ph']] = e['ts']
		for flow in flows.values():
		    assert flow['s'] <= flow['f'] and len(flow) == 3, flow
		names = {e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'process_name'}
		assert {'nnctl', 'accel0'} <= names, names
	END
}

# Application and runtime are separate here: nnctl and libneuralnetworks.
record_runtime()
{
	trace=$NN_OUT/trace-runtime-$NN_CARDS.txt
	nnctl trace record -o "$trace" -- env NNAPI_CONFIG=/dev/null NNACCEL_CALIBRATION=off \
		nnctl run "$model" --input "$input" --devices nnaccel-card0 --repeat "$runs" &&
		lines "$runs" 'ANeuralNetworksExecution_compute$' && lines "$runs" ' nnaccel_job_done: ' && nothing_left
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

# It is reported, and the exit status is the command's.
small_buffer()
{
	local output

	output=$(nnctl trace record --buffer-kb 64 -o "$NN_TEST_TMP/small.txt" -- \
		nnctl bench "$model" --device accel0 --runs 100 2>&1 >/dev/null) || vm_fail "$output" || return 1
	[[ $output == *"events were lost"* ]] || vm_fail "not reported: $output"
}

chosen_events()
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

# The card reports its operations, as the firmware of a process does.
card_operations()
{
	local device

	for device in cpu accel0; do
		nnctl bench "$model" --device "$device" --ops --runs 3 --json >"$NN_TEST_TMP/$device.json" || return 1
		sed -n '/"operations":/,/\]/p' "$NN_TEST_TMP/$device.json" |
			grep -E '"(graph|number|name|type|times|macs|elements|bytes)":' >"$NN_TEST_TMP/$device.operations"
	done
	[ "$(grep -c '"name":' "$NN_TEST_TMP/accel0.operations")" -gt 5 ] || vm_fail "$(cat "$NN_TEST_TMP/accel0.json")" || return 1
	cmp "$NN_TEST_TMP/cpu.operations" "$NN_TEST_TMP/accel0.operations"
}

patch_safely
check "loaded" load_driver
check "clocks agree with themselves" clocks_agree
check "no such card" status 1 nnctl trace clock-sync --device nothing
check "record of a run" record_run
check "shows application, runtime and HAL" application_runtime_hal
check "shows kernel and device" kernel_and_device
check "report" report "$trace"
check "self times make up the application's" often record_run
check "Perfetto" perfetto "$trace"
check "record of a run by the runtime" record_runtime
trace=$NN_OUT/trace-runtime-$NN_CARDS.txt
check "report of it" report "$trace"
check "its self times make up the application's" often record_runtime
check "Perfetto of it" perfetto "$trace"
check "exits as the command" status 42 nnctl trace record -o "$NN_TEST_TMP/t" -- sh -c 'exit 42'
check "127 without a command" status 127 nnctl trace record -o "$NN_TEST_TMP/t" -- /nonexistent
check "137 for a killed one" status 137 nnctl trace record -o "$NN_TEST_TMP/t" -- sh -c 'kill -KILL $$'
check "a killed recorder is cleaned up after" killed_recorder
check "a small buffer is reported" small_buffer
check "events that --event names" chosen_events
check "files, without ftrace" files_only
check "operations of the card" card_operations
tap_done
