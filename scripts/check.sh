#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# check.sh [GROUP...]: installs, builds, runs every test; the last line is "N passed, N failed". Groups: unit,
# sanitizers, models, conformance, harness, vm, models-card, conformance-card (none named: all of these), and debug, the
# driver's tests on a kernel with lockdep and KASAN. NN_STRESS is the stress test's time in seconds. A group that
# cannot run counts as one failure, so that nothing is skipped in silence. Exits 1 when anything failed.
set -uo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT" || exit 1

passed=0
failed=0
groups=("$@")
[ $# -gt 0 ] || groups=(unit sanitizers models conformance harness vm models-card conformance-card)
mkdir -p "$NN_BUILD/check" "$NN_LOGS"

# add GROUP "PASSED FAILED": into the sum, with a line that shows it
add()
{
	local p f

	read -r p f <<<"$2"
	if ! [[ ${p:-} =~ ^[0-9]+$ && ${f:-} =~ ^[0-9]+$ ]]; then
		p=0 f=1
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	nn_say "$1: $p passed, $f failed"
}

# stage NAME COMMAND...: what tests stand on; a failure counts as one and closes what needs it
stage()
{
	local name=$1

	shift
	"$@" && return 0
	add "$name" "0 1"
	return 1
}

finish()
{
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

# wanted GROUP
wanted()
{
	[[ " ${groups[*]} " == *" $1 "* ]]
}

for group in "${groups[@]}"; do
	case $group in
	unit | sanitizers | models | conformance | harness | vm | models-card | conformance-card | debug) ;;
	*) nn_die "unknown group '$group'" ;;
	esac
done

# Two runs in one build folder would overwrite each other's results.
nn_lock "$NN_BUILD/.check.lock"

stage packages scripts/bootstrap.sh || finish
have_userspace=1 have_module=1 have_kselftest=1
stage "userspace build" scripts/userspace.sh || have_userspace=0

run_unit()
{
	# meson exits with the number of failures; the tally counts them.
	rm -f "$NN_BUILD/meson-logs/testlog.json"
	meson test -C "$NN_BUILD" --no-rebuild --print-errorlogs >"$NN_LOGS/unit.log" 2>&1 </dev/null
	scripts/tally.py meson "$NN_BUILD/meson-logs/testlog.json"
}

run_harness()
{
	tests/vm/selftest.sh >"$NN_BUILD/check/harness.tap" 2>"$NN_LOGS/harness.log"
	scripts/tally.py tap "$NN_BUILD/check/harness.tap"
}

# run_nnctl COMMAND FOLDER DEVICE [OPTION...]: the sum is its last line; all before it names what failed.
run_nnctl()
{
	local log=$NN_LOGS/$1-$3.log

	scripts/nnctl-check.sh "$@" >"$log" 2>&1
	grep -hi fail "$log" | sed '$d' >&2
	sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log"
}

run_ops()
{
	scripts/nnctl-check.sh ops cpu >"$NN_LOGS/ops.log" 2>&1
	sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$NN_LOGS/ops.log"
}

# Our own models, and the larger set beside the project where there is one.
models_folders=(models)
[ -d "$NN_ROOT/../shared/models" ] && models_folders+=("$NN_ROOT/../shared/models")

# needs GROUP FLAG TEXT: whether it can run; else one failure
needs()
{
	[ "$2" = 1 ] && return 0
	nn_say "$1 cannot run: $3"
	add "$1" "0 1"
	return 1
}

if wanted unit && needs "unit tests" "$have_userspace" "userspace does not build"; then
	nn_say "unit tests"
	add "unit tests" "$(run_unit)"
fi
# NNAPI's examples, where they are beside the project: all in process; on the card a tenth of them and
# everything with control flow.
vectors=
if wanted conformance || wanted conformance-card || wanted sanitizers; then
	vectors=$(scripts/vectors.sh) || add "conformance examples" "0 1"
fi
if wanted sanitizers && needs "sanitizers" "$have_userspace" "userspace does not build"; then
	nn_say "address and undefined behaviour sanitizers"
	add "address sanitizer" "$(scripts/sanitizers.sh address "$vectors")"
	nn_say "thread sanitizer"
	add "thread sanitizer" "$(scripts/sanitizers.sh thread)"
