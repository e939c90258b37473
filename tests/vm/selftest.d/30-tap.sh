# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# One test passes, one fails, one is skipped (which counts as failed), and the fourth of the plan is missing.
echo "TAP version 13"
echo "1..4"
echo "ok 1 first"
echo "not ok 2 second"
echo "ok 3 third # SKIP no such device"
exit 1
