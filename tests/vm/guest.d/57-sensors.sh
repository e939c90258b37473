#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock:long
# timeout: 500
#
# Sensors on IIO devices of the kernel: a hub of HID sensors through /dev/uhid, and what the IIO backend makes of it.
# After 40-udev.sh: its udevd has ended and left its socket, which is not to be taken for a running one.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

iio_devices_are()
{
	[ "$(compgen -G '/sys/bus/iio/devices/iio:device*' | wc -l)" -eq "$1" ]
}

# The checks of the interface's own tests, on three sensors that report every 5 ms at most: the emulated machine is slow.
vts()
{
	local rc=0

	rm -f /run/nnaccel/hub
	mkfifo /run/nnaccel/hub
	"$NN_BUILD/tests/sensors/uhid_sensors" --sensors accel_3d,gyro_3d,magn_3d --min-interval 5 <>/run/nnaccel/hub >/dev/null &
	wait_until 20 iio_devices_are 3 || vm_fail "the hub's sensors are not there" || return 1
	SENSORS_MEASUREMENTS=10 "$NN_BUILD/tests/sensors/test_sensors_vts" || rc=$?
	echo stop >/run/nnaccel/hub
	wait $!
	return "$rc"
}

log_mark sensors
check "the sensors' modules" load_sensors
export NNSENSORS_TEST_UHID=1
# dma-bufs too, which not every machine makes
check "the memory of channels" "$NN_BUILD/tests/sensors/test_sensors_memory"
check "a hub of HID sensors" "$NN_BUILD/tests/sensors/test_sensors_hub"
check "the service, and a hub that comes and goes" "$NN_BUILD/tests/sensors/test_sensors_hub_service"
check "the interface's checks on IIO devices" vts
check "the kernel's log" log_clean sensors
tap_done
