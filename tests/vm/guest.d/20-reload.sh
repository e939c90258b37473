#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock newest emu arm64 arm64-16k board
# timeout: 120
#
# The module is loaded and unloaded, and the card works each time.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

gone()
{
	! driver_loaded && node_count_is 0
}

check "loaded" load_driver
for round in 1 2 3; do
	check "round $round: unloads" unload_driver
	check "round $round: nothing is left" gone
	check "round $round: loads again" load_driver
done
check "the classifier is right after all of that" classifies "$(node_name)"
tap_done
