# SPDX-License-Identifier: Apache-2.0
"""Random models that NNAPI can express: operators in a row, of random types, shapes, quantizations and constants, and subgraphs.
Every value has a reader, so that the importer prunes nothing."""
import math
from collections import namedtuple

from tflite_writer import B, F, I, Model, Vector, pack

Value = namedtuple('Value', 'number shape kind quant')
REAL = ['FLOAT32', 'FLOAT16']
BYTES = ['INT8', 'UINT8']
UNARY = ['RELU', 'RELU6', 'RELU_N1_TO_1', 'RELU_0_TO_1', 'TANH', 'LOGISTIC', 'ELU', 'HARD_SWISH', 'EXP', 'SIN', 'SQRT', 'RSQRT', 'LOG', 'NEG',
         'ABS', 'FLOOR', 'CEIL', 'SQUARE', 'L2_NORMALIZATION', 'COS', 'ROUND', 'SIGN', 'GELU']
# By the names of the options' fields: of the operators that have some.
OPTIONS = {'LEAKY_RELU': {0: F(0.25)}, 'SOFTMAX': {0: F(1)}}
BINARY = ['ADD', 'SUB', 'MUL', 'DIV', 'MAXIMUM', 'MINIMUM', 'SQUARED_DIFFERENCE']
OF_TYPE = {'INT32': (['NEG', 'ABS', 'SQUARE', 'SIGN'], ['ADD', 'SUB', 'MUL', 'MAXIMUM', 'MINIMUM', 'SQUARED_DIFFERENCE', 'FLOOR_DIV', 'DIV']),
           'BOOL': (['LOGICAL_NOT'], ['LOGICAL_AND', 'LOGICAL_OR'])}
COMPARISONS = ['LESS', 'GREATER', 'EQUAL', 'NOT_EQUAL']
REDUCTIONS = ['MEAN', 'SUM', 'REDUCE_MAX', 'REDUCE_MIN', 'REDUCE_PROD']
MAX_ELEMENTS = 4096


class Builder:
    """Adds operators to one graph. @values: all tensors with a value; @unread: those without a reader."""

    def __init__(self, random, graph):
        self.random, self.graph, self.values, self.unread = random, graph, [], []

    def quant(self, kind):
        if kind not in BYTES:
            return {}
        low, high = (-128, 127) if kind == 'INT8' else (0, 255)
        return {'scale': 2.0**self.random.randint(-8, 0) * self.random.uniform(0.5, 1), 'zero': self.random.randint(low, high)}

    def name(self):
        return self.random.choice(['t', 'conv/BiasAdd', 'größe', 'a\nb', 'x' * 300, '']) + str(len(self.graph.tensors))

    def keep(self, number, shape, kind, quant):
        self.values.append(Value(number, shape, kind, quant))
        self.unread.append(self.values[-1])
        return self.values[-1]

    def input(self, shape=None, kind=None, quant=None):
        shape = self.shape() if shape is None else shape
        kind = kind or self.random.choice(REAL + BYTES + ['FLOAT32', 'INT8', 'INT32', 'BOOL'])
        quant = self.quant(kind) if quant is None else quant
        return self.keep(self.graph.input(self.name(), shape, kind, **quant), shape, kind, quant)

    def shape(self):
        rank = self.random.choice([0, 1, 2, 2, 3, 4, 4, 5, 6])
        return [self.random.randint(1, 5 if rank < 5 else 3) for _ in range(rank)]

    def constant(self, shape, kind, quant=None):
        quant = self.quant(kind) if quant is None else quant
        count = math.prod(shape)
        values = {'INT8': range(-100, 100), 'UINT8': range(200), 'INT32': range(1, 9), 'BOOL': range(2)}.get(kind, [-1.5, 0.25, 2, 3])
        number = self.graph.const(self.name(), shape, [self.random.choice(values) for _ in range(count)], kind, **quant)
        return Value(number, shape, kind, quant)

    def sparse(self, shape):
        """A FLOAT32 matrix as rows of which some elements are stored; at least one, because a tensor without contents is none."""
        rows = [sorted(self.random.sample(range(shape[1]), self.random.randint(not i, shape[1]))) for i in range(shape[0])]
        ends = [sum(len(r) for r in rows[:i]) for i in range(len(rows) + 1)]
        kind, code = self.random.choice([(1, 'i'), (2, 'H'), (3, 'B')])
        index = {0: B(1), 2: B(kind), 3: {0: Vector(code, ends)}, 4: B(kind), 5: {0: Vector(code, sum(rows, []))}}
        levels = {0: Vector('i', [0, 1]), 2: [{0: B(0), 1: I(shape[0])}, index]}
        body = Vector('B', pack('FLOAT32', [0.5] * ends[-1]), 16)
        return Value(self.graph.tensor(self.name(), shape, f2=I(self.graph.model.buffer({0: body})), f6=levels), shape, 'FLOAT32', {})

    def read(self, value):
        self.unread = [v for v in self.unread if v.number != value.number]
        return value.number

    def add(self, name, inputs, results, options=None, unranked=False):
        """@inputs: values or tensor numbers; @results: (shape, kind, quant). The new values."""
        numbers = [self.read(v) if isinstance(v, Value) else v for v in inputs]
        out = [self.graph.tensor(self.name(), None if unranked else shape, kind, **quant) for shape, kind, quant in results]
        self.graph.op(name, numbers, out, options)
        return [self.keep(number, *result) for number, result in zip(out, results)]

    def pick(self, kinds=None, ranks=None):
        """A value of such a type and rank, rather one without a reader; None: there is none."""
        for values in (self.unread, self.values):
            fitting = [v for v in values if (not kinds or v.kind in kinds) and (ranks is None or len(v.shape) in ranks)]
            if fitting and (values is self.values or self.random.random() < 0.8):
                return self.random.choice(fitting)
        return None


