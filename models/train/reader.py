# SPDX-License-Identifier: Apache-2.0
"""Reads .tflite files with the standard library only, and independently of tflite.py.

Field numbers and codes are those of the public TFLite schema, version 3. The result is plain
dictionaries and lists; constants are tuples of Python numbers.
"""

import struct

TYPES = {0: ("FLOAT32", "f"), 1: ("FLOAT16", "e"), 2: ("INT32", "i"), 3: ("UINT8", "B"),
         4: ("INT64", "q"), 6: ("BOOL", "?"), 7: ("INT16", "h"), 9: ("INT8", "b")}
OPERATORS = {0: "ADD", 1: "AVERAGE_POOL_2D", 3: "CONV_2D", 4: "DEPTHWISE_CONV_2D",
             9: "FULLY_CONNECTED", 22: "RESHAPE", 25: "SOFTMAX", 65: "SLICE"}
OPTION_TYPES = {"ADD": 11, "AVERAGE_POOL_2D": 5, "CONV_2D": 1, "DEPTHWISE_CONV_2D": 2,
                "FULLY_CONNECTED": 8, "RESHAPE": 17, "SLICE": 48, "SOFTMAX": 9}
# Option name, field number, struct code, default.
_WINDOW = (("padding", 0, "b", 0), ("stride_w", 1, "i", 0), ("stride_h", 2, "i", 0))
OPTIONS = {
    "ADD": (("activation", 0, "b", 0),),
    "AVERAGE_POOL_2D": _WINDOW + (("filter_w", 3, "i", 0), ("filter_h", 4, "i", 0),
                                  ("activation", 5, "b", 0)),
    "CONV_2D": _WINDOW + (("activation", 3, "b", 0), ("dilation_w", 4, "i", 1),
                          ("dilation_h", 5, "i", 1)),
    "DEPTHWISE_CONV_2D": _WINDOW + (("multiplier", 3, "i", 0), ("activation", 4, "b", 0),
                                    ("dilation_w", 5, "i", 1), ("dilation_h", 6, "i", 1)),
    "FULLY_CONNECTED": (("activation", 0, "b", 0), ("weights_format", 1, "b", 0),
                        ("keep_num_dims", 2, "b", 0)),
    "RESHAPE": (),
    "SLICE": (),
    "SOFTMAX": (("beta", 0, "f", 0.0),),
}


class FormatError(Exception):
    pass


class _Table:
    def __init__(self, data, position):
        self.data, self.position = data, position
        self.vtable = position - self._read("i", position)
        if self.vtable < 0 or position % 4 or self.vtable % 2:
            raise FormatError(f"table at {position}: bad vtable or alignment")
        self.vtable_size, self.size = self._read("H", self.vtable), self._read("H", self.vtable + 2)
        if self.vtable_size < 4 or position + self.size > len(data):
            raise FormatError(f"table at {position}: bad sizes")

    def _read(self, code, position):
        size = struct.calcsize("<" + code)
        if position < 0 or position + size > len(self.data):
            raise FormatError(f"offset {position} is outside the file")
        return struct.unpack_from("<" + code, self.data, position)[0]

    def place(self, number):
        """Position of a field, or None where it has its default."""
        slot = 4 + 2 * number
        offset = self._read("H", self.vtable + slot) if slot < self.vtable_size else 0
        if offset >= self.size:
            raise FormatError(f"table at {self.position}: field {number} is outside")
        return self.position + offset if offset else None

    def scalar(self, number, code, default=0):
        place = self.place(number)
        if place is None:
            return default
        if place % struct.calcsize("<" + code):
            raise FormatError(f"scalar at {place} is not aligned")
        return self._read(code, place)

    def _target(self, place):
        return place + self._read("I", place)

    def table(self, number):
        place = self.place(number)
        return None if place is None else _Table(self.data, self._target(place))

    def vector(self, number, code):
        """(position of the first element, elements)."""
        place = self.place(number)
        if place is None:
            return None, ()
        start = self._target(place)
        count, size = self._read("I", start), struct.calcsize("<" + code)
        start += 4
        if start + count * size > len(self.data) or start % size:
            raise FormatError(f"vector at {start} is outside the file or not aligned")
        return start, struct.unpack_from(f"<{count}{code}", self.data, start)

    def tables(self, number):
        start, offsets = self.vector(number, "I")
        return [_Table(self.data, start + 4 * index + offset)
                for index, offset in enumerate(offsets)]

    def string(self, number):
        start, body = self.vector(number, "B")
        if start is not None and self._read("B", start + len(body)) != 0:
            raise FormatError(f"string at {start} does not end with 0")
        return bytes(body).decode()


