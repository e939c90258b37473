# SPDX-License-Identifier: Apache-2.0
"""Variable tensors: their value goes on from one execution to the next, and begins at zero."""
import math

from run_cases import Case
from tflite_writer import B, I, Model

X, W = 0.5, 0.3


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def lstm_states(steps):
    """Of one unit whose weights are all W, without biases."""
    h = c = 0
    for _ in range(steps):
        gate = W * X + W * h
        c = sigmoid(gate) * c + sigmoid(gate) * math.tanh(gate)
        h = sigmoid(gate) * math.tanh(c)
    return h, c


def lstm(name, x_shape, steps, kind='FLOAT32', options=None):
    m = Model()
    x = m.input('x', x_shape)
    matrix = [m.const(f'w{i}', [1, 1], [W if kind == 'FLOAT32' else 3], kind, **({} if kind == 'FLOAT32' else {'scale': W / 3}))
              for i in range(8)]
    bias = [m.const(f'b{i}', [1], [0]) for i in range(4)]
    h, c, y = m.variable('h', [1, 1]), m.variable('c', [1, 1]), m.tensor('y', x_shape)
    m.op(name, [x, *matrix, -1, -1, -1, *bias, -1, -1, h, c, -1, -1, -1, -1], [y], options or {0: B(4)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [X])], [('FLOAT32', [lstm_states(steps)[0]])], 1e-5, repeat=steps)


def case_sequence_lstm():
    return lstm('UNIDIRECTIONAL_SEQUENCE_LSTM', [1, 1, 1], 1)


def case_sequence_lstm_goes_on():
    return lstm('UNIDIRECTIONAL_SEQUENCE_LSTM', [1, 1, 1], 3)


def case_lstm_goes_on():
    return lstm('LSTM', [1, 1], 3)


def case_hybrid_lstm_goes_on():
    return lstm('UNIDIRECTIONAL_SEQUENCE_LSTM', [1, 1, 1], 2, 'INT8')


def case_lstm_of_the_basic_kernel():
    return lstm('LSTM', [1, 1], 1, options={0: B(4), 3: B(1)}).refuse('NNAPI has no LSTM of the basic kernel')


def rnn_state(steps):
    h = 0
    for _ in range(steps):
        h = math.tanh(W * X + 2 * W * h + 0.1)
    return h


def rnn(name, x_shape, y_shape, options):
    m = Model()
    x, w, r = m.input('x', x_shape), m.const('w', [1, 1], [W]), m.const('r', [1, 1], [2 * W])
    b, h, y = m.const('b', [1], [0.1]), m.variable('h', [1, 1]), m.tensor('y', y_shape)
    m.op(name, [x, w, r, b, h], [y], options)
    m.outputs = [y]
    return Case(m, [('FLOAT32', [X])], [('FLOAT32', [rnn_state(3)])], 1e-5, repeat=3)


def case_rnn_goes_on():
    return rnn('RNN', [1, 1], [1, 1], {0: B(4)})


def case_sequence_rnn_goes_on():
    return rnn('UNIDIRECTIONAL_SEQUENCE_RNN', [1, 1, 1], [1, 1, 1], {1: B(4)})


def case_svdf_goes_on():
    """One unit with a memory of 2: the newest feature counts 1, the one before 10."""
    m = Model()
    x, f, t = m.input('x', [1, 1]), m.const('f', [1, 1], [2]), m.const('t', [1, 2], [10, 1])
    s, y = m.variable('s', [1, 2]), m.tensor('y', [1, 1])
    m.op('SVDF', [x, f, t, -1, s], [y], {0: I(1)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [3])], [('FLOAT32', [66])], 1e-4, repeat=2)


def case_quantized_lstm():
    m = Model()
    x = m.input('x', [1, 1, 1], 'INT8', scale=0.1)
    y = m.tensor('y', [1, 1, 1], 'INT8', scale=0.1)
    m.op('UNIDIRECTIONAL_SEQUENCE_LSTM', [x] + [-1] * 23, [y], {})
    m.outputs = [y]
    return Case(m, [('INT8', [1])], refused=r'input 0 \(tensor x\) is INT8: .* do not quantize this operation')


def both_ways(x, step):
    """Outputs of a sequence forwards and backwards, with a state that begins at 0."""
    outputs = []
    for sequence in (x, x[::-1]):
        state, out = 0, []
        for value in sequence:
            state = step(value, state)
            out.append(state)
        outputs.append(out)
    return outputs[0], outputs[1][::-1]


