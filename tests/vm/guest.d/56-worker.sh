#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock:long gate arm64 arm64-16k
# timeout: 500
#
# The HAL's tests on the card through a worker process, with every layer of the sandbox: a layer that this kernel does not
# allow is a failure.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"
# shellcheck source=scripts/route.sh
. "$NN_ROOT/scripts/route.sh"

nn_route worker-card
export NNACCEL_WORKER_SANDBOX=strict

no_worker()
{
	! pgrep -x nnaccel-worker >/dev/null
}

check "loaded" load_driver
NNHAL_TEST_DEVICE=worker:$(node_name)
export NNHAL_TEST_DEVICE
# those that have their own transport, look into the library or measure time need no other process
programs=(buffer burst cache control coupling execute extension fenced prepare request reusable shapes sizes threads validation views)
# memory and fences across the boundary
[ "$NN_BOOT" != gate ] || programs=(burst)
for name in "${programs[@]}"; do
	check "hal $name on the card, in a worker" "$NN_BUILD/tests/hal/test_hal_$name"
done
check "no worker is left" wait_until 5 no_worker
tap_done
