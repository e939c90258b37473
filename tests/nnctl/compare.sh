#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compare.sh NNCTL MODELS: nnctl compare finds the operation that a device computes wrongly. The runtime has the devices right,
# add (ADD is wrong) and pool (AVERAGE_POOL_2D is wrong).
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

picture=$models/pictures/star.png

# equal by the bit: the same code on two routes
run 0 "$nnctl" compare "$model" --devices cpu,runtime:right --input "$picture"
printed out '^output 0 \(.*\): all [0-9]+ elements are equal$'
run 0 "$nnctl" compare "$float_model" --devices cpu,cpu
printed out 'all [0-9]+ elements are equal'

# several of the runtime's, among which it divides the model
run 0 "$nnctl" compare "$model" --devices cpu,runtime:right+pool
printed out 'all [0-9]+ elements are equal'
run 1 "$nnctl" compare "$model" --devices cpu,runtime:right+nothing
printed err 'no device nothing'

# each wrong operation, with the operator of the file
run 1 "$nnctl" compare "$model" --devices cpu,runtime:add --input "$picture"
printed out '^output 0 .*: [0-9]+ of [0-9]+ elements differ, at most by [0-9]+ steps?, at \[0, [0-9]+\]: '
printed out '^first operation that differs: 7 ADD \(operator 7 of the file, ADD\): [0-9]+ of [0-9]+ elements differ'
run 1 "$nnctl" compare "$model" --devices cpu,runtime:pool
printed out '^first operation that differs: 10 AVERAGE_POOL_2D '
run 1 "$nnctl" compare "$float_model" --devices runtime:right,runtime:add --json
python3 - "$folder/out" <<'END'
import json, sys
found = json.load(open(sys.argv[1]))
assert found['devices'] == ['runtime:right', 'runtime:add'] and not found['equal']
assert found['outputs'][0]['unequal'] > 0 and found['outputs'][0]['max_difference'] > 0
first = found['first_operation']
assert first['name'] == first['operator'] == 'ADD' and not first['within_bounds'], first
assert first['values'][0] != first['values'][1], first
END

# the bounds
run 1 "$nnctl" compare "$float_model" --devices cpu,runtime:pool --tolerance 0
run 0 "$nnctl" compare "$float_model" --devices cpu,runtime:pool --tolerance 1
printed out '\(within the bounds\)'
run 0 "$nnctl" compare "$model" --devices cpu,runtime:add --steps 65535

for devices in cpu 'cpu,' ',cpu' 'cpu,cpu,cpu'; do
	run 2 "$nnctl" compare "$model" --devices "$devices"
	printed err 'not two devices with a comma'
done
run 2 "$nnctl" compare "$model"
run 2 "$nnctl" compare "$model" --devices cpu,cpu --tolerance -1
run 1 "$nnctl" compare "$model" --devices cpu,nothing
printed err 'no device "nothing"'
run 1 "$nnctl" compare "$model" --devices cpu,runtime:nothing
printed err 'no device nothing'
run 1 "$nnctl" compare "$model" --devices cpu,cpu --input "$picture" --input "$picture"
printed err 'has 1 inputs, but --input is given 2 times'
