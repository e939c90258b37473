#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# clang.sh: all of userspace with clang (bootstrap's set clang), the benchmarks too, in build/clang. Warnings are errors;
# nothing is run. Prints "PASSED FAILED" for check.sh.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

command -v clang-16 >/dev/null || nn_die "no clang 16: run scripts/bootstrap.sh clang"
build=$NN_BUILD/clang
if [ ! -f "$build/build.ninja" ]; then
	# It is built for its warnings, which do not depend on optimization: half of the time.
	CC="$(nn_ccache) clang-16" nn_logged meson-setup-clang meson setup -Dwerror=true -Doptimization=0 -Ddebug=false "$build" "$NN_ROOT" ||
		{ echo "0 1" && exit; }
fi
if nn_logged ninja-clang ninja -k 0 -C "$build" all fuzzers benchmarks; then
	echo "1 0"
else
	echo "0 1"
fi
