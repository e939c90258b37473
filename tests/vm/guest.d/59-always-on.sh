#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock
# timeout: 300
#
# A sensor's records in the card's memory: nnaccel-sensord writes to a dma-buf of the card, a reusable execution reads it there, and
# the device's counters show that no byte was copied.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

export NNSENSORS_SOCKET=/tmp/sensors-always-on.socket
service=
node=

answers()
{
	nnctl sensors list >/dev/null 2>&1
}

# start MOTION: the service, with an accelerometer that moves so
start()
{
	printf '[sensor]\nname = imu\ntype = accelerometer\nrates = 50 100\ngenerator = motion\nmotion = %s\nnoise = 0.02\nseed = 7\n' \
		"$1" >/tmp/always-on.conf
	"$NN_BUILD/tools/nnaccel-sensord/serve/nnaccel-sensord" --listen "$NNSENSORS_SOCKET" --virtual /tmp/always-on.conf \
		--no-iio --no-fusion --config /dev/null --log warning &
	service=$!
	wait_until 30 answers || vm_fail "the service does not answer"
}

stop()
{
	kill "$service" && wait "$service"
}

# classified MOTION
classified()
{
	local out=/tmp/always-on.out

	start "$1" || return 1
	timeout "$((60 * ${NN_SLOW:-1}))" "$NN_BUILD/examples/always_on" --device "${node##*/}" \
		--model "$NN_ROOT/models/motion/model.tflite" --windows 6 >"$out" 2>&1 ||
		vm_fail "always_on: $(tail -n 3 "$out")" || return 1
	sed 's/^/# /' "$out"
	grep -q 'in a dma-buf of the device' "$out" || vm_fail "the channel is not in the card's memory" || return 1
	grep -q "^6 windows:.* $1 6" "$out" || vm_fail "other motions than $1" || return 1
	grep -q ' 0 bytes copied$' "$out" || vm_fail "bytes were copied" || return 1
	stop
}

log_mark always-on
check "loaded" load_driver
node=$(device_nodes | head -n 1)
check "a walk, in the card's memory" classified walk
check "shaken, in the card's memory" classified shake
check "the model on the card, all operations" nnctl models-check "$NN_ROOT/models" --device "${node##*/}" --filter motion
check "the kernel's log" log_clean always-on
tap_done