fi
if wanted models && needs "models on the CPU device" "$have_userspace" "userspace does not build"; then
	for folder in "${models_folders[@]}"; do
		nn_say "$(basename "$(dirname "$(realpath "$folder")")")/models on the in-process device"
		add "models on the CPU device" "$(run_nnctl models-check "$folder" cpu)"
		add "models through the runtime" "$(run_nnctl models-check "$folder" runtime)"
	done
fi
if wanted unit && [ "$have_userspace" = 1 ]; then
	add "every operation in every type" "$(run_ops)"
fi
if wanted conformance && [ -n "$vectors" ] &&
	needs "conformance on the CPU device" "$have_userspace" "userspace does not build"; then
	nn_say "conformance examples on the in-process device"
	add "conformance on the CPU device" "$(run_nnctl verify "$vectors" cpu --jobs "$(nproc)")"
	add "conformance through the runtime" "$(run_nnctl verify "$vectors" runtime --jobs "$(nproc)")"
	add "conformance over two devices" "$(run_nnctl verify "$vectors" split --jobs "$(nproc)")"
	add "conformance, parameters by request" "$(run_nnctl verify "$vectors" runtime --scalar-inputs \
		--jobs "$(nproc)")"
fi
if wanted harness; then
	nn_say "the harness itself (five boots, about a minute)"
	add "VM harness" "$(run_harness)"
fi
if wanted vm || wanted models-card || { wanted conformance-card && [ -n "$vectors" ]; }; then
	nn_say "kernel module"
	stage "kernel module build" scripts/module.sh || have_module=0
fi
if wanted vm; then
	stage "kselftest build" scripts/kselftest.sh || have_kselftest=0
	for boot in $(tests/vm/boots.sh list); do
		needs "VM suite, boot $boot" $((have_userspace & have_module & have_kselftest)) \
			"something does not build" || continue
		nn_say "VM suite, boot $boot"
		tests/vm/boots.sh run "$boot"
		add "VM suite, boot $boot" "$(scripts/tally.py vm "$NN_BUILD/vm/plan-$boot" "$NN_BUILD/vm/$boot")"
	done
fi
# debug_boots: in a build folder of their own, which has everything but the module from the other
debug_boots()
{
	local boots=(debug) boot part

	[ "${NN_STRESS:-30}" -le 30 ] || boots+=(debug-stress)
	mkdir -p "$NN_BUILD/debug"
	for part in firmware tools kselftest lib tests; do
		ln -sfn "../$part" "$NN_BUILD/debug/$part"
	done
	for boot in "${boots[@]}"; do
		nn_say "debug kernel, boot $boot"
		NNACCEL_BUILD=$NN_BUILD/debug NNACCEL_CACHE=$1 tests/vm/boots.sh run "$boot"
		add "debug kernel, boot $boot" \
			"$(scripts/tally.py vm "$NN_BUILD/debug/vm/plan-$boot" "$NN_BUILD/debug/vm/$boot")"
	done
}

if wanted debug && needs "tests on the debug kernel" "$have_userspace" "userspace does not build"; then
	if stage packages scripts/bootstrap.sh debug && stage "kselftest build" scripts/kselftest.sh &&
		cache=${NNACCEL_DEBUG_CACHE:-$(scripts/debug-kernel.sh)} && [ -n "$cache" ] &&
		NNACCEL_BUILD=$NN_BUILD/debug NNACCEL_CACHE=$cache scripts/module.sh; then
		debug_boots "$cache"
	else
		add "debug kernel" "0 1"
	fi
fi
if wanted models-card && needs "models on the card" $((have_userspace & have_module)) "something does not build"; then
	for folder in "${models_folders[@]}"; do
		nn_say "$(basename "$(dirname "$(realpath "$folder")")")/models on the card"
		add "models on the card" "$(run_nnctl models-check "$folder" card)"
	done
fi
if wanted conformance-card && [ -n "$vectors" ] &&
	needs "conformance on the card" $((have_userspace & have_module)) "something does not build"; then
	nn_say "conformance examples on the card"
	add "conformance on the card" "$(run_nnctl verify "$vectors" card --jobs 2 --every 10 --keep IF,WHILE)"
	for route in runtime-card split-card; do
		nn_say "conformance examples through the runtime, $route"
		add "conformance, $route" "$(run_nnctl verify "$vectors" "$route" --jobs 2 --every 20 --keep IF)"
	done
fi
finish
