#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock
# timeout: 200
#
# nnaccel-hald with the guest's cgroups of version 2: what the workers of a user may use of memory.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

for name in test_hald test_hald_memory; do
	check "$name" "$NN_BUILD/tests/ipc/hald/$name"
done
tap_done
