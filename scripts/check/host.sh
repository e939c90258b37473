# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # variables of check.sh
#
# The groups of check.sh that run on this machine, without the VM. Sourced by check.sh.

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

# The firmware in which AMX is emulated: meson builds it where the processor lacks AMX.
tiles_firmware=$NN_BUILD/tests/unit/libnnaccel-fw-tiles.so

with_tiles()
{
	NNACCEL_FIRMWARE=$tiles_firmware NN_TEST_TILES=1 NNACCEL_ISA=amx "$@"
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
	# its instructions are emulated (tests/unit/tiles_emulator.c)
	! [ -f "$tiles_firmware" ] || missing_isas=${missing_isas/amx/amx (in hardware)}
	[ -z "$missing_isas" ] || note "NOT TESTED, kernels of instruction sets that this machine lacks: $missing_isas"
}

# Lanes of meson's tests (tests/meson.build): what computes or waits runs three at a time, what measures time runs alone.
check_unit()
{
	local lane

	needs unit host cases "$have_userspace" "$unbuilt" || return
	for lane in $(lanes_of "$suite"); do
		begin "unit tests, lane $lane"
		add unit "lane $lane" cases "$(scripts/check/lane.sh "$NN_BUILD" "$lane")"
	done
	begin "operations by type"
	add "unit, operations by type" cpu "support answers" "$(run_ops)"
}

# lanes_of SUITE
lanes_of()
{
	case $1 in
	gate) echo gate ;;
	full) echo gate full timing ;;
	long) echo gate full timing long ;;
	esac
}

check_sanitizers()
{
	needs sanitizers host cases "$have_userspace" "$unbuilt" || return
	if [ "$suite" = gate ]; then
		begin "sanitizers, address and undefined behaviour: parsers and trust boundaries"
		add "sanitizers, address" boundary cases "$(scripts/sanitizers.sh boundary)"
		return
	fi
	begin "sanitizers, address and undefined behaviour"
	await address >/dev/null
	add_lines "sanitizers, address" "$(scripts/sanitizers.sh address "$vectors")"
	begin "sanitizers, threads"
	await thread >/dev/null
	add_lines "sanitizers, thread" "$(scripts/sanitizers.sh thread)"
}

check_models()
{
	local folder route isa routes=(cpu runtime worker)

	needs models cpu models "$have_userspace" "$unbuilt" || return
	begin "models"
	[ "$suite" = gate ] || routes+=(service)
	for folder in "${models_folders[@]}"; do
		for route in "${routes[@]}"; do
			add models "$route" models "$(run_nnctl models-check "$folder" "$route")"
		done
		[ "$suite" != gate ] || continue
		for isa in "${isas[@]}"; do
			add models "cpu, $isa" models "$(NNACCEL_ISA=$isa run_nnctl models-check "$folder" cpu)"
		done
		[ ! -f "$tiles_firmware" ] ||
			add models "cpu, amx emulated" models "$(with_tiles run_nnctl models-check "$folder" cpu)"
	done
}

check_conformance()
{
	local route isa

	[ -n "$vectors" ] || return
	needs conformance cpu vectors "$have_userspace" "$unbuilt" || return
	begin "conformance examples"
	for route in cpu runtime split worker; do
		add conformance "$route" vectors "$(run_nnctl verify "$vectors" "$route" --jobs "$(nproc)")"
	done
	[ "$suite" != gate ] || return
	for isa in "${isas[@]}"; do
		add conformance "cpu, $isa" vectors "$(NNACCEL_ISA=$isa run_nnctl verify "$vectors" cpu --jobs "$(nproc)")"
	done
	[ ! -f "$tiles_firmware" ] ||
		add conformance "cpu, amx emulated" vectors "$(with_tiles run_nnctl verify "$vectors" cpu --jobs "$(nproc)")"
	add conformance service vectors "$(run_nnctl verify "$vectors" service --every 10 --jobs "$(nproc)")"
	add conformance "runtime, scalar inputs" vectors "$(run_nnctl verify "$vectors" runtime --scalar-inputs \
		--jobs "$(nproc)")"
}

check_clang()
{
	begin "userspace with clang"
	add clang host builds "$(await clang)"
}

