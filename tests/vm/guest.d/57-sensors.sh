#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock
# timeout: 500
#
# Sensors on IIO devices of the kernel: a hub of HID sensors through /dev/uhid, and what the IIO backend makes of it.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

log_mark sensors
check "the sensors' modules" load_sensors
export NNSENSORS_TEST_UHID=1
# one result per test of the program
check "a hub of HID sensors" "$NN_BUILD/tests/sensors/test_sensors_hub"
check "the kernel's log" log_clean sensors
tap_done
