#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# top.sh NNCTL MODELS: what "nnctl top", "nnctl metrics" and "nnctl cdi" print, on a copy of the parts of /proc and /sys that
# they read. test_usage.c has the rates; here nothing moves, so each is 0.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

root=$folder/root
device=$root/sys/devices/0000:00:05.0
mkdir -p "$device/nnaccel" "$device/hwmon/hwmon3" "$root/sys/class/accel/accel0" "$root/proc/321/fd" "$root/proc/321/fdinfo"
ln -s ../../bus/pci/drivers/nnaccel "$device/driver"
ln -s ../../../devices/0000:00:05.0 "$root/sys/class/accel/accel0/device"
echo 2500000 >"$device/nnaccel/busy_time_us"
echo 4 >"$device/nnaccel/engines"
echo 3145728 >"$device/nnaccel/memory_bytes"
echo online >"$device/nnaccel/state"
echo 800 >"$device/npu_current_frequency_mhz"
echo 41250 >"$device/hwmon/hwmon3/temp1_input"
echo 1250000 >"$device/hwmon/hwmon3/power1_input"
echo 'say "hi", you' >"$root/proc/321/comm"
ln -s /dev/accel/accel0 "$root/proc/321/fd/5"
printf '%s\n' 'drm-driver:	nnaccel' 'drm-client-id:	7' 'drm-pdev:	0000:00:05.0' 'drm-engine-nn:	1500000000 ns' \
	'drm-engine-capacity-nn:	4' 'nnaccel-charged:	1536 KiB' 'nnaccel-queues:	2' 'nnaccel-jobs:	0' \
	'nnaccel-jobs-submitted:	12' 'nnaccel-jobs-completed:	11' 'nnaccel-jobs-failed:	1' 'nnaccel-jobs-innocent:	0' \
	'nnaccel-refused:	0' >"$root/proc/321/fdinfo/5"
user=$(stat -c %U "$root/proc/321")
top=("$nnctl" top --root "$root" --interval 0.05)

# Not on a terminal: one table, without names of columns and colour.
run 0 "${top[@]}"
cp "$folder/out" "$folder/plain"
printed out '^accel0 +online +0\.0 +3\.0 +4 +1  0000:00:05\.0$'
printed out "^ +321 say \"hi\", you +$user +accel0 +0\\.0 +0\\.0 +1\\.5 +2 +1\$"
[ "$(wc -l <"$folder/out")" -eq 2 ] || die "more than two lines: $(cat "$folder/out")"
run 0 "${top[@]}" --once
cmp "$folder/plain" "$folder/out" || die "--once differs where there is no terminal"

run 0 "${top[@]}" --once --csv
python3 - "$folder/out" "$user" <<'PYTHON'
import csv, sys
card, client = csv.DictReader(open(sys.argv[1]))
assert None not in card and None not in client and None not in card.values() and None not in client.values(), (card, client)
assert float(card["time"]) == float(client["time"]) > 0
assert (card["device"], card["state"], card["busy_percent"], card["memory_bytes"], card["engines"]) \
    == ("accel0", "online", "0.00", "3145728", "4"), card
assert card["pid"] == card["program"] == card["failed"] == "", card
assert (client["device"], client["pid"], client["program"], client["user"], client["client"]) \
    == ("accel0", "321", 'say "hi", you', sys.argv[2], "7"), client
assert (client["busy_percent"], client["jobs_per_second"], client["memory_bytes"]) == ("0.00", "0.00", "1572864"), client
assert (client["queues"], client["completed"], client["failed"]) == ("2", "11", "1"), client
PYTHON

run 0 "${top[@]}" --json
python3 - "$folder/out" "$user" <<'PYTHON'
import json, sys
j = json.load(open(sys.argv[1]))
assert j["devices"] == [{"device": "accel0", "bus": "0000:00:05.0", "state": "online", "busy_percent": 0, "busy_time_us": 2500000,
                         "memory_bytes": 3145728, "engines": 4, "clients": 1}], j
assert j["clients"] == [{"pid": 321, "program": 'say "hi", you', "user": sys.argv[2], "device": "accel0", "client": 7,
                         "busy_percent": 0, "jobs_per_second": 0, "busy_ns": 1500000000, "memory_bytes": 1572864, "queues": 2,
                         "jobs": 0, "jobs_submitted": 12, "jobs_completed": 11, "jobs_failed": 1, "jobs_innocent": 0,
                         "refused": 0}], j
PYTHON

# The same for Prometheus: each sample after the type of its metric, labels with quotes in them.
run 0 "$nnctl" metrics --root "$root"
python3 - "$folder/out" "$user" <<'PYTHON'
import re, sys
types, helped, samples = {}, set(), {}
for line in open(sys.argv[1]):
    if m := re.fullmatch(r"# HELP ([a-z_]+) \S.*\n", line):
        helped.add(m[1])
    elif m := re.fullmatch(r"# TYPE ([a-z_]+) (counter|gauge)\n", line):
        types[m[1]] = m[2]
    else:
        m = re.fullmatch(r'([a-z_]+)\{((?:[a-z]+="(?:[^"\\]|\\["\\])*",?)+)\} ([0-9.e+-]+)\n', line)
        assert m and m[1] in types and m[1] in helped, line
        assert m[1].endswith("_total") == (types[m[1]] == "counter"), line
        samples[m[1]] = dict(re.findall(r'([a-z]+)="((?:[^"\\]|\\.)*)"', m[2])), float(m[3])
