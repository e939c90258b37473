#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# calibrate.sh NNCTL: calibration by hand, and by nobody else.
set -euo pipefail

nnctl=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder NNAPI_CONFIG=/dev/null
unset XDG_CACHE_HOME NNACCEL_CALIBRATION

die()
{
	echo "$*" >&2
	exit 1
}

# run EXIT COMMAND...: what it says is in out and err
run()
{
	local expected=$1 rc=0
	shift
	"$@" >"$folder/out" 2>"$folder/err" || rc=$?
	[ "$rc" -eq "$expected" ] || die "$*: ended with $rc instead of $expected: $(cat "$folder/err")"
}

# Listing and explaining ask for capabilities: nothing is measured, nothing written.
export NNACCEL_THREADS=2
run 0 "$nnctl" list
run 0 "$nnctl" explain "$2"
[ ! -e "$folder/.cache" ] || die "a library wrote into the home folder"

[ -w /var/cache/nnaccel ] && exit 77
run 1 "$nnctl" calibrate --device cpu --show
grep -q 'never calibrated' "$folder/err" || die "it does not say that there is none: $(cat "$folder/err")"
run 0 "$nnctl" calibrate --device cpu --dry-run
grep -q '^float_conv  *[0-9.]* *[0-9.]* *[0-9.]*$' "$folder/out" || die "no times: $(cat "$folder/out")"
[ ! -e "$folder/.cache" ] || die "--dry-run stored something"
run 0 "$nnctl" calibrate --device cpu --json
file=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["path"])' <"$folder/out")
[ -f "$file" ] || die "there is no file $file"
[ "${file#"$folder"/.cache/nnaccel/}" != "$file" ] || die "$file is in a strange place"
cp "$folder/out" "$folder/first"
run 0 "$nnctl" calibrate --device cpu --show --json
cmp "$folder/first" "$folder/out" || die "what is shown is not what was measured"
NNACCEL_THREADS=1 run 0 "$nnctl" calibrate --device cpu
grep -q 'by definition' "$folder/out" || die "the reference was measured against itself"
run 2 "$nnctl" calibrate --show --dry-run
run 2 "$nnctl" calibrate something
NNACCEL_CALIBRATION=/proc/nothing run 1 "$nnctl" calibrate --device cpu
grep -q 'nowhere to store' "$folder/err" || die "it does not say that it is lost"
grep -q '^stored in no file$' "$folder/out" || die "no times"
