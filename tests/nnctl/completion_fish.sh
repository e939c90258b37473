#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# completion_fish.sh NNCTL MODELS: fish completes what nnctl takes.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"
command -v fish >/dev/null || {
	echo "no fish (scripts/bootstrap.sh full)"
	exit 77
}

run 0 "$nnctl" completion fish
cp "$folder/out" "$folder/nnctl.fish"

# expect EXPECTED LINE: what the line may become, its last word without descriptions
expect()
{
	local got

	# shellcheck disable=SC2016 # for fish
	got=$(HOME=$folder fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$folder/nnctl.fish" "$2" | cut -f1 | sort | xargs)
	[ "$got" = "$1" ] || die "$2: \"$got\" instead of \"$1\""
}

expect 'list' 'nnctl li'
expect 'top trace' 'nnctl t'
expect '--devices' 'nnctl explain --de'
expect '--device --devices' 'nnctl bench --de'
expect 'record report' 'nnctl trace re'
expect 'watch' 'nnctl sensors w'
# not the options of "nnctl list"
expect '--json --rate --seconds --socket' 'nnctl sensors list --'
expect 'cpu' 'nnctl info --device c'
