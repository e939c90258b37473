#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# validate.sh NNCTL MODELS: "nnctl validate" runs its models on every device, or on the named ones, and counts.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"
export NNACCEL_SERVICE=$folder/none.sock

# rows DEVICE RESULT: the rows of a device with a result
rows()
{
	awk -v device="$1" -v result="$2" '$1 == device && $4 == result { n++ } END { print n + 0 }' "$folder/out"
}

run 0 "$nnctl" validate --device cpu,worker:cpu
printed out '^DEVICE +NAME +MODEL +RESULT +PREPARE ms +MEDIAN ms$'
for device in cpu worker:cpu; do
	[ "$(rows "$device" PASSED)" -eq 2 ] || die "not two passed on $device: $(cat "$folder/out")"
	printed out "^$device +nnaccel-cpu +int8 +PASSED +[0-9.]+ +[0-9.]+\$"
	printed out "^$device +nnaccel-cpu +float32 +PASSED +[0-9.]+ +[0-9.]+\$"
done
[ "$(tail -n 1 "$folder/out")" = "4 passed, 0 failed" ] || die "another sum: $(cat "$folder/out")"
for isa in $("$nnctl" info --device cpu | sed -n 's/^instructions .*, usable: \([a-z0-9 ]*\).*/\1/p'); do
	NNACCEL_ISA=$isa run 0 "$nnctl" validate --device cpu:threads=2
	printed out '^2 passed, 0 failed$'
done

# Every device that there is: the first row is a card's, where there is one.
run 0 "$nnctl" validate
printed out '^cpu +nnaccel-cpu +int8 +PASSED'
printed out '^[1-9][0-9]* passed, 0 failed$'

# A device that cannot be used has failed, and the others are tried.
run 1 "$nnctl" validate --device accel77,cpu
printed out '^accel77 +- +- +FAILED .*/dev/accel/accel77'
[ "$(tail -n 1 "$folder/out")" = "2 passed, 1 failed" ] || die "another sum: $(cat "$folder/out")"
NNACCEL_FIRMWARE=/nonexistent run 1 "$nnctl" validate --device cpu
printed out '^cpu +- +- +FAILED .*/nonexistent'
run 1 "$nnctl" validate --device "service=$folder/none.sock"
printed out 'FAILED .*none.sock'
run 2 "$nnctl" validate something

run 1 "$nnctl" validate --device cpu,accel77 --json
python3 - "$folder/out" <<'END'
import json, sys
j = json.load(open(sys.argv[1]))
assert (j["passed"], j["failed"]) == (2, 1), j
float32, int8, bad = j["results"]
assert [r["model"] for r in (float32, int8)] == ["float32", "int8"], j
for r in (float32, int8):
    assert r["device"] == "cpu" and r["name"] == "nnaccel-cpu" and r["passed"] and r["message"] == "", r
    assert r["prepare_ns"] > 0 and r["median_ns"] > 0, r
assert bad["device"] == "accel77" and not bad["passed"] and "accel77" in bad["message"], bad
END
