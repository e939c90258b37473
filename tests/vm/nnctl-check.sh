#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# nnctl-check.sh ROUTE COMMAND FOLDER [OPTION...]: in the guest, one of nnctl's checks of a folder on the card, or by
# another route that scripts/route.sh has.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"
# shellcheck source=scripts/route.sh
. "$NN_ROOT/scripts/route.sh"

nn_route "$1"
shift
load_driver
exec nnctl "$@" "${NN_OPTIONS[@]}"
