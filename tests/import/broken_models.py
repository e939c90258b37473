# SPDX-License-Identifier: Apache-2.0
"""One broken rule of a valid model: rules of the graph, which is changed before it is written, and of the file.

A rule of RULES takes a random generator and a model, changes the model, and returns what has to become of it: REFUSED, EITHER (right
or refused), or None where the model has nothing to break. One of BYTE_RULES takes the Writer instead and changes its bytes."""
import struct

from tflite_writer import OPERATORS, B, I, Model, Vector

RIGHT, REFUSED, EITHER = range(3)
OP_INPUTS, OP_OUTPUTS = 1, 2
SHAPE, TYPE, BUFFER, QUANT, SPARSITY = 0, 1, 2, 4, 6
SCALE, ZERO, DIMENSION = 2, 3, 6


def some_op(random, m):
    """An operator of the first subgraph, and its lists."""
    op = random.choice(m.ops)
    return op, op[OP_INPUTS].values(), op[OP_OUTPUTS].values()


def set_list(op, field, values):
    op[field] = Vector('i', values)


def index_outside(random, m):
    op, inputs, outputs = some_op(random, m)
    field, values = random.choice([(OP_INPUTS, inputs), (OP_OUTPUTS, outputs)])
    values[random.randrange(len(values))] = random.choice([len(m.tensors), 2**31 - 1, -2, -2**31])
    set_list(op, field, values)
    return REFUSED


def no_inputs(random, m):
    op, _, _ = some_op(random, m)
    set_list(op, OP_INPUTS, [])
    return REFUSED


def first_input_missing(random, m):
    op, inputs, _ = some_op(random, m)
    set_list(op, OP_INPUTS, [-1] + inputs[1:])
    return REFUSED


def too_many_inputs(random, m):
    op, inputs, _ = some_op(random, m)
    set_list(op, OP_INPUTS, inputs + inputs[:1] * 40)
    return EITHER


def too_many_outputs(random, m):
    op, _, outputs = some_op(random, m)
    set_list(op, OP_OUTPUTS, outputs + [m.tensor('more', [1])])
    return REFUSED


def no_outputs(random, m):
    op, _, _ = some_op(random, m)
    set_list(op, OP_OUTPUTS, [])
    return REFUSED


def cycle(random, m):
    op, inputs, outputs = some_op(random, m)
    inputs[random.randrange(len(inputs))] = outputs[0]
    set_list(op, OP_INPUTS, inputs)
    return EITHER


def written_twice(random, m):
    op, _, outputs = some_op(random, m)
    taken = m.inputs + [n for o in m.ops for n in o[OP_OUTPUTS].values() if n not in outputs]
    outputs[0] = random.choice(taken)
    set_list(op, OP_OUTPUTS, outputs)
    return REFUSED


def same_output_twice(random, m):
    op, _, outputs = some_op(random, m)
    if len(outputs) < 2:
        return None
    set_list(op, OP_OUTPUTS, outputs[:1] * len(outputs))
    return REFUSED


def output_of_nothing(random, m):
    m.outputs.append(random.choice([m.tensor('free', [1]), len(m.tensors), -1]))
    return REFUSED


def no_model_outputs(_, m):
    m.outputs.clear()
    return REFUSED


def input_of_nothing(random, m):
    m.inputs.append(random.choice([len(m.tensors), -1, 2**31 - 1]))
    return REFUSED


def other_type(random, m):
    random.choice(m.tensors)[TYPE] = B(random.choice(list(range(20)) + [-1, 127]))
    return EITHER


def other_shape(random, m):
    t = random.choice([t for t in m.tensors if SHAPE in t])
    shape = t[SHAPE].values()
    change = random.randrange(4)
    if change == 0 and shape:
        shape[random.randrange(len(shape))] += random.choice([1, -1])
    elif change == 1:
        shape.append(random.choice([1, 2]))
    elif change == 2 and shape:
        shape[random.randrange(len(shape))] = random.choice([0, 2**31 - 1, 65536])
    else:
        shape = shape[::-1]
    t[SHAPE] = Vector('i', shape)
    return EITHER


def negative_extent(random, m):
    random.choice(m.tensors)[SHAPE] = Vector('i', [1, random.choice([-1, -2**31])])
    return REFUSED


def too_many_dimensions(random, m):
    random.choice(m.tensors)[SHAPE] = Vector('i', [1] * random.choice([9, 100, 65536]))
    return REFUSED


def two_to_the_31_elements(random, m):
    random.choice(m.tensors)[SHAPE] = Vector('i', random.choice([[65536, 32768], [2**31 - 1, 1], [2**30, 2**30, 2**30, 2**30, 16]]))
    return REFUSED


def quantized(random, m):
    found = [t for t in m.tensors if QUANT in t]
    return random.choice(found) if found else None


