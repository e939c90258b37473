#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# boots.sh list | plan BOOT | run BOOT | run-plan NAME PLAN [vm.sh option...]
#
# The boots of the suite and which tests each runs. A guest test (guest.d/NN-name.sh) names its boots in a
# line "# boots: ..." and its limit in "# timeout: SECONDS" (60); without the first it runs in "stock" alone.
# Tests below 50 run before the kselftests, the others after them. run's results are in build/vm/BOOT.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../../scripts/lib.sh"

# A foreign ivshmem device sits beside the card in the first boot: the driver has to leave it alone.
declare -A options=(
	[stock]="--foreign"
	[swiotlb]="--append swiotlb=force"
	[two-cards]="--cards 2"
)
boots=(stock swiotlb two-cards)
kselftest_boots=" stock swiotlb "

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
	local boot=$1 program limit

	# As in the kernel's tree: a file "settings" may say "timeout=SECONDS" for each of its programs.
	limit=$(sed -n 's/^timeout=//p' "$NN_ROOT/tests/kselftest/settings" 2>/dev/null) || limit=
	guest_tests "$boot" 0 49
	if [[ $kselftest_boots == *" $boot "* ]]; then
		for program in "$NN_BUILD"/kselftest/*; do
			[ -f "$program" ] && [ -x "$program" ] || continue
			printf 'kselftest-%s\t%s\t%s\n' "$(basename "$program")" "${limit:-120}" "$program"
		done
	fi
	guest_tests "$boot" 50 99
}

run_plan()
{
	local name=$1 plan=$2

	shift 2
	"$here/vm.sh" --out "$NN_BUILD/vm/$name" --timeout 600 --env "NN_PLAN=$plan" "$@" -- \
		bash tests/vm/suite.sh
}

case ${1:-} in
list) printf '%s\n' "${boots[@]}" ;;
plan) plan "$2" ;;
run)
	[ -n "${options[$2]+set}" ] || nn_die "no boot '$2' (${boots[*]})"
	mkdir -p "$NN_BUILD/vm"
	plan "$2" >"$NN_BUILD/vm/plan-$2"
	# shellcheck disable=SC2086 # a list of words
	run_plan "$2" "$NN_BUILD/vm/plan-$2" ${options[$2]}
	;;
run-plan)
	shift
	run_plan "$@"
	;;
*) nn_die "list, plan BOOT, run BOOT or run-plan NAME PLAN" ;;
esac
