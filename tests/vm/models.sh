#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# models.sh JOBS: in the guest, runs the jobs of models-check.py on the card.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

load_driver
NN_NNCTL=$NN_BUILD/tools/nnctl/nnctl bash "$NN_ROOT/scripts/models-run.sh" "$1" card
