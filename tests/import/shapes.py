# SPDX-License-Identifier: Apache-2.0
"""Operators that move, choose and repeat elements."""
from run_cases import Case
from tflite_writer import B, I, Model

RANGE = list(range(24))


def op(name, shape, parameters, outputs, options=None, kind='FLOAT32', values=None, first=True):
    """One input of @shape, of values 0, 1, 2 ...; @parameters: tensor numbers by functions of the model, or lists of INT32;
    @outputs: (shape, values)."""
    m = Model()
    count = 1
    for extent in shape:
        count *= extent
    keys = {'scale': 1.0} if kind in ('INT8', 'UINT8') else {}
    x = m.input('x', shape, kind, **keys)
    extra = [p(m) if callable(p) else m.ints(p) for p in parameters]
    m.outputs = [m.tensor(f'y{i}', s, k[0] if k else kind, **({} if k else keys)) for i, (s, _, *k) in enumerate(outputs)]
    m.op(name, [x] + extra if first else extra + [x], m.outputs, options)
    expected = [(k[0] if k else kind, v) for _, v, *k in outputs]
    return Case(m, [(kind, RANGE[:count] if values is None else values)], expected)


def scalar(value, kind='INT32', **keys):
    return lambda m: m.const(f'c{len(m.tensors)}', [], [value], kind, **keys)


def table(rows):
    return lambda m: m.ints([v for row in rows for v in row], [len(rows), 2])


def case_strided_slice():
    return op('STRIDED_SLICE', [2, 4], [[0, 1], [2, 3], [1, 1]], [([2, 2], [1, 2, 5, 6])])


def case_strided_slice_backwards():
    return op('STRIDED_SLICE', [5], [[-1], [0], [-2]], [([3], [4, 2, 0])], {1: I(1)})


def case_strided_slice_backwards_to_an_end():
    return op('STRIDED_SLICE', [5], [[3], [0], [-1]], [([3], [3, 2, 1])])


def case_strided_slice_by_masks():
    return op('STRIDED_SLICE', [2, 4], [[5, 5], [0, 0], [1, 2]], [([2, 2], [0, 2, 4, 6])], {0: I(3), 1: I(3)})


def case_strided_slice_beyond_the_ends():
    return op('STRIDED_SLICE', [4], [[-9], [9], [1]], [([4], [0, 1, 2, 3])])


def case_strided_slice_shrinks():
    return op('STRIDED_SLICE', [2, 3, 2], [[1, 0, -1], [0, 3, 0], [1, 1, 1]], [([3], [7, 9, 11])], {4: I(5)})


def case_strided_slice_with_ellipsis():
    return op('STRIDED_SLICE', [2, 2, 2], [[0, 1], [0, 2], [1, 1]], [([2, 2, 1], [1, 3, 5, 7])], {2: I(1)})


def case_strided_slice_with_a_new_axis():
    return op('STRIDED_SLICE', [3], [[0, 1], [0, 3], [1, 1]], [([1, 2], [1, 2])], {3: I(1)})


def case_strided_slice_of_offsets():
    return op('STRIDED_SLICE', [5], [[1], [3], [1]], [([3], [1, 2, 3])], {5: B(1)})


def case_strided_slice_of_int32():
    return op('STRIDED_SLICE', [4], [[1], [3], [1]], [([2], [1, 2])], kind='INT32')


def case_strided_slice_of_int8():
    return op('STRIDED_SLICE', [4], [[0], [4], [3]], [([2], [0, 3])], kind='INT8')


def case_strided_slice_of_nothing():
    return op('STRIDED_SLICE', [4], [[2], [2], [1]], [([0], [])]).refuse('has no elements')


def case_strided_slice_outside():
    return op('STRIDED_SLICE', [4], [[4], [5], [1]], [([], [0])], {4: I(1)}).refuse('index 4 is outside dimension 0 of 4')


def case_strided_slice_of_stride_0():
    return op('STRIDED_SLICE', [4], [[0], [4], [0]], [([4], [0] * 4)]).refuse('stride 0 is 0')


def case_slice_to_the_end():
    return op('SLICE', [2, 3], [[1, 1], [-1, -1]], [([1, 2], [4, 5])])


def case_slice_of_64_bits():
    return op('SLICE', [4], [lambda m: m.const('b', [1], [1], 'INT64'), lambda m: m.const('s', [1], [2], 'INT64')], [([2], [1, 2])])


