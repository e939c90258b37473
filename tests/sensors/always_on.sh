#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# always_on.sh NNCTL MODELS SENSORD ALWAYS_ON: motion is classified in the channel's memory, and nothing is copied.
set -euo pipefail
# shellcheck source=tests/sensors/lib.sh
. "$(dirname "$0")/lib.sh"
always_on=$4

# classified DEVICE MOTION
classified()
{
	run 0 "$always_on" --device "$1" --model "$models/motion/model.tflite" --windows 4
	printed out "^4 windows:.* $2 4( |$)"
	printed out 'nnaccel-cpu: [1-9][0-9]* bytes used in place, 0 bytes copied$'
	printed out '^sensor.s stamp to result: median [0-9.]+ ms, p99 [0-9.]+ ms$'
}

for motion in still walk shake fall; do
	printf '[sensor]\nname = imu\ntype = accelerometer\nrates = 100\ngenerator = motion\nmotion = %s\nnoise = 0.02\nseed = 7\n' \
		"$motion" >"$folder/$motion.conf"
done
# at 100 Hz a window is 1.28 s: falls have to come at least as often
echo 'frequency = 1' >>"$folder/fall.conf"
for motion in still walk shake fall; do
	service "$folder/$motion.conf"
	classified cpu "$motion"
done
classified worker:cpu "$motion"

# no accelerometer, no service
printf '[sensor]\nname = lamp\ntype = light\ngenerator = constant\nvalues = 5\n' >"$folder/dark.conf"
service "$folder/dark.conf"
run 1 "$always_on" --model "$models/motion/model.tflite"
printed err 'accelerometer: NNSENSORS_NOT_EXIST'
service_stop
run 1 "$always_on" --model "$models/motion/model.tflite"
printed err 'sensors: cannot reach the sensor service'
