#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# doors.sh [FOLDER...]: an installation as users have it, and the models of the folders (*/model.tflite; default: models,
# ../shared/models) through each door:
#
#   C          examples/run_file.c, compiled against the installed header and library
#   Python     the installed package, both of its interfaces (tests/python/door_models.py), within the bounds of each folder
#   delegate   in Debian's TensorFlow Lite: its headers have our layouts, and the models give what is stored, and what TensorFlow
#              Lite's builtin kernels give, within the bounds (tests/delegate/tflite_host.c)
#   provider   in Debian's ONNX Runtime: its headers have our tables, and models of our own give what its CPU provider gives
#              (tests/onnxruntime/door_onnxruntime.py)
#
# Prints a line per model and door, and last "N passed, N failed". "NOT TESTED REASON" before it: there is no system of peers
# (peers-root.sh), and none can be made.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=scripts/peers.sh
. "$(dirname "$0")/../peers.sh"

if [ $# -eq 0 ]; then
	set -- "$NN_ROOT/models"
	[ ! -d "$NN_ROOT/../shared/models" ] || set -- "$@" "$NN_ROOT/../shared/models"
fi
passed=0 failed=0
doors=$NN_BUILD/doors stage=$NN_BUILD/doors/stage
export NNACCEL_CALIBRATION=off NNAPI_CONFIG=/dev/null
result()
{
	if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# counts DOOR LINES: those of a program that prints a line per model, and its sum
counts()
{
	local p f

	sed "\$d; s/^/$1: /" <<<"$2"
	read -r p _ f _ <<<"$(tail -n 1 <<<"$2" | tr -d ,)"
	if [[ $p =~ ^[0-9]+$ && $f =~ ^[0-9]+$ ]]; then
		passed=$((passed + p)) failed=$((failed + f))
	else
		echo "$1: no result FAILED"
		failed=$((failed + 1))
	fi
}

rm -rf "$doors"
mkdir -p "$doors"
nn_logged doors-install env DESTDIR="$stage" PREFIX=/usr/local "$NN_ROOT/scripts/install.sh" install
libs=$stage/usr/local/lib

rc=0
gcc -o "$doors/run_file" "$NN_ROOT/examples/run_file.c" -I"$stage/usr/local/include" -L"$libs" \
	-Wl,-rpath-link,"$libs" -lnnaccel_model -lneuralnetworks &&
	LD_LIBRARY_PATH=$libs "$doors/run_file" "$NN_ROOT/models/shapes_int8/model.tflite" "$NN_ROOT/models/shapes_int8/in0_0.bin" |
	cmp - "$NN_ROOT/models/shapes_int8/out0_0.bin" || rc=$?
result "$rc"
echo "C: an example against the installation: $([ "$rc" -eq 0 ] && echo "the stored output" || echo "FAILED")"

packages=$(compgen -G "$libs/python3*/*-packages")
lines=$(PYTHONPATH=$packages LD_LIBRARY_PATH=$libs /usr/bin/python3 -B "$NN_ROOT/tests/python/door_models.py" nnaccel-cpu "$@") || :
counts Python "$lines"

rc=0
root=$("$NN_ROOT/scripts/peers-root.sh") || rc=$?
if [ "$rc" -ne 0 ]; then
	echo "NOT TESTED, the delegate: scripts/peers-root.sh cannot make a system with TensorFlow Lite"
	echo "$passed passed, $failed failed"
	exit "$((failed > 0))"
fi
# The headers are plain C, and the compiler of this system is enough, without the other headers of that one.
ln -sfn "$root/usr/include/tensorflow" "$doors/tensorflow"
rc=0
gcc -std=gnu11 -fsyntax-only -I"$doors" -I"$NN_ROOT/lib/libnnaccel_tflite" \
	"$NN_ROOT/tests/delegate/tflite_layouts.c" || rc=$?
result "$rc"
echo "layouts of TensorFlow Lite's headers: $([ "$rc" -eq 0 ] && echo "as ours" || echo "FAILED")"

nn_logged ninja-doors ninja -C "$NN_BUILD" tests/delegate/tflite_host lib/libnnaccel_tflite/libnnaccel_tflite.so
host=()
eval "host=($(peers_command "$root" "$NN_BUILD/tests/delegate/tflite_host"))"
tflite=$(compgen -G "$root/usr/lib/*-linux-gnu/libtensorflow-lite.so.*" | head -n 1)
export NNACCEL_FIRMWARE=$NN_BUILD/firmware/core/libnnaccel-fw.so
for folder; do
	for model in "$folder"/*/; do
		[ -f "$model/model.tflite" ] || continue
		rc=0
		line=$("${host[@]}" "$tflite" "$NN_BUILD/lib/libnnaccel_tflite/libnnaccel_tflite.so" "$model" log=nodes \
			2>"$NN_LOGS/doors.log") || rc=$?
		result "$rc"
		printf 'delegate: %-33s %s%s\n' "$(basename "$model")" "${line:-no result}" "$([ "$rc" -eq 0 ] || echo " FAILED")"
		[ "$rc" -eq 0 ] || grep -v "^INFO" "$NN_LOGS/doors.log" >&2
	done
done

rc=0
gcc -std=gnu11 -fsyntax-only -I"$root/usr/include/onnxruntime" -I"$NN_ROOT/lib/libnnaccel_onnxruntime" \
	"$NN_ROOT/tests/onnxruntime/ort_layouts.c" || rc=$?
result "$rc"
echo "tables of ONNX Runtime's headers: $([ "$rc" -eq 0 ] && echo "as ours" || echo "FAILED")"
python=()
eval "python=($(peers_command "$root" "$(readlink -f "$root/usr/bin/python3")" "$libs"))"
lines=$(PYTHONHOME=$root/usr PYTHONPATH=$root/usr/lib/python3/dist-packages NNAPI_HAL_DIR=$libs/nnhal "${python[@]}" -B \
	"$NN_ROOT/tests/onnxruntime/door_onnxruntime.py" "$libs/libnnaccel_onnxruntime.so" "$doors" 2>"$NN_LOGS/doors-provider.log") ||
	grep -v "^INFO\|^Schema error\|^$" "$NN_LOGS/doors-provider.log" >&2 || :
counts provider "$lines"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
