#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# abi_headers.sh INCLUDE-DIR [C++-COMPILER]: each public header stands alone, and everything that abi.h checks holds,
# in several versions of C and, where there is a compiler, of C++.
set -euo pipefail

include=$1 cxx=${2:-}
here=$(dirname "$0")
flags=(-Wall -Wextra -Werror -Wpedantic -fsyntax-only -I "$include" -I "$here")
headers=(NeuralNetworks.h NeuralNetworksTypes.h NeuralNetworksExtensions.h NeuralNetworksSupportLibraryImpl.h)

check() # compiler...
{
	for header in "${headers[@]}"; do
		printf '#include "%s"\n#include "%s"\n' "$header" "$header" | "$@" "${flags[@]}" - || {
			echo "abi_headers.sh: $header with $*" >&2
			exit 1
		}
	done
}

for std in c11 gnu11 c17; do
	check cc -x c "-std=$std"
done
printf '#include "abi.h"\n' | cc -x c -std=gnu11 "${flags[@]}" -Wno-pedantic -
if [ -n "$cxx" ]; then
	for std in c++11 c++17 gnu++20; do
		check "$cxx" -x c++ "-std=$std"
	done
	printf '#include "abi.h"\n' | "$cxx" -x c++ -std=gnu++17 "${flags[@]}" -Wno-pedantic -Wno-invalid-offsetof -
fi
