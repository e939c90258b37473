#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# doors.sh [FOLDER...]: an installation as users have it, and the models of the folders (*/model.tflite; default: models,
# ../shared/models) through each door, on the in-process device here, and on the card in a VM:
#
#   C          examples/run_file.c, compiled against the installed header and library
#   Python     the installed package, both of its interfaces (tests/python/door_models.py), within the bounds of each folder
#   delegate   in Debian's TensorFlow Lite: its headers have our layouts, and the models give what is stored, and what TensorFlow
#              Lite's builtin kernels give, within the bounds (tests/delegate/tflite_host.c); the cases of tests/import and of
#              ../shared/cases, and the models of pymicro-wakeword, as its builtin kernels compute them (door_delegate.py)
#   provider   in Debian's ONNX Runtime: its headers have our tables, and models of our own give what its CPU provider gives
#              (tests/onnxruntime/door_onnxruntime.py)
#
# Prints a line per model, door and device, and last "N passed, N failed". "NOT TESTED REASON" before it: there is no system of
# peers (peers-root.sh), and none can be made.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/../lib.sh"

if [ $# -eq 0 ]; then
	set -- "$NN_ROOT/models"
	[ ! -d "$NN_ROOT/../shared/models" ] || set -- "$@" "$NN_ROOT/../shared/models"
fi
passed=0 failed=0
doors=$NN_BUILD/doors
result()
{
	if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# counts ROUTE FILE: what doors-run.sh has printed
counts()
{
	local p f

	sed "\$d; s/^/$1, /" "$2"
	read -r p _ f _ <<<"$(tail -n 1 "$2" | tr -d ,)"
	if [[ $p =~ ^[0-9]+$ && $f =~ ^[0-9]+$ ]]; then
		passed=$((passed + p)) failed=$((failed + f))
	else
		echo "$1: no result FAILED"
		failed=$((failed + 1))
	fi
}

# layouts TEXT INCLUDE FILE: plain C, so the compiler of this system is enough, without the other headers of that one
layouts()
{
	local rc=0

	gcc -std=gnu11 -fsyntax-only -I"$2" -I"$(dirname "$NN_ROOT/$3")" -I"$NN_ROOT/lib/libnnaccel_tflite" \
		-I"$NN_ROOT/lib/libnnaccel_onnxruntime" "$NN_ROOT/$3" || rc=$?
	result "$rc"
	echo "$1: $([ "$rc" -eq 0 ] && echo "as ours" || echo "FAILED")"
}

rm -rf "$doors"
mkdir -p "$doors"
nn_logged doors-install env DESTDIR="$doors/stage" PREFIX=/usr/local "$NN_ROOT/scripts/install.sh" install
libs=$doors/stage/usr/local/lib
gcc -o "$doors/run_file" "$NN_ROOT/examples/run_file.c" -I"$doors/stage/usr/local/include" -L"$libs" \
	-Wl,-rpath-link,"$libs" -lnnaccel_model -lneuralnetworks || rm -f "$doors/run_file"
nn_logged ninja-doors ninja -C "$NN_BUILD" tests/delegate/tflite_host

rc=0
root=$("$NN_ROOT/scripts/peers-root.sh") || rc=$?
if [ "$rc" -ne 0 ]; then
	echo "NOT TESTED, delegate and provider: scripts/peers-root.sh cannot make a system with TensorFlow Lite and ONNX Runtime"
	root=none
else
	ln -sfn "$root/usr/include/tensorflow" "$doors/tensorflow"
	layouts "layouts of TensorFlow Lite's headers" "$doors" tests/delegate/tflite_layouts.c
	layouts "tables of ONNX Runtime's headers" "$root/usr/include/onnxruntime" tests/onnxruntime/ort_layouts.c
fi

"$NN_ROOT/scripts/check/doors-run.sh" nnaccel-cpu "$root" "$@" >"$doors/cpu.txt" || :
counts cpu "$doors/cpu.txt"

"$NN_ROOT/tests/vm/vm.sh" --out "$NN_BUILD/vm/doors" --mem 2G --timeout 1800 -- bash tests/vm/doors.sh "$root" "$@" >/dev/null || :
grep -v '^#' "$NN_BUILD/vm/doors/output.log" >"$doors/card.txt" || :
counts card "$doors/card.txt"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
