# SPDX-License-Identifier: Apache-2.0
"""Weights of the networks of networks.py: the same for each format, since each draws them in the same order."""
import numpy


def draw(random, quantized, shape, depth, channels, per_channel):
    """Weights of @shape and a bias for @channels outputs of @depth products each; of int8 the scales, too, else None: one for each
    channel, or one."""
    if not quantized:
        weights = random.standard_normal(shape, numpy.float32) * numpy.float32((2 / depth) ** 0.5)
        return weights, random.standard_normal(channels, numpy.float32) * numpy.float32(0.01), None
    scale = 0.02 / depth ** 0.5
    scales = [float(s) for s in scale * random.uniform(0.5, 1.5, channels)] if per_channel else scale
    weights = random.integers(-127, 128, shape, numpy.int8)
    return weights, random.integers(-2000, 2000, channels, numpy.int32), scales
