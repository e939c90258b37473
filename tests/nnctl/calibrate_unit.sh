#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# calibrate_unit.sh NNCTL MODELS UNIT RULES: the commands of the unit that calibrates a device when it appears, on a device of this
# machine: the first start measures, the next one ends at its condition, and a calibration that is not valid is replaced.
set -euo pipefail

# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"
unit=$3 rules=$4
export HOME=$folder NNAPI_CONFIG=/dev/null NNACCEL_THREADS=2 NNACCEL_CALIBRATION=$folder/cache
name=$(basename "$unit")

# setting NAME: the value of a setting of the unit
setting()
{
	local value

	value=$(sed -n "s/^$1=//p" "$unit")
	[ -n "$value" ] || die "$unit has no $1"
	echo "$value"
}

# command SETTING DEVICE: sets "words" to the command line, as systemd makes it for this instance
command_of()
{
	local line

	line=$(setting "$1")
	[[ $line == */bin/nnctl* ]] || die "$1 does not run nnctl: $line"
	line=$(sed "s|[^ ]*/bin/nnctl|$nnctl|; s|%i|$2|g; s|\\\$\\\$|\$|g" <<<"$line")
	eval "words=($line)"
}

command_of ExecCondition cpu
condition=("${words[@]}")
command_of ExecStart cpu
start=("${words[@]}")
mkdir "$folder/cache"

run 0 "${condition[@]}"
run 0 "${start[@]}"
printed out '^stored in '
file=$(echo "$folder"/cache/calibration-*.json)
[ -s "$file" ] || die "no calibration is stored: $file"
run 1 "${condition[@]}"

# what is stored does not count, and is replaced
echo "{" >"$file"
run 0 "${condition[@]}"
run 0 "${start[@]}"
run 1 "${condition[@]}"

# a device that went away: the unit fails, and systemd reports why
command_of ExecStart accel93
run 1 "${words[@]}"
printed err 'accel93'

grep -qF "ENV{SYSTEMD_WANTS}+=\"${name/@/@%k}\"" "$rules" || die "$rules does not start $name"
[ "$(setting CacheDirectory)" = nnaccel ] || die "the calibration of all users is not kept in /var/cache/nnaccel"

# as systemd reads it; the program is where it is now
sed "s|[^ =]*/bin/nnctl|$(realpath "$nnctl")|" "$unit" >"$folder/$name"
found=$(SYSTEMD_UNIT_PATH=$folder: systemd-analyze verify --man=no "$folder/${name/@/@accel0}" 2>&1 | grep -F nnaccel-calibrate || :)
[ -z "$found" ] || die "systemd-analyze verify: $found"
run 0 systemd-analyze security --offline=yes --threshold=15 "$folder/${name/@/@accel0}"
echo "UnknownSetting=yes" >>"$folder/$name"
SYSTEMD_UNIT_PATH=$folder: systemd-analyze verify --man=no "$folder/${name/@/@accel0}" 2>&1 | grep -q UnknownSetting ||
	die "an unknown setting is not seen"
