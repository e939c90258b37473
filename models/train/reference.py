# SPDX-License-Identifier: Apache-2.0
"""Evaluates a Graph with numpy: the source of the expected outputs.

Float models are evaluated in float64 (or in float32, to see the spread). Quantized models follow
the project's rule: the int32 accumulator is exact, one real multiplication, round to nearest even,
plus zero point, clamp. The rule can be exchanged, to see what the bounds accept and refuse.
"""

import numpy as np

from network import same_padding

LIMITS = {"NONE": (-np.inf, np.inf), "RELU": (0.0, np.inf), "RELU6": (0.0, 6.0)}


def nearest_even(value, multiplier):
    return np.rint(value * multiplier).astype(np.int64)


def single_precision(value, multiplier):
    """nearest_even with the accumulator, the multiplier and their product in float32."""
    return np.rint(np.asarray(value, np.float32) * np.asarray(multiplier, np.float32)).astype(
        np.int64)


def round_down(value, multiplier):
    """Wrong on purpose: what a shift without rounding does."""
    return np.floor(value * multiplier).astype(np.int64)


def _fixed_multiplier(multiplier):
    mantissa, shift = np.frexp(multiplier)
    fixed = np.rint(mantissa * 2 ** 31).astype(np.int64)
    full = fixed == 2 ** 31
    return np.where(full, fixed // 2, fixed), (shift + full).astype(np.int64)


def fixed_point(value, multiplier):
    """The recipe of the fixed-point kernels: Q0.31 multiplier, doubling high product, rounding
    shift. Equally right, and within one step of nearest_even."""
    value = np.asarray(value).astype(np.int64)
    fixed, shift = _fixed_multiplier(np.asarray(multiplier, np.float64))
    product = (value << np.maximum(shift, 0)) * fixed
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    high = np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31))
    right = np.maximum(-shift, 0)
    mask = (np.int64(1) << right) - 1
    threshold = (mask >> 1) + (high < 0)
    return (high >> right) + ((high & mask) > threshold)


def _taps(x, op, kernel, fill):
    """The values under each kernel element, in row-major order of the kernel."""
    stride, pads, sizes = op.options["stride"], [], []
    for axis in (0, 1):
        if op.options["padding"] == "SAME":
            out, before, after = same_padding(x.shape[1 + axis], kernel[axis], stride[axis])
        else:
            out, before, after = (x.shape[1 + axis] - kernel[axis]) // stride[axis] + 1, 0, 0
        pads.append((before, after))
        sizes.append(out)
    padded = np.pad(x, ((0, 0), *pads, (0, 0)), constant_values=fill)
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            yield padded[:, row:row + (sizes[0] - 1) * stride[0] + 1:stride[0],
                         column:column + (sizes[1] - 1) * stride[1] + 1:stride[1]]


def _weighted_sum(op, x, weights):
    """The part of a convolution or matrix product before the bias."""
    if op.kind == "FULLY_CONNECTED":
        return x.reshape(len(x), -1) @ weights.T
    total = 0
    for index, tap in enumerate(_taps(x, op, weights.shape[1:3], 0)):
        row, column = divmod(index, weights.shape[2])
        if op.kind == "CONV_2D":
            total = total + tap @ weights[:, row, column].T
        else:
            total = total + np.repeat(tap, op.options["multiplier"], 3) * weights[0, row, column]
    return total


def _float_op(op, values, dtype):
    x = values[op.inputs[0]]
    if op.kind == "RESHAPE":
        return x.reshape(len(x), *op.options["shape"][1:])
    if op.kind == "SLICE":
        where = zip(*(values[index].astype(int) for index in op.inputs[1:]))
        return x[(slice(None), *(slice(begin, begin + size) for begin, size in where))]
    if op.kind == "SOFTMAX":
        scaled = np.exp((x - x.max(-1, keepdims=True)) * dtype(op.options["beta"]))
        return scaled / scaled.sum(-1, keepdims=True)
    if op.kind == "ADD":
        y = x + values[op.inputs[1]]
    elif op.kind == "AVERAGE_POOL_2D":
        taps = list(_taps(x, op, op.options["filter"], 0))
        y = sum(taps) / dtype(len(taps))
    else:
        y = _weighted_sum(op, x, values[op.inputs[1]]) + values[op.inputs[2]]
    low, high = LIMITS[op.options["activation"]]
    return np.clip(y, dtype(low), dtype(high))


