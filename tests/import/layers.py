# SPDX-License-Identifier: Apache-2.0
"""Convolutions, pooling, matrices, and what fuses into them."""
from run_cases import Case
from tflite_writer import B, F, I, Model

CONV = {0: B(1), 1: I(1), 2: I(1)}


def case_grouped_convolution():
    m = Model()
    x, w, y = m.input('x', [1, 1, 1, 4]), m.const('w', [2, 1, 1, 2], [1, 2, 3, 4]), m.tensor('y', [1, 1, 1, 2])
    m.op('CONV_2D', [x, w, m.const('b', [2], [0.5, -0.5])], [y], {**CONV, 3: B(1)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2, 3, 4])], [('FLOAT32', [5.5, 24.5])])


def case_grouped_convolution_of_int8():
    m = Model()
    x = m.input('x', [1, 1, 1, 4], 'INT8', scale=1.0)
    w = m.const('w', [2, 1, 1, 2], [1, 2, 3, 4], 'INT8', scale=[1.0, 0.5], axis=0)
    y = m.tensor('y', [1, 1, 1, 2], 'INT8', scale=0.5)
    m.op('CONV_2D', [x, w, -1], [y], CONV)
    m.outputs = [y]
    return Case(m, [('INT8', [1, 2, 3, 4])], [('INT8', [10, 25])])


def case_grouped_convolution_with_dilation():
    """The corners of 3x3 pixels, two channels for each unit."""
    m = Model()
    x, w, y = m.input('x', [1, 3, 3, 4]), m.const('w', [2, 2, 2, 2], [1] * 8 + [2] * 8), m.tensor('y', [1, 1, 1, 2])
    m.op('CONV_2D', [x, w, m.const('b', [2], [0.5, -0.5])], [y], {**CONV, 4: I(2), 5: I(2)})
    m.outputs = [y]
    corners = [4 * pixel for pixel in (0, 2, 6, 8)]
    return Case(m, [('FLOAT32', range(36))], [('FLOAT32', [0.5 + sum(2 * c + 1 for c in corners), -0.5 + 2 * sum(2 * c + 5 for c in corners)])])


def case_large_grouped_convolution_with_dilation():
    """64 KiB of weights, which are not among the small constants: two groups of 256 channels, the outer two of three pixels."""
    m = Model()
    x = m.input('x', [1, 1, 3, 512])
    w, y = m.const('w', [32, 1, 2, 256], [u + 1 for u in range(32) for _ in range(512)]), m.tensor('y', [1, 1, 1, 32])
    m.op('CONV_2D', [x, w, m.const('b', [32], range(32))], [y], {**CONV, 4: I(2)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', ([1] * 256 + [2] * 256) * 3)], [('FLOAT32', [512 * (u + 1) * (1 + u // 16) + u for u in range(32)])])


def case_grouped_convolution_of_int8_with_dilation():
    m = Model()
    x = m.input('x', [1, 1, 3, 4], 'INT8', scale=1.0)
    w = m.const('w', [2, 1, 2, 2], [1, 2, 3, 4, 1, 1, 1, 1], 'INT8', scale=[1.0, 0.5], axis=0)
    y = m.tensor('y', [1, 1, 1, 2], 'INT8', scale=0.5)
    m.op('CONV_2D', [x, w, -1], [y], {**CONV, 3: B(1), 4: I(2), 5: I(1)})
    m.outputs = [y]
    return Case(m, [('INT8', [1, 2, 3, 4, 9, 9, 9, 9, 1, 0, -2, -9])], [('INT8', [16, 0])])


def case_grouped_convolution_with_dilation_of_an_input():
    m = Model()
    x, w, y = m.input('x', [1, 3, 3, 4]), m.input('w', [2, 2, 2, 2]), m.tensor('y', [1, 1, 1, 2])
    m.op('CONV_2D', [x, w, -1], [y], {**CONV, 4: I(2), 5: I(2)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1] * 36), ('FLOAT32', [1] * 16)], refused='its weights and bias must be constants')


def case_filter_that_does_not_fit():
    m = Model()
    x, w, y = m.input('x', [1, 1, 1, 4]), m.const('w', [2, 1, 1, 3], [1] * 6), m.tensor('y', [1, 1, 1, 2])
    m.op('CONV_2D', [x, w, -1], [y], CONV)
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1] * 4)], refused=r'the filter \(tensor w\) has 3 channels to 2 units, the input 4')


def transposed(kind, **keys):
    m = Model()
    x, w = m.input('x', [1, 1, 2, 1], kind, **keys), m.const('w', [1, 1, 2, 1], [1, 2], kind, **keys)
    y = m.tensor('y', [1, 1, 4, 1], kind, **keys)
    m.op('TRANSPOSE_CONV', [m.ints([1, 1, 4, 1]), w, x], [y], {0: B(1), 1: I(2), 2: I(1)})
    m.outputs = [y]
    return Case(m, [(kind, [3, 4])], [(kind, [3, 6, 4, 8])])


