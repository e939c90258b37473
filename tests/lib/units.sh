#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# units.sh PROGRAM SOCKET_UNIT SERVICE_UNIT EXPOSURE: systemd takes a service's units without a word, no limit of systemd's
# lets one client switch the service off for all, and "systemd-analyze security" finds no more than EXPOSURE, ten times its
# number. Prints TAP.
set -euo pipefail
program=$(realpath "$1") socket=$2 service=$3 exposure=$4
socket_name=$(basename "$socket") service_name=$(basename "$service")

echo 1..5
command -v systemd-analyze >/dev/null || { echo "Bail out! systemd-analyze is missing: install systemd (scripts/bootstrap.sh)"; exit 1; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
# The program where it is now, else systemd says that it is not there; and a manual page is no matter of units.
sed "s|^ExecStart=[^ ]*|ExecStart=$program|" "$service" >"$folder/$service_name"
cp "$socket" "$folder/$socket_name"

# verdict NUMBER NAME UNIT
verdict()
{
	local found

	found=$(SYSTEMD_UNIT_PATH=$folder: systemd-analyze verify --man=no "$folder/$3" 2>&1 |
		grep -F -e "$folder" -e "${socket_name%.socket}" || true)
	if [ -z "$found" ]; then
		echo "ok $1 $2"
	else
		echo "not ok $1 $2"
		printf '# %s\n' "$found"
	fi
}
verdict 1 "the socket" "$socket_name"
verdict 2 "the service" "$service_name"

# A unit that has reached such a limit serves no client until an administrator comes.
lockouts()
{
	grep -E '^(Accept=yes|MaxConnections=|TriggerLimitBurst=|StartLimitBurst=)' "$socket" "$service" || true
	grep -q '^TriggerLimitIntervalSec=0$' "$socket" || echo "$socket: TriggerLimitIntervalSec=0 is missing"
	grep -q '^StartLimitIntervalSec=0$' "$service" || echo "$service: StartLimitIntervalSec=0 is missing"
}
found=$(lockouts)
if [ -z "$found" ]; then
	echo "ok 3 no client switches it off"
else
	echo "not ok 3 no client switches it off"
	printf '%s\n' "$found" | sed 's/^/# /'
fi
if report=$(systemd-analyze security --offline=yes --threshold="$exposure" "$folder/$service_name" 2>&1); then
	echo "ok 4 exposure"
else
	echo "not ok 4 exposure"
	printf '%s\n' "$report" | tail -n 3 | sed 's/^/# /'
fi

# Errors are seen: an unknown setting.
echo "NoSuchSetting=yes" >>"$folder/$service_name"
if verdict 0 "" "$service_name" | grep -q "^# .*NoSuchSetting"; then
	echo "ok 5 an unknown setting is seen"
else
	echo "not ok 5 an unknown setting is seen"
fi
