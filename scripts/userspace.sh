#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# userspace.sh [TARGET...]: libraries, firmware, nnctl and unit tests by meson into build/, or only these targets of ninja. Quiet;
# the full output is in build/logs. NNACCEL_MESON_OPTIONS go to meson's first configuration. With CI=true warnings are errors.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

command -v meson >/dev/null || nn_die "meson is missing: run 'make bootstrap'"
werror=()
[ "${CI:-}" != true ] || werror=(-Dwerror=true)
if [ ! -f "$NN_BUILD/build.ninja" ]; then
	nn_say "configuring the userspace build"
	# shellcheck disable=SC2086 # a list of options
	nn_logged meson-setup meson setup "${werror[@]}" ${NNACCEL_MESON_OPTIONS:-} "$NN_BUILD" "$NN_ROOT"
elif [ "${#werror[@]}" -gt 0 ] && ! grep -q -m 1 -- ' -Werror ' "$NN_BUILD/build.ninja"; then
	nn_logged meson-configure meson configure "${werror[@]}" "$NN_BUILD"
fi
if ! ninja -C "$NN_BUILD" -n "$@" 2>&1 | grep -q "no work to do"; then
	nn_say "building userspace"
fi
nn_logged ninja ninja -C "$NN_BUILD" "$@"
