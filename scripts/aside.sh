#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# aside.sh FOLDER: runs the commands of FOLDER/plan, "NAME<tab>COMMAND" a line, one after the other, on processors that nothing
# else wants. FOLDER/NAME becomes the command's output when it is done, NAME.rc its exit status; NAME.log is what it says. check.sh
# starts this in a session of its own, and ends the session.
set -uo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

renice -n 19 -p $$ >/dev/null
# of the session: without it, a session has the same share as another, whatever the nice values inside
echo 19 >/proc/self/autogroup 2>/dev/null
while IFS=$'\t' read -r name command; do
	bash -c "$command" >"$1/$name.new" 2>"$1/$name.log" </dev/null
	echo $? >"$1/$name.rc"
	mv "$1/$name.new" "$1/$name"
done <"$1/plan"