def bad_scale(random, m):
    t = quantized(random, m)
    if not t:
        return None
    scales = t[QUANT][SCALE].values()
    scales[random.randrange(len(scales))] = random.choice([float('nan'), float('inf'), -1.0])
    t[QUANT][SCALE] = Vector('f', scales)
    return REFUSED


def scale_0(random, m):
    t = quantized(random, m)
    if not t:
        return None
    t[QUANT][SCALE] = Vector('f', [random.choice([0.0, 1e-45, 3e38])] * t[QUANT][SCALE].count)
    return EITHER


def bad_zero_point(random, m):
    t = quantized(random, m)
    if not t or t[QUANT][SCALE].count > 1 or t[TYPE].body == B(2).body:
        return None
    t[QUANT][ZERO] = Vector('q', [random.choice([256, -129, 2**31, 2**63 - 1, -2**63])], 8)
    return REFUSED


def other_number_of_zero_points(random, m):
    t = quantized(random, m)
    if not t:
        return None
    t[QUANT][ZERO] = Vector('q', [0] * (t[QUANT][SCALE].count + 1), 8)
    return REFUSED


def many_scales(random, m):
    t = quantized(random, m)
    if not t:
        return None
    t[QUANT].update({SCALE: Vector('f', [1.0] * 1000), ZERO: Vector('q', [0] * 1000, 8), DIMENSION: I(random.choice([-1, 0, 9]))})
    return REFUSED


def broken_sparsity(random, m):
    """The order of dimensions, a size, an index, or the end of a row."""
    found = [t for t in m.tensors if SPARSITY in t]
    if not found:
        return None
    levels = random.choice(found)[SPARSITY]
    dense, index = levels[2]
    which = random.randrange(4)
    if which == 0:
        levels[0] = Vector('i', random.choice([[0, 0], [0, 2], [0], [-1, 1], [0, 1, 2]]))
    elif which == 1:
        dense[1] = I(random.choice([0, -1, 2**31 - 1, 1000]))
    else:
        old = index[3 if which == 2 else 5][0]
        values = old.values()
        if not values:
            return None
        values[random.randrange(len(values))] = random.choice([200, 100])
        index[3 if which == 2 else 5] = {0: Vector(old.code, values)}
    return REFUSED


def buffer_outside(random, m):
    random.choice(m.tensors)[BUFFER] = I(random.choice([len(m.buffers), 2**31 - 1, -1]))
    return REFUSED


def short_buffer(random, m):
    full = [i for i, b in enumerate(m.buffers) if b and b[0].count > 1]
    if not full:
        return None
    body = bytes(m.buffers[random.choice(full)][0].body)
    m.buffers[random.choice(full)] = {0: Vector('B', body[:random.randrange(1, len(body))], 16)}
    return EITHER


def no_values(random, m):
    """A constant without contents is a tensor that nothing writes."""
    constants = [t for t in m.tensors if BUFFER in t]
    if not constants:
        return None
    del random.choice(constants)[BUFFER]
    return EITHER


def variable(random, m):
    random.choice(m.tensors)[5] = B(1)
    return EITHER


def other_operator(random, m):
    op = random.choice(m.ops)
    op[0] = I(m.code(random.choice(list(OPERATORS)), random.randint(0, 9)))
    return EITHER


def unknown_operator(random, m):
    random.choice(m.ops)[0] = I(random.choice([len(m.codes), -1, m.code(random.choice([127, 300, 2**31 - 1]), 1)]))
    return REFUSED


def other_options(random, m):
    """Fields of another width, in range or not."""
    random.choice(m.ops)[4] = {i: I(random.choice([0, 1, 2, 3, -1, 2**31 - 1, -2**31])) for i in range(8)}
    return EITHER


def order_of_operators(random, m):
    if len(m.ops) < 2:
        return None
    random.shuffle(m.ops)
    return EITHER


def other_subgraph(random, m):
    calls = [op for op in m.ops if 4 in op and len(m.graphs) > 1]
    if not calls:
        return None
    random.choice(calls)[4][random.randint(0, 1)] = I(random.choice([0, len(m.graphs), -1, 2**31 - 1]))
    return EITHER


def subgraph_calls_itself(random, m):
    if len(m.graphs) < 2:
        return None
    g = random.choice(m.graphs[1:])
    g.ops.append({0: I(m.code('IF', 1)), 1: Vector('i', g.inputs), 2: Vector('i', g.outputs), 4: {0: I(m.graphs.index(g)), 1: I(1)}})
    return EITHER


def schema_version(random, m):
    m.version = random.choice([0, 2, 4, -1])
    return REFUSED


RULES = [index_outside, no_inputs, first_input_missing, too_many_inputs, too_many_outputs, no_outputs, cycle, written_twice,
         same_output_twice, output_of_nothing, no_model_outputs, input_of_nothing, other_type, other_shape, other_shape, negative_extent,
         too_many_dimensions, two_to_the_31_elements, bad_scale, scale_0, bad_zero_point, other_number_of_zero_points, many_scales,
         broken_sparsity, buffer_outside, short_buffer, no_values, variable, other_operator, other_operator, unknown_operator, other_options, order_of_operators,
         other_subgraph, subgraph_calls_itself, schema_version]


