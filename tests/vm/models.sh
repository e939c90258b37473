#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# models.sh FOLDER: in the guest, checks the models of a folder on the card.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

load_driver
exec nnctl models-check "$1" --device accel0
