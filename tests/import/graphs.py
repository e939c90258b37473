# SPDX-License-Identifier: Apache-2.0
"""Graphs of ordinary and of odd form: what is an input, an output, a scalar, a shape."""
from run_cases import Case
from tflite_writer import B, I, Model, Vector


def case_one_operation():
    m = Model()
    x, y = m.input('x', [1, 3]), m.tensor('y', [1, 3])
    m.op('RELU', [x], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [-1, 0, 2])], [('FLOAT32', [0, 0, 2])])


def case_a_constant():
    m = Model()
    x, b, y = m.input('x', [2, 2]), m.const('b', [2], [10, 20]), m.tensor('y', [2, 2])
    m.op('ADD', [x, b], [y], {0: B(0)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2, 3, 4])], [('FLOAT32', [11, 22, 13, 24])])


def case_unused_operation():
    m = Model()
    x, y, z = m.input('x', [2]), m.tensor('y', [2]), m.tensor('z', [2])
    m.op('RELU', [x], [y])
    m.op('UNIQUE', [x, y], [z])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [-1, 1])], [('FLOAT32', [0, 1])])


def case_unread_shape():
    """The shape that RESHAPE reads is computed by operations that NNAPI lacks."""
    m = Model()
    x, s, t, y = m.input('x', [2, 2]), m.tensor('s', [2], 'INT32'), m.tensor('t', [1], 'INT32'), m.tensor('y', [4])
    m.op('SHAPE', [x], [s])
    m.op('UNIQUE', [s, s], [t])
    m.op('RESHAPE', [x, t], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2, 3, 4])], [('FLOAT32', [1, 2, 3, 4])])


def case_input_is_output():
    m = Model()
    x = m.input('x', [1, 2])
    m.outputs = [x]
    return Case(m, [('FLOAT32', [-1, 2])], [('FLOAT32', [-1, 2])])


def case_bool_input_is_output():
    m = Model()
    x, y = m.input('x', [3], 'BOOL'), m.tensor('y', [3], 'BOOL')
    m.op('LOGICAL_NOT', [x], [y])
    m.outputs = [x, y, y]
    return Case(m, [('BOOL', [0, 1, 1])], [('BOOL', [0, 1, 1]), ('BOOL', [1, 0, 0]), ('BOOL', [1, 0, 0])])


def case_int8_output_thrice():
    m = Model()
    x, y = m.input('x', [2], 'INT8', scale=0.5), m.tensor('y', [2], 'INT8', scale=0.5)
    m.op('RELU', [x], [y])
    m.outputs = [y, y, y]
    return Case(m, [('INT8', [-4, 6])], [('INT8', [0, 6])] * 3)


def case_constant_is_output():
    m = Model()
    x, c, y = m.input('x', [2]), m.const('c', [2], [7, 8]), m.tensor('y', [2])
    m.op('NEG', [x], [y])
    m.outputs = [c, y]
    return Case(m, [('FLOAT32', [1, -2])], [('FLOAT32', [7, 8]), ('FLOAT32', [-1, 2])])


def case_no_input():
    m = Model()
    c, y = m.const('c', [2], [5, -5]), m.tensor('y', [2])
    m.op('RELU', [c], [y])
    m.outputs = [y]
    return Case(m, [], [('FLOAT32', [5, 0])])


def case_inner_tensor_without_shape():
    m = Model()
    x, t, u, y = m.input('x', [1, 2, 2]), m.tensor('t', None), m.tensor('u', []), m.tensor('y', [1, 2, 2])
    b = m.const('b', [2], [1, 2])
    m.op('NEG', [x], [t])
    m.op('ADD', [b, t], [u], {})
    m.op('RELU', [u], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2, -3, -4])], [('FLOAT32', [0, 0, 4, 6])])