def unary(b, x):
    names = OF_TYPE[x.kind][0] if x.kind in OF_TYPE else UNARY + (list(OPTIONS) + ['LOG_SOFTMAX'] if x.shape else [])
    name = b.random.choice(names)
    if name == 'L2_NORMALIZATION' and len(x.shape) != 4:
        name = 'ABS'
    b.add(name, [x], [(x.shape, x.kind, b.quant(x.kind))], OPTIONS.get(name), unranked=b.random.random() < 0.1)


def other(b, x):
    """A second operand of the type of @x: a constant of its last dimensions, itself, or another value."""
    same = [v for v in b.values if v.kind == x.kind and v.shape == x.shape]
    if x.kind == 'FLOAT32' and len(x.shape) == 2 and b.random.random() < 0.3:
        return b.sparse(x.shape)
    if b.random.random() < 0.5 or x.kind == 'INT32':
        shape = [d if len(x.shape) > 4 or b.random.random() < 0.7 else 1 for d in x.shape[b.random.randint(0, len(x.shape)):]]
        return b.constant(shape, x.kind)
    return b.random.choice(same)


def binary(b, x):
    names = OF_TYPE[x.kind][1] if x.kind in OF_TYPE else BINARY
    name = b.random.choice(names)
    options = {0: B(b.random.randint(0, 4 if x.kind in REAL else 3))} if name in ('ADD', 'SUB', 'MUL', 'DIV') else None
    b.add(name, [x, other(b, x)], [(x.shape, x.kind, b.quant(x.kind))], options, unranked=b.random.random() < 0.1)


def select(b, x):
    if x.kind == 'BOOL':
        return
    y = other(b, x)
    where, = b.add(b.random.choice(COMPARISONS), [x, y], [(x.shape, 'BOOL', {})])
    b.add('SELECT_V2', [where, x, y], [(x.shape, x.kind, b.quant(x.kind))])


def reshape(b, x):
    shape = b.random.choice([[math.prod(x.shape)], [1] + x.shape, x.shape + [1]])
    if len(shape) <= 8:
        b.add('RESHAPE', [x, b.graph.ints(shape)], [(shape, x.kind, b.quant(x.kind))])


def transpose(b, x):
    order = list(range(len(x.shape)))
    b.random.shuffle(order)
    if x.shape and x.kind != 'BOOL':
        b.add('TRANSPOSE', [x, b.graph.ints(order)], [([x.shape[d] for d in order], x.kind, b.quant(x.kind))])


def part(b, x):
    if not x.shape or x.kind == 'BOOL':
        return
    begin = [b.random.randint(0, d - 1) for d in x.shape]
    size = [b.random.randint(1, d - a) for d, a in zip(x.shape, begin)]
    result = [(size, x.kind, b.quant(x.kind))]
    if b.random.random() < 0.5:
        b.add('SLICE', [x, b.graph.ints(begin), b.graph.ints(size)], result)
    else:
        ends = [a + s for a, s in zip(begin, size)]
        b.add('STRIDED_SLICE', [x, b.graph.ints(begin), b.graph.ints(ends), b.graph.ints([1] * len(size))], result, {})


