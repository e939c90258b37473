#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock arm64 arm64-16k
# timeout: 180
#
# Endless loops: the card's loop limit ends them, or the driver's limits if the card ignores its own.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

loops()
{
	NNHAL_TEST_DEVICE=$(node_name) NNACCEL_CALIBRATION=off NNHAL_TEST_LOOP_LIMIT=$1 \
		"$NN_BUILD/tests/hal/test_hal_control"
}

resets()
{
	card_control status | grep -o 'resets=[0-9]*'
}

no_reset_since()
{
	[ "$(resets)" = "$1" ]
}

check "loaded" load_driver
before=$(resets)
check "loop limit on the card" loops kept
check "no reset was needed" no_reset_since "$before"

check "a card that ignores loop limits" card_control "fault ignore-loop-limit,always"
check "is back" wait_until 30 classifies "$(node_name)" 20
before=$(resets)
check "deadlines end its loops" loops ignored
check "by abort, not by reset" no_reset_since "$before"
check "a good card again" card_control "fault none"
check "works" wait_until 30 classifies "$(node_name)" 20
tap_done
