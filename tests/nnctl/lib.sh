# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Common beginning of the tests of nnctl. Sourced with the arguments of the test.
# shellcheck disable=SC2034 # used by the tests
nnctl=$1
models=$2
model=$models/shapes_int8/model.tflite
float_model=$models/shapes_fp32/model.tflite
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A sanitizer's report must not look like a command that failed.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}exitcode=99

die()
{
	echo "$*" >&2
	exit 1
}

# run EXIT COMMAND...: run it; its output goes to the files out and err
run()
{
	local expected=$1 rc=0

	shift
	"$@" >"$folder/out" 2>"$folder/err" </dev/null || rc=$?
	[ "$rc" -eq "$expected" ] || die "$*: ended with $rc instead of $expected: $(cat "$folder/out" "$folder/err")"
}

# printed out|err REGEX: the last command's output matches
printed()
{
	grep -qE -- "$2" "$folder/$1" || die "nothing like \"$2\" in: $(cat "$folder/$1")"
}
