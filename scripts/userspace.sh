#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# userspace.sh: libraries, firmware, nnctl and unit tests by meson into build/. Quiet; the full output is in
# build/logs. NNACCEL_MESON_OPTIONS go to meson's first configuration.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

command -v meson >/dev/null || nn_die "meson is missing: run 'make bootstrap'"
if [ ! -f "$NN_BUILD/build.ninja" ]; then
	nn_say "configuring the userspace build"
	# shellcheck disable=SC2086 # a list of options
	nn_logged meson-setup meson setup ${NNACCEL_MESON_OPTIONS:-} "$NN_BUILD" "$NN_ROOT"
fi
if ! ninja -C "$NN_BUILD" -n 2>&1 | grep -q "no work to do"; then
	nn_say "building userspace"
fi
nn_logged ninja ninja -C "$NN_BUILD"
