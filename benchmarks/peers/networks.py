#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""networks.py --list | FOLDER [NAME...]: whole networks with random weights that are the same each time, FOLDER/NAME/model.tflite and
model.onnx (onnx_network.py): ResNet50, MobileNetV2 and EfficientNet-Lite0 in float32 and int8, the encoder of BERT-base at 128 tokens in float32.
scripts/bench-peers.sh --networks runs them.

Operations, shapes, kinds of quantization and fusion are those that converters write: after an activation the zero point is the least
number. Scales are such that results spread. BERT's GELU is its formula with TANH, LayerNorm is made of MEAN, SQUARED_DIFFERENCE and RSQRT.
"""
import os
import sys

import numpy

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "import"))
from onnx_network import OnnxNetwork # noqa: E402
from random_weights import draw # noqa: E402
from tflite_writer import B, F, I, Model, Vector # noqa: E402

NONE, RELU, RELU6 = 0, 1, 3
SAME, VALID = 0, 1
# Kinds of options in the schema, and versions of operators.
OPTIONS = {"CONV_2D": (1, 3), "DEPTHWISE_CONV_2D": (2, 3), "AVERAGE_POOL_2D": (5, 2), "MAX_POOL_2D": (5, 2), "FULLY_CONNECTED": (8, 4),
           "SOFTMAX": (9, 2), "ADD": (11, 2), "RESHAPE": (17, 1), "MUL": (21, 2), "MEAN": (27, 2), "TRANSPOSE": (26, 2), "SUB": (28, 2),
           "SQUARED_DIFFERENCE": (66, 1), "BATCH_MATMUL": (101, 1), "TANH": (0, 1), "RSQRT": (0, 1)}
ZERO = -7


class Bytes(Vector):
    """A vector whose bytes are there: Vector takes them apart, which is too slow for megabytes."""

    def __init__(self, body): # pylint: disable=super-init-not-called
        self.body, self.count, self.align, self.code = body, len(body), 16, "B"


class Value:
    """A tensor that an operation has written."""

    def __init__(self, tensor, shape, scale, zero=ZERO):
        self.tensor, self.shape, self.scale, self.zero = tensor, shape, scale, zero


class Network(Model):
    """Float32, or int8 with a scale for each output channel of convolutions and one for matrices."""

    def __init__(self, quantized, seed):
        super().__init__()
        self.quantized, self.random = quantized, numpy.random.default_rng(seed)

    def start(self, shape, zero=ZERO):
        if self.quantized:
            return Value(self.input("input", shape, "INT8", scale=0.02, zero=zero), shape, 0.02, zero)
        return Value(self.input("input", shape), shape, None)

    def stored(self, name, shape, array, kind, **keys):
        """A constant of the array's bytes."""
        return self.tensor(name, shape, kind, f2=I(self.buffer({0: Bytes(array.tobytes())})), **keys)

    def number(self, value):
        return self.stored("number", [1], numpy.array([value], numpy.float32), "FLOAT32")

    def weights(self, shape, depth, channels, source, axis=0):
        """Constant and bias for @channels outputs of @depth products each."""
        w, bias, scales = draw(self.random, self.quantized, shape, depth, channels, axis is not None)
        if not self.quantized:
            return self.stored("weights", shape, w, "FLOAT32"), self.stored("bias", [channels], bias, "FLOAT32"), None
        sums = [source.scale * s for s in scales] if axis is not None else source.scale * scales
        return (self.stored("weights", shape, w, "INT8", scale=scales, zero=0, axis=axis or 0),
                self.stored("bias", [channels], bias, "INT32", scale=sums), source.scale)

    def append(self, name, inputs, shape, options=None, scale=None, zero=ZERO):
        kind, version = OPTIONS[name]
        if self.quantized:
            out = self.tensor("output", shape, "INT8", scale=scale, zero=zero)
        else:
            out = self.tensor("output", shape)
        self.op(name, inputs, [out], options, version)
        if options is not None:
            self.ops[-1][3] = B(kind)
        self.outputs = [out]
        return Value(out, shape, scale, zero)

    # ---- layers ----

    def conv(self, x, columns, size, stride=1, activation=NONE, *, zero=ZERO):
        _, h, w, depth = x.shape
        weights, bias, scale = self.weights([columns, size, size, depth], size * size * depth, columns, x)
        return self.append("CONV_2D", [x.tensor, weights, bias], [1, -(-h // stride), -(-w // stride), columns],
                           {0: B(SAME), 1: I(stride), 2: I(stride), 3: B(activation)}, scale, zero)

    def depthwise(self, x, size, stride, activation, *, zero=ZERO):
        _, h, w, depth = x.shape
        weights, bias, scale = self.weights([1, size, size, depth], size * size, depth, x, axis=3)
        return self.append("DEPTHWISE_CONV_2D", [x.tensor, weights, bias], [1, -(-h // stride), -(-w // stride), depth],
                           {0: B(SAME), 1: I(stride), 2: I(stride), 3: I(1), 4: B(activation)}, scale, zero)

    def matrix(self, x, columns, *, zero=ZERO):
        weights, bias, scale = self.weights([columns, x.shape[1]], x.shape[1], columns, x, axis=None)
        return self.append("FULLY_CONNECTED", [x.tensor, weights, bias], [x.shape[0], columns], {0: B(NONE)}, scale, zero)

    def pool(self, x, size, stride):
        _, h, w, depth = x.shape
        return self.append("MAX_POOL_2D", [x.tensor], [1, -(-h // stride), -(-w // stride), depth],
                           {0: B(SAME), 1: I(stride), 2: I(stride), 3: I(size), 4: I(size), 5: B(NONE)}, x.scale, x.zero)

    def add(self, a, b, activation=NONE, *, zero=ZERO):
        return self.append("ADD", [a.tensor, b.tensor], a.shape, {0: B(activation)}, a.scale, zero)

    def head(self, x, *, zero=ZERO):
        """The mean of the image, and 1,000 classes."""
        depth = x.shape[3]
        x = self.append("MEAN", [x.tensor, self.ints([1, 2])], [1, depth], {0: B(0)}, x.scale, x.zero)
        x = self.matrix(x, 1000, zero=zero)
        self.append("SOFTMAX", [x.tensor], x.shape, {0: F(1)}, 1 / 256, -128)
        return self

    # ---- of transformers, float32 ----

    def binary(self, name, a, b, shape=None):
        tensors = [v.tensor if isinstance(v, Value) else self.number(v) for v in (a, b)]
        value = a if isinstance(a, Value) else b
        return self.append(name, tensors, shape or value.shape, {} if name == "SQUARED_DIFFERENCE" else {0: B(NONE)})

    def norm(self, x):
        """LayerNorm as converters write it."""
        rows, n = x.shape
        mean = self.append("MEAN", [x.tensor, self.ints([1])], [rows, 1], {0: B(1)})
        squares = self.binary("SQUARED_DIFFERENCE", x, mean)
        variance = self.append("MEAN", [squares.tensor, self.ints([1])], [rows, 1], {0: B(1)})
        inverse = self.append("RSQRT", [self.binary("ADD", variance, 1e-12).tensor], [rows, 1])
        gamma = Value(self.stored("gamma", [n], numpy.ones(n, numpy.float32), "FLOAT32"), [n], None)
        beta = Value(self.stored("beta", [n], numpy.zeros(n, numpy.float32), "FLOAT32"), [n], None)
        factor = self.binary("MUL", inverse, gamma, [rows, n])
        shift = self.binary("SUB", beta, self.binary("MUL", mean, factor, [rows, n]), [rows, n])
        return self.binary("ADD", self.binary("MUL", x, factor), shift)

    def gelu(self, x):
        cube = self.binary("MUL", self.binary("MUL", x, x), x)
        inner = self.binary("MUL", self.binary("ADD", x, self.binary("MUL", cube, 0.044715)), 0.7978845608)
        gate = self.append("TANH", [inner.tensor], x.shape)
        return self.binary("MUL", self.binary("MUL", self.binary("ADD", gate, 1.0), x), 0.5)

    def split_heads(self, x, heads):
        rows, n = x.shape
        x = self.append("RESHAPE", [x.tensor, self.ints([rows, heads, n // heads])], [rows, heads, n // heads], {})
        return self.append("TRANSPOSE", [x.tensor, self.ints([1, 0, 2])], [heads, rows, n // heads], {})

    def attention(self, x, heads):
        rows, n = x.shape
        query, key, value = (self.split_heads(self.matrix(x, n), heads) for _ in range(3))
        scores = self.append("BATCH_MATMUL", [query.tensor, key.tensor], [heads, rows, rows], {0: B(0), 1: B(1)})
        scores = self.binary("MUL", scores, (n // heads) ** -0.5)
        weights = self.append("SOFTMAX", [scores.tensor], scores.shape, {0: F(1)})
        mixed = self.append("BATCH_MATMUL", [weights.tensor, value.tensor], [heads, rows, n // heads], {0: B(0), 1: B(0)})
        mixed = self.append("TRANSPOSE", [mixed.tensor, self.ints([1, 0, 2])], [rows, heads, n // heads], {})
        mixed = self.append("RESHAPE", [mixed.tensor, self.ints([rows, n])], [rows, n], {})
        return self.matrix(mixed, n)


# ---- networks: @net is of either format ----

# Zero points of int8: of activations, and of other values.
ACTIVE, OTHER = {"zero": -128}, {"zero": ZERO}


def resnet50(net):
    x = net.conv(net.start([1, 224, 224, 3], ZERO), 64, 7, 2, RELU, **ACTIVE)
    x = net.pool(x, 3, 2)
    for stage, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            short = x if block else net.conv(x, 4 * width, 1, stride, **OTHER)
            y = net.conv(net.conv(x, width, 1, 1, RELU, **ACTIVE), width, 3, stride, RELU, **ACTIVE)
            x = net.add(net.conv(y, 4 * width, 1, **OTHER), short, RELU, **ACTIVE)
    return net.head(x, **OTHER)


def inverted(net, x, size, expansion, columns, stride):
    """An inverted residual."""
    y = net.conv(x, expansion * x.shape[3], 1, 1, RELU6, **ACTIVE) if expansion > 1 else x
    y = net.conv(net.depthwise(y, size, stride, RELU6, **ACTIVE), columns, 1, **OTHER)
    return net.add(y, x, **OTHER) if stride == 1 and x.shape[3] == columns else y


def inverted_network(net, rows):
    x = net.conv(net.start([1, 224, 224, 3], ZERO), 32, 3, 2, RELU6, **ACTIVE)
    for size, expansion, columns, blocks, stride in rows:
        for block in range(blocks):
            x = inverted(net, x, size, expansion, columns, 1 if block else stride)
    return net.head(net.conv(x, 1280, 1, 1, RELU6, **ACTIVE), **OTHER)


def mobilenet_v2(net):
    return inverted_network(net, ((3, 1, 16, 1, 1), (3, 6, 24, 2, 2), (3, 6, 32, 3, 2), (3, 6, 64, 4, 2), (3, 6, 96, 3, 1),
                                  (3, 6, 160, 3, 2), (3, 6, 320, 1, 1)))


def efficientnet_lite0(net):
    return inverted_network(net, ((3, 1, 16, 1, 1), (3, 6, 24, 2, 2), (5, 6, 40, 2, 2), (3, 6, 80, 3, 2), (5, 6, 112, 3, 1),
                                  (5, 6, 192, 4, 2), (3, 6, 320, 1, 1)))


def bert_base_128(net):
    """The encoder: 12 layers of 768, 12 heads; inputs are embeddings."""
    x = net.norm(net.start([128, 768], ZERO))
    for _ in range(12):
        x = net.norm(net.binary("ADD", x, net.attention(x, 12)))
        x = net.norm(net.binary("ADD", x, net.matrix(net.gelu(net.matrix(x, 3072)), 768)))
    return net


# Function, whether it is int8, seed
NETWORKS = {
    "resnet50_fp32": (resnet50, False, 50),
    "resnet50_int8": (resnet50, True, 50),
    "mobilenet_v2_fp32": (mobilenet_v2, False, 2),
    "mobilenet_v2_int8": (mobilenet_v2, True, 2),
    "efficientnet_lite0_fp32": (efficientnet_lite0, False, 0),
    "efficientnet_lite0_int8": (efficientnet_lite0, True, 0),
    "bert_base_128_fp32": (bert_base_128, False, 12),
}


def main(folder, *names):
    for name in names or NETWORKS:
        function, quantized, seed = NETWORKS[name]
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        for kind, file_name in ((OnnxNetwork, "model.onnx"), (Network, "model.tflite")):
            path = os.path.join(folder, name, file_name)
            with open(path + ".new", "wb") as file:
                file.write(function(kind(quantized, seed)).bytes())
            os.rename(path + ".new", path)


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print(*NETWORKS, sep="\n")
        sys.exit()
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(NETWORKS):
        sys.exit(f"usage: networks.py --list | FOLDER [{' | '.join(NETWORKS)}]...")
    main(*sys.argv[1:])
