# SPDX-License-Identifier: Apache-2.0
"""The classifier: its layers, and their forward and backward passes for training (float32, NHWC).

Weights have TFLite's layouts: convolution [out, kh, kw, in], depthwise [1, kh, kw, channels], fully
connected [out, in]. SAME padding puts the odd pixel at the bottom and right, as NNAPI does.

While training, every convolution is followed by batch normalisation; fold() turns it into the
weights and bias of the convolution, so that the exported model has none of it.
"""

from dataclasses import dataclass

import numpy as np

from graph import Graph, Tensor


@dataclass(frozen=True)
class Layer:
    name: str
    kind: str            # TFLite operator
    channels: int = 0    # of the output
    kernel: int = 1
    stride: int = 1
    activation: str = "NONE"
    skip: str = ""       # ADD: name of the layer whose output is the second operand


LAYERS = (
    Layer("stem", "CONV_2D", 16, 3, 2, "RELU6"),
    Layer("block1/depthwise", "DEPTHWISE_CONV_2D", 16, 3, 1, "RELU6"),
    Layer("block1/pointwise", "CONV_2D", 32, 1, 1, "RELU6"),
    Layer("block2/depthwise", "DEPTHWISE_CONV_2D", 32, 3, 2, "RELU6"),
    Layer("block2/pointwise", "CONV_2D", 64, 1, 1, "RELU"),
    Layer("block3/depthwise", "DEPTHWISE_CONV_2D", 64, 3, 1, "RELU6"),
    Layer("block3/pointwise", "CONV_2D", 64, 1, 1, "NONE"),
    Layer("block3/add", "ADD", 64, activation="RELU", skip="block2/pointwise"),
    Layer("block4/depthwise", "DEPTHWISE_CONV_2D", 64, 3, 2, "RELU6"),
    Layer("block4/pointwise", "CONV_2D", 96, 1, 1, "RELU"),
    Layer("pool", "AVERAGE_POOL_2D", 96, 4, 4),
    Layer("flat", "RESHAPE", 96),
    Layer("logits", "FULLY_CONNECTED", 10),
    Layer("scores", "SOFTMAX", 10),
)
INPUT_SHAPE = (32, 32, 3)
NORMALISED = ("CONV_2D", "DEPTHWISE_CONV_2D")
EPSILON = np.float32(1e-3)
MOMENTUM = np.float32(0.02)   # share of a batch in the running mean and variance


def same_padding(size, kernel, stride):
    """(output size, padding before, padding after) of one dimension."""
    out = -(-size // stride)
    total = max((out - 1) * stride + kernel - size, 0)
    return out, total // 2, total - total // 2


def initial_parameters(rng):
    """He's initialisation; rng.random() only, so that the values outlive numpy's releases."""
    parameters, channels = {}, INPUT_SHAPE[2]
    for layer in LAYERS:
        if layer.kind == "CONV_2D":
            shape, fan = (layer.channels, layer.kernel, layer.kernel, channels), channels
        elif layer.kind == "DEPTHWISE_CONV_2D":
            shape, fan = (1, layer.kernel, layer.kernel, layer.channels), 1
        elif layer.kind == "FULLY_CONNECTED":
            shape, fan = (layer.channels, channels), channels
        else:
            continue
        fan *= layer.kernel ** 2
        # A sum of 12 uniform numbers is close enough to a normal one.
        weights = (rng.random((12,) + shape).sum(0) - 6) * np.sqrt(2 / fan)
        parameters[layer.name + "/weights"] = weights.astype(np.float32)
        parameters[layer.name + "/bias"] = np.zeros(layer.channels, np.float32)
        if layer.kind in NORMALISED:
            parameters[layer.name + "/gain"] = np.ones(layer.channels, np.float32)
        channels = layer.channels
    return parameters


def initial_statistics():
    """Running mean and variance of every normalised layer, as forward() updates them."""
    return {layer.name: (np.zeros(layer.channels, np.float32), np.ones(layer.channels, np.float32))
            for layer in LAYERS if layer.kind in NORMALISED}


def fold(parameters, statistics):
    """Weights and biases of the same network without batch normalisation."""
    folded = {}
    for layer in LAYERS:
        if layer.name + "/weights" not in parameters:
            continue
        weights = parameters[layer.name + "/weights"].astype(np.float64)
        bias = parameters[layer.name + "/bias"].astype(np.float64)
        if layer.kind in NORMALISED:
            mean, variance = statistics[layer.name]
            gain = parameters[layer.name + "/gain"] / np.sqrt(variance.astype(np.float64) + EPSILON)
            bias -= mean * gain
            weights *= gain if layer.kind == "DEPTHWISE_CONV_2D" else gain[:, None, None, None]
        folded[layer.name + "/weights"] = weights.astype(np.float32)
        folded[layer.name + "/bias"] = bias.astype(np.float32)
    return folded


def _pad(x, kernel, stride):
    _, top, bottom = same_padding(x.shape[1], kernel, stride)
    _, left, right = same_padding(x.shape[2], kernel, stride)
    return np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0))), (top, left)


