# SPDX-License-Identifier: Apache-2.0
"""Elements in an order that the file knows, and results that are constants."""
from run_cases import Case
from shapes import op, scalar, table
from tflite_writer import I, Model


def case_transpose_of_int32():
    return op('TRANSPOSE', [2, 3, 2], [[2, 0, 1]], [([2, 2, 3], [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11])], kind='INT32')


def case_transpose_of_a_wrong_order():
    return op('TRANSPOSE', [2, 3], [[1, 1]], [([3, 2], [0] * 6)], kind='INT32').refuse('its order names 2 of 2 dimensions')


def case_pad_of_int32():
    return op('PAD', [2, 2], [table([(1, 0), (0, 2)])], [([3, 4], [0, 0, 0, 0, 0, 1, 0, 0, 2, 3, 0, 0])], kind='INT32')


def case_padv2_of_int32():
    return op('PADV2', [2], [table([(1, 2)]), scalar(-2**31)], [([5], [-2**31, 7, 2**31 - 1, -2**31, -2**31])], kind='INT32', values=[7, 2**31 - 1])


def case_strided_slice_of_int32_with_strides():
    return op('STRIDED_SLICE', [3, 4], [[2, 3], [0, 0], [-2, -3]], [([1, 1], [11])], kind='INT32')


def case_strided_slice_of_int32_backwards():
    return op('STRIDED_SLICE', [5], [[-1], [0], [-2]], [([3], [4, 2, 0])], {1: I(1)}, 'INT32')


def joined(kind, axis, shapes, values, shape, expected, **keys):
    m = Model()
    inputs = [m.input(f'x{i}', s, kind, **keys) for i, s in enumerate(shapes)]
    y = m.tensor('y', shape, kind, **keys)
    m.op('CONCATENATION', inputs, [y], {0: I(axis)})
    m.outputs = [y]
    return Case(m, [(kind, v) for v in values], [(kind, expected)])


def case_concatenation_of_int32_of_other_extents():
    return joined('INT32', 1, [[2, 1], [2, 3], [2, 2]], [[1, 2], [3, 4, 5, 6, 7, 8], [9, 10, 2**31 - 1, -2**31]], [2, 6],
                  [1, 3, 4, 5, 9, 10, 2, 6, 7, 8, 2**31 - 1, -2**31])


def case_concatenation_of_int32_along_the_first_axis():
    return joined('INT32', 0, [[1, 2], [2, 2]], [[1, 2], [3, 4, 5, 6]], [3, 2], [1, 2, 3, 4, 5, 6])


def case_concatenation_of_one_int32():
    return joined('INT32', 0, [[3]], [[1, 2, 3]], [3], [1, 2, 3])


def case_int32_that_has_a_scale():
    """TFLite does not read it."""
    m = Model()
    a, b = m.input('a', [2], 'INT32', scale=0.5), m.input('b', [2], 'INT32', scale=0.25, zero=3)
    y = m.tensor('y', [2, 2], 'INT32', scale=1.0)
    m.op('PACK', [a, b], [y], {0: I(2), 1: I(0)})
    m.outputs = [y]
    return Case(m, [('INT32', [1, 2]), ('INT32', [3, 4])], [('INT32', [1, 2, 3, 4])])


def scatter(kind, indices, shape, updates, expected, **keys):
    m = Model()
    i = m.ints([v for row in indices for v in row], [len(indices), len(indices[0])])
    x = m.input('x', [len(indices)] + shape[len(indices[0]):], kind, **keys)
    y = m.tensor('y', shape, kind, **keys)
    m.op('SCATTER_ND', [i, x, m.ints(shape)], [y])
    m.outputs = [y]
    return Case(m, [(kind, updates)], [(kind, expected)])


def case_scatter_nd():
    return scatter('FLOAT32', [[2], [0]], [3, 2], [1, 2, 3, 4], [3, 4, 0, 0, 1, 2])


def case_scatter_nd_of_elements():
    return scatter('INT32', [[1, 0], [0, 1]], [2, 2], [5, 6], [0, 6, 5, 0])


def case_scatter_nd_of_int8():
    return scatter('INT8', [[1]], [3], [5], [0, 5, 0], scale=0.5)


def case_scatter_nd_outside():
    return scatter('FLOAT32', [[3]], [3], [5], [0, 0, 0]).refuse('index 3 is outside dimension 0 of 3')


def case_scatter_nd_of_equal_rows():
    return scatter('FLOAT32', [[1], [1]], [3], [5, 6], [0, 11, 0]).refuse('rows 0 and 1 of its indices are equal')


