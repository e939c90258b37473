#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# shell.sh COMMAND: a line of shell inside the guest, with the driver loaded and nnctl on the path.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

load_driver || exit
exec bash -c "$1"