def case_slice_outside():
    return op('SLICE', [4], [[3], [2]], [([2], [0, 0])]).refuse('2 elements from 3 on are outside dimension 0 of 4')


def case_split():
    return op('SPLIT', [2, 4], [scalar(-1)], [([2, 2], [0, 1, 4, 5]), ([2, 2], [2, 3, 6, 7])], {0: I(2)}, first=False)


def case_split_of_int8():
    return op('SPLIT', [4], [scalar(0)], [([2], [0, 1]), ([2], [2, 3])], {0: I(2)}, 'INT8', first=False)


def case_split_v():
    return op('SPLIT_V', [2, 3], [[1, -1], scalar(1)], [([2, 1], [0, 3]), ([2, 2], [1, 2, 4, 5])], {0: I(2)})


def case_unpack():
    return op('UNPACK', [2, 3], [], [([2], [0, 3]), ([2], [1, 4]), ([2], [2, 5])], {0: I(3), 1: I(1)})


def case_concatenation_of_int32():
    m = Model()
    a, b, y = m.input('a', [2, 1], 'INT32'), m.input('b', [2, 1], 'INT32'), m.tensor('y', [2, 2], 'INT32')
    m.op('CONCATENATION', [a, b], [y], {0: I(1)})
    m.outputs = [y]
    return Case(m, [('INT32', [1, 2]), ('INT32', [3, 4])], [('INT32', [1, 3, 2, 4])])


def case_depth_to_space():
    return op('DEPTH_TO_SPACE', [1, 1, 1, 4], [], [([1, 2, 2, 1], [0, 1, 2, 3])], {0: I(2)})


def case_space_to_depth():
    return op('SPACE_TO_DEPTH', [1, 2, 2, 1], [], [([1, 1, 1, 4], [0, 1, 2, 3])], {0: I(2)})


def case_space_to_batch():
    return op('SPACE_TO_BATCH_ND', [1, 2, 2, 1], [[2, 2], table([(0, 0), (0, 0)])], [([4, 1, 1, 1], [0, 1, 2, 3])])


def case_batch_to_space():
    return op('BATCH_TO_SPACE_ND', [4, 1, 1, 1], [[2, 2], table([(0, 0), (0, 0)])], [([1, 2, 2, 1], [0, 1, 2, 3])])


def case_batch_to_space_with_crops():
    return op('BATCH_TO_SPACE_ND', [4, 1, 1, 1], [[2, 2], table([(1, 0), (0, 1)])], [([1, 1, 1, 1], [2])])


def case_pad():
    return op('PAD', [2], [table([(1, 2)])], [([5], [0, 0, 1, 0, 0])])


def case_pad_of_64_bits():
    return op('PAD', [2], [lambda m: m.const('p', [1, 2], [1, 0], 'INT64')], [([3], [0, 0, 1])])


def case_padv2():
    return op('PADV2', [2], [table([(1, 2)]), scalar(9, 'FLOAT32')], [([5], [9, 0, 1, 9, 9])])


def case_padv2_of_int8():
    return op('PADV2', [2], [table([(1, 0)]), scalar(-9, 'INT8', scale=1.0)], [([3], [-9, 0, 1])], kind='INT8')


def case_mirror_pad():
    return op('MIRROR_PAD', [3], [table([(2, 1)])], [([6], [2, 1, 0, 1, 2, 1])], {0: B(0)})


def case_mirror_pad_symmetric():
    return op('MIRROR_PAD', [3], [table([(2, 1)])], [([6], [1, 0, 0, 1, 2, 2])], {0: B(1)})


def case_reverse():
    return op('REVERSE_V2', [2, 3], [[1]], [([2, 3], [2, 1, 0, 5, 4, 3])])


def case_reverse_of_two_axes():
    return op('REVERSE_V2', [2, 3], [[0, -1]], [([2, 3], [5, 4, 3, 2, 1, 0])])


def case_topk():
    return op('TOPK_V2', [4], [scalar(2)], [([2], [9, 5]), ([2], [1, 3], 'INT32')], values=[1, 9, 3, 5])


def case_broadcast_to():
    return op('BROADCAST_TO', [2, 1], [[2, 2, 3]], [([2, 2, 3], [0, 0, 0, 1, 1, 1] * 2)])


def case_broadcast_to_of_bool():
    return op('BROADCAST_TO', [2], [[2, 2]], [([2, 2], [1, 0, 1, 0])], kind='BOOL', values=[1, 0])


