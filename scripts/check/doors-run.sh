#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# doors-run.sh DEVICE ROOT FOLDER...: the models of the folders on one device of the runtime ("nnaccel-cpu", "nnaccel-card0")
# through each door of the installation that doors.sh has made. ROOT: the system of peers; "none": without the doors that need it.
# Prints a line "DOOR: MODEL RESULT" each, and last "N passed, N failed". Also runs in the guest.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=scripts/peers.sh
. "$(dirname "$0")/../peers.sh"

device=$1 root=$2
shift 2
passed=0 failed=0
libs=$NN_BUILD/doors/stage/usr/local/lib
files=$(mktemp -d)
log=$files/log
export NNACCEL_CALIBRATION=off NNAPI_CONFIG=/dev/null NNAPI_HAL_DIR=$libs/nnhal
trap 'rm -rf "$files"' EXIT

# line DOOR TEXT RC
line()
{
	if [ "$3" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
	printf '%s: %s%s\n' "$1" "$2" "$([ "$3" -eq 0 ] || echo " FAILED")"
	[ "$3" -eq 0 ] || grep -v '^INFO\|^Schema error\|^$' "$log" >&2 || :
}

# lines DOOR <OUTPUT: of a program that prints a line per model, and its sum
lines()
{
	local all p f

	all=$(cat)
	[ "$(wc -l <<<"$all")" -le 1 ] || sed "\$d; s/^/$1: /" <<<"$all"
	read -r p _ f _ <<<"$(tail -n 1 <<<"$all" | tr -d ,)"
	if [[ $p =~ ^[0-9]+$ && $f =~ ^[0-9]+$ ]]; then
		passed=$((passed + p)) failed=$((failed + f))
		[ "$f" -eq 0 ] || grep -v '^INFO\|^Schema error\|^$' "$log" >&2 || :
	else
		line "$1" "no result" 1
	fi
}

# The example takes the devices that the runtime chooses.
rc=0
NNAPI_DEVICES=$device LD_LIBRARY_PATH=$libs "$NN_BUILD/doors/run_file" "$NN_ROOT/models/shapes_int8/model.tflite" \
	"$NN_ROOT/models/shapes_int8/in0_0.bin" 2>"$log" | cmp - "$NN_ROOT/models/shapes_int8/out0_0.bin" >>"$log" 2>&1 || rc=$?
line C "an example against the installation gives the stored output" "$rc"

package()
{
	env -u PYTHONHOME PYTHONPATH="$(compgen -G "$libs/python3*/*-packages")" LD_LIBRARY_PATH="$libs" \
		/usr/bin/python3 -B "$NN_ROOT/tests/python/$1" "$device" "${@:2}" >"$files/python" 2>"$log" || :
	lines Python <"$files/python"
}
package door_models.py "$@"
[ "$root" != none ] || { echo "$passed passed, $failed failed" && exit "$((failed > 0))"; }

host=()
eval "host=($(peers_command "$root" "$NN_BUILD/tests/delegate/tflite_host" "$libs"))"
tflite=$(compgen -G "$root/usr/lib/*-linux-gnu/libtensorflow-lite.so.*" | head -n 1)
for folder; do
	for model in "$folder"/*/; do
		[ -f "$model/model.tflite" ] || continue
		rc=0
		text=$("${host[@]}" "$tflite" "$libs/libnnaccel_tflite.so" "$model" log=nodes device="$device" 2>"$log") || rc=$?
		line delegate "$(printf '%-33s %s' "$(basename "$model")" "${text:-no result}")" "$rc"
	done
done

python=()
eval "python=($(peers_command "$root" "$(readlink -f "$root/usr/bin/python3")" "$libs"))"
export PYTHONHOME=$root/usr PYTHONPATH=$root/usr/lib/python3/dist-packages
"${python[@]}" -B "$NN_ROOT/tests/delegate/door_delegate.py" "$tflite" "$libs/libnnaccel_tflite.so" "$device" "$files" \
	"$PYTHONPATH"/pymicro_wakeword/models/*.tflite >"$files/delegate" 2>"$log" || :
lines delegate <"$files/delegate"
package door_streams.py "$files/streams.json"
"${python[@]}" -B "$NN_ROOT/tests/onnxruntime/door_onnxruntime.py" "$libs/libnnaccel_onnxruntime.so" "$files" "$device" \
	>"$files/provider" 2>"$log" || :
lines provider <"$files/provider"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