def _add(a, b, output, rule):
    """a, b: (values without zero point, scale)."""
    if rule in (fixed_point, single_precision):
        # NNAPI's reference recipe for ADD, which every rule but the plain one takes over.
        rule = fixed_point
        twice = 2 * max(a[1], b[1])
        total = sum(rule(value << 20, np.float64(scale / twice)) for value, scale in (a, b))
        return rule(total, np.float64(twice / 2 ** 20 / output))
    return rule((a[0] * a[1] + b[0] * b[1]) / output, 1.0)


def _quantized_op(graph, op, values, rule):
    tensors = graph.tensors
    source, target = tensors[op.inputs[0]], tensors[op.outputs[0]]
    x = values[op.inputs[0]]
    if op.kind == "RESHAPE":
        return x.reshape(len(x), *op.options["shape"][1:])
    if op.kind == "SOFTMAX":
        real = (x - x.max(-1, keepdims=True)) * (source.scale[0] * op.options["beta"])
        scores = np.exp(real)
        scores /= scores.sum(-1, keepdims=True)
        return np.clip(np.rint(scores / target.scale[0]) + target.zero_point, -128,
                       127).astype(np.int64)
    out_scale = target.scale[0]
    if op.kind == "AVERAGE_POOL_2D":
        # The scale does not change: an integer division, rounded half away from zero.
        taps = list(_taps(x, op, op.options["filter"], 0))
        total, count = sum(taps), len(taps)
        quotient = (abs(total) + (count // 2 if rule is not round_down else 0)) // count
        y = np.sign(total) * quotient
    elif op.kind == "ADD":
        other = tensors[op.inputs[1]]
        y = _add((x - source.zero_point, source.scale[0]),
                 (values[op.inputs[1]] - other.zero_point, other.scale[0]), out_scale, rule)
        y = y + target.zero_point
    else:
        weights, bias = tensors[op.inputs[1]], tensors[op.inputs[2]]
        # float64 holds these integers exactly, and its matrix product is fast.
        total = _weighted_sum(op, (x - source.zero_point).astype(np.float64),
                              weights.data.astype(np.float64)) + bias.data
        if abs(total).max() >= 2 ** 31:
            raise OverflowError(f"{target.name}: the accumulator leaves 32 bits")
        product = np.float32(source.scale[0]) * np.asarray(weights.scale, np.float32)
        y = rule(total, product.astype(np.float64) / out_scale) + target.zero_point
    low, high = LIMITS[op.options["activation"]]
    low = max(-128, target.zero_point + np.rint(low / out_scale))
    high = min(127, target.zero_point + np.rint(high / out_scale))
    return np.clip(y, int(low), int(high))


def evaluate(graph, inputs, dtype=np.float64, rule=nearest_even, disturb=None):
    """Values of all activations, by tensor index, each with a leading dimension len(inputs).

    dtype: the arithmetic of float models. rule: the requantization of quantized ones.
    disturb(index, value) may replace a tensor's value once it is computed.
    """
    quantized = graph.tensors[graph.inputs[0]].dtype == "INT8"
    # Inputs may hold bits that are no numbers (integers of records, which a SLICE drops).
    with np.errstate(invalid="ignore"):
        values = {graph.inputs[0]: inputs.astype(np.int64 if quantized else dtype)}
    for index, tensor in enumerate(graph.tensors):
        if tensor.data is not None and not quantized:
            values[index] = tensor.data.astype(dtype)
    for op in graph.ops:
        output = op.outputs[0]
        values[output] = (_quantized_op(graph, op, values, rule) if quantized
                          else _float_op(op, values, dtype))
        if disturb:
            values[output] = disturb(output, values[output])
    return values


def predict(graph, inputs, batch=250, **options):
    """Scores for many inputs, a batch at a time."""
    output = graph.outputs[0]
    return np.concatenate([evaluate(graph, inputs[start:start + batch], **options)[output]
                           for start in range(0, len(inputs), batch)])


def to_input(graph, pictures):
    """uint8 pictures as the graph's input: pixel/255, or pixel-128 where it is quantized."""
    if graph.tensors[graph.inputs[0]].dtype == "INT8":
        return (pictures.astype(np.int16) - 128).astype(np.int8)
    return pictures.astype(np.float32) / np.float32(255)
