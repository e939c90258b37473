# SPDX-License-Identifier: Apache-2.0
"""Writes .onnx files without the package onnx: the few messages of ONNX's protobuf that a model needs."""
import struct

import numpy as np

FLOAT, UINT8, INT8, INT32, INT64, BOOL = 1, 2, 3, 6, 7, 9
TYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.uint8): UINT8, np.dtype(np.int8): INT8, np.dtype(np.int32): INT32,
         np.dtype(np.int64): INT64, np.dtype(np.bool_): BOOL, np.dtype(np.float16): 10, np.dtype(np.float64): 11}


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """An integer, a float, or a text or message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack('<f', value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, array):
    array = np.asarray(array)
    return b''.join(field(1, dim) for dim in array.shape) + field(2, TYPES[array.dtype]) + field(8, name) + \
        field(9, array.astype(array.dtype.newbyteorder('<')).tobytes())


def attribute(name, value):
    if isinstance(value, bytes):
        return field(1, name) + field(6, value) + field(20, 5)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    return field(1, name) + b''.join(field(8, item) for item in value) + field(20, 7)


def value_info(name, dtype, shape):
    """Dimensions are numbers, or names of open ones; shape None: no shape."""
    kind = field(1, TYPES[np.dtype(dtype)])
    if shape is not None:
        kind += field(2, b''.join(field(1, field(2 if isinstance(dim, str) else 1, dim)) for dim in shape))
    return field(1, name) + field(2, field(1, kind))


class Model:
    """A graph that grows node by node; values are names."""

    def __init__(self, seed=1, opset=17):
        self.random = np.random.default_rng(seed)
        self.opset = opset
        self.inputs, self.outputs, self.nodes, self.constants = [], [], [], []
        self.feeds, self.steps, self.output_names = {}, {}, []
        self.count = 0

    def name(self, prefix):
        self.count += 1
        return f'{prefix}{self.count}'

    def input(self, shape, dtype=np.float32, low=-1, high=1):
        """An input, and random contents for it; open dimensions are 2 there."""
        name = self.name('input')
        sizes = [2 if isinstance(dim, str) else dim for dim in shape]
        if np.dtype(dtype) == np.float32:
            self.feeds[name] = self.random.uniform(low, high, sizes).astype(dtype)
        else:
            self.feeds[name] = self.random.integers(low, high, sizes).astype(dtype)
        self.inputs.append(value_info(name, dtype, shape))
        return name

    def const(self, array, dtype=None):
        name = self.name('const')
        self.constants.append(tensor(name, np.asarray(array, dtype)))
        return name

    def weights(self, *shape, scale=0.5):
        return self.const(self.random.normal(0, scale, shape), np.float32)

    def node(self, op, *inputs, outputs=1, domain='', **attributes):
        names = [self.name(op) for _ in range(outputs)]
        self.nodes.append(b''.join(field(1, name or '') for name in inputs) + b''.join(field(2, name) for name in names) +
                          field(3, 'n_' + names[0]) + field(4, op) +
                          b''.join(field(5, attribute(key, value)) for key, value in attributes.items()) + field(7, domain))
        return names[0] if outputs == 1 else names

    def output(self, *names, dtype=np.float32):
        for name in names:
            self.outputs.append(value_info(name, dtype, None))
            self.output_names.append(name)
        return self

    def graph(self):
        return b''.join(field(1, node) for node in self.nodes) + field(2, 'graph') + \
            b''.join(field(5, constant) for constant in self.constants) + \
            b''.join(field(11, value) for value in self.inputs) + b''.join(field(12, value) for value in self.outputs)

    def bytes(self):
        return field(1, 8) + field(2, 'nnaccel tests') + field(7, self.graph()) + \
            field(8, field(1, '') + field(2, self.opset)) + field(8, field(1, 'com.example') + field(2, 1))

    # ---- quantization ----

    def q(self, x, scale, zero, dtype=np.uint8):
        name = self.node('QuantizeLinear', x, self.const(scale, np.float32), self.const(zero, dtype))
        self.steps[name] = 1
        return name

    def dq(self, x, scale, zero, dtype=np.uint8, **attributes):
        name = self.node('DequantizeLinear', x, self.const(scale, np.float32), self.const(zero, dtype), **attributes)
        self.steps[name] = scale if np.ndim(scale) == 0 else 0
        return name

    def qdq(self, x, scale, zero, dtype=np.uint8):
        return self.dq(self.q(x, scale, zero, dtype), scale, zero, dtype)

    def quantized_weights(self, shape, dtype=np.int8, channels=None):
        """Constant weights behind a DequantizeLinear; channels: the axis with a scale for each place. The scales."""
        low, high, zero = (-127, 128, 0) if dtype == np.int8 else (1, 256, 128)
        stored = self.const(self.random.integers(low, high, shape), dtype)
        if channels is None:
            return self.dq(stored, 0.004, zero, dtype), 0.004
        scales = self.random.uniform(0.002, 0.006, shape[channels])
        return self.dq(stored, scales, [zero] * shape[channels], dtype, axis=channels), scales

    def quantized_bias(self, count, scales):
        stored = self.const(self.random.integers(-2000, 2000, count), np.int32)
        scales = np.asarray(scales, np.float32)
        return self.node('DequantizeLinear', stored, self.const(scales), **({'axis': 0} if scales.ndim else {}))