def case_output_without_shape():
    m = Model()
    x, w = m.input('x', [1, 3, 3, 1]), m.const('w', [1, 2, 2, 1], [1, 1, 1, 1])
    t, p = m.tensor('t', None), m.tensor('p', None)
    m.op('CONV_2D', [x, w, -1], [t], {0: B(1), 1: I(1), 2: I(1)})
    m.op('MAX_POOL_2D', [t], [p], {0: B(0), 1: I(2), 2: I(2), 3: I(2), 4: I(2)})
    m.outputs = [p]
    return Case(m, [('FLOAT32', range(1, 10))], [('FLOAT32', [28])])


def case_scalars():
    m = Model()
    x, c, y = m.input('x', []), m.const('c', [], [2]), m.tensor('y', [])
    m.op('MUL', [x, c], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [4])], [('FLOAT32', [8])])


def case_pack_scalars():
    m = Model()
    a, b, y = m.input('a', []), m.input('b', []), m.tensor('y', [2])
    m.op('PACK', [a, b], [y], {0: I(2), 1: I(0)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1.5]), ('FLOAT32', [2.5])], [('FLOAT32', [1.5, 2.5])])


def case_unpack_to_scalars():
    m = Model()
    x, a, b = m.input('x', [2]), m.tensor('a', []), m.tensor('b', [])
    m.op('UNPACK', [x], [a, b], {0: I(2), 1: I(0)})
    m.outputs = [b, a]
    return Case(m, [('FLOAT32', [3, 4])], [('FLOAT32', [4]), ('FLOAT32', [3])])


def case_gather_by_scalar():
    m = Model()
    x, i, y = m.input('x', [2, 3, 2]), m.const('i', [], [2], 'INT32'), m.tensor('y', [2, 2])
    m.op('GATHER', [x, i], [y], {0: I(1)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', range(12))], [('FLOAT32', [4, 5, 10, 11])])


def case_strided_slice_to_scalar():
    m = Model()
    x, y = m.input('x', [4]), m.tensor('y', [])
    m.op('STRIDED_SLICE', [x, m.ints([-1]), m.ints([0]), m.ints([1])], [y], {4: I(1)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2, 3, 4])], [('FLOAT32', [4])])


def case_reshape_to_scalar():
    m = Model()
    x, s, y = m.input('x', [1, 1]), m.tensor('s', [0], 'INT32', f2=I(1)), m.tensor('y', [])
    m.buffer({0: Vector('B', [])})
    m.op('RESHAPE', [x, s], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [3.5])], [('FLOAT32', [3.5])])


def case_reduce_to_scalar():
    m = Model()
    x, y = m.input('x', [2, 2]), m.tensor('y', [])
    m.op('SUM', [x, m.ints([0, 1])], [y], {0: B(0)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2, 3, 4])], [('FLOAT32', [10])])


def case_squeeze_of_bool():
    m = Model()
    x, y = m.input('x', [1, 3], 'BOOL'), m.tensor('y', [3], 'BOOL')
    m.op('SQUEEZE', [x], [y])
    m.outputs = [y]
    return Case(m, [('BOOL', [1, 0, 1])], [('BOOL', [1, 0, 1])])


def case_pack_of_many():
    m = Model()
    x, y = m.input('x', [2]), m.tensor('y', [300, 2])
    m.op('PACK', [x] * 300, [y], {0: I(300), 1: I(0)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2])], [('FLOAT32', [1, 2] * 300)])


def case_concatenation_of_many():
    m = Model()
    x, y = m.input('x', [1]), m.tensor('y', [200])
    m.op('CONCATENATION', [x] * 200, [y], {0: I(0)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [3])], [('FLOAT32', [3] * 200)])


def case_concatenation_that_omits_an_input():
    m = Model()
    x, y, z = m.input('x', [1]), m.tensor('y', None), m.tensor('z', [2])
    m.op('CONCATENATION', [x, -1], [y], {0: I(0)})
    m.op('RELU', [y], [z])
    m.outputs = [z]
    return Case(m, [('FLOAT32', [3])], refused=r'operation 0 \(CONCATENATION\): input 1 is missing')


