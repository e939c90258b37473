#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# litmus.sh [TEST...]: runs the litmus tests in tests/litmus (names without .litmus; otherwise all) with herd7 and the memory model of
# Linux, and each of their mutants. Documentation/memory-ordering.rst describes the tests and their marks. Prints "PASSED FAILED" for
# check.sh, one run of herd7 each, or "skipped REASON". All results: build/logs/litmus.log.
#
# herd7: NNACCEL_HERD7, or that of PATH, or Debian sid's package on amd64, which is unpacked in the cache and not installed.
# Cache, $NNACCEL_CACHE/litmus: apt (the state of a private apt), herd7, model (tools/memory-model of the kernel's source). Each
# can be removed at any time.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"

store=$NN_CACHE/litmus
tests=$NN_ROOT/tests/litmus
log=$NN_LOGS/litmus.log
series=6.12

# without WHAT LOG: it cannot be fetched. Without network this is not a failure of the project.
without()
{
	if nn_online; then
		! nn_fetch_failed "$2" || nn_infra_die "$1 cannot be fetched from $NN_MIRROR (${NN_LOGS#"$NN_ROOT"/}/$2.log)"
		nn_die "$1 cannot be unpacked (${NN_LOGS#"$NN_ROOT"/}/$2.log)"
	fi
	echo "skipped $(nn_offline), and the cache has no $1"
	exit 0
}

# unpack_newest DIR PACKAGE...: unpacks packages of sid, by a private apt. The folder gets its name when it is whole.
unpack_newest()
(
	local dir=$1 package tmp

	shift
	nn_mirror || return
	nn_private_apt "$store/apt" amd64 "$NN_MIRROR sid"
	nn_apt_update
	tmp=$(mktemp -d "$store/.herd7.XXXXXX")
	for package in "$@"; do
		nn_logged litmus-herd7 nn_deb "$tmp" "$package" || { rm -rf "$tmp" && return 1; }
	done
	mv "$tmp" "$dir"
)

# Sets herd, the command. The package has its own C library, and is started by that one's loader.
find_herd()
{
	local root=$store/herd7 lib=usr/lib/x86_64-linux-gnu

	herd=("${NNACCEL_HERD7:-$(command -v herd7 || :)}")
	if [ -n "${herd[0]}" ]; then
		[ -x "${herd[0]}" ] || nn_die "NNACCEL_HERD7: no program '${herd[0]}'"
		return
	fi
	if [ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ]; then
		echo "skipped no herd7 on PATH, and this is no amd64 Debian"
		exit 0
	fi
	(
		nn_lock "$store/.lock"
		[ -d "$root" ] || {
			nn_say "litmus: fetching herd7 (41 MB, once)"
			unpack_newest "$root" herdtools7 libc6 libgmp10
		}
	) || without herd7 litmus-herd7
	herd=("$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/$lib" "$root/usr/bin/herd7"
		-set-libdir "$root/usr/share/herdtools7/herd")
}

make_model()
{
	local version size sum package tmp name=linux-source-$series

	read -r version size sum < <(sed -n "s/^$name //p" "$NN_ROOT/scripts/kernel.pin") || :
	nn_say "litmus: fetching the kernel source for its memory model ($(((size + 999999) / 1000000)) MB, once)"
	tmp=$(mktemp -d "$store/.model.XXXXXX")
	# The archive may have the pinned version no more: the model is the same in every one of the series.
	nn_logged litmus-model nn_deb "$tmp" "$name=$version" "$sum" || {
		nn_apt_update
		nn_logged litmus-model nn_deb "$tmp" "$name=$version" "$sum" || nn_logged litmus-model nn_deb "$tmp" "$name"
	} || { rm -rf "$tmp" && return 1; }
	mkdir "$tmp/linux"
	package=$tmp/usr/src/$name.tar.xz
	xz -dc -T0 "$package" | tar -x -C "$tmp/linux" --strip-components=1 --wildcards '*/tools/memory-model/linux-kernel.*' \
		'*/tools/memory-model/lock.cat'
	mv "$tmp/linux/tools/memory-model" "$1"
	rm -rf "$tmp"
}

# Sets model, the folder of linux-kernel.cfg.
find_model()
{
	model=$store/model
	if [ -z "$("$NN_ROOT/scripts/kernel.sh" missing tree)" ]; then
		model=$("$NN_ROOT/scripts/kernel.sh" tree)/tools/memory-model
		return
	fi
	(
		nn_lock "$store/.lock"
		[ -d "$model" ] || make_model "$model"
	) || without "memory model" litmus-model
}

# mutants FILE: the names in its marks, "without 1" or "spare 2", a line each
mutants()
{
	sed -nE 's,.*// ((without|missing|spare) [^:]*):.*,\1,p' "$1" | sed 's/, /\n/g' | sort -u
}

# mutant FILE NAME: prints FILE, with the text of the mark in place of each line that has this mark
mutant()
{
	awk -v name="$2" '
		match($0, /\/\/ [^:]*:/) {
			n = split(substr($0, RSTART + 3, RLENGTH - 4), names, ", ")
			for (i = 1; i <= n; i++)
				if (names[i] == name) {
					sub(/^[^\/]*\/\/ [^:]*: */, "\t")
					if ($0 != "\t")
						print
					next
				}
		}
		{ print }' "$1"
}

# expect FILE WANTED TEXT: counts whether herd7 observes WANTED; TEXT names the run
expect()
{
	local output found

	output=$(cd "$model" && timeout 300 "${herd[@]}" -conf linux-kernel.cfg "$1" 2>&1) || :
	found=$(sed -n 's/^Observation [^ ]* \([A-Z][a-z]*\) .*/\1/p' <<<"$output")
	[[ $output != *$'\nFlag '* ]] || found="$found with a flag"
	printf '%s\t%s\n' "$3" "${found:-no result}" >>"$log"
	if [ "$found" = "$2" ]; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	nn_say "FAILED litmus: $3: ${found:-no result}, not $2"
	printf '%s\n' "$output" >>"$log"
}

run_test()
{
	local file=$1 name wanted mark count=0

	name=$(basename "$file" .litmus)
	wanted=$(sed -n 's/^ \* Result: //p' "$file")
	expect "$file" "$wanted" "$name"
	while read -r mark; do
		mutant "$file" "$mark" >"$NN_SCRATCH/$name.litmus"
		case $mark in
		spare*) expect "$NN_SCRATCH/$name.litmus" Never "$name, $mark" ;;
		*)
			expect "$NN_SCRATCH/$name.litmus" Sometimes "$name, $mark"
			count=$((count + 1))
			;;
		esac
	done < <(mutants "$file")
	# A test that nothing makes fail tests nothing.
	if [ "$wanted" = Never ] && [ "$count" -eq 0 ]; then
		failed=$((failed + 1))
		nn_say "FAILED litmus: $name: no line is marked without or missing"
	fi
}

passed=0
failed=0
mkdir -p "$store" "$NN_LOGS"
nn_scratch
find_herd
find_model
[ $# -gt 0 ] || mapfile -t all < <(cd "$tests" && printf '%s\n' *.litmus)
printf '%s\n' "herd7 $("${herd[@]}" -version), $model" >"$log"
for name in "${@:-${all[@]}}"; do
	name=${name%.litmus}
	[ -f "$tests/$name.litmus" ] || nn_die "no test '$name' in tests/litmus"
	run_test "$tests/$name.litmus"
done
echo "$passed $failed"
