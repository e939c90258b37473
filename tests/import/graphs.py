# SPDX-License-Identifier: Apache-2.0
"""Graphs of ordinary and of odd form."""
from run_cases import Case
from tflite_writer import B, Model


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
    m.op('GATHER_ND', [x, y], [z])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [-1, 1])], [('FLOAT32', [0, 1])])