def pad(b, x):
    if not x.shape or x.kind == 'BOOL':
        return
    pads = [b.random.randint(0, 2) for _ in range(2 * len(x.shape))]
    shape = [d + pads[2 * i] + pads[2 * i + 1] for i, d in enumerate(x.shape)]
    b.add('PAD', [x, b.graph.ints(pads, [len(x.shape), 2])], [(shape, x.kind, b.quant(x.kind))])


def tile(b, x):
    if not x.shape or x.kind == 'BOOL':
        return
    times = [b.random.randint(1, 2) if len(x.shape) <= 4 else 1 for _ in x.shape]
    times[-1] = 2
    b.add('TILE', [x, b.graph.ints(times)], [([d * t for d, t in zip(x.shape, times)], x.kind, b.quant(x.kind))])


def join(b, x):
    if not x.shape or x.kind == 'BOOL':
        return
    axis, count = b.random.randrange(len(x.shape)), b.random.randint(1, 4)
    like = [v for v in b.values if v.kind == x.kind and v.shape == x.shape]
    inputs = [x] + [b.random.choice(like) for _ in range(count - 1)]
    if b.random.random() < 0.5 and len(x.shape) < 8:
        shape = x.shape[:axis] + [count] + x.shape[axis:]
        b.add('PACK', inputs, [(shape, x.kind, b.quant(x.kind))], {0: I(count), 1: I(axis)})
    else:
        shape = x.shape[:axis] + [count * x.shape[axis]] + x.shape[axis + 1:]
        b.add('CONCATENATION', inputs, [(shape, x.kind, b.quant(x.kind))], {0: I(axis - len(x.shape) if b.random.random() < 0.5 else axis)})


