# SPDX-License-Identifier: Apache-2.0
"""The networks of networks.py for ONNX Runtime: images in NCHW; in int8 QDQ with weights of int8 and activations of uint8, which are its
fastest kernels; LayerNormalization and Gelu as operators."""
import os
import sys

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "onnxruntime"))
from onnx_writer import Model # noqa: E402
from random_weights import draw # noqa: E402

NONE, RELU, RELU6 = 0, 1, 3
# uint8 is int8 of the other format, and 128.
SHIFT = 128


class Value:
    """A tensor that an operator has written. Its shape is that of the other format: images are NHWC."""

    def __init__(self, name, shape, scale, zero):
        self.name, self.shape, self.scale, self.zero = name, shape, scale, zero


class OnnxNetwork:
    """Float32, or int8: the methods of networks.Network."""

    def __init__(self, quantized, seed):
        self.model = Model(seed, 20)
        self.quantized, self.random = quantized, numpy.random.default_rng(seed)
        self.last = None

    def start(self, shape, zero):
        order = [shape[0], shape[3], shape[1], shape[2]] if len(shape) == 4 else shape
        if not self.quantized:
            return Value(self.model.input(order), shape, None, None)
        name = self.model.input(order, numpy.uint8, 0, 256)
        return Value(self.model.dq(name, 0.02, zero + SHIFT), shape, 0.02, zero)

    def number(self, value):
        return self.model.const(value, numpy.float32)

    def done(self, name, shape, scale=None, zero=None):
        """The value of an operator's result, quantized if the network is."""
        if self.quantized:
            name = self.model.qdq(name, scale, zero + SHIFT)
        self.last = Value(name, shape, scale, zero)
        return self.last

    def weights(self, shape, depth, channels, source, order, per_channel=True):
        """Names of constant and bias; @order: of the dimensions in this format."""
        w, bias, scales = draw(self.random, self.quantized, shape, depth, channels, per_channel)
        w = self.model.const(numpy.ascontiguousarray(numpy.transpose(w, order)))
        if not self.quantized:
            return w, self.model.const(bias)
        keys = {"axis": 0} if per_channel else {}
        sums = numpy.asarray(scales, numpy.float32) * numpy.float32(source.scale)
        return (self.model.dq(w, scales, [0] * channels if per_channel else 0, numpy.int8, **keys),
                self.model.node("DequantizeLinear", self.model.const(bias), self.model.const(sums), **keys))

    def activate(self, name, activation):
        if activation == RELU:
            return self.model.node("Relu", name)
        return self.model.node("Clip", name, self.number(0), self.number(6)) if activation == RELU6 else name

    # ---- layers ----

    def conv(self, x, columns, size, stride=1, activation=NONE, *, zero=None):
        _, h, w, depth = x.shape
        names = self.weights([columns, size, size, depth], size * size * depth, columns, x, [0, 3, 1, 2])
        y = self.model.node("Conv", x.name, *names, auto_pad="SAME_UPPER", strides=[stride, stride], kernel_shape=[size, size])
        return self.done(self.activate(y, activation), [1, -(-h // stride), -(-w // stride), columns], x.scale, zero)

    def depthwise(self, x, size, stride, activation, *, zero=None):
        _, h, w, depth = x.shape
        names = self.weights([1, size, size, depth], size * size, depth, x, [3, 0, 1, 2])
        y = self.model.node("Conv", x.name, *names, auto_pad="SAME_UPPER", strides=[stride, stride], kernel_shape=[size, size], group=depth)
        return self.done(self.activate(y, activation), [1, -(-h // stride), -(-w // stride), depth], x.scale, zero)

    def matrix(self, x, columns, *, zero=None):
        names = self.weights([columns, x.shape[1]], x.shape[1], columns, x, [0, 1], False)
        return self.done(self.model.node("Gemm", x.name, *names, transB=1), [x.shape[0], columns], x.scale, zero)

    def pool(self, x, size, stride):
        _, h, w, depth = x.shape
        y = self.model.node("MaxPool", x.name, auto_pad="SAME_UPPER", strides=[stride, stride], kernel_shape=[size, size])
        return self.done(y, [1, -(-h // stride), -(-w // stride), depth], x.scale, x.zero)

    def add(self, a, b, activation=NONE, *, zero=None):
        return self.done(self.activate(self.model.node("Add", a.name, b.name), activation), a.shape, a.scale, zero)

    def head(self, x, *, zero=None):
        x = self.done(self.model.node("GlobalAveragePool", x.name), x.shape, x.scale, x.zero)
        x = self.matrix(Value(self.model.node("Flatten", x.name), [1, x.shape[3]], x.scale, x.zero), 1000, zero=zero)
        self.done(self.model.node("Softmax", x.name, axis=-1), x.shape, 1 / 256, -128)
        return self

    # ---- of transformers, float32 ----

    def binary(self, name, a, b):
        names = [v.name if isinstance(v, Value) else self.number(v) for v in (a, b)]
        return self.done(self.model.node({"ADD": "Add", "MUL": "Mul"}[name], *names), a.shape)

    def norm(self, x):
        n = x.shape[1]
        y = self.model.node("LayerNormalization", x.name, self.model.const(numpy.ones(n, numpy.float32)),
                            self.model.const(numpy.zeros(n, numpy.float32)), axis=-1, epsilon=1e-12)
        return self.done(y, x.shape)

    def gelu(self, x):
        return self.done(self.model.node("Gelu", x.name, approximate="tanh"), x.shape)

    def attention(self, x, heads):
        rows, n = x.shape
        integers = lambda *numbers: self.model.const(numbers, numpy.int64) # noqa: E731
        split = lambda order: self.model.node("Transpose", self.model.node("Reshape", self.matrix(x, n).name, # noqa: E731
                                              integers(rows, heads, n // heads)), perm=order)
        query, key, value = split([1, 0, 2]), split([1, 2, 0]), split([1, 0, 2])
        scores = self.model.node("Mul", self.model.node("MatMul", query, key), self.number((n // heads) ** -0.5))
        mixed = self.model.node("MatMul", self.model.node("Softmax", scores, axis=-1), value)
        mixed = self.model.node("Reshape", self.model.node("Transpose", mixed, perm=[1, 0, 2]), integers(rows, n))
        return self.matrix(Value(mixed, [rows, n], None, None), n)

    def finish(self):
        return self.model.output(self.last.name)

    def bytes(self):
        return self.finish().bytes()
