#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# check.sh [GROUP...]: installs packages, builds, runs tests. Prints a table of what was counted on which route, and as the
# last line "N passed, N failed". Exits 1 when anything failed.
#
# Groups: unit, sanitizers, models, conformance, harness, clang, arm64, vm, series, models-card, conformance-card, targets, fresh (the
# default is all of these, also called "all"), lint, docs, and debug (the driver's tests on a kernel with lockdep and KASAN).
# NN_BOOTS names the boots of vm (default: all), NN_STRESS is the stress test's time in seconds. A group that cannot run counts
# as one failure. Only fresh (needs root and network), arm64, series and the boot newest (need network once) may be left
# out; the table then says NOT TESTED.
#
# Tests wait half of their time. What only computes - builds for other compilers and sanitizers, lint, the documentation - runs
# aside, one after the other, on processors that nothing else wants.
set -uo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT" || exit 1

passed=0
failed=0
table=$NN_BUILD/check/table.tsv
all=(unit sanitizers models conformance harness clang arm64 vm series models-card conformance-card targets fresh)
groups=()
for group in "${@:-all}"; do
	if [ "$group" = all ]; then
		groups+=("${all[@]}")
	else
		groups+=("$group")
	fi
done
mkdir -p "$NN_BUILD/check" "$NN_LOGS"
rm -f "$NN_BUILD/check/sum" "$NN_BUILD/check/table.txt"
: >"$table"
nn_measure_slow

# add GROUP ROUTE WHAT "PASSED FAILED": adds one count to the sum and to the table. WHAT is what is counted: cases, vectors...
add()
{
	local p f

	read -r p f <<<"$4"
	if ! [[ ${p:-} =~ ^[0-9]+$ && ${f:-} =~ ^[0-9]+$ ]]; then
		p=0 f=1
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$p" "$f" >>"$table"
	nn_say "$1, $2: $p $3 passed, $f failed"
}

# add_lines GROUP "LINES": the same for a script that counts several things, a line "ROUTE<tab>WHAT<tab>PASSED<tab>FAILED" each
add_lines()
{
	local route what p f any=0

	while IFS=$'\t' read -r route what p f; do
		[ -n "$f" ] || continue
		any=1
		add "$1" "$route" "$what" "$p $f"
	done <<<"$2"
	[ "$any" = 1 ] || add "$1" all cases "0 1"
}

# note TEXT: a line below the table
note()
{
	nn_say "$1"
	printf '%s\n' "$1" >>"$table"
}

# aside NAME COMMAND: adds what only computes to the work aside (scripts/aside.sh); await gives its output.
aside=$NN_BUILD/check/aside
aside_pid=
rm -rf "$aside"
aside()
{
	mkdir -p "$aside"
	printf '%s\t%s\n' "$1" "$2" >>"$aside/plan"
}

begin_aside()
{
	[ -f "$aside/plan" ] || return 0
	# the number of the process, and of its session: a background job of a script leads no group
	setsid scripts/aside.sh "$aside" </dev/null >/dev/null {NN_LOCK_FD}>&- &
	aside_pid=$!
}

end_aside()
{
	[ -z "$aside_pid" ] || kill -- "-$aside_pid" 2>/dev/null
	return 0
}

# await NAME: waits until it is done, prints its output, shows what it said if it failed, and returns its exit status.
await()
{
	local rc

	while [ ! -f "$aside/$1" ] && kill -0 "$aside_pid" 2>/dev/null; do
		sleep 0.2
	done
	rc=$(cat "$aside/$1.rc" 2>/dev/null) || rc=1
	[ "$rc" = 0 ] || tail -n 60 "$aside/$1.log" >&2
	cat "$aside/$1" 2>/dev/null
	return "$rc"
}

# stage NAME COMMAND...: a step that tests depend on; its failure counts as one.
stage()
{
	local name=$1

	shift
	"$@" && return 0
	add "$name" host builds "0 1"
	return 1
}

# after_make PID TEXT: prints TEXT after make has printed its own error line.
after_make()
{
	local state

	[ -z "${NN_LOCK_FD:-}" ] || exec {NN_LOCK_FD}>&-
	while state=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) && [[ $state != Z* ]]; do
		sleep 0.01
	done
	echo "$2"
}

