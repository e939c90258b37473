#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# reduce.sh NNCTL MODELS: nnctl reduce finds the operations of a model that go wrong. The runtime has the devices right, add (ADD
# is wrong), broken (executions fail) and apart (cannot prepare ADD and AVERAGE_POOL_2D in one model).
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

picture=$models/pictures/star.png
small=$folder/small.nnt

# one operation computes something else
run 0 "$nnctl" reduce "$model" --input "$picture" --devices cpu,runtime:add --output "$small"
printed out '^operations 7 to 7 of [0-9]+: the outputs of runtime:add differ from those of cpu$'
[ "$(find "$folder" -name '*.attempt' | wc -l)" = 0 ] || die "an attempt is left"
run 0 "$nnctl" replay "$small" --device cpu
run 1 "$nnctl" replay "$small" --devices add
run 0 "$nnctl" reduce "$model" --input "$picture" --devices cpu,runtime:add --output "$folder/again.nnt" --json
cmp "$small" "$folder/again.nnt"
python3 - "$folder/out" <<'END'
import json, sys
found = json.load(open(sys.argv[1]))
assert (found['outcome'], found['first'], found['last']) == ('different', 7, 7), found
assert found['attempts'] <= 2 + 2 * found['operations'].bit_length(), found
END

# a capture, and what is already small
run 0 "$nnctl" reduce "$small" --devices cpu,runtime:add --output "$folder/smaller.nnt"
printed out '^operations 0 to 0 of 1: '

# executions fail: any operation is enough
run 0 "$nnctl" reduce "$model" --devices cpu,runtime:broken --output "$folder/broken.nnt"
printed out '^operations 0 to 0 of [0-9]+: on runtime:broken they fail$'

# two operations that are refused together: with those between them
run 0 "$nnctl" reduce "$model" --devices cpu,runtime:apart --output "$folder/apart.nnt"
printed out '^operations 7 to 10 of [0-9]+: on runtime:apart they are refused$'
run 1 "$nnctl" replay "$folder/apart.nnt" --devices apart
run 0 "$nnctl" replay "$folder/apart.nnt" --device cpu

# what is refused
run 1 "$nnctl" reduce "$model" --devices cpu,runtime:right --output "$folder/none.nnt"
printed err 'nothing to reduce: the outputs of cpu and runtime:right are equal'
[ ! -e "$folder/none.nnt" ] || die "nothing is wrong, and a file is written"
run 2 "$nnctl" reduce "$model" --devices cpu,runtime:add
printed err '--output is missing'
run 2 "$nnctl" reduce "$model" --devices cpu --output "$folder/none.nnt"
printed err '--devices cpu: not two devices with a comma'
run 1 "$nnctl" reduce "$model" --devices cpu,runtime:add --output "$folder/no/where.nnt"
printed err 'where\.nnt'
