#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock
# timeout: 500
#
# Sensors on IIO devices of the kernel: a hub of HID sensors through /dev/uhid, and what the IIO backend makes of it.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

load_sensors()
{
	local module

	for module in uhid hid-sensor-hub hid-sensor-accel-3d hid-sensor-gyro-3d hid-sensor-magn-3d hid-sensor-incl-3d hid-sensor-als \
		hid-sensor-press hid-sensor-temperature hid-sensor-prox hid-sensor-rotation iio-trig-hrtimer; do
		modprobe "$module" || vm_fail "modprobe $module failed: $(dmesg | tail -n 3)" || return 1
	done
	# timers of the kernel as triggers are made there
	[ -d /sys/kernel/config/iio ] || mount -t configfs none /sys/kernel/config || return 1
	wait_until 10 test -c /dev/uhid
}

log_mark sensors
check "the sensors' modules" load_sensors
export NNSENSORS_TEST_UHID=1
# one result per test of the program
check "a hub of HID sensors" "$NN_BUILD/tests/sensors/test_sensors_hub"
check "the kernel's log" log_clean sensors
tap_done
