#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# trace-check.sh [NNCTL [NAME...]]: "nnctl trace report" against the examples in tests/trace and, where it exists,
# ../shared/trace-examples; with names only those. The last line is "N passed, N failed". An example is NAME.trace
# (or .html) with files of what it should give. In tests/trace it is one file, NAME.case: each text begins with a line
# "@@@ SUFFIX", without NAME, as in "@@@ trace". To add one, write such a file; unpack.py writes its texts as files.
#
#	NAME.txt, .total.txt, .perexec.txt	text, to the character
#	NAME.device.txt				the same, of --strict --jobs
#	NAME.json, .perexec.json		values to 0.001 ms
#	NAME.expected.tsv, .threads.tsv		the same, by run, layer and phase;
#						.strict.expected.tsv of --strict
#	NAME.diag				lines that must be on stderr, each a basic regular expression
#	NAME.status				"<output> rc=<N>": exit statuses
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

nnctl=${1:-$NN_BUILD/tools/nnctl/nnctl}
names=("${@:2}")
for name in "${names[@]}"; do
	[ -e "$NN_ROOT/tests/trace/$name.case" ] || nn_die "tests/trace has no example '$name'"
done
compare=$NN_ROOT/scripts/trace-compare.py
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cases=$tmp/cases
"$NN_ROOT/tests/trace/unpack.py" "$cases"
passed=0
failed=0

pass()
{
	passed=$((passed + 1))
}

fail()
{
	failed=$((failed + 1))
	echo "FAIL ${1#"$cases/"}"
	if [ $# -gt 1 ]; then
		head -n 12 "$2" | sed 's/^/	/'
	fi
}

# report FILE OPTION...: stdout and stderr in $tmp, the status in $rc
report()
{
	local file=$1

	shift
	rc=0
	"$nnctl" trace report "$@" "$file" >"$tmp/out" 2>"$tmp/err" || rc=$?
}

# expected_rc BASE OUTPUT: of what was printed
expected_rc()
{
	[ -f "$1.status" ] || return 0
	sed -n "s/^$2[[:space:]]rc=\([0-9]*\).*/\1/p" "$1.status" | head -n 1
}

check_rc()
{
	local want

	want=$(expected_rc "$1" "$2")
	if [ "$rc" = "${want:-0}" ]; then
		pass
	else
		echo "exit status $rc, not ${want:-0}" >>"$tmp/err"
		fail "$3: status" "$tmp/err"
	fi
}

# text BASE FILE SUFFIX OPTION...: an error prints nothing that has to match
text()
{
	local base=$1 file=$2 suffix=$3

	[ -f "$base.$suffix" ] || return 0
	shift 3
	report "$file" "$@"
	check_rc "$base" "$suffix" "$base.$suffix"
	[ "$rc" -eq 0 ] || return 0
	if diff "$base.$suffix" "$tmp/out" >"$tmp/diff"; then
		pass
	else
		fail "$base.$suffix" "$tmp/diff"
	fi
}

# values BASE FILE SUFFIX KIND OPTION...
values()
{
	local base=$1 file=$2 suffix=$3 kind=$4

	[ -f "$base.$suffix" ] || return 0
	shift 4
	report "$file" "$@"
	check_rc "$base" "$suffix" "$base.$suffix"
	if [ "$rc" -ne 0 ] && [ "$kind" = json ]; then
		# The reference prints nothing then; nnctl prints the complete runs.
		if python3 -m json.tool "$tmp/out" /dev/null 2>"$tmp/diff"; then
			pass
		else
			fail "$base.$suffix: no JSON" "$tmp/diff"
		fi
		return 0
	fi
	if "$compare" "$kind" "$base.$suffix" "$tmp/out" >"$tmp/diff" 2>&1; then
		pass
	else
		fail "$base.$suffix" "$tmp/diff"
	fi
}

# diagnostics BASE FILE: all in the file, and nothing that looks like a crash
diagnostics()
{
	local base=$1 file=$2 line suffix

	for suffix in diag strict.diag; do
		[ -f "$base.$suffix" ] || continue
		if [ "$suffix" = diag ]; then report "$file"; else report "$file" --strict; fi
		while read -r line; do
			if grep -q -- "$line" "$tmp/err"; then
				pass
			else
				fail "$base.$suffix: no \"$line\"" "$tmp/err"
			fi
		done <"$base.$suffix"
	done
}

# The last stderr line of a shared example, if it is one of the two messages that are compared verbatim.
messages()
{
	local base=$1 file=$2 message

	[ -f "$base.status" ] || return 0
	while IFS= read -r message; do
		report "$file"
		if grep -qxF -- "$message" "$tmp/err"; then
			pass
		else
			fail "$base: no \"$message\"" "$tmp/err"
		fi
	done < <(sed -n 's/^txt[[:space:]]rc=0[[:space:]]\(..*\)$/\1/p' "$base.status")
}

example()
{
	local file=$1 base=${1%.*} flows=()

	text "$base" "$file" txt
	text "$base" "$file" total.txt --total-times
	text "$base" "$file" perexec.txt --per-execution
	values "$base" "$file" json json --json
	values "$base" "$file" perexec.json json --json --per-execution
	text "$base" "$file" device.txt --strict --jobs
	values "$base" "$file" strict.expected.tsv tsv --strict --tsv
	if ! grep -qs '^#status	error' "$base.expected.tsv"; then
		values "$base" "$file" expected.tsv tsv --tsv
		values "$base" "$file" threads.tsv tsv-threads --tsv-threads
	fi
	diagnostics "$base" "$file"
	messages "$base" "$file"
	# an export is JSON with as many begins as ends, whatever the trace is
	if grep -q nnaccel_job_done "$file"; then flows=(--flows); fi
	if "$nnctl" trace export "$file" -o "$tmp/export.json" 2>"$tmp/err" &&
		python3 "$NN_ROOT/scripts/trace-export-check.py" "$tmp/export.json" "${flows[@]}" >"$tmp/diff" 2>&1; then
		pass
	else
		cat "$tmp/err" >>"$tmp/diff"
		fail "$base: export" "$tmp/diff"
	fi
}

shopt -s nullglob
for folder in "$cases" "$NN_ROOT/../shared/trace-examples"; do
	for file in "$folder"/*.trace "$folder"/*.html; do
		name=${file##*/}
		if [ "${#names[@]}" -eq 0 ] || [[ " ${names[*]} " == *" ${name%.*} "* ]]; then example "$file"; fi
	done
