#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# doors.sh [FOLDER...]: the delegate in Debian's TensorFlow Lite: its headers have our layouts, and the models of the folders
# (*/model.tflite; default: models, ../shared/models) give what is stored there, and what TensorFlow Lite's builtin kernels give,
# within the bounds of each folder (tests/delegate/tflite_host.c). Prints a line per model, and last "N passed, N failed".
# "skipped REASON": there is no system of peers (peers-root.sh), and none can be made.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=scripts/peers.sh
. "$(dirname "$0")/../peers.sh"

rc=0
root=$("$NN_ROOT/scripts/peers-root.sh") || rc=$?
if [ "$rc" -ne 0 ]; then
	echo "skipped there is no TensorFlow Lite: scripts/peers-root.sh cannot make its system"
	exit 0
fi
[ $# -gt 0 ] || set -- "$NN_ROOT/models" "$NN_ROOT/../shared/models"
passed=0 failed=0
result()
{
	if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# The headers are plain C, and the compiler of this system is enough, without the other headers of that one.
mkdir -p "$NN_BUILD/doors"
ln -sfn "$root/usr/include/tensorflow" "$NN_BUILD/doors/tensorflow"
rc=0
gcc -std=gnu11 -fsyntax-only -I"$NN_BUILD/doors" -I"$NN_ROOT/lib/libnnaccel_tflite" \
	"$NN_ROOT/tests/delegate/tflite_layouts.c" || rc=$?
result "$rc"
echo "layouts of TensorFlow Lite's headers: $([ "$rc" -eq 0 ] && echo "as ours" || echo "FAILED")"

nn_logged ninja-doors ninja -C "$NN_BUILD" tests/delegate/tflite_host lib/libnnaccel_tflite/libnnaccel_tflite.so
host=()
eval "host=($(peers_command "$root" "$NN_BUILD/tests/delegate/tflite_host"))"
tflite=$(compgen -G "$root/usr/lib/*-linux-gnu/libtensorflow-lite.so.*" | head -n 1)
export NNACCEL_CALIBRATION=off NNAPI_CONFIG=/dev/null NNACCEL_FIRMWARE=$NN_BUILD/firmware/core/libnnaccel-fw.so
for folder; do
	for model in "$folder"/*/; do
		[ -f "$model/model.tflite" ] || continue
		rc=0
		line=$("${host[@]}" "$tflite" "$NN_BUILD/lib/libnnaccel_tflite/libnnaccel_tflite.so" "$model" log=nodes \
			2>"$NN_LOGS/doors.log") || rc=$?
		result "$rc"
		printf '%-33s %s%s\n' "$(basename "$model")" "${line:-no result}" "$([ "$rc" -eq 0 ] || echo " FAILED")"
		[ "$rc" -eq 0 ] || grep -v "^INFO" "$NN_LOGS/doors.log" >&2
	done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
