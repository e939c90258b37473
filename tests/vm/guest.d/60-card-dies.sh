#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock emu arm64 arm64-16k board
# timeout: 180
#
# The card's process is killed, stopped and held: waiting clients get an answer, and afterwards the card works.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

# Wait until the card works again.
recovers()
{
	wait_until 30 classifies "$(node_name)" 20
}

# A frozen card is reset; the execution ends with a result.
answers_while_frozen()
{
	local rc=0

	timeout -s KILL 60 "${star[@]}" || rc=$?
	[ "$rc" -ne 137 ] || vm_fail "no answer in 60 s"
}

# Whether a job is queued; without a card it waits.
job_waits()
{
	grep -qE ' jobs [1-9]' /sys/kernel/debug/{accel,dri}/*/queues
}

# An execution without a deadline waits for a card that is away, and its result is right.
waits_and_goes_on()
{
	local pid rc=0

	card_control hold || return 1
	timeout 60 "${star[@]}" >"$NN_TEST_TMP/waiting" &
	pid=$!
	wait_until 30 job_waits || rc=1
	# Time in which no result may come.
	sleep 1
	[ ! -s "$NN_TEST_TMP/waiting" ] || vm_fail "a result without a card, or no job was queued" || rc=1
	card_control start || return 1
	wait "$pid" || vm_fail "the execution ended with status $?" || return 1
	grep -q star "$NN_TEST_TMP/waiting" || vm_fail "$(cat "$NN_TEST_TMP/waiting")" || return 1
	return "$rc"
}

# The wait can be interrupted: a waiting process dies at once on a signal.
is_gone()
{
	! kill -0 "$1" 2>/dev/null
}

waiter_can_be_killed()
{
	local pid rc=0

	card_control hold || return 1
	"${star[@]}" &
	pid=$!
	wait_until 30 job_waits || rc=1
	kill -TERM "$pid"
	wait_until 10 is_gone "$pid" || rc=1
	card_control start || return 1
	[ "$rc" -eq 0 ] || vm_fail "no job was queued, or the process was still there 10 s after SIGTERM"
}

# Runs while the card is killed repeatedly: each ends (with an error if it lost its card twice), and runs go on
# until the load is stopped.
load()
{
	while [ -e "$1" ]; do
		"${star[@]}" --repeat 200 || :
		echo run >>"$1.count"
	done
}

killed_under_load()
{
	local flag=$NN_TEST_TMP/load pid runs

	touch "$flag" "$flag.count"
	load "$flag" >/dev/null 2>&1 &
	pid=$!
	for _ in 1 2 3; do
		# The card dies at another point of a run each time.
		sleep 0.5
		card_control kill || return 1
	done
	runs=$(wc -l <"$flag.count")
	rm "$flag"
	wait_until 60 is_gone "$pid" || vm_fail "the load did not end" || return 1
	[ "$(wc -l <"$flag.count")" -gt "$runs" ] || vm_fail "no run ended after the last kill"
}

check "loaded" load_driver
shapes=$NN_ROOT/models/shapes_int8
star=(nnctl run "$shapes/model.tflite" --input "$NN_ROOT/models/pictures/star.png"
	--labels "$shapes/labels.txt" --device "$(node_name)" --top 1)
check "the slot answers" card_control status
check "works before" classifies "$(node_name)"
check "kill" card_control kill
check "works after the kill" recovers
check "three kills under load" killed_under_load
check "works after that" recovers
check "an execution waits for a card that is away, and goes on" waits_and_goes_on
check "a process that waits for the card can be killed" waiter_can_be_killed
check "works after that" recovers
check "stop: frozen in the middle" card_control stop
check "an execution on the frozen card ends" answers_while_frozen
check "cont" card_control cont
check "works after that" recovers
check "the module can still be unloaded" unload_driver
check "and loaded" load_driver
tap_done
