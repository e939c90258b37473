#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# check.sh gate|full|long|GROUP...: installs packages, builds, runs tests. Prints a table of what was counted on which route,
# and as the last line "N passed, N failed". Exits 1 when anything failed, 3 when the package mirror did.
#
# Suites: gate judges a change in minutes; full runs before an issue is resolved, long at night (Documentation/testing.rst has
# the table). Groups by name run as in full, or as in the suite that NN_SUITE names. NN_BOOTS names the boots of vm, NN_STRESS is
# the stress test's time in seconds. A group that cannot run counts as one failure. Only fresh, deb and the image of lab (need root and network), arm64,
# arm64-vm, litmus, series and the boot newest (need network once) may be left out; the table then says NOT TESTED.
#
# In full and long, what only computes - builds for other compilers and sanitizers, lint, the documentation - runs aside, one
# after the other, on processors that nothing else wants. In the gate nothing runs beside a test.
set -uo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT" || exit 1

# shellcheck disable=SC2034
gate_groups=(style unit conformance models sanitizers kunit vm)
full_groups=(unit sanitizers models conformance clang arm64 kunit vm emu lab models-card conformance-card lint docs targets)
long_groups=("${full_groups[@]}" doors harness litmus series debug races arm64-vm fuzzers load fresh deb)
all_groups=(style "${long_groups[@]}")

suite_name=
case ${1:-gate} in
gate | full | long)
	suite_name=${1:-gate}
	suite=$suite_name
	# shellcheck disable=SC2034 # groups refers to one of the three
	declare -n groups=${suite}_groups
	;;
*)
	suite=${NN_SUITE:-full}
	groups=("$@")
	;;
esac

export NN_SUITE=$suite

# shellcheck source=scripts/check/table.sh
. scripts/check/table.sh
# shellcheck source=scripts/check/aside.sh
. scripts/check/aside.sh
# shellcheck source=scripts/check/host.sh
. scripts/check/host.sh
# shellcheck source=scripts/check/vm.sh
. scripts/check/vm.sh

# Two runs in one build folder would overwrite each other's results.
mkdir -p "$NN_BUILD"
nn_lock "$NN_BUILD/.check.lock"
table_begin
nn_scratch

# The sum is the last line, however this script ends.
trap ended_early EXIT
trap 'exit 143' TERM

case $suite in
gate | full | long) ;;
*) nn_die "NN_SUITE is '$suite': it must be gate, full or long" ;;
esac
for group in "${groups[@]}"; do
	[[ " ${all_groups[*]} " == *" $group "* ]] || nn_die "unknown group '$group' (${all_groups[*]})"
done

# wanted GROUP...: whether one of them is
wanted()
{
	local group

	for group in "$@"; do
		[[ " ${groups[*]} " != *" $group "* ]] || return 0
	done
	return 1
}

begin packages
packages=(build vm check)
[ "$suite" = gate ] || packages+=(full)
! wanted style || packages+=(style)
! wanted clang || packages+=(clang)
! wanted arm64 arm64-vm || packages+=(cross)
! wanted arm64-vm || packages+=(arm64-vm)
! wanted lint || packages+=(lint)
! wanted docs || packages+=(docs)
# A tree of the kernel is configured for make kernel-series, and built for the debug boots.
! wanted targets debug series || packages+=(debug)
[ "$suite" = gate ] || ! wanted kunit || packages+=(debug)
step packages scripts/bootstrap.sh "${packages[@]}" || finish

# Downloads run beside the builds: the kernel, and the empty system of fresh.
kernel=
if wanted vm emu lab models-card conformance-card races doors; then
	scripts/kernel.sh vmlinux headers busybox >/dev/null 2>"$NN_LOGS/kernel-fetch.log" </dev/null {NN_LOCK_FD}>&- &
	kernel=$!
fi
prefetch=
if wanted fresh; then
	scripts/fresh.sh prepare </dev/null >"$NN_LOGS/fresh-prepare.log" 2>&1 {NN_LOCK_FD}>&- &
	prefetch=$!
