# SPDX-License-Identifier: Apache-2.0
"""Post-training quantization of a float32 Graph to int8.

Activations are asymmetric with one scale, convolution filters symmetric with one scale for each
output channel, the fully connected layer's weights symmetric with one scale (NNAPI has no
per-channel form of it), biases int32 at input scale x filter scale. The real input range is [0, 1],
so that the quantized value is the pixel minus 128; scores have NNAPI's fixed 1/256 and -128.
"""

import numpy as np

import reference
from graph import Graph, Tensor

CHANNEL_DIMS = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 3}
FIXED = {"SOFTMAX": ((1 / 256,), -128)}
INPUT = ((1 / 255,), -128)
SAME_AS_INPUT = ("AVERAGE_POOL_2D", "RESHAPE")


def _float32(values):
    return tuple(float(value) for value in np.atleast_1d(np.asarray(values, np.float32)))


def _activation_parameters(low, high):
    """Scale and zero point such that 0 is exact."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = float(np.float32((high - low) / 255))
    return (scale,), int(np.clip(np.rint(-128 - low / scale), -128, 127))


def _weights(tensor, kind):
    data = tensor.data.astype(np.float64)
    dim = CHANNEL_DIMS.get(kind)
    if dim is None:
        largest = np.array([abs(data).max()])
        shape = (1,) * data.ndim
    else:
        largest = abs(np.moveaxis(data, dim, 0)).reshape(data.shape[dim], -1).max(1)
        shape = tuple(data.shape[dim] if axis == dim else 1 for axis in range(data.ndim))
    # A dead channel must not get a scale of 0, nor one so small that its bias overflows.
    largest = np.maximum(largest, abs(data).max() / 1024)
    scale = _float32(largest / 127)
    values = np.rint(data / np.reshape(scale, shape))
    return Tensor(tensor.name, "INT8", tensor.shape, np.clip(values, -127, 127).astype(np.int8),
                  scale=scale, channel_dim=dim or 0)


def _bias(tensor, input_scale, weight_scale):
    scale = _float32(np.float32(input_scale) * np.asarray(weight_scale, np.float32))
    values = np.rint(tensor.data.astype(np.float64) / np.asarray(scale))
    if abs(values).max() >= 2 ** 31:
        raise ValueError(f"{tensor.name}: the bias does not fit into 32 bits")
    return Tensor(tensor.name, "INT32", tensor.shape, values.astype(np.int32), scale=scale)


def quantize(graph, calibration):
    """Returns the int8 Graph; calibration: float inputs [n, ...] that set the activation ranges."""
    values = reference.evaluate(graph, calibration, np.float64)
    result = Graph(list(graph.tensors), graph.ops, graph.inputs, graph.outputs,
                   "nnaccel shapes classifier, int8")
    tensors = result.tensors

    def activation(index, parameters):
        old = graph.tensors[index]
        scale, zero_point = parameters
        tensors[index] = Tensor(old.name, "INT8", old.shape, scale=_float32(scale),
                                zero_point=zero_point)

    activation(graph.inputs[0], INPUT)
    for op in graph.ops:
        source = tensors[op.inputs[0]]
        if op.kind in CHANNEL_DIMS or op.kind == "FULLY_CONNECTED":
            weights, bias = op.inputs[1:]
            tensors[weights] = _weights(graph.tensors[weights], op.kind)
            tensors[bias] = _bias(graph.tensors[bias], source.scale[0], tensors[weights].scale)
        output = op.outputs[0]
        if op.kind in FIXED:
            activation(output, FIXED[op.kind])
        elif op.kind in SAME_AS_INPUT:
            activation(output, (source.scale, source.zero_point))
        else:
            activation(output, _activation_parameters(values[output].min(), values[output].max()))
    return result
