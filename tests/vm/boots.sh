#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# boots.sh list | plan BOOT | run BOOT | run-plan NAME PLAN [vm.sh option...]
#
# The boots of the suite, and the tests that each runs. A guest test (guest.d/NN-name.sh) names its boots in a
# line "# boots: ..." (default: stock) and its limit in "# timeout: SECONDS" (default: 60). Tests below 50 run
# before the kselftests, the others after them. Results of run are in build/vm/BOOT.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../../scripts/lib.sh"

boots=(stock preempt slub swiotlb two-cards)

# boot_options BOOT: sets args (options of vm.sh) and limit (seconds). list prints all boots but smoke and debug*.
boot_options()
{
	limit=600
	case $1 in
	# The first boot has a foreign ivshmem device beside the card, which the driver must ignore.
	stock) args=(--foreign) limit=1200 ;;
	preempt) args=(--append preempt=full) ;;
	slub) args=(--append slub_debug=FZPU) ;;
	swiotlb) args=(--append swiotlb=force) ;;
	two-cards) args=(--cards 2) ;;
	# A short selection of tests, for scripts/fresh.sh, where the other boots would take too long.
	smoke) args=() ;;
	# Lockdep, KASAN, kmemleak and DMA-API debugging (scripts/debug-kernel.sh): about six times slower.
	debug | debug-stress)
		args=(--mem 2G --env NN_SLOW_BASE=3
			--append "kasan_multi_shot dma_debug_entries=262144 workqueue.watchdog_thresh=120")
		limit=3600
		;;
	*) nn_die "unknown boot '$1' (known: ${boots[*]} smoke debug debug-stress)" ;;
	esac
}

# kselftests BOOT: the kselftest programs that it runs, or "all".
kselftests()
{
	case $1 in
	stock) echo all ;;
	preempt) echo races resubmit unplug stress ;;
	slub) echo races resubmit limits fence_end recover ;;
	swiotlb) echo bo query queue submit submit_fields sync stress recover resubmit unplug ;;
	two-cards) echo races limits ;;
	smoke) echo bo core_ioctls query queue submit ;;
	debug) echo bo core_ioctls fence_end limits policy query queue races recover resubmit stress submit sync time \
		unplug policy_stress ;;
	debug-stress) echo policy_stress ;;
	esac
}

header()
{
	sed -n "1,20s/^# $2: *//p" "$1" | head -n 1
}

guest_tests()
{
	local boot=$1 low=$2 high=$3 test name number in limit

	for test in "$here"/guest.d/[0-9][0-9]-*.sh; do
		[ -e "$test" ] || continue
		name=$(basename "$test" .sh)
		number=$((10#${name%%-*}))
		[ "$number" -ge "$low" ] && [ "$number" -le "$high" ] || continue
		in=$(header "$test" boots)
		[[ " ${in:-stock} " == *" $boot "* ]] || continue
		limit=$(header "$test" timeout)
		printf '%s\t%s\t%s\n' "$name" "${limit:-60}" "$test"
	done
}

plan()
{
	local boot=$1 program limit names

	# As in the kernel's tree: a file "settings" with "timeout=SECONDS" applies to its programs.
	limit=$(sed -n 's/^timeout=//p' "$NN_ROOT/tests/kselftest/settings" 2>/dev/null) || limit=
	guest_tests "$boot" 0 49
	names=$(kselftests "$boot")
	for program in "$NN_BUILD"/kselftest/*; do
		[ -f "$program" ] && [ -x "$program" ] || continue
		[[ " $names " == *" ${program##*/} "* ]] || [ "$names" = all ] || continue
		printf 'kselftest-%s\t%s\t%s\n' "${program##*/}" "${limit:-120}" "$program"
	done
	guest_tests "$boot" 50 99
}

# run_plan NAME PLAN SECONDS [vm.sh option...]
run_plan()
{
	local name=$1 plan=$2 seconds=$3

	shift 3
	"$here/vm.sh" --out "$NN_BUILD/vm/$name" --timeout "$seconds" \
		--env "NN_PLAN=$plan" --env "NN_STRESS=${NN_STRESS:-30}" "$@" -- bash tests/vm/suite.sh
}

case ${1:-} in
list) printf '%s\n' "${boots[@]}" ;;
plan) plan "$2" ;;
run)
	boot_options "$2"
	mkdir -p "$NN_BUILD/vm"
	plan "$2" >"$NN_BUILD/vm/plan-$2"
	[ "$2" != debug-stress ] || limit=$((limit + 4 * ${NN_STRESS:-30}))
	run_plan "$2" "$NN_BUILD/vm/plan-$2" "$limit" "${args[@]}"
	;;
run-plan)
	run_plan "$2" "$3" 600 "${@:4}"
	;;
*) nn_die "list, plan BOOT, run BOOT or run-plan NAME PLAN" ;;
esac
