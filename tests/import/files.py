# SPDX-License-Identifier: Apache-2.0
"""Where and how a file has the contents of its tensors; files that lie."""
import struct

import broken_models
from run_cases import Case
from tflite_writer import B, I, Model, Q, Vector, pack


def add_of(model, constant):
    x, y = model.input('x', [2, 3]), model.tensor('y', [2, 3])
    model.op('ADD', [x, constant], [y], {})
    model.outputs = [y]
    return model


def added(model, values):
    return Case(model, [('FLOAT32', [0] * 6)], [('FLOAT32', values)])


def behind(values, offset=0):
    """The contents behind the FlatBuffer."""
    m = Model()
    number = m.buffer({1: Q(2), 2: Q(4 * len(values))})
    add_of(m, m.tensor('c', [2, 3], f2=I(number)))
    size = len(m.bytes())
    m.buffers[number] = {1: Q(size + offset), 2: Q(4 * len(values))}
    m.tail = pack('FLOAT32', values)
    return m


def gather(kind):
    m = Model()
    x, i, y = m.input('x', [2, 2]), m.ints([1]), m.tensor('y', [1, 2] if kind else [2, 1])
    m.op('GATHER', [x, i], [y], {0: I(1)}, kind=kind)
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2, 3, 4])], [('FLOAT32', [3, 4] if kind else [2, 4])])


def case_options():
    return gather(None)


def case_options_of_another_operator():
    """They are none: the axis is the default, 0."""
    return gather('RESHAPE')


def case_external_buffer():
    return added(behind([1, 2, 3, 4, 5, 6]), [1, 2, 3, 4, 5, 6])


def case_external_buffer_beyond_the_file():
    return Case(behind([1, 2, 3, 4, 5, 6], 1), [('FLOAT32', [0] * 6)], refused='buffer 1 of tensor c is 24 bytes at .* outside')


def case_external_buffer_wraps():
    m = Model()
    add_of(m, m.tensor('c', [2, 3], f2=I(m.buffer({1: Q(2**64 - 8), 2: Q(24)}))))
    return Case(m, [('FLOAT32', [0] * 6)], refused='outside the file')


def case_placeholder_of_an_external_buffer():
    """Offset 1 says that there is none: the tensor has no value."""
    m = Model()
    add_of(m, m.tensor('c', [2, 3], f2=I(m.buffer({1: Q(1), 2: Q(24)}))))
    return Case(m, [('FLOAT32', [0] * 6)], refused='reads tensor c, which no operation before it writes')


def dense(size):
    return {0: B(0), 1: I(size)}


def sparse(segments, indices, kind=1):
    code = {1: 'i', 2: 'H', 3: 'B'}[kind]
    vectors = [{0: Vector(code, v)} for v in (segments, indices)]
    return {0: B(1), 2: B(kind), 3: vectors[0], 4: B(kind), 5: vectors[1]}


def of(shape, values, order, levels, blocks=()):
    m = Model()
    body = pack('FLOAT32', values)
    table = {0: Vector('i', order), 2: levels}
    if blocks:
        table[1] = Vector('i', blocks)
    c = m.tensor('c', shape, f2=I(m.buffer({0: Vector('B', body, 16)})), f6=table)
    return add_of(m, c)


def case_sparse_column_by_column():
    return added(of([2, 3], [1, 4, 2, 5, 3, 6], [1, 0], [dense(3), dense(2)]), [1, 2, 3, 4, 5, 6])


def case_sparse_rows():
    return added(of([2, 3], [7, 8, 9], [0, 1], [dense(2), sparse([0, 2, 3], [0, 2, 1])]), [7, 0, 8, 0, 9, 0])


def case_sparse_rows_of_16_bit_indices():
    return added(of([2, 3], [7, 8, 9], [0, 1], [dense(2), sparse([0, 1, 3], [2, 0, 1], 2)]), [0, 0, 7, 8, 9, 0])


def case_sparse_columns_of_bytes():
    return added(of([2, 3], [7, 8], [1, 0], [dense(3), sparse([0, 1, 1, 2], [1, 0], 3)]), [0, 0, 8, 7, 0, 0])


def case_sparse_blocks():
    """[2, 4] in blocks of [2, 2]: the second block only."""
    m = Model()
    levels = [dense(1), sparse([0, 1], [1]), dense(2), dense(2)]
    table = {0: Vector('i', [0, 1, 2, 3]), 1: Vector('i', [0, 1]), 2: levels}
    c = m.tensor('c', [2, 4], f2=I(m.buffer({0: Vector('B', pack('FLOAT32', [1, 2, 3, 4]), 16)})), f6=table)
    x, y = m.input('x', [2, 4]), m.tensor('y', [2, 4])
    m.op('ADD', [x, c], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [0] * 8)], [('FLOAT32', [0, 0, 1, 2, 0, 0, 3, 4])])


