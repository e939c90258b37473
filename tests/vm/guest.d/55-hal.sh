#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock swiotlb
# timeout: 300
#
# The HAL's tests against the card; on the in-process device they run with the unit tests.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

resets()
{
	card_control status | grep -o 'resets=[0-9]*'
}

no_reset_since()
{
	[ "$(resets)" = "$1" ]
}

export NNHAL_TEST_DEVICE=accel0 NNACCEL_CALIBRATION=off

check "loaded" load_driver
before=$(resets)
for program in prepare execute request fenced threads cache calibration deadline burst reusable buffer validation views; do
	check "hal $program on the card" "$NN_BUILD/tests/hal/test_hal_$program"
done
check "no reset was needed" no_reset_since "$before"
tap_done
