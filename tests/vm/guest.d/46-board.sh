#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: board
# timeout: 120
#
# An accelerator of a board: its power domain, clocks and reset follow its sleep, its firmware is loaded after each, and what the
# driver refuses is reported. The board counts uses that would hang a real chip.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

npu=/sys/bus/platform/devices/npu
firmware=/lib/firmware/nnaccel/npu.bin
driver=/sys/bus/platform/drivers/nnaccel

# is POWER CLOCKS DEASSERTED
is()
{
	[ "$(board_count power) $(board_count clocks) $(board_count deasserted)" = "$*" ]
}

# boots_grew COUNT
boots_grew()
{
	[ "$(board_count boots)" -gt "$1" ] || vm_fail "$(board_count boots) boots, as before"
}

sleeps()
{
	echo auto >"$npu/power/control"
	wait_until 20 is 0 0 0 || vm_fail "$(cat "$npu/../npu-board/counters")"
}

wakes()
{
	local boots

	boots=$(board_count boots)
	classifies "$(node_name)" && is 1 3 1 && boots_grew "$boots"
}

unbinds()
{
	echo npu >"$driver/unbind" && wait_until 10 is 0 0 0 && node_count_is 0
}

binds()
{
	local boots

	boots=$(board_count boots)
	echo npu >"$driver/bind" && wait_until 20 node_count_is 1 && classifies "$(node_name)" && is 1 3 1 && boots_grew "$boots"
}

# refuses TEXT: the driver does not bind, reports TEXT, and leaves nothing on
refuses()
{
	log_mark refused
	! echo npu 2>/dev/null >"$driver/bind" || vm_fail "it is bound" || return 1
	log_since refused | grep -q "$1" || vm_fail "$(log_since refused)" || return 1
	wait_until 10 is 0 0 0 || vm_fail "$(cat "$npu/../npu-board/counters")"
}

without_firmware()
{
	mv "$firmware" "$firmware.away"
	refuses 'no firmware: install nnaccel/npu.bin'
}

empty_firmware()
{
	: >"$firmware"
	refuses 'nnaccel/npu.bin has 0 bytes\|no firmware'
}

too_large()
{
	truncate -s 1M "$firmware"
	refuses 'has 1048576 bytes'
}

# The chip's ROM refuses it: the device is there, and does not answer.
wrong_firmware()
{
	local before

	before=$(board_count refused)
	sed 's/firmware/fIrmware/' "$firmware.away" >"$firmware"
	echo npu >"$driver/bind" && wait_until 10 node_count_is 1 || return 1
	[ "$(board_count refused)" -gt "$before" ] || vm_fail "the ROM took it" || return 1
	! timeout 60 nnctl run "$NN_ROOT/models/shapes_int8/model.tflite" --input "$NN_ROOT/models/pictures/star.png" \
		--device "$(node_name)" || vm_fail "it computes"
}

right_firmware()
{
	unbinds && mv "$firmware.away" "$firmware" && binds
}

no_violation()
{
	[ "$(board_count violations)" = 0 ] || vm_fail "$(board_count violations) violations"
}

check "loaded" load_driver
check "it computes" classifies "$(node_name)"
check "it sleeps: no power, no clock, reset" sleeps
check "it wakes with its firmware" wakes
check "it sleeps again" sleeps
check "unbound in its sleep" unbinds
check "bound again" binds
check "unbound while it is awake" unbinds
check "no firmware" without_firmware
check "an empty firmware" empty_firmware
check "a firmware that is too large" too_large
check "a firmware that is not valid" wrong_firmware
check "the right firmware again" right_firmware
check "no use that would hang a chip" no_violation
echo on >"$npu/power/control"
tap_done
