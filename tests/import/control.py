# SPDX-License-Identifier: Apache-2.0
"""IF and WHILE, whose branches, conditions and bodies are subgraphs of the file."""
from run_cases import Case
from tflite_writer import B, I, Model


def branch(model, name, kind='FLOAT32', **keys):
    """A subgraph y = @name(x) of two elements."""
    g = model.graph()
    x, y = g.input('x', [2], kind, **keys), g.tensor('y', [2], kind, **keys)
    g.op(name, [x], [y])
    g.outputs = [y]
    return model.graphs.index(g)


def choice(condition):
    m = Model()
    c, x, y = m.input('c', [], 'BOOL'), m.input('x', [2]), m.tensor('y', [2])
    m.op('IF', [c, x], [y], {0: I(branch(m, 'NEG')), 1: I(branch(m, 'ABS'))})
    m.outputs = [y]
    return Case(m, [('BOOL', [condition]), ('FLOAT32', [1, -2])], [('FLOAT32', [-1, 2] if condition else [1, 2])])


def case_if():
    return choice(1)


def case_else():
    return choice(0)


def case_constant_in_a_branch():
    m = Model()
    c, x, y = m.input('c', [1], 'BOOL'), m.input('x', [2]), m.tensor('y', [2])
    m.const('unused', [3], [1, 2, 3])
    g = m.graph()
    u, k, v = g.input('u', [2]), g.const('k', [2], [10, 20]), g.tensor('v', [2])
    g.op('ADD', [u, k], [v], {})
    g.outputs = [v]
    m.op('IF', [c, x], [y], {0: I(1), 1: I(branch(m, 'ABS'))})
    m.outputs = [y]
    return Case(m, [('BOOL', [1]), ('FLOAT32', [1, -2])], [('FLOAT32', [11, 18])])


def case_branch_that_does_nothing():
    m = Model()
    c, x, y = m.input('c', [1], 'BOOL'), m.input('x', [2]), m.tensor('y', [2])
    g = m.graph()
    g.outputs = [g.input('u', [2])]
    m.op('IF', [c, x], [y], {0: I(1), 1: I(branch(m, 'NEG'))})
    m.outputs = [y]
    return Case(m, [('BOOL', [1]), ('FLOAT32', [1, -2])], [('FLOAT32', [1, -2])])


def case_if_inside_of_if():
    m = Model()
    c, x, y = m.input('c', [1], 'BOOL'), m.input('x', [2]), m.tensor('y', [2])
    g = m.graph()
    u, k, v = g.input('u', [2]), g.const('k', [1], [0], 'BOOL'), g.tensor('v', [2])
    g.op('IF', [k, u], [v], {0: I(branch(m, 'NEG')), 1: I(branch(m, 'RELU'))})
    g.outputs = [v]
    m.op('IF', [c, x], [y], {0: I(1), 1: I(branch(m, 'ABS'))})
    m.outputs = [y]
    return Case(m, [('BOOL', [1]), ('FLOAT32', [1, -2])], [('FLOAT32', [1, 0])])


def loop():
    """Doubles x until n is 0."""
    m = Model()
    n, x = m.input('n', [], 'INT32'), m.input('x', [2])
    left, y = m.tensor('left', [], 'INT32'), m.tensor('y', [2])
    condition, body = m.graph(), m.graph()
    k, _ = condition.input('k', [], 'INT32'), condition.input('v', [2])
    more = condition.tensor('more', [], 'BOOL')
    condition.op('GREATER', [k, condition.const('zero', [], [0], 'INT32')], [more])
    condition.outputs = [more]
    k, v = body.input('k', [], 'INT32'), body.input('v', [2])
    fewer, twice = body.tensor('fewer', [], 'INT32'), body.tensor('twice', [2])
    body.op('SUB', [k, body.const('one', [], [1], 'INT32')], [fewer], {0: B(0)})
    body.op('ADD', [v, v], [twice], {0: B(0)})
    body.outputs = [fewer, twice]
    m.op('WHILE', [n, x], [left, y], {0: I(1), 1: I(2)})
    m.outputs = [y, left]
    return m


def case_while():
    return Case(loop(), [('INT32', [3]), ('FLOAT32', [1, -2])], [('FLOAT32', [8, -16]), ('INT32', [0])])


def case_while_that_does_not_begin():
    return Case(loop(), [('INT32', [0]), ('FLOAT32', [1, -2])], [('FLOAT32', [1, -2]), ('INT32', [0])])


def case_subgraph_that_names_itself():
    m = Model()
    c, x, y = m.input('c', [1], 'BOOL'), m.input('x', [2]), m.tensor('y', [2])
    g = m.graph()
    k, u, v = g.const('k', [1], [1], 'BOOL'), g.input('u', [2]), g.tensor('v', [2])
    g.op('IF', [k, u], [v], {0: I(1), 1: I(1)})
    g.outputs = [v]
    m.op('IF', [c, x], [y], {0: I(1), 1: I(1)})
    m.outputs = [y]
    return Case(m, [('BOOL', [1]), ('FLOAT32', [1, -2])], refused='subgraphs of the file name each other too often')


def case_subgraph_that_is_missing():
    m = Model()
    c, x, y = m.input('c', [1], 'BOOL'), m.input('x', [2]), m.tensor('y', [2])
    m.op('IF', [c, x], [y], {0: I(branch(m, 'NEG')), 1: I(7)})
    m.outputs = [y]
    return Case(m, [('BOOL', [1]), ('FLOAT32', [1, -2])], refused=r'operation 0 \(IF\): subgraph 7: .*no subgraph 7 of 2')


def case_operator_that_nnapi_lacks_in_a_branch():
    m = Model()
    c, x, y = m.input('c', [1], 'BOOL'), m.input('x', [2]), m.tensor('y', [2])
    m.op('IF', [c, x], [y], {0: I(branch(m, 'NEG')), 1: I(branch(m, 'UNIQUE'))})
    m.outputs = [y]
    return Case(m, [('BOOL', [1]), ('FLOAT32', [1, -2])], refused=r'operation 0 \(IF\): subgraph 2: operation 0 \(UNIQUE\)')


def case_branch_of_another_shape():
    m = Model()
    c, x, y = m.input('c', [1], 'BOOL'), m.input('x', [3]), m.tensor('y', [3])
    m.op('IF', [c, x], [y], {0: I(branch(m, 'NEG')), 1: I(branch(m, 'ABS'))})
    m.outputs = [y]
    return Case(m, [('BOOL', [1]), ('FLOAT32', [1, -2, 3])], refused=r'operation 0 \(IF\): NNAPI refuses')


def case_branch_of_other_outputs():
    m = Model()
    c, x = m.input('c', [1], 'BOOL'), m.input('x', [2])
    y, z = m.tensor('y', [2]), m.tensor('z', [2])
    m.op('IF', [c, x], [y, z], {0: I(branch(m, 'NEG')), 1: I(branch(m, 'ABS'))})
    m.outputs = [y, z]
    return Case(m, [('BOOL', [1]), ('FLOAT32', [1, -2])], refused='subgraph 1 has 1 inputs and 1 outputs, must have 1 and 2')
