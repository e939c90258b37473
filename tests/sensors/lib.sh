# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Common beginning of the tests that run nnaccel-sensord. Sourced with NNCTL MODELS SENSORD.
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/../nnctl/lib.sh"
sensord=$3
export NNSENSORS_SOCKET=$folder/sensors.socket
service=

# service FILE: nnaccel-sensord with these virtual sensors and no others
service()
{
	service_stop
	"$sensord" --listen "$NNSENSORS_SOCKET" --virtual "$1" --no-iio --no-fusion --config /dev/null \
		--log warning 2>"$folder/service" &
	service=$!
	for _ in {1..600}; do
		"$nnctl" sensors list >/dev/null 2>&1 && return 0
		[ -d "/proc/$service" ] || break
		sleep 0.1
	done
	die "the service does not answer: $(cat "$folder/service")"
}

# It ends in order, and nothing of it is left: a crash on the way or a sanitizer's report is a failure.
service_stop()
{
	local rc=0

	[ -n "$service" ] || return 0
	kill "$service" 2>/dev/null || :
	wait "$service" 2>/dev/null || rc=$?
	service=
	[ "$rc" = 0 ] || echo "the service ended with $rc: $(cat "$folder/service")" >&2
	return "$rc"
}

finish()
{
	local rc=$?

	service_stop || rc=1
	rm -rf "$folder"
	exit "$rc"
}
trap finish EXIT

# json KEY: of the first object of the list in the file out; "-": there is none
json()
{
	python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
print(v[0].get(sys.argv[2], "-") if v else "-")' "$folder/out" "$1"
}

# between VALUE LOW HIGH WHAT
between()
{
	python3 -c 'import sys
sys.exit(not float(sys.argv[2]) <= float(sys.argv[1]) <= float(sys.argv[3]))' "$1" "$2" "$3" || die "$4: $1 is not from $2 to $3"
}
