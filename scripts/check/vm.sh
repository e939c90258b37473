# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # variables of check.sh
#
# The groups of check.sh that run in the VM. Sourced by check.sh.

check_harness()
{
	begin "the VM harness itself"
	tests/vm/selftest.sh >"$NN_BUILD/check/harness.tap" 2>"$NN_LOGS/harness.log"
	add harness VM cases "$(scripts/tally.py tap "$NN_BUILD/check/harness.tap")"
}

# The driver on the mock device, in user-mode Linux. The gate does not build that.
check_kunit()
{
	if [ "$suite" = gate ] && [ -z "$(scripts/own-kernel.sh uml --if-built)" ]; then
		note "NOT TESTED, kunit: user-mode Linux is not built ('make check-kunit' builds it)"
		return
	fi
	begin "the driver's KUnit tests"
	scripts/kunit.sh >"$NN_BUILD/check/kunit.tap" 2>"$NN_LOGS/kunit.log" || true
	add kunit "user-mode Linux" cases "$(scripts/tally.py tap "$NN_BUILD/check/kunit.tap")"
	note "kunit: $(sed -n 's/^# \(coverage .* of the driver, .*\)$/\1/p' "$NN_BUILD/check/kunit.tap")"
}

# boot GROUP NAME BUILD: runs a boot of tests/vm/boots.sh with that build folder and counts it.
boot()
{
	NNACCEL_BUILD=$3 tests/vm/boots.sh run "$2"
	[ "$suite" = gate ] || scripts/check/again.sh vm "$3" "$2"
	add "$1" "boot $2" cases "$(scripts/tally.py vm "$3/vm/plan-$2" "$3/vm/$2")"
}

check_vm()
{
	local name why

	for name in ${NN_BOOTS:-$(tests/vm/boots.sh list "$suite")}; do
		begin "VM, boot $name"
		needs vm "boot $name" cases $((have_userspace & have_module & have_kselftest)) "something does not build" || continue
		why=$(tests/vm/boots.sh obstacle "$name")
		if [ -n "$why" ]; then
			note "NOT TESTED, boot $name: $why"
			continue
		fi
		boot vm "$name" "$NN_BUILD"
		[ "$name" != template ] || check_tutorial
	done
}

# The sessions of the porting tutorial, those that boot among them; the lane full has run the others.
check_tutorial()
{
	NN_SESSION_BOOTS=1 NN_SESSION_PATH=$NN_BUILD/tools/nnctl NNACCEL_CALIBRATION=off tests/docs/sessions.py \
		Documentation/porting-tutorial.rst >"$NN_BUILD/check/tutorial.tap" 2>"$NN_LOGS/tutorial.log"
	add vm "porting tutorial" cases "$(scripts/tally.py tap "$NN_BUILD/check/tutorial.tap")"
}

# The device that a process of the guest emulates: no card.
check_emu()
{
	begin "VM, boot emu"
	needs emu VM cases $((have_userspace & have_module & have_kselftest)) "something does not build" || return
	boot emu emu "$NN_BUILD"
}

# nnaccel-lab of the tree; in long also its folder and image, in an empty Debian 12
check_lab()
{
	local result

	begin "nnaccel-lab"
	needs lab VM cases $((have_userspace & have_module)) "something does not build" || return
	tests/vm/lab-check.sh >"$NN_BUILD/check/lab.tap" 2>"$NN_LOGS/lab.log"
	add lab "source tree" cases "$(scripts/tally.py tap "$NN_BUILD/check/lab.tap")"
	[ "$suite" = long ] || return 0
	begin "nnaccel-lab, the image"
	result=$(scripts/lab.sh check)
	if [[ $result == "skipped "* ]]; then
		note "NOT TESTED, image of lab: ${result#skipped }"
	else
		add_lines lab "$result"
	fi
}

# Boots with many repetitions of what races.
check_races()
{
	begin "VM, tests of races, twenty times"
	needs races VM cases $((have_userspace & have_module & have_kselftest)) "something does not build" || return
	boot races races "$NN_BUILD"
}

# A build folder of its own, with links to everything but the module
check_debug()
{
	local boots=(debug debug-recovery) name part cache

	needs debug VM cases "$have_userspace" "$unbuilt" || return
	begin "debug kernel"
	[ "$suite" != long ] || boots+=(debug-swiotlb debug-two-cards debug-emu)
	[ "${NN_STRESS:-30}" -le 30 ] || boots+=(debug-stress)
	mkdir -p "$NN_BUILD/debug"
	for part in firmware tools kselftest lib tests; do
		ln -sfn "../$part" "$NN_BUILD/debug/$part"
	done
	if ! { step packages scripts/bootstrap.sh debug && step "kselftest build" scripts/kselftest.sh &&
		cache=${NNACCEL_DEBUG_CACHE:-$(scripts/own-kernel.sh debug)} && [ -n "$cache" ] &&
		NNACCEL_BUILD=$NN_BUILD/debug NNACCEL_CACHE=$cache scripts/module.sh; }; then
		add debug kernel builds "0 1"
		return
	fi
	for name in "${boots[@]}"; do
		begin "debug kernel, boot $name"
		NNACCEL_CACHE=$cache boot debug "$name" "$NN_BUILD/debug"
	done
}

# Debian's kernels for arm64, of pages of 4 KiB and of 16 KiB, on an emulated board: with the card of this machine, and with an
# accelerator of the board's own
check_arm64_vm()
{
	local name flavour result

	for name in ${NN_BOOTS:-arm64 board arm64-16k}; do
		begin "VM, boot $name"
		needs arm64-vm "boot $name" cases "$have_userspace" "$unbuilt" || continue
		flavour=arm64
		[ "$name" != arm64-16k ] || flavour=$name
		result=$(scripts/arm64.sh guest "$flavour") || { add arm64-vm "boot $name" builds "0 1" && continue; }
		if [[ $result == "skipped "* ]]; then
			note "NOT TESTED, boot $name: ${result#skipped }"
			continue
		fi
		NNACCEL_KERNEL_ARCH=$flavour NNACCEL_HOST_BUILD=$NN_BUILD boot arm64-vm "$name" "$NN_BUILD/$flavour"
	done
}

check_models_card()
{
	local folder

	begin "models on the card"
	needs models-card card models $((have_userspace & have_module)) "something does not build" || return
	for folder in "${models_folders[@]}"; do
		add models-card card models "$(run_nnctl models-check "$folder" card)"
	done
}

# Every tenth vector, and all with control flow; fewer on the other routes.
check_conformance_card()
{
	local route

	[ -n "$vectors" ] || return
	needs conformance-card card vectors $((have_userspace & have_module)) "something does not build" || return
	begin "conformance examples on the card"
	add conformance-card card vectors "$(run_nnctl verify "$vectors" card --jobs 2 --every 10 --keep IF,WHILE)"
	for route in split-card worker-card runtime-card; do
		[ "$suite" = long ] || [ "$route" = split-card ] || continue
		begin "conformance examples, $route"
		add conformance-card "$route" vectors "$(run_nnctl verify "$vectors" "$route" --jobs 2 --every 20 --keep IF)"
	done
}
