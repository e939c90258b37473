#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# completion.sh NNCTL MODELS: bash completes what nnctl takes: the commands of its help, and the options of each.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

run 0 "$nnctl" completion bash
# shellcheck source=/dev/null
. "$folder/out"

# completed WORD...: what the last word of the command line may become, in a line
completed()
{
	COMP_WORDS=(nnctl "$@") COMP_CWORD=$#
	_nnctl
	echo "${COMPREPLY[*]}"
}

# expect EXPECTED WORD...
expect()
{
	local expected=$1 got

	shift
	got=$(completed "$@")
	[ "$got" = "$expected" ] || die "nnctl $*: \"$got\" instead of \"$expected\""
}

[[ $(complete -p nnctl) == *"-F _nnctl nnctl" ]] || die "no completion is registered"
expect 'list' li
expect 'top trace' t
expect '--devices' explain --de
expect '--device --devices' bench --de
expect '--interval' top --i
expect '--json' top --once --js
expect 'record report' trace re
expect 'watch' sensors w
expect 'cpu' info --device c
expect '' info no

# Every command of the help, with its options, and none besides.
"$nnctl" help >"$folder/help"
python3 - "$folder/help" >"$folder/options" <<'PYTHON'
import re, sys
text, options = open(sys.argv[1]).read(), {}
# a usage and its further lines, to the summary
for command, usage in re.findall(r"^  nnctl ([a-z-]+)((?:.*\n)(?: {13}[\[\-].*\n)*)", text, re.M):
    options.setdefault(command, set()).update(re.findall(r"--[a-z][a-z-]*", usage))
for command in options:
    print(command, *sorted(options[command]))
PYTHON
[ "$(wc -l <"$folder/options")" -gt 15 ] || die "few commands in the help: $(cat "$folder/options")"
while read -r command options; do
	[[ " $(completed '') " == *" $command "* ]] || die "$command is not offered"
	offered=$(completed "$command" x -- | tr ' ' '\n' | sort -u | xargs)
	[ "$offered" = "$options" ] || die "$command: \"$offered\" is offered, the help has \"$options\""
done <"$folder/options"
run 2 "$nnctl" completion
run 2 "$nnctl" completion tcsh