card = {"device": "accel0", "bus": "0000:00:05.0"}
client = {"device": "accel0", "client": "7", "pid": "321", "program": r'say \"hi\", you', "user": sys.argv[2]}
assert samples == {
    "nnaccel_state": (dict(card, state="online"), 1), "nnaccel_engines": (card, 4),
    "nnaccel_busy_seconds_total": (card, 2.5), "nnaccel_memory_bytes": (card, 3145728), "nnaccel_clock_hertz": (card, 8e8),
    "nnaccel_temperature_celsius": (card, 41.25), "nnaccel_power_watts": (card, 1.25),
    "nnaccel_client_busy_seconds_total": (client, 1.5), "nnaccel_client_memory_bytes": (client, 1572864),
    "nnaccel_client_queues": (client, 2), "nnaccel_client_jobs": (client, 0), "nnaccel_client_jobs_submitted_total": (client, 12),
    "nnaccel_client_jobs_completed_total": (client, 11), "nnaccel_client_jobs_failed_total": (client, 1),
    "nnaccel_client_jobs_innocent_total": (client, 0), "nnaccel_client_refused_total": (client, 0)}, samples
PYTHON
rm "$device/nnaccel/memory_bytes" "$device/hwmon/hwmon3/temp1_input"
run 0 "$nnctl" metrics --root "$root"
! grep -qE '^nnaccel_(memory_bytes|temperature_celsius)' "$folder/out" || die "a metric that is not known"
echo 3145728 >"$device/nnaccel/memory_bytes"

# On a terminal it goes on, with names of columns in bold, until the key q; then the terminal is as before.
python3 - "${top[@]}" <<'PYTHON'
import os, pty, subprocess, sys, termios
control, terminal = pty.openpty()
before = termios.tcgetattr(terminal)
def own_terminal():
    os.setsid()
    import fcntl
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
process = subprocess.Popen(sys.argv[1:], stdin=terminal, stdout=terminal, stderr=terminal, preexec_fn=own_terminal)
text = b""
while text.count(b"\x1b[1mDEVICE") < 3:
    text += os.read(control, 4096)
os.write(control, b"xq")
# its last drawing may not fit into the terminal
while process.poll() is None:
    import select
    if select.select([control], [], [], 0.05)[0]:
        os.read(control, 4096)
assert process.returncode == 0, process.returncode
assert b"\x1b[1m     PID PROGRAM" in text and b'say "hi", you' in text, text
assert termios.tcgetattr(terminal) == before, "the terminal is not as before"
PYTHON

# CSV goes on elsewhere, too, until a signal ends it.
: >"$folder/csv"
"${top[@]}" --csv >>"$folder/csv" &
process=$!
while [ "$(wc -l <"$folder/csv")" -lt 7 ] && kill -0 "$process" 2>/dev/null; do
	sleep 0.1 # clock: polls until the lines are there
done
kill "$process"
wait "$process" || die "a signal made it fail"
[ "$(grep -c '^time,' "$folder/csv")" -eq 1 ] || die "more than one line of names: $(cat "$folder/csv")"
[ "$(grep -c 'accel0,online,' "$folder/csv")" -ge 3 ] || die "it did not go on: $(cat "$folder/csv")"

# cdi: the same card, and the service
run 0 env NNACCEL_SERVICE=/run/here/hald.sock "$nnctl" cdi --root "$root"
python3 - "$folder/out" <<'PYTHON'
import json, sys
spec = json.load(open(sys.argv[1]))
assert spec["cdiVersion"] == "0.3.0" and spec["kind"] == "nnaccel.org/npu", spec
devices = {device["name"]: device["containerEdits"] for device in spec["devices"]}
nodes = {"deviceNodes": [{"path": "/dev/accel/accel0"}]}
assert list(devices) == ["accel0", "all", "service"] and devices["accel0"] == devices["all"] == nodes, devices
assert devices["service"] == {
    "mounts": [{"hostPath": "/run/here/hald.sock", "containerPath": "/run/here/hald.sock", "options": ["bind", "rw"]}],
    "env": ["NNAPI_ISOLATION=service", "NNACCEL_SERVICE=/run/here/hald.sock"]}, devices
PYTHON
run 0 "$nnctl" cdi --root "$folder"
printed out '"name":[[:space:]]*"service"'
! grep -q deviceNodes "$folder/out" || die "nodes without a card: $(cat "$folder/out")"

# No card.
rm -r "$root/sys" "$root/proc/321"
run 1 "${top[@]}" --once
printed err 'no card of the driver nnaccel; nnctl doctor'
run 1 "$nnctl" top --once --interval 0.05 --root "$folder/nothing"
printed err "$folder/nothing/proc"
run 2 "$nnctl" top --csv --json
run 2 "$nnctl" top --interval 0
run 2 "$nnctl" top --interval x
run 2 "$nnctl" top something
run 0 "$nnctl" metrics --root "$root"
! grep -qv '^#' "$folder/out" || die "metrics of nothing: $(cat "$folder/out")"
run 1 "$nnctl" metrics --root "$folder/nothing"
