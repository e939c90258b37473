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
