#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# blas.sh ARCHIVE MEMORY OUT COMPILER...: from OpenBLAS's static library one object with the products of floats, for
# libraries that live in other people's processes. It has three names, which no library or program exports: cblas_sgemm,
# cblas_sgemv and nnfw_blas_enter. Nothing runs when it is loaded, nor when the process ends. The file MEMORY is in the
# place of OpenBLAS's memory.c, with its constructor and destructor. Of its tables of kernels, one for each kind of processor, only the products of single precision
# are kept (27 MB become 1); the others trap.
set -euo pipefail

archive=$1 memory=$2 out=$3
shift 3
# the compiler's own, for it may be of another architecture
nm=$("$@" -print-prog-name=nm) objcopy=$("$@" -print-prog-name=objcopy)
kept='^s(gemm|gemv|scal)_'
tmp=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# NAME MEMBER TYPE of all that is defined or missing
"$nm" -A "$archive" 2>/dev/null | awk '{ n = split($1, part, ":"); print $NF, part[n - 1], $(NF - 1) }' >"$tmp/names"
awk -v kept="$kept" '
	$3 ~ /^[DR]$/ && $1 ~ /^gotoblas_[A-Z]/ { table[$2] = 1 }
	$3 == "U" { missing[$2] = missing[$2] " " $1; next }
	$3 ~ /^[A-Z]$/ { defined[$1] = $2 }
	END {
		print "#pragma GCC visibility push(hidden)"
		print "void cblas_sgemm(void), cblas_sgemv(void);"
		print "void (*const nnfw_blas_wanted[])(void) = { cblas_sgemm, cblas_sgemv };"
		print "void nnfw_blas_absent(void) { __builtin_trap(); }"
		for (t in table) {
			n = split(missing[t], name, " ")
			for (i = 1; i <= n; i++)
				if (name[i] in defined && !(defined[name[i]] in table) && name[i] !~ kept && !seen[name[i]]++)
					print "void " name[i] "(void) __attribute__((alias(\"nnfw_blas_absent\")));"
		}
	}' "$tmp/names" >"$tmp/glue.c"
"$@" -w -O1 -fPIC -c "$tmp/glue.c" -o "$tmp/glue.o"
"$@" -std=gnu11 -Wall -Wextra -Werror -O2 -fPIC -fvisibility=hidden -c "$memory" -o "$tmp/memory.o"
"$@" -r -nostdlib -o "$tmp/all.o" "$tmp/glue.o" "$tmp/memory.o" "$archive"
"$objcopy" --keep-global-symbol=nnfw_blas_enter \
	--keep-global-symbol=cblas_sgemm --keep-global-symbol=cblas_sgemv \
	--remove-section=.init_array --remove-section=.rela.init_array \
	--remove-section=.fini_array --remove-section=.rela.fini_array "$tmp/all.o" "$tmp/blas.o"
shown=$("$nm" -g --defined-only "$tmp/blas.o" | awk '{ print $3 }' | sort | tr '\n' ' ')
if [ "$shown" != "cblas_sgemm cblas_sgemv nnfw_blas_enter " ]; then
	echo "blas.sh: $archive is not the static library of OpenBLAS that this knows (it gave: $shown)" >&2
	exit 1
fi
mv "$tmp/blas.o" "$out"
