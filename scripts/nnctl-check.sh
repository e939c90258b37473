#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# nnctl-check.sh models-check|verify FOLDER cpu|card [OPTION...]: one of nnctl's checks of a whole folder, on
# the in-process device here or on the card in one boot of the VM. The last line is "N passed, N failed".
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

[ $# -ge 3 ] || nn_die "usage: nnctl-check.sh models-check|verify FOLDER cpu|card [OPTION...]"
command=$1 device=$3
[ -d "$2" ] || nn_die "no folder $2"
folder=$(cd "$2" && pwd)
shift 3
rc=0
case $device in
cpu)
	out=$NN_LOGS/$command-cpu.log
	mkdir -p "$NN_LOGS"
	"$NN_BUILD/tools/nnctl/nnctl" "$command" "$folder" --device cpu "$@" | tee "$out" || rc=$?
	;;
card)
	out=$NN_BUILD/vm/$command/output.log
	"$NN_ROOT/tests/vm/vm.sh" --out "$NN_BUILD/vm/$command" --timeout 900 --stream -- \
		bash tests/vm/nnctl-check.sh "$command" "$folder" "$@" || rc=$?
	;;
*) nn_die "unknown device '$device' (cpu, card)" ;;
esac

# A run that ended badly has failed, whatever its sum says; without a sum, all of it has.
sum=$(sed -n '$s/^\([0-9]* passed, [0-9]* failed\)$/\1/p' "$out" 2>/dev/null) || sum=
if [ -z "$sum" ] || { [ "$rc" -ne 0 ] && [[ $sum == *", 0 failed" ]]; }; then
	nn_say "$command ended with $rc"
	echo "${sum%% *}" | sed 's/^$/0/; s/$/ passed, 1 failed/'
	[ "$rc" -ne 0 ] || rc=1
fi
exit "$rc"