def take_apart(b, x):
    if not x.shape or x.kind == 'BOOL':
        return
    axis = b.random.randrange(len(x.shape))
    extent = x.shape[axis]
    if b.random.random() < 0.5:
        rest = x.shape[:axis] + x.shape[axis + 1:]
        b.add('UNPACK', [x], [(rest, x.kind, b.quant(x.kind)) for _ in range(extent)], {0: I(extent), 1: I(axis)})
    else:
        count = b.random.choice([n for n in range(1, extent + 1) if extent % n == 0])
        shape = x.shape[:axis] + [extent // count] + x.shape[axis + 1:]
        b.add('SPLIT', [b.graph.const('axis', [], [axis], 'INT32'), x], [(shape, x.kind, b.quant(x.kind)) for _ in range(count)], {0: I(count)})


def gather(b, x):
    if not x.shape or x.kind == 'BOOL':
        return
    axis = b.random.randrange(len(x.shape))
    indices = [b.random.randrange(x.shape[axis]) for _ in range(b.random.randint(1, 4))]
    b.add('GATHER', [x, b.graph.ints(indices)], [(x.shape[:axis] + [len(indices)] + x.shape[axis + 1:], x.kind, b.quant(x.kind))], {0: I(axis)})


def reduce(b, x):
    if not x.shape or x.kind == 'BOOL':
        return
    axes = b.random.sample(range(len(x.shape)), b.random.randint(1, len(x.shape)) if len(x.shape) <= 4 else 1)
    keep = b.random.randint(0, 1)
    shape = [1 if d in axes else n for d, n in enumerate(x.shape) if keep or d not in axes]
    b.add(b.random.choice(REDUCTIONS[x.kind == 'INT32':]), [x, b.graph.ints(axes)], [(shape, x.kind, b.quant(x.kind))], {0: B(keep)})


def running_sum(b, x):
    if x.shape and x.kind != 'BOOL':
        b.add('CUMSUM', [x, b.graph.const('axis', [], [b.random.randrange(len(x.shape))], 'INT32')], [(x.shape, x.kind, b.quant(x.kind))],
              {0: B(b.random.randint(0, 1)), 1: B(b.random.randint(0, 1))})


def reverse(b, x):
    if x.shape and x.kind != 'BOOL':
        b.add('REVERSE_V2', [x, b.graph.ints([b.random.randrange(len(x.shape))])], [(x.shape, x.kind, b.quant(x.kind))])


def scatter(b, x):
    """Its rows at other places of a larger tensor; the places between are 0."""
    if not x.shape or x.kind in BYTES + ['BOOL']:
        return
    extent = x.shape[0] + b.random.randint(0, 3)
    places = b.random.sample(range(extent), x.shape[0])
    shape = [extent] + x.shape[1:]
    b.add('SCATTER_ND', [b.graph.ints(places, [x.shape[0], 1]), x, b.graph.ints(shape)], [(shape, x.kind, {})])


def update(b, x):
    """A constant in place of a part; where the part begins may be outside."""
    if not x.shape or x.kind == 'BOOL':
        return
    size = [b.random.randint(1, d) for d in x.shape]
    start = [b.random.randint(-1, d) for d in x.shape]
    b.add('DYNAMIC_UPDATE_SLICE', [x, b.constant(size, x.kind, x.quant), b.graph.ints(start)], [(x.shape, x.kind, x.quant)])


def reverse_parts(b, x):
    if len(x.shape) < 2 or x.kind == 'BOOL':
        return
    along, batch = b.random.sample(range(len(x.shape)), 2)
    lengths = [b.random.randint(0, x.shape[along]) for _ in range(x.shape[batch])]
    b.add('REVERSE_SEQUENCE', [x, b.graph.ints(lengths)], [(x.shape, x.kind, x.quant)], {0: I(along), 1: I(batch)})


def recurrent(b, x):
    """A cell with a state, for a step or a sequence."""
    if x.kind != 'FLOAT32' or len(x.shape) not in (2, 3):
        return
    inputs, batch, units = x.shape[-1], x.shape[0], b.random.randint(1, 3)
    act = B(b.random.choice([0, 1, 4]))
    result = [(x.shape[:-1] + [units], 'FLOAT32', {})]
    name = b.random.choice(['RNN', 'SVDF', 'LSTM'] if len(x.shape) == 2 else ['UNIDIRECTIONAL_SEQUENCE_RNN', 'UNIDIRECTIONAL_SEQUENCE_LSTM'])
    if name == 'SVDF':
        memory = b.random.randint(1, 3)
        state = b.graph.variable(b.name(), [batch, units * memory])
        b.add(name, [x, b.constant([units, inputs], x.kind), b.constant([units, memory], x.kind), -1, state], result,
              {0: I(1), 1: B(b.random.choice([0, 1, 3]))})
    elif 'RNN' in name:
        state = b.graph.variable(b.name(), [batch, units])
        cell = [b.constant(s, x.kind) for s in ([units, inputs], [units, units], [units])]
        b.add(name, [x] + cell + [state], result, {0: act} if name == 'RNN' else {0: B(0), 1: act})
    else:
        states = [b.graph.variable(b.name(), [batch, units]) for _ in range(2)]
        cell = [b.constant([units, inputs if i < 4 else units], x.kind) for i in range(8)]
        biases = [b.constant([units], x.kind) for _ in range(4)]
        b.add(name, [x] + cell + [-1] * 3 + biases + [-1] * 2 + states + [-1] * 4, result, {0: B(4)})


def greatest(b, x):
    if not x.shape or x.kind == 'BOOL':
        return
    if b.random.random() < 0.5:
        axis = b.random.randrange(len(x.shape))
        b.add('ARG_MAX', [x, b.graph.const('axis', [], [axis], 'INT32')], [(x.shape[:axis] + x.shape[axis + 1:], 'INT32', {})])
    else:
        count = b.random.randint(1, x.shape[-1])
        shape = x.shape[:-1] + [count]
        b.add('TOPK_V2', [x, b.graph.const('k', [], [count], 'INT32')], [(shape, x.kind, b.quant(x.kind)), (shape, 'INT32', {})])


def cast(b, x):
    if x.kind in BYTES:
        b.add(*b.random.choice([('DEQUANTIZE', [x], [(x.shape, 'FLOAT32', {})]),
                                ('QUANTIZE', [x], [(x.shape, x.kind, b.quant(x.kind))])]))
    elif x.kind in REAL and b.random.random() < 0.5:
        kind = b.random.choice(BYTES)
        b.add('QUANTIZE', [x], [(x.shape, kind, b.quant(kind))])
    else:
        kind = b.random.choice([k for k in REAL + ['INT32', 'BOOL'] if k != x.kind])
        b.add('CAST', [x], [(x.shape, kind, {})])


def weights(b, x, shape, axis):
    """Weights and a bias for the input @x, with units along dimension @axis."""
    units = shape[axis]
    if x.kind not in BYTES:
        return b.constant(shape, x.kind), b.constant([units], x.kind)
    quant = b.quant(x.kind)
    if x.kind == 'INT8':
        quant['zero'] = 0
        if b.random.random() < 0.5:
            quant = {'scale': [quant['scale']] * units, 'zero': [0] * units, 'axis': axis}
    scale = quant['scale']
    products = [s * x.quant['scale'] for s in scale] if isinstance(scale, list) else scale * x.quant['scale']
    return b.constant(shape, x.kind, quant), b.constant([units], 'INT32', {'scale': products})


def layer(b, x):
    """A window over images, or a matrix."""
    if x.kind in OF_TYPE or not x.shape:
        return
    name = b.random.choice(['CONV_2D', 'DEPTHWISE_CONV_2D', 'AVERAGE_POOL_2D', 'MAX_POOL_2D'] if len(x.shape) == 4 else ['FULLY_CONNECTED'])
    channels, quant, act = x.shape[-1], b.quant(x.kind), B(b.random.randint(0, 3))
    if name == 'FULLY_CONNECTED':
        w, bias = weights(b, x, [3, channels], 0)
        rows = math.prod(x.shape[:-1])
        b.add(name, [x, w, bias], [([rows, 3], x.kind, quant)], {0: act})
    elif name == 'CONV_2D':
        w, bias = weights(b, x, [2, 3, 1, channels], 0)
        b.add(name, [x, w, bias], [(x.shape[:3] + [2], x.kind, quant)], {0: B(0), 1: I(1), 2: I(1), 3: act})
    elif name == 'DEPTHWISE_CONV_2D':
        w, bias = weights(b, x, [1, 1, 2, channels * 2], 3)
        b.add(name, [x, w, bias], [(x.shape[:3] + [2 * channels], x.kind, quant)], {0: B(0), 1: I(1), 2: I(1), 3: I(2), 4: act})
    else:
        b.add(name, [x], [(x.shape, x.kind, quant)], {0: B(0), 1: I(1), 2: I(1), 3: I(2), 4: I(1), 5: act})


def branch(b, x, name, extra=()):
    """A subgraph of one operator @name between tensors like @x; its number."""
    model = b.graph.model
    graph = model.graph()
    inside = Builder(b.random, graph)
    more = [inside.input(*e) for e in extra]
    v = inside.input(x.shape, x.kind, x.quant)
    graph.outputs = [u.number for u in more]
    y, = inside.add(name, [v], [(x.shape, x.kind, x.quant)])
    graph.outputs.append(y.number)
    return model.graphs.index(graph), inside, more


def condition(b, x):
    if x.kind not in REAL + ['INT32']:
        return
    names = ['NEG', 'ABS', 'SQUARE']
    then, other_one = (branch(b, x, b.random.choice(names))[0] for _ in range(2))
    c = b.constant(b.random.choice([[], [1]]), 'BOOL')
    b.add('IF', [c, x], [(x.shape, x.kind, x.quant)], {0: I(then), 1: I(other_one)})


def loop(b, x):
    if x.kind not in REAL + ['INT32']:
        return
    count = ([1], 'INT32', {})
    number, inside, (more,) = branch(b, x, 'ABS', [count])
    fewer, = inside.add('SUB', [more, inside.graph.ints([1])], [count], {0: B(0)})
    inside.graph.outputs[0] = fewer.number
    graph = b.graph.model.graph()
    test = Builder(b.random, graph)
    k, _ = test.input(*count), test.input(x.shape, x.kind, x.quant)
    more, = test.add('GREATER', [k, graph.ints([0])], [([1], 'BOOL', {})])
    graph.outputs = [more.number]
    begin = b.constant(*count)
    b.add('WHILE', [begin, x], [count, (x.shape, x.kind, x.quant)], {0: I(b.graph.model.graphs.index(graph)), 1: I(number)})


MAKERS = [unary] * 4 + [binary] * 4 + [layer] * 3 + [select, reshape, transpose, part, pad, tile, join, take_apart, gather, reduce, reverse,
                                               running_sum, greatest, cast, condition, loop, scatter, update, reverse_parts, recurrent]


def model(random):
    """A model of a few operators. Its outputs are the values that no operator reads."""
    m = Model()
    b = Builder(random, m)
    for _ in range(random.randint(1, 3)):
        b.input()
    while not m.ops or random.random() < 0.75:
        x = b.pick()
        if math.prod(x.shape) <= MAX_ELEMENTS:
            random.choice(MAKERS)(b, x)
    m.outputs = [v.number for v in b.unread]
    random.shuffle(m.outputs)
    return m
