#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# abi_headers.sh INCLUDE-DIR WINDOW-INCLUDE-DIR [C++-COMPILER]: each public header stands alone, each compiles before and
# after Android's NeuralNetworksOEM.h, and everything that abi.h checks holds, in several versions of C and, where there is
# a compiler, of C++.
set -euo pipefail

cxx=${3:-}
flags=(-Wall -Wextra -Werror -Wpedantic -fsyntax-only -I "$1" -I "$2" -I "$(dirname "$0")")
headers=(NeuralNetworks.h NeuralNetworksTypes.h NeuralNetworksExtensions.h NeuralNetworksSupportLibraryImpl.h
	NeuralNetworksOEM.h hardware_buffer.h rect.h)

# Android's, which has had two guards in its life: the codes are facts.
oem() # GUARD
{
	printf '#ifndef %s\n#define %s\n' "$1" "$1"
	printf 'enum { ANEURALNETWORKS_OEM_SCALAR = 10000, ANEURALNETWORKS_TENSOR_OEM_BYTE = 10001 };\n'
	printf 'enum { ANEURALNETWORKS_OEM_OPERATION = 10000 };\n#endif\n'
}

compile() # what compiler...: stdin
{
	local what=$1

	shift
	"$@" "${flags[@]}" - || {
		echo "abi_headers.sh: $what with $*" >&2
		exit 1
	}
}

check() # compiler...
{
	local header guard

	for header in "${headers[@]}"; do
		printf '#include "%s"\n#include "%s"\n' "$header" "$header" | compile "$header" "$@"
		for guard in ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_OEM_H \
			ANDROID_PACKAGES_MODULES_NEURALNETWORKS_RUNTIME_NEURAL_NETWORKS_OEM_H; do
			{ oem "$guard"; printf '#include "%s"\n' "$header"; } | compile "OEM before $header" "$@"
			{ printf '#include "%s"\n' "$header"; oem "$guard"; } | compile "OEM after $header" "$@"
		done
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
