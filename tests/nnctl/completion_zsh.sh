#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# completion_zsh.sh NNCTL MODELS: zsh is offered what nnctl takes.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"
command -v zsh >/dev/null || {
	echo "no zsh (scripts/bootstrap.sh full)"
	exit 77
}

run 0 "$nnctl" completion zsh
cp "$folder/out" "$folder/_nnctl"
[ "$(head -n 1 "$folder/_nnctl")" = "#compdef nnctl" ] || die "the first line does not name the command"

# expect EXPECTED WORD...: the words that are offered for the last one; compadd chooses by what is written
expect()
{
	local expected=$1 got

	shift
	# shellcheck disable=SC2016 # for zsh
	got=$(zsh -f -c '
		compadd() { shift; print -l -- ${(M)@:#${words[CURRENT]}*}; }
		_files() { :; }
		file=$1; shift
		words=(nnctl "$@"); CURRENT=$#words
		source $file' - "$folder/_nnctl" "$@" | sort -u | xargs)
	[ "$got" = "$expected" ] || die "nnctl $*: \"$got\" instead of \"$expected\""
}

expect 'list' li
expect 'top trace' t
expect '--devices' explain --de
expect '--device --devices' bench --de
expect 'record report' trace re
expect 'watch' sensors w
expect '--json --rate --seconds --socket' sensors list --
expect 'cpu' info --device c