finish()
{
	local sum="$passed passed, $failed failed"

	trap - EXIT TERM
	end_aside
	scripts/tally.py table "$table" | tee "$NN_BUILD/check/table.txt"
	echo "$sum" >"$NN_BUILD/check/sum"
	echo "$sum"
	[ "$failed" -ne 0 ] || exit 0
	[ -z "${NN_MAKE_PID:-}" ] || after_make "$NN_MAKE_PID" "$sum" &
	exit 1
}

# The sum is the last line, however this script ends.
trap 'add "check itself" host cases "0 1"; finish' EXIT
trap 'exit 143' TERM

# wanted GROUP
wanted()
{
	[[ " ${groups[*]} " == *" $1 "* ]]
}

for group in "${groups[@]}"; do
	case $group in
	unit | sanitizers | models | conformance | harness | clang | arm64 | vm | series | models-card | conformance-card | targets | fresh | lint | docs | debug) ;;
	*) nn_die "unknown group '$group'" ;;
	esac
done

# Two runs in one build folder would overwrite each other's results.
nn_lock "$NN_BUILD/.check.lock"

packages=(build vm check)
! wanted clang || packages+=(clang)
! wanted arm64 || packages+=(cross)
! wanted lint || packages+=(lint)
! wanted docs || packages+=(docs)
stage packages scripts/bootstrap.sh "${packages[@]}" || finish
# Downloads for the empty system run beside the other tests.
prefetch=
if wanted fresh; then
	scripts/fresh.sh prepare </dev/null >"$NN_LOGS/fresh-prepare.log" 2>&1 {NN_LOCK_FD}>&- &
	prefetch=$!
fi
have_userspace=1 have_module=1 have_kselftest=1
stage "userspace build" scripts/userspace.sh || have_userspace=0

# Conformance vectors of ../shared: all of them in process; on the card every tenth and all with control flow.
vectors=
if wanted conformance || wanted conformance-card || wanted sanitizers || wanted arm64; then
	vectors=$(scripts/vectors.sh) || add "conformance" "unpacking" vectors "0 1"
	[ -d "$NN_ROOT/../shared/conformance" ] || note "not here: ../shared/conformance; no vector was run"
fi
# In the order in which they are waited for. A build that fails here fails again where it is needed, and says so.
if [ "$have_userspace" = 1 ] && wanted sanitizers; then
	aside address "scripts/sanitizers.sh address --build"
	aside thread "scripts/sanitizers.sh thread --build"
fi
! wanted clang || aside clang scripts/clang.sh
if wanted arm64; then
	aside arm64 scripts/arm64.sh
	aside arm64-run "$(printf '%q ' scripts/arm64.sh run "$vectors")"
fi
if wanted series; then
	aside series-6.12 "scripts/kernel-series.sh check 6.12 | tail -n 1"
	aside series-newest "scripts/kernel-series.sh check newest | tail -n 1"
fi
# lint uses the build
! wanted lint || aside lint "scripts/lint.sh >&2"
! wanted docs || aside docs "scripts/docs.sh >&2"
begin_aside

run_unit()
{
	# meson exits with the number of failures; the tally counts them.
	rm -f "$NN_BUILD/meson-logs/testlog.json"
	nn_slow_now
	# half of the time of tests is waiting
	meson test -C "$NN_BUILD" --no-rebuild --print-errorlogs --num-processes $((($(nproc) * 3 + 1) / 2)) --timeout-multiplier $(((NN_SLOW_NOW + 99) / 100)) >"$NN_LOGS/unit.log" 2>&1 </dev/null
	scripts/tally.py meson "$NN_BUILD/meson-logs/testlog.json"
}

run_harness()
{
	tests/vm/selftest.sh >"$NN_BUILD/check/harness.tap" 2>"$NN_LOGS/harness.log"
	scripts/tally.py tap "$NN_BUILD/check/harness.tap"
}

# run_nnctl COMMAND FOLDER DEVICE [OPTION...]: prints "PASSED FAILED" from the last line of its output.
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

