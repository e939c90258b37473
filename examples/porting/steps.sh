#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# steps.sh: which of the first six rows of "In which order" (Documentation/porting.rst) a firmware has done, in the virtual machine:
#
#	tests/vm/vm.sh --card FIRMWARE --stream -- examples/porting/steps.sh
#
# Each row runs its tests. It ends at the first one that is red, with the end of what that row printed, and status 1: the rows below
# need it. Programs are those of the build (NN_BUILD, which vm.sh sets).
set -uo pipefail
PATH=$NN_BUILD/tools/nnctl:$PATH
log=$(mktemp)

# Tests take the driver away and bring it back: the kernel may give the node another number.
node()
{
	local nodes=(/sys/class/accel/accel*)

	basename "${nodes[0]}"
}

card()
{
	echo "/sys/class/accel/$(node)/device"
}

# kselftest PROGRAM [TEST...]: all of its tests, or these
kselftest()
{
	local program=$1 test options=()

	shift
	for test in "$@"; do
		options+=(-t "$test")
	done
	timeout 120 "$NN_BUILD/kselftest/$program" "${options[@]}"
}

kselftests()
{
	local program

	for program in "$@"; do
		kselftest "$program" || return
	done
}

# state_is STATE...: the driver's state of the card
state_is()
{
	local state

	state=$(cat "$(card)/nnaccel/state")
	[[ " $* " == *" $state "* ]] || { echo "the card's state is $state, not $*" && return 1; }
}

row_1()
{
	modprobe nnaccel && ls "/dev/accel/$(node)"
}

row_2()
{
	state_is resetting online
}

# The driver may still wait for the answers to its first commands. On a busy machine a guest measures the rate of its clock wrongly,
# and reports that: then the test that compares this clock with the card's says nothing about the firmware.
row_3()
{
	local tests=()

	! dmesg | grep -q 'PIT calibration deviates' || tests=(-T clock)
	timeout 30 nnctl info --device "$(node)" && state_is online && "$NN_BUILD/kselftest/query" "${tests[@]}"
}

row_4()
{
	kselftests queue core_ioctls && kselftest submit null_job jobs_run_in_order
}

row_5()
{
	kselftests bo memory madvise submit submit_fields sync
}

row_6()
{
	nnctl validate --device "$(node)" && nnctl models-check models --device "$(node)"
}

rows=('' 'a register page, and its driver' 'the firmware starts' 'rings, commands and interrupts' 'queues and jobs'
	'page tables and memory' 'operations and models')
for ((row = 1; row < ${#rows[@]}; row++)); do
	if ! "row_$row" >"$log" 2>&1; then
		echo "$row red    ${rows[row]}"
		grep -E '^(not ok|nnctl:|the card)|Expected|FAILED' "$log" || tail -n 3 "$log"
		exit 1
	fi
	echo "$row green  ${rows[row]}"
done
