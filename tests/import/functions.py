# SPDX-License-Identifier: Apache-2.0
"""Operators that NNAPI lacks, and a few of its operations compute."""
import math

from elements import op
from run_cases import Case
from shapes import op as moved
from shapes import scalar
from tflite_writer import B, Model

FAR = [0, 1, -1, math.pi / 2, 3, -7.5, 100, 1000.25]


def case_cos():
    return op('COS', [('FLOAT32', FAR)], ('FLOAT32', [math.cos(x) for x in FAR]), tolerance=1e-6)


def case_cos_of_float16():
    return op('COS', [('FLOAT16', [0, 1, -2])], ('FLOAT16', [math.cos(x) for x in (0, 1, -2)]), tolerance=4e-3)


# The largest float below 0.5, halves, whole numbers without a fraction, and those that are too large for one.
HALVES = [0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 0.49999997, -0.49999997, 0.50000006, 1.25, -1.75, 8388607.5, 8388609, 16777217, -4503599627370497, 0]


def case_round():
    """Half to even, as in TFLite and in Python."""
    return op('ROUND', [('FLOAT32', HALVES)], ('FLOAT32', [round(x) for x in HALVES[:13]] + [16777216, -4503599627370496, 0]))


def case_round_of_large_numbers():
    return op('ROUND', [('FLOAT32', [2.0**100, -2.0**100])], ('FLOAT32', [2.0**100, -2.0**100]))


def case_round_of_int8():
    m = Model()
    x, y = m.input('x', [3], 'INT8', scale=0.25), m.tensor('y', [3], 'INT8', scale=1.0, zero=3)
    m.op('ROUND', [x], [y])
    m.outputs = [y]
    return Case(m, [('INT8', [2, 6, -3])], [('INT8', [3, 5, 2])])


def case_sign():
    return op('SIGN', [('FLOAT32', [3, -0.25, 0, -0.0, 1e-38])], ('FLOAT32', [1, -1, 0, 0, 1]))


def case_sign_of_int32():
    return op('SIGN', [('INT32', [7, -2**31, 0])], ('INT32', [1, -1, 0]))


X = [-30, -5, -3, -1, -0.5, -0.001, 0, 0.001, 0.5, 1, 3, 5, 30]


def case_gelu():
    return op('GELU', [('FLOAT32', X)], ('FLOAT32', [0.5 * x * math.erfc(-x / math.sqrt(2)) for x in X]), {0: B(0)}, tolerance=1e-6)


def case_gelu_of_large_numbers():
    return op('GELU', [('FLOAT32', [2.0**100, -2.0**100])], ('FLOAT32', [2.0**100, 0]), {0: B(0)})


def case_gelu_by_tanh():
    return op('GELU', [('FLOAT32', X)],
              ('FLOAT32', [0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) for x in X]), {0: B(1)}, tolerance=4e-6)


def case_gelu_of_int8():
    m = Model()
    x, y = m.input('x', [3], 'INT8', scale=0.1), m.tensor('y', [3], 'INT8', scale=0.05, zero=-10)
    m.op('GELU', [x], [y], {0: B(0)})
    m.outputs = [y]
    return Case(m, [('INT8', [-10, 10, 30])], [('INT8', [-13, 7, 50])])


def cumsum(kind, shape, axis, values, expected, **options):
    return moved('CUMSUM', shape, [scalar(axis)], [(shape, expected)], {i: B(options.get(n, 0)) for i, n in enumerate(['exclusive', 'reverse'])},
                 kind, values)


def case_cumsum():
    return cumsum('FLOAT32', [2, 3], 1, range(6), [0, 1, 3, 3, 7, 12])


def case_cumsum_of_int32():
    return cumsum('INT32', [2, 3], 0, [1, 2, 3, 2**31 - 1, -5, 6], [1, 2, 3, -2**31, -3, 9])


def case_cumsum_exclusive():
    return cumsum('FLOAT32', [3], -1, [1, 2, 4], [0, 1, 3], exclusive=1)


def case_cumsum_reverse():
    return cumsum('FLOAT32', [3, 1], 0, [1, 2, 4], [7, 6, 4], reverse=1)


def case_cumsum_exclusive_reverse():
    return cumsum('FLOAT32', [3], 0, [1, 2, 4], [6, 4, 0], exclusive=1, reverse=1)


def case_cumsum_too_long():
    return cumsum('FLOAT32', [513], 0, range(513), range(513)).refuse('it adds 513 elements along axis 0, must be at most 512')


def reduced(name, axes, shape, expected, keep=0, values=None):
    return moved(name, [2, 3, 5], [axes], [(shape, expected)], {0: B(keep)}, 'INT32', values or list(range(30)))


def case_sum_of_int32():
    return reduced('SUM', [1], [2, 5], [15, 18, 21, 24, 27, 60, 63, 66, 69, 72])


def case_sum_of_int32_along_all():
    return reduced('SUM', [0, 1, 2], [], [435])


def case_sum_of_int32_beyond_24_bits():
    """Not by way of FLOAT32; and it wraps."""
    return reduced('SUM', [0, -1], [1, 3, 1], [16777217 + 9, 0, -2**31], 1, [16777217, 1, 1, 1, 1] + [0] * 5 + [2**31 - 1, 0, 0, 0, 0]
                   + [1] * 5 + [0] * 5 + [1, 0, 0, 0, 0])


def case_product_of_int32():
    return reduced('REDUCE_PROD', [0, 2], [3], [24, 0, -9], values=[1, 2, 3, 4, 1] + [0] * 5 + [-9, 1, 1, 1, 1] + [1] * 15)


def case_greatest_int32():
    return reduced('REDUCE_MAX', [2], [2, 3], [4, 9, 14, 19, 24, 29])


def case_least_int32():
    return reduced('REDUCE_MIN', [1, 2], [2, 1, 1], [0, 15], 1)
