#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# input.sh NNCTL MODELS: .npy files that fit the input are accepted, others are refused.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

# npy FILE TYPE SHAPE VALUE [ORDER [DROP]]: as numpy.save() writes it; DROP bytes are missing at its end
npy()
{
	python3 - "$folder/$1" "${@:2}" <<-'PYTHON'
		import math, struct, sys
		path, kind, shape, value = sys.argv[1:5]
		order = sys.argv[5] if len(sys.argv) > 5 else "C"
		drop = int(sys.argv[6]) if len(sys.argv) > 6 else 0
		dims = eval(shape)
		code = {"f4": "f", "f2": "e", "f8": "d", "i1": "b", "u1": "B", "i2": "h", "i4": "i", "i8": "q"}[kind]
		one = struct.pack("<" + code, float(value) if kind[0] == "f" else int(value))
		mark = "|" if kind[1] == "1" else "<"
		header = "{'descr': '%s%s', 'fortran_order': %s, 'shape': %s, }" % (mark, kind, order == "F", shape)
		header += " " * (-(len(header) + 11) % 64) + "\n"
		data = one * math.prod(dims)
		with open(path, "wb") as f:
		    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
		    f.write(data[:len(data) - drop])
	PYTHON
}

# load EXIT MODEL
load()
{
	run "$1" "$nnctl" run "$2" --input "$folder/a.npy" --device cpu --output "$folder/result"
}

# of both models
side=32
channels=3
dims=$((side * side * channels))

npy a.npy i1 "(1, $side, $side, $channels)" 5
load 0 "$model"
cp "$folder/result" "$folder/exact"
# the batch may be missing, or be there once more
npy a.npy i1 "($side, $side, $channels)" 5
load 0 "$model"
cmp "$folder/result" "$folder/exact"
npy a.npy i1 "(1, 1, $side, $side, $channels)" 5
load 0 "$model"
cmp "$folder/result" "$folder/exact"
# the same number of elements in another order is another picture
npy a.npy i1 "(1, $channels, $side, $side)" 5
load 1 "$model"
printed err "its shape is .*but input .* takes \[1, $side, $side, $channels\]"
npy a.npy i1 "($dims,)" 5
load 1 "$model"
npy a.npy i1 "(2, $side, $side, $channels)" 5
load 1 "$model"
# types
npy a.npy f4 "(1, $side, $side, $channels)" 0.25
load 0 "$model"
cp "$folder/result" "$folder/quantized"
npy a.npy f8 "(1, $side, $side, $channels)" 0.25
load 0 "$model"
cmp "$folder/result" "$folder/quantized"
npy a.npy f4 "(1, $side, $side, $channels)" inf
load 0 "$model"
npy a.npy f4 "(1, $side, $side, $channels)" nan
load 1 "$model"
printed err 'element 0 is NaN'
for type in u1 i4 i8 i2; do
	npy a.npy "$type" "(1, $side, $side, $channels)" 5
	load 1 "$model"
	printed err "its elements are $type, but input .* takes int8, or floats, which are quantized"
done
npy a.npy f4 "(1, $side, $side, $channels)" 0.25
load 0 "$float_model"
for type in f8 f2 i1 u1; do
	npy a.npy "$type" "(1, $side, $side, $channels)" 0
	load 1 "$float_model"
	printed err "its elements are $type, but input .* takes float32"
done
# malformed files
npy a.npy i1 "(1, $side, $side, $channels)" 5 F
load 1 "$model"
printed err "Fortran"
npy a.npy i1 "(1, $side, $side, $channels)" 5 C 7
load 1 "$model"
printed err 'does not have the size of its shape'
npy a.npy i1 "(0, $side, $side, $channels)" 5
load 1 "$model"
npy a.npy i1 "(1,) * 12" 5
load 1 "$model"
head -c 20 "$folder/a.npy" >"$folder/cut" && mv "$folder/cut" "$folder/a.npy"
load 1 "$model"
