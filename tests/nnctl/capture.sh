#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# capture.sh NNCTL MODELS: nnctl capture writes a job into a file, nnctl replay runs it again, on any device. The runtime has the
# devices right, add (ADD is wrong) and broken (executions fail).
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

picture=$models/pictures/star.png
job=$folder/job.nnt

# the same outputs on the same device, and on another one that is right
run 0 "$nnctl" capture "$model" --input "$picture" --device cpu --output "$job"
[ ! -s "$folder/out" ] || die "capture prints: $(cat "$folder/out")"
run 0 "$nnctl" replay "$job" --device cpu
printed out '^captured by nnctl [0-9.]+, nnaccel-cpu \(nnaccel [0-9.]+ fw [0-9.]+\); now on nnaccel-cpu$'
printed out '^output 0 \(.+\): all [0-9]+ elements are equal$'
run 0 "$nnctl" replay "$job" --devices right

# a device that computes wrongly
run 1 "$nnctl" replay "$job" --devices add
printed out '^output 0 \(.+\): [0-9]+ of [0-9]+ elements differ, at most by '
run 0 "$nnctl" replay "$job" --devices add --steps 65535
run 1 "$nnctl" replay "$job" --devices add --json
python3 - "$folder/out" <<'END'
import json, sys
found = json.load(open(sys.argv[1]))
assert found['status'] == 'NONE' and not found['same'] and ', nnaccel-cpu (nnaccel ' in found['captured'], found
assert found['outputs'][0]['unequal'] > 0 and not found['outputs'][0]['within_bounds'], found
END

# a capture is a model file for the other commands: with its inputs, or with others
run 0 "$nnctl" run "$model" --input "$picture" --device cpu --output "$folder/a"
run 0 "$nnctl" run "$job" --device cpu --output "$folder/b"
cmp "$folder/a" "$folder/b"
run 0 "$nnctl" run "$job" --device cpu --input "$models/pictures/circle.png" --output "$folder/c"
! cmp -s "$folder/a" "$folder/c" || die "--input does not replace the captured input"
run 0 "$nnctl" bench "$job" --device cpu --runs 2
run 0 "$nnctl" explain "$job" --devices right
run 1 "$nnctl" compare "$job" --devices cpu,runtime:add
printed out '^first operation that differs: 7 ADD: '
run 0 "$nnctl" capture "$job" --device cpu --output "$folder/again.nnt"
run 0 "$nnctl" replay "$folder/again.nnt" --device cpu

# and a conformance example
mkdir "$folder/examples"
cp "$job" "$folder/examples"
run 0 "$nnctl" verify "$folder/examples" --device cpu
printed out '^1 passed, 0 failed$'

# floats; states, which a capture has as they were before the execution
for name in shapes_fp32 motion; do
	run 0 "$nnctl" capture "$models/$name/model.tflite" --output "$folder/$name.nnt" --device cpu
	run 0 "$nnctl" replay "$folder/$name.nnt" --device cpu --tolerance 0
done

# without the weights
run 0 "$nnctl" capture "$float_model" --output "$folder/random.nnt" --device cpu --random-weights
run 0 "$nnctl" replay "$folder/random.nnt" --device cpu --tolerance 0
python3 - "$folder/shapes_fp32.nnt" "$folder/random.nnt" <<'END'
import array, struct, sys

def weights(path):
    """{number of the operand: floats} of the constants that are TENSOR_FLOAT32"""
    data = open(path, 'rb').read()
    assert data[:8] == b'NNTEST\r\n'
    sections = [struct.unpack_from('<QII', data, 64 + 16 * i) for i in range(8)]
    found = {}
    for i in range(sections[2][1]):
        at = sections[2][0] + 64 * i
        kind, lifetime = struct.unpack_from('<II', data, at)
        blob, = struct.unpack_from('<I', data, at + 44)
        if kind == 3 and lifetime in (3, 4):
            offset, size = struct.unpack_from('<QQ', data, sections[5][0] + 32 * blob)
            found[i] = array.array('f', data[offset:offset + size])
    return data, found

