#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock swiotlb emu arm64 arm64-16k board
# timeout: 400
#
# The HAL's tests against the card; on the in-process device they run with the unit tests.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

resets()
{
	card_control status | grep -o 'resets=[0-9]*'
}

no_reset_since()
{
	[ "$(resets)" = "$1" ]
}

export NNACCEL_CALIBRATION=off
[ "$NN_EMULATED" = 0 ] || export NN_TEST_NO_IMPORTS=1

check "loaded" load_driver
NNHAL_TEST_DEVICE=$(node_name)
export NNHAL_TEST_DEVICE
before=$(resets)
# all programs, so that none is forgotten; a few have their own transport and need no card
programs=0
for program in "$NN_BUILD"/tests/hal/test_hal_*; do
	[ -f "$program" ] && [ -x "$program" ] || continue
	# about files in the build folder, not about a device
	[ "${program##*_hal_}" != proxy_library ] || continue
	# fills the memory for programs, which is set by the environment of the in-process device
	[ "${program##*_hal_}" != quota ] || continue
	# bounce buffers concern what moves data
	[ "$NN_BOOT" != swiotlb ] || [[ ${program##*_hal_} =~ ^(buffer|burst|execute|request)$ ]] || continue
	programs=$((programs + 1))
	name=${program##*/test_hal_}
	# as tests/hal/meson.build has it for that one
	detail=$([ "$name" != op_times ] || echo 2)
	check "hal ${name//_/ } on the card" env ${detail:+NNTRACE_DETAIL=$detail} "$program"
done
check "there are programs" test "$programs" -ge "$([ "$NN_BOOT" = swiotlb ] && echo 4 || echo 18)"
# 100 executions on a burst, between two marks of the test.
only_submit_and_wait()
{
	local trace=$NN_TEST_TMP/burst.trace calls

	strace -qq -o "$trace" "$NN_BUILD/tests/hal/test_hal_burst" >"$NN_TEST_TMP/burst.log" || return 1
	calls=$(awk '/^getppid/ { on = !on; next } on { sub(/\(.*/, ""); n[$0]++ }
		END { for (c in n) print c, n[c] }' "$trace")
	echo "# between the marks: $calls"
	[ "$calls" = "ioctl 200" ]
}
check "an execution on a burst is one SUBMIT and one wait" only_submit_and_wait
check "no reset was needed" no_reset_since "$before"
tap_done
