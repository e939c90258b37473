#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock smoke
#
# nnctl doctor: content with a set-up that works, and not with one that lacks the driver.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

finds_missing_driver()
{
	local output rc=0

	output=$(nnctl doctor 2>&1) || rc=$?
	[ "$rc" -ne 0 ] && grep -qi modprobe <<<"$output" || vm_fail "exit $rc: $output"
}

check "loaded" load_driver
check "content with the driver loaded" nnctl doctor
check "unloads" unload_driver
check "says what to do without it" finds_missing_driver
check "loads again" load_driver
tap_done
