#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# abi.sh check|update: the ABI of libnnhal, libneuralnetworks, libnnipc, libnnsensors and libnnaccel_model. check compares the
# libraries in build/ to the dumps in abi/ and fails when an interface was removed or changed; what was added is allowed. update writes the dumps; it refuses
# an incompatible change to a dump of an earlier version under the same soname. See Documentation/versioning.rst.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT"

libraries=(libnnhal libneuralnetworks libnnipc libnnsensors libnnaccel_model)
# Public types only: the headers that are installed, and nothing of who builds where.
dump_options=(--no-comp-dir-path --no-corpus-path --no-show-locs --no-elf-needed --no-write-default-sizes
	--type-id-style hash --exported-interfaces-only --drop-private-types)
log=$NN_LOGS/abi.log

library()
{
	local path=$NN_BUILD/lib/$1/$1.so

	[ "$1" != libnnipc ] || path=$NN_BUILD/lib/libnnipc/host/libnnipc.so
	[ "$1" != libnnsensors ] || path=$NN_BUILD/lib/libnnsensors/ndk/libnnsensors.so
	[ -f "$path" ] || scripts/userspace.sh
	readelf -S "$path" | grep -qF .debug_info ||
		nn_die "$path has no debug information: build with -Dbuildtype=debugoptimized"
	echo "$path"
}

# Headers in one folder, as they are installed: --headers-dir takes all of a folder.
headers()
{
	mkdir -p "$NN_BUILD/abi/include"
	git ls-files 'lib/*/nnhal.h' 'lib/*/nnhal_types.h' 'lib/*/nnmodel.h' 'lib/libnnipc/host/nnipc.h' 'lib/libneuralnetworks/include/*.h' \
		'lib/libnnaccel_model/nnaccel_model.h' \
		'lib/libnnsensors/nnsensors*.h' 'lib/libnnsensors/include/*.h' |
		xargs -d '\n' cp -t "$NN_BUILD/abi/include"
}

dump()
{
	local path

	path=$(library "$1")
	headers
	abidw "${dump_options[@]}" --headers-dir "$NN_BUILD/abi/include" --out-file "$2" "$path"
	# Names of source files say nothing of the ABI and change when files move; abidiff wants them different.
	perl -pi -e "s/ path='[^']*'/\" path='unit \" . ++\$n . \"'\"/e" "$2"
}

soname()
{
	sed -n "s/^<abi-corpus .* soname='\([^']*\)'.*/\1/p" "$1" | head -n 1
}

# The last line.
version()
{
	sed -n 's/^<!-- \(.*\) -->$/\1/p' "$1"
}

architecture()
{
	sed -n "s/^<abi-corpus .* architecture='\([^']*\)'.*/\1/p" "$1" | head -n 1
}

# 0: compatible.
compare()
{
	local rc=0

	mkdir -p "$NN_LOGS"
	abidiff --leaf-changes-only --no-added-syms --suppressions abi/growth.suppr "$1" "$2" >"$log" 2>&1 || rc=$?
	# bit 2: a change, bit 3: an incompatible one; all else is a failure of the tool
	[ $((rc & ~12)) -eq 0 ] || nn_die "abidiff failed ($rc): $(tail -n 1 "$log")"
	[ "$rc" -eq 0 ]
}

check()
{
	local name bad=0

	for name in "${libraries[@]}"; do
		[ -f "abi/$name.abi" ] || nn_die "abi/$name.abi is missing: run scripts/abi.sh update"
		dump "$name" "$NN_BUILD/abi/$name.abi"
		if [ "$(architecture "$NN_BUILD/abi/$name.abi")" != "$(architecture "abi/$name.abi")" ]; then
			nn_say "$name: not checked, the dump is of another architecture"
			continue
		fi
		if compare "abi/$name.abi" "$NN_BUILD/abi/$name.abi"; then
			nn_say "$name: the ABI of $(version "abi/$name.abi")"
			continue
		fi
		nn_say "$name: the ABI changed (${log#"$NN_ROOT"/}); Documentation/versioning.rst says what to do"
		head -n 60 "$log" >&2
		bad=1
	done
	return "$bad"
}

update()
{
	local name new

	for name in "${libraries[@]}"; do
		new=$NN_BUILD/abi/$name.abi
		mkdir -p "${new%/*}"
		dump "$name" "$new"
		if [ -f "abi/$name.abi" ] && [ "$(version "abi/$name.abi")" != "nnaccel $(<VERSION)" ] &&
			! compare "abi/$name.abi" "$new" && [ "$(soname "$new")" = "$(soname "abi/$name.abi")" ]; then
			head -n 60 "$log" >&2
			nn_die "$name: an incompatible change needs a new soname: raise NNHAL_ABI_VERSION"
		fi
		# at the end: abidiff knows a file by its first line
		{ cat "$new" && echo "<!-- nnaccel $(<VERSION) -->"; } >"abi/$name.abi"
		nn_say "abi/$name.abi: nnaccel $(<VERSION), $(soname "$new")"
	done
}

command -v abidw >/dev/null && command -v abidiff >/dev/null || nn_die "abigail-tools are missing: run make bootstrap"
mkdir -p "$NN_BUILD/abi"
case ${1:-} in
check | update) "$1" ;;
*) nn_die "usage: abi.sh check|update" ;;
esac
