#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh: what "make run" does. Installs, builds, boots Debian's packaged kernel with the emulated card, loads
# the driver and classifies the pictures of models/ on the card and on the in-process device.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT"

models=(shapes_int8 shapes_fp32)
out=$NN_BUILD/vm/demo
here=$NN_BUILD/demo
nnctl=$NN_BUILD/tools/nnctl/nnctl

scripts/prepare-vm.sh
release=$(scripts/kernel.sh release)
nn_say "in-process device: classifying the pictures here, without a kernel module"
rm -rf "$here"
mkdir -p "$here"
for model in "${models[@]}"; do
	for picture in models/pictures/*.png; do
		# Repeated, so that the times shown are those of a loaded program.
		"$nnctl" run "models/$model/model.tflite" --input "$picture" --device cpu --top 2 --repeat 5 \
			--labels "models/$model/labels.txt" --json >"$here/$model.$(basename "$picture" .png).json"
	done
done

nn_say "card: booting Debian's $release in QEMU ($(tests/vm/accel.sh)) with the emulated card"
rc=0
tests/vm/vm.sh --out "$out" --timeout 300 --stream -- bash tests/vm/demo.sh "${models[@]}" || rc=$?
if [ "$rc" -ne 0 ]; then
	nn_say "the demo failed ($rc); see $out/output.log, dmesg.txt, serial.log and slot0.log"
	exit "$rc"
fi
nn_say "done; kernel log free of warnings. The table: top classes and scores, times in ms"
scripts/demo-table.py "$here" "$out/results"
