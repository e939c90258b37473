# SPDX-License-Identifier: Apache-2.0
"""Operators on elements, alone or as a few NNAPI operations."""
import math

from run_cases import Case
from tflite_writer import B, F, Model


def op(name, inputs, expected, options=None, shapes=None, tolerance=0):
    """@inputs, @expected: (type, values); @shapes: of the inputs, then of the output."""
    m = Model()
    shapes = shapes or [[len(values)] for _, values in inputs] + [[len(expected[1])]]
    numbers = [m.input(f'in{i}', shapes[i], kind) for i, (kind, _) in enumerate(inputs)]
    y = m.tensor('y', shapes[-1], expected[0])
    m.op(name, numbers, [y], options)
    m.outputs = [y]
    return Case(m, inputs, [expected], tolerance)


A, B7 = [7, 7, -7, -7, 6, -6, 1], [2, -2, 2, -2, 3, 3, -5]


def case_div_of_int32_truncates():
    return op('DIV', [('INT32', A), ('INT32', B7)], ('INT32', [3, -3, -3, 3, 2, -2, 0]), {})


def case_div_of_int32_broadcasts():
    return op('DIV', [('INT32', [7, -7, -1, 9]), ('INT32', [2, -4])], ('INT32', [3, 1, 0, -2]), {}, [[2, 2], [2], [2, 2]])


def case_div_of_int32_by_a_scalar():
    return op('DIV', [('INT32', [7, -7]), ('INT32', [2])], ('INT32', [3, -3]), {}, [[2], [], [2]])


def case_div_of_the_least_int32():
    return op('DIV', [('INT32', [-2**31] * 3 + [2**31 - 1]), ('INT32', [2, 3, -3, -2])],
              ('INT32', [-2**30, -715827882, 715827882, -(2**30 - 1)]), {})


def case_div_of_int32_with_relu():
    return op('DIV', [('INT32', [7, -7]), ('INT32', [2, 2])], ('INT32', [3, 0]), {0: B(1)})


def case_floor_div_of_int32():
    return op('FLOOR_DIV', [('INT32', A), ('INT32', B7)], ('INT32', [a // b for a, b in zip(A, B7)]))


def case_floor_div():
    return op('FLOOR_DIV', [('FLOAT32', [7, -7]), ('FLOAT32', [2, 2])], ('FLOAT32', [3, -4]))


def case_floor_mod_of_int32():
    return op('FLOOR_MOD', [('INT32', A), ('INT32', B7)], ('INT32', [a % b for a, b in zip(A, B7)]))


def case_floor_mod():
    return op('FLOOR_MOD', [('FLOAT32', [7, -7, 5.5]), ('FLOAT32', [2, 2, -2])], ('FLOAT32', [1, 1, -0.5]))


def case_leaky_relu():
    return op('LEAKY_RELU', [('FLOAT32', [3, -2])], ('FLOAT32', [3, -0.5]), {0: F(0.25)})


def case_prelu():
    return op('PRELU', [('FLOAT32', [3, -2]), ('FLOAT32', [0.5, 0.5])], ('FLOAT32', [3, -1]))


def case_relu_0_to_1():
    return op('RELU_0_TO_1', [('FLOAT32', [-1, 0.5, 2])], ('FLOAT32', [0, 0.5, 1]))


def case_relu_n1_to_1():
    return op('RELU_N1_TO_1', [('FLOAT32', [-2, 0.5, 2])], ('FLOAT32', [-1, 0.5, 1]))


def case_ceil():
    return op('CEIL', [('FLOAT32', [-1.5, 0.5, 2])], ('FLOAT32', [-1, 1, 2]))


def case_square():
    return op('SQUARE', [('FLOAT32', [-1.5, 2])], ('FLOAT32', [2.25, 4]))


def case_square_of_int32():
    return op('SQUARE', [('INT32', [-3, 2])], ('INT32', [9, 4]))


def case_squared_difference():
    return op('SQUARED_DIFFERENCE', [('FLOAT32', [1, 2]), ('FLOAT32', [4])], ('FLOAT32', [9, 4]))


def case_add_n():
    return op('ADD_N', [('FLOAT32', [1, 2]), ('FLOAT32', [10, 20]), ('FLOAT32', [100, 200])], ('FLOAT32', [111, 222]))


def case_add_n_of_one():
    return op('ADD_N', [('FLOAT32', [1, 2])], ('FLOAT32', [1, 2]))


def case_sin():
    return op('SIN', [('FLOAT32', [1])], ('FLOAT32', [math.sin(1)]), tolerance=1e-6)


def case_select_by_row():
    return op('SELECT', [('BOOL', [1, 0]), ('FLOAT32', [1, 2, 3, 4]), ('FLOAT32', [5, 6, 7, 8])], ('FLOAT32', [1, 2, 7, 8]), None,
              [[2], [2, 2], [2, 2], [2, 2]])


def case_select_broadcasts_the_condition():
    return op('SELECT_V2', [('BOOL', [1, 0]), ('FLOAT32', [1, 2, 3, 4]), ('FLOAT32', [9])], ('FLOAT32', [1, 9, 3, 9]), None,
              [[2], [2, 2], [], [2, 2]])


def case_select_broadcasts_values():
    return op('SELECT_V2', [('BOOL', [1, 0, 0, 1]), ('FLOAT32', [1]), ('FLOAT32', [5, 6])], ('FLOAT32', [1, 6, 5, 1]), None,
              [[2, 2], [], [2], [2, 2]])


def case_select():
    return op('SELECT', [('BOOL', [1, 0]), ('INT32', [1, 2]), ('INT32', [5, 6])], ('INT32', [1, 6]))


def case_cast_of_bool():
    return op('CAST', [('BOOL', [1, 0])], ('FLOAT32', [1, 0]))


def case_cast_to_bool():
    return op('CAST', [('FLOAT32', [0.5, 0, -1])], ('BOOL', [1, 0, 1]))


def case_cast_to_int32():
    return op('CAST', [('FLOAT32', [1.7, -1.7])], ('INT32', [1, -1]))


def case_reduce_all():
    m = Model()
    x, y = m.input('x', [2, 2], 'BOOL'), m.tensor('y', [2], 'BOOL')
    m.op('REDUCE_ALL', [x, m.ints([1])], [y], {0: B(0)})
    m.outputs = [y]
    return Case(m, [('BOOL', [1, 1, 1, 0])], [('BOOL', [1, 0])])


def case_unknown_operator():
    return op(300, [('FLOAT32', [1])], ('FLOAT32', [1])).refuse(r'operation 0 \(operator 300\): NNAPI has no such operation')


def case_too_few_inputs():
    return op('ADD', [('FLOAT32', [1])], ('FLOAT32', [1])).refuse(r'operation 0 \(ADD\): it has 1 inputs, must have 2 to 2')


def case_shapes_that_do_not_broadcast():
    return op('ADD', [('FLOAT32', [1, 2]), ('FLOAT32', [1, 2, 3])], ('FLOAT32', [1, 2, 3]), {}).refuse('.')


def case_string():
    return op('SQUEEZE', [('STRING', [0] * 4)], ('STRING', [0] * 4)).refuse('is STRING: NNAPI has no such operand')


def case_no_elements():
    return op('RELU', [('FLOAT32', [])], ('FLOAT32', []), None, [[0, 2], [0, 2]]).refuse(
        r'tensor in0 has no elements \(dimension 0 is 0\)')
