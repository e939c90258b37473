#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# units.sh PROGRAM SOCKET_UNIT SERVICE_UNIT: systemd takes a service's units without a word. Prints TAP.
set -euo pipefail
program=$(realpath "$1") socket=$2 service=$3
socket_name=$(basename "$socket") service_name=$(basename "$service")
# of a template an instance
instance=${service_name/@./@x.}

echo 1..3
command -v systemd-analyze >/dev/null || { echo "Bail out! systemd-analyze is missing: install systemd (scripts/bootstrap.sh)"; exit 1; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
# The program where it is now, else systemd says that it is not there; and a manual page is no matter of units.
sed "s|^ExecStart=[^ ]*|ExecStart=$program|" "$service" >"$folder/$service_name"
cp "$socket" "$folder/$socket_name"

# verdict NUMBER NAME UNIT
verdict()
{
	local said

	said=$(SYSTEMD_UNIT_PATH=$folder: systemd-analyze verify --man=no "$folder/$3" 2>&1 |
		grep -F -e "$folder" -e "${socket_name%.socket}" || true)
	if [ -z "$said" ]; then
		echo "ok $1 $2"
	else
		echo "not ok $1 $2"
		printf '# %s\n' "$said"
	fi
}
verdict 1 "the socket" "$socket_name"
verdict 2 "the service" "$instance"

# What is wrong is seen: a setting that there is not.
echo "Nonsense=yes" >>"$folder/$service_name"
if verdict 0 "" "$instance" | grep -q "^# .*Nonsense"; then
	echo "ok 3 an unknown setting is seen"
else
	echo "not ok 3 an unknown setting is seen"
fi
