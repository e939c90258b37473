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
said err 'no calibration'
run 0 "$nnctl" calibrate --device cpu --dry-run
said out '^float_conv  *[0-9.]* *[0-9.]* *[0-9.]*$'
[ ! -e "$folder/.cache" ] || die "--dry-run stored something"
run 0 "$nnctl" calibrate --device cpu --json
file=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["path"])' <"$folder/out")
[ -f "$file" ] || die "there is no file $file"
[ "${file#"$folder"/.cache/nnaccel/}" != "$file" ] || die "$file is in a strange place"
cp "$folder/out" "$folder/first"
run 0 "$nnctl" calibrate --device cpu --show --json
cmp "$folder/first" "$folder/out" || die "what is shown is not what was measured"
NNACCEL_THREADS=1 run 0 "$nnctl" calibrate --device cpu
said out 'by definition'
run 2 "$nnctl" calibrate --show --dry-run
run 2 "$nnctl" calibrate something
NNACCEL_CALIBRATION=/proc/nothing run 1 "$nnctl" calibrate --device cpu
said err 'cannot store'
said out '^stored in no file$'
