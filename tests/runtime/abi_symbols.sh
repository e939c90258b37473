#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# abi_symbols.sh LIBRARY PROTOTYPES: the library exports the functions of abi_prototypes.h and nothing else, each in the
# version node it has on Android; its own extras have nodes of their own. It has no version in its name.
set -euo pipefail

lib=$1 prototypes=$2

node() # NAME: its symbols, sorted
{
	nm -D --defined-only "$lib" | awk -v node="@@$1" \
		'$2 == "T" && substr($3, length($3) - length(node) + 1) == node { print substr($3, 1, length($3) - length(node)) }' |
		sort
}

expect() # NODE SYMBOLS
{
	if [ "$(node "$1")" != "$2" ]; then
		echo "abi_symbols.sh: $lib, node $1:" >&2
		diff <(echo "$2") <(node "$1") >&2 || true
		exit 1
	fi
}

all=$(sed -n 's/^PROTOTYPE([a-z0-9_]*, \([A-Za-z_0-9]*\),.*/\1/p' "$prototypes" | sort)
platform=$(grep -E '[eE]xtension(Support|OperandType|OperationType|Data|Attribute)$' <<< "$all")
public=$(comm -23 <(echo "$all") <(echo "$platform"))
[ "$(wc -l <<< "$public")" -eq 69 ] && [ "$(wc -l <<< "$platform")" -eq 6 ] || {
	echo "abi_symbols.sh: $prototypes does not have 69 + 6 functions" >&2
	exit 1
}
expect LIBNEURALNETWORKS "$public"
expect LIBNEURALNETWORKS_PLATFORM "$platform"
expect LIBNEURALNETWORKS_SUPPORT_LIBRARY ANeuralNetworks_getSLDriverImpl
expect NNACCEL_PRIVATE nnaccelCompilation_explain

count=$(nm -D --defined-only "$lib" | awk '$2 != "A"' | wc -l)
[ "$count" -eq 77 ] || { echo "abi_symbols.sh: $lib exports $count symbols, not 69 + 6 + 1 + 1" >&2; exit 1; }
soname=$(objdump -p "$lib" | awk '$1 == "SONAME" { print $2 }')
[ "$soname" = libneuralnetworks.so ] || { echo "abi_symbols.sh: $lib calls itself $soname" >&2; exit 1; }