done
# A trace.dat gives the same report as the text it was made of; a truncated one is an error, not a crash.
dat_values()
{
	local text=$cases/$1

	"$NN_ROOT/tests/trace/make-dat.py" "$text.trace" "$tmp/trace.dat"
	report "$tmp/trace.dat" --strict --tsv
	if "$compare" tsv "$text.strict.expected.tsv" "$tmp/out" >"$tmp/diff" 2>&1; then
		pass
	else
		fail "$1 as trace.dat" "$tmp/diff"
	fi
	head -c 600 "$tmp/trace.dat" >"$tmp/cut.dat"
	report "$tmp/cut.dat"
	if [ "$rc" -eq 1 ] && grep -q 'libtracecmd cannot read it' "$tmp/err"; then
		pass
	else
		fail "trace.dat cut off" "$tmp/err"
	fi
}
dat_values sync-no-tgid

# A malformed line is shown, whatever bytes it has.
printf '#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n\0\t[NN_LR_PE]after a NUL\n' >"$tmp/nul.trace"
report "$tmp/nul.trace"
if [ "$rc" -eq 1 ] && grep -qF 'nul.trace:2: bad-line: \x00\x09[NN_LR_PE]after a NUL' "$tmp/err"; then
	pass
else
	fail "a line that begins with a NUL" "$tmp/err"
fi

# Figures of the shared examples with --strict, computed by hand.
shared=$NN_ROOT/../shared/trace-examples
strict_values()
{
	local name=$1 row

	[ -f "$shared/$name.trace" ] || return 0
	shift
	report "$shared/$name.trace" --strict --tsv
	for row in "$@"; do
		if grep -qP "^$(tr ' ' '\t' <<<"$row")\t" "$tmp/out"; then
			pass
		else
			fail "$name --strict: no $row" "$tmp/out"
		fi
	done
}
# layer and phase, total and self; run 0
strict_values 01-baseline "0 ALL LR PP 2.750000 2.750000"
strict_values 07-subtract "0 ALL LI PC 6.700000 6.700000" "0 ALL LR PC 1.300000 -5.400000"
strict_values 07b-subtract-under-runtime "0 ALL LI PC 5.000000 5.000000" "0 ALL LR PC 10.000000 5.000000"
strict_values 09-execution-async "0 ALL LR PE 8.290000 0.990000" "0 ALL LC PE 7.300000 7.300000"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
