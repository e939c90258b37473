#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nnctl_sensors.sh NNCTL MODELS SENSORD: nnctl sensors on a real service with virtual sensors.
set -euo pipefail
# shellcheck source=tests/sensors/lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$folder/sensors.conf" <<'END'
[sensor]
name = ramp
type = accelerometer
rates = 50 100 200
range = 100
resolution = 0.001
generator = sine
values = 1 2 3
amplitude = 4
frequency = 1.5
noise = 0.5

[sensor]
name = lamp
type = light
periods = 10000 1000000
range = 10000
resolution = 1
generator = steps
frequency = 20
values = 100 120 90

[sensor]
name = counter
type = step_counter
periods = 10000 1000000
resolution = 1
generator = steps
frequency = 10

[sensor]
name = lamp
type = proximity
range = 5
resolution = 1
generator = constant
values = 5

[sensor]
name = goes
type = pressure
rates = 100
resolution = 0.01
generator = constant
values = 1013.25
unplug-after = 0.3
END

# no service, bad usage
run 1 "$nnctl" sensors list
printed err 'is nnaccel-sensord running'
run 1 "$nnctl" sensors watch accelerometer --socket "$folder/none"
run 2 "$nnctl" sensors
run 2 "$nnctl" sensors sing
printed err 'one of list, watch, record and top'
run 2 "$nnctl" sensors watch
run 2 "$nnctl" sensors record "$folder/none"
run 2 "$nnctl" sensors list accelerometer
run 2 "$nnctl" sensors list --rate 5
run 2 "$nnctl" sensors watch accelerometer --rate 0
run 2 "$nnctl" sensors watch accelerometer --seconds
run 2 "$nnctl" sensors top --depth 3
[ ! -e "$folder/none" ] || die "a refused recording made a file"

service "$folder/sensors.conf"

# list
run 0 "$nnctl" sensors list
printed out '^HANDLE +NAME +TYPE +UNIT +MODE +RATES +DIRECT +PERMISSION$'
printed out '^ +[0-9]+ +ramp +accelerometer +m/s\^2 +continuous +50-200 Hz +fast \(memfd, dma-buf\) +-$'
printed out '^ +[0-9]+ +lamp +light +lux +on-change +1-100 Hz +- +-$'
printed out '^ +[0-9]+ +lamp +proximity +cm +on-change wake-up '
[ "$(grep -c . "$folder/out")" = 6 ] || die "not one line for each of five sensors: $(cat "$folder/out")"
run 0 "$nnctl" sensors list --json
[ "$(json type_string)" = android.sensor.accelerometer ] || die "$(cat "$folder/out")"
[ "$(json min_delay_us)" = 5000 ] || die "$(cat "$folder/out")"

# who is meant
run 1 "$nnctl" sensors watch thermometer
printed err 'thermometer: no sensor of this handle, name or type'
run 1 "$nnctl" sensors watch lamp
printed err 'lamp: sensors [0-9]+ and [0-9]+ have this name'
run 1 "$nnctl" sensors watch 4711
printed err '4711: no sensor'

# watch: the rate, by the stamps, is in the window of the requested one; a line for each event. How many come in a second
# depends on what else the machine does.
run 0 "$nnctl" sensors watch accelerometer --rate 100 --seconds 3 --json
between "$(json rate_hz)" 90 220 "rate of the accelerometer"
between "$(json events)" 2 1e9 "events of the accelerometer"
[ "$(json lost)" = 0 ] || die "events were lost: $(cat "$folder/out")"
[ "$(json delay_p50_ms)" != None ] || die "no delay: $(cat "$folder/out")"
run 0 "$nnctl" sensors watch accelerometer --rate 50 --seconds 1
printed out '^[0-9]+\.[0-9]{9}  ramp  -?[0-9.]+ -?[0-9.]+ -?[0-9.]+ m/s\^2$'
printed out '^HANDLE +NAME +RATE Hz +JITTER ms +p99 +DELAY ms +p99 +EVENTS +LOST +VALUES$'
printed out '^ +[0-9]+ +ramp +[0-9.]+ +[0-9.]+ +[0-9.]+ '
run 0 "$nnctl" sensors watch light --rate 100 --seconds 1 --json
[ "$(json rate_hz)" = None ] || die "an on-change sensor has a rate: $(cat "$folder/out")"
between "$(json events)" 1 1e9 "changes of the light"
run 0 "$nnctl" sensors watch counter --seconds 1
printed out '  counter  [0-9]+ steps$'

