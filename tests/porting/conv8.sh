#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# conv8.sh NNCTL MODELS LIBRARY FIRMWARE: what nnctl shows of the vendor library with one unit, and of a firmware with that unit.
# NNAPI_HAL_DIR is the folder of LIBRARY.
set -euo pipefail

# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/../nnctl/lib.sh"
library=$3 firmware=$4
device=worker=$library:conv8
picture=$models/pictures/star.png
whole=example-conv8,nnapi-reference

run 0 "$nnctl" list --device "worker=$library"
printed out ' example-conv8 +accelerator +online +\(worker process [0-9]+, 0 restarts\)'
printed out 'sandbox: .*seccomp'

# by reasons: which, and for models of its own, too
run 0 "$nnctl" ops --device "$device" --op CONV_2D
printed out 'not F32,F32,F32,F32: input of TENSOR_FLOAT32, .* quantize the model to int8$'
run 1 "$nnctl" validate --device "$device"
printed out 'float32 +FAILED preparation failed: GENERAL_FAILURE: operation 0, CONV_2D: input of TENSOR_FLOAT32'
printed out 'int8 +FAILED .*operation 0, CONV_2D: 4 input channels, the unit takes multiples of 8: pad with zeros to 8$'

# the unit gets what is worth a launch and the transfers; then, as if they were free, all that it takes
run 0 "$nnctl" explain "$model" --devices "$whole"
printed out ' 2  CONV_2D +nnapi-reference .* transfer$'
printed out ' 6  CONV_2D +example-conv8 +1 +0\.2 .* cost$'
printed out '^3 steps, 2 transfers'
export NNAPI_STEP_NS=0 NNAPI_TRANSFER_NS_PER_KIB=0
run 0 "$nnctl" explain "$model" --devices "$whole"
printed out ' 0  CONV_2D +nnapi-reference '
printed out 'not on example-conv8: 3 input channels, the unit takes multiples of 8: pad with zeros to 8'
printed out 'not on example-conv8: the unit computes CONV_2D alone'
[ "$(grep -cE 'CONV_2D +example-conv8 +[0-9]+ +0\.2 .* cost$' "$folder/out")" -eq 4 ] || die "not four convolutions on the unit"

# both devices compute the model, to the bit as the CPU does
run 0 "$nnctl" compare "$model" --devices "cpu,runtime:${whole/,/+}" --input "$picture"
printed out '^output 0 \(.*\): all 10 elements are equal$'
run 0 "$nnctl" run "$model" --devices "$whole" --input "$picture" --labels "$models/shapes_int8/labels.txt"
printed out 'star$'
run 0 "$nnctl" models-check "$models" --devices "$whole"
printed out '^3 passed, 0 failed$'

# the firmware with the unit
NNACCEL_FIRMWARE=$firmware run 0 "$nnctl" validate --device cpu
printed out '^2 passed, 0 failed$'
NNACCEL_FIRMWARE=$firmware run 0 "$nnctl" models-check "$models" --device cpu
printed out '^ok +shapes_int8: .* worst 0\.00 of the bound'
