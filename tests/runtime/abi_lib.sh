# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # lib is the caller's
# abi_lib.sh: for tests of what a shared library exports; sourced, with $lib its path.

node() # NAME: its symbols, sorted
{
	nm -D --defined-only "$lib" | awk -v node="@@$1" \
		'$2 == "T" && substr($3, length($3) - length(node) + 1) == node { print substr($3, 1, length($3) - length(node)) }' |
		sort
}

expect() # NODE SYMBOLS
{
	local have

	have=$(node "$1")
	diff <(echo "$2") <(echo "$have") >&2 || { echo "$0: $lib, node $1 differs" >&2; exit 1; }
}

prototypes() # FILE: names of its functions, sorted
{
	sed -n 's/^PROTOTYPE([a-z0-9_]*, \([A-Za-z_0-9]*\),.*/\1/p' "$1" | sort
}

expect_count() # NUMBER: of exported symbols
{
	local count

	count=$(nm -D --defined-only "$lib" | awk '$2 != "A"' | wc -l)
	[ "$count" -eq "$1" ] || { echo "$0: $lib exports $count symbols, not $1" >&2; exit 1; }
}

expect_soname() # NAME
{
	local soname

	soname=$(objdump -p "$lib" | awk '$1 == "SONAME" { print $2 }')
	[ "$soname" = "$1" ] || { echo "$0: $lib calls itself $soname" >&2; exit 1; }
}