def case_rnn_of_both_directions():
    m = Model()
    x = m.input('x', [1, 2, 1])
    cells = [[m.const(f'w{d}', [1, 1], [W]), m.const(f'r{d}', [1, 1], [2 * W]), m.const(f'b{d}', [1], [0]),
              m.variable(f'h{d}', [1, 1])] for d in range(2)]
    f, b = m.tensor('f', [1, 2, 1]), m.tensor('b', [1, 2, 1])
    m.op('BIDIRECTIONAL_SEQUENCE_RNN', [x, *cells[0], *cells[1], -1, -1, -1], [f, b], {1: B(4)})
    m.outputs = [f, b]
    forwards, backwards = both_ways([0.5, -1], lambda v, h: math.tanh(W * v + 2 * W * h))
    return Case(m, [('FLOAT32', [0.5, -1])], [('FLOAT32', forwards), ('FLOAT32', backwards)], 1e-5)


def case_lstm_of_both_directions():
    m = Model()
    x = m.input('x', [2, 1, 1])
    cells, states = [], []
    for d in range(2):
        weights = [m.const(f'w{d}{i}', [1, 1], [W]) for i in range(8)]
        cells += [*weights, -1, -1, -1, *[m.const(f'b{d}{i}', [1], [0]) for i in range(4)], -1, -1]
        states += [m.variable(f'h{d}', [1, 1]), m.variable(f'c{d}', [1, 1])]
    y = m.tensor('y', [2, 1, 2])
    m.op('BIDIRECTIONAL_SEQUENCE_LSTM', [x, *cells, *states] + [-1] * 9, [y], {0: B(4), 3: B(1)})
    m.outputs = [y]
    # one value twice: forwards the state is that of 1 and 2 steps, backwards of 2 and 1
    expected = [lstm_states(n)[0] for n in (1, 2, 2, 1)]
    return Case(m, [('FLOAT32', [X, X])], [('FLOAT32', expected)], 1e-5)


# ---- resource variables ----

def handle(graph, name, container=''):
    h = graph.tensor(f'handle {len(graph.tensors)}', [], 'RESOURCE')
    graph.op('VAR_HANDLE', [], [h], {0: container, 1: name})
    return h


def begin(model, values, kind='FLOAT32', **keys):
    """CALL_ONCE of a subgraph that gives each variable of @values its first value."""
    g = model.graph()
    for name, value in values.items():
        g.op('ASSIGN_VARIABLE', [handle(g, name), g.const(f'first {name}', [len(value)], value, kind, **keys)], [], {})
    model.op('CALL_ONCE', [], [], {0: I(model.graphs.index(g))})


def read(model, h, shape, kind='FLOAT32', **keys):
    value = model.tensor(f'value {len(model.tensors)}', shape, kind, **keys)
    model.op('READ_VARIABLE', [h], [value], {})
    return value


def sums(first, steps, refused=None, initial=True, shape=2):
    """y = v + x; v = y, by two handles of v."""
    m = Model()
    x, y = m.input('x', [2]), m.tensor('y', [2])
    if initial:
        begin(m, {'v': first})
    m.op('ADD', [read(m, handle(m, 'v'), [shape]), x], [y], {})
    m.op('ASSIGN_VARIABLE', [handle(m, 'v'), y], [], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, -2])], [('FLOAT32', [steps, -2 * steps])], refused=refused, repeat=steps)


def case_variable():
    return sums([0, 0], 1)


def case_variable_goes_on():
    return sums([0, 0], 4)


def case_variable_read_before_and_after():
    """What was read keeps its value."""
    m = Model()
    x, before, after = m.input('x', [2]), m.tensor('before', [2]), m.tensor('after', [2])
    begin(m, {'v': [0, 0]})
    h = handle(m, 'v')
    old = read(m, h, [2])
    m.op('ASSIGN_VARIABLE', [h, x], [], {})
    m.op('NEG', [old], [before])
    m.op('NEG', [read(m, h, [2])], [after])
    m.outputs = [before, after]
    return Case(m, [('FLOAT32', [1, -2])], [('FLOAT32', [0, 0]), ('FLOAT32', [-1, 2])])


def case_variables_of_two_names():
    m = Model()
    x, y = m.input('x', [1]), m.tensor('y', [1])
    begin(m, {'a': [0], 'b': [0]})
    a, b = read(m, handle(m, 'a'), [1]), read(m, handle(m, 'b'), [1])
    total = m.tensor('sum', [1])
    m.op('ADD', [a, x], [total], {})
    m.op('ASSIGN_VARIABLE', [handle(m, 'b'), a], [], {})
    m.op('ASSIGN_VARIABLE', [handle(m, 'a'), total], [], {})
    m.op('NEG', [b], [y])
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1])], [('FLOAT32', [-2])], repeat=4)


