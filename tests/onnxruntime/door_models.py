# SPDX-License-Identifier: Apache-2.0
"""Models for ONNX Runtime's door. Weights and inputs are random, of a fixed seed."""
import os
import sys

import numpy as np

from onnx_writer import Model

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'benchmarks', 'peers'))
import networks  # noqa: E402
from onnx_network import OnnxNetwork  # noqa: E402


def cnn():
    m = Model()
    x = m.input([1, 3, 32, 32])
    x = m.node('Relu', m.node('Conv', x, m.weights(16, 3, 3, 3), m.weights(16), kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    y = m.node('Conv', x, m.weights(16, 16, 3, 3, scale=0.1), m.weights(16), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    x = m.node('MaxPool', m.node('Relu', m.node('Add', x, y)), kernel_shape=[2, 2], strides=[2, 2])
    x = m.node('Flatten', x)
    x = m.node('Gemm', x, m.weights(10, 16 * 16 * 16, scale=0.02), m.weights(10), transB=1)
    return m.output(m.node('Softmax', x, axis=1))


def convolutions():
    m = Model(2)
    x = m.input([2, 8, 13, 11])
    return m.output(
        m.node('Conv', x, m.weights(8, 1, 3, 3), m.weights(8), group=8, pads=[1, 1, 1, 1]),
        m.node('Conv', x, m.weights(24, 1, 3, 3), group=8, strides=[2, 2], auto_pad='SAME_UPPER'),
        m.node('Conv', x, m.weights(8, 1, 3, 3), group=8, dilations=[2, 2]),
        m.node('Conv', x, m.weights(12, 4, 3, 3), m.weights(12), group=2, pads=[0, 1, 2, 1]),
        m.node('Conv', x, m.weights(5, 8, 4, 2), dilations=[2, 3], auto_pad='VALID'),
        m.node('Conv', x, m.weights(5, 8, 2, 2), strides=[3, 2], auto_pad='SAME_LOWER'),
        m.node('Clip', m.node('Conv', x, m.weights(5, 8, 1, 1)), m.const(0, np.float32), m.const(6, np.float32)))


def pools():
    m = Model(3)
    x = m.input([1, 4, 15, 10])
    return m.output(
        m.node('MaxPool', x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        m.node('MaxPool', x, kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1),
        m.node('AveragePool', x, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1]),
        m.node('AveragePool', x, kernel_shape=[3, 3], strides=[2, 2], auto_pad='SAME_UPPER'),
        m.node('GlobalAveragePool', x), m.node('GlobalMaxPool', x))


def arithmetic():
    m = Model(4)
    a, b, c = m.input([2, 3, 4, 5]), m.input([4, 1], low=1, high=2), m.input([2, 3, 4, 5], low=0.5, high=3)
    return m.output(
        m.node('Add', a, b), m.node('Sub', m.const(2, np.float32), a), m.node('Mul', a, b), m.node('Div', a, b),
        m.node('Pow', c, m.const(2.5, np.float32)), m.node('Min', a, b), m.node('Max', a, b), m.node('Sqrt', c),
        m.node('Exp', a),
        m.node('Log', c), m.node('Neg', a), m.node('Abs', a), m.node('Floor', c), m.node('Sin', a), m.node('Reciprocal', c),
        m.node('Relu', m.node('Add', a, c)))


def activations():
    m = Model(5)
    x = m.input([1, 6, 5, 4], low=-4, high=4)
    f = lambda number: m.const(number, np.float32)
    return m.output(
        m.node('Relu', x), m.node('Clip', x, f(0), f(6)), m.node('Clip', x, f(-1), f(1)), m.node('Clip', x, f(-2), f(3)),
        m.node('Clip', x, '', f(2)), m.node('LeakyRelu', x, alpha=0.1), m.node('PRelu', x, m.weights(6, 1, 1)),
        m.node('Elu', x, alpha=0.7), m.node('Sigmoid', x), m.node('Tanh', x), m.node('HardSwish', x),
        m.node('HardSigmoid', x, alpha=0.3), m.node('Softmax', x, axis=1), m.node('LogSoftmax', x, axis=-1))


def shapes():
    m = Model(6)
    x, y = m.input([2, 3, 4, 6]), m.input([3, 4, 6])
    i = lambda *numbers: m.const(numbers, np.int64)
    parts = m.node('Split', x, i(1, 2), outputs=2, axis=1)
    return m.output(
        m.node('Reshape', x, i(0, -1, 2)), m.node('Flatten', x, axis=2), m.node('Unsqueeze', x, i(0, 3)),
        m.node('Squeeze', m.node('Relu', m.node('Unsqueeze', y, i(0))), i(0)), m.node('Transpose', x, perm=[0, 2, 3, 1]),
        m.node('Transpose', x), m.node('Concat', x, m.weights(2, 1, 4, 6), x, axis=1),
        m.node('Pad', x, i(0, 0, 1, 2, 0, 0, 2, 0)), m.node('Pad', x, i(0, 0, 1, 2, 0, 0, 2, 0), mode='reflect'),
        m.node('Slice', x, i(1, -3), i(9, -1), i(2, 3)), m.node('Slice', x, i(0, 1), i(4, 6), i(2, 3), i(2, 3)),
        m.node('Relu', parts[0]), m.node('Neg', parts[1]), m.node('Gather', x, i(2, -1, 0), axis=1),
        m.node('Gather', x, m.const(1, np.int64), axis=3))


def reductions():
    m = Model(7)
    x = m.input([2, 3, 4, 5])
    return m.output(m.node('ReduceMean', x, axes=[2, 3]), m.node('ReduceMean', x, axes=[-1], keepdims=0),
                    m.node('ReduceSum', x, m.const([1], np.int64)), m.node('ReduceMax', x, axes=[1, 2], keepdims=0),
                    m.node('ReduceMin', x, axes=[0]), m.node('ReduceProd', x, axes=[3]))


def largest():
    """Values and places; of equal elements the first comes first."""
    m = Model(29)
    x, y = m.input([3, 5, 17]), m.input([4, 30], np.int32, -5, 6)
    k = lambda n: m.const([n], np.int64)
    values, places = m.node('TopK', x, k(4), outputs=2)
    some, where = m.node('TopK', y, k(7), outputs=2, axis=1)
    m.output(values, m.node('TopK', x, k(1), outputs=2)[0]).output(places, where, dtype=np.int64)
    return m.output(some, dtype=np.int32)


def formulas():
    """Operators that are made of others, with the largest and the smallest numbers among their inputs."""
    m = Model(18, 20)
    x, y = m.input([2, 3, 40], low=-6, high=6), m.input([2, 6, 5, 8], low=1, high=3)
    edges = [0.0, -0.0, 1e-30, -1e-30, 1e-4, -1e-4, 90.0, -90.0, 1e20, -1e20, np.inf, -np.inf, 3.9, -3.9]
    m.feeds[x].flat[:len(edges)] = edges
    z = m.node('Clip', x, m.const(-100, np.float32), m.const(100, np.float32))
    erf = m.node('Erf', x)
    m.steps[erf] = 1e-6
    return m.output(erf, m.node('Gelu', z), m.node('Gelu', z, approximate='tanh'), m.node('Softplus', z),
                    m.node('Mish', z), m.node('InstanceNormalization', y, m.weights(6), m.weights(6)))


def choices():
    """Comparisons, and what they choose."""
    m = Model(19)
    x, y, mask = m.input([2, 3, 4, 5]), m.input([4, 1]), m.input([2, 1, 1, 5], np.bool_, 0, 2)
    least = m.const(-3e38, np.float32)
    integers = m.input([3, 4, 5], np.int32, -3, 3)
    m.output(m.node('Where', mask, x, least), m.node('Where', m.node('Less', x, y), x, y),
             m.node('Where', m.node('Not', m.node('GreaterOrEqual', x, m.const(0.2, np.float32))), least, x),
             m.node('Where', m.node('And', m.node('Greater', x, y), mask), y, x),
             m.node('Cast', m.node('LessOrEqual', x, y), to=1),
             m.node('Expand', y, m.const([2, 1, 4, 3], np.int64)), m.node('Mul', m.node('Cast', mask, to=1), x))
    return m.output(m.node('Where', m.node('Equal', integers, m.const(1, np.int32)), integers, m.const(7, np.int32)),
                    m.node('Cast', m.node('Not', mask), to=6), dtype=np.int32) \
        .output(m.node('Or', m.node('Equal', x, x), mask), m.node('Expand', mask, m.const([2, 3, 2, 5], np.int64)), dtype=np.bool_)


def blocks():
    m = Model(24)
    x = m.input([2, 8, 6, 4])
    return m.output(m.node('DepthToSpace', x, blocksize=2), m.node('SpaceToDepth', x, blocksize=2),
                    m.node('Tile', x, m.const([1, 2, 1, 3], np.int64)))


def transposed_convolutions():
    m = Model(25)
    x = m.input([2, 6, 7, 5])
    return m.output(
        m.node('ConvTranspose', x, m.weights(6, 4, 3, 3), m.weights(4)),
        m.node('ConvTranspose', x, m.weights(6, 4, 2, 2), m.weights(4), strides=[2, 2]),
        m.node('ConvTranspose', x, m.weights(6, 5, 3, 4), strides=[2, 3], pads=[1, 0, 0, 2]),
        m.node('ConvTranspose', x, m.weights(6, 4, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]),
        m.node('Relu', m.node('ConvTranspose', x, m.weights(6, 3, 4, 4), m.weights(3), strides=[2, 2], pads=[1, 1, 1, 1])))


def signals():
    """Convolutions and pools over one dimension, as audio models have them."""
    m = Model(27)
    x = m.input([2, 6, 31])
    return m.output(
        m.node('Conv', x, m.weights(8, 6, 5), m.weights(8), pads=[2, 2]),
        m.node('Relu', m.node('Conv', x, m.weights(8, 6, 3), strides=[2], dilations=[3], pads=[3, 1])),
        m.node('Conv', x, m.weights(6, 1, 3), m.weights(6), group=6, auto_pad='SAME_UPPER', kernel_shape=[3]),
        m.node('Conv', x, m.weights(4, 3, 3), group=2, strides=[3], auto_pad='VALID'),
        m.node('ConvTranspose', x, m.weights(6, 4, 4), m.weights(4), strides=[2], pads=[1, 1]),
        m.node('MaxPool', x, kernel_shape=[3], strides=[2], pads=[1, 0]),
        m.node('MaxPool', x, kernel_shape=[4], strides=[3], ceil_mode=1),
        m.node('AveragePool', x, kernel_shape=[3], pads=[1, 1]),
        m.node('GlobalAveragePool', x), m.node('GlobalMaxPool', x))


def quantized_signals(dtype):
    def build():
        m = Model(28)
        zero = 128 if dtype == np.uint8 else -2
        x = m.qdq(m.input(['batch', 6, 31]), 1 / 128, zero, dtype)
        w, scales = m.quantized_weights([8, 6, 5], np.int8, 0)
        bias = m.quantized_bias(8, np.asarray(scales, np.float32) * np.float32(1 / 128))
        x = m.qdq(m.node('Relu', m.node('Conv', x, w, bias, pads=[2, 2])), 0.03, zero, dtype)
        x = m.qdq(m.node('MaxPool', x, kernel_shape=[2], strides=[2]), 0.03, zero, dtype)
        return m.output(m.qdq(m.node('GlobalAveragePool', x), 0.03, zero, dtype))
    return build


def quantized_transposed_convolution(channels):
    def build():
        m = Model(26)
        x = m.qdq(m.input([1, 6, 7, 5]), 1 / 128, 3, np.int8)
        w, scales = m.quantized_weights([6, 4, 3, 3], np.int8, 1 if channels else None)
        bias = m.quantized_bias(4, np.asarray(scales, np.float32) * np.float32(1 / 128))
        return m.output(m.qdq(m.node('ConvTranspose', x, w, bias, strides=[2, 2], pads=[1, 1, 0, 0]), 0.02, -1, np.int8))
    return build


def gelu_transformer():
    """The exact GELU as torch writes it, between two products."""
    m = Model(27)
    f = lambda number: m.const(number, np.float32)
    x = m.node('Add', m.node('MatMul', m.input([1, 12, 16]), m.weights(16, 48, scale=0.3)), m.weights(48))
    half = m.node('Mul', x, f(0.5))
    y = m.node('Mul', half, m.node('Add', m.node('Erf', m.node('Div', x, f(2 ** 0.5))), f(1)))
    return m.output(m.node('MatMul', y, m.weights(48, 16, scale=0.2)))


def resizes():
    m = Model(8)
    x = m.input([1, 3, 6, 8])
    double, to = m.const([1, 1, 2, 2], np.float32), m.const([1, 3, 9, 5], np.int64)
    return m.output(
        m.node('Resize', x, '', double, mode='nearest', coordinate_transformation_mode='asymmetric', nearest_mode='floor'),
        m.node('Resize', x, '', double, mode='nearest'), m.node('Resize', x, '', double, mode='linear'),
        m.node('Resize', x, '', '', to, mode='linear', coordinate_transformation_mode='align_corners'),
        m.node('Resize', x, '', '', to, mode='linear', coordinate_transformation_mode='asymmetric'))


def products():
    m = Model(9)
    a, b, c = m.input([2, 7, 12]), m.input([2, 12, 9]), m.input([5, 12])
    return m.output(m.node('MatMul', a, m.weights(12, 8)), m.node('MatMul', a, b), m.node('MatMul', c, m.weights(12, 8)),
                    m.node('Gemm', c, m.weights(12, 6), m.weights(6), alpha=0.5, beta=2.0),
                    m.node('Gemm', c, m.weights(6, 12), transB=1),
                    m.node('Gemm', c, c, m.weights(5), transB=1))


def normalizations():
    m = Model(10)
    x = m.input([2, 6, 5, 8])
    return m.output(m.node('LayerNormalization', x, m.weights(8), m.weights(8)),
                    m.node('BatchNormalization', m.node('Relu', x), m.weights(6), m.weights(6), m.weights(6),
                           m.const(np.arange(1, 7) / 3, np.float32)))


def transformer():
    """A block of BERT: attention of 4 heads, LayerNorm by its parts, tanh's GELU."""
    m, length, width, heads = Model(11), 16, 32, 4
    f = lambda number: m.const(number, np.float32)
    dense = lambda x, to, size: m.node('Add', m.node('MatMul', x, m.weights(size, to, scale=0.15)), m.weights(to))
    by_heads = m.const([1, length, heads, width // heads], np.int64)
    split = lambda x, order: m.node('Transpose', m.node('Reshape', x, by_heads), perm=order)

    def norm(x):
        centered = m.node('Sub', x, m.node('ReduceMean', x, axes=[-1]))
        variance = m.node('ReduceMean', m.node('Pow', centered, f(2)), axes=[-1])
        return m.node('Add', m.node('Mul', m.node('Div', centered, m.node('Sqrt', m.node('Add', variance, f(1e-5)))),
                                    m.weights(width)), m.weights(width))

    x = m.input([1, length, width])
    queries, keys, values = (split(dense(x, width, width), order) for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    weights = m.node('Softmax', m.node('Div', m.node('MatMul', queries, keys), f(8 ** 0.5)), axis=-1)
    mixed = m.node('Reshape', m.node('Transpose', m.node('MatMul', weights, values), perm=[0, 2, 1, 3]),
                   m.const([1, length, width], np.int64))
    x = norm(m.node('Add', x, dense(mixed, width, width)))
    y = dense(x, 64, width)
    inner = m.node('Mul', m.node('Add', y, m.node('Mul', m.node('Pow', y, f(3)), f(0.044715))), f(0.79788456))
    y = m.node('Mul', m.node('Mul', y, f(0.5)), m.node('Add', m.node('Tanh', inner), f(1)))
    return m.output(norm(m.node('Add', x, dense(y, width, 64))))


def quantized_cnn(dtype, weights, channels, batch=1):
    def build():
        m = Model(12)
        zero = 128 if dtype == np.uint8 else 0

        def conv(x, scale_in, count, depth, size, scale, relu=True, **attributes):
            w, scales = m.quantized_weights([count, depth, size, size], weights, 0 if channels else None)
            x = m.node('Conv', x, w, m.quantized_bias(count, np.asarray(scales, np.float32) * np.float32(scale_in)),
                       **attributes)
            return m.qdq(m.node('Relu', x) if relu else x, scale, zero, dtype)

        x = m.qdq(m.input([batch, 3, 24, 24]), 1 / 128, zero, dtype)
        x = conv(x, 1 / 128, 16, 3, 3, 0.02, pads=[1, 1, 1, 1], strides=[2, 2])
        y = conv(x, 0.02, 16, 1, 3, 0.02, group=16, pads=[1, 1, 1, 1])
        x = m.qdq(m.node('Add', x, conv(y, 0.02, 16, 16, 1, 0.03, relu=False)), 0.03, zero, dtype)
        x = m.qdq(m.node('MaxPool', x, kernel_shape=[2, 2], strides=[2, 2]), 0.03, zero, dtype)
        x = m.qdq(m.node('GlobalAveragePool', x), 0.02, zero, dtype)
        x = m.qdq(m.node('Flatten', x), 0.02, zero, dtype)
        w, scales = m.quantized_weights([10, 16], weights, 0 if channels else None)
        x = m.node('Gemm', x, w, m.quantized_bias(10, np.asarray(scales, np.float32) * np.float32(0.02)), transB=1)
        return m.output(m.qdq(x, 0.02, zero, dtype))
    return build


def quantized_elements(dtype):
    def build():
        m = Model(13)
        zero = 128 if dtype == np.uint8 else 0
        least = 0 if dtype == np.uint8 else -128
        scale = 1 / 32
        x, y = (m.qdq(m.input([1, 4, 6, 8], low=-3, high=3), scale, zero, dtype) for _ in range(2))
        same = lambda name: m.qdq(name, scale, zero, dtype)
        i = lambda *numbers: m.const(numbers, np.int64)
        return m.output(
            m.qdq(m.node('Add', x, y), 0.05, zero, dtype), m.qdq(m.node('Sub', x, y), 0.05, zero, dtype),
            m.qdq(m.node('Mul', x, y), 0.08, zero, dtype), m.qdq(m.node('Sigmoid', x), 1 / 256, least, dtype),
            m.qdq(m.node('Tanh', x), 1 / 128, zero, dtype), m.qdq(m.node('HardSwish', x), 0.03, zero, dtype),
            m.qdq(m.node('Softmax', x, axis=-1), 1 / 256, least, dtype),
            m.qdq(m.node('Softmax', y, axis=-1), 1 / 200, least, dtype),
            same(m.node('Reshape', x, i(4, 48))), same(m.node('Transpose', x, perm=[0, 2, 3, 1])),
            m.qdq(m.node('Concat', x, y, axis=1), 0.04, zero, dtype), same(m.node('Pad', x, i(0, 0, 1, 1, 0, 0, 1, 1))),
            same(m.node('Slice', x, i(1), i(5), i(2))),
            same(m.node('AveragePool', x, kernel_shape=[3, 3], pads=[1, 1, 1, 1])),
            same(m.node('MaxPool', y, kernel_shape=[2, 2])), same(m.node('ReduceMean', x, axes=[2, 3])),
            m.qdq(m.node('Div', x, m.const(1.7, np.float32)), 0.03, zero, dtype),
            same(m.node('Resize', x, '', m.const([1, 1, 2, 2], np.float32), mode='nearest',
                        coordinate_transformation_mode='asymmetric',
                        nearest_mode='floor')))
    return build


def quantized_products():
    m = Model(14)
    x = m.qdq(m.input([3, 5, 20]), 1 / 100, 3, np.int8)
    y = m.qdq(m.input([3, 20, 6]), 1 / 90, -2, np.int8)
    w, _ = m.quantized_weights([20, 9], np.int8)
    per, _ = m.quantized_weights([20, 9], np.int8, 1)
    return m.output(m.qdq(m.node('MatMul', x, w), 0.03, 1, np.int8), m.qdq(m.node('MatMul', x, per), 0.03, 0, np.int8),
                    m.qdq(m.node('MatMul', x, y), 0.04, 0, np.int8))


def mixed():
    """Cos has no operation of NNAPI, and is on one of two ways through the graph."""
    m = Model(15)
    x = m.node('Conv', m.input([1, 4, 8, 8]), m.weights(4, 4, 3, 3), pads=[1, 1, 1, 1])
    y = m.node('Mul', m.node('Cos', x), m.node('Sigmoid', x))
    return m.output(m.node('Relu', m.node('Conv', y, m.weights(4, 4, 1, 1))))


def eight_bits():
    """Inputs and outputs of 8 bits."""
    m = Model(16)
    x = m.dq(m.input([1, 8], np.uint8, 0, 256), 0.01, 128)
    w, _ = m.quantized_weights([8, 4], np.uint8)
    return m.output(m.q(m.node('MatMul', x, w), 0.02, 128), dtype=np.uint8)


def casts():
    m = Model(17)
    x = m.input([2, 5], np.int32, -9, 9)
    y = m.node('Cast', x, to=1)
    return m.output(m.node('Mul', y, y)).output(m.node('Gather', m.weights(10, 3), m.node('Abs', x)))


def tokens():
    """The ends of BERT as it is exported: ids and a mask of int64, and the place of the greatest score as int64."""
    m, length, width = Model(28), 12, 16
    f = lambda number: m.const(number, np.float32)
    i = lambda *numbers: m.const(numbers, np.int64)
    ids, kinds, mask = m.input([1, length], np.int64, -40, 40), m.input([1, length], np.int64, 0, 2), m.input([1, length], np.int64, 0, 2)
    x = m.node('Add', m.node('Gather', m.weights(40, width), ids), m.node('Gather', m.weights(2, width), kinds))
    x = m.node('Add', x, m.node('Gather', m.weights(length, width), m.const(np.arange(length), np.int64)))
    bias = m.node('Cast', m.node('Unsqueeze', mask, i(1)), to=1)
    bias = m.node('Mul', m.node('Sub', f(1), bias), f(-1e4))
    scores = m.node('Add', m.node('MatMul', x, m.node('Transpose', x, perm=[0, 2, 1])), bias)
    y = m.node('MatMul', m.node('Softmax', scores, axis=-1), x)
    padding = m.node('Equal', ids, m.const(3, np.int64))
    return m.output(y, m.node('Where', m.node('Unsqueeze', padding, i(2)), f(0), y)) \
        .output(m.node('ArgMax', y, axis=-1), m.node('ArgMin', y, axis=1, keepdims=0), m.node('Cast', padding, to=7),
                m.node('Where', padding, m.const(-1, np.int64), ids), m.node('Cast', m.input([3], np.int32, -9, 9), to=7),
                dtype=np.int64) \
        .output(m.node('Cast', ids, to=6), dtype=np.int32)


def peers_cnn(quantized):
    """What the networks of benchmarks/peers are made of."""
    def build():
        net = OnnxNetwork(quantized, 1)
        x = net.conv(net.start([1, 32, 32, 3], networks.ZERO), 8, 3, 2, networks.RELU6, **networks.ACTIVE)
        x = networks.inverted(net, networks.inverted(net, x, 3, 4, 8, 1), 5, 4, 16, 2)
        return net.head(net.add(net.pool(x, 3, 2), net.pool(x, 3, 2), networks.RELU, **networks.ACTIVE), **networks.OTHER).finish()
    return build


def peers_transformer():
    net = OnnxNetwork(False, 1)
    x = net.norm(net.start([12, 32], networks.ZERO))
    x = net.norm(net.binary('ADD', x, net.attention(x, 4)))
    net.norm(net.binary('ADD', x, net.matrix(net.gelu(net.matrix(x, 64)), 32)))
    return net.finish()


def open_cnn():
    """A batch without a size, and images of a known one."""
    m = Model(29)
    x = m.input(['batch', 3, 16, 16])
    x = m.node('Relu', m.node('BatchNormalization', m.node('Conv', x, m.weights(8, 3, 3, 3), pads=[1, 1, 1, 1]), m.weights(8),
                              m.weights(8), m.weights(8), m.const(np.arange(1, 9) / 3, np.float32)))
    y = m.node('GlobalAveragePool', m.node('Concat', x, m.node('MaxPool', x, kernel_shape=[3, 3], pads=[1, 1, 1, 1]), axis=1))
    return m.output(m.node('Softmax', m.node('Gemm', m.node('Flatten', y), m.weights(5, 16), m.weights(5), transB=1), axis=-1),
                    m.node('Reshape', y, m.const([-1, 16], np.int64)))


def open_view():
    """A shape that the graph computes, as torch writes view(x.size(0), x.size(1), 2, 8): ONNX Runtime makes a constant of it."""
    m = Model(34)
    i = lambda *numbers: m.const(numbers, np.int64)
    x = m.node('Relu', m.input(['batch', 'length', 16]))
    sizes = m.node('Shape', x)
    size = lambda place: m.node('Unsqueeze', m.node('Gather', sizes, m.const(place, np.int64), axis=0), i(0))
    y = m.node('Transpose', m.node('Reshape', x, m.node('Concat', size(0), size(1), i(2), i(8), axis=0)), perm=[0, 2, 1, 3])
    return m.output(m.node('Sigmoid', y))


def open_transformer():
    """Attention over a batch and a length without sizes."""
    m, width, heads = Model(33), 16, 2
    i = lambda *numbers: m.const(numbers, np.int64)
    dense = lambda x: m.node('Add', m.node('MatMul', x, m.weights(width, width, scale=0.3)), m.weights(width))
    split = lambda x, order: m.node('Transpose', m.node('Reshape', x, i(0, 0, heads, width // heads)), perm=order)
    x = m.node('Gather', m.weights(50, width), m.input(['batch', 'length'], np.int64, 0, 50))
    mask = m.node('Unsqueeze', m.node('Cast', m.input(['batch', 'length'], np.int64, 0, 2), to=1), i(1, 2))
    bias = m.node('Mul', m.node('Sub', m.const(1, np.float32), mask), m.const(-1e4, np.float32))
    scores = m.node('Add', m.node('MatMul', split(dense(x), [0, 2, 1, 3]), split(dense(x), [0, 2, 3, 1])), bias)
    mixed = m.node('MatMul', m.node('Softmax', scores, axis=-1), split(dense(x), [0, 2, 1, 3]))
    mixed = m.node('Reshape', m.node('Transpose', mixed, perm=[0, 2, 1, 3]), i(0, 0, width))
    y = m.node('LayerNormalization', m.node('Add', x, dense(mixed)), m.weights(width), m.weights(width))
    return m.output(y).output(m.node('ArgMax', y, axis=-1, keepdims=0), dtype=np.int64)


# name, model, operators that stay
MODELS = [
    ('cnn', cnn, []), ('convolutions', convolutions, []), ('pools', pools, []), ('arithmetic', arithmetic, []),
    ('activations', activations, []), ('shapes', shapes, []), ('reductions', reductions, []), ('resizes', resizes, []),
    ('products', products, []), ('normalizations', normalizations, []), ('transformer', transformer, []),
    ('mixed', mixed, ['Cos']), ('casts', casts, []), ('tokens', tokens, []),
    ('peers_cnn', peers_cnn(False), []), ('peers_cnn_int8', peers_cnn(True), []), ('peers_transformer', peers_transformer, []),
    ('qdq_open', quantized_cnn(np.uint8, np.int8, True, 'batch'), []), ('open_cnn', open_cnn, []), ('open_view', open_view, []),
    ('open_transformer', open_transformer, []),
    ('largest', largest, []), ('formulas', formulas, []), ('choices', choices, []), ('blocks', blocks, []), ('gelu_transformer', gelu_transformer, []),
    ('transposed_convolutions', transposed_convolutions, []), ('signals', signals, []),
    ('qdq_signals_uint8', quantized_signals(np.uint8), []), ('qdq_signals_int8', quantized_signals(np.int8), []),
    ('qdq_transposed_convolution', quantized_transposed_convolution(False), []),
    ('qdq_transposed_convolution_channels', quantized_transposed_convolution(True), []),
    ('qdq_uint8', quantized_cnn(np.uint8, np.uint8, False), []), ('qdq_int8', quantized_cnn(np.int8, np.int8, False), []),
    ('qdq_int8_channels', quantized_cnn(np.int8, np.int8, True), []),
    ('qdq_uint8_channels', quantized_cnn(np.uint8, np.int8, True), []),
    ('qdq_elements_uint8', quantized_elements(np.uint8), []), ('qdq_elements_int8', quantized_elements(np.int8), []),
    ('qdq_products', quantized_products, []), ('qdq_io', eight_bits, []),
]


# ---- what is refused, and the words for it ----

def one(op, *inputs, shape=(1, 4, 6, 6), dtype=np.float32, out=np.float32, opset=17, **attributes):
    def build():
        m = Model(20, opset)
        rest = [m.const(value) if isinstance(value, np.ndarray) else value for value in inputs]
        return m.output(m.node(op, m.input(list(shape), dtype, *((-9, 9) if dtype != np.float32 else ())), *rest,
                               **attributes), dtype=out)
    return build


def topk(**attributes):
    def build():
        m = Model(23)
        return m.output(m.node('TopK', m.input([1, 4, 6, 6]), m.const([2], np.int64), outputs=2, **attributes)[0])
    return build


def variable_weights():
    m = Model(21)
    return m.output(m.node('Conv', m.input([1, 4, 6, 6]), m.input([4, 4, 3, 3])))


def condition():
    m = Model(22)
    x, yes, no = m.input([4]), Model(1), Model(1)
    for branch, op in ((yes, 'Relu'), (no, 'Neg')):
        branch.count = 100 if op == 'Relu' else 200
        branch.output(branch.node(op, x))
    flag = m.input([1], np.bool_, 0, 2)
    return m.output(m.node('Add', m.node('If', flag, then_branch=yes.graph(), else_branch=no.graph()), x))


REFUSALS = [
    ('Cos', one('Cos'), 'NNAPI has no such operation'),
    ('Conv', one('Conv', np.ones([4, 4, 3, 3], np.float32), shape=(1, 4, 'height', 6)), 'add_free_dimension_override_by_name'),
    ('Cos', one('Cos', shape=('batch', 4)), 'NNAPI has no such operation'),
    ('Conv', variable_weights, 'make them an initializer'),
    ('Conv', one('Conv', np.ones([4, 2, 3, 3], np.float32), group=2, dilations=[2, 2]), 'groups and dilations'),
    ('AveragePool', one('AveragePool', kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1), 'count_include_pad'),
    ('Softmax', one('Softmax', axis=1, opset=11), 'before operator set 13'),
    ('Pad', one('Pad', np.array([0, 0, 1, 1, 0, 0, 1, 1]), np.array(2, np.float32)), 'constant 0'),
    ('Pad', one('Pad', np.array([0, 0, -1, 0, 0, 0, 0, 0])), 'use Slice or Concat'),
    ('Pad', one('Pad', np.array([0, 0, 6, 0, 0, 0, 0, 0]), mode='reflect'), 'reflect more than there is'),
    ('Slice', one('Slice', np.array([5]), np.array([0]), np.array([2]), np.array([-1])), 'step below 1'),
    ('Resize', one('Resize', '', np.array([1, 1, 2, 2], np.float32), mode='cubic'), 'mode cubic'),
    ('Abs', one('Abs', dtype=np.int64, out=np.int64), 'int64, and NNAPI has no such type'),
    ('Add', one('Add', np.ones([6], np.int64), dtype=np.int64, out=np.int64), 'int64, and NNAPI has no such type'),
    ('Cast', one('Cast', to=11, out=np.float64), 'NNAPI casts from bool, float32, int32 and int64'),
    ('Cast', one('Cast', to=7, out=np.int64), 'to int64 where the numbers stay'),
    ('ConvTranspose', one('ConvTranspose', np.ones([4, 2, 3, 3], np.float32), group=2), 'neither groups nor dilations'),
    ('ConvTranspose', one('ConvTranspose', np.ones([4, 2, 3, 3], np.float32), dilations=[2, 2]), 'neither groups nor dilations'),
    ('ConvTranspose', one('ConvTranspose', np.ones([4, 2, 3, 3], np.float32), strides=[2, 2], output_padding=[1, 1]),
     'output_padding is above the padding'),
    ('ConvTranspose', one('ConvTranspose', np.ones([4, 2, 3, 3], np.float32), output_shape=[9, 9]), 'set pads instead'),
    ('DepthToSpace', one('DepthToSpace', blocksize=2, mode='CRD'), 'in mode DCR'),
    ('Where', one('Where', np.ones([6]), np.ones([6]), dtype=np.bool_, out=np.float64), 'is double'),
    ('If', condition, 'operators with subgraphs'),
    ('TopK', topk(axis=1), 'use Transpose or Neg before'),
    ('TopK', topk(largest=0), 'use Transpose or Neg before'),
    ('MaxPool', one('MaxPool', shape=(1, 4, 5, 5, 5), kernel_shape=[3, 3, 3]), 'only images and signals'),
    ('Conv', one('Conv', np.ones([4, 4, 3, 3, 3], np.float32), shape=(1, 4, 5, 5, 5)), 'or of 3 for a signal'),
    ('Add', one('Add', np.ones([1], np.float32), shape=(1, 2, 3, 4, 5)), 'broadcasts 4 at most'),
]


# ---- hostile graphs: ONNX Runtime alone decides what they are ----

def scaled(scale, zero, array=None):
    def build():
        m = Model(30)
        x = m.dq(m.q(m.input([1, 4, 5, 5]), 0.01, 0, np.int8), 0.01, 0, np.int8)
        stored = m.const(np.ones([4, 4, 1, 1]) if array is None else array, np.int8)
        w = m.node('DequantizeLinear', stored, m.const(scale, np.float32), m.const(zero, np.int8), axis=0)
        return m.output(m.qdq(m.node('Conv', x, w), 0.02, 0, np.int8))
    return build


def two_scales():
    m = Model(31)
    x = m.q(m.input([2, 4]), 0.01, 0, np.int8)
    return m.output(m.dq(x, 0.01, 0, np.int8), m.node('Relu', m.dq(x, 0.03, 1, np.int8)))


def shared_weights():
    m = Model(32)
    w, _ = m.quantized_weights([4, 4, 1, 1])
    x = m.qdq(m.input([1, 4, 5, 5]), 0.01, 0, np.int8)
    return m.output(m.qdq(m.node('Conv', x, w), 0.02, 0, np.int8), m.node('Cos', w))


HOSTILE = [
    scaled(0, 0), scaled(-0.01, 0), scaled(float('nan'), 0), scaled([0.01] * 4, [0] * 4), scaled([0.01] * 4, [1, 0, 0, 0]),
    scaled([0.01] * 3, [0] * 3),
    scaled([0.01, 0, 0.01, 1e-30], [0] * 4), two_scales, shared_weights,
    one('Conv', np.ones([4, 4, 3, 3], np.float32), pads=[-1, 0, 0, 0]),
    one('Conv', np.ones([4, 4, 3, 3], np.float32), pads=[2 ** 40, 0, 0, 0]),
    one('Conv', np.ones([4, 4, 3, 3], np.float32), pads=[3, 0, 0, 0]),
    one('Conv', np.ones([4, 4, 3, 3], np.float32), group=0),
    one('Conv', np.ones([4, 4, 3, 3], np.float32), kernel_shape=[2, 2]), one('Conv', np.ones([4, 3, 3, 3], np.float32)),
    one('Conv', np.ones([4, 4, 9, 9], np.float32)), one('Conv', np.ones([4, 4, 3, 3], np.float32), dilations=[2 ** 62, 1]),
    one('MaxPool', kernel_shape=[2 ** 40, 2]), one('MaxPool', kernel_shape=[2]),
    one('AveragePool', kernel_shape=[1, 2], strides=[3, 2], auto_pad='SAME_UPPER', shape=(2, 1, 3, 4)),
    one('MaxPool', kernel_shape=[1, 2], strides=[2, 5], ceil_mode=1, pads=[0, 1, 0, 1], shape=(1, 2, 3, 4)),
    one('Transpose', perm=[0, 0, 1, 2]), one('Transpose', perm=[0]),
    one('Gather', np.array([4]), axis=1), one('Gather', np.array([2 ** 40]), axis=1), one('Softmax', axis=9),
    one('Concat', axis=-9),
    one('Slice', np.array([2 ** 62]), np.array([-2 ** 62])), one('Slice', np.array([0]), np.array([1]), np.array([7])),
    one('Reshape', np.array([-1, -1])), one('Reshape', np.array([7])), one('Pad', np.array([2 ** 40, 0, 0, 0, 0, 0, 0, 0])),
    one('Pad', np.array([1])),
    one('Conv', np.ones([4, 4, 7, 1], np.float32), strides=[3, 2]),
    one('ConvTranspose', np.ones([4, 4, 3, 3], np.float32), pads=[-1, 0, 0, 0]),
    one('ConvTranspose', np.ones([4, 4, 3, 3], np.float32), pads=[2 ** 40, 0, 0, 0]),
    one('ConvTranspose', np.ones([4, 4, 3, 3], np.float32), pads=[4, 4, 4, 4]),
    one('ConvTranspose', np.ones([4, 4, 3, 3], np.float32), kernel_shape=[2, 2]),
    one('ConvTranspose', np.ones([5, 4, 3, 3], np.float32)), one('ConvTranspose', np.ones([4, 4, 3], np.float32)),
    one('ConvTranspose', np.ones([4, 4, 3, 3], np.float32), strides=[2 ** 40, 1]), one('DepthToSpace', blocksize=0),
    one('DepthToSpace', blocksize=3), one('SpaceToDepth', blocksize=5), one('SpaceToDepth', blocksize=2 ** 40),
    one('Tile', np.array([1, 2])), one('Tile', np.array([1, 1, 0, 1])), one('Tile', np.array([1, 1, 2 ** 40, 1])),
    one('Expand', np.array([1, 4, 6, 7])), one('Expand', np.array([2, 1, 1, 6, 6])),
    one('Where', np.ones([5], np.float32), np.ones([6], np.float32), dtype=np.bool_), one('Gelu', approximate='none', opset=20),
    one('Gelu', approximate='sinh', opset=20), one('InstanceNormalization', np.ones([3], np.float32), np.ones([4], np.float32)),
    one('ReduceMean', axes=[9]), one('Clip', np.array([1, 2], np.float32)), one('Split', np.array([1, 9]), axis=1),
    one('Relu', shape=()),
    one('Relu', shape=(1, 0, 3)), one('Add', np.ones([5], np.float32)), one('MatMul', np.ones([7, 2], np.float32)),
    one('Gemm', np.ones([6, 2], np.float32)), one('Resize', '', np.array([1, 1, 0, 2], np.float32)),
    one('Relu', shape=(1,) * 12),
    one('Reshape', np.array([-1, -1]), shape=('a', 4)), one('Reshape', np.array([3, -1]), shape=('a', 'b')),
    one('Transpose', perm=[0, 0, 1, 2], shape=('a', 'b', 3, 4)), one('MatMul', np.ones([7, 2], np.float32), shape=('a', 'a')),
    one('Gather', np.array([4]), axis=1, shape=('a', 4)), one('Concat', axis=-9, shape=('a', 3)),
    one('Expand', np.array([3, 1]), shape=('a', 1)), one('Expand', np.array([2, 2]), shape=('a', 'a')),
    one('Add', np.ones([5], np.float32), shape=('a', 'b')), one('Add', np.ones([2], np.float32), shape=('a', 'b')),
    one('Gemm', np.ones([3, 2], np.float32), shape=('a', 'b')), one('Split', np.array([1, 1]), axis=1, shape=('a', 'b')),
    one('Softmax', axis=9, shape=('a', 'b')), one('Relu', shape=('a',) * 12), one('ReduceMean', axes=[9], shape=('a', 'b')),
    one('Conv', np.ones([4, 4, 3, 3], np.float32), auto_pad='SAME'), one('LayerNormalization', np.ones([1], np.float32)),
]
