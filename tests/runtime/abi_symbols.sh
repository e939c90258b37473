#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# abi_symbols.sh LIBRARY PROTOTYPES: the library exports the functions of abi_prototypes.h and nothing else, each in the
# version node it has on Android; its own extras have nodes of their own. It has no version in its name.
set -euo pipefail
# shellcheck source=tests/runtime/abi_lib.sh
. "$(dirname "$0")/abi_lib.sh"

lib=$1 list=$2
all=$(prototypes "$list")
platform=$(grep -E '[eE]xtension(Support|OperandType|OperationType|Data|Attribute)$' <<< "$all")
public=$(comm -23 <(echo "$all") <(echo "$platform"))
[ "$(wc -l <<< "$public")" -eq 69 ] && [ "$(wc -l <<< "$platform")" -eq 6 ] || {
	echo "$0: $list does not have 69 + 6 functions" >&2
	exit 1
}
expect LIBNEURALNETWORKS "$public"
expect LIBNEURALNETWORKS_PLATFORM "$platform"
expect LIBNEURALNETWORKS_SUPPORT_LIBRARY ANeuralNetworks_getSLDriverImpl
expect NNACCEL_PRIVATE "$(printf '%s\n' nnaccelCompilation_explain nnaccelRuntime_setAmx nnaccelRuntime_setIsolation)"
expect_count $((69 + 6 + 1 + 3))
expect_soname libneuralnetworks.so