def case_transpose_conv():
    return transposed('FLOAT32')


def case_transpose_conv_of_int8():
    return transposed('INT8', scale=1.0)


def case_transpose_conv_with_bias():
    m = Model()
    x, w, b = m.input('x', [1, 1, 1, 1]), m.const('w', [2, 1, 1, 1], [1, 2]), m.const('b', [2], [10, 20])
    y = m.tensor('y', [1, 1, 1, 2])
    m.op('TRANSPOSE_CONV', [m.ints([1, 1, 1, 2]), w, x, b], [y], CONV, 3)
    m.outputs = [y]
    return Case(m, [('FLOAT32', [3])], [('FLOAT32', [13, 26])])


def matmul(x, y, options, shapes, expected, kind='FLOAT32', **keys):
    m = Model()
    a, b = m.input('a', shapes[0], kind, **keys), m.input('b', shapes[1], kind, **keys)
    out = m.tensor('out', shapes[2], kind, **keys)
    m.op('BATCH_MATMUL', [a, b], [out], options)
    m.outputs = [out]
    return Case(m, [(kind, x), (kind, y)], [(kind, expected)])


def case_batch_matmul():
    return matmul([1, 2, 3, 4], [5, 6, 7, 8], {}, ([1, 2, 2], [1, 2, 2], [1, 2, 2]), [19, 22, 43, 50])


def case_batch_matmul_of_transposes():
    return matmul([1, 3, 2, 4], [5, 7, 6, 8], {0: B(1), 1: B(1)}, ([1, 2, 2], [1, 2, 2], [1, 2, 2]), [19, 22, 43, 50])


def case_batch_matmul_of_int8():
    return matmul([1, 2, 3, 4], [5, 6, 7, 8], {}, ([1, 2, 2], [1, 2, 2], [1, 2, 2]), [19, 22, 43, 50], 'INT8', scale=1.0)


def case_batch_matmul_of_uint8():
    """NNAPI has INT8 only."""
    return matmul([1, 2, 3, 4], [5, 6, 7, 8], {}, ([1, 2, 2], [1, 2, 2], [1, 2, 2]), [19, 22, 43, 50], 'UINT8', scale=1.0)


def activation(name, code, kind, x, y):
    m = Model()
    a, b, out = m.input('a', [len(x)], kind), m.const('b', [1], [0], kind), m.tensor('out', [len(x)], kind)
    m.op(name, [a, b], [out], {0: B(code)})
    m.outputs = [out]
    return Case(m, [(kind, x)], [(kind, y)], 1e-5)


def case_relu_fused_into_add_of_int32():
    return activation('ADD', 1, 'INT32', [-3, 0, 9], [0, 0, 9])


def case_relu6_fused_into_add_of_int32():
    return activation('ADD', 3, 'INT32', [-3, 0, 9], [0, 0, 6])


def case_relu1_fused_into_add_of_int32():
    return activation('ADD', 2, 'INT32', [-3, 0, 9], [-1, 0, 1])


def case_tanh_fused_into_add():
    return activation('ADD', 4, 'FLOAT32', [0, 1], [0, 0.761594])


def case_sign_bit_is_refused():
    return activation('ADD', 5, 'FLOAT32', [0], [0]).refuse('NNAPI has no fused activation 5')


def case_relu_fused_into_concatenation():
    m = Model()
    a, b, y = m.input('a', [1, 2]), m.input('b', [1, 1]), m.tensor('y', [1, 3])
    m.op('CONCATENATION', [a, b], [y], {0: I(-1), 1: B(1)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [-1, 2]), ('FLOAT32', [-3])], [('FLOAT32', [0, 2, 0])])


def case_l2_pool():
    m = Model()
    x, y = m.input('x', [1, 1, 2, 1]), m.tensor('y', [1, 1, 1, 1])
    m.op('L2_POOL_2D', [x], [y], {0: B(1), 1: I(1), 2: I(1), 3: I(2), 4: I(1)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 7])], [('FLOAT32', [5])])


def case_local_response_normalization():
    m = Model()
    x, y = m.input('x', [1, 1, 1, 2]), m.tensor('y', [1, 1, 1, 2])
    m.op('LOCAL_RESPONSE_NORMALIZATION', [x], [y], {0: I(0), 1: F(1), 2: F(1), 3: F(0.5)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [3, 4])], [('FLOAT32', [3 / 10**0.5, 4 / 17**0.5])], 1e-5)
