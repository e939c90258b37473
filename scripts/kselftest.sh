#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# kselftest.sh [MAKE ARGUMENT...]: builds tests/kselftest with the kernel's harness (tests/kselftest/harness, or
# KSELFTEST_HARNESS) into build/kselftest; they run in the VM. Fetches nothing.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

[ -f "$NN_ROOT/tests/kselftest/Makefile" ] || nn_die "tests/kselftest/Makefile is missing"
mkdir -p "$NN_BUILD/kselftest"
# The VM runs every executable in this folder: remove those of deleted tests.
find "$NN_BUILD/kselftest" -maxdepth 1 -type f -executable -delete
nn_logged kselftest make -s -j"$(nproc)" -C "$NN_ROOT/tests/kselftest" OUTPUT="$NN_BUILD/kselftest" "$@"