def case_broadcast_to_another_scale():
    m = Model()
    x, y = m.input('x', [1, 2], 'INT8', scale=0.5), m.tensor('y', [2, 2], 'INT8', scale=0.25, zero=1)
    m.op('BROADCAST_TO', [x, m.ints([2, 2])], [y])
    m.outputs = [y]
    return Case(m, [('INT8', [1, -2])], [('INT8', [3, -3] * 2)])


def case_fill():
    return op('FILL', [], [[2, 2]], [([2, 2], [7] * 4)], values=[7], first=False)


def case_expand_dims():
    return op('EXPAND_DIMS', [2], [scalar(1)], [([2, 1], [0, 1])])


def case_shape():
    return op('SHAPE', [2, 3], [], [([2], [2, 3], 'INT32')])


def case_rank():
    return op('RANK', [2, 3], [], [([], [2], 'INT32')])


def case_zeros_like():
    return op('ZEROS_LIKE', [2], [], [([2], [0, 0])])


def case_zeros_like_of_int8():
    m = Model()
    x, y = m.input('x', [2], 'INT8', scale=0.5), m.tensor('y', [2], 'INT8', scale=0.5, zero=-7)
    m.op('ZEROS_LIKE', [x], [y])
    m.outputs = [y]
    return Case(m, [('INT8', [1, 2])], [('INT8', [-7, -7])])


def case_reshape_of_another_size():
    return op('RESHAPE', [2, 2], [[3]], [([3], [0] * 3)]).refuse('tensor x has 4 elements, tensor y0 has 3')


def case_gather_of_batches():
    return op('GATHER', [2, 2], [lambda m: m.ints([0, 1], [2, 1])], [([2, 1], [0, 3])], {0: I(1), 1: I(1)})


def case_gather_of_two_batch_dimensions():
    indices = [1, 0, 0, 0, 1, 1]
    return op('GATHER', [1, 3, 2, 2], [lambda m: m.ints(indices, [1, 3, 2])],
              [([1, 3, 2, 2], [v for n, i in enumerate(indices) for v in (n // 2 * 4 + 2 * i, n // 2 * 4 + 2 * i + 1)])], {0: I(2), 1: I(2)})


def case_gather_of_a_later_axis_of_batches():
    return op('GATHER', [2, 2, 2], [lambda m: m.ints([0, 1], [2, 1])], [([2, 2, 1], [0] * 4)], {0: I(2), 1: I(1)}).refuse(
        'axis 2 behind 1 batch dimensions')


def case_gather_nd():
    return op('GATHER_ND', [2, 3, 2], [lambda m: m.ints([1, 0, 0, 2], [2, 2])], [([2, 2], [6, 7, 4, 5])])


def case_gather_nd_of_elements():
    return op('GATHER_ND', [2, 3], [lambda m: m.ints([1, 2, 0, 1], [2, 2])], [([2], [5, 1])])


def case_gather_nd_along_one_axis():
    return op('GATHER_ND', [3, 2], [lambda m: m.ints([2, 0], [1, 2, 1])], [([1, 2, 2], [4, 5, 0, 1])], kind='INT8')


def case_gather_nd_of_too_many_axes():
    return op('GATHER_ND', [3], [lambda m: m.ints([0, 0], [1, 2])], [([1], [0])]).refuse(r'tensor ints1\) do not fit tensor x of rank 1')


def one_hot(axis, shape, values):
    return op('ONE_HOT', [2], [scalar(3), scalar(9, 'FLOAT32'), scalar(1, 'FLOAT32')], [(shape, values, 'FLOAT32')], {0: I(axis)},
              'INT32', [2, 0])


def case_one_hot():
    return one_hot(-1, [2, 3], [1, 1, 9, 9, 1, 1])


def case_one_hot_along_the_first_axis():
    return one_hot(0, [3, 2], [1, 9, 1, 1, 9, 1])


def case_resize_nearest_with_both_options():
    return op('RESIZE_NEAREST_NEIGHBOR', [1, 1, 2, 1], [[1, 4]], [([1, 1, 4, 1], [0] * 4)], {0: B(1), 1: B(1)}).refuse(
        'align_corners or half_pixel_centers, not both')


def case_index_of_64_bits():
    return op('ARG_MAX', [3], [[0]], [([], [2], 'INT64')])
