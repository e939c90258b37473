#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# calibrate.sh NNCTL MODELS: calibration happens on request only.
set -euo pipefail

# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"
export HOME=$folder NNAPI_CONFIG=/dev/null
unset XDG_CACHE_HOME NNACCEL_CALIBRATION

# Listing and explaining ask for capabilities: nothing is measured, nothing written.
export NNACCEL_THREADS=2
run 0 "$nnctl" list
run 0 "$nnctl" explain "$model"
[ ! -e "$folder/.cache" ] || die "a library wrote into the home folder"

# the system's folder comes first, where there is one: not in a test
[ ! -w /var/cache/nnaccel ] || export NNACCEL_CALIBRATION=$folder/.cache/nnaccel
run 1 "$nnctl" calibrate --device cpu --show
printed err 'no calibration'

# first_line REGEX
first_line()
{
	[[ $(head -n 1 "$folder/out") =~ $1 ]] || die "the first line is not like \"$1\": $(cat "$folder/out")"
}

# A device that idles because it was never calibrated: every command that shows it has the remedy.
run 0 "$nnctl" explain "$model"
first_line '^nnaccel-cpu was never calibrated: .* \([0-9]+ operations here\); run nnctl calibrate --device cpu$'
run 0 "$nnctl" explain "$model" --devices nnaccel-cpu
first_line '^result '
run 0 "$nnctl" info --device cpu
printed out '^calibration +never: '
printed out '^ +run nnctl calibrate --device cpu$'
run 0 "$nnctl" info --device cpu --json
printed out '"calibrated":	false'
run 0 "$nnctl" info --device worker:cpu
printed out '^calibration +that of the device itself$'
"$nnctl" doctor >"$folder/out" || true
printed out '^note +cpu was never calibrated: '
printed out '-> run nnctl calibrate --device cpu$'
NNACCEL_CALIBRATION=off run 0 "$nnctl" info --device cpu
printed out 'unset NNACCEL_CALIBRATION, .* and run nnctl calibrate --device cpu$'
NNACCEL_THREADS=1 run 0 "$nnctl" info --device cpu
printed out '^calibration +1\.0 by definition'
NNACCEL_THREADS=1 run 0 "$nnctl" explain "$model"
first_line '^result '
run 0 "$nnctl" calibrate --device cpu --dry-run
printed out '^float_conv  *[0-9.]* *[0-9.]* *[0-9.]*$'
[ ! -e "$folder/.cache" ] || die "--dry-run stored something"
run 0 "$nnctl" calibrate --device cpu --json
file=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["path"])' <"$folder/out")
[ -f "$file" ] || die "there is no file $file"
[ "${file#"$folder"/.cache/nnaccel/}" != "$file" ] || die "$file is in a strange place"
cp "$folder/out" "$folder/first"
run 0 "$nnctl" calibrate --device cpu --show --json
cmp "$folder/first" "$folder/out" || die "what is shown is not what was measured"
run 0 "$nnctl" explain "$model"
first_line '^result '
run 0 "$nnctl" info --device cpu
printed out "^calibration +$file\$"
"$nnctl" doctor >"$folder/out" || true
! grep -q 'never calibrated' "$folder/out" || die "doctor does not see the calibration"
NNACCEL_THREADS=1 run 0 "$nnctl" calibrate --device cpu
printed out 'by definition'
run 2 "$nnctl" calibrate --show --dry-run
run 2 "$nnctl" calibrate something
NNACCEL_CALIBRATION=/proc/nothing run 1 "$nnctl" calibrate --device cpu
printed err 'cannot store'
printed out '^stored in no file$'
