#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock
# timeout: 240
#
# Memory that an application has freed is freed on the card too: the library neither maps nor pins it.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

export NNAPI_CONFIG=/dev/null NNACCEL_CALIBRATION=off

check "loaded" load_driver
check "freed memory goes" env RT_LEFT_DEVICE=nnaccel-card0 RT_LEFT_SYSTEM=1 "$NN_BUILD/tests/runtime/test_rt_left"
tap_done
