#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# selftest.sh: tests the harness, on the host. It prints TAP. Each case is a failure that the harness must detect:
# a failing command, a panic, a hang, a kernel warning, and within a suite each way in which a test can fail.
# Needs no card.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../../scripts/lib.sh"

results=$NN_BUILD/vm/selftest
mkdir -p "$results"
count=0

# expect TITLE WANTED GOT
expect()
{
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count $1"
	else
		echo "not ok $count $1"
		echo "# wanted '$2', got '$3'"
	fi
}

# boot NAME EXIT OUTCOME TITLE [option...] -- COMMAND: one boot, its expected exit status and outcome
boot()
{
	local name=$1 wanted=$2 outcome=$3 title=$4 rc=0

	shift 4
	"$here/vm.sh" --no-card --out "$results/$name" "$@" 2>"$results/$name.err" || rc=$?
	expect "$title" "$wanted $outcome" "$rc $(<"$results/$name/outcome")"
}

echo "TAP version 13"

# The hanging guest sleeps, so it does not slow the other boots; its results are checked at the end. Its limit is
# longer than a boot on a busy machine, because the command must hang, not the boot.
(
	rc=0
	"$here/vm.sh" --no-card --out "$results/hang" --timeout 40 -- \
		bash -c 'echo started; sleep 100000' 2>"$results/hang.err" || rc=$?
	echo "$rc" >"$results/hang.rc"
) &
hang=$!

# shellcheck disable=SC2016 # for the guest's shell
boot fail 7 "done" "a failing command's exit code comes back" --append nnaccel_vm.mark=1 --env GREETING=hello -- \
	bash -c 'grep -o nnaccel_vm.mark=1 /proc/cmdline; echo "$GREETING"; touch /usr/nnaccel-overlay; exit 7'
expect "the command's output, kernel option and variable" "nnaccel_vm.mark=1 hello" \
	"$(tr '\n' ' ' <"$results/fail/output.log" | sed 's/ $//')"
expect "the host's root file system is not written" absent \
	"$(if [ -e /usr/nnaccel-overlay ]; then echo present; else echo absent; fi)"

boot warn 121 faults "a kernel warning fails a command that succeeds" -- \
	bash -c 'echo "WARNING: CPU: 1 PID: 77 at selftest" >/dev/kmsg'

boot allowed 0 "done" "an expected warning can be allowed" --allow-log 'at selftest' -- \
	bash -c 'echo "WARNING: CPU: 1 PID: 77 at selftest" >/dev/kmsg'

# shellcheck disable=SC2016 # for the guest's shell
memory_report='for line in "x invoked oom-killer: selftest" "Call Trace:" "$1: Killed process 1 (x)"; do echo "<4>$line" >/dev/kmsg; done'
boot cgroup 0 "done" "a process of a memory cgroup at its limit is ended" -- bash -c "$memory_report" - "Memory cgroup out of memory"
boot memory 121 faults "a process is ended because the machine has no memory" -- bash -c "$memory_report" - "Out of memory"

# The second before the crash lets the log reach the serial port.
# shellcheck disable=SC2016 # for the guest's shell
boot emulator 0 "done" "a guest that died of a QEMU bug boots again" --accel tcg -- bash -c '[ "$NN_VM_TRY" = 1 ] || exit 0
	echo "<1>Oops: int3: 0000 [#1] PREEMPT" >/dev/kmsg
	echo "<1>Code: 55 53 66 <90> e8 41" >/dev/kmsg
	sleep 1
	echo c >/proc/sysrq-trigger'
# shellcheck disable=SC2016
boot breakpoint 122 died "a guest that died of a real breakpoint does not boot again" --accel tcg -- bash -c '[ "$NN_VM_TRY" = 1 ] || exit 0
	echo "<1>Oops: int3: 0000 [#1] PREEMPT" >/dev/kmsg
	echo "<1>Code: 55 53 66 cc <90> e8 41" >/dev/kmsg
	sleep 1
	echo c >/proc/sysrq-trigger'

# One boot for all failures within a suite; the panic comes last.
: >"$results/plan"
for test in "$here"/selftest.d/*.sh; do
	limit=$(sed -n 's/^# timeout: *//p' "$test")
	printf '%s\t%s\t%s\n' "$(basename "$test" .sh)" "${limit:-20}" "$test" >>"$results/plan"
done
rc=0
"$here/boots.sh" run-plan selftest/suite "$results/plan" --no-card 2>"$results/suite.err" || rc=$?
expect "a panic ends the run" "122 died" "$rc $(<"$results/suite/outcome")"
expect "a panic's message is in the log" found \
	"$(grep -q 'Kernel panic' "$results/suite/serial.log" && echo found)"
counts=$("$NN_ROOT/scripts/tally.py" vm "$results/plan" "$results/suite" 2>"$results/suite.failures")
# Passed: 10-pass, first of 30-tap, what 40-crash reported, the warning of 60-warn's exit code, 70-after.
expect "the suite's sum" "5 9 0" "$counts"
expected="20-fail: exit status 3
30-tap: second
30-tap: third skipped: no such device
30-tap: test 4 of 4 gave no result
40-crash: exit status 139
50-hang: timeout
60-warn: kernel log
80-panic: no result (guest: died)
90-never: no result (guest: died)"
while read -r line; do
	expect "reported: $line" 1 "$(grep -cF "FAILED $line" "$results/suite.failures")"
done <<<"$expected"

rc=0
"$here/vm.sh" --no-card --out "$results/nothing" 2>/dev/null || rc=$?
expect "a run without a command is refused" "125 harness" "$rc $(<"$results/nothing/outcome")"

wait "$hang"
expect "a hang is killed at its limit" "124 timeout" "$(<"$results/hang.rc") $(<"$results/hang/outcome")"
expect "the hang was the command's, not the boot's" started "$(<"$results/hang/output.log")"
left=0
for name in fail warn allowed cgroup memory emulator breakpoint suite hang; do
	[ -n "$(<"$results/$name/work")" ] && [ ! -e "$(<"$results/$name/work")" ] || left=$((left + 1))
done
expect "guest memory and sockets are removed after every end" 0 "$left"
echo "1..$count"