fi

begin "userspace build"
have_userspace=1 have_module=1 have_kselftest=1
unbuilt="userspace does not build"
step "userspace build" scripts/userspace.sh || have_userspace=0
if [ -n "$kernel" ]; then
	begin "kernel module, kselftests"
	wait "$kernel"
	kernel=$?
	if [ "$kernel" -eq 3 ]; then
		tail -n 3 "$NN_LOGS/kernel-fetch.log" >&2
		step "kernel packages" false
		infrastructure="kernel packages"
		finish
	fi
	why=$(scripts/kernel.sh note 2>/dev/null)
	[ -z "$why" ] || note "$why"
	step "kernel module build" scripts/module.sh || have_module=0
	! wanted vm emu races || step "kselftest build" scripts/kselftest.sh || have_kselftest=0
fi

# Conformance vectors of ../shared: all of them in process; on the card every tenth and all with control flow.
vectors=
if wanted conformance conformance-card sanitizers arm64; then
	vectors=$(scripts/vectors.sh) || add conformance unpacking vectors "0 1"
	[ -d "$NN_ROOT/../shared/conformance" ] || note "not here: ../shared/conformance; no vector was run"
fi
# The models of the repository, and the larger set of ../shared/models if it exists.
models_folders=(models)
if [ -d "$NN_ROOT/../shared/models" ]; then
	models_folders+=("$NN_ROOT/../shared/models")
elif wanted models models-card; then
	note "not here: ../shared/models; only the models of the repository were run"
fi
if wanted unit && [ ! -d "$NN_ROOT/../shared/trace-examples" ]; then
	note "not here: ../shared/trace-examples; only the traces of the repository were read"
fi

# In the order in which they are waited for. A build that fails here fails again where it is needed, and says so.
if [ "$suite" != gate ]; then
	if [ "$have_userspace" = 1 ] && wanted sanitizers; then
		aside address "scripts/sanitizers.sh address --build"
		aside thread "scripts/sanitizers.sh thread --build"
	fi
	! wanted clang || aside clang scripts/clang.sh
	if wanted arm64; then
		aside arm64 scripts/arm64.sh
		[ "$suite" != long ] || aside arm64-run "$(printf '%q ' scripts/arm64.sh run "$vectors")"
	fi
	! wanted litmus || aside litmus "scripts/litmus.sh | tail -n 1"
	if wanted series; then
		aside series-6.12 "scripts/kernel-series.sh check 6.12 | tail -n 1"
		aside series-newest "scripts/kernel-series.sh check newest | tail -n 1"
	fi
	# lint uses the build
	! wanted lint || aside lint "scripts/lint.sh >&2"
	! wanted docs || aside docs "scripts/docs.sh >&2"
	aside_begin
fi

if [ "$have_userspace" = 1 ] && wanted models conformance; then
	find_isas
fi
! wanted style || check_style
! wanted unit || check_unit
! wanted sanitizers || check_sanitizers
! wanted models || check_models
! wanted conformance || check_conformance
! wanted harness || check_harness
! wanted kunit || check_kunit
! wanted vm || check_vm
! wanted emu || check_emu
! wanted lab || check_lab
! wanted races || check_races
! wanted debug || check_debug
! wanted arm64-vm || check_arm64_vm
! wanted models-card || check_models_card
! wanted conformance-card || check_conformance_card
# What ran aside, before targets, which build in the same folders.
! wanted clang || check_clang
! wanted arm64 || check_arm64
! wanted litmus || check_litmus
! wanted series || check_series
! wanted lint || check_aside lint
! wanted docs || check_aside docs
! wanted doors || check_doors
! wanted fuzzers || check_fuzzers
! wanted load || check_load
! wanted targets || check_targets
! wanted fresh || check_fresh
! wanted deb || check_deb
# A worker or service that outlives its test fails no test. Without a build there is none.
[ "$have_userspace" = 0 ] || add "left over" host cases "$(scripts/left-over.py "$NN_BUILD" $$)"
finish