def _taps(padded, kernel, stride, out):
    """The input seen by each kernel element, in row-major order of the kernel."""
    for row in range(kernel):
        for column in range(kernel):
            yield padded[:, row:row + (out - 1) * stride + 1:stride,
                         column:column + (out - 1) * stride + 1:stride]


def _crop(padded, origin, shape):
    top, left = origin
    return padded[:, top:top + shape[1], left:left + shape[2]]


def _normalise(y, gain, bias, running):
    """Batch normalisation over all but the channels; updates running = (mean, variance)."""
    flat = y.reshape(-1, y.shape[3])
    mean = flat.mean(0)
    flat -= mean                            # y is the caller's own fresh array
    variance = np.einsum("nc,nc->c", flat, flat) / np.float32(len(flat))
    for kept, new in zip(running, (mean, variance)):
        kept += MOMENTUM * (new - kept)
    inverse = 1 / np.sqrt(variance + EPSILON)
    flat *= inverse
    return (flat * gain + bias).reshape(y.shape), (flat, inverse)


def _normalise_backward(grad, gain, memory):
    normal, inverse = memory
    flat = grad.reshape(normal.shape)
    of_bias = flat.sum(0)
    of_gain = np.einsum("nc,nc->c", flat, normal)
    count = np.float32(len(flat))
    grad_y = normal * (-of_gain / count)
    grad_y += flat
    grad_y -= of_bias / count
    grad_y *= gain * inverse
    return grad_y.reshape(grad.shape), of_gain, of_bias


def _conv_forward(layer, x, weights):
    if layer.kernel == 1:
        columns = x.reshape(-1, x.shape[3])
        shape = x.shape[:3]
    else:
        padded, _ = _pad(x, layer.kernel, layer.stride)
        out = x.shape[1] // layer.stride
        columns = np.stack(list(_taps(padded, layer.kernel, layer.stride, out)), 3)
        shape = (len(x), out, out)
        columns = columns.reshape(shape[0] * out * out, -1)
    y = columns @ weights.reshape(layer.channels, -1).T
    return y.reshape(shape + (layer.channels,)), columns


def _conv_backward(layer, grad, columns, weights, x_shape):
    grad = grad.reshape(-1, layer.channels)
    grad_weights = (grad.T @ columns).reshape(weights.shape)
    grad_x = None
    if layer.kernel == 1:
        grad_x = (grad @ weights.reshape(layer.channels, -1)).reshape(x_shape)
    return grad_x, grad_weights


def _depthwise_forward(layer, x, weights):
    padded, _ = _pad(x, layer.kernel, layer.stride)
    out = x.shape[1] // layer.stride
    y = np.zeros((len(x), out, out, layer.channels), x.dtype)
    for tap, weight in zip(_taps(padded, layer.kernel, layer.stride, out),
                           weights.reshape(-1, layer.channels)):
        y += tap * weight
    return y, padded


def _depthwise_backward(layer, grad, padded, weights, x_shape):
    grad_padded = np.zeros_like(padded)
    grad_weights = np.empty((layer.kernel ** 2, layer.channels), np.float32)
    out = grad.shape[1]
    for index, (tap, tap_grad, weight) in enumerate(zip(
            _taps(padded, layer.kernel, layer.stride, out),
            _taps(grad_padded, layer.kernel, layer.stride, out),
            weights.reshape(-1, layer.channels))):
        grad_weights[index] = np.einsum("nhwc,nhwc->c", tap, grad)
        tap_grad += grad * weight
    _, origin = _pad(np.empty((0,) + x_shape[1:], np.float32), layer.kernel, layer.stride)
    return _crop(grad_padded, origin, x_shape), grad_weights.reshape(weights.shape)


