#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock
# timeout: 180
#
# The card's process is killed, stopped and kept away; who waits gets an answer, and afterwards it works.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

# Back to work within a while after whatever was done to the card.
recovers()
{
	wait_until 30 classifies accel0 20
}

# While the card is away an execution must end by itself, as success or failure, within its limits.
answers()
{
	local rc=0

	timeout -s KILL 60 nnctl run "$NN_ROOT/models/shapes_int8/model.tflite" \
		--input "$NN_ROOT/models/pictures/star.png" --device accel0 || rc=$?
	[ "$rc" -ne 137 ] || vm_fail "no answer in 60 s"
}

# Runs under way while the card is killed again and again: they end, and the last ones are right.
killed_under_load()
{
	local pid rc=0

	timeout 100 nnctl run "$NN_ROOT/models/shapes_int8/model.tflite" \
		--input "$NN_ROOT/models/pictures/star.png" --device accel0 --repeat 200 &
	pid=$!
	for _ in 1 2 3; do
		sleep 0.5
		card_control kill || return 1
	done
	wait "$pid" || rc=$?
	[ "$rc" -ne 124 ] || vm_fail "the load did not end"
}

check "loaded" load_driver
check "the slot answers" card_control status
check "works before" classifies accel0
check "kill" card_control kill
check "works after the kill" recovers
check "three kills under load" killed_under_load
check "works after that" recovers
check "hold: killed and kept away" card_control hold
check "an execution meanwhile ends" answers
check "start" card_control start
check "works after the start" recovers
check "stop: frozen in the middle" card_control stop
check "an execution meanwhile ends" answers
check "cont" card_control cont
check "works after that" recovers
check "the module can still be unloaded" unload_driver
check "and loaded" load_driver
tap_done
