# SPDX-License-Identifier: Apache-2.0
"""Writes a Graph as a .tflite file (schema version 3) with a FlatBuffers writer of its own.

The file is laid out forwards: every table comes after its vtable, every child after its parent,
so that all FlatBuffers offsets to children are positive as the format demands.
"""

import struct

import numpy as np

TENSOR_TYPES = {"FLOAT32": 0, "INT32": 2, "INT8": 9}
ACTIVATIONS = {"NONE": 0, "RELU": 1, "RELU6": 3}
PADDINGS = {"SAME": 0, "VALID": 1}
# TFLite name: (BuiltinOperator, BuiltinOptions, operator version for float32, for int8). Versions
# are those of the first TFLite release whose kernels take the types.
OPERATORS = {
    "ADD": (0, 11, 1, 2),
    "AVERAGE_POOL_2D": (1, 5, 1, 2),
    "CONV_2D": (3, 1, 1, 3),
    "DEPTHWISE_CONV_2D": (4, 2, 1, 3),
    "FULLY_CONNECTED": (9, 8, 1, 4),
    "RESHAPE": (22, 17, 1, 1),
    "SLICE": (65, 48, 1, 2),
    "SOFTMAX": (25, 9, 1, 2),
}
IDENTIFIER = b"TFL3"


class _Scalar:
    def __init__(self, code, value):
        self.code, self.value = code, value

    def size(self):
        return struct.calcsize("<" + self.code)


class _Vector:
    """code: struct code of the elements; align: of the first element, at least 4."""

    def __init__(self, code, values, align=4):
        self.body = struct.pack(f"<{len(values)}{code}", *values)
        self.count, self.align = len(values), align


class _Bytes:
    def __init__(self, body, align=4, string=False):
        self.count, self.align = len(body), align
        self.body = body + (b"\0" if string else b"")


class _Children:
    def __init__(self, tables):
        self.tables = tables


def _string(text):
    return _Bytes(text.encode(), string=True)


def _byte(value):
    return _Scalar("b", value)


def _int(value):
    return _Scalar("i", value)


class _Writer:
    def __init__(self):
        self.out = bytearray(8)             # offset of the root table, identifier
        self.out[4:8] = IDENTIFIER

    def _pad(self, align, ahead=0):
        """Makes the position `ahead` bytes from here a multiple of align."""
        self.out += bytes(-(len(self.out) + ahead) % align)

    def _child(self, place, child):
        if isinstance(child, dict):
            position = self._table(child)
        elif isinstance(child, _Children):
            position = self._children(child)
        else:
            self._pad(child.align, 4)
            position = len(self.out)
            self.out += struct.pack("<I", child.count) + child.body
        struct.pack_into("<I", self.out, place, position - place)

    def _children(self, children):
        self._pad(4)
        position = len(self.out)
        self.out += struct.pack("<I", len(children.tables)) + bytes(4 * len(children.tables))
        for index, table in enumerate(children.tables):
            self._child(position + 4 + 4 * index, table)
        return position

    def _table(self, fields):
        """fields: field number -> _Scalar, or anything that is written as a child."""
        fields = {number: value for number, value in fields.items() if value is not None}
        offsets, size = {}, 4
        # Larger fields first: then all are aligned without gaps.
        for number, value in sorted(fields.items(), key=lambda item: -self._size(item[1])):
            offsets[number] = size
            size += self._size(value)
        slots = max(fields, default=-1) + 1
        vtable = struct.pack("<HH", 4 + 2 * slots, size)
        vtable += b"".join(struct.pack("<H", offsets.get(slot, 0)) for slot in range(slots))
        self._pad(4, len(vtable))
        start = len(self.out)
        self.out += vtable
        position = len(self.out)
        self.out += struct.pack("<i", position - start) + bytes(size - 4)
        for number, value in fields.items():
            place = position + offsets[number]
            if isinstance(value, _Scalar):
                struct.pack_into("<" + value.code, self.out, place, value.value)
        for number, value in sorted(fields.items()):
            if not isinstance(value, _Scalar):
                self._child(position + offsets[number], value)
        return position

    @staticmethod
    def _size(value):
        return value.size() if isinstance(value, _Scalar) else 4

    def finish(self, root):
        struct.pack_into("<I", self.out, 0, self._table(root))
        self._pad(4)
        return bytes(self.out)


def _options(op):
    """The operator's builtin_options table; field numbers are the schema's."""
    options = op.options
    activation = _byte(ACTIVATIONS[options.get("activation", "NONE")])
    if op.kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D"):
        rows, columns = options["stride"]
        fields = {0: _byte(PADDINGS[options["padding"]]), 1: _int(columns), 2: _int(rows)}
        if op.kind == "CONV_2D":
            fields.update({3: activation, 4: _int(1), 5: _int(1)})
        elif op.kind == "DEPTHWISE_CONV_2D":
            fields.update({3: _int(options["multiplier"]), 4: activation, 5: _int(1), 6: _int(1)})
        else:
            height, width = options["filter"]
            fields.update({3: _int(width), 4: _int(height), 5: activation})
        return fields
    if op.kind == "SOFTMAX":
        return {0: _Scalar("f", options["beta"])}
    if op.kind == "SLICE":
        return {}
    if op.kind == "RESHAPE":
        return {0: _Vector("i", options["shape"])}
    return {0: activation}                  # ADD, FULLY_CONNECTED


def _quantization(tensor):
    if not tensor.scale:
        return None
    scale = [float(np.float32(value)) for value in tensor.scale]
    return {2: _Vector("f", scale),
            3: _Vector("q", [tensor.zero_point] * len(scale), align=8),
            6: _int(tensor.channel_dim)}


def serialize(graph):
    """Returns the bytes of the .tflite file."""
    buffers, tensors = [{}], []             # buffer 0 stands for "no data"
    for tensor in graph.tensors:
        buffer = 0
        if tensor.data is not None:
            buffer = len(buffers)
            data = tensor.data.astype(tensor.data.dtype.newbyteorder("<")).tobytes()
            buffers.append({0: _Bytes(data, align=16)})
        tensors.append({
            0: _Vector("i", tensor.shape), 1: _byte(TENSOR_TYPES[tensor.dtype]),
            2: _Scalar("I", buffer), 3: _string(tensor.name), 4: _quantization(tensor)})
    kinds, operators = [], []
    for op in graph.ops:
        if op.kind not in kinds:
            kinds.append(op.kind)
        operators.append({
            0: _Scalar("I", kinds.index(op.kind)), 1: _Vector("i", op.inputs),
            2: _Vector("i", op.outputs), 3: _Scalar("B", OPERATORS[op.kind][1]),
            4: _options(op)})
    quantized = any(tensor.dtype == "INT8" for tensor in graph.tensors)
    codes = [{0: _byte(OPERATORS[kind][0]), 2: _int(OPERATORS[kind][3 if quantized else 2]),
              3: _int(OPERATORS[kind][0])} for kind in kinds]
    subgraph = {0: _Children(tensors), 1: _Vector("i", graph.inputs),
                2: _Vector("i", graph.outputs), 3: _Children(operators), 4: _string("main")}
    return _Writer().finish({
        0: _Scalar("I", 3), 1: _Children(codes), 2: _Children([subgraph]),
        3: _string(graph.description), 4: _Children(buffers)})