def forward(parameters, statistics, x):
    """Logits, and what backward() needs of each layer; updates the running statistics."""
    values, saved = {}, {}
    for layer in LAYERS:
        if layer.kind == "SOFTMAX":
            break
        weights = parameters.get(layer.name + "/weights")
        bias = parameters.get(layer.name + "/bias")
        memory = None
        if layer.kind == "CONV_2D":
            y, memory = _conv_forward(layer, x, weights)
        elif layer.kind == "DEPTHWISE_CONV_2D":
            y, memory = _depthwise_forward(layer, x, weights)
        elif layer.kind == "ADD":
            y = x + values[layer.skip]
        elif layer.kind == "AVERAGE_POOL_2D":
            y = x.mean((1, 2), keepdims=True)
        elif layer.kind == "RESHAPE":
            y = x.reshape(len(x), -1)
        else:
            y, memory = x @ weights.T + bias, x
        if layer.kind in NORMALISED:
            y, normal = _normalise(y, parameters[layer.name + "/gain"], bias,
                                   statistics[layer.name])
            memory = (memory, normal)
        if layer.activation != "NONE":
            np.maximum(y, 0, out=y)
        if layer.activation == "RELU6":
            np.minimum(y, 6, out=y)
        saved[layer.name] = (x.shape, memory)
        values[layer.name] = x = y
    return x, (values, saved)


def backward(parameters, grad, memory):
    """Gradients of all parameters from the gradient of the logits."""
    values, saved = memory
    gradients, skipped = {}, {}
    for layer in reversed(LAYERS[:-1]):
        if layer.name in skipped:
            grad = grad + skipped.pop(layer.name)
        if layer.activation != "NONE":
            y = values[layer.name]
            passes = y > 0
            if layer.activation == "RELU6":
                passes &= y < 6
            grad = grad * passes
        x_shape, kept = saved[layer.name]
        weights = parameters.get(layer.name + "/weights")
        if layer.kind == "ADD":
            skipped[layer.skip] = grad
            continue
        if layer.kind == "AVERAGE_POOL_2D":
            grad = np.broadcast_to(grad / np.float32(layer.kernel ** 2), x_shape)
            continue
        if layer.kind == "RESHAPE":
            grad = grad.reshape(x_shape)
            continue
        if layer.kind in NORMALISED:
            kept, normal = kept
            grad, of_gain, of_bias = _normalise_backward(grad, parameters[layer.name + "/gain"],
                                                         normal)
            gradients[layer.name + "/gain"] = of_gain
            convolution = _conv_backward if layer.kind == "CONV_2D" else _depthwise_backward
            grad, of_weights = convolution(layer, grad, kept, weights, x_shape)
        else:
            of_weights, of_bias = grad.T @ kept, grad.sum(0)
            grad = grad @ weights
        gradients[layer.name + "/weights"] = of_weights
        gradients[layer.name + "/bias"] = of_bias
    return gradients


def to_graph(parameters):
    """The float32 TFLite model with these folded parameters."""
    graph = Graph(description="nnaccel shapes classifier, float32")
    shape = (1,) + INPUT_SHAPE
    current = graph.add(Tensor("pixels", "FLOAT32", shape))
    graph.inputs = [current]
    outputs = {}
    for layer in LAYERS:
        inputs, options = [current], {"activation": layer.activation}
        if layer.kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D"):
            same = layer.kind != "AVERAGE_POOL_2D"
            options.update(padding="SAME" if same else "VALID", stride=(layer.stride,) * 2)
            size = shape[1] // layer.stride if same else 1
            shape = (1, size, size, layer.channels)
        if layer.kind == "DEPTHWISE_CONV_2D":
            options["multiplier"] = 1
        elif layer.kind == "AVERAGE_POOL_2D":
            options["filter"] = (layer.kernel,) * 2
        elif layer.kind == "ADD":
            inputs.append(outputs[layer.skip])
        elif layer.kind == "RESHAPE":
            shape = (1, layer.channels)
            options = {"shape": shape}
            inputs.append(graph.constant(layer.name + "/shape", "INT32", shape))
        elif layer.kind == "FULLY_CONNECTED":
            shape = (1, layer.channels)
        elif layer.kind == "SOFTMAX":
            options = {"beta": 1.0}
        for part in ("weights", "bias"):
            name = f"{layer.name}/{part}"
            if name in parameters:
                inputs.append(graph.constant(name, "FLOAT32", parameters[name]))
        current = graph.add(Tensor(layer.name, "FLOAT32", shape))
        graph.operator(layer.kind, inputs, [current], options)
        outputs[layer.name] = current
    graph.outputs = [current]
    return graph
