#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock smoke emu arm64 arm64-16k board
#
# nnctl doctor succeeds on a working set-up, and fails without the driver.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

finds_missing_driver()
{
	local output rc=0

	output=$(nnctl doctor 2>&1) || rc=$?
	[ "$rc" -ne 0 ] && grep -qi modprobe <<<"$output" || vm_fail "exit $rc: $output"
}

model=$NN_ROOT/models/shapes_int8/model.tflite
picture=$NN_ROOT/models/pictures/star.png

# unprivileged EXIT COMMAND...: runs without CAP_DAC_OVERRIDE, so that the card is not accessible, but the project is, which
# may be in root's home; its output is in $output
unprivileged()
{
	local want=$1 rc=0

	shift
	output=$(setpriv --bounding-set -dac_override,-dac_read_search "$@" 2>&1) || rc=$?
	[ "$rc" -eq "$want" ] || vm_fail "exit $rc, not $want: $output"
}

says()
{
	grep -qE -- "$1" <<<"$output" || vm_fail "no '$1' in: $output"
}

without_permission()
{
	local path name

	path=$(device_nodes | head -n 1)
	name=${path##*/}
	chown 1:1 "$path" && chmod 0600 "$path" || return 1
	unprivileged 1 nnctl doctor && says "$name: no permission" &&
		unprivileged 1 nnctl run "$model" --input "$picture" --device "$name" && says '[Pp]ermission' &&
		unprivileged 1 nnctl info --device "$name" &&
		unprivileged 0 nnctl run "$model" --input "$picture" && says "warning: $name cannot be used: .*in-process" &&
		unprivileged 0 nnctl info && says "warning: $name cannot be used" &&
		unprivileged 0 nnctl run "$model" --input "$picture" --runtime && says "warning: $name: no permission for $path" &&
		unprivileged 1 nnctl run "$model" --input "$picture" --devices nnaccel-card0 &&
		unprivileged 0 nnctl run "$model" --input "$picture" --device cpu && ! says warning 2>/dev/null >&2
}

# The class, and the module that modprobe would find.
judges_by_what_there_is()
{
	if [ -d /sys/class/accel ]; then
		nnctl doctor | grep -qE '^ok +kernel .* has DRM accel \(/sys/class/accel\)'
	else
		nnctl doctor | grep -qE '^note +kernel .* has no DRM accel .* makes render nodes'
	fi
}

names_the_bus()
{
	local bus='1 card on the PCI bus'

	# One foreign device has an expansion ROM, which doctor cannot read.
	[ "$NN_FOREIGN" = 0 ] || bus='2 cards on the PCI bus'
	[ "$NN_EMULATED$NN_BOARD" = 00 ] || bus='1 accelerator on the platform bus'
	nnctl doctor | grep -q "^ok *$bus"
}

check "loaded" load_driver
check "it names the bus" names_the_bus
check "the kernel is judged by what it has" judges_by_what_there_is
check "a card without permission is not replaced in silence" without_permission
check "and can be used again" chown 0:0 "$(device_nodes | head -n 1)"
check "content with the driver loaded" nnctl doctor
check "unloads" unload_driver
# Without a card on the bus nothing is missing.
[ "$NN_EMULATED" = 1 ] || check "says what to do without it" finds_missing_driver
check "loads again" load_driver
tap_done
