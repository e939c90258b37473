#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# again.sh meson BUILD | vm BUILD BOOT: runs each program that has just failed again, alone, three times. One that passes three
# times is unstable: its name goes into the file "unstable" beside the results, where scripts/tally.py counts it, and a line into
# build/check/unstable.tsv (name, load, log of the failure). One that was unstable in one of the last nine runs of its kind
# (check/history.tsv in the cache) stays failed: it has to be mended or moved. For full and long; the gate retries nothing.
set -uo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/../lib.sh"

kind=$1 build=$2 boot=${3:-}
history=$NN_CACHE/check/history.tsv
mkdir -p "$NN_CACHE/check" "$NN_BUILD/check/unstable"
run=$kind-${boot:-${build##*/}-${NN_LANE:-}}

# passes_again NAME: three times, alone
passes_again()
{
	local name=$1 plan i

	if [ "$kind" = meson ]; then
		meson test -C "$build" --no-rebuild --repeat 3 --num-processes 1 --timeout-multiplier 0 \
			--wrapper "$NN_ROOT/scripts/check/limit.py $build" "$name" >"$NN_LOGS/again-$name.log" 2>&1 </dev/null
		return
	fi
	plan=$build/vm/plan-$boot-again
	for i in 1 2 3; do
		sed -n "s/^$name\t/$name-$i\t/p" "$build/vm/plan-$boot"
	done >"$plan"
	NNACCEL_BUILD=$build "$NN_ROOT/tests/vm/boots.sh" run-again "$boot" "$plan" >"$NN_LOGS/again-$name.log" 2>&1 || return
	[ "$("$NN_ROOT/scripts/tally.py" failed vm "$plan" "$build/vm/$boot-again")" = "" ]
}

if [ "$kind" = meson ]; then
	log=$build/meson-logs/testlog.json
	unstable=$build/meson-logs/unstable
	mapfile -t names < <("$NN_ROOT/scripts/tally.py" failed meson "$log")
else
	unstable=$build/vm/$boot/unstable
	mapfile -t names < <("$NN_ROOT/scripts/tally.py" failed vm "$build/vm/plan-$boot" "$build/vm/$boot")
fi
rm -f "$unstable"
touch "$history"
found=()
# Many failures are no accident.
[ "${#names[@]}" -le 5 ] || names=()
for name in "${names[@]}"; do
	nn_say "$name failed: again, alone, three times"
	passes_again "$name" || continue
	found+=("$name")
	if [ "$kind" = meson ]; then
		cp "$log" "$NN_BUILD/check/unstable/$name.log"
	else
		cp "$build/vm/$boot/tests/$name.log" "$NN_BUILD/check/unstable/$name.log"
	fi
	printf '%s\t%s\t%s\n' "$name" "$(cut -d' ' -f1-3 /proc/loadavg)" "$NN_BUILD/check/unstable/$name.log" >>"$NN_BUILD/check/unstable.tsv"
	if awk -F '\t' -v run="$run" '$1 == run' "$history" | tail -n 9 | grep -qwF -- "$name"; then
		nn_say "$name was unstable in one of the last ten runs already: it counts as failed. Mend it, or move it to another lane"
		continue
	fi
	echo "$name" >>"$unstable"
done
printf '%s\t%s\t%s\n' "$run" "$(date +%F)" "${found[*]}" >>"$history"
