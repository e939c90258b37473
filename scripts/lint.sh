#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh [style]: shellcheck for every script; checkpatch --strict, W=1 and sparse for the driver; checkpatch for the uapi
# headers; kernel-doc for both; clang-format and clang-tidy for userspace; mypy and flake8 for the
# Python package; the house rules (tests/house) for the sources of all
# rooms; references of the documentation. style: only what takes seconds, for the gate. Prints findings only; exits 1 when there
# are any.
set -uo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT" || exit 1
bad=0

# finding NAME COMMAND...: quiet when it succeeds, its output when not
finding()
{
	local name=$1 log=$NN_LOGS/lint-$1.log

	shift
	mkdir -p "$NN_LOGS"
	if "$@" >"$log" 2>&1 </dev/null; then
		nn_say "$name: clean"
	else
		nn_say "$name: findings (all of them: ${log#"$NN_ROOT"/})"
		head -n 40 "$log" >&2
		bad=1
	fi
}

# By name or first line. No process for each file of the tree: thousands took most of the stage's time.
scripts()
{
	git ls-files -co --exclude-standard | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done | xargs -d '\n' awk 'FNR == 1 { if (FILENAME ~ /\.sh$/ || /^#!\/bin\/(ba)?sh/) print FILENAME; nextfile }'
}

shells()
{
	scripts | xargs -d '\n' -P "$(nproc)" -n 4 shellcheck
}

# checkpatch FOLDER [OPTION...]: no tree, for there is no MAINTAINERS here and no history to compare to. It leaves a file of its
# own where it runs.
checkpatch()
{
	local folder=$1 files

	shift
	mapfile -t files < <(git ls-files -co --exclude-standard "$folder" | grep -E '\.[ch]$' | sed "s,^,$PWD/,")
	[ "${#files[@]}" -gt 0 ] || { echo "no sources in $folder" && return 1; }
	# shellcheck disable=SC2016 # of the inner shell
	printf '%s\n' "${files[@]}" | NN_OPTIONS="$*" xargs -d '\n' -P "$(nproc)" -n 12 sh -c '
		here=$(mktemp -d "$1/checkpatch.XXXXXX") && cd "$here" || exit
		checkpatch=$2
		shift 2
		perl "$checkpatch" --no-tree --strict --terse --show-types --no-summary --quiet --max-line-length=100 $NN_OPTIONS -f "$@"
		rc=$?
		rm -rf "$here"
		exit "$rc"' checkpatch "$NN_LOGS" "$NN_ROOT/scripts/checkpatch/checkpatch.pl"
}

# kernel_doc FOLDER...: what is documented is documented whole
kernel_doc()
(
	script=$(scripts/kernel.sh kernel-doc) || exit
	mapfile -t files < <(git ls-files -co --exclude-standard "$@" | grep -E '\.[ch]$')
	out=$(perl "$script" -none -Wall "${files[@]}" 2>&1) || exit
	[ -z "$out" ] || { echo "$out" && exit 1; }
)

# kbuild's own output on a warning is not an error code: anything that says warning is a finding.
kbuild()
{
	local log=$NN_LOGS/kbuild-$1.log rc=0

	shift
	# Every file anew: a warning is only seen when its file is compiled.
	rm -rf "$NN_BUILD/module.lint"
	NNACCEL_BUILD=$NN_BUILD/module.lint scripts/module.sh "$@" >"$log" 2>&1 || rc=$?
	cat "$NN_BUILD"/module.lint/logs/*.log >>"$log" 2>/dev/null
	grep -E 'warning:|error:' "$log" && rc=1
	[ "$rc" -eq 0 ] || tail -n 20 "$log"
	return "$rc"
}

# The C files of userspace; the layout of kernel/, uapi/, tests/kselftest and tests/vm/module is checkpatch's.
userspace_files()
{
	git ls-files -co --exclude-standard '*.c' '*.h' | grep -vE '^(kernel|uapi|tests/kselftest|tests/vm/module)/' | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done
}

# Version 14: another one has another layout.
layout()
{
	userspace_files | xargs -d '\n' -P "$(nproc)" -n 50 clang-format-14 --dry-run --Werror
}

# Includes, names and the list of operation families; calls too where userspace is built.
house()
{
	local rc=0 script

	# What is not executable is what the others import.
	for script in tests/house/*.py; do
		[ ! -x "$script" ] || echo "$script"
	done | xargs -d '\n' -P "$(nproc)" -n 1 env || rc=1
	# the symbols of all objects take minutes
	if [ "$style" = 0 ] && [ -f "$NN_BUILD/build.ninja" ]; then
		tests/house/arrows.py --objects "$NN_BUILD" || rc=1
	fi
	return "$rc"
}

# With the commands and the generated headers of the build, without what only gcc knows.
tidy()
{
	local list commands=$NN_BUILD/tidy

	scripts/userspace.sh || return
	mkdir -p "$commands"
	sed 's/ -fno-tree-coalesce-vars//g' "$NN_BUILD/compile_commands.json" >"$commands/compile_commands.json" || return
	mapfile -t list < <(userspace_files | grep -E '^(lib|firmware|tools)/.*\.c$' | while read -r file; do
		! grep -qF "\"../$file\"" "$NN_BUILD/compile_commands.json" || echo "$file"
	done)
	[ "${#list[@]}" -gt 0 ] || return
	printf '%s\n' "${list[@]}" | xargs -d '\n' -P "$(nproc)" -n 20 clang-tidy-16 --extra-arg=-Wno-sign-conversion -p "$commands" --quiet
}

# The Python package, as it is in the build folder. numpy's own types need another version of Python.
python_package()
{
	scripts/userspace.sh || return
	(cd "$NN_BUILD/python" && /usr/bin/python3 -m mypy --strict --cache-dir "$NN_BUILD/mypy" nnaccel) || return
	/usr/bin/python3 -m flake8 --max-line-length 130 python examples/*.py tests/python
}

# finding NAME COMMAND... again, for what takes longer
slow_finding()
{
	[ "$style" = 1 ] || finding "$@"
}

style=0
[ "${1:-}" != style ] || style=1
finding shellcheck shells
finding checkpatch checkpatch kernel --ignore FILE_PATH_CHANGES
finding checkpatch-vm checkpatch tests/vm/module --ignore FILE_PATH_CHANGES
# Userspace includes these too: BIT() and the kernel's typedefs of static_assert are not there for it.
finding checkpatch-uapi checkpatch uapi --ignore BIT_MACRO,CAMELCASE,LINE_SPACING,LONG_LINE_COMMENT
slow_finding kernel-doc kernel_doc kernel/nnaccel uapi
slow_finding abi scripts/abi.sh check
slow_finding W=1 kbuild w1 W=1
slow_finding sparse kbuild sparse C=2
finding clang-format layout
slow_finding clang-tidy tidy
slow_finding python python_package
finding house house
finding docs-check scripts/docs-check.py
exit "$bad"