# The instruction sets whose kernels this machine can run (firmware/ops/isa), and those that it lacks.
isas=() missing_isas=
find_isas()
{
	local info

	info=$("$NN_BUILD/tools/nnctl/nnctl" info --device cpu --json)
	read -ra isas <<<"$(sed -n 's/.*"isa_usable":[[:space:]]*"\([^"]*\)".*/\1/p' <<<"$info")"
	missing_isas=$(sed -n 's/.*"isa_missing":[[:space:]]*"\([^"]*\)".*/\1/p' <<<"$info")
	[ "${#isas[@]}" -gt 0 ] || add "instruction sets" cpu answers "0 1"
	[ -z "$missing_isas" ] || note "NOT TESTED, kernels of instruction sets that this machine lacks: $missing_isas"
}

# The models of the repository, and the larger set of ../shared/models if it exists.
models_folders=(models)
if [ -d "$NN_ROOT/../shared/models" ]; then
	models_folders+=("$NN_ROOT/../shared/models")
elif wanted models || wanted models-card; then
	note "not here: ../shared/models; only the models of the repository were run"
fi
if wanted unit && [ ! -d "$NN_ROOT/../shared/trace-examples" ]; then
	note "not here: ../shared/trace-examples; only the traces of the repository were read"
fi

# needs GROUP ROUTE WHAT FLAG REASON: whether the group can run; if not, it counts as one failure.
needs()
{
	[ "$4" = 1 ] && return 0
	nn_say "$1 cannot run: $5"
	add "$1" "$2" "$3" "0 1"
	return 1
}

unbuilt="userspace does not build"
if [ "$have_userspace" = 1 ] && { wanted models || wanted conformance; }; then
	find_isas
fi
if wanted unit && needs unit host cases "$have_userspace" "$unbuilt"; then
	nn_say "unit tests"
	add unit host cases "$(run_unit)"
	add "unit, operations by type" cpu "support answers" "$(run_ops)"
fi
if wanted sanitizers && needs sanitizers host cases "$have_userspace" "$unbuilt"; then
	nn_say "address and undefined behaviour sanitizers"
	await address >/dev/null
	add_lines "sanitizers, address" "$(scripts/sanitizers.sh address "$vectors")"
	nn_say "thread sanitizer"
	await thread >/dev/null
	add_lines "sanitizers, thread" "$(scripts/sanitizers.sh thread)"
fi
if wanted models && needs models cpu models "$have_userspace" "$unbuilt"; then
	for folder in "${models_folders[@]}"; do
		nn_say "$(basename "$(dirname "$(realpath "$folder")")")/models on the in-process device"
		for route in cpu runtime worker service; do
			add models "$route" models "$(run_nnctl models-check "$folder" "$route")"
		done
		for isa in "${isas[@]}"; do
			add models "cpu, $isa" models "$(NNACCEL_ISA=$isa run_nnctl models-check "$folder" cpu)"
		done
	done
fi
if wanted conformance && [ -n "$vectors" ] && needs conformance cpu vectors "$have_userspace" "$unbuilt"; then
	nn_say "conformance examples on the in-process device"
	for route in cpu runtime split worker; do
		add conformance "$route" vectors "$(run_nnctl verify "$vectors" "$route" --jobs "$(nproc)")"
	done
	for isa in "${isas[@]}"; do
		add conformance "cpu, $isa" vectors "$(NNACCEL_ISA=$isa run_nnctl verify "$vectors" cpu --jobs "$(nproc)")"
	done
	add conformance service vectors "$(run_nnctl verify "$vectors" service --every 10 --jobs "$(nproc)")"
	add conformance "runtime, scalar inputs" vectors "$(run_nnctl verify "$vectors" runtime --scalar-inputs \
		--jobs "$(nproc)")"
fi
if wanted harness; then
	nn_say "the VM harness itself (five boots, about a minute)"
	add harness "VM" cases "$(run_harness)"
fi
if wanted vm || wanted models-card || { wanted conformance-card && [ -n "$vectors" ]; }; then
	nn_say "kernel module"
	stage "kernel module build" scripts/module.sh || have_module=0
fi
if wanted vm; then
	stage "kselftest build" scripts/kselftest.sh || have_kselftest=0
	for boot in ${NN_BOOTS:-$(tests/vm/boots.sh list)}; do
		needs vm "boot $boot" cases $((have_userspace & have_module & have_kselftest)) \
			"something does not build" || continue
		why=$(tests/vm/boots.sh obstacle "$boot")
		if [ -n "$why" ]; then
			note "NOT TESTED, boot $boot: $why"
			continue
		fi
		nn_say "VM suite, boot $boot"
		tests/vm/boots.sh run "$boot"
		add vm "boot $boot" cases "$(scripts/tally.py vm "$NN_BUILD/vm/plan-$boot" "$NN_BUILD/vm/$boot")"
	done
fi
# debug_boots CACHE: uses a build folder of its own, with links to everything but the module
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
		add debug "boot $boot" cases "$(scripts/tally.py vm "$NN_BUILD/debug/vm/plan-$boot" "$NN_BUILD/debug/vm/$boot")"
	done
}

if wanted debug && needs debug VM cases "$have_userspace" "$unbuilt"; then
	if stage packages scripts/bootstrap.sh debug && stage "kselftest build" scripts/kselftest.sh &&
		cache=${NNACCEL_DEBUG_CACHE:-$(scripts/debug-kernel.sh)} && [ -n "$cache" ] &&
		NNACCEL_BUILD=$NN_BUILD/debug NNACCEL_CACHE=$cache scripts/module.sh; then
		debug_boots "$cache"
	else
		add debug kernel builds "0 1"
	fi
fi
if wanted models-card && needs models-card card models $((have_userspace & have_module)) "something does not build"; then
	for folder in "${models_folders[@]}"; do
		nn_say "$(basename "$(dirname "$(realpath "$folder")")")/models on the card"
		add models-card card models "$(run_nnctl models-check "$folder" card)"
	done
fi
if wanted conformance-card && [ -n "$vectors" ] &&
	needs conformance-card card vectors $((have_userspace & have_module)) "something does not build"; then
	nn_say "conformance examples on the card"
	add conformance-card card vectors "$(run_nnctl verify "$vectors" card --jobs 2 --every 10 --keep IF,WHILE)"
	for route in worker-card runtime-card split-card; do
		nn_say "conformance examples, $route"
		add conformance-card "$route" vectors "$(run_nnctl verify "$vectors" "$route" --jobs 2 --every 20 --keep IF)"
	done
fi
# What ran aside, before targets, which build in the same folders.
if wanted clang; then
	nn_say "userspace with clang"
	add clang host builds "$(await clang)"
fi
if wanted arm64; then
	nn_say "userspace and module for arm64"
	result=$(await arm64)
	if [[ $result == "skipped "* ]]; then
		note "NOT TESTED, arm64: ${result#skipped }"
	else
		add arm64 "cross compiler" builds "$result"
		add_lines arm64 "$(await arm64-run)"
	fi
fi
if wanted series; then
	for series in 6.12 newest; do
		nn_say "the driver as patches for a kernel tree, $series"
		result=$(await "series-$series")
		if [[ $result == "skipped "* ]]; then
			note "NOT TESTED, series $series: ${result#skipped }"
		else
			add series "kernel $series" cases "$result"
		fi
	done
fi
# await_run NAME: counts whether it succeeded
await_run()
{
	nn_say "$1"
	if await "$1"; then
		add "$1" host runs "1 0"
	else
		add "$1" host runs "0 1"
	fi
}

! wanted lint || await_run lint
! wanted docs || await_run docs
if wanted targets; then
	nn_say "every target of the Makefile once"
	scripts/targets-check.sh >"$NN_BUILD/check/targets.tap" 2>"$NN_LOGS/targets.log"
	add targets make targets "$(scripts/tally.py tap "$NN_BUILD/check/targets.tap")"
fi
# A part of the tests only: all of them would double the time.
if wanted fresh; then
	nn_say "an empty Debian 12 with git, gcc and make"
	[ -z "$prefetch" ] || wait "$prefetch"
	result=$(scripts/fresh.sh run "GROUPS=unit vm" BOOTS=smoke)
	if [[ $result == "skipped "* ]]; then
		note "NOT TESTED, fresh: ${result#skipped }"
	else
		add_lines "fresh" "$result"
	fi
fi
# A worker or service that outlives its test fails no test. Without a build there is none.
[ "$have_userspace" = 0 ] || add "left over" host cases "$(scripts/left-over.py "$NN_BUILD" $$)"
finish
