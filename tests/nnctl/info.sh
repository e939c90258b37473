#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# info.sh NNCTL MODELS: what "nnctl info" says of instructions is what NNACCEL_ISA can have.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

# json MEMBER: a text of the last output
json()
{
	sed -n 's/^\t"'"$1"'":\t"\(.*\)",\{0,1\}$/\1/p' "$folder/out"
}

unset NNACCEL_ISA
run 0 "$nnctl" info --device cpu --json
best=$(json isa) usable=$(json isa_usable) missing=$(json isa_missing)
[ "${usable%% *}" = scalar ] || die "the worst is scalar: $usable"
# amx is for heavy programs
best_usable=${usable% amx}
[ "${best_usable##* }" = "$best" ] ||
	die "the best that is usable is used: $best of $usable"
for name in $usable; do
	NNACCEL_ISA=$name run 0 "$nnctl" info --device cpu --json
	[ "$(json isa)" = "$name" ] || die "NNACCEL_ISA=$name: $(json isa) is used"
	[ "$(json isa_usable)" = "$usable" ] || die "NNACCEL_ISA=$name: what is usable changes"
done
# vnni: the name of avx512vnni until 0.1
for name in $missing vnni no-such-set; do
	NNACCEL_ISA=$name run 1 "$nnctl" info --device cpu
	printed err "NNACCEL_ISA=$name: .* it has $usable"
done
run 0 "$nnctl" info --device cpu
printed out "^instructions    $best, usable: $usable"
