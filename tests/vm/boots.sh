#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# boots.sh list [SUITE] | plan BOOT [TEST...] | obstacle BOOT | run BOOT [TEST...] | run-again BOOT PLAN |
#          run-plan NAME PLAN [vm.sh option...]
#
# The boots of a suite (gate, full, long; default: NN_SUITE, full), and the tests that each runs. A guest test
# (guest.d/NN-name.sh) names its boots in a line "# boots: ..." (default: stock), "BOOT:long" for one that it joins only in the suite
# long, and its limit in "# timeout: SECONDS" (default: 60). Tests below 50 run before the kselftests, the others after them. With
# TEST only these run, by their names in the plan. Results of run are in build/vm/BOOT. obstacle prints why a boot cannot run on
# this machine, if it cannot. run-again: a plan of its own in a boot as BOOT is; the results are in build/vm/BOOT-again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../../scripts/lib.sh"

suite=${NN_SUITE:-full}

# boots_of SUITE: all but smoke, debug*, emu, races and arm64*, which groups of check.sh name.
boots_of()
{
	case $1 in
	gate) echo gate ;;
	full) echo stock swiotlb two-cards ;;
	long) echo stock preempt slub swiotlb two-cards newest zram iommu template ;;
	*) nn_die "unknown suite '$1' (gate, full, long)" ;;
	esac
}

# boot_options BOOT: sets args (options of vm.sh) and limit (seconds).
boot_options()
{
	local append

	limit=600
	case $1 in
	# The first boot has foreign ivshmem devices beside the card, which the driver must ignore.
	stock) args=(--foreign) limit=1200 ;;
	preempt) args=(--append preempt=full) ;;
	slub) args=(--append slub_debug=FZPU) ;;
	swiotlb) args=(--append swiotlb=force) ;;
	two-cards) args=(--cards 2) ;;
	# No card: a process of the guest is the device (nnaccel-emud).
	emu) args=(--no-card --env NN_EMULATED=1) limit=1200 ;;
	# Swap on compressed memory, and memory cgroups (kselftest reclaim).
	zram) args=() ;;
	# Behind an IOMMU that translates, until the guest ends that (guest.d/15-iommu.sh).
	iommu) args=(--iommu --append intel_iommu=on) limit=1200 ;;
	# The template for firmware of other hardware, in place of the card's.
	template) args=(--card "$NN_BUILD/examples/template_card") ;;
	# The newest kernel of Debian (scripts/kernel.sh), with a module of its own.
	newest) args=(--foreign) limit=1800 ;;
	# Debian's kernels for arm64, on a virt board under emulation; the caller names them (NNACCEL_KERNEL_ARCH).
	arm64 | arm64-16k) args=() limit=3600 ;;
	# On the first of them, no card: an accelerator of the board, which the device tree describes.
	board) args=(--board) limit=2400 ;;
	# The gate's: the interface, recovery, the models, one worker.
	gate) args=() limit=300 ;;
	# A short selection of tests, for scripts/fresh.sh, where the other boots would take too long.
	smoke) args=() ;;
	# What races, again and again.
	races) args=() limit=5400 ;;
	# Lockdep, KASAN, kmemleak and DMA-API debugging (scripts/own-kernel.sh debug): about six times slower.
	debug | debug-recovery | debug-stress | debug-swiotlb | debug-two-cards | debug-emu)
		append="kasan_multi_shot dma_debug_entries=262144 workqueue.watchdog_thresh=120"
		[ "$1" != debug-swiotlb ] || append+=" swiotlb=131072,force"
		args=(--mem 2G --env NN_SLOW_BASE=3 --append "$append")
		[ "$1" != debug-two-cards ] || args+=(--cards 2)
		[ "$1" != debug-emu ] || args+=(--no-card --env NN_EMULATED=1)
		limit=3600
		;;
	*) nn_die "unknown boot '$1' (known: gate $(boots_of long) smoke races emu debug debug-recovery debug-stress debug-swiotlb debug-two-cards debug-emu arm64 arm64-16k board)" ;;
	esac
}