def statistics(values):
    mean = sum(values) / len(values)
    return mean, (sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5

(_, before), (data, after) = weights(sys.argv[1]), weights(sys.argv[2])
assert before and before.keys() == after.keys(), (before.keys(), after.keys())
for number, old in before.items():
    new = after[number]
    assert len(old) == len(new) and min(old) <= min(new) and max(new) <= max(old)
    if len(old) >= 8 and len(set(old)) > 4:
        assert sum(a == b for a, b in zip(old, new)) <= len(old) // 10, number
        assert bytes(old[:4]) not in data, number
    if len(old) >= 256:
        (mean, deviation), (mean2, deviation2) = statistics(old), statistics(new)
        assert abs(mean - mean2) < 0.3 * deviation and 0.7 < deviation2 / deviation < 1.2, (number, mean, deviation, mean2, deviation2)
assert any(len(old) >= 256 for old in before.values())
END

# the same of a network with weights per channel, whose biases are INT32 without a scale
run 0 "$nnctl" capture "$job" --output "$folder/random8.nnt" --device cpu --random-weights
run 0 "$nnctl" replay "$folder/random8.nnt" --device cpu
python3 - "$job" "$folder/random8.nnt" <<'END'
import struct, sys

def constants(path):
    """{number: (type, contents)}, and the shapes"""
    data = open(path, 'rb').read()
    sections = [struct.unpack_from('<QII', data, 64 + 16 * i) for i in range(8)]
    found = {}
    for i in range(sections[2][1]):
        kind, lifetime, rank = struct.unpack_from('<III', data, sections[2][0] + 64 * i)
        blob, = struct.unpack_from('<I', data, sections[2][0] + 64 * i + 44)
        if lifetime in (3, 4) and rank:
            offset, size = struct.unpack_from('<QQ', data, sections[5][0] + 32 * blob)
            found[i] = kind, data[offset:offset + size]
    return found

before, after = constants(sys.argv[1]), constants(sys.argv[2])
assert before.keys() == after.keys()
kinds = {kind for kind, _ in before.values()}
assert 11 in kinds and 4 in kinds, kinds
for number, (kind, old) in before.items():
    _, new = after[number]
    assert len(old) == len(new)
    # INT32: biases have four elements or more, and no shape of this network has as many
    if len(old) >= 32:
        assert old != new, (number, kind)
END

# the first operation that differs, alone
run 1 "$nnctl" compare "$model" --devices cpu,runtime:add --input "$picture" --output "$folder/add.nnt"
printed out '^first operation that differs: 7 ADD '
run 0 "$nnctl" replay "$folder/add.nnt" --device cpu
run 1 "$nnctl" replay "$folder/add.nnt" --devices add
printed out '^output 0 '
run 0 "$nnctl" explain "$folder/add.nnt" --devices right
[ "$(stat -c %s "$folder/add.nnt")" -lt "$(stat -c %s "$job")" ] || die "one operation is larger than the whole model"
run 0 "$nnctl" compare "$model" --devices cpu,cpu --output "$folder/none.nnt"
[ ! -e "$folder/none.nnt" ] || die "nothing differs, and a file is written"

# an execution that fails
run 1 "$nnctl" capture "$model" --input "$picture" --devices broken --output "$folder/broken.nnt"
printed err 'the execution failed, which .*/broken\.nnt records: '
run 0 "$nnctl" replay "$folder/broken.nnt" --devices broken
printed out '^the execution failed, as it was captured: '
run 1 "$nnctl" replay "$folder/broken.nnt" --device cpu
printed out '^the execution succeeded; it failed when it was captured$'

# what is refused
run 2 "$nnctl" capture "$model" --device cpu
printed err '--output is missing'
run 1 "$nnctl" replay "$model" --device cpu
printed err 'no capture; nnctl capture makes one of a model'
run 1 "$nnctl" capture "$model" --device cpu --output "$folder/no/where.nnt"
printed err 'where\.nnt: No such file or directory'
head -c 1000 "$job" >"$folder/cut.nnt"
run 1 "$nnctl" replay "$folder/cut.nnt" --device cpu
printed err 'cut\.nnt: the file is cut short'
[ "$(wc -l <"$folder/err")" = 1 ] || die "more than a line: $(cat "$folder/err")"

# Limits of the execution: that of each WHILE holds for the replay, too. 2^30 rounds take longer than the default.
python3 - "$(dirname "$0")/../import" "$folder" <<'PY'
import struct, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import control
open(sys.argv[2] + '/loop.tflite', 'wb').write(control.loop().bytes())
open(sys.argv[2] + '/n', 'wb').write(struct.pack('<i', 1 << 30))
open(sys.argv[2] + '/x', 'wb').write(struct.pack('<ff', 0, 0))
PY
run 1 "$nnctl" capture "$folder/loop.tflite" --input "$folder/n" --input "$folder/x" --device cpu --output "$folder/loop.nnt"
printed err 'MISSED_DEADLINE'
python3 - "$folder/loop.nnt" <<'PY'
import struct, sys, zlib
data = bytearray(open(sys.argv[1], 'rb').read())
example = struct.unpack_from('<Q', data, 64)[0]
flags = struct.unpack_from('<I', data, example + 20)[0]
struct.pack_into('<I', data, example + 20, flags | 1 << 16)
struct.pack_into('<QQ', data, example + 32, 1000000, 5000000000)
struct.pack_into('<I', data, 24, zlib.crc32(data[struct.unpack_from('<I', data, 12)[0]:]))
open(sys.argv[1], 'wb').write(data)
PY
for where in --device --devices; do
	run 0 "$nnctl" replay "$folder/loop.nnt" "$where" "$([ "$where" = --device ] && echo cpu || echo right)"
	printed out '^each WHILE may take 1\.000 ms$'
	printed out '^the execution had 5000\.000 ms left, which replay does not apply$'
	printed out '^the execution failed, as it was captured: MISSED_DEADLINE'
	[ "$where" = --devices ] || printed out 'within 1000000 ns'
done
run 0 "$nnctl" replay "$folder/loop.nnt" --device cpu --json
python3 -c 'import json, sys; f = json.load(open(sys.argv[1])); assert (f["loop_timeout_ns"], f["timeout_ns"]) == (10**6, 5 * 10**9), f' "$folder/out"

# an application's executions, by the runtime: the device fails, and the CPU computes or nothing does
mkdir "$folder/captures"
capture()
{
	env NNAPI_CAPTURE="$folder/captures" NNAPI_LOG=warning "$@"
}
only_capture()
{
	set -- "$folder"/captures/*
	[ $# = 1 ] && [ -f "$1" ] || die "not one capture: $*"
	mv "$1" "$folder/caught.nnt"
}
run 1 capture "$nnctl" run "$model" --input "$picture" --devices broken
printed err 'captured the execution: .*/captures/nnctl-[0-9]+T[0-9]+Z-[0-9]+-0\.nnt \(nnctl replay runs it\)'
only_capture
run 0 "$nnctl" replay "$folder/caught.nnt" --devices broken
printed out '^captured by libneuralnetworks [0-9.]+, broken \(1\); result OP_FAILED; now on the runtime$'
printed out '^the execution failed, as it was captured: '
run 1 "$nnctl" replay "$folder/caught.nnt" --device cpu
run 0 capture "$nnctl" run "$model" --input "$picture" --devices right
[ -z "$(ls "$folder/captures")" ] || die "a right execution is captured: $(ls "$folder/captures")"
run 0 capture env NNAPI_CAPTURE_FIRST=1 "$nnctl" bench "$model" --input "$picture" --devices add --runs 3
only_capture
run 0 "$nnctl" replay "$folder/caught.nnt" --devices add
run 1 "$nnctl" replay "$folder/caught.nnt" --device cpu
printed out ' elements differ, at most by '
