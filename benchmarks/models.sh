#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# models.sh DIR [DEVICE]: latency of every model of a folder, one thread. A table: median, p95 and p99 in ms,
# the device's share, bytes copied per run. Models that the device refuses are named and left out.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:?usage: models.sh DIR [DEVICE]}
device=${2:-cpu}
nnctl=${NNACCEL_BUILD:-build}/tools/nnctl/nnctl
export NNACCEL_THREADS=1

printf '%-36s %10s %10s %10s %8s %12s\n' "model on $device" "median ms" "p95 ms" "p99 ms" "device" "bytes copied"
for model in "$dir"/*/model.tflite; do
	name=$(basename "$(dirname "$model")")
	if ! json=$("$nnctl" bench "$model" --device "$device" --json 2>&1); then
		printf '%-36s %s\n' "$name" "$json"
		continue
	fi
	python3 -c '
import json, sys
j = json.loads(sys.argv[2])
print("%-36s %10.3f %10.3f %10.3f %7.1f%% %12d" % (sys.argv[1], j["median_ms"], j["p95_ms"], j["p99_ms"],
      100 * j["device_ms"] / (j["device_ms"] + j["driver_ms"] + j["host_ms"]), j["bytes_copied"]))' "$name" "$json"
done
