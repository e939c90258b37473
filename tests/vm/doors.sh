#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# doors.sh ROOT FOLDER...: inside the guest, for vm.sh: scripts/check/doors-run.sh on the card. scripts/check/doors.sh calls it.
set -uo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

load_driver || exit 1
exec scripts/check/doors-run.sh nnaccel-card0 "$@"
