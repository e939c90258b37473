#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# symbols.sh LIBRARY MAP: the library exports exactly what its version script names.
set -euo pipefail

lib=$1 map=$2
want=$(sed -n '/^global:/,/^local:/s/^\t\([a-z_0-9]*\);$/\1/p' "$map" | sort)
have=$(nm -D --defined-only "$lib" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
[ -n "$want" ] || { echo "symbols.sh: no symbols in $map" >&2; exit 1; }
diff <(echo "$want") <(echo "$have") >&2 || { echo "symbols.sh: $lib and $map differ" >&2; exit 1; }
