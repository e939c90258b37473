#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh: checkpatch --strict, W=1 and sparse for kernel/ and uapi/, shellcheck for every script, clang-format
# where it is installed and a .clang-format says how. Prints findings only; exits 1 when there are any.
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
		nn_say "$name: findings"
		cat "$log" >&2
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

# Kernel style for the kernel's code. No tree: there is no MAINTAINERS here and no git history to compare to.
checkpatch()
{
	local source files

	source=$(scripts/kernel.sh source) || return
	mapfile -t files < <(git ls-files -co --exclude-standard kernel uapi | grep -E '\.[ch]$')
	[ "${#files[@]}" -gt 0 ] || { echo "no kernel sources" && return 1; }
	perl "$source/scripts/checkpatch.pl" --no-tree --strict --terse --show-types --no-summary --quiet \
		--max-line-length=100 --ignore FILE_PATH_CHANGES,NEW_TYPEDEFS -f "${files[@]}"
}

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

clang_format()
{
	local files

	mapfile -t files < <(git ls-files '*.c' '*.h')
	clang-format --dry-run --Werror "${files[@]}"
}

finding shellcheck shells
finding checkpatch checkpatch
finding W=1 kbuild w1 W=1
finding sparse kbuild sparse C=2 "CF=-fdiagnostic-prefix=sparse"
if [ -f .clang-format ] && command -v clang-format >/dev/null; then
	finding clang-format clang_format
fi
exit "$bad"
