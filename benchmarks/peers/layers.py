#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layers.py FOLDER: layers of large networks as models, FOLDER/NAME/model.tflite, int8 with random weights that are the same each
time, and FOLDER/products.json: the multiply-adds of each. scripts/bench-peers.sh --layers runs them.

Convolutions have a scale per output channel, matrices have one for all, as NNAPI has it; activations have zero points, as in
real models. Scales are such that results spread over the codes.
"""
import argparse
import json
import os
import random
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "import"))
from tflite_writer import B, I, Model # noqa: E402

SCALE, ZERO, WEIGHT = 0.05, -7, 0.01
RELU, SAME = 1, 0
# Kinds of options in the schema: readers other than ours look at them.
OPTIONS = {"CONV_2D": 1, "FULLY_CONNECTED": 8, "TRANSPOSE_CONV": 49, "BATCH_MATMUL": 101}
VERSIONS = {"CONV_2D": 3, "FULLY_CONNECTED": 4, "TRANSPOSE_CONV": 3, "BATCH_MATMUL": 2}


class Layers(Model):
    """Operations in a row."""

    def __init__(self, name, shape):
        super().__init__()
        self.random, self.products, self.scale = random.Random(name), 0, SCALE
        self.last, self.shape = self.input("input", shape, "INT8", scale=SCALE, zero=ZERO), shape

    def weights(self, shape, channels):
        """Constant codes, and a bias."""
        count = 1
        for extent in shape:
            count *= extent
        scale = [WEIGHT * self.random.uniform(0.5, 1.5) for _ in range(channels)] if channels else WEIGHT
        # -128 is no code of a symmetric weight
        body = self.random.randbytes(count).replace(b"\x80", b"\x81")
        w = self.const("weights", shape, body, "INT8", scale=scale, zero=0)
        n = channels or shape[0]
        scales = [self.scale * s for s in scale] if channels else self.scale * scale
        bias = self.const("bias", [n], [self.random.randrange(-2000, 2000) for _ in range(n)], "INT32", scale=scales)
        return w, bias

    def append(self, name, inputs, shape, depth, options):
        """The sums of @depth random products grow with its root."""
        self.scale *= WEIGHT * 100 * depth ** 0.5
        out = self.tensor("output", shape, "INT8", scale=self.scale, zero=ZERO)
        self.op(name, inputs, [out], options, VERSIONS[name])
        self.ops[-1][3] = B(OPTIONS[name])
        self.last, self.shape, self.outputs = out, shape, [out]

    def conv(self, columns, size, stride=1):
        _, h, w, depth = self.shape
        weights, bias = self.weights([columns, size, size, depth], columns)
        shape = [1, -(-h // stride), -(-w // stride), columns]
        self.products += shape[1] * shape[2] * columns * size * size * depth
        self.append("CONV_2D", [self.last, weights, bias], shape, size * size * depth,
                    {0: B(SAME), 1: I(stride), 2: I(stride)})
        return self

    def transpose_conv(self, columns, size, stride):
        _, h, w, depth = self.shape
        weights, bias = self.weights([columns, size, size, depth], columns)
        shape = [1, h * stride, w * stride, columns]
        self.products += h * w * columns * size * size * depth
        self.append("TRANSPOSE_CONV", [self.ints(shape), weights, self.last, bias], shape, size * size * depth // stride ** 2,
                    {0: B(SAME), 1: I(stride), 2: I(stride)})
        return self

    def matrix(self, columns, activation=0):
        rows, depth = self.shape
        weights, bias = self.weights([columns, depth], 0)
        self.products += rows * columns * depth
        self.append("FULLY_CONNECTED", [self.last, weights, bias], [rows, columns], depth, {0: B(activation)})
        return self

    def batch_matmul(self, columns):
        """With a second input."""
        batch, rows, depth = self.shape
        right = self.input("right", [batch, depth, columns], "INT8", scale=WEIGHT, zero=3)
        self.products += batch * rows * columns * depth
        self.append("BATCH_MATMUL", [self.last, right], [batch, rows, columns], depth, {0: B(0), 1: B(0)})
        return self


LAYERS = {
    "conv_3x3_512_512_7": lambda n: Layers(n, [1, 7, 7, 512]).conv(512, 3),
    "conv_1x1_512_2048_7": lambda n: Layers(n, [1, 7, 7, 512]).conv(2048, 1),
    "conv_1x1_1024_256_14": lambda n: Layers(n, [1, 14, 14, 1024]).conv(256, 1),
    "conv_3x3_256_256_14": lambda n: Layers(n, [1, 14, 14, 256]).conv(256, 3),
    "conv_3x3_64_64_56": lambda n: Layers(n, [1, 56, 56, 64]).conv(64, 3),
    "feed_forward_128_768_3072_768": lambda n: Layers(n, [128, 768]).matrix(3072, RELU).matrix(768),
    "matrix_128_768_3072": lambda n: Layers(n, [128, 768]).matrix(3072),
    "matrix_1_1024_1024": lambda n: Layers(n, [1, 1024]).matrix(1024),
    "batch_matmul_12_128_64_128": lambda n: Layers(n, [12, 128, 64]).batch_matmul(128),
    "transpose_conv_4x4_256_128_16": lambda n: Layers(n, [1, 16, 16, 256]).transpose_conv(128, 4, 2),
}


def main(folder):
    products = {}
    for name, make in LAYERS.items():
        model = make(name)
        products[name] = model.products
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        with open(os.path.join(folder, name, "model.tflite"), "wb") as file:
            file.write(model.bytes())
    with open(os.path.join(folder, "products.json"), "w", encoding="utf-8") as file:
        json.dump(products, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage="layers.py FOLDER")
    parser.add_argument("folder")
    main(parser.parse_args().folder)