def case_index_of_64_bits_inside():
    m = Model()
    x, i, y = m.input('x', [2, 3]), m.tensor('i', [2], 'INT64'), m.tensor('y', [2], 'INT32')
    m.op('ARG_MAX', [x, m.const('axis', [], [-1], 'INT64')], [i])
    m.op('CAST', [i], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 3, 2, 9, 8, 7])], [('INT32', [1, 0])])


def case_split_into_many():
    m = Model()
    x = m.input('x', [300], 'INT8', scale=1.0)
    m.outputs = [m.tensor(f'y{i}', [1], 'INT8', scale=0.5) for i in range(300)]
    m.op('SPLIT', [m.const('axis', [], [0], 'INT32'), x], m.outputs, {0: I(300)})
    return Case(m, [('INT8', [i % 50 for i in range(300)])], [('INT8', [i % 50 * 2]) for i in range(300)])


def case_outputs_without_end():
    m = Model()
    x = m.input('x', [1])
    m.outputs = [x] * 5000
    return Case(m, [('FLOAT32', [1])], refused='has 1 inputs and 5000 outputs, may have 1024 of each')


def case_shape_that_lies():
    """The importer does not know it; the device does, and numbers its operations otherwise. The runtime finds it when it runs."""
    m = Model()
    x, t, u, y = m.input('x', [2]), m.tensor('t', [2]), m.tensor('u', [2]), m.tensor('y', [3])
    m.op('UNIQUE', [x, x], [m.tensor('unused', [2])])
    m.op('CEIL', [x], [t])
    m.op('NEG', [t], [u])
    m.op('RELU', [u], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2])], refused=r'operation 4 RELU: .*\(operation 3 \(RELU\) of the file\)')


def embedding(ids):
    """As the first operator of a language model. The numbers are an output, too, in another shape."""
    m = Model()
    x, i, y, z = m.const('table', [3, 2], range(6)), m.input('ids', [1, 2], 'INT64'), m.tensor('y', [1, 2, 2]), m.tensor('z', [2], 'INT64')
    m.op('GATHER', [x, i], [y], {0: I(0)})
    m.op('RESHAPE', [i, m.ints([2])], [z])
    m.outputs = [y, z]
    return Case(m, [('INT64', ids)], [('FLOAT32', [4, 5, 0, 1]), ('INT64', ids)])


def case_inputs_and_outputs_of_64_bits():
    return embedding([2, 0])


def case_input_beyond_32_bits():
    return embedding([2, 2**32]).refuse('element 1 of input ids is 4294967296: NNAPI has numbers of 32 bits')


def case_input_of_64_bits_is_output():
    m = Model()
    m.outputs = [m.input('x', [2], 'INT64')]
    return Case(m, [('INT64', [-2**31, 2**31 - 1])], [('INT64', [-2**31, 2**31 - 1])])


def case_mask_of_64_bits():
    m = Model()
    x, t, y = m.input('x', [2], 'INT64'), m.tensor('t', [2]), m.tensor('y', [2], 'BOOL')
    m.op('CAST', [x], [t])
    m.op('NOT_EQUAL', [x, m.const('zero', [], [0], 'INT64')], [y])
    m.outputs = [t, y]
    return Case(m, [('INT64', [-3, 0])], [('FLOAT32', [-3, 0]), ('BOOL', [1, 0])])


def case_sum_of_64_bits():
    """It may be beyond 32 bits where TFLite's is right."""
    m = Model()
    x, y = m.input('x', [2], 'INT64'), m.tensor('y', [2], 'INT64')
    m.op('ADD', [x, x], [y], {})
    m.outputs = [y]
    return Case(m, [('INT64', [1, 2])], refused=r'operation 0 \(ADD\): tensor y is INT64: NNAPI has no such operand')
