# SPDX-License-Identifier: Apache-2.0
"""Tensors of more dimensions than NNAPI's operations take: dimensions that an operation treats alike become one."""
import itertools
import math

from elements import op as elements_op
from run_cases import Case
from shapes import op, scalar, table
from tflite_writer import B, F, I, Model


def case_add_of_rank_5():
    shape = [1, 2, 1, 3, 1]
    return elements_op('ADD', [('FLOAT32', range(6)), ('FLOAT32', range(6))], ('FLOAT32', range(0, 12, 2)), {}, [shape] * 3)


def case_mul_that_broadcasts_rank_5():
    """As the boxes of YOLO and its grid."""
    a, b = [1, 2, 2, 3, 2], [2, 2, 1, 1]
    left, right = range(24), [10, 20, 30, 40]
    y = [v * right[i // 6] for i, v in enumerate(left)]
    return elements_op('MUL', [('FLOAT32', left), ('FLOAT32', right)], ('FLOAT32', y), {}, [a, b, a])


def case_add_that_broadcasts_both_of_rank_5():
    return elements_op('ADD', [('INT32', [1, 2]), ('INT32', [10, 20, 30])], ('INT32', [11, 21, 31, 12, 22, 32]), {},
                       [[1, 2, 1, 1, 1], [1, 1, 1, 3, 1], [1, 2, 1, 3, 1]])


def case_broadcast_of_too_many_kinds():
    shape = [2] * 6
    return elements_op('ADD', [('FLOAT32', [1] * 8), ('FLOAT32', [1] * 8)], ('FLOAT32', [2] * 64), {},
                       [[2, 1] * 3, [1, 2] * 3, shape]).refuse('it works along 6 dimensions: NNAPI has up to 4')


def case_relu_of_rank_6_of_int8():
    m = Model()
    x, y = m.input('x', [1, 2, 1, 1, 2, 1], 'INT8', scale=0.5), m.tensor('y', [1, 2, 1, 1, 2, 1], 'INT8', scale=0.5)
    m.op('RELU', [x], [y])
    m.outputs = [y]
    return Case(m, [('INT8', [-4, 6, -1, 2])], [('INT8', [0, 6, 0, 2])])


def case_softmax_of_rank_5():
    return elements_op('SOFTMAX', [('FLOAT32', [0, 0, 1, 1])], ('FLOAT32', [0.5] * 4), {0: F(1)}, [[1, 1, 2, 1, 2]] * 2, 1e-6)


def transposed(shape, order, kind='FLOAT32'):
    at = {index: i for i, index in enumerate(itertools.product(*map(range, shape)))}
    new = [shape[d] for d in order]
    values = [at[tuple(index[order.index(d)] for d in range(len(shape)))] for index in itertools.product(*map(range, new))]
    return op('TRANSPOSE', shape, [order], [(new, values)], kind=kind, values=range(math.prod(shape)))


def case_pixel_shuffle():
    """DEPTH_TO_SPACE as PyTorch exports it."""
    return transposed([1, 2, 3, 2, 2, 1], [0, 1, 3, 2, 4, 5])


def case_channel_shuffle():
    return transposed([1, 2, 2, 2, 3], [0, 1, 2, 4, 3])


def case_transpose_of_five_kinds():
    """No two dimensions stay beside each other: a GATHER."""
    return transposed([2, 2, 3, 2, 2], [4, 3, 2, 1, 0])


def case_transpose_of_rank_6_of_int8():
    m = Model()
    x, y = m.input('x', [2, 1, 2, 1, 1, 1], 'INT8', scale=0.5, zero=3), m.tensor('y', [1, 2, 1, 2, 1, 1], 'INT8', scale=0.5, zero=3)
    m.op('TRANSPOSE', [x, m.ints([1, 2, 3, 0, 4, 5])], [y])
    m.outputs = [y]
    return Case(m, [('INT8', [1, 2, 3, 4])], [('INT8', [1, 3, 2, 4])])


def case_reshape_to_rank_5_and_back():
    m = Model()
    x, t, y = m.input('x', [2, 4]), m.tensor('t', [1, 2, 1, 2, 2]), m.tensor('y', [8])
    m.op('RESHAPE', [x, m.ints([1, 2, 1, 2, 2])], [t])
    m.op('RESHAPE', [t, m.ints([-1])], [y])
    m.outputs = [y, t]
    return Case(m, [('FLOAT32', range(8))], [('FLOAT32', range(8))] * 2)


def case_reshape_to_an_unknown_shape_of_rank_5():
    m = Model()
    x, t, y = m.input('x', [2, 4]), m.tensor('t', None), m.tensor('y', [1, 2, 1, 2, 1])
    m.op('RESHAPE', [x, m.ints([1, 2, 1, 2, -1])], [t])
    m.op('STRIDED_SLICE', [t, m.ints([0, 0, 0, 0, 1]), m.ints([1, 2, 1, 2, 2]), m.ints([1] * 5)], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', range(8))], [('FLOAT32', [1, 3, 5, 7])])


def case_slice_of_rank_5():
    return op('SLICE', [1, 2, 2, 2, 3], [[0, 1, 0, 0, 1], [1, 1, 2, 2, 2]], [([1, 1, 2, 2, 2], [13, 14, 16, 17, 19, 20, 22, 23])])


def case_slice_of_five_dimensions():
    index = [i * 24 * 0 + a * 81 + b * 27 + c * 9 + d * 3 + e for i in range(1) for a in (0, 1) for b in (1, 2) for c in (0, 1) for d in (1, 2)
             for e in (0, 1)]
    return op('SLICE', [3] * 5, [[0, 1, 0, 1, 0], [2] * 5], [([2] * 5, index)], values=range(243))


def case_strided_slice_of_rank_5():
    return op('STRIDED_SLICE', [1, 2, 1, 2, 4], [[0] * 5, [1, 2, 1, 2, 4], [1, 1, 1, 1, 2]], [([1, 2, 1, 2, 2], [0, 2, 4, 6, 8, 10, 12, 14])])


def case_split_of_rank_5():
    return op('SPLIT', [1, 2, 2, 1, 2], [scalar(2)], [([1, 2, 1, 1, 2], [0, 1, 4, 5]), ([1, 2, 1, 1, 2], [2, 3, 6, 7])], {0: I(2)}, first=False)


def case_unpack_of_rank_5():
    return op('UNPACK', [2, 1, 2, 1, 2], [], [([2, 1, 1, 2], [0, 1, 4, 5]), ([2, 1, 1, 2], [2, 3, 6, 7])], {0: I(2), 1: I(2)})


def case_concatenation_of_rank_5():
    m = Model()
    a, b, y = m.input('a', [1, 2, 1, 1, 2]), m.input('b', [1, 2, 2, 1, 2]), m.tensor('y', [1, 2, 3, 1, 2])
    m.op('CONCATENATION', [a, b], [y], {0: I(2)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', range(4)), ('FLOAT32', range(10, 18))], [('FLOAT32', [0, 1, 10, 11, 12, 13, 2, 3, 14, 15, 16, 17])])


def case_pack_to_rank_5():
    m = Model()
    a, b, y = m.input('a', [2, 1, 1, 2], 'INT32'), m.input('b', [2, 1, 1, 2], 'INT32'), m.tensor('y', [2, 1, 2, 1, 2], 'INT32')
    m.op('PACK', [a, b], [y], {0: I(2), 1: I(2)})
    m.outputs = [y]
    return Case(m, [('INT32', range(4)), ('INT32', range(10, 14))], [('INT32', [0, 1, 10, 11, 2, 3, 12, 13])])


def case_gather_of_rank_5():
    return op('GATHER', [1, 2, 3, 1, 2], [lambda m: m.ints([2, 0])], [([1, 2, 2, 1, 2], [4, 5, 0, 1, 10, 11, 6, 7])], {0: I(2)})


def case_gather_to_rank_5():
    return op('GATHER', [2, 2, 2], [lambda m: m.ints([1, 0, 1], [1, 3, 1])], [([2, 1, 3, 1, 2], [2, 3, 0, 1, 2, 3, 6, 7, 4, 5, 6, 7])], {0: I(1)})


def case_mean_of_rank_5():
    return op('MEAN', [2, 1, 2, 1, 2], [[1, 2]], [([2, 1, 1, 1, 2], [1, 2, 5, 6])], {0: B(1)})


def case_sum_of_rank_5():
    return op('SUM', [2, 2, 1, 1, 2], [[0, 4]], [([2, 1, 1], [10, 18])], {0: B(0)})


def case_sum_of_int32_of_rank_5():
    return op('SUM', [2, 2, 1, 1, 2], [[0, 4]], [([2, 1, 1], [10, 18])], {0: B(0)}, 'INT32')


def case_greatest_place_of_rank_5():
    return op('ARG_MAX', [1, 2, 2, 1, 2], [[2]], [([1, 2, 1, 2], [1, 0, 0, 1], 'INT32')], values=[0, 9, 5, 1, 7, 2, 3, 8])


def case_reverse_of_rank_5():
    return op('REVERSE_V2', [1, 2, 2, 1, 2], [[1, -1]], [([1, 2, 2, 1, 2], [5, 4, 7, 6, 1, 0, 3, 2])])


def case_tile_of_rank_5():
    return op('TILE', [1, 2, 1, 1, 2], [[1, 1, 2, 1, 1]], [([1, 2, 2, 1, 2], [0, 1, 0, 1, 2, 3, 2, 3])])


def case_broadcast_to_rank_6():
    """Nearest upsampling as PyTorch exports it."""
    return op('BROADCAST_TO', [1, 2, 1, 2, 1, 1], [[1, 2, 2, 2, 2, 1]], [([1, 2, 2, 2, 2, 1], [0, 0, 1, 1] * 2 + [2, 2, 3, 3] * 2)])


def case_broadcast_bool_to_rank_5():
    return op('BROADCAST_TO', [2, 1, 1, 1, 1], [[2, 1, 1, 2, 1]], [([2, 1, 1, 2, 1], [1, 1, 0, 0])], kind='BOOL', values=[1, 0])


def case_pad_of_rank_5():
    return op('PAD', [1, 1, 2, 1, 1], [table([(0, 0), (0, 0), (1, 1), (0, 0), (0, 1)])], [([1, 1, 4, 1, 2], [0, 0, 0, 0, 1, 0, 0, 0])])


def case_select_of_rank_5():
    shape = [1, 2, 1, 2, 1]
    return elements_op('SELECT_V2', [('BOOL', [1, 0]), ('FLOAT32', [1, 2, 3, 4]), ('FLOAT32', [9])], ('FLOAT32', [1, 9, 3, 9]), None,
                       [[2, 1], shape, [], shape])


def case_resize_of_rank_5():
    return op('RESIZE_BILINEAR', [1, 1, 2, 2, 1], [[4, 4]], [([1, 1, 4, 4, 1], [0] * 16)], {}).refuse(
        r'tensor x has rank 5: NNAPI has up to 4 dimensions')
