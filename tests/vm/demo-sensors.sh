#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# demo-sensors.sh: the part of "make run-sensors" inside the guest.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

export NNSENSORS_SOCKET=/tmp/sensors.socket
hub_commands=/tmp/hub.commands

say()
{
	printf '  guest %6s s  %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*"
}

# Output of a command, below the line that says what it is.
indent()
{
	sed 's/^/                     | /'
}

accelerometer_listed()
{
	nnctl sensors list 2>/dev/null | grep -q ' accelerometer '
}

say "$(uname -sr) is up; modprobe nnaccel, and the kernel's drivers of HID sensors"
load_driver
load_sensors
node=$(device_nodes | head -n 1)

mkfifo "$hub_commands"
"$NN_BUILD/tests/sensors/uhid_sensors" <"$hub_commands" >/tmp/hub.out &
hub=$!
exec 3>"$hub_commands"
wait_until 20 grep -q plugged /tmp/hub.out
"$NN_BUILD/tools/nnaccel-sensord/serve/nnaccel-sensord" --listen "$NNSENSORS_SOCKET" --config /dev/null --log warning &
service=$!
wait_until 30 accelerometer_listed
say "a hub of sensors, made through /dev/uhid, and nnaccel-sensord; nnctl sensors list:"
nnctl sensors list | indent
say "nnctl sensors watch, 3 seconds, the figures:"
nnctl sensors watch accelerometer gyroscope gravity light --rate 50 --seconds 3 | grep -A 9 '^HANDLE' | indent

for motion in still move; do
	echo "$motion" >&3
	say "the hub says: $motion. always_on classifies the accelerometer's windows in the memory of ${node##*/}:"
	"$NN_BUILD/examples/always_on" --device "${node##*/}" --model models/motion/model.tflite --windows 12 | tail -n 10 | indent
done
say "nnctl sensors top, while two look on:"
nnctl sensors watch accelerometer --rate 50 >/dev/null &
first=$!
nnctl sensors watch light gravity >/dev/null &
second=$!
nnctl sensors top --seconds 2 | indent
kill "$first" "$second"
wait "$first" "$second"
echo stop >&3
wait "$hub"
kill "$service"
wait "$service"
say "finished"
