#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nnctl.sh NNCTL MODELS: what nnctl does by the runtime, on devices with fixed figures.
set -euo pipefail

# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/../nnctl/lib.sh"
export NNAPI_STEP_NS=0 NNAPI_TRANSFER_NS_PER_KIB=0
export NNHAL_TEST_DEVICES="name=conv,ops=CONV_2D+DEPTHWISE_CONV_2D,exec=0.5 name=rest,exec=0.7 \
name=broken,ops=CONV_2D,exec=0.1,fail=prepare:GENERAL_FAILURE name=idle,ops=LSTM"

run 0 "$nnctl" explain "$model" --devices conv,rest
printed out '^result NO_ERROR, preference FAST_SINGLE_ANSWER'
printed out 'CONV_2D +conv +0 .* cost$'
printed out 'not on rest: the cost is higher \(cost 0\.7\)'
printed out 'not on conv: conv is configured not to support it'
printed out 'operand [0-9]+ moves from step 0 to step 1: [1-9][0-9]* bytes'
printed out '^[2-9][0-9]* steps, [1-9][0-9]* transfers'

# the figures of both forms are the same
run 0 "$nnctl" explain "$model" --devices conv,rest --json
python3 - "$folder/out" <<'PYTHON'
import json, sys
root = json.load(open(sys.argv[1]))
graph = root["graphs"][0]
assert root["result"] == "NO_ERROR" and root["explicit_devices"] and not root["fell_back"], root
assert [d["name"] for d in root["devices"]] == ["conv", "rest"]
assert len(graph["steps"]) == root["totals"]["steps"] > 1
assert sum(s["operations"] for s in graph["steps"]) == len(graph["operations"])
for op in graph["operations"]:
    conv = op["name"] in ("CONV_2D", "DEPTHWISE_CONV_2D")
    assert op["device"] == ("conv" if conv else "rest"), op
    assert op["decided_by"] == ("cost" if conv else "support"), op
    assert graph["steps"][op["step"]]["device"] == op["device"]
    assert [e["device"] for e in op["elsewhere"]] == ["rest" if conv else "conv"]
assert sum(t["bytes"] for t in graph["transfers"]) == root["totals"]["transfer_bytes"] > 0
PYTHON

# a model that contradicts itself compiles, and explain reports it: one of its shapes [1,10] becomes [1,11]
python3 - "$model" "$folder" <<'PYTHON'
import struct, sys
model, shape = open(sys.argv[1], "rb").read(), struct.pack("<3i", 2, 1, 10)
places = [i for i in range(len(model)) if model.startswith(shape, i)]
assert places
for n, place in enumerate(places):
    with open(f"{sys.argv[2]}/bad{n}.tflite", "wb") as bad:
        bad.write(model[:place + 8] + struct.pack("<i", 11) + model[place + 12:])
PYTHON
reported=0
for bad in "$folder"/bad*.tflite; do
	"$nnctl" explain "$bad" --devices nnapi-reference >"$folder/out" 2>/dev/null || continue
	! grep -q '^        decided at execution: operation [0-9]* ' "$folder/out" || reported=$((reported + 1))
done
[ "$reported" -gt 0 ] || die "explain does not say what is decided at execution"

# a device that fails is no secret
run 0 "$nnctl" explain "$model"
printed out '^OP_FAILED: broken cannot prepare the model: GENERAL_FAILURE'
printed out 'the whole model is on nnapi-reference'
run 1 "$nnctl" explain "$model" --devices idle
printed out '^BAD_DATA: no device can run operation '
printed err 'cannot compile the model: BAD_DATA'
run 1 "$nnctl" explain "$model" --devices conv,nosuch
printed err 'no device nosuch; its devices are conv rest broken idle nnapi-reference'
run 2 "$nnctl" explain

for devices in nnapi-reference conv,rest conv,nnapi-reference; do
	run 0 "$nnctl" models-check "$models" --devices "$devices"
	printed out '^[1-9][0-9]* passed, 0 failed$'
done
run 0 "$nnctl" models-check "$models" --runtime
printed out '^[1-9][0-9]* passed, 0 failed$'
run 2 "$nnctl" models-check "$models" --runtime --device cpu
run 0 "$nnctl" bench "$model" --devices conv,rest --runs 3
printed out '^the runtime, 3 runs'

export NNHAL_TEST_DEVICES="name=a,ext=com.x.y/0:t4/1:s8+com.z name=b"
run 0 "$nnctl" extensions
printed out '^  com\.x\.y$'
printed out 'type 1: scalar of 8 bytes'
printed out '^b: none$'
printed out 'may use them$'
echo com.another >"$folder/allowlist"
NNAPI_EXTENSION_ALLOWLIST=$folder/allowlist run 0 "$nnctl" extensions --json
python3 -c 'import json, sys; assert json.load(sys.stdin)["allowed"] is False' <"$folder/out"