def case_densify():
    m = of([2, 3], [7, 8, 9], [0, 1], [dense(2), sparse([0, 2, 3], [0, 2, 1])])
    d = m.tensor('d', [2, 3])
    m.op('DENSIFY', [0], [d])
    m.ops.insert(0, m.ops.pop())
    m.ops[1][1] = Vector('i', [1, d])
    return added(m, [7, 0, 8, 0, 9, 0])


def refused(model, words):
    return Case(model, [('FLOAT32', [0] * 6)], refused=words)


def case_sparse_index_outside():
    return refused(of([2, 3], [7], [0, 1], [dense(2), sparse([0, 1, 1], [3])]), 'tensor c: a sparse index is 3 of 3 along dimension 1')


def case_sparse_segments_overlap():
    return refused(of([2, 3], [7, 8], [0, 1], [dense(2), sparse([0, 2, 1], [0, 1])]), 'tensor c: a segment of level 1')


def case_sparse_values_missing():
    return refused(of([2, 3], [7], [0, 1], [dense(2), sparse([0, 2, 3], [0, 2, 1])]), 'tensor c: its buffer has 4 bytes, fewer')


def case_sparse_values_left():
    return refused(of([2, 3], [7, 8, 9, 1], [0, 1], [dense(2), sparse([0, 2, 3], [0, 2, 1])]), 'tensor c: its buffer has 16 bytes')


def case_sparse_order_repeats():
    return refused(of([2, 3], [7] * 4, [0, 0], [dense(2), dense(2)]), 'order of dimensions names 0 twice')


def case_sparse_extent_differs():
    return refused(of([2, 3], [7] * 8, [0, 1], [dense(2), dense(4)]), 'dimension 1 has 4 entries in blocks of 1, its shape 3')


def case_int4():
    """Two values in a byte, the lower first."""
    m = Model()
    w = m.const('w', [1, 3], struct.pack('<2B', 0x21, 0x0f), 'INT4', scale=0.5)
    x, y = m.input('x', [1, 3]), m.tensor('y', [1, 1])
    m.op('FULLY_CONNECTED', [x, w, -1], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 10, 100])], [('FLOAT32', [0.5 + 10 - 50])], 1e-5)


def case_2_to_the_31_elements():
    m = Model()
    x, y = m.input('x', [65536, 32768]), m.tensor('y', [65536, 32768])
    m.op('RELU', [x], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [0])], refused='tensor x is larger than 1 GiB')


def case_negative_extent():
    m = Model()
    x, y = m.input('x', [-1, 2]), m.tensor('y', [1, 2])
    m.op('RELU', [x], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [0])], refused='dimension 0 of tensor x is -1')


def case_cycle():
    m = Model()
    x, a, b = m.input('x', [2]), m.tensor('a', [2]), m.tensor('b', [2])
    m.op('ADD', [x, b], [a], {})
    m.op('RELU', [a], [b])
    m.outputs = [b]
    return Case(m, [('FLOAT32', [1, 2])], refused=r'operation 0 \(ADD\): it reads tensor b, which no operation before it writes')


def case_written_twice():
    m = Model()
    x, a = m.input('x', [2]), m.tensor('a', [2])
    m.op('RELU', [x], [a])
    m.op('NEG', [x], [a])
    m.outputs = [a]
    return Case(m, [('FLOAT32', [1, 2])], refused=r'operation 1 \(NEG\): tensor a has a value before it is written')


def case_cut():
    m = Model()
    add_of(m, m.const('c', [2, 3], [0] * 6))
    return Case(m.bytes()[:-40], [('FLOAT32', [0] * 6)], refused='outside the file')


def large(make, words):
    """A small file that a careless reader makes large."""
    return Case(make(), refused=words)


def case_one_operator_often():
    return large(broken_models.one_operator_often, 'lists of tensors have more entries than a file of 480[0-9]* bytes')


def case_one_tensor_often():
    return large(broken_models.one_tensor_often, '20000[0-9] tensors and 0 operations are more than a file of 800[0-9]* bytes has')


def case_one_int4_buffer_often():
    return large(broken_models.one_int4_buffer_often, 'tensor c: its constants are too large for a file')


def case_one_float16_buffer_often():
    return large(broken_models.one_float16_buffer_often, r'\(DEQUANTIZE\): its constants need more memory than a file')


def case_many_states():
    return large(broken_models.many_states, 'it has 5000 variable tensors, may have 512')


def case_as_many_states_as_there_may_be():
    return Case(broken_models.states(512), [('FLOAT32', [1])], [('FLOAT32', [1])])


def case_zero_point_outside():
    """Of a constant that becomes real, too."""
    m = Model()
    x, w = m.input('x', [1, 1]), m.const('w', [1, 1], [1], 'INT8', scale=0.5, zero=-129)
    y = m.tensor('y', [1, 1])
    m.op('FULLY_CONNECTED', [x, w, -1], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1])], refused='zero point 0 of tensor w is -129, outside INT8')
