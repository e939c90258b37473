#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# guest.sh LIBRARY: what it does to a process that only loads it. It brings no BLAS along, shows none of its names, and
# runs nothing but what the compiler's own start files have.
set -euo pipefail

lib=$1 failed=0
complain()
{
	echo "guest.sh: $lib $1" >&2
	failed=1
}

dynamic=$(readelf -dW "$lib")
grep -i 'NEEDED.*\(blas\|gfortran\|quadmath\)' <<<"$dynamic" && complain "needs a BLAS"
names=$(nm -D "$lib")
grep -iE ' [A-Za-z] .*(blas|gemm|gemv|lapack)' <<<"$names" && complain "shows or wants names of a BLAS"
# Addresses are compared as texts: awk takes 0000000000012e40 and 0000000000013e40 for one number.
# where INIT_ARRAY and FINI_ARRAY lead: names of functions by the addresses that are stored there
relocations=$(readelf -rW "$lib")
for array in INIT_ARRAY FINI_ARRAY; do
	begin=$((16#$(sed -n "s/.*($array) *0x//p" <<<"$dynamic")))
	size=$(sed -n "s/.*(${array}SZ) *\([0-9]*\) .*/\1/p" <<<"$dynamic")
	for ((at = begin; at < begin + size; at += 8)); do
		target=$(awk -v at="$(printf '%016x' "$at")" '($1 "") == (at "") { print $NF }' <<<"$relocations")
		name=$(nm "$lib" | awk -v at="$(printf '%016x' "$((16#$target))")" '($1 "") == (at "") && tolower($2) == "t" { print $3 }')
		case $name in
		frame_dummy | __do_global_dtors_aux | __cpu_indicator_init*) ;;
		*) complain "runs ${name:-a function at $target} of $array" ;;
		esac
	done
done
exit "$failed"
