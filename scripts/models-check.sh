#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# models-check.sh FOLDER cpu|card: every model of the folder by the acceptance rule (nnctl models-check), on
# the in-process device here or on the card in one boot of the VM. The last line is "N passed, N failed".
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

[ $# -eq 2 ] || nn_die "usage: models-check.sh FOLDER cpu|card"
[ -d "$1" ] || nn_die "no folder $1"
models=$(cd "$1" && pwd)
rc=0
case $2 in
cpu)
	out=$NN_LOGS/models-check-cpu.log
	mkdir -p "$NN_LOGS"
	"$NN_BUILD/tools/nnctl/nnctl" models-check "$models" --device cpu | tee "$out" || rc=$?
	;;
card)
	out=$NN_BUILD/vm/models/output.log
	"$NN_ROOT/tests/vm/vm.sh" --out "$NN_BUILD/vm/models" --timeout 900 --stream -- \
		bash tests/vm/models.sh "$models" || rc=$?
	;;
*) nn_die "unknown device '$2' (cpu, card)" ;;
esac

# A run that ended badly has failed, whatever its sum says; without a sum, all of it has.
sum=$(sed -n '$s/^\([0-9]* passed, [0-9]* failed\)$/\1/p' "$out" 2>/dev/null) || sum=
if [ -z "$sum" ] || { [ "$rc" -ne 0 ] && [[ $sum == *", 0 failed" ]]; }; then
	nn_say "models-check ended with $rc"
	echo "${sum%% *}" | sed 's/^$/0/; s/$/ passed, 1 failed/'
	[ "$rc" -ne 0 ] || rc=1
fi
exit "$rc"
