# SPDX-License-Identifier: Apache-2.0
"""Weights that the file stores in another type than the operation has."""
from run_cases import Case
from tflite_writer import B, I, Model

CONV = {0: B(1), 1: I(1), 2: I(1)}


def case_float16_behind_dequantize():
    m = Model()
    w16, b16 = m.const('w16', [2, 1, 1, 2], [0.5, 1, -1, 2], 'FLOAT16'), m.const('b16', [2], [10, 20], 'FLOAT16')
    w, b = m.tensor('w', [2, 1, 1, 2]), m.tensor('b', [2])
    x, y = m.input('x', [1, 1, 1, 2]), m.tensor('y', [1, 1, 1, 2])
    m.op('DEQUANTIZE', [w16], [w])
    m.op('DEQUANTIZE', [b16], [b])
    m.op('CONV_2D', [x, w, b], [y], CONV)
    m.outputs = [y]
    return Case(m, [('FLOAT32', [2, 4])], [('FLOAT32', [15, 26])])


def case_float16_of_an_activation():
    """No constant: CAST does it."""
    m = Model()
    x, y = m.input('x', [3], 'FLOAT16'), m.tensor('y', [3])
    m.op('DEQUANTIZE', [x], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT16', [0.5, -2, 3])], [('FLOAT32', [0.5, -2, 3])])


def case_float16_without_dequantize():
    m = Model()
    x, w, y = m.input('x', [1, 2]), m.const('w', [1, 2], [0.5, 2], 'FLOAT16'), m.tensor('y', [1, 1])
    m.op('FULLY_CONNECTED', [x, w, -1], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [2, 3])], [('FLOAT32', [7])])


def hybrid(name, x_shape, w_shape, y_shape, w, x, y, options, **keys):
    m = Model()
    a, b = m.input('a', x_shape), m.const('b', w_shape, w, 'INT8', **keys)
    out = m.tensor('out', y_shape)
    m.op(name, [a, b, -1], [out], options)
    m.outputs = [out]
    return Case(m, [('FLOAT32', x)], [('FLOAT32', y)], 1e-5)


def case_hybrid_fully_connected():
    return hybrid('FULLY_CONNECTED', [1, 2], [2, 2], [1, 2], [10, 20, -30, 40], [1, 2], [5, 5], {}, scale=0.1)


def case_hybrid_fully_connected_per_channel():
    return hybrid('FULLY_CONNECTED', [1, 2], [2, 2], [1, 2], [10, 20, -30, 40], [1, 2], [5, 25], {}, scale=[0.1, 0.5], axis=0)


def case_hybrid_convolution():
    return hybrid('CONV_2D', [1, 1, 1, 2], [2, 1, 1, 2], [1, 1, 1, 2], [10, 20, -30, 40], [1, 2], [5, 25], CONV,
                  scale=[0.1, 0.5], axis=0)


def case_hybrid_depthwise():
    return hybrid('DEPTHWISE_CONV_2D', [1, 1, 1, 2], [1, 1, 1, 2], [1, 1, 1, 2], [10, -20], [3, 4], [3, -40],
                  {**CONV, 3: I(1)}, scale=[0.1, 0.5], axis=3)


def case_hybrid_uint8():
    m = Model()
    x, w, y = m.input('x', [1, 2]), m.const('w', [1, 2], [130, 126], 'UINT8', scale=0.5, zero=128), m.tensor('y', [1, 1])
    m.op('FULLY_CONNECTED', [x, w, -1], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [3, 1])], [('FLOAT32', [2])])


def case_hybrid_embedding():
    m = Model()
    i, w, y = m.input('i', [2], 'INT32'), m.const('w', [3, 2], range(6), 'INT8', scale=0.5), m.tensor('y', [2, 2])
    m.op('EMBEDDING_LOOKUP', [i, w], [y])
    m.outputs = [y]
    return Case(m, [('INT32', [2, 0])], [('FLOAT32', [2, 2.5, 0, 0.5])])


