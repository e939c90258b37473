#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock arm64 arm64-16k
# timeout: 240
#
# fork() on the card: children open the card themselves and compute beside their parent; they neither use nor free
# the parent's objects.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

export NNAPI_CONFIG=/dev/null NNACCEL_CALIBRATION=off PYTHONDONTWRITEBYTECODE=1
library=$NN_BUILD/lib/libneuralnetworks/libneuralnetworks.so

resets()
{
	card_control status | grep -o 'resets=[0-9]*'
}

no_reset_since()
{
	[ "$(resets)" = "$1" ]
}

no_file_is_open()
{
	local fd

	for fd in /proc/[0-9]*/fd/*; do
		case $(readlink "$fd" 2>/dev/null) in
		/dev/accel/* | /dev/dri/*) return 1 ;;
		esac
	done
}

check "loaded" load_driver
before=$(resets)
check "the HAL's objects" env NNHAL_TEST_DEVICE="$(node_name)" "$NN_BUILD/tests/hal/test_hal_fork"
check "a server that forks" env RT_FORK_DEVICE=nnaccel-card0 "$NN_BUILD/tests/runtime/test_rt_fork"
check "Python's multiprocessing" python3 "$NN_ROOT/tests/runtime/ctypes_fork.py" "$library" nnaccel-card0
check "no process has the card open" no_file_is_open
check "no reset was needed" no_reset_since "$before"
tap_done
