# SPDX-License-Identifier: Apache-2.0
"""The motion classifier: its layers, and their forward and backward passes for training.

Convolutions run along the window: [1, 1, 128, 3] with kernels of one row. Padding is SAME, as NNAPI
does it. In training the input is in units of standard gravity; to_graph() folds that into the
first weights, so that the model takes what the sensor gives.
"""

from dataclasses import dataclass

import numpy as np

import motion_data
from graph import Graph, Tensor
from network import same_padding


@dataclass(frozen=True)
class Layer:
    name: str
    channels: int
    kernel: int
    stride: int


CONVOLUTIONS = (Layer("conv1", 12, 7, 2), Layer("conv2", 24, 5, 2), Layer("conv3", 32, 5, 2))


def initial_parameters(rng):
    """He's initialisation; rng.random() only, so that the values outlive numpy's releases."""
    parameters, channels = {}, motion_data.AXES
    for layer in CONVOLUTIONS + (Layer("logits", len(motion_data.LABELS), 1, 1),):
        shape = (layer.channels, layer.kernel * channels)
        weights = (rng.random((12,) + shape).sum(0) - 6) * np.sqrt(2 / shape[1])
        parameters[layer.name + "/weights"] = weights.astype(np.float32)
        parameters[layer.name + "/bias"] = np.zeros(layer.channels, np.float32)
        channels = layer.channels
    return parameters


def _columns(x, layer):
    """[n, out, kernel * channels]: what each output element sees."""
    out, before, after = same_padding(x.shape[1], layer.kernel, layer.stride)
    padded = np.pad(x, ((0, 0), (before, after), (0, 0)))
    last = (out - 1) * layer.stride + 1
    return np.concatenate([padded[:, tap:tap + last:layer.stride]
                           for tap in range(layer.kernel)], 2)


def _scatter(columns, shape, layer):
    """The transpose of _columns()."""
    out, before, after = same_padding(shape[1], layer.kernel, layer.stride)
    padded = np.zeros((shape[0], shape[1] + before + after, shape[2]), columns.dtype)
    last = (out - 1) * layer.stride + 1
    for tap in range(layer.kernel):
        padded[:, tap:tap + last:layer.stride] += columns[..., tap * shape[2]:
                                                          (tap + 1) * shape[2]]
    return padded[:, before:before + shape[1]]


def forward(parameters, x):
    """Logits of windows [n, 128, 3] in units of gravity, and what backward() needs."""
    saved = []
    for layer in CONVOLUTIONS:
        columns = _columns(x, layer)
        y = columns @ parameters[layer.name + "/weights"].T + parameters[layer.name + "/bias"]
        np.maximum(y, 0, out=y)
        saved.append((x.shape, columns, y))
        x = y
    pooled = x.mean(1)
    return pooled @ parameters["logits/weights"].T + parameters["logits/bias"], (saved, pooled)


def backward(parameters, grad, memory):
    """Gradients of all parameters from the gradient of the logits."""
    saved, pooled = memory
    gradients = {"logits/weights": grad.T @ pooled, "logits/bias": grad.sum(0)}
    length = saved[-1][2].shape[1]
    grad = (grad @ parameters["logits/weights"])[:, None] / np.float32(length)
    for layer, (shape, columns, y) in zip(reversed(CONVOLUTIONS), reversed(saved)):
        grad = grad * (y > 0)
        flat = grad.reshape(-1, layer.channels)
        gradients[layer.name + "/weights"] = flat.T @ columns.reshape(len(flat), -1)
        gradients[layer.name + "/bias"] = flat.sum(0)
        if layer is not CONVOLUTIONS[0]:
            grad = _scatter(grad @ parameters[layer.name + "/weights"], shape, layer)
    return gradients


def to_graph(parameters):
    """The float32 TFLite model: records of a channel in, scores out."""
    graph = Graph(description="nnaccel motion classifier, float32")
    window, axes, classes = motion_data.WINDOW, motion_data.AXES, len(motion_data.LABELS)
    current = graph.add(Tensor("records", "FLOAT32", (window, motion_data.RECORD_FLOATS)))
    graph.inputs = [current]

    def step(kind, name, shape, constants, options):
        nonlocal current
        inputs = [current] + constants
        current = graph.add(Tensor(name, "FLOAT32", shape))
        graph.operator(kind, inputs, [current], options)

    def reshape(name, shape):
        step("RESHAPE", name, shape, [graph.constant(name + "/shape", "INT32", shape)],
             {"shape": shape})

    step("SLICE", "axes", (window, axes),
         [graph.constant("axes/begin", "INT32", (0, motion_data.FIRST_AXIS)),
          graph.constant("axes/size", "INT32", (window, axes))], {})
    reshape("row", (1, 1, window, axes))
    length, channels = window, axes
    for layer in CONVOLUTIONS:
        weights = parameters[layer.name + "/weights"].astype(np.float64)
        if layer is CONVOLUTIONS[0]:
            weights = weights / motion_data.GRAVITY
        weights = weights.reshape(layer.channels, 1, layer.kernel, channels)
        length, channels = -(-length // layer.stride), layer.channels
        step("CONV_2D", layer.name, (1, 1, length, channels),
             [graph.constant(layer.name + "/weights", "FLOAT32", weights),
              graph.constant(layer.name + "/bias", "FLOAT32", parameters[layer.name + "/bias"])],
             {"activation": "RELU", "padding": "SAME", "stride": (1, layer.stride)})
    step("AVERAGE_POOL_2D", "pool", (1, 1, 1, channels), [],
         {"activation": "NONE", "padding": "VALID", "stride": (1, length), "filter": (1, length)})
    reshape("flat", (1, channels))
    step("FULLY_CONNECTED", "logits", (1, classes),
         [graph.constant(f"logits/{part}", "FLOAT32", parameters[f"logits/{part}"])
          for part in ("weights", "bias")], {"activation": "NONE"})
    step("SOFTMAX", "scores", (1, classes), [], {"beta": 1.0})
    graph.outputs = [current]
    return graph