# kselftests BOOT: the kselftest programs that it runs; "all", and "-NAME" for those left out.
kselftests()
{
	case $1-$suite in
	gate-*) echo bo core_ioctls isolation memory query queue submit submit_fields sync recover ;;
	# "two_cards" needs them, "emu" the module of that boot, "bounce" DMA that is bounced, "iommu" a translation, "fail_nth" fault injection.
	stock-long) echo all -bounce -two_cards -iommu -fail_nth -emu ;;
	# minutes each, of policy and of chance
	stock-*) echo all -bounce -two_cards -iommu -fail_nth -emu -policy -policy_stress -fuzz -reclaim ;;
	preempt-*) echo races resubmit unplug stress power link kept ;;
	slub-*) echo burst races resubmit isolation limits madvise memory fence_end recover power link kept ;;
	swiotlb-long) echo bo bounce madvise memory query queue submit submit_fields sync stress recover resubmit unplug ;;
	# what moves data
	swiotlb-*) echo bo bounce madvise memory query queue submit submit_fields sync ;;
	two-cards-* | debug-two-cards-*) echo two_cards races limits unplug ;;
	# Without those of PCI cards alone: handshake, kept.
	emu-long) echo emu bo burst coredump core_ioctls debugfs fuzz isolation limits link madvise memory query queue races recover resubmit stress submit submit_fields \
		sync time unplug ;;
	emu-*) echo emu bo coredump core_ioctls isolation link madvise memory query queue recover submit submit_fields sync unplug ;;
	newest-*) echo bo core_ioctls coredump debugfs fence_end handshake kept limits link madvise memory policy power query queue races recover resubmit \
		stress submit submit_fields sync unplug ;;
	# All but what takes minutes, needs another boot or the newer fault injection.
	arm64-*) echo all -bounce -two_cards -iommu -fail_nth -emu -policy -policy_stress -fuzz -reclaim -stress ;;
	# Without those of PCI cards alone: handshake, kept.
	board-*) echo bo burst coredump core_ioctls debugfs fence_end isolation link madvise memory power query queue races recover resubmit submit submit_fields \
		sync unplug ;;
	# A device that was removed and found again is translated again: not unplug.
	iommu-*) echo bo coredump kept link madvise memory power query queue recover submit sync ;;
	zram-*) echo reclaim madvise ;;
	# Without faults, which it does not play.
	template-*) echo bo core_ioctls madvise memory query queue submit submit_fields sync ;;
	smoke-*) echo bo core_ioctls madvise memory query queue submit ;;
	races-*) echo races handshake resubmit fence_end recover ;;
	debug-stress-*) echo policy_stress ;;
	debug-emu-*) echo bo emu isolation madvise memory queue races recover submit sync unplug ;;
	# what moves data, and what takes the memory away meanwhile
	debug-swiotlb-*) echo bo bounce madvise memory races submit sync unplug ;;
	# what dies, sleeps and goes: half of the time of both
	debug-recovery-*) echo power races recover resubmit stress time unplug ;;
	debug-*) echo bo burst core_ioctls coredump debugfs fail_nth fence_end fuzz handshake isolation limits link madvise memory policy policy_stress query queue \
		submit submit_fields sync ;;
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
		in=" $(header "$test" boots) "
		[ "$in" != "  " ] || in=" stock "
		[[ $in == *" $boot "* || $in == *" $boot:$suite "* ]] || continue
		limit=$(header "$test" timeout)
		printf '%s\t%s\t%s\n' "$name" "${limit:-60}" "$test"
	done
}

# plan_all BOOT
plan_all()
{
	local boot=$1 program limit seconds names round rounds=1

	# As in the kernel's tree: a file "settings" with "timeout=SECONDS" applies to its programs.
	limit=$(sed -n 's/^timeout=//p' "$NN_ROOT/tests/kselftest/settings" 2>/dev/null) || limit=
	guest_tests "$boot" 0 49
	names=" $(kselftests "$boot") "
	[ "$boot" != races ] || rounds=20
	for ((round = 1; round <= rounds; round++)); do
		for program in "$NN_BUILD"/kselftest/*; do
			[ -f "$program" ] && [ -x "$program" ] || continue
			[[ $names == *" ${program##*/} "* || $names == *" all "* ]] || continue
			[[ $names != *" -${program##*/} "* ]] || continue
			seconds=${limit:-120}
			# a thousand deaths (run_plan)
			[ "$suite-${program##*/}" != long-recover ] || seconds=$((seconds + 1000))
			printf 'kselftest-%s\t%s\t%s\n' "${program##*/}$([ "$rounds" = 1 ] || echo "-$round")" "$seconds" "$program"
		done
	done
	guest_tests "$boot" 50 99
}

# plan BOOT [TEST...]
plan()
{
	local boot=$1 names

	shift
	names=" $* "
	plan_all "$boot" | while IFS= read -r line; do
		[ $# -gt 0 ] && [[ $names != *" ${line%%$'\t'*} "* ]] || printf '%s\n' "$line"
	done
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
	[ "$suite" != long ] || set -- --env NN_DEATHS=1000 "$@"
	command=("$here/vm.sh" --out "$out" --timeout "$seconds" --env "NN_PLAN=$plan" --env "NN_STRESS=${NN_STRESS:-30}"
		--env "NN_SUITE=$suite" --env "NN_BOOT=${name%-again}" "$@" -- bash tests/vm/suite.sh)
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
list) boots_of "${2:-$suite}" | tr ' ' '\n' ;;
plan) plan "${@:2}" ;;
run)
	boot_options "$2"
	# a thousand deaths
	[[ $suite != long || $2 != @(stock|emu) ]] || limit=$((limit + 1200))
	mkdir -p "$NN_BUILD/vm"
	plan "${@:2}" >"$NN_BUILD/vm/plan-$2"
	[ -s "$NN_BUILD/vm/plan-$2" ] || nn_die "boot $2 has no test of that name (boots.sh plan $2 lists them)"
	[ "$2" != debug-stress ] || limit=$((limit + 4 * ${NN_STRESS:-30}))
	why=$(obstacle "$2")
	[ -z "$why" ] || nn_die "boot $2 cannot run here: $why"
	[ "$2" != newest ] || prepare_newest
	run_plan "$2" "$NN_BUILD/vm/plan-$2" "$limit" "${args[@]}"
	;;
run-again)
	boot_options "$2"
	[ "$2" != newest ] || prepare_newest
	run_plan "$2-again" "$3" "$limit" "${args[@]}"
	;;
run-plan)
	run_plan "$2" "$3" 600 "${@:4}"
	;;
*) nn_die "list [SUITE], plan BOOT [TEST...], obstacle BOOT, run BOOT [TEST...], run-again BOOT PLAN or run-plan NAME PLAN" ;;
esac
