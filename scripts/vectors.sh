#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# vectors.sh: unpacks ../shared/conformance/open.tar.zst below build/ and prints the folder; prints nothing if it does not exist.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

packed=$NN_ROOT/../shared/conformance/open.tar.zst
[ -f "$packed" ] || exit 0
if [ ! "$NN_BUILD/vectors/.complete" -nt "$packed" ]; then
	rm -rf "$NN_BUILD/vectors"
	mkdir -p "$NN_BUILD/vectors"
	tar --zstd -xf "$packed" -C "$NN_BUILD/vectors"
	touch "$NN_BUILD/vectors/.complete"
fi
echo "$NN_BUILD/vectors"
