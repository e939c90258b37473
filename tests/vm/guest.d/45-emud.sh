#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: emu
# timeout: 180
#
# nnaccel-emud as a user meets it: what it refuses and says, and what becomes of the device when it ends, dies or hangs.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

emud=$NN_BUILD/firmware/board/nnaccel-emud

# refuses TEXT COMMAND...: it ends with 1 and a message that has the text
refuses()
{
	local text=$1 output rc=0

	shift
	output=$("$@" 2>&1 </dev/null) || rc=$?
	[ "$rc" -eq 1 ] && grep -qF "$text" <<<"$output" || vm_fail "exit $rc: $output"
}

has_gone()
{
	wait_until 20 node_count_is 0
}

starts_again()
{
	emulated_start && node_count_is 1 && wait_until 20 cards_online
}

ends_by()
{
	kill "-$1" "$(<"$emulated_dir/slot.pid")" && has_gone
}

# The card is a child that must not outlive it.
no_card_left()
{
	! pgrep -x nnaccel-card
}

# Both processes stand still: the kernel takes the card's memory, and the clients get an answer.
answers_while_it_hangs()
{
	local pid rc=0 link

	pid=$(<"$emulated_dir/slot.pid")
	link=/sys/module/nnaccel/parameters
	for limit in admin_ms:500 heartbeat_ms:500 reset_ms:300 link_ms:1000; do
		echo "${limit#*:}" >"$link/${limit%:*}"
	done
	# shellcheck disable=SC2046 # a list
	kill -STOP "$pid" $(pgrep -P "$pid")
	timeout 60 nnctl run "$NN_ROOT/models/shapes_int8/model.tflite" --input "$NN_ROOT/models/pictures/star.png" \
		--device accel0 >/dev/null 2>&1 || rc=$?
	[ "$rc" -ne 0 ] && [ "$rc" -ne 124 ] || vm_fail "exit $rc" || return 1
	[ "$(cards_states)" = link-lost ] || vm_fail "the state is $(cards_states)"
}

goes_on()
{
	local pid

	pid=$(<"$emulated_dir/slot.pid")
	# shellcheck disable=SC2046 # a list
	kill -CONT "$pid" $(pgrep -P "$pid")
	wait_until 30 cards_online
}

check "loaded" load_driver
check "one process has a node" refuses "another process has it" "$emud" --dir /run/second
check "a node that is none" refuses "load the module" "$emud" --node /dev/nnaccel_emu7 --dir /run/second
check "only with CAP_SYS_ADMIN" refuses "CAP_SYS_ADMIN" setpriv --bounding-set -sys_admin \
	"$emud" --node /dev/nnaccel_emu1 --dir /run/second
check "it works" classifies accel0
check "the process hangs: an answer" answers_while_it_hangs
check "and goes on" goes_on
check "with a new card" classifies accel0
check "it ends: the device goes" ends_by TERM
check "starts again" starts_again
check "it is killed: the device goes" ends_by KILL
check "and no card is left" wait_until 10 no_card_left
check "starts again after that" starts_again
check "and works" classifies "$(basename "$(device_nodes)")"
check "reloaded" fresh_nodes
tap_done
