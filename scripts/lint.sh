#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh: shellcheck for every script; checkpatch --strict, W=1 and sparse for the driver; checkpatch for the
# uapi headers; kernel-doc for both. Prints findings only; exits 1 when there are any. Where clang-format is installed, it is said
# how many userspace files it would change: a figure, not a finding, for it knows no tab-aligned comments.
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

scripts()
{
	git ls-files -co --exclude-standard | while read -r file; do
		case $file in
		*.sh) echo "$file" ;;
		*) [ -f "$file" ] && head -c 64 "$file" | grep -qaE '^#!/bin/(ba)?sh' && echo "$file" ;;
		esac
	done
	return 0
}

shells()
{
	local list

	mapfile -t list < <(scripts)
	shellcheck "${list[@]}"
}

# checkpatch FOLDER [OPTION...]: in a shell of its own; no tree, for there is no MAINTAINERS here and no history to compare to.
checkpatch()
(
	folder=$1

	shift
	source=$(scripts/kernel.sh source) || exit
	mapfile -t files < <(git ls-files -co --exclude-standard "$folder" | grep -E '\.[ch]$' | sed "s,^,$PWD/,")
	[ "${#files[@]}" -gt 0 ] || { echo "no sources in $folder" && exit 1; }
	# It leaves a file of its own where it runs.
	cd "$NN_LOGS" || exit
	perl "$source/scripts/checkpatch.pl" --no-tree --strict --terse --show-types --no-summary --quiet \
		--max-line-length=100 "$@" -f "${files[@]}"
)

# kernel_doc FOLDER...: what is documented is documented whole
kernel_doc()
(
	source=$(scripts/kernel.sh source) || exit
	mapfile -t files < <(git ls-files -co --exclude-standard "$@" | grep -E '\.[ch]$')
	out=$(perl "$source/scripts/kernel-doc" -none -Wall "${files[@]}" 2>&1) || exit
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

clang_format_count()
{
	local file count=0

	while read -r file; do
		clang-format --dry-run --Werror "$file" >/dev/null 2>&1 || count=$((count + 1))
	done < <(git ls-files '*.c' '*.h' | grep -v '^kernel/')
	nn_say "clang-format would change $count files"
}

finding shellcheck shells
finding checkpatch checkpatch kernel --ignore FILE_PATH_CHANGES
# Userspace includes these too: BIT() and the kernel's typedefs of static_assert are not there for it.
finding checkpatch-uapi checkpatch uapi --ignore BIT_MACRO,CAMELCASE,LINE_SPACING,LONG_LINE_COMMENT
finding kernel-doc kernel_doc kernel/nnaccel uapi
finding abi scripts/abi.sh check
finding W=1 kbuild w1 W=1
finding sparse kbuild sparse C=2
if [ -f .clang-format ] && command -v clang-format >/dev/null; then
	clang_format_count
fi
exit "$bad"
