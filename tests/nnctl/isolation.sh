#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# isolation.sh NNCTL MODELS HALD: devices behind a worker and behind the service: every command takes them, list, info and
# doctor say which process that is and what its sandbox has, and no process is left.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"
hald=$3
input=$models/pictures/star.png
socket=$folder/hald.sock
export NNACCEL_SERVICE=$folder/none.sock

# value FILE KEY: of the first object of JSON
value()
{
	python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
print((v[0] if isinstance(v, list) else v)[sys.argv[2]])' "$folder/$1" "$2"
}

# doctor [NAME=VALUE...]: it succeeds unless a line says BAD. The machine decides which lines do; the tests check lines by
# printed.
doctor()
{
	local rc=0 bad

	env "$@" "$nnctl" doctor >"$folder/out" 2>"$folder/err" </dev/null || rc=$?
	bad=$(awk '$1 == "BAD" { n++ } END { print n + 0 }' "$folder/out")
	printed out "^$bad problems?\$"
	[ "$rc" -eq $((bad > 0)) ] || die "doctor ended with $rc: $(cat "$folder/out" "$folder/err")"
}

# gone PID: it ends
gone()
{
	for _ in {1..1200}; do
		[ -d "/proc/$1" ] || return 0
		sleep 0.1
	done
	die "process $1 is left"
}

run 0 "$nnctl" list
printed out '^cpu .*\(in process\)'
run 0 "$nnctl" list --device worker
printed out '^worker:cpu .* \(worker process [0-9]+, 0 restarts\)$'
printed out '^ +sandbox: .*no-new-privs'
run 0 "$nnctl" list --device worker:cpu --json
[ "$(value out isolation)" = worker ] || die "not a worker: $(cat "$folder/out")"
pid=$(value out worker_pid)
[ "$pid" -gt 0 ] || die "no pid: $(cat "$folder/out")"
gone "$pid"
run 0 "$nnctl" list --json
[ "$(value out isolation)" = none ] || die "not in process: $(cat "$folder/out")"
run 0 "$nnctl" info --device worker:cpu
printed out '^name +nnaccel-cpu$'
printed out '^process +worker process [0-9]+, 0 restarts$'
printed out '^sandbox +.*limits'
printed out '^instructions +[a-z0-9]+, usable: scalar'
run 0 "$nnctl" info --device worker:cpu:threads=2 --json
[ "$(value out isolation)" = worker ] || die "not a worker: $(cat "$folder/out")"
run 0 "$nnctl" run "$model" --input "$input" --device worker:cpu
cp "$folder/out" "$folder/worker"
run 0 "$nnctl" run "$model" --input "$input" --device cpu
diff <(grep -v prepared "$folder/worker") <(grep -v prepared "$folder/out") >&2 || die "other results in a worker"
run 0 "$nnctl" bench "$model" --device worker:cpu --runs 3
run 0 "$nnctl" ops --device worker:cpu --op ADD
printed out '^worker:cpu: nnaccel-cpu'
run 0 "$nnctl" models-check "$models" --device worker:cpu
run 1 "$nnctl" calibrate --device worker:cpu
printed err 'calibrate the device itself'
run 2 "$nnctl" trace clock-sync --device worker:cpu
printed err 'name its node'
run 1 "$nnctl" info --device worker:nothing
printed err 'no device "nothing"'
run 1 env NNACCEL_IPC=/nonexistent/libnnipc.so.1 "$nnctl" list --device worker
printed err '/nonexistent/libnnipc.so.1.*Install it, or set NNACCEL_IPC'

doctor
printed out '^ok +cpu: nnaccel-cpu, reached in the process'
printed out '^ok +worker:cpu: nnaccel-cpu, reached in worker process [0-9]+$'
printed out '^(ok +its sandbox has every layer|note +its sandbox has these layers): .*no-new-privs'
printed out '^note +nnaccel-hald does not listen on .*/none.sock'
printed out 'systemctl enable --now nnaccel-hald.socket'
doctor NNACCEL_IPC=/nonexistent/libnnipc.so.1
printed out '^note +devices cannot run in a worker process: .*/nonexistent/libnnipc.so.1'

"$hald" --listen "$socket" 2>"$folder/hald" &
service=$!
trap 'kill "$service" 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in {1..1200}; do
	[ ! -S "$socket" ] || break
	sleep 0.1
done
export NNACCEL_SERVICE=$socket
run 0 "$nnctl" list
printed out '^cpu .*\(in process\)'
printed out '^service:cpu .*\(service process [0-9]+, 0 restarts\)$'
run 0 "$nnctl" list --device service --json
[ "$(value out isolation)" = service ] || die "not behind the service: $(cat "$folder/out")"
pid=$(value out worker_pid)
gone "$pid"
run 0 "$nnctl" run "$model" --input "$input" --device "service=$socket:cpu"
diff <(grep -v prepared "$folder/worker") <(grep -v prepared "$folder/out") >&2 || die "other results behind the service"
run 0 env NNAPI_ISOLATION=service "$nnctl" run "$model" --input "$input" --devices nnaccel-cpu
doctor
printed out '^ok +service:cpu: nnaccel-cpu, reached through the service'
kill "$service"
gone "$service"
run 1 "$nnctl" list --device "service=$socket"
printed err "$socket"
