#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# nnctl-check.sh COMMAND FOLDER [OPTION...]: in the guest, one of nnctl's checks of a folder on the card.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

load_driver
exec nnctl "$@" --device accel0