def _tensor(table, buffers):
    code = table.scalar(1, "b")
    if code not in TYPES:
        raise FormatError(f"tensor type {code}")
    dtype, element = TYPES[code]
    tensor = {"name": table.string(3), "dtype": dtype, "shape": table.vector(0, "i")[1],
              "data": None, "scale": (), "zero_point": (), "channel_dim": 0}
    index = table.scalar(2, "I")
    if index >= len(buffers):
        raise FormatError(f"buffer {index} does not exist")
    start, body = buffers[index].vector(0, "B")
    if body:
        count = 1
        for size in tensor["shape"]:
            count *= size
        if len(body) != count * struct.calcsize("<" + element):
            raise FormatError(f"{tensor['name']}: {len(body)} bytes for {count} elements")
        tensor["data"] = struct.unpack(f"<{count}{element}", bytes(body))
        tensor["data_at"] = start
    quantization = table.table(4)
    if quantization:
        tensor["scale"] = quantization.vector(2, "f")[1]
        tensor["zero_point"] = quantization.vector(3, "q")[1]
        tensor["channel_dim"] = quantization.scalar(6, "i")
    return tensor


def _operator(table, codes):
    code, version = codes[table.scalar(0, "I")]
    kind = OPERATORS.get(code, f"BUILTIN_{code}")
    op = {"kind": kind, "version": version, "inputs": table.vector(1, "i")[1],
          "outputs": table.vector(2, "i")[1]}
    options = table.table(4)
    if kind in OPTIONS and options:
        if table.scalar(3, "B") != OPTION_TYPES[kind]:
            raise FormatError(f"{kind}: options of another operator")
        op.update({name: options.scalar(number, struct_code, default)
                   for name, number, struct_code, default in OPTIONS[kind]})
    return op


def read(data):
    """The first subgraph of a model: tensors, ops, inputs, outputs. outputs_at is the position in
    the file of the first output's tensor index, data_at that of a constant's first byte."""
    if len(data) < 8 or data[4:8] != b"TFL3":
        raise FormatError("no TFL3 identifier at byte 4")
    model = _Table(data, struct.unpack_from("<I", data)[0])
    if model.scalar(0, "I") != 3:
        raise FormatError("schema version is not 3")
    codes = [(max(code.scalar(0, "b"), code.scalar(3, "i")), code.scalar(2, "i", 1))
             for code in model.tables(1)]
    buffers = model.tables(4)
    if not buffers or buffers[0].vector(0, "B")[1]:
        raise FormatError("buffer 0 must be empty")
    subgraph = model.tables(2)[0]
    outputs_at, outputs = subgraph.vector(2, "i")
    tensors = [_tensor(tensor, buffers) for tensor in subgraph.tables(0)]
    ops = [_operator(op, codes) for op in subgraph.tables(3)]
    inputs = subgraph.vector(1, "i")[1]
    for index in [*inputs, *outputs, *(i for op in ops for i in op["inputs"] + op["outputs"])]:
        if not -1 <= index < len(tensors):
            raise FormatError(f"tensor {index} does not exist")
    return {"tensors": tensors, "ops": ops, "inputs": inputs, "outputs": outputs,
            "outputs_at": outputs_at, "description": model.string(3)}
