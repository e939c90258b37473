#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# boots.sh list | plan BOOT | obstacle BOOT | run BOOT | run-plan NAME PLAN [vm.sh option...]
#
# The boots of the suite, and the tests that each runs. A guest test (guest.d/NN-name.sh) names its boots in a
# line "# boots: ..." (default: stock) and its limit in "# timeout: SECONDS" (default: 60). Tests below 50 run
# before the kselftests, the others after them. Results of run are in build/vm/BOOT. obstacle prints why a boot cannot run
# on this machine, if it cannot.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../../scripts/lib.sh"

boots=(stock preempt slub swiotlb two-cards newest)

# boot_options BOOT: sets args (options of vm.sh) and limit (seconds). list prints all boots but smoke and debug*.
boot_options()
{
	limit=600
	case $1 in
	# The first boot has foreign ivshmem devices beside the card, which the driver must ignore.
	stock) args=(--foreign) limit=1200 ;;
	preempt) args=(--append preempt=full) ;;
	slub) args=(--append slub_debug=FZPU) ;;
	swiotlb) args=(--append swiotlb=force) ;;
	two-cards) args=(--cards 2) ;;
	# The newest kernel of Debian (scripts/kernel.sh), with a module of its own.
	newest) args=(--foreign) ;;
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
	preempt) echo races resubmit unplug stress power ;;
	slub) echo races resubmit limits madvise memory fence_end recover power ;;
	swiotlb) echo bo madvise memory query queue submit submit_fields sync stress recover resubmit unplug ;;
	two-cards) echo races limits ;;
	newest) echo bo core_ioctls fence_end query queue races recover resubmit submit submit_fields sync unplug ;;
	smoke) echo bo core_ioctls madvise memory query queue submit ;;
	debug) echo bo core_ioctls fence_end limits madvise memory policy power query queue races recover resubmit stress submit sync time \
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

# emulator_fault SERIAL: whether the guest's double fault shows flags that no processor can have (bits 22 to 31 of EFLAGS are
# always 0). QEMU 7.2 without KVM did this once in many boots: a register's value stood in EFLAGS, the VM flag among it.
emulator_fault()
{
	local flags

	flags=$(sed -n '/Oops: double fault/,/end trace/s/.*EFLAGS: \([0-9a-f]\{8\}\).*/\1/p' "$1" 2>/dev/null | head -n 1)
	[ -n "$flags" ] && [ $((0x$flags & 0xffc00000)) -ne 0 ]
}

# run_plan NAME PLAN SECONDS [vm.sh option...]: once more if the emulator has failed, not the guest
run_plan()
{
	local name=$1 plan=$2 seconds=$3 out=$NN_BUILD/vm/$1 rc=0
	local command

	shift 3
	command=("$here/vm.sh" --out "$out" --timeout "$seconds" --env "NN_PLAN=$plan" --env "NN_STRESS=${NN_STRESS:-30}"
		"$@" -- bash tests/vm/suite.sh)
	"${command[@]}" || rc=$?
	if [ "$(cat "$out/outcome" 2>/dev/null)" = died ] && emulator_fault "$out/serial.log"; then
		nn_say "boot $name: QEMU's emulation failed (a double fault with impossible EFLAGS; ${NN_LOGS#"$NN_ROOT"/}/serial-$name-qemu.log): once more"
		cp "$out/serial.log" "$NN_LOGS/serial-$name-qemu.log"
		rc=0
		"${command[@]}" || rc=$?
	fi
	return "$rc"
}

# The module, and what else the guest looks for below the build folder
prepare_newest()
{
	local build=$NN_BUILD/newest part

	mkdir -p "$build"
	for part in firmware tools kselftest lib tests; do
		ln -sfn "../$part" "$build/$part"
	done
	export NNACCEL_KERNEL_SERIES=newest NNACCEL_BUILD=$build
	"$NN_ROOT/scripts/module.sh"
}

obstacle()
{
	[ "$1" != newest ] || NNACCEL_KERNEL_SERIES=newest "$NN_ROOT/scripts/kernel.sh" obstacle
}

case ${1:-} in
obstacle) obstacle "$2" ;;
list) printf '%s\n' "${boots[@]}" ;;
plan) plan "$2" ;;
run)
	boot_options "$2"
	mkdir -p "$NN_BUILD/vm"
	plan "$2" >"$NN_BUILD/vm/plan-$2"
	[ "$2" != debug-stress ] || limit=$((limit + 4 * ${NN_STRESS:-30}))
	why=$(obstacle "$2")
	[ -z "$why" ] || nn_die "boot $2 cannot run here: $why"
	[ "$2" != newest ] || prepare_newest
	run_plan "$2" "$NN_BUILD/vm/plan-$2" "$limit" "${args[@]}"
	;;
run-plan)
	run_plan "$2" "$3" 600 "${@:4}"
	;;
*) nn_die "list, plan BOOT, obstacle BOOT, run BOOT or run-plan NAME PLAN" ;;
esac
