#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# nnctl-check.sh models-check|verify FOLDER DEVICE [OPTION...]: one of nnctl's checks of a whole folder. DEVICE is
# cpu: the in-process device; card: the card, in one boot of the VM; worker, worker-card: the same in a sandboxed worker
# process; service: the in-process device behind an nnaccel-hald of its own; for verify also through the runtime's C API:
# runtime: on the CPU; split: over two devices with every other operation each; runtime-card, split-card: the same
# in one boot, on the card, and over the card and the CPU. The last line is "N passed, N failed".
# nnctl-check.sh ops cpu|card [OPTION...]: whether every operation is supported in every type, in the same way.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/route.sh
. "$(dirname "$0")/route.sh"

command=${1:-}
case $command in
models-check | verify)
	[ $# -ge 3 ] || nn_die "usage: nnctl-check.sh $command FOLDER cpu|card [OPTION...]"
	[ -d "$2" ] || nn_die "no folder $2"
	arguments=("$(cd "$2" && pwd)")
	device=$3
	shift 3
	;;
ops)
	[ $# -ge 2 ] || nn_die "usage: nnctl-check.sh ops cpu|card [OPTION...]"
	arguments=()
	device=$2
	shift 2
	;;
*) nn_die "usage: nnctl-check.sh models-check|verify FOLDER cpu|card, or ops cpu|card" ;;
esac
rc=0
case $device in
cpu | runtime | split | worker | service)
	out=$NN_LOGS/$command-$device.log
	mkdir -p "$NN_LOGS"
	if [ "$device" = service ]; then
		trap nn_hald_stop EXIT
		nn_hald_start
	fi
	nn_route "$device"
	"$NN_BUILD/tools/nnctl/nnctl" "$command" "${arguments[@]}" "${NN_OPTIONS[@]}" "$@" | tee "$out" || rc=$?
	;;
card | runtime-card | split-card | worker-card)
	out=$NN_BUILD/vm/$command-$device/output.log
	"$NN_ROOT/tests/vm/vm.sh" --out "$NN_BUILD/vm/$command-$device" --timeout 900 --stream -- \
		bash tests/vm/nnctl-check.sh "$device" "$command" "${arguments[@]}" "$@" || rc=$?
	;;
*) nn_die "unknown device '$device' (cpu, card, worker, worker-card, service, runtime, split, runtime-card, split-card)" ;;
esac

if [ "$command" = ops ] && [ -f "$out" ]; then
	# A sum in the form of the other checks; an unsupported combination counts as failed.
	awk 'END { if ($0 ~ /^[0-9]+ of [0-9]+ combinations .* are supported$/)
			print $1 " passed, " $3 - $1 " failed" }' "$out" | tee -a "$out"
fi

# A run with a bad exit status has failed, whatever its sum says; a run without a sum counts as one failure.
sum=$(sed -n '$s/^\([0-9]* passed, [0-9]* failed\)$/\1/p' "$out" 2>/dev/null) || sum=
if [ -z "$sum" ] || { [ "$rc" -ne 0 ] && [[ $sum == *", 0 failed" ]]; }; then
	nn_say "$command ended with $rc"
	echo "${sum%% *}" | sed 's/^$/0/; s/$/ passed, 1 failed/'
	[ "$rc" -ne 0 ] || rc=1
fi
[[ $sum == *", 0 failed" ]] || [ "$rc" -ne 0 ] || rc=1
exit "$rc"