def case_update_slice():
    m = Model()
    x, u, y = m.input('x', [3, 3]), m.input('u', [2, 1]), m.tensor('y', [3, 3])
    m.op('DYNAMIC_UPDATE_SLICE', [x, u, m.ints([9, 1])], [y])
    m.outputs = [y]
    # the place is moved inside
    return Case(m, [('FLOAT32', range(9)), ('FLOAT32', [-1, -2])], [('FLOAT32', [0, 1, 2, 3, -1, 5, 6, -2, 8])])


def case_update_slice_of_int8_of_scales():
    m = Model()
    x, u = m.input('x', [3], 'INT8', scale=0.5), m.input('u', [1], 'INT8', scale=0.25, zero=2)
    y = m.tensor('y', [3], 'INT8', scale=0.5)
    m.op('DYNAMIC_UPDATE_SLICE', [x, u, m.ints([1])], [y])
    m.outputs = [y]
    return Case(m, [('INT8', [1, 2, 3]), ('INT8', [10])], [('INT8', [1, 4, 3])])


def case_reverse_sequence():
    return op('REVERSE_SEQUENCE', [2, 3, 2], [[2, 3]], [([2, 3, 2], [2, 3, 0, 1, 4, 5, 10, 11, 8, 9, 6, 7])], {0: I(1), 1: I(0)})


def case_reverse_sequence_along_the_first_axis():
    return op('REVERSE_SEQUENCE', [3, 2], [[3, 1]], [([3, 2], [4, 1, 2, 3, 0, 5])], {0: I(0), 1: I(1)}, 'INT32')


def case_matrix_diag():
    return op('MATRIX_DIAG', [2, 2], [], [([2, 2, 2], [0, 0, 0, 1, 2, 0, 0, 3])])


def case_matrix_set_diag():
    m = Model()
    x, d, y = m.input('x', [2, 3]), m.input('d', [2]), m.tensor('y', [2, 3])
    m.op('MATRIX_SET_DIAG', [x, d], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', range(6)), ('FLOAT32', [-1, -2])], [('FLOAT32', [-1, 1, 2, 3, -2, 5])])


def folded(name, constants, kind, shape, values, options=None):
    m = Model()
    y = m.tensor('y', shape, kind)
    m.op(name, [c(m) for c in constants], [y], options)
    m.outputs = [y]
    return Case(m, [], [(kind, values)])


def case_range():
    return folded('RANGE', [scalar(5), scalar(-2), scalar(-3)], 'INT32', None, [5, 2, -1])


def case_range_of_floats():
    return folded('RANGE', [scalar(v, 'FLOAT32') for v in (0.5, 2, 0.5)], 'FLOAT32', [3], [0.5, 1, 1.5])


def case_range_without_end():
    return folded('RANGE', [scalar(0), scalar(5), scalar(0)], 'INT32', [5], [0] * 5).refuse('its result has inf elements')


def case_range_of_another_size():
    return folded('RANGE', [scalar(0), scalar(5), scalar(1)], 'INT32', [4], [0] * 4).refuse('has 4 elements of INT32 instead of 5')


def case_range_of_an_input():
    m = Model()
    x, y = m.input('x', [], 'INT32'), m.tensor('y', [3], 'INT32')
    m.op('RANGE', [scalar(0)(m), x, scalar(1)(m)], [y])
    m.outputs = [y]
    return Case(m, [('INT32', [3])], refused=r'input 1 \(tensor x\) must be a constant number: NNAPI has no shape that depends on data')


def case_broadcast_args():
    return folded('BROADCAST_ARGS', [lambda m: m.ints([2, 1, 3]), lambda m: m.ints([4, 1])], 'INT32', [3], [2, 4, 3])


def case_where():
    """The places go into a GATHER_ND."""
    m = Model()
    x, y = m.input('x', [2, 2]), m.tensor('y', [2])
    t = m.tensor('t', None, 'INT64')
    m.op('WHERE', [m.const('c', [2, 2], [0, 1, 1, 0], 'BOOL')], [t])
    m.op('GATHER_ND', [x, t], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2, 3, 4])], [('FLOAT32', [2, 3])])


def case_where_of_an_input():
    m = Model()
    x, y = m.input('x', [2], 'BOOL'), m.tensor('y', [2, 1], 'INT64')
    m.op('WHERE', [x], [y])
    m.outputs = [y]
    return Case(m, [('BOOL', [1, 1])], refused='must be a constant: NNAPI has no shape that depends on data')