def place(random, writer, *kinds):
    return random.choice([at for what, at in writer.places if what in kinds])


def cut(random, writer):
    del writer.out[random.randrange(len(writer.out)):]


def offset_outside(random, writer):
    at = place(random, writer, 'offset')
    struct.pack_into('<I', writer.out, at, random.choice([0, 1, 2, 3, len(writer.out), 2**31, 2**32 - 4, len(writer.out) - at]))


def offset_elsewhere(random, writer):
    """To another object of the file, of another kind."""
    at, to = place(random, writer, 'offset'), place(random, writer, 'count', 'table', 'vtable')
    struct.pack_into('<I', writer.out, at, (to - at) % 2**32)


def count_of_vector(random, writer):
    """Of tables, numbers or a string: "2 GB" long."""
    struct.pack_into('<I', writer.out, place(random, writer, 'count'), random.choice([2**31, 2**32 - 1, 2**31 - 1, 2**29, 2**30 + 1, 0, 1]))


def broken_vtable(random, writer):
    at = place(random, writer, 'vtable') + random.choice([0, 2, 4, 6])
    struct.pack_into('<H', writer.out, at, random.choice([0, 1, 2, 3, 4, 5, 65535, 32768]))


def table_elsewhere(random, writer):
    struct.pack_into('<i', writer.out, place(random, writer, 'table'), random.choice([0, 2**31 - 1, -2**31, 4, -4, 1]))


def wrong_identifier(random, writer):
    writer.out[4 + random.randrange(4)] ^= 1 << random.randrange(8)


BYTE_RULES = [cut, offset_outside, offset_elsewhere, count_of_vector, broken_vtable, table_elsewhere, wrong_identifier]


# Small files that a careless reader makes large: entries of lists that are one table, buffers that many tensors share.

def one_operator_often():
    m = Model()
    x, y = m.input('x', [1]), m.tensor('y', [100000])
    m.op('CONCATENATION', [x] * 100000, [y], {0: I(0)})
    m.ops *= 20000
    m.outputs = [y]
    return m


def one_tensor_often():
    m = Model()
    m.outputs = [m.input('x', [1])]
    m.tensors += m.tensors[-1:] * 200000
    return m


def one_buffer_often(kind='INT4', name='NEG', **keys):
    """Each of the tensors has contents of its own in memory."""
    m = Model()
    shape = [400, 1000]
    first = m.const('c', shape, bytes(200000 if kind == 'INT4' else 800000), kind, **keys)
    m.tensors += [dict(m.tensors[first]) for _ in range(300)]
    for constant in range(301):
        m.outputs.append(m.tensor('y', shape))
        m.op(name, [constant], m.outputs[-1:])
    return m


def one_int4_buffer_often():
    return one_buffer_often(scale=0.5)


def one_float16_buffer_often():
    return one_buffer_often('FLOAT16', 'DEQUANTIZE')


def many_states():
    return states(5000)


def states(count):
    """@count sums of a variable tensor, which is zero."""
    m = Model()
    x = m.input('x', [1])
    add = m.code('ADD', 1)
    for _ in range(count):
        v, y = m.variable('', [1]), m.tensor('', [1])
        m.ops.append({0: I(add), 1: Vector('i', [x, v]), 2: Vector('i', [y])})
        x = y
    m.outputs = [x]
    return m


def many_results():
    """IF of as many values as it may have, each of another shape outside than inside."""
    m = Model()
    c, x = m.input('c', [], 'BOOL'), m.input('x', [1])
    g = m.graph()
    g.outputs = [g.input('u', [1])] * 4096
    m.outputs = [m.tensor('', [1, 1]) for _ in range(4096)]
    m.op('IF', [c, x], m.outputs, {0: I(1), 1: I(1)})
    return m


def graphs_that_name_graphs():
    """Each subgraph has two IF of the next."""
    m = Model()
    c, x, y = m.input('c', [1], 'BOOL'), m.input('x', [2]), m.tensor('y', [2])
    m.op('IF', [c, x], [y], {0: I(1), 1: I(1)})
    m.outputs = [y]
    for i in range(2, 10):
        g = m.graph()
        k, u, v, w = g.const('k', [1], [1], 'BOOL'), g.input('u', [2]), g.tensor('v', [2]), g.tensor('w', [2])
        g.op('IF', [k, u], [v], {0: I(i), 1: I(i)})
        g.op('IF', [k, v], [w], {0: I(i), 1: I(i)})
        g.outputs = [w]
    g = m.graph()
    u, v = g.input('u', [2]), g.tensor('v', [2])
    g.op('NEG', [u], [v])
    g.outputs = [v]
    return m


LARGE = [one_operator_often, one_tensor_often, one_int4_buffer_often, one_float16_buffer_often, many_states, many_results,
         graphs_that_name_graphs]
