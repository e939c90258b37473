#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# errors.sh NNCTL MODELS: commands that fail report the error and free everything (sanitizer builds find leaks).
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

# What was on the stack when main() returned keeps nothing alive.
export LSAN_OPTIONS=use_stacks=0

head -c 1000 "$model" >"$folder/cut.tflite"
: >"$folder/empty.tflite"
for file in "$folder/cut.tflite" "$folder/empty.tflite" "$folder/none.tflite"; do
	run 1 "$nnctl" explain "$file"
	run 1 "$nnctl" bench "$file" --device cpu
	run 1 "$nnctl" run "$file" --input /dev/null --device cpu
	printed err "${file##*/}"
done
run 1 "$nnctl" explain "$model" --devices nosuch
run 1 "$nnctl" run "$model" --input "$models/pictures/star.png" --device accel77
printed err 'accel77'