def case_variable_of_int8_begins_at_its_zero_point():
    m, keys = Model(), {'kind': 'INT8', 'scale': 0.5, 'zero': -7}
    x, y = m.input('x', [3], **keys), m.tensor('y', [3], **keys)
    begin(m, {'v': [-7, -7, -7]}, **keys)
    h = handle(m, 'v')
    m.op('ADD', [read(m, h, [3], **keys), x], [y], {})
    m.op('ASSIGN_VARIABLE', [h, y], [], {})
    m.outputs = [y]
    return Case(m, [('INT8', [-5, -7, -9])], [('INT8', [-1, -7, -13])], repeat=3)


def case_variable_of_other_first_values():
    return sums([1, 2], 1, 'the bytes of the first value of variable v are not the same')


def case_variable_without_first_value():
    return sums(None, 1, 'no CALL_ONCE gives the variable', initial=False)


def case_variable_whose_first_value_has_another_size():
    return sums([0, 0, 0], 1, 'the first value of variable v is no constant of its size')


def case_variable_of_two_shapes():
    return sums([0], 1, 'tensor y has another type, shape or quantization than other values of its variable', shape=1)


def case_variable_handle_as_output():
    m = Model()
    x, y = m.input('x', [2]), m.tensor('y', [2])
    begin(m, {'v': [0, 0]})
    h = handle(m, 'v')
    m.op('ADD', [read(m, h, [2]), x], [y], {})
    m.outputs = [y, h]
    return Case(m, [('FLOAT32', [1, 2])], refused='a handle of a variable, is an input or output')


def case_variable_handle_in_arithmetic():
    m = Model()
    x, y = m.input('x', [2]), m.tensor('y', [2])
    begin(m, {'v': [0, 0]})
    h = handle(m, 'v')
    m.op('ADD', [read(m, h, [2]), h], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2])], refused='it uses the handle handle [0-9]* of a variable')


def case_variable_with_a_long_name():
    m = Model()
    x, y = m.input('x', [2]), m.tensor('y', [2])
    m.op('ADD', [read(m, handle(m, 'v' * 200), [2]), x], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2])], refused='the name of its variable is longer than 126 bytes')


def case_variable_of_int64():
    m = Model()
    x, y = m.input('x', [2]), m.tensor('y', [2])
    begin(m, {'v': [0]}, 'INT64')
    m.op('GATHER', [x, read(m, handle(m, 'v'), [1], 'INT64')], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2])], refused='variable handle [0-9]* is INT64: NNAPI has no such operand')


def case_call_once_five_times():
    m = Model()
    x, y = m.input('x', [2]), m.tensor('y', [2])
    begin(m, {'v': [0, 0]})
    m.ops *= 5
    m.op('ADD', [read(m, handle(m, 'v'), [2]), x], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2])], refused='the file has more than 4 CALL_ONCE')


def case_call_once_of_other_operations():
    m = Model()
    x, y = m.input('x', [2]), m.tensor('y', [2])
    g = m.graph()
    g.op('ASSIGN_VARIABLE', [handle(g, 'v'), g.const('c', [2], [0, 0])], [], {})
    g.op('NEG', [g.const('d', [2], [0, 0])], [g.tensor('e', [2])])
    m.op('CALL_ONCE', [], [], {0: I(1)})
    m.op('ADD', [read(m, handle(m, 'v'), [2]), x], [y], {})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [1, 2])], refused='its subgraph has NEG, and may only give variables first values')


def case_variable_in_a_branch():
    m = Model()
    c, x, y = m.input('c', [], 'BOOL'), m.input('x', [2]), m.tensor('y', [2])
    begin(m, {'v': [0, 0]})
    graphs = []
    for _ in range(2):
        g = m.graph()
        u, z = g.input('u', [2]), g.tensor('z', [2])
        g.op('ADD', [read(g, handle(g, 'v'), [2]), u], [z], {})
        g.outputs = [z]
        graphs.append(m.graphs.index(g))
    m.op('IF', [c, x], [y], {0: I(graphs[0]), 1: I(graphs[1])})
    m.outputs = [y]
    return Case(m, [('BOOL', [1]), ('FLOAT32', [1, 2])], refused='resource variables are translated in the first subgraph of a file only')