def case_hybrid_batch_matmul():
    m = Model()
    x, w, y = m.input('x', [1, 1, 2]), m.const('w', [1, 2, 2], [2, 4, 6, 8], 'INT8', scale=0.5), m.tensor('y', [1, 1, 2])
    m.op('BATCH_MATMUL', [x, w], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 10])], [('FLOAT32', [31, 42])], 1e-5)


def per_channel(x_shape, y_shape, options=None, activation=0):
    m = Model()
    x = m.input('x', x_shape, 'INT8', scale=0.5)
    w = m.const('w', [2, 2], [1, 2, 3, 4], 'INT8', scale=[0.1, 1.0], zero=[0, 0], axis=0)
    b = m.const('b', [2], [20, -2], 'INT32', scale=[0.05, 0.5], zero=[0, 0], axis=0)
    y = m.tensor('y', y_shape, 'INT8', scale=1.0, zero=-1)
    m.op('FULLY_CONNECTED', [x, w, b], [y], {0: B(activation), **(options or {})})
    m.outputs = [y]
    return m


def case_per_channel_fully_connected():
    # x = 5, 10: 0.1 * 5 + 0.2 * 10 + 1 = 3.5; 3 * 5 + 4 * 10 - 1 = 54; the second row is x = -5, 0
    return Case(per_channel([2, 2], [2, 2]), [('INT8', [10, 20, -10, 0])], [('INT8', [2, 53, 0, -17])], 1)


def case_large_per_channel_fully_connected():
    """16 KiB of weights, each unit of one input."""
    m, units = Model(), range(128)
    x = m.input('x', [1, 128], 'INT8', scale=1.0)
    w = m.const('w', [128, 128], [u % 60 if u == i else 0 for u in units for i in units], 'INT8', scale=[1.0, 0.5] * 64, zero=[0] * 128, axis=0)
    y = m.tensor('y', [1, 128], 'INT8', scale=0.5)
    m.op('FULLY_CONNECTED', [x, w, -1], [y], {0: B(0)})
    m.outputs = [y]
    return Case(m, [('INT8', [1] * 128)], [('INT8', [u % 60 * (1 if u % 2 else 2) for u in units])])


def case_per_channel_fully_connected_keeps_dimensions():
    return Case(per_channel([1, 2, 2], [1, 2, 2], {2: B(1)}, 1), [('INT8', [10, 20, -10, 0])], [('INT8', [2, 53, 0, -1])], 1)


def case_bias_of_rank_2():
    m = Model()
    x, w, b = m.input('x', [1, 2]), m.const('w', [2, 2], [1, 2, 3, 4]), m.const('b', [1, 2], [10, 20])
    y = m.tensor('y', [1, 2])
    m.op('FULLY_CONNECTED', [x, w, b], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 1])], [('FLOAT32', [13, 27])])


def case_bias_that_is_computed():
    m = Model()
    x, w, c = m.input('x', [1, 2]), m.const('w', [2, 2], [1, 2, 3, 4]), m.input('c', [1, 2])
    b, y = m.tensor('b', [1, 2]), m.tensor('y', [1, 2])
    m.op('NEG', [c], [b])
    m.op('FULLY_CONNECTED', [x, w, b], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 1]), ('FLOAT32', [10, 20])], [('FLOAT32', [-7, -13])])


def case_bias_of_another_size():
    m = Model()
    x, w, b = m.input('x', [1, 2]), m.const('w', [2, 2], [1, 2, 3, 4]), m.const('b', [3], [1, 2, 3])
    y = m.tensor('y', [1, 2])
    m.op('FULLY_CONNECTED', [x, w, b], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 1])], refused=r'the bias \(tensor b\) has 3 elements for 2 units')


def case_fully_connected_of_a_vector():
    m = Model()
    x, w, y = m.input('x', [2]), m.const('w', [2, 2], [1, 2, 3, 4]), m.tensor('y', [1, 2])
    m.op('FULLY_CONNECTED', [x, w], [y], {0: B(4)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [0.1, 0.2])], [('FLOAT32', [0.462117, 0.800499])], 1e-5)
