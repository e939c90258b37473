#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# torn.sh "EVERY SESSIONS RUNS" PROGRAM...: the programs that test operations, in their short form, while a client writes to
# operands (op_torn.h). Each operation of the device must have run so.
set -euo pipefail
export OP_TORN=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OP_TORN_SEEN=$folder/seen
failed=0
for program; do
	if ! "$program" short >"$folder/log" 2>&1; then
		cat "$folder/log"
		failed=1
	fi
done
awk '{ runs[$1] += $2 } END { for (name in runs) if (!runs[name]) { print "never torn: " name; bad = 1 } exit bad }' "$OP_TORN_SEEN" ||
	failed=1
exit "$failed"