# SIGINT ends a view with its figures
"$nnctl" sensors watch accelerometer >"$folder/out" &
watcher=$!
for _ in {1..600}; do
	grep -q ramp "$folder/out" && break
	sleep 0.1
done
kill -INT "$watcher"
wait "$watcher" || die "ended by SIGINT: exit status $?"
printed out '^HANDLE +NAME'

# unplugged: reported, with an exit status of its own
run 1 "$nnctl" sensors watch pressure
printed err '1 of the sensors were unplugged'
printed out '\(unplugged\)'

# record, then play: the same values, in the same order, at the same distances
run 0 "$nnctl" sensors record "$folder/first.txt" accelerometer light --rate 100 --seconds 2
printed out 'first.txt: [0-9]+ events of 2 sensors, 0 lost$'
run 1 "$nnctl" sensors record "$folder/twice.txt" accelerometer ramp --seconds 1
printed err 'is named twice'
run 1 "$nnctl" sensors record "$folder/no/such.txt" accelerometer
run 1 "$nnctl" sensors record /dev/full accelerometer --seconds 2
printed err '/dev/full: No space left on device'

# top: who, and how much
"$nnctl" sensors watch accelerometer gyroscope 2>/dev/null >/dev/null && die "there is no gyroscope"
"$nnctl" sensors watch accelerometer --rate 100 >/dev/null &
watcher=$!
for _ in {1..600}; do
	run 0 "$nnctl" sensors top --seconds 0.5
	grep -qE "^ +$watcher nnctl +[^ ]+ +1 +0 +1 +[1-9][0-9.]* +0$" "$folder/out" && break
	sleep 0.1
done
printed out "^ +$watcher nnctl +[^ ]+ +1 +0 +1 +[1-9][0-9.]* +0$"
run 0 "$nnctl" sensors top --json --seconds 1
[ "$(json pid)" = "$watcher" ] || die "not the busiest first: $(cat "$folder/out")"
between "$(json events_per_second)" 1 1e9 "events per second"
[ "$(json program)" = nnctl ] || die "$(cat "$folder/out")"

# the service ends: the watcher gets a notice, and fails
service_stop
rc=0
wait "$watcher" || rc=$?
[ "$rc" = 1 ] || die "the watcher ended with $rc when the service did"

printf '[recording]\nfile = first.txt\n' >"$folder/played.conf"
service "$folder/played.conf"
run 0 "$nnctl" sensors list
printed out ' ramp +accelerometer +m/s\^2 +continuous '
printed out ' lamp +light +lux +on-change '
run 0 "$nnctl" sensors record "$folder/second.txt" accelerometer --rate 100 --seconds 1.5
python3 - "$folder/first.txt" "$folder/second.txt" <<'END' || die "what was played is not what was recorded"
import sys

def events(path):
    """Stamps and values of the sensor named ramp."""
    lines = [line.rstrip("\n").split(",") for line in open(path)]
    handle = [line[1] for line in lines if line[0] == "name" and line[2] == "ramp"][0]
    mine = [line for line in lines if line[0] == "event" and line[1] == handle]
    return [int(line[2]) for line in mine], [line[3:] for line in mine]

(was, values), (now, again) = events(sys.argv[1]), events(sys.argv[2])
# a part of the recording, perhaps over its end
played = len(again)
assert played > 10, f"{played} events"
twice = values + values
start = next((i for i in range(len(values)) if twice[i:i + played] == again), None)
assert start is not None, "other values"
for i in range(1, played):
    if start + i < len(was):
        want, got = was[start + i] - was[start + i - 1], now[i] - now[i - 1]
        assert abs(want - got) <= 1000, f"event {i}: {got} ns after the one before, recorded {want}"
END
service_stop
