# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# nn_route DEVICE: sets NN_OPTIONS, nnctl's options that choose the device, and exports the environment for it. The runtime
# ignores this machine's configuration and sees only the tests' devices. Sourced; needs NN_ROOT and NN_BUILD.
# shellcheck disable=SC2034 # used by the scripts that source it

# Prints every other operation of NNAPI, beginning with number FIRST (1 or 2), joined by +.
nn_every_other()
{
	sed -n '/^enum nnmodel_opcode/,/NNMODEL_OPCODE_COUNT/p' "$NN_ROOT/lib/libnnmodel/nnmodel.h" |
		grep -oE 'NNMODEL_[A-Z0-9_]+ =' | sed 's/^NNMODEL_//; s/ =$//' |
		awk -v first="$1" 'NR % 2 == first % 2' | paste -sd+
}

# Two devices with half of the operations each; $1 and $2 are the devices that they stand on.
nn_split()
{
	export NNHAL_TEST_DEVICES
	NNHAL_TEST_DEVICES="name=test-odd,inner=$1,exec=0.5,ops=$(nn_every_other 1)"
	NNHAL_TEST_DEVICES+=" name=test-even,inner=$2,exec=0.5,ops=$(nn_every_other 2)"
	NN_OPTIONS=(--runtime)
}

nn_route()
{
	export NNAPI_CONFIG=/dev/null NNAPI_HAL_DIR=$NN_BUILD/tests/runtime/plugin NNACCEL_CALIBRATION=off
	case $1 in
	cpu) NN_OPTIONS=(--device cpu) ;;
	card) NN_OPTIONS=(--device accel0) ;;
	runtime)
		export NNHAL_TEST_DEVICES=
		NN_OPTIONS=(--runtime --devices nnapi-reference)
		;;
	split) nn_split cpu cpu ;;
	runtime-card)
		export NNHAL_TEST_DEVICES=name=test-card,inner=accel0
		NN_OPTIONS=(--runtime --devices test-card)
		;;
	split-card) nn_split accel0 cpu ;;
	esac
}