check_arm64()
{
	local result

	begin "userspace and module for arm64"
	result=$(await arm64)
	if [[ $result == "skipped "* ]]; then
		note "NOT TESTED, arm64: ${result#skipped }"
		return
	fi
	add arm64 "cross compiler" builds "$result"
	[ "$suite" != long ] || add_lines arm64 "$(await arm64-run)"
}

check_litmus()
{
	local result

	begin "litmus tests of the order of memory accesses"
	result=$(await litmus)
	if [[ $result == "skipped "* ]]; then
		note "NOT TESTED, litmus: ${result#skipped }"
	else
		add litmus "herd7" cases "$result"
	fi
}

check_series()
{
	local series result

	for series in 6.12 newest; do
		begin "the driver as patches for a kernel tree, $series"
		result=$(await "series-$series")
		if [[ $result == "skipped "* ]]; then
			note "NOT TESTED, series $series: ${result#skipped }"
		else
			add series "kernel $series" cases "$result"
		fi
	done
}

# check_aside NAME: waits for work aside that either succeeds or fails as a whole.
check_aside()
{
	begin "$1"
	if await "$1"; then
		add "$1" host runs "1 0"
	else
		add "$1" host runs "0 1"
	fi
}

check_style()
{
	begin "style: shellcheck, clang-format, checkpatch, house rules, references of the documentation"
	if scripts/lint.sh style >&2; then
		add style host runs "1 0"
	else
		add style host runs "0 1"
	fi
}

check_targets()
{
	begin "every target of the Makefile once"
	scripts/targets-check.sh >"$NN_BUILD/check/targets.tap" 2>"$NN_LOGS/targets.log"
	add targets make targets "$(scripts/tally.py tap "$NN_BUILD/check/targets.tap")"
}

# A part of the tests only: all of them would double the time.
check_fresh()
{
	local result

	begin "an empty Debian 12 with git, gcc and make"
	[ -z "$prefetch" ] || wait "$prefetch"
	result=$(scripts/fresh.sh run "GROUPS=unit vm" "SUITE=gate" BOOTS=smoke)
	if [[ $result == "skipped "* ]]; then
		note "NOT TESTED, fresh: ${result#skipped }"
	else
		add_lines fresh "$result"
	fi
}

check_doors()
{
	local untested

	needs doors host models $((have_userspace & have_module)) "something does not build" || return
	begin "models through C, Python, TensorFlow Lite and ONNX Runtime, here and on the card"
	scripts/check/doors.sh >"$NN_BUILD/check/doors.txt" 2>"$NN_LOGS/doors.err"
	untested=$(grep "^NOT TESTED" "$NN_BUILD/check/doors.txt") && note "$untested"
	grep "FAILED$" "$NN_BUILD/check/doors.txt" >&2
	add doors "cpu, card" models "$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$NN_BUILD/check/doors.txt")"
}

check_deb()
{
	local untested

	begin "Debian packages: build, lintian, installation"
	scripts/deb.sh >"$NN_BUILD/check/deb.txt" 2>"$NN_LOGS/deb.err"
	untested=$(grep "^NOT TESTED" "$NN_BUILD/check/deb.txt") && note "NOT TESTED, deb: ${untested#NOT TESTED }" && return
	grep "FAILED" "$NN_BUILD/check/deb.txt" >&2
	add deb packages steps "$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$NN_BUILD/check/deb.txt")"
}

# Each fuzz target with libFuzzer for a minute.
check_fuzzers()
{
	begin "fuzz targets with libFuzzer"
	if ! step packages scripts/bootstrap.sh clang; then
		return
	fi
	if scripts/fuzzers.sh >"$NN_LOGS/fuzzers.log" 2>&1; then
		add fuzzers libFuzzer runs "1 0"
	else
		tail -n 40 "$NN_LOGS/fuzzers.log" >&2
		add fuzzers libFuzzer runs "0 1"
	fi
}

# The gate's unit tests beside four busy loops: what depends on time shows here.
check_load()
{
	local loops=()

	needs load host cases "$have_userspace" "$unbuilt" || return
	begin "unit tests beside four busy loops"
	while [ "${#loops[@]}" -lt 4 ]; do
		timeout 1800 setpriv --pdeathsig KILL bash -c 'while :; do :; done' {NN_LOCK_FD}>&- &
		loops+=($!)
	done
	add load "lane gate" cases "$(scripts/check/lane.sh "$NN_BUILD" gate)"
	kill "${loops[@]}" 2>/dev/null
	wait "${loops[@]}" 2>/dev/null
}
